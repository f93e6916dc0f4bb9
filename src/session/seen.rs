//! Which tools were in scope when what a task said was last ranked.

use crate::index::Index;

/// What the last ranking of what the task said has seen.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    /// Keys of all tools that were in scope, sorted. None before the first selection, and where a state was read: the texts are
    /// gone.
    keys: Option<Box<[u64]>>,
    /// The host's mode changed since then.
    pub(super) another_mode: bool,
    /// The task was restored: what it said before is unknown.
    pub(super) is_restored: bool,
}

impl Seen {
    /// A ranking over these.
    pub(super) fn of(index: &Index, candidates: &[usize], is_restored: bool) -> Self {
        let mut keys: Vec<u64> = candidates.iter().map(|at| index.tools[*at].tool.document().key_hashes[1]).collect();
        keys.sort_unstable();
        Self { keys: Some(keys.into()), another_mode: false, is_restored }
    }

    /// Whether the scope asks for another choice.
    pub(super) fn is_outdated(&self, index: &Index, candidates: &[usize]) -> bool {
        let Some(seen) = &self.keys else { return false };
        candidates.iter().any(|at| self.is_new(index, *at)) || (self.another_mode && candidates.len() != seen.len())
    }

    pub(super) fn is_new(&self, index: &Index, position: usize) -> bool {
        let key = index.tools[position].tool.document().key_hashes[1];
        self.keys.as_ref().is_some_and(|seen| seen.binary_search(&key).is_err())
    }
}
