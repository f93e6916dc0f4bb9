//! A number for each candidate, in memory that is reused.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

/// Shorter ones come from the allocator, which is cheap for them.
const FEWEST: usize = 1_024;
/// Buffers that a thread keeps: as many as a ranking of two parts has.
const MOST: usize = 8;

thread_local! {
    static FREE: RefCell<Vec<Vec<f64>>> = const { RefCell::new(Vec::new()) };
}

/// A number for each candidate. The memory for many of them is kept for the thread's next ranking: freed, it would go back to
/// the system immediately, and getting a megabyte from there takes longer than filling it.
#[derive(Debug, Default)]
pub struct Scores(Vec<f64>);

impl Scores {
    /// So many zeros.
    pub fn zero(count: usize) -> Self {
        let mut scores = Self::room(count);
        scores.0.resize(count, 0.0);
        scores
    }

    fn room(count: usize) -> Self {
        let free = || FREE.with_borrow_mut(Vec::pop).filter(|kept| kept.capacity() / 2 <= count);
        let mut kept = if count < FEWEST { None } else { free() }.unwrap_or_default();
        kept.clear();
        kept.reserve_exact(count);
        Self(kept)
    }
}

impl FromIterator<f64> for Scores {
    fn from_iter<I: IntoIterator<Item = f64>>(iter: I) -> Self {
        let iter = iter.into_iter();
        let mut scores = Self::room(iter.size_hint().0);
        scores.0.extend(iter);
        scores
    }
}

impl<'a> IntoIterator for &'a Scores {
    type Item = &'a f64;
    type IntoIter = std::slice::Iter<'a, f64>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Clone for Scores {
    fn clone(&self) -> Self {
        self.iter().copied().collect()
    }
}

impl Drop for Scores {
    fn drop(&mut self) {
        if self.0.capacity() < FEWEST {
            return;
        }
        let kept = std::mem::take(&mut self.0);
        // A thread that ends has no place for it.
        let _ = FREE.try_with(|free| {
            let mut free = free.borrow_mut();
            if free.len() < MOST {
                free.push(kept);
            }
        });
    }
}

impl Deref for Scores {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.0
    }
}

impl DerefMut for Scores {
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_before_is_not_seen_again() {
        for count in [3, FEWEST, 3 * FEWEST, FEWEST + 1, 10 * FEWEST, FEWEST] {
            let mut scores = Scores::zero(count);
            assert!(scores.len() == count && scores.iter().all(|score| *score == 0.0));
            scores.fill(7.0);
            let copy = scores.clone();
            drop(scores);
            assert!(copy.len() == count && copy.iter().all(|score| (*score - 7.0).abs() < 1e-12));
        }
    }

    #[test]
    fn a_thread_keeps_a_few_buffers_and_none_that_is_far_too_large() {
        drop((0..2 * MOST).map(|_| Scores::zero(64 * FEWEST)).collect::<Vec<_>>());
        assert_eq!(FREE.with_borrow(Vec::len), MOST);
        assert!(Scores::zero(FEWEST).0.capacity() < 2 * FEWEST);
        assert_eq!(FREE.with_borrow(Vec::len), MOST, "one that was too large is gone, and a smaller one is kept");
    }
}
