//! What a selection cost, and what happened.

pub mod advice;
pub mod telemetry;
pub mod tokens;
