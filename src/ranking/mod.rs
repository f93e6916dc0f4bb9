//! Query to order: lexical and semantic scores, their fusion, exact names, usage.

mod actions;
pub mod evidence;
pub mod fusion;
mod harmless;
mod implied;
mod in_task;
pub mod learned;
pub mod lexical;
mod measure;
mod postings;
pub mod preference;
mod prototypes;
pub mod rank;
pub mod semantic;
pub mod servers;
mod signals;
pub mod used_before;

use std::ops::Range;

use crate::degraded::Degraded;
use crate::document::id::ToolId;
use crate::document::tool::ToolDocument;
use crate::embedding::vectors::QueryVectors;
use crate::query::request::NEGATED_PENALTY;
use crate::query::{Naming, QueryCut};
use crate::settings::Ranker;
use lexical::LexicalIndex;
use semantic::ToolVectors;

/// What is added to the score of a tool that the query names. Standardised scores of n tools stay
/// under the square root of n, so this stands above all scores of a million tools.
pub(crate) const NAMED_BONUS: f64 = 1000.0;
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
    /// The cosine, standardised over the candidates and weighted; an estimate where a vector is missing.
    pub semantic_share: f64,
    /// What the query implies, and the tool is for: a path, and it reads files.
    pub implied_share: f64,
    /// Which clause of the query suits the tool best, when there are several.
    pub clause: Option<usize>,
    /// How the query names the tool.
    pub naming: Naming,
    /// Whether it is the best of the tools of its name, where a query names several.
    pub first_of_name: bool,
    /// What recorded uses added.
    pub use_boost: f64,
    /// Whether the query says that it does not want the tool's product.
    pub negated: bool,
    /// What it lost for destroying what nobody asked to destroy.
    pub held_back: f64,
    /// Whether anything in the query speaks for the tool.
    pub supported: bool,
}

impl Shares {
    /// What a tool is ordered by.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.lexical_share + self.semantic_share + self.implied_share + self.boost()
    }

    /// What exact names, uses, negation and harm that nobody asked for add to a score.
    #[must_use]
    pub fn boost(&self) -> f64 {
        let first = if self.first_of_name { NAMED_BONUS / 2.0 } else { 0.0 };
        let penalty = if self.negated { NEGATED_PENALTY } else { 0.0 };
        NAMED_BONUS * f64::from(self.naming as u8) + first + self.use_boost - penalty - self.held_back
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
    /// How likely any of the candidates serves the query, from 0 to 1.
    pub evidence: f64,
    /// How likely it needs a tool, read in its task; `None` where it was not, and without vectors.
    pub in_task: Option<f64>,
    /// What that was read off; `None` for a ranking by other rules.
    pub signals: Option<signals::Signals>,
    /// Set when the query was too long.
    pub query_cut: Option<QueryCut>,
}

#[cfg(test)]
impl Ranking {
    /// A ranking of tools by words, with evidence.
    pub fn of_tools(tools: Vec<RankedTool>) -> Self {
        Self {
            candidate_count: tools.len(),
            supported_count: tools.len(),
            tools,
            ranker: Ranker::Lexical,
            degraded: None,
            evidence: 1.0,
            in_task: None,
            signals: None,
            query_cut: None,
        }
    }
}

/// Gives tools in order their ranks.
pub(crate) fn number(tools: &mut [RankedTool]) {
    for (at, tool) in tools.iter_mut().enumerate() {
        tool.rank = at + 1;
    }
}

/// Tools that were indexed together, as ranking sees them.
pub trait Corpus {
    /// BM25 over all of them.
    fn lexical(&self) -> &LexicalIndex;
    /// The indexed text of one.
    fn document(&self, position: usize) -> &ToolDocument;
    /// Whether it serves something that requests imply: reading its document takes longer to find out.
    fn serves_what_is_implied(&self, position: usize) -> bool;
    /// The positions of those whose folded name is the key, alone or behind their server's.
    fn with_key(&self, key: &str) -> Vec<usize>;
    /// Where the tool that is known by this is.
    fn position(&self, id: &ToolId) -> Option<usize>;
    /// The positions of the tools of the same server.
    fn of_same_server(&self, position: usize) -> Range<usize>;
}

/// Vectors of a query and of all tools of a corpus.
#[derive(Debug, Clone, Copy)]
pub struct SemanticInput<'a> {
    /// The query's vectors.
    pub query: &'a QueryVectors,
    /// Vectors of tools; [`semantic::Estimate`] stands for those that are missing.
    pub tools: &'a ToolVectors,
    /// Whether its cosines are on the scale that evidence was measured with.
    pub known_scale: bool,
    /// Whether to leave the lexical arm out.
    pub alone: bool,
}
