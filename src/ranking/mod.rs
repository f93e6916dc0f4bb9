//! Query to order: lexical and semantic scores, their fusion, exact names, usage.

pub mod document;
pub mod fusion;
pub mod lexical;
pub mod query;
pub mod semantic;
pub mod synonyms;
pub mod terms;
pub mod usage;

use crate::catalogue::tool::ToolId;
use crate::embedding::service::Degraded;
use crate::embedding::vectors::Vector;
use document::ToolDocument;
use fusion::{LEXICAL_WEIGHT, SEMANTIC_WEIGHT, standardise};
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
const NAMED_BONUS: f64 = 1000.0;
/// The most that usage adds: about the distance between neighbours among the first ten.
const USAGE_BONUS: f64 = 0.25;
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
    /// BM25, standardised over the candidates and weighted.
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
    /// The query's vector.
    pub query: &'a [f32],
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
    let all = corpus.lexical().scores(&query.terms);
    let lexical: Vec<f64> = candidates.iter().map(|position| all[*position]).collect();
    let mut lexical_standardised = lexical.clone();
    standardise(&mut lexical_standardised);
    let similarities = semantic.map(|input| semantic::similarities(input.query, input.tools, candidates));
    let mut similarities_standardised = similarities.clone().unwrap_or_default();
    standardise(&mut similarities_standardised);
    let (ranker, lexical_weight, semantic_weight) = match semantic {
        None => (Ranker::Lexical, 1.0, 0.0),
        Some(input) if input.alone => (Ranker::Semantic, 0.0, 1.0),
        Some(_) => (Ranker::Hybrid, LEXICAL_WEIGHT, SEMANTIC_WEIGHT),
    };
    let mut tools: Vec<RankedTool> = candidates
        .iter()
        .enumerate()
        .map(|(at, &position)| {
            let naming = query.naming(corpus.document(position));
            let similarity_standardised = similarities_standardised.get(at).copied().unwrap_or(0.0);
            let supported = lexical[at] > 0.0 || naming != Naming::None || similarity_standardised >= SUPPORTING_DEVIATIONS;
            let preferred =
                if supported && !usage.is_empty() { usage.preference(corpus.id(position)) * USAGE_BONUS } else { 0.0 };
            let shares = Shares {
                lexical: lexical[at],
                lexical_share: lexical_weight * lexical_standardised[at],
                similarity: similarities.as_ref().map(|similarities| similarities[at]),
                semantic_share: semantic_weight * similarity_standardised,
                naming,
                usage: preferred,
                supported,
            };
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
