//! Both arms of a ranking, by candidate: BM25 and cosines of the whole query and of its clauses, joined.

use super::fusion::{lexical_weight, standardise_by};
use super::scores::Scores;
use super::semantic::{Estimate, standardise_known};
use super::{Corpus, SemanticInput, semantic};
use crate::query::{Clause, Query};
use crate::settings::Ranker;

/// What the best clause weighs beside the whole query: as much with vectors, half without, where a
/// clause of two words says little.
const CLAUSE_WEIGHT: f64 = 1.0;
const LEXICAL_CLAUSE_WEIGHT: f64 = 0.5;
/// A similarity this many deviations above the mean supports a tool: one in forty, if normal.
pub const SUPPORTING_DEVIATIONS: f64 = 2.0;

/// What both arms say about each candidate.
pub struct Arms<'a> {
    pub ranker: Ranker,
    /// BM25 of the whole query.
    pub lexical: Scores,
    /// Cosines with the whole query; not a number where a tool has no vector.
    pub similarities: Option<Scores>,
    pub semantic: Option<SemanticInput<'a>>,
    /// The scores of the whole query.
    pub whole: Part,
    pub clauses: Vec<Part>,
    weights: Weights,
    /// Stands for the semantic share of tools without a vector, where there are any.
    estimate: Option<Estimate>,
}

impl<'a> Arms<'a> {
    /// Scores all candidates.
    pub fn of(corpus: &dyn Corpus, candidates: &[usize], query: &Query, semantic: Option<SemanticInput<'a>>) -> Self {
        let lexical = lexical_scores(corpus, candidates, &query.terms);
        let similarities = semantic.map(|input| semantic::similarities(&input.query.whole, input.tools, candidates));
        let (whole, clauses) = parts(corpus, candidates, query, &lexical, semantic.zip(similarities.as_deref()));
        let (ranker, weights) = match semantic {
            None => (Ranker::Lexical, Weights { lexical: 1.0, semantic: 0.0, clause: LEXICAL_CLAUSE_WEIGHT }),
            Some(input) if input.alone => (Ranker::Semantic, Weights { lexical: 0.0, semantic: 1.0, clause: CLAUSE_WEIGHT }),
            Some(_) => {
                let weight = lexical_weight(coverage(&whole, &clauses));
                (Ranker::Hybrid, Weights { lexical: weight, semantic: 1.0 - weight, clause: CLAUSE_WEIGHT })
            }
        };
        let is_missing = similarities.iter().flatten().any(|similarity| similarity.is_nan());
        let mut arms = Self { ranker, lexical, similarities, semantic, whole, clauses, weights, estimate: None };
        if is_missing {
            let known = (0..candidates.len()).filter(|at| arms.similarity(*at).is_some());
            let known = known.map(|at| arms.weights.shares(&arms.whole, &arms.clauses, at));
            arms.estimate = Some(Estimate::new(known.map(|(lexical, semantic, _)| (lexical, semantic))));
        }
        arms
    }

    /// The cosine of a candidate, if it has a vector.
    pub fn similarity(&self, at: usize) -> Option<f64> {
        self.similarities.as_ref().map(|similarities| similarities[at]).filter(|similarity| !similarity.is_nan())
    }

    /// The lexical and the semantic share of a candidate, and the clause that suits it best.
    pub fn shares(&self, at: usize) -> (f64, f64, Option<usize>) {
        let (lexical, semantic, clause) = self.weights.shares(&self.whole, &self.clauses, at);
        let estimate = self.estimate.as_ref().filter(|_| self.similarity(at).is_none());
        (lexical, estimate.map_or(semantic, |estimate| estimate.semantic_share(lexical)), clause)
    }

    /// Whether words or vectors match a candidate.
    pub fn supports(&self, at: usize) -> bool {
        let near = |part: &Part| part.semantic.get(at).is_some_and(|similarity| *similarity >= SUPPORTING_DEVIATIONS);
        self.lexical[at] > 0.0 || near(&self.whole) || self.clauses.iter().any(near)
    }

    /// The best cosine of each clause that has a vector of its own.
    pub fn clause_best(&self) -> impl Iterator<Item = f64> + '_ {
        self.clauses.iter().filter_map(|clause| clause.best_cosine)
    }
}

/// Standardised scores of a query or of one of its clauses, by candidate.
#[derive(Debug, Clone)]
pub struct Part {
    /// How much of its rarity the best tool holds.
    pub coverage: f64,
    /// BM25, standardised.
    pub lexical: Scores,
    /// Cosines, standardised; empty without vectors.
    pub semantic: Scores,
    /// The best cosine of a clause that has a vector of its own.
    pub best_cosine: Option<f64>,
}

/// Weights of the arms, and of the best clause beside the whole.
#[derive(Clone, Copy)]
struct Weights {
    lexical: f64,
    semantic: f64,
    clause: f64,
}

impl Weights {
    fn of(self, part: &Part, at: usize) -> (f64, f64) {
        (self.lexical * part.lexical[at], self.semantic * part.semantic.get(at).copied().unwrap_or(0.0))
    }

    /// The shares of a candidate: the mean of the whole and of the clause that suits it best.
    fn shares(self, whole: &Part, clauses: &[Part], at: usize) -> (f64, f64, Option<usize>) {
        let whole = self.of(whole, at);
        let of_clauses = clauses.iter().map(|clause| self.of(clause, at)).enumerate();
        let better = |best: (usize, (f64, f64)), other: (usize, (f64, f64))| {
            if other.1.0 + other.1.1 > best.1.0 + best.1.1 { other } else { best }
        };
        let Some((clause, best)) = of_clauses.reduce(better) else {
            return (whole.0, whole.1, None);
        };
        let mean = |whole: f64, clause: f64| (whole + self.clause * clause) / (1.0 + self.clause);
        (mean(whole.0, best.0), mean(whole.1, best.1), Some(clause))
    }
}

/// The coverage of a query: that of all of it, or the mean of its clauses', if more. No tool covers
/// what asks for three things.
#[expect(clippy::cast_precision_loss, reason = "clauses are few")]
fn coverage(whole: &Part, clauses: &[Part]) -> f64 {
    let sum: f64 = clauses.iter().map(|clause| clause.coverage).sum();
    whole.coverage.max(sum / clauses.len().max(1) as f64)
}

fn lexical_scores(corpus: &dyn Corpus, candidates: &[usize], terms: &[(String, f64)]) -> Scores {
    let all = corpus.lexical().scores(terms);
    if candidates.len() == all.len() && candidates.is_sorted() {
        return all; // all of them
    }
    candidates.iter().map(|position| all[*position]).collect()
}

/// Standardises the scores of the whole query and works out those of its clauses.
///
/// BM25 of a clause is counted in units of the whole query's deviation: in its own, a clause of
/// common words would speak as loud as one of rare ones (requests of several sentences in the
/// catalogue: 43 of 100 found instead of 74).
fn parts(
    corpus: &dyn Corpus,
    candidates: &[usize],
    query: &Query,
    lexical: &Scores,
    semantic: Option<(SemanticInput<'_>, &[f64])>,
) -> (Part, Vec<Part>) {
    let similarities = semantic.map(|(input, similarities)| semantic::compared(similarities, input.tools, candidates));
    let covered =
        |terms: &[(String, f64)], scores: &[f64]| corpus.lexical().coverage(terms, scores.iter().copied().fold(0.0, f64::max));
    let coverage = covered(&query.terms, lexical);
    let mut whole = Part { coverage, lexical: lexical.clone(), semantic: similarities.unwrap_or_default(), best_cosine: None };
    let unit = standardise_by(&mut whole.lexical, 0.0);
    standardise_known(&mut whole.semantic);
    let clause = |(at, clause): (usize, &Clause)| {
        let mut lexical = lexical_scores(corpus, candidates, &clause.terms);
        let coverage = covered(&clause.terms, &lexical);
        standardise_by(&mut lexical, unit);
        let vector = semantic.and_then(|(input, _)| Some((input, input.query.clauses.get(at)?)));
        let own = vector.map(|(input, vector)| {
            let similarities = semantic::similarities(vector, input.tools, candidates);
            let best = similarities.iter().copied().reduce(f64::max);
            let mut similarities = semantic::compared(&similarities, input.tools, candidates);
            standardise_known(&mut similarities);
            (similarities, best)
        });
        let best_cosine = own.as_ref().and_then(|(_, best)| *best);
        // An embedder that gives one vector a text: the clause is told apart by its words.
        Part { coverage, lexical, semantic: own.map_or_else(|| whole.semantic.clone(), |(own, _)| own), best_cosine }
    };
    let clauses = query.clauses.iter().enumerate().map(clause).collect();
    (whole, clauses)
}
