//! What callers pass, as the core takes it. [`input`] reads values with their path.

pub mod curation;
pub mod delivery;
pub mod embedders;
pub mod input;
pub mod ranking;
pub mod results;
pub mod servers;
pub mod session;
pub mod settings;

/// Servers, modes and names in one list: bounds against a runaway caller, far above real ones.
pub const MAX_LIST: usize = 100_000;
