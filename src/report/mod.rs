//! What a selection cost, and what happened.

pub mod telemetry;
pub mod tokens;
