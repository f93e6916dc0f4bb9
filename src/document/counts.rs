//! How often terms stand in a document: what BM25 reads of it.

use bm25::TokenEmbedder;

use crate::text::terms::{Word, each_term};

/// A term, hashed as the `bm25` crate does it.
pub type TermKey = u64;

/// The most terms of one document: past it a description is a manual.
const MAX_TERMS: usize = 4_000;

/// The key of a term.
pub fn term_key(term: &str) -> TermKey {
    TermKey::embed(term)
}

/// A term of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TermCount {
    /// The term.
    pub key: TermKey,
    /// How often it stands in all fields.
    pub all: u16,
    /// How often it stands in names and title.
    pub head: u16,
}

/// The terms of a document, each once.
#[derive(Debug, Default)]
pub struct TermCounts {
    /// By key.
    pub terms: Box<[TermCount]>,
    /// How many terms all fields have, repetitions included.
    pub all_length: u32,
    /// How many terms names and title have.
    pub head_length: u32,
}

impl TermCounts {
    /// Whether the document holds a term.
    pub fn holds(&self, key: TermKey) -> bool {
        self.terms.binary_search_by_key(&key, |count| count.key).is_ok()
    }
}

/// Collects the terms of fields in their order, names and title first.
#[derive(Debug, Default)]
pub(super) struct Counter {
    keys: Vec<TermKey>,
    head: usize,
}

impl Counter {
    /// Ends names and title.
    pub fn end_head(&mut self) {
        self.head = self.keys.len();
    }

    /// Whether a further field would add anything.
    pub fn is_full(&self) -> bool {
        self.keys.len() >= MAX_TERMS
    }

    /// Adds a field that was split.
    pub fn add(&mut self, words: &[Word]) {
        for word in words {
            each_term(word, |term| self.keys.push(term_key(term)));
        }
    }

    pub fn finish(mut self) -> TermCounts {
        let length = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let mut head = self.keys[..self.head].to_vec();
        self.keys.truncate(MAX_TERMS);
        let (all_length, head_length) = (length(self.keys.len()), length(head.len()));
        self.keys.sort_unstable();
        head.sort_unstable();
        let mut terms: Vec<TermCount> = Vec::new();
        for run in self.keys.chunk_by(|a, b| a == b) {
            let start = head.partition_point(|key| *key < run[0]);
            let in_head = head[start..].iter().take_while(|key| **key == run[0]).count();
            // At most as many as a document has terms.
            let small = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
            terms.push(TermCount { key: run[0], all: small(run.len()), head: small(in_head) });
        }
        TermCounts { terms: terms.into(), all_length, head_length }
    }
}

#[cfg(test)]
impl TermCounts {
    /// How often a term stands in all fields.
    pub(crate) fn of(&self, term: &str) -> u16 {
        let at = self.terms.binary_search_by_key(&term_key(term), |count| count.key);
        at.map_or(0, |at| self.terms[at].all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::terms::words;

    fn counted(head: &str, body: &str) -> TermCounts {
        let mut counter = Counter::default();
        counter.add(&words(head));
        counter.end_head();
        counter.add(&words(body));
        counter.finish()
    }

    #[test]
    fn a_term_is_counted_in_all_fields_and_in_the_head() {
        let counts = counted("create issue", "creates an issue; issues");
        assert_eq!((counts.all_length, counts.head_length, counts.terms.len()), (5, 2, 2));
        let issue = counts.terms.iter().find(|count| count.key == term_key("issu")).unwrap();
        assert_eq!((issue.all, issue.head), (3, 1));
        assert_eq!((counts.of("creat"), counts.of("absent")), (2, 0));
    }

    #[test]
    fn a_manual_is_cut() {
        let counts = counted("", &"word ".repeat(MAX_TERMS + 5));
        assert_eq!(counts.of("word"), u16::try_from(MAX_TERMS).unwrap());
    }
}
