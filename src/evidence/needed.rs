//! How likely a later turn needs one of its new tools: what a rewrite of the context is weighed against.

use once_cell::sync::Lazy;

use super::weights;
use crate::ranking::{RankedTool, Ranking};

/// No ranking is surer than this: behind a very long conversation a rewrite is never worth a guess.
const MOST_CHANCE: f64 = 0.9;
/// What the text implies counts for the first of the new tools: those that any turn would take.
const FIRST_NEW: usize = 3;

/// The names of the weights, in the order of [`Needed::values`]; behind them, what the logit begins with.
const NAMES: [&str; 6] = ["score", "implied", "content", "best", "evidence", "begin"];
/// A weight of each, with vectors and without.
static NEEDED: Lazy<[[f64; 2]; NAMES.len()]> = Lazy::new(|| NAMES.map(|name| weights::of(include_str!("data/needed.txt"), name)));

/// What the measure reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Needed {
    /// The plain score of the best new tool.
    pub score: f64,
    /// Whether the text implies one of the first new ones, or something else beside words matches it.
    pub implied: bool,
    /// The words of content, as ln(1 + n).
    pub content: f64,
    /// Whether nothing that is attached fits better.
    pub best: bool,
    /// Whether any tool fits, attached ones too.
    pub evidence: f64,
    /// Whether vectors were used.
    pub with_vectors: bool,
}

impl Needed {
    /// Reads them off a ranking and its new tools, best first; `None` without new tools, and for rankings by other rules.
    #[must_use]
    pub fn read(ranking: &Ranking, new: &[usize]) -> Option<Self> {
        let ranked = |at: &usize| ranking.tools.iter().find(|tool| tool.position == *at);
        let first = new.first().and_then(ranked)?;
        let signals = ranking.signals.as_ref()?;
        let is_implied = |tool: &RankedTool| tool.shares.beside_words() > 0.0;
        Some(Self {
            score: first.plain(),
            implied: new.iter().take(FIRST_NEW).filter_map(ranked).any(is_implied),
            content: signals.values.content,
            best: ranking.tools.first().is_some_and(|tool| tool.position == first.position),
            evidence: ranking.evidence,
            with_vectors: signals.with_vectors,
        })
    }

    fn values(&self) -> [f64; NAMES.len()] {
        let is = |value: bool| f64::from(u8::from(value));
        [self.score, is(self.implied), self.content, is(self.best), self.evidence, 1.0]
    }

    /// How likely one of the tools is needed.
    #[must_use]
    pub fn chance(&self) -> f64 {
        let column = usize::from(!self.with_vectors);
        let logit = NEEDED.iter().zip(self.values()).map(|(weights, value)| weights[column] * value).sum();
        weights::chance(logit).min(MOST_CHANCE)
    }
}

/// How likely one of the new tools is needed, best first.
#[must_use]
pub fn chance(ranking: &Ranking, new: &[usize]) -> f64 {
    if let Some(needed) = Needed::read(ranking, new) {
        return needed.chance();
    }
    // By other rules than ours: where an attached tool fits better, the text may mean that one.
    let first = new.first().and_then(|at| ranking.tools.iter().find(|tool| tool.position == *at));
    let (first, best) = (first.map_or(0.0, RankedTool::plain), ranking.best_plain());
    if best > 0.0 { (first / best).min(ranking.evidence).min(MOST_CHANCE) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Shares;

    #[test]
    fn by_other_rules_a_tool_is_as_likely_as_it_comes_near_the_best_and_never_likelier_than_the_evidence() {
        let tool = |(position, score): (usize, f64)| RankedTool {
            position,
            rank: position + 1,
            score,
            shares: Shares { lexical_share: score, ..Shares::default() },
        };
        let ranking = |evidence| {
            let tools = [4.0, 3.0, 1.0].into_iter().enumerate().map(tool).collect();
            Ranking { evidence, ..Ranking::of_tools(tools) }
        };
        assert!((chance(&ranking(1.0), &[1, 2]) - 0.75).abs() < 1e-9);
        assert!((chance(&ranking(0.2), &[1, 2]) - 0.2).abs() < 1e-9);
        assert!((chance(&ranking(1.0), &[0]) - MOST_CHANCE).abs() < 1e-9);
        assert!(chance(&ranking(1.0), &[]).abs() < 1e-9);
    }

    #[test]
    fn all_that_speaks_for_a_tool_makes_it_likelier() {
        let [rest @ .., begin] = &*NEEDED;
        assert!(begin.iter().all(|weight| *weight < 0.0));
        // One that is left out by chance weighs nothing.
        assert!(rest.iter().flatten().all(|weight| *weight >= 0.0));
        assert!(rest.iter().flatten().filter(|weight| **weight > 0.0).count() > rest.len());
    }
}
