//! The document that suits a query best, without a score for each document.
//!
//! Terms are looked at from the rarest on, and as soon as those that are left cannot lift a document that holds none of the
//! others to the first place, no more documents are found. (Turtle and Flood, "Query Evaluation: Strategies and
//! Optimizations", 1995.)

use std::collections::HashMap;

use super::lexical::LexicalIndex;
use crate::document::counts::{TermCounts, TermKey, term_key};
use crate::document::lookup::Seeded;

/// Bounds are raised by this part: sums in another order differ in their last bits.
const SLACK: f64 = 1e-6;

/// A term of a query.
struct Asked {
    key: TermKey,
    weight: f64,
    doc_freq: usize,
}

impl LexicalIndex {
    /// The score of a document that is indexed: what [`Self::scores`] has at its position, bit for bit.
    #[must_use]
    pub fn score_of(&self, query: &[(String, f64)], document: &TermCounts) -> f64 {
        self.score_by(&self.asked(query), document)
    }

    /// The position and the score of the best candidate, the first of equal ones; `None` where none holds a term.
    /// `document` gives the one at a position.
    pub fn nearest<'a>(
        &self,
        query: &[(String, f64)],
        is_candidate: impl Fn(usize) -> bool,
        document: impl Fn(usize) -> &'a TermCounts,
    ) -> Option<(usize, f64)> {
        let in_order = self.asked(query);
        let exact = |at: u64| self.score_by(&in_order, document(at as usize));
        let mut rarest: Vec<&Asked> = in_order.iter().collect();
        rarest.sort_by_key(|term| term.doc_freq);
        let mut sums: HashMap<u64, f64, Seeded> = HashMap::default();
        // What a document that holds all terms to come has of them at most, and what the best one has at least.
        let bound = |term: &Asked| term.weight * self.most * (1.0 + SLACK);
        let mut left: f64 = rarest.iter().map(|term| bound(term)).sum();
        let mut least = 0.0_f64;
        for term in rarest {
            if left < least {
                break;
            }
            let mut top: Option<(u64, f64)> = None;
            self.postings.each(term.key, |found| {
                if is_candidate(found.position as usize) {
                    let sum = sums.entry(u64::from(found.position)).or_default();
                    *sum += term.weight * f64::from(self.weight(&found));
                    if top.is_none_or(|(_, best)| *sum > best) {
                        top = Some((u64::from(found.position), *sum));
                    }
                }
            });
            left -= bound(term);
            least = top.map_or(least, |(at, _)| least.max(exact(at)));
        }
        let near = sums.into_iter().filter(|(_, sum)| (sum + left.max(0.0)) * (1.0 + SLACK) >= least);
        let best = near.map(|(at, _)| (at, exact(at))).max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
        best.filter(|(_, score)| *score > 0.0).map(|(at, score)| (at as usize, score))
    }

    /// The terms of a query that any document holds, in its order.
    fn asked(&self, query: &[(String, f64)]) -> Vec<Asked> {
        let asked = query.iter().map(|(term, weight)| (term_key(term), weight));
        let known = asked.map(|(key, weight)| (key, weight, self.postings.doc_freq(key))).filter(|(.., doc_freq)| *doc_freq > 0);
        known.map(|(key, weight, doc_freq)| Asked { key, weight: weight * self.idf_of(doc_freq), doc_freq }).collect()
    }

    fn score_by(&self, asked: &[Asked], document: &TermCounts) -> f64 {
        let score = |term: &Asked| Some(term.weight * f64::from(self.weight(&self.found_in(document, term.key)?)));
        asked.iter().filter_map(score).fold(0.0, |sum, score| sum + score)
    }
}
