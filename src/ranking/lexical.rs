//! BM25 over tool documents.
//!
//! The weight of a term in a document is the `bm25` crate's, worked out when it is asked for (Robertson and Zaragoza, "The
//! Probabilistic Relevance Framework: BM25 and Beyond", 2009): it depends on the mean length of documents, which each
//! change of one document changes for all. The crate's own scorer walks every matching document in full and orders equal
//! scores at random, so it scores lists that a call brings along and not the catalogue; a property holds both equal.

use std::collections::BTreeSet;
use std::fmt;

use bm25::{Embedding, Scorer, TokenEmbedding};

use super::postings::{Found, Postings};
use super::scores::Scores;
use crate::document::counts::{TermCounts, TermKey, term_key};
use crate::text::bm25::{B, K1};

/// What a term in server, name or title weighs beside the same term anywhere. 0.5: +0.8 points of
/// recall at 10 for the lexical arm over eight labelled sets; heavier names hurt long requests.
const HEAD_WEIGHT: f32 = 0.5;

/// BM25 of one generation of documents.
pub struct LexicalIndex {
    pub(super) postings: Postings,
    /// The crate's scorer, for a list that a call brings along; `None` for a catalogue.
    pub(super) scorer: Option<Scorer<u32, TermKey>>,
    /// What a term of weight 1 and rarity 1 gives at most: in both fields, however often.
    pub(super) most: f64,
}

impl fmt::Debug for LexicalIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LexicalIndex").field("documents", &self.postings.documents()).finish_non_exhaustive()
    }
}

/// What one term of the query gave one document.
#[derive(Debug, Clone, PartialEq)]
pub struct TermScore {
    pub term: String,
    /// How rare it is.
    pub idf: f64,
    /// Its saturated frequency in the document, times its weight in the query.
    pub weight: f64,
    pub score: f64,
}

impl LexicalIndex {
    /// Indexes documents by position; a position without one is out of scope, and counts for nothing. Costs about 2 µs a
    /// document, on whichever thread calls.
    pub fn build<'a>(documents: impl Iterator<Item = Option<&'a TermCounts>> + Clone) -> Self {
        Self::new(Postings::build(documents))
    }

    /// Indexes the documents of a list that a call brings along: the `bm25` crate scores them, which walks each of them.
    pub fn of_list<'a>(documents: impl Iterator<Item = Option<&'a TermCounts>> + Clone) -> Self {
        let mut index = Self::new(Postings::build(documents.clone()));
        let mut values: Vec<Vec<TokenEmbedding<TermKey>>> = vec![Vec::new(); index.postings.positions()];
        let held = documents.clone().flatten();
        for key in held.flat_map(|document| document.terms.iter().map(|count| count.key)).collect::<BTreeSet<_>>() {
            index.postings.each(key, |found| {
                values[found.position as usize].push(TokenEmbedding { index: key, value: Self::weight(&found) });
            });
        }
        let mut scorer = Scorer::new();
        for ((position, values), _) in (0..).zip(values).zip(documents).filter(|(_, document)| document.is_some()) {
            scorer.upsert(&position, Embedding(values));
        }
        index.scorer = Some(scorer);
        index
    }

    /// The next generation, at the cost of what changed: `moved` says where each document was,
    /// `is_held` whether a position of the new generation holds one, and `document` gives it. `None` when so much changed that
    /// building all of it again costs no more.
    pub fn next<'a>(
        &self,
        moved: &[Option<u32>],
        is_held: impl Fn(usize) -> bool,
        document: impl Fn(usize) -> &'a TermCounts,
    ) -> Option<Self> {
        let postings = self.postings.next(moved, is_held, document)?;
        Some(Self::new(postings))
    }

    fn new(mut postings: Postings) -> Self {
        postings.weigh(norm);
        Self { postings, scorer: None, most: (f64::from(K1) + 1.0) * (1.0 + f64::from(HEAD_WEIGHT)) }
    }

    /// A term that a document holds, as its postings have it.
    pub(super) fn found_in(&self, document: &TermCounts, key: TermKey) -> Option<Found> {
        let at = document.terms.binary_search_by_key(&key, |count| count.key).ok()?;
        let (all, head) = self.postings.means();
        let norms = (norm(document.all_length, all), norm(document.head_length, head));
        Some(Found { position: 0, all: document.terms[at].all, head: document.terms[at].head, norms })
    }

    /// The saturated frequency of a term in a document, of both fields.
    pub(super) fn weight(found: &Found) -> f32 {
        let saturated = |times: u16, norm: f32| {
            let times = f32::from(times);
            times * (K1 + 1.0) / (times + norm)
        };
        let all = saturated(found.all, found.norms.0);
        if found.head == 0 { all } else { all + HEAD_WEIGHT * saturated(found.head, found.norms.1) }
    }

    pub fn doc_freq(&self, term: &str) -> usize {
        self.postings.doc_freq(term_key(term))
    }

    /// How rare a term of a single document is.
    pub fn rarest(&self) -> f64 {
        idf(self.postings.documents(), 1)
    }

    /// `ln(1 + (N - n + 0.5) / (n + 0.5))`, as the crate's scorer has it: never negative.
    pub fn idf(&self, term: &str) -> f64 {
        self.idf_of(self.doc_freq(term))
    }

    /// The same of a term that so many documents hold.
    pub fn idf_of(&self, doc_freq: usize) -> f64 {
        idf(self.postings.documents(), doc_freq)
    }

    /// The score of every document for a query of weighted terms, by position.
    pub fn scores(&self, query: &[(String, f64)]) -> Scores {
        crate::fault::point("lexical");
        let mut scores = Scores::zero(self.postings.positions());
        for (term, weight) in query {
            let key = term_key(term);
            let doc_freq = self.postings.doc_freq(key);
            if doc_freq == 0 {
                continue;
            }
            if let Some(scorer) = &self.scorer {
                let asked = Embedding(vec![TokenEmbedding { index: key, value: 1.0 }]);
                let score = |position: u32| scorer.score(&position, &asked).map_or(0.0, f64::from);
                self.postings.each(key, |found| scores[found.position as usize] += weight * score(found.position));
                continue;
            }
            let weight = weight * idf(self.postings.documents(), doc_freq);
            self.postings.each(key, |found| scores[found.position as usize] += weight * f64::from(Self::weight(&found)));
        }
        scores
    }

    /// How much of a query's rarity a score stands for, from 0 to 1: the score over what a document
    /// with all of the query's own terms could have. Synonyms are no terms of its own.
    pub fn coverage(&self, query: &[(String, f64)], score: f64) -> f64 {
        let rarity: f64 = query.iter().filter(|(_, weight)| *weight >= 1.0).map(|(term, _)| self.idf(term)).sum();
        if rarity > 0.0 { (score / (rarity * self.most)).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// What each term of a query gave the document at a position.
    pub fn explain(&self, query: &[(String, f64)], position: usize) -> Vec<TermScore> {
        let position = u32::try_from(position).unwrap_or(u32::MAX);
        let mut terms: Vec<TermScore> = query
            .iter()
            .filter_map(|(term, times)| {
                let (idf, mut weight) = (self.idf(term), None);
                self.postings.each(term_key(term), |found| {
                    if found.position == position {
                        weight = Some(f64::from(Self::weight(&found)));
                    }
                });
                let weight = weight?;
                Some(TermScore { term: term.clone(), idf, weight: times * weight, score: times * idf * weight })
            })
            .collect();
        terms.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.term.cmp(&b.term)));
        terms
    }
}

/// The crate's mean length of documents where there are none.
const EMPTY_MEAN: f32 = 256.0;

/// What the length of a document does to its weights.
fn norm(length: u32, mean: f32) -> f32 {
    let mean = if mean <= 0.0 { EMPTY_MEAN } else { mean };
    #[expect(clippy::cast_precision_loss, reason = "as the crate computes it")]
    let length = length as f32;
    K1 * (1.0 - B + B * (length / mean))
}

#[expect(clippy::cast_precision_loss, reason = "counts of tools are far below 2^52")]
fn idf(documents: usize, doc_freq: usize) -> f64 {
    (1.0 + (documents as f64 - doc_freq as f64 + 0.5) / (doc_freq as f64 + 0.5)).ln()
}

#[cfg(test)]
#[path = "lexical_tests.rs"]
mod tests;
