//! What a selection cost, and what happened.

pub mod advice;
pub mod receipt;
pub mod telemetry;
