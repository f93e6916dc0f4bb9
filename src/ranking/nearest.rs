//! The document that suits a query best, without the score of each document.
//!
//! Terms are read from the rarest on. As soon as the remaining ones cannot lift a document without any of the earlier ones to
//! the first place, only the documents found until then are looked at. (Turtle and Flood, "Query Evaluation: Strategies and
//! Optimizations", 1995.)

use super::lexical::LexicalIndex;
use super::scores::Scores;
use crate::document::counts::{TermCounts, TermKey, term_key};

/// Bounds are raised by this share, since sums in another order differ in their last bits.
const SLACK: f64 = 1e-6;
/// Looking a term up in a document costs about as much as reading so many postings.
const POSTINGS_OF_LOOKUP: usize = 24;

struct Asked {
    key: TermKey,
    weight: f64,
    doc_freq: usize,
}

impl LexicalIndex {
    /// The score of an indexed document: what [`Self::scores`] has at its position, bit for bit.
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
        let exact = |at: usize| self.score_by(&in_order, document(at));
        let mut rarest: Vec<&Asked> = in_order.iter().collect();
        rarest.sort_by_key(|term| term.doc_freq);
        let mut sums = Scores::zero(self.postings.positions());
        let mut found: Vec<u32> = Vec::new();
        // What the remaining terms add at most, and what the best document has at least.
        let bound = |term: &Asked| term.weight * self.most * (1.0 + SLACK);
        let mut left: f64 = rarest.iter().map(|term| bound(term)).sum();
        let mut least = 0.0_f64;
        for (at, term) in rarest.iter().enumerate() {
            if left < least {
                let may_win = |at: &&u32| (sums[**at as usize] + left) * (1.0 + SLACK) >= least;
                let lookups = found.iter().filter(may_win).count() * in_order.len();
                if lookups * POSTINGS_OF_LOOKUP < rarest[at..].iter().map(|term| term.doc_freq).sum() {
                    break;
                }
            }
            let mut top: Option<(usize, f64)> = None;
            self.postings.each(term.key, |held| {
                let position = held.position as usize;
                if is_candidate(position) {
                    if sums[position] <= 0.0 {
                        found.push(held.position);
                    }
                    sums[position] += term.weight * f64::from(Self::weight(&held));
                    if top.is_none_or(|(_, best)| sums[position] > best) {
                        top = Some((position, sums[position]));
                    }
                }
            });
            left -= bound(term);
            least = top.map_or(least, |(at, _)| least.max(exact(at)));
        }
        let may_win = |at: &usize| (sums[*at] + left.max(0.0)) * (1.0 + SLACK) >= least;
        let near = found.into_iter().map(|at| at as usize).filter(may_win).map(|at| (at, exact(at)));
        near.filter(|(_, score)| *score > 0.0).max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.cmp(&a.0)))
    }

    /// The terms of a query that any document holds, in its order.
    fn asked(&self, query: &[(String, f64)]) -> Vec<Asked> {
        let asked = query.iter().map(|(term, weight)| (term_key(term), weight));
        let known = asked.map(|(key, weight)| (key, weight, self.postings.doc_freq(key))).filter(|(.., doc_freq)| *doc_freq > 0);
        known.map(|(key, weight, doc_freq)| Asked { key, weight: weight * self.idf_of(doc_freq), doc_freq }).collect()
    }

    fn score_by(&self, asked: &[Asked], document: &TermCounts) -> f64 {
        let score = |term: &Asked| Some(term.weight * f64::from(Self::weight(&self.found_in(document, term.key)?)));
        asked.iter().filter_map(score).fold(0.0, |sum, score| sum + score)
    }
}
