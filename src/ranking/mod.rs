//! Query to order: lexical and semantic scores, their fusion, exact names, usage.

pub mod clauses;
pub mod curator;
pub mod document;
pub mod fusion;
pub mod lexical;
pub mod lexicon;
pub mod negation;
pub mod pasted;
pub mod query;
pub mod registry;
pub mod semantic;
pub mod spelling;
pub mod synonyms;
pub mod terms;
pub mod usage;
pub mod vocabulary;
pub mod words;

use std::collections::HashMap;

use crate::catalogue::tool::ToolId;
use crate::embedding::service::Degraded;
use crate::embedding::vectors::{QueryVectors, Vector};
use document::ToolDocument;
use fusion::{lexical_weight, standardise, standardise_by};
use lexical::LexicalIndex;
use negation::NEGATED_PENALTY;
use query::{Naming, Query, QueryCut};
use usage::UsageMemory;

/// Which ranker gave an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ranker {
    /// BM25.
    Lexical,
    /// Vectors.
    Semantic,
    /// Both.
    Hybrid,
}

impl Ranker {
    /// The stable name that callers see.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Semantic => "semantic",
            Self::Hybrid => "hybrid",
        }
    }
}

/// What is added to the score of a tool that the query names. Standardised scores of n tools stay
/// under the square root of n, so this stands above all scores of a million tools.
pub(crate) const NAMED_BONUS: f64 = 1000.0;
/// The most that usage adds: about the distance between neighbours among the first ten.
const USAGE_BONUS: f64 = 0.25;
/// What the best clause weighs beside the whole query: as much with vectors, half without, where a
/// clause of two words says little.
const CLAUSE_WEIGHT: f64 = 1.0;
const LEXICAL_CLAUSE_WEIGHT: f64 = 0.5;
/// A similarity this many deviations above the mean supports a tool: one in forty, if normal.
const SUPPORTING_DEVIATIONS: f64 = 2.0;

/// One ranked tool.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedTool {
    /// Its position among the tools that were indexed together.
    pub position: usize,
    /// Its place in the answer, from 1.
    pub rank: usize,
    /// What it was ordered by. Comparable within one ranking only.
    pub score: f64,
    /// Its shares.
    pub shares: Shares,
}

/// What a score is made of.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Shares {
    /// BM25, 0 or more.
    pub lexical: f64,
    /// BM25, standardised over the candidates and weighted; of the whole query and of the clause
    /// that suits the tool best.
    pub lexical_share: f64,
    /// Cosine with the query, from -1 to 1, when vectors were used.
    pub similarity: Option<f64>,
    /// The cosine, standardised over the candidates and weighted.
    pub semantic_share: f64,
    /// Which clause of the query suits the tool best, when there are several.
    pub clause: Option<usize>,
    /// How the query names the tool.
    pub naming: Naming,
    /// Whether it is the best of the tools of its name, where a query names several.
    pub first_of_name: bool,
    /// What usage added.
    pub usage: f64,
    /// Whether the query says that it does not want the tool's product.
    pub negated: bool,
    /// Whether anything in the query speaks for the tool.
    pub supported: bool,
}

impl Shares {
    /// What a tool is ordered by.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.lexical_share + self.semantic_share + self.boost()
    }

    /// What exact names, usage and negation add to a score.
    #[must_use]
    pub fn boost(&self) -> f64 {
        let first = if self.first_of_name { NAMED_BONUS / 2.0 } else { 0.0 };
        let penalty = if self.negated { NEGATED_PENALTY } else { 0.0 };
        NAMED_BONUS * f64::from(self.naming as u8) + first + self.usage - penalty
    }
}

/// An answer: candidates in order, best first.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The tools, best first, at most as many as were asked for.
    pub tools: Vec<RankedTool>,
    /// What they were ranked by.
    pub ranker: Ranker,
    /// Why they were not ranked by what was asked for.
    pub degraded: Option<Degraded>,
    /// How many tools were ranked.
    pub candidate_count: usize,
    /// How many of them something in the query speaks for.
    pub supported_count: usize,
    /// Set when the query was too long.
    pub query_cut: Option<QueryCut>,
}

/// Tools that were indexed together, as ranking sees them.
pub trait Corpus {
    /// BM25 over all of them.
    fn lexical(&self) -> &LexicalIndex;
    /// The indexed text of one.
    fn document(&self, position: usize) -> &ToolDocument;
    /// What one is known by.
    fn id(&self, position: usize) -> &ToolId;
}

/// Vectors of a query and of all tools of a corpus.
#[derive(Debug, Clone, Copy)]
pub struct SemanticInput<'a> {
    /// The query's vectors.
    pub query: &'a QueryVectors,
    /// One vector a tool, by position.
    pub tools: &'a [Vector],
    /// Whether to leave the lexical arm out.
    pub alone: bool,
}

/// Ranks the candidates. The order is total: score, then position. The same input gives the same
/// bytes on every run and thread. Costs about half a millisecond for 3,500 tools.
pub fn rank(
    corpus: &dyn Corpus,
    candidates: &[usize],
    query: &Query,
    semantic: Option<SemanticInput<'_>>,
    usage: &UsageMemory,
    top_k: usize,
) -> Ranking {
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
                if supported && !usage.is_empty() { usage.preference(corpus.id(position)) * USAGE_BONUS } else { 0.0 };
            let similarity = similarities.as_ref().map(|similarities| similarities[at]);
            let shares = Shares {
                lexical: lexical[at],
                lexical_share,
                similarity,
                semantic_share,
                clause,
                naming,
                first_of_name: false,
                usage: preferred,
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
    Ranking { tools, ranker, degraded: None, candidate_count: candidates.len(), supported_count, query_cut: query.cut }
}

/// Where a query names several tools, the best of each name comes before a second one of any: six
/// names that five servers share would fill a list with twins of the first.
fn lift_first_of_names(corpus: &dyn Corpus, tools: &mut [RankedTool]) {
    let mut best: HashMap<String, usize> = HashMap::new();
    for (at, tool) in tools.iter().enumerate().filter(|(_, tool)| tool.shares.naming == Naming::Tool) {
        let first = best.entry(corpus.document(tool.position).folded_name.clone()).or_insert(at);
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
    let clause = |(at, clause): (usize, &query::Clause)| {
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
