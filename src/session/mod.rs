//! One task: what is attached, what the gate decided, and its window of ranked turns.

pub mod attach;
pub mod begin;
mod budget;
mod chances;
pub(crate) mod companions;
pub mod delivering;
mod directory;
mod explained;
mod gate;
mod listed;
pub mod load_result;
pub mod mcp_load;
pub mod mcp_load_text;
pub mod modules;
mod new_in_scope;
pub mod origin;
mod pending;
mod place;
mod rendering;
pub mod reroute;
mod rewrite;
mod room;
mod seen;
pub mod selection;
pub mod spelled;
pub mod state;
mod task;
mod tiers;
mod told;
mod turn;
mod worth;

pub use rendering::Shape;
pub use task::{Attached, OwnSettings, Session};
pub use turn::{Ranked, Wanted};
