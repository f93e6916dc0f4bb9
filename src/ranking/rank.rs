//! The ranking of tools: both arms over the whole query and its clauses, joined, with names, uses and
//! unwanted products.

use std::collections::HashMap;

use super::fusion::{lexical_weight, standardise, standardise_by};
use super::preference::UsePreference;
use super::{Corpus, RankedTool, Ranking, SUPPORTING_DEVIATIONS, SemanticInput, Shares, semantic};
use crate::query::{Clause, Naming, Query};
use crate::settings::Ranker;

/// The most that uses add: about the distance between neighbours among the first ten.
const USE_BONUS: f64 = 0.25;
/// What the best clause weighs beside the whole query: as much with vectors, half without, where a
/// clause of two words says little.
const CLAUSE_WEIGHT: f64 = 1.0;
const LEXICAL_CLAUSE_WEIGHT: f64 = 0.5;
/// Ranks the candidates. The order is total: score, then position. The same input gives the same
/// bytes on every run and thread. Costs about half a millisecond for 3,500 tools.
pub fn rank(
    corpus: &dyn Corpus,
    candidates: &[usize],
    query: &Query,
    semantic: Option<SemanticInput<'_>>,
    preference: &UsePreference,
    top_k: usize,
) -> Ranking {
    crate::fault::point("ranking");
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
    let mut tools: Vec<RankedTool> = candidates
        .iter()
        .enumerate()
        .map(|(at, &position)| {
            let naming = query.naming(corpus.document(position));
            let (lexical_share, semantic_share, clause) = weights.shares(&whole, &clauses, at);
            let near = |part: &Part| part.semantic.get(at).is_some_and(|similarity| *similarity >= SUPPORTING_DEVIATIONS);
            let negated = naming == Naming::None && query.negated.covers(corpus.document(position));
            let spoken_for = lexical[at] > 0.0 || naming != Naming::None || near(&whole) || clauses.iter().any(near);
            let supported = spoken_for && !negated;
            let preferred =
                if supported && !preference.is_empty() { preference.of(corpus.id(position)) * USE_BONUS } else { 0.0 };
            let similarity = similarities.as_ref().map(|similarities| similarities[at]);
            let shares = Shares {
                lexical: lexical[at],
                lexical_share,
                similarity,
                semantic_share,
                clause,
                naming,
                first_of_name: false,
                use_boost: preferred,
                negated,
                supported,
            };
            RankedTool { position, rank: 0, score: shares.score(), shares }
        })
        .collect();
    lift_first_of_names(corpus, &mut tools);
    let supported_count = tools.iter().filter(|tool| tool.shares.supported).count();
    let by_score = |a: &RankedTool, b: &RankedTool| b.score.total_cmp(&a.score).then_with(|| a.position.cmp(&b.position));
    if top_k < tools.len() && top_k > 0 {
        tools.select_nth_unstable_by(top_k - 1, by_score);
        tools.truncate(top_k);
    }
    tools.sort_unstable_by(by_score);
    tools.truncate(top_k);
    for (at, tool) in tools.iter_mut().enumerate() {
        tool.rank = at + 1;
    }
    Ranking {
        tools,
        ranker,
        degraded: None,
        candidate_count: candidates.len(),
        supported_count,
        evidence: 1.0,
        query_cut: query.cut,
    }
}

/// Where a query names several tools, the best of each name comes before a second one of any: six
/// names that five servers share would fill a list with twins of the first.
fn lift_first_of_names(corpus: &dyn Corpus, tools: &mut [RankedTool]) {
    let mut best: HashMap<String, usize> = HashMap::new();
    for (at, tool) in tools.iter().enumerate().filter(|(_, tool)| tool.shares.naming == Naming::Tool) {
        let first = best.entry(corpus.document(tool.position).tool_key.clone()).or_insert(at);
        if tool.score > tools[*first].score {
            *first = at;
        }
    }
    if best.len() > 1 {
        for at in best.into_values() {
            tools[at].shares.first_of_name = true;
            tools[at].score = tools[at].shares.score();
        }
    }
}

/// Standardised scores of a query or of one of its clauses, by candidate.
struct Part {
    /// How much of its rarity the best tool holds.
    coverage: f64,
    lexical: Vec<f64>,
    /// Empty without vectors.
    semantic: Vec<f64>,
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

fn lexical_scores(corpus: &dyn Corpus, candidates: &[usize], terms: &[(String, f64)]) -> Vec<f64> {
    let all = corpus.lexical().scores(terms);
    candidates.iter().map(|position| all[*position]).collect()
}

/// Standardises the scores of the whole query and works out those of its clauses.
///
/// BM25 of a clause is counted in units of the whole query's deviation: in its own, a clause of
/// common words would speak as loud as one of rare ones (requests of several sentences in the
/// catalogue: 43 of 100 found in place of 74).
fn parts(
    corpus: &dyn Corpus,
    candidates: &[usize],
    query: &Query,
    lexical: &[f64],
    semantic: Option<(SemanticInput<'_>, &[f64])>,
) -> (Part, Vec<Part>) {
    let similarities = semantic.map(|(_, similarities)| similarities.to_vec());
    let covered =
        |terms: &[(String, f64)], scores: &[f64]| corpus.lexical().coverage(terms, scores.iter().copied().fold(0.0, f64::max));
    let coverage = covered(&query.terms, lexical);
    let mut whole = Part { coverage, lexical: lexical.to_vec(), semantic: similarities.unwrap_or_default() };
    let unit = standardise_by(&mut whole.lexical, 0.0);
    standardise(&mut whole.semantic);
    let clause = |(at, clause): (usize, &Clause)| {
        let mut lexical = lexical_scores(corpus, candidates, &clause.terms);
        let coverage = covered(&clause.terms, &lexical);
        standardise_by(&mut lexical, unit);
        let vector = semantic.and_then(|(input, _)| Some((input, input.query.clauses.get(at)?)));
        let own = vector.map(|(input, vector)| {
            let mut similarities = semantic::similarities(vector, input.tools, candidates);
            standardise(&mut similarities);
            similarities
        });
        // An embedder that gives one vector a text: the clause is told apart by its words.
        Part { coverage, lexical, semantic: own.unwrap_or_else(|| whole.semantic.clone()) }
    };
    let clauses = query.clauses.iter().enumerate().map(clause).collect();
    (whole, clauses)
}
