//! The answer of a ranking: candidates in order, and what each of their scores is made of.

use std::borrow::Cow;

use super::signals::Signals;
use crate::degraded::Degraded;
use crate::query::request::NEGATED_PENALTY;
use crate::query::{Naming, QueryCut};
use crate::settings::Ranker;

/// What is added to the score of a tool that the query names. Standardised scores of n tools stay
/// under the square root of n, so this stands above all scores of a million tools.
pub(crate) const NAMED_BONUS: f64 = 1000.0;

/// One ranked tool.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedTool {
    /// Its position among the tools that were indexed together.
    pub position: usize,
    /// Its place in the answer, from 1.
    pub rank: usize,
    /// What it was ordered by: the sum of its shares. Comparable within one ranking only.
    pub score: f64,
    pub shares: Shares,
}

impl RankedTool {
    /// The score without what exact names, uses and penalties add: what the text itself says for it.
    pub fn plain(&self) -> f64 {
        self.score - self.shares.boost()
    }

    /// Changes its shares, and its score with them.
    pub fn adjust(&mut self, change: impl FnOnce(&mut Shares)) {
        change(&mut self.shares);
        self.score = self.shares.score();
    }
}

/// What a score is made of: both arms, then a share per adjustment of `order`.
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
    /// Which clause of the query suits the tool best, when there are several.
    pub clause: Option<usize>,
    pub named: Named,
    /// Whether the query says that it does not want the tool's product.
    pub negated: bool,
    /// What recorded uses added.
    pub use_boost: f64,
    /// What it lost for destroying what nobody asked to destroy.
    pub held_back: f64,
    /// What the registry's entry of its server added.
    pub of_entries: f64,
    /// What the task said before added, and that its server is the task's or is named.
    pub of_task: f64,
    /// What the workspace added.
    pub of_workspace: f64,
    /// What was added because the parent task had it.
    pub of_parent: f64,
    /// What it would add that the query implies the tool: a path stands in it, and it reads files. No part of the score.
    pub implied: f64,
    /// Whether anything in the query matches the tool.
    pub supported: bool,
}

/// How a query names a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Named {
    /// By which of its names.
    pub how: Naming,
    /// Whether it is the best of the tools of that name, where a query names several.
    pub is_first: bool,
}

impl Shares {
    /// What a tool is ordered by.
    pub fn score(&self) -> f64 {
        self.lexical_share + self.semantic_share + self.beside_words() + self.boost() + self.of_task
    }

    /// What exact names, uses, the parent task, negation and harm that nobody asked for add to a score.
    pub fn boost(&self) -> f64 {
        self.of_names() + self.use_boost - self.penalty() - self.held_back + self.of_parent
    }

    /// What exact names add.
    pub fn of_names(&self) -> f64 {
        NAMED_BONUS * f64::from(self.named.how as u8) + if self.named.is_first { NAMED_BONUS / 2.0 } else { 0.0 }
    }

    /// What is taken from a tool of a product that the query does not want.
    pub fn penalty(&self) -> f64 {
        if self.negated { NEGATED_PENALTY } else { 0.0 }
    }

    /// What supports the tool besides words, vectors and names: its server's entry, the workspace.
    pub fn beside_words(&self) -> f64 {
        self.of_entries + self.of_workspace
    }
}

/// An answer: candidates in order, best first.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The tools, best first, at most as many as were asked for.
    pub tools: Vec<RankedTool>,
    pub ranker: Ranker,
    /// Why they were not ranked by what was asked for.
    pub degraded: Option<Degraded>,
    pub candidate_count: usize,
    /// How many of them something in the query matches.
    pub supported_count: usize,
    /// How likely any of the candidates serves the query, from 0 to 1.
    pub evidence: f64,
    /// How likely it needs a tool, read in its task; `None` where it was not, and without vectors.
    pub in_task: Option<f64>,
    /// What evidence was read off; `None` for a ranking by other rules.
    pub signals: Option<Signals>,
    /// Set when the query was too long.
    pub query_cut: Option<QueryCut>,
}

impl Ranking {
    /// An answer of these tools, in order, with their ranks.
    pub fn new(tools: Vec<RankedTool>, ranker: Ranker, candidate_count: usize, supported_count: usize) -> Self {
        let mut ranking = Self {
            tools,
            ranker,
            degraded: None,
            candidate_count,
            supported_count,
            evidence: 1.0,
            in_task: None,
            signals: None,
            query_cut: None,
        };
        ranking.number();
        ranking
    }

    /// Puts the tools in order and numbers them: by score, then by position. The one way to do so.
    pub fn sort(&mut self) {
        self.tools.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.position.cmp(&b.position)));
        self.number();
    }

    /// Numbers the tools as they stand, from 1.
    pub fn number(&mut self) {
        for (at, tool) in self.tools.iter_mut().enumerate() {
            tool.rank = at + 1;
        }
    }

    /// The best score that a text itself gives, 0 or more.
    pub fn best_plain(&self) -> f64 {
        self.tools.iter().map(RankedTool::plain).fold(0.0, f64::max)
    }

    /// As it would be if what the text implies were part of the order: for chances.
    pub fn with_implied(&self) -> Cow<'_, Self> {
        if self.tools.iter().all(|tool| tool.shares.implied == 0.0) {
            return Cow::Borrowed(self);
        }
        let mut whole = self.clone();
        for tool in &mut whole.tools {
            tool.score += tool.shares.implied;
        }
        whole.tools.sort_by(|a, b| b.score.total_cmp(&a.score));
        whole.number();
        Cow::Owned(whole)
    }

    /// A ranking of tools by words, with evidence.
    #[cfg(test)]
    pub fn of_tools(tools: Vec<RankedTool>) -> Self {
        let count = tools.len();
        Self::new(tools, Ranker::Lexical, count, count)
    }
}
