//! Query to scores: lexical and semantic arms over a request and its parts, and their fusion; servers as the unit.
//!
//! What else decides the order of tools is in `order`.

pub mod answer;
pub mod arms;
pub mod best;
pub mod corpus;
pub mod fusion;
pub mod lexical;
mod nearest;
mod postings;
pub mod scores;
pub mod semantic;
pub mod servers;
pub mod signals;

pub(crate) use answer::NAMED_BONUS;
pub use answer::{Named, RankedTool, Ranking, Shares};
pub use corpus::{Corpus, SemanticInput};
