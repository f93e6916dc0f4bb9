//! The first turn: whether it was taken, and whether one is under way.

use super::pending::PendingStart;
use super::task::Session;
use crate::error::{Error, Result};

impl Session {
    /// Notes that a first turn is asked for.
    pub fn begin_start(&self) -> PendingStart {
        PendingStart::new(&self.beginning)
    }

    /// Refuses what would show all tools in scope only because the first turn is not answered yet.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT`.
    pub fn check_settled(&self, call: &str) -> Result<()> {
        if self.turn() > 0 || !self.beginning.is_pending() {
            return Ok(());
        }
        Err(Error::invalid(call, "a session whose start() has settled", "one whose start() is pending; await it first"))
    }

    /// Refuses a first turn after the first, and a later one before it.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT`.
    pub fn check_turn(&self, is_first: bool) -> Result<()> {
        match (is_first, self.turn()) {
            (true, 0) => Ok(()),
            (true, turn) => {
                let got = format!("one in turn {turn}; call turn() instead");
                Err(Error::invalid("start", "a session that has not started", got))
            }
            (false, 0) => Err(Error::invalid("turn", "a started session", "one that has not started; call start() first")),
            (false, _) => Ok(()),
        }
    }
}
