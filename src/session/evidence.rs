//! How many tools a first selection attaches when nobody says: as far as the evidence goes.
//!
//! A request that one tool answers has one score far above the rest; a vague one, or one that asks
//! for several things, has many alike. So tools are taken while they score at least half of what
//! the best does. Over tasks of several steps from four labelled sets (`docs/evaluation.md`) eight to
//! twenty tools chosen so, and three more a turn, cover what the steps need better than forty tools
//! chosen from the first text alone.

use crate::ranking::query::Naming;
use crate::ranking::{RankedTool, Ranking};
use crate::settings::AUTO_MOST;

/// A tool with less than this share of the best tool's score is not taken. Shares of 0.4 to 0.6
/// trade tools for coverage alike (23.7, 21.3 and 18.8 tools for 94, 92 and 91 of 100 needed ones).
const LEAST_SHARE: f64 = 0.5;
/// Fewer are never taken: a ranking may be wrong about its first.
const FEWEST: usize = 8;

/// How many of the ranking's tools, pins and named ones aside, to attach.
#[must_use]
pub fn supported_count(ranking: &Ranking) -> usize {
    let score = |tool: &RankedTool| tool.score - tool.shares.boost();
    let best = ranking.tools.iter().map(score).fold(0.0, f64::max);
    let named = |tool: &RankedTool| tool.shares.naming != Naming::None;
    let supported = ranking.tools.iter().take_while(|tool| named(tool) || score(tool) >= LEAST_SHARE * best);
    supported.filter(|tool| !named(tool)).count().clamp(FEWEST, AUTO_MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::{Ranker, Shares};

    fn ranking(scores: &[f64]) -> Ranking {
        let tool = |(position, score): (usize, &f64)| RankedTool {
            position,
            rank: position + 1,
            score: *score,
            shares: Shares { lexical_share: *score, ..Shares::default() },
        };
        Ranking {
            tools: scores.iter().enumerate().map(tool).collect(),
            ranker: Ranker::Lexical,
            degraded: None,
            candidate_count: scores.len(),
            supported_count: scores.len(),
            query_cut: None,
        }
    }

    #[test]
    fn tools_are_taken_while_they_score_half_of_the_best_and_within_bounds() {
        let mut scores: Vec<f64> = vec![4.0; 12];
        scores.extend([1.0; 30]);
        assert_eq!(supported_count(&ranking(&scores)), 12);
        assert_eq!(supported_count(&ranking(&[9.0, 1.0, 1.0])), FEWEST);
        assert_eq!(supported_count(&ranking(&[2.0; 60])), AUTO_MOST);
        assert_eq!(supported_count(&ranking(&[])), FEWEST);
    }
}
