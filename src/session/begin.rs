//! The first turn: whether it was taken, and whether one is under way.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::task::Session;
use crate::error::{Error, Result};

/// First turns that were asked for and are not answered yet.
#[derive(Debug, Clone, Default)]
pub struct Beginning(Arc<AtomicUsize>);

/// A first turn under way; answered, or given up, when it is dropped.
#[derive(Debug)]
pub struct PendingStart(Beginning);

impl Drop for PendingStart {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Session {
    /// Notes that a first turn is asked for.
    #[must_use]
    pub fn begin_start(&self) -> PendingStart {
        self.beginning.0.fetch_add(1, Ordering::SeqCst);
        PendingStart(self.beginning.clone())
    }

    /// Refuses what would show all tools in scope only because the first turn is not answered yet.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT`.
    pub fn check_settled(&self, call: &str) -> Result<()> {
        if self.turn() > 0 || self.beginning.0.load(Ordering::SeqCst) == 0 {
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
