//! What an `AbortSignal` of a caller does to a call that is under way. The loader listens to the signal; a call that has
//! taken effect can no longer be cancelled, and one that was cancelled changes nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::error::{Error, ErrorKind, Result};

const UNDER_WAY: u8 = 0;
const CANCELLED: u8 = 1;
const DONE: u8 = 2;

/// One call. Clones are of the same call.
#[derive(Debug, Clone, Default)]
pub struct Call(Arc<AtomicU8>);

impl Call {
    /// Cancels it. False when it has taken effect already.
    pub fn cancel(&self) -> bool {
        let swapped = self.0.compare_exchange(UNDER_WAY, CANCELLED, Ordering::SeqCst, Ordering::SeqCst);
        !matches!(swapped, Err(DONE))
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst) == CANCELLED
    }

    /// An error once it was cancelled, for a place from which it may go on. Nobody sees it: the loader has rejected with
    /// the reason of the signal.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(cancelled()) } else { Ok(()) }
    }

    /// Lets it take effect, from here on for good; an error when it was cancelled before.
    pub fn commit(&self) -> Result<()> {
        match self.0.compare_exchange(UNDER_WAY, DONE, Ordering::SeqCst, Ordering::SeqCst) {
            Err(CANCELLED) => Err(cancelled()),
            _ => Ok(()),
        }
    }
}

fn cancelled() -> Error {
    ErrorKind::EmbeddingFailed { detail: "the call was cancelled".into() }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_cancelled_or_takes_effect_never_both() {
        let call = Call::default();
        assert!(call.check().is_ok() && call.clone().cancel() && call.cancel());
        assert!(call.is_cancelled() && call.check().is_err() && call.commit().is_err());
        let call = Call::default();
        assert!(call.commit().is_ok() && !call.cancel() && call.commit().is_ok() && call.check().is_ok());
    }
}
