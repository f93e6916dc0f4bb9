//! The policy `curator`: a score that needs no index, and the uses that it counts.

pub mod policy;
pub mod score;
pub mod uses;
