//! Whether a text attaches anything, and how many tools when nobody says: as far as the evidence goes.
//!
//! A request that one tool answers has one score far above the rest; a vague one, or one that asks
//! for several things, has many alike. So tools are taken while they score a good share of what the
//! best does. All of a task's turns share one small room, and a turn takes half of what is left of it
//! at most, so that the last step still finds some. Over tasks that say step by step what they need
//! that covers more of the needed tools than forty chosen from the first text alone; `docs/ranking.md`
//! has the table of every constant here.

use crate::query::{Naming, OfCode};
use crate::ranking::{RankedTool, Ranking};
use crate::settings::AUTO_MOST;

/// A tool of the first turn with less than this share of the best tool's score is not taken, with vectors and without, beyond the
/// fewest: 16 to 17 tools on average. How far the best stands out says little about how many are needed, so the bounds are near each
/// other: of the tuning half's 153 tasks 114 are complete, and 109 as far as a share of 0.62 goes between 2 and 30, for as many tools;
/// of 62 tasks over servers that nobody knows 23 and 23, for 17.0 and 19.3.
const FIRST_SHARE: [f64; 2] = [0.55, 0.45];
/// The first turn takes this many at least, companions among them, and this many at most.
const FEWEST: usize = 13;
/// A later turn knows better what it asks for: its best stand out more.
const TURN_SHARE: f64 = 0.8;
/// A later turn looks at two tools at least: a ranking may be wrong about its first.
const FEWEST_OF_TURN: usize = 2;
/// And at the first five at most: what stands behind them is there for the first text's sake.
const MOST_OF_TURN: usize = 5;
/// While so many tools are attached, pins aside, a later turn attaches none by itself: past 15 to 20
/// models choose worse, and five steps need some room beside the fifteen of a first turn.
pub const ROOM: usize = 22;

/// A tool that a search finds keeps its place before what others bring along, if it scores this share of the best, with vectors
/// and without. Of 623 and 528 needs found within 10, 612 and 512 keep their tool so, as 613 and 515 do where nothing is
/// brought along, and 606 and 501 where all is; of 344 needs of whole tasks 221 and 162 are met, 211 and 159, 223 and 170.
const KEEPS_PLACE: [f64; 2] = [0.7, 0.5];

/// The least evidence with vectors, and without: there the measure is less sure, and stands higher for what is served.
type Least = [f64; 2];

/// A first text with less says nothing of tools: a greeting. Low, as a task that gets nothing has lost more than a greeting
/// that gets too much: from 0.08 with vectors, 1 of 53 tasks gets nothing, and from 0.2 on two. Without them 0.08 left
/// "open an issue: the login page is broken" without a tool where a server has but two.
const SAYS_SOMETHING: Least = [0.03, 0.05];
/// A first text with so many words that say what it is about is a task, whatever its evidence: of 111 first messages that need no
/// tool, none has more than six.
const WORDS_OF_TASK: usize = 7;
/// A first text about code gets so many tools, with so much evidence. Others it may get later: its first selection stays open.
const MOST_OF_CODE: usize = 4;
/// So many where it implies tools that there are: it names files, and a server edits some.
const MOST_OF_FILES: usize = 8;
const OF_CODE_SERVED: f64 = 0.6;
/// A text that speaks of code and says more is about code alone where the evidence is no better than this; and no server counts as
/// named in one: some are called by a common word, such as "memory".
const PERHAPS_OF_CODE: f64 = 0.5;
/// It is, too, where a line of talk, work on code among them, is so much nearer than any tool.
const LIKE_TALK_OF_CODE: f64 = 0.03;
/// A text without a word of code is about code alone where a line about work on code is nearer than any tool, and there is no more
/// evidence than this: it says what an app does wrong ("the menu opens twice"). One of 153 tasks has fewer needs met so, at 0.5 too.
const LIKE_WORK_ON_CODE: f64 = 0.35;
/// A turn with less adds nothing, unless its task says more. Of 354 held-out lines of small talk 337 have less with vectors, and of 226
/// steps of tasks 36, 57 where all servers are strangers; at 0.3 332, 32 and 51, at 0.38 341, 41 and 63.
const TURN_ADDS: Least = [0.34, 0.28];
/// One that asks for an action is read in its task, and needs less: "and let him know".
const ACTION_ADDS: Least = [0.22, 0.24];
/// A turn that stands lower adds something too if it is so likely to need a tool, read in its task. Of 741 lines of small talk said
/// in the tuning half's tasks 28 are as likely, and 224 of 299 messages that need a tool
/// (`research/measure/ranking/turns.mjs`); at 0.45 38 and 232.
const ADDS_IN_TASK: f64 = 0.5;
/// From here on, a turn says by itself what it needs, and what the task said before is left aside.
const SAYS_ALL: f64 = 0.9;
/// The most that it weighs: what the message says itself counts at least as much (`research/measure/tasks/tasks.mjs`).
const MOST_OF_TASK: f64 = 0.5;
/// A search by the model with less evidence finds nothing. 98 % of the held-out needs that a tool serves reach it, 95 % where all
/// servers are strangers, and 17 % of those that nothing serves, 27 % without vectors (`research/make/evidence.py`).
const SEARCH_FINDS: f64 = 0.22;
/// From here on a search that finds nothing is answered in doubt if its best tools are of a server that the task is about. Of 724
/// needs of the tuning half that nothing serves, said in its tasks, 22 reach it, without vectors 19; of the 13 and 18 served ones that
/// evidence alone refuses, 2 and 9 in a task of their server. The tuning half has few of those, since evidence was fitted to it; needs
/// of other authors are refused up to ten times as often.
const SEARCH_DOUBTS: Least = [0.08, 0.1];
/// From here on if its best tools stand out.
const SEARCH_STANDS_OUT: Least = [0.03, 0.1];
/// The best tools are of a server of the task from this share on.
const OF_TASK_SERVER: f64 = 0.9;
/// The best three stand out where the next scores less than this share of the best. Of the 724 needs that nothing serves 16 do with
/// such evidence, and 7 at 0.5 with 0.08; of 43 served ones of several authors that evidence alone refuses 8, and 2.
const STANDS_OUT: f64 = 0.6;
/// Below this, what is searched for is far from everything in scope.
const SEARCH_IS_NEAR: f64 = 0.03;

/// Of a pair, the one for this ranking.
fn of(ranking: &Ranking, pair: [f64; 2]) -> f64 {
    let without_vectors = ranking.signals.is_some_and(|signals| !signals.with_vectors);
    pair[usize::from(without_vectors)]
}

fn reaches(ranking: &Ranking, least: Least) -> bool {
    ranking.evidence >= of(ranking, least)
}

/// Whether the first text says what the task needs.
#[must_use]
pub fn says_something(ranking: &Ranking) -> bool {
    let speaks = reaches(ranking, SAYS_SOMETHING) || content_words(ranking) >= WORDS_OF_TASK || names_a_server(ranking);
    names_a_tool(ranking) || (speaks && !is_of_code(ranking))
}

/// Whether the text speaks of code in the workspace alone, and names nothing in scope.
#[must_use]
pub fn is_of_code(ranking: &Ranking) -> bool {
    let is_of_code = ranking.signals.is_some_and(|signals| match signals.of_code {
        OfCode::Surely => true,
        OfCode::Perhaps => ranking.evidence < PERHAPS_OF_CODE || signals.values.talk_over > LIKE_TALK_OF_CODE,
        OfCode::ByLine => ranking.evidence < LIKE_WORK_ON_CODE,
        OfCode::Not => false,
    });
    let names_a_server = names_a_server(ranking) && ranking.evidence >= PERHAPS_OF_CODE;
    is_of_code && !names_a_tool(ranking) && !names_a_server
}

/// How many tools a first text about code is worth: a server may rename symbols or edit files.
#[must_use]
pub fn of_code_count(ranking: &Ranking) -> usize {
    let names_files = ranking.signals.is_some_and(|signals| signals.values.implied > 0.0);
    if !is_of_code(ranking) || ranking.evidence < OF_CODE_SERVED {
        0
    } else if names_files {
        MOST_OF_FILES
    } else {
        MOST_OF_CODE
    }
}

/// Whether the text names the server of one of its best tools, in any script, and says something else.
fn names_a_server(ranking: &Ranking) -> bool {
    ranking.signals.is_some_and(|signals| signals.values.of_named > 0.0 && signals.content_words > 0)
}

/// Whether a later turn attaches anything.
#[must_use]
pub fn turn_adds(ranking: &Ranking) -> bool {
    let asks_for_action = ranking.signals.is_some_and(|signals| signals.asks_for_action);
    let in_task = ranking.in_task.is_some_and(|likely| likely >= ADDS_IN_TASK) && content_words(ranking) > 0;
    names_a_tool(ranking) || in_task || reaches(ranking, if asks_for_action { ACTION_ADDS } else { TURN_ADDS })
}

/// Whether a later turn may attach something, once it is read in its task.
#[must_use]
pub fn may_add(ranking: &Ranking) -> bool {
    names_a_tool(ranking) || content_words(ranking) > 0
}

/// How many words of the text say what it is about.
fn content_words(ranking: &Ranking) -> usize {
    ranking.signals.map_or(0, |signals| signals.content_words)
}

/// How much what the task said before weighs in a later turn's order: the less the turn says by itself, the more.
#[must_use]
pub fn weight_of_task(ranking: &Ranking) -> f64 {
    if ranking.evidence >= SAYS_ALL { 0.0 } else { MOST_OF_TASK * (1.0 - ranking.evidence) }
}

/// Whether a search of the model's finds anything.
#[must_use]
pub fn search_finds(ranking: &Ranking) -> bool {
    names_a_tool(ranking) || ranking.evidence >= SEARCH_FINDS
}

/// What a search by the model that finds nothing is answered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// The best three, with a word of doubt.
    Doubts,
    /// None, with the names of the nearest.
    IsNear,
    /// None: what is searched for is far from everything in scope.
    IsFar,
}

/// How many tools a search in doubt is answered with, and how many are named where it finds none.
pub const IN_DOUBT: usize = 3;

/// Whether a search that finds nothing may still be answered in doubt, once it is read in its task.
#[must_use]
pub fn may_be_in_doubt(ranking: &Ranking) -> bool {
    reaches(ranking, SEARCH_STANDS_OUT)
}

/// Reads off its ranking, which may be read in its task, what a search that finds nothing is answered with.
#[must_use]
pub fn search(ranking: &Ranking) -> Search {
    // By what the text says itself: in its task other tools may lead.
    let stands_out = || {
        let mut own: Vec<f64> = ranking.tools.iter().map(|tool| tool.plain() - tool.shares.of_task).collect();
        own.sort_by(|a, b| b.total_cmp(a));
        match own[..] {
            [best, _, _, next, ..] => next < STANDS_OUT * best,
            _ => !own.is_empty(),
        }
    };
    let is_of_task = ranking.of_task_server >= OF_TASK_SERVER && reaches(ranking, SEARCH_DOUBTS);
    if is_of_task || (reaches(ranking, SEARCH_STANDS_OUT) && stands_out()) {
        Search::Doubts
    } else if ranking.evidence >= SEARCH_IS_NEAR {
        Search::IsNear
    } else {
        Search::IsFar
    }
}

fn names_a_tool(ranking: &Ranking) -> bool {
    ranking.tools.iter().any(|tool| tool.shares.naming != Naming::None)
}

/// How many of the ranking's tools the first turn attaches, pins and named ones aside.
#[must_use]
pub fn first_count(ranking: &Ranking, is_pin: impl Fn(usize) -> bool) -> usize {
    supported_count(ranking, is_pin, of(ranking, FIRST_SHARE), FEWEST, AUTO_MOST)
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

/// How many tools of a search keep their places before what others bring along.
#[must_use]
pub fn sure_count(ranking: &Ranking) -> usize {
    let best = ranking.tools.first().map_or(0.0, |tool| tool.score);
    ranking.tools.iter().take_while(|tool| tool.score >= of(ranking, KEEPS_PLACE) * best).count()
}

fn supported_count(ranking: &Ranking, is_pin: impl Fn(usize) -> bool, least_share: f64, fewest: usize, most: usize) -> usize {
    let named = |tool: &RankedTool| tool.shares.naming != Naming::None;
    let best = ranking.best_plain();
    let supported = ranking.tools.iter().filter(|tool| tool.shares.of_parent <= 0.0 || tool.plain() >= least_share * best);
    let supported = supported.take_while(|tool| named(tool) || tool.plain() >= least_share * best);
    supported.filter(|tool| !named(tool) && !is_pin(tool.position)).count().clamp(fewest, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Shares;
    use crate::ranking::signals::{Signals, Values};

    fn ranking(scores: &[f64]) -> Ranking {
        let tool = |(position, score): (usize, &f64)| RankedTool {
            position,
            rank: position + 1,
            score: *score,
            shares: Shares { lexical_share: *score, ..Shares::default() },
        };
        Ranking::of_tools(scores.iter().enumerate().map(tool).collect())
    }

    #[test]
    fn tools_are_taken_while_they_score_a_good_share_of_the_best_and_within_bounds() {
        let mut scores: Vec<f64> = vec![4.0; 12];
        scores.extend([3.0; 4]);
        scores.extend([1.0; 30]);
        assert_eq!(first_count(&ranking(&scores), |_| false), 16);
        assert_eq!(first_count(&ranking(&scores), |position| position < 2), 14);
        assert_eq!(first_count(&ranking(&[9.0, 1.0, 1.0]), |_| false), FEWEST);
        assert_eq!(first_count(&ranking(&[2.0; 60]), |_| false), AUTO_MOST);
        assert_eq!(first_count(&ranking(&[]), |_| false), FEWEST);
    }

    #[test]
    fn a_text_nearest_to_a_line_about_work_on_code_is_of_code_where_little_speaks_for_a_tool() {
        let is = |of_code, evidence| {
            let values = Values::default();
            let (names_a_tool, asks_for_action, with_vectors) = (false, false, true);
            let signals = Signals { values, names_a_tool, of_code, content_words: 3, asks_for_action, with_vectors };
            is_of_code(&Ranking { evidence, signals: Some(signals), ..ranking(&[2.0, 1.0]) })
        };
        assert!(is(OfCode::ByLine, LIKE_WORK_ON_CODE - 0.01) && !is(OfCode::ByLine, LIKE_WORK_ON_CODE));
        assert!(is(OfCode::Surely, 0.9) && !is(OfCode::Not, 0.0));
    }

    #[test]
    fn a_later_turn_looks_at_what_comes_close_to_its_best() {
        assert_eq!(turn_count(&ranking(&[5.0, 4.5, 4.1, 3.0])), 3);
        assert_eq!(turn_count(&ranking(&[5.0, 1.0, 1.0])), FEWEST_OF_TURN);
        assert_eq!(turn_count(&ranking(&[5.0; 9])), MOST_OF_TURN);
    }

    #[test]
    fn turns_share_one_room_and_never_pass_it() {
        let mut attached = 14;
        for _ in 0..10 {
            attached += turn_room(attached);
        }
        assert_eq!(attached, ROOM);
        assert_eq!(turn_room(ROOM + 5), 0);
    }
}
