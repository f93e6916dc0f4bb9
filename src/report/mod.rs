//! What a selection cost, and what happened.

pub mod advice;
pub mod ledger;
pub mod price;
pub mod receipt;
pub mod telemetry;
pub mod times;
