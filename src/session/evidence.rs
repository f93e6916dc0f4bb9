//! How many tools to attach when nobody says: as far as the evidence goes.
//!
//! A request that one tool answers has one score far above the rest; a vague one, or one that asks
//! for several things, has many alike. So tools are taken while they score a good share of what the
//! best does. All of a task's turns share one small room, and a turn takes half of what is left of it
//! at most, so that the last step still finds some. Over tasks that say step by step what they need
//! that covers more of the needed tools than forty chosen from the first text alone; `docs/ranking.md`
//! has the table of every constant here.

use crate::query::Naming;
use crate::ranking::{RankedTool, Ranking};
use crate::settings::AUTO_MOST;

/// A tool of the first turn with less than this share of the best tool's score is not taken.
const FIRST_SHARE: f64 = 0.35;
/// A later turn knows better what it asks for: its best stand out more.
const TURN_SHARE: f64 = 0.8;
/// The first turn takes this many at least: a ranking may be wrong about its first.
const FEWEST: usize = 8;
/// A later turn looks at two tools at least, for the same reason.
const FEWEST_OF_TURN: usize = 2;
/// And at the first five at most: what stands behind them is there for the first text's sake.
const MOST_OF_TURN: usize = 5;
/// While so many tools are attached, pins aside, a later turn attaches none by itself: past 15 to 20
/// models choose worse, and five steps need some room beside the first turn's fourteen.
pub const ROOM: usize = 22;

/// A text with less evidence than this says nothing of tools: small talk, a greeting.
const SAYS_SOMETHING: f64 = 0.2;
/// A turn with less adds nothing.
const TURN_ADDS: f64 = 0.3;
/// A search of the model's with less finds nothing.
const SEARCH_FINDS: f64 = 0.3;

/// Whether the first text says what the task needs.
#[must_use]
pub fn says_something(ranking: &Ranking) -> bool {
    names_a_tool(ranking) || ranking.evidence >= SAYS_SOMETHING
}

/// Whether a later turn attaches anything.
#[must_use]
pub fn turn_adds(ranking: &Ranking) -> bool {
    names_a_tool(ranking) || ranking.evidence >= TURN_ADDS
}

/// Whether a search of the model's finds anything.
#[must_use]
pub fn search_finds(ranking: &Ranking) -> bool {
    names_a_tool(ranking) || ranking.evidence >= SEARCH_FINDS
}

fn names_a_tool(ranking: &Ranking) -> bool {
    ranking.tools.iter().any(|tool| tool.shares.naming != Naming::None)
}

/// How many of the ranking's tools the first turn attaches, pins and named ones aside.
#[must_use]
pub fn first_count(ranking: &Ranking, is_pin: impl Fn(usize) -> bool) -> usize {
    supported_count(ranking, is_pin, FIRST_SHARE, FEWEST, AUTO_MOST)
}

/// How many of the ranking's tools a later turn looks at, named ones aside. Those that are attached
/// already are among them: a step that has its tool needs no other.
#[must_use]
pub fn turn_count(ranking: &Ranking) -> usize {
    supported_count(ranking, |_| false, TURN_SHARE, FEWEST_OF_TURN, MOST_OF_TURN)
}

/// How many new tools a later turn may attach when so many are attached.
#[must_use]
pub fn turn_room(attached: usize) -> usize {
    ROOM.saturating_sub(attached).div_ceil(2)
}

fn supported_count(ranking: &Ranking, is_pin: impl Fn(usize) -> bool, least_share: f64, fewest: usize, most: usize) -> usize {
    let score = |tool: &RankedTool| tool.score - tool.shares.boost();
    let named = |tool: &RankedTool| tool.shares.naming != Naming::None;
    let best = ranking.tools.iter().map(score).fold(0.0, f64::max);
    let supported = ranking.tools.iter().take_while(|tool| named(tool) || score(tool) >= least_share * best);
    supported.filter(|tool| !named(tool) && !is_pin(tool.position)).count().clamp(fewest, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Shares;
    use crate::settings::Ranker;

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
            evidence: 1.0,
            signals: None,
        }
    }

    #[test]
    fn tools_are_taken_while_they_score_a_good_share_of_the_best_and_within_bounds() {
        let mut scores: Vec<f64> = vec![4.0; 12];
        scores.extend([1.0; 30]);
        assert_eq!(first_count(&ranking(&scores), |_| false), 12);
        assert_eq!(first_count(&ranking(&scores), |position| position < 2), 10);
        assert_eq!(first_count(&ranking(&[9.0, 1.0, 1.0]), |_| false), FEWEST);
        assert_eq!(first_count(&ranking(&[2.0; 60]), |_| false), AUTO_MOST);
        assert_eq!(first_count(&ranking(&[]), |_| false), FEWEST);
    }

    #[test]
    fn a_later_turn_looks_at_what_comes_close_to_its_best() {
        assert_eq!(turn_count(&ranking(&[5.0, 4.5, 4.1, 3.0])), 3);
        assert_eq!(turn_count(&ranking(&[5.0, 1.0, 1.0])), FEWEST_OF_TURN);
        assert_eq!(turn_count(&ranking(&[5.0; 9])), MOST_OF_TURN);
    }

    #[test]
    fn turns_share_one_room_and_never_pass_it() {
        let mut attached = AUTO_MOST;
        for _ in 0..10 {
            attached += turn_room(attached);
        }
        assert_eq!(attached, ROOM);
        assert_eq!(turn_room(ROOM + 5), 0);
    }
}
