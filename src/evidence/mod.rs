//! How likely anything serves a text: what a ranking shows of it, the measures over that, and what attaches from where on.
//!
//! Each measure is data that a script fits: `data/evidence.txt`, `data/in_task.txt`, `data/needed.txt` name theirs.

mod actions;
pub mod chance;
pub mod in_task;
pub mod measure;
pub mod prototypes;
pub mod read;
pub mod thresholds;
mod trees;
mod weights;

/// Tools at the head of a ranking that are looked at, however few are asked for.
pub const HEAD: usize = 20;
/// The ids of models whose cosines the measure was set with begin so; those of another are on another scale.
pub const MEASURED_MODEL: &str = "all-MiniLM-L6-v2-int8";
