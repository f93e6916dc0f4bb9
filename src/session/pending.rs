//! First turns under way.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// First turns that were asked for and are not answered yet.
#[derive(Debug, Clone, Default)]
pub struct Beginning(Arc<AtomicUsize>);

/// A first turn under way; answered, or given up, when it is dropped.
#[derive(Debug)]
pub struct PendingStart(Beginning);

impl Beginning {
    /// Whether one is under way.
    pub fn is_pending(&self) -> bool {
        self.0.load(Ordering::SeqCst) > 0
    }
}

impl PendingStart {
    /// Notes one that is asked for.
    pub fn new(beginning: &Beginning) -> Self {
        beginning.0.fetch_add(1, Ordering::SeqCst);
        Self(beginning.clone())
    }
}

impl Drop for PendingStart {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}
