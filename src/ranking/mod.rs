//! Query to order: lexical and semantic scores, their fusion, exact names, usage.

pub mod clauses;
pub mod curator;
pub mod document;
pub mod fusion;
pub mod lexical;
pub mod lexicon;
pub mod query;
pub mod registry;
pub mod semantic;
pub mod spelling;
pub mod synonyms;
pub mod terms;
pub mod usage;
pub mod vocabulary;
pub mod words;

use crate::catalogue::tool::ToolId;
use crate::embedding::service::Degraded;
use crate::embedding::vectors::{QueryVectors, Vector};
use document::ToolDocument;
use fusion::{LEXICAL_WEIGHT, SEMANTIC_WEIGHT, standardise, standardise_by};
use lexical::LexicalIndex;
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
    /// How the query names the tool.
    pub naming: Naming,
    /// What usage added.
    pub usage: f64,
    /// Whether anything in the query speaks for the tool.
    pub supported: bool,
}

impl Shares {
    /// What exact names and usage add to a score.
    #[must_use]
    pub fn boost(&self) -> f64 {
        NAMED_BONUS * f64::from(self.naming as u8) + self.usage
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
    let (ranker, weights) = match semantic {
        None => (Ranker::Lexical, Weights { lexical: 1.0, semantic: 0.0, clause: LEXICAL_CLAUSE_WEIGHT }),
        Some(input) if input.alone => (Ranker::Semantic, Weights { lexical: 0.0, semantic: 1.0, clause: CLAUSE_WEIGHT }),
        Some(_) => (Ranker::Hybrid, Weights { lexical: LEXICAL_WEIGHT, semantic: SEMANTIC_WEIGHT, clause: CLAUSE_WEIGHT }),
    };
    let lexical = lexical_scores(corpus, candidates, &query.terms);
    let similarities = semantic.map(|input| semantic::similarities(&input.query.whole, input.tools, candidates));
    let (whole, clauses) = parts(corpus, candidates, query, &lexical, semantic.zip(similarities.as_deref()));
    let mut tools: Vec<RankedTool> = candidates
        .iter()
        .enumerate()
        .map(|(at, &position)| {
            let naming = query.naming(corpus.document(position));
            let (lexical_share, semantic_share) = weights.shares(&whole, &clauses, at);
            let near = |part: &Part| part.semantic.get(at).is_some_and(|similarity| *similarity >= SUPPORTING_DEVIATIONS);
            let supported = lexical[at] > 0.0 || naming != Naming::None || near(&whole) || clauses.iter().any(near);
            let preferred =
                if supported && !usage.is_empty() { usage.preference(corpus.id(position)) * USAGE_BONUS } else { 0.0 };
            let similarity = similarities.as_ref().map(|similarities| similarities[at]);
            let shares =
                Shares { lexical: lexical[at], lexical_share, similarity, semantic_share, naming, usage: preferred, supported };
            let score = shares.lexical_share + shares.semantic_share + shares.boost();
            RankedTool { position, rank: 0, score, shares }
        })
        .collect();
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

/// Standardised scores of a query or of one of its clauses, by candidate.
struct Part {
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
    fn shares(self, whole: &Part, clauses: &[Part], at: usize) -> (f64, f64) {
        let whole = self.of(whole, at);
        let of_clauses = clauses.iter().map(|clause| self.of(clause, at));
        let Some(best) = of_clauses.reduce(|best, other| if other.0 + other.1 > best.0 + best.1 { other } else { best }) else {
            return whole;
        };
        let mean = |whole: f64, clause: f64| (whole + self.clause * clause) / (1.0 + self.clause);
        (mean(whole.0, best.0), mean(whole.1, best.1))
    }
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
    let mut whole = Part { lexical: lexical.to_vec(), semantic: similarities.unwrap_or_default() };
    let unit = standardise_by(&mut whole.lexical, 0.0);
    standardise(&mut whole.semantic);
    let clause = |(at, clause): (usize, &query::Clause)| {
        let mut lexical = lexical_scores(corpus, candidates, &clause.terms);
        standardise_by(&mut lexical, unit);
        let vector = semantic.and_then(|(input, _)| Some((input, input.query.clauses.get(at)?)));
        let own = vector.map(|(input, vector)| {
            let mut similarities = semantic::similarities(vector, input.tools, candidates);
            standardise(&mut similarities);
            similarities
        });
        // An embedder that gives one vector a text: the clause is told apart by its words.
        Part { lexical, semantic: own.unwrap_or_else(|| whole.semantic.clone()) }
    };
    let clauses = query.clauses.iter().enumerate().map(clause).collect();
    (whole, clauses)
}
