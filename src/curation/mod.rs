//! Curation: a score that needs no index, and the uses that it counts.

pub mod files;
pub mod score;
pub mod uses;
