//! The facade over all stages: one value that any thread may call.

mod ask;
mod attaching;
mod counting;
mod curate;
mod curation_files;
mod explain;
mod facade;
mod forgetting;
mod listing;
mod lists;
mod loads;
#[cfg(feature = "ablation")]
mod measured;
mod modules;
mod open_sessions;
#[cfg(test)]
mod partial_tests;
mod rank;
mod rank_servers;
mod results;
mod sessions;
mod status;
pub mod tables;

pub use crate::index::Index;
pub use curate::{Curated, CuratedFunction, KeptFunction};
pub use explain::{Explanation, adjustments};
pub use facade::{PendingChange, TelemetryListener, ToolRouter};
pub use forgetting::Forget;
pub use listing::{ListedTool, Signatures, ToolSignature};
pub use lists::{NamedText, TextRanking};
pub use open_sessions::{SharedSession, with_context};
pub use rank::{NamedRanking, NamedTool, RankOptions, Snapshot};
pub use rank_servers::{NamedServer, ServerRankOptions, ServerRanking};
pub use results::{HeldResult, HoldOptions};
pub use status::{ModelState, Status};
