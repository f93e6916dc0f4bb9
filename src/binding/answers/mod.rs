//! What callers get, in the order of the core's fields.

pub mod catalogue;
pub mod curation;
pub mod delivery;
pub mod lists;
pub mod loads;
pub mod ranking;
pub mod results;
pub mod servers;
pub mod session;
pub mod status;
pub mod tokens;

/// A count as JavaScript has it.
pub fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
