//! From which evidence on a text attaches anything, and a search finds anything; `docs/inside/evidence.md` has what these constants
//! were set by.

use crate::query::{Naming, OfCode};
use crate::ranking::Ranking;
use crate::ranking::signals::Signals;

/// A tool that a search finds keeps its place before what others bring along, if it scores this share of the best, with vectors
/// and without. Of 623 and 528 needs found within 10, 612 and 512 keep their tool so, as 613 and 515 do where nothing is
/// brought along, and 606 and 501 where all is; of 344 needs of whole tasks 221 and 162 are met, 211 and 159, 223 and 170.
const KEEPS_PLACE: [f64; 2] = [0.7, 0.5];

/// The least evidence with vectors, and without: there the measure is less sure, and stands higher for what is served.
type Least = [f64; 2];

/// A first text with less says nothing of tools: a greeting. Low, as a task that gets nothing has lost more than a greeting that gets
/// a few lines.
const SAYS_SOMETHING: Least = [0.03, 0.05];
/// By its evidence alone it says something where it is so high, where it needs so many tools by their chances, or where so few of its
/// words are English, or without vectors, that chances say little.
const IS_CLEAR: f64 = 0.3;
const NEEDED: f64 = 0.3;
const ENGLISH: f64 = 0.5;
/// A first text with so many words that say what it is about is a task, whatever its evidence, unless it is work on code.
const WORDS_OF_TASK: usize = 7;
/// The same in another language, of whose words some are not known: little evidence says little of them.
const OTHER_WORDS_OF_TASK: usize = 3;
/// A text is work on code if a line that needs no tool is nearer to it by this than any need or tool. Of 192 held-out messages about
/// code (a message counts for each catalogue) with seven words that chances do not explain 156 are; of 12 tasks 5.
const NEARER_TO_CODE: f64 = 0.05;
/// From here on, a turn says by itself what it needs, and what the task said before is left aside.
const SAYS_ALL: f64 = 0.9;
/// The most that it weighs: what the message says itself counts at least as much (`research/measure/tasks/tasks.mjs`).
const MOST_OF_TASK: f64 = 0.5;
/// A search by the model with less evidence finds nothing. 98 % of the held-out needs that a tool serves reach it, 95 % where all
/// servers are strangers, and 18 % of those that nothing serves, 30 % without vectors (`research/make/evidence.py`).
const SEARCH_FINDS: f64 = 0.22;
/// Below this, what is searched for is far from everything in scope; from here on, a search that finds nothing is answered in doubt if
/// its best tools stand out, and names the nearest otherwise.
const SEARCH_IS_NEAR: Least = [0.03, 0.1];
/// The best three stand out where the next scores less than this share of the best. Of the 724 needs that nothing serves 16 do with
/// such evidence, and 7 at 0.5 with 0.08; of 43 served ones of several authors that evidence alone refuses 8, and 2.
const STANDS_OUT: f64 = 0.6;

/// Of a pair, the one for this ranking.
fn of(ranking: &Ranking, pair: [f64; 2]) -> f64 {
    let without_vectors = ranking.signals.is_some_and(|signals| !signals.with_vectors);
    pair[usize::from(without_vectors)]
}

fn reaches(ranking: &Ranking, least: Least) -> bool {
    ranking.evidence >= of(ranking, least)
}

/// Whether a first text is more than a greeting. `needs` is how many tools it needs by their chances.
#[must_use]
pub fn says_something(ranking: &Ranking, needs: f64) -> bool {
    let is_unsure = ranking.signals.is_none_or(|signals| !signals.with_vectors || signals.values.english < ENGLISH);
    let is_more = is_unsure || needs >= NEEDED || ranking.evidence >= IS_CLEAR;
    let has_words = content_words(ranking) >= WORDS_OF_TASK && !is_of_code(ranking);
    is_more && reaches(ranking, SAYS_SOMETHING) || has_words || is_task_of_other_language(ranking)
}

/// Whether a text in another language has words enough for a task.
#[must_use]
pub fn is_task_of_other_language(ranking: &Ranking) -> bool {
    let may_ask = |signals: Signals| signals.is_other_language && signals.of_code == OfCode::Not;
    ranking.signals.is_some_and(may_ask) && content_words(ranking) >= OTHER_WORDS_OF_TASK
}

/// Whether a text is work on code: by its words and spellings, or as a line that needs no tool, small talk too, is nearer to it.
#[must_use]
pub fn is_of_code(ranking: &Ranking) -> bool {
    ranking.signals.is_some_and(|signals| signals.of_code != OfCode::Not || signals.values.talk_over > NEARER_TO_CODE)
}

/// Whether a text has more than words of conversation: a later turn may attach something then, once it is read in its task.
#[must_use]
pub fn has_content(ranking: &Ranking) -> bool {
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

/// Reads off its ranking what a search that finds nothing is answered with.
#[must_use]
pub fn search(ranking: &Ranking) -> Search {
    let stands_out = || match &ranking.tools[..] {
        [best, _, _, next, ..] => next.plain() < STANDS_OUT * best.plain(),
        tools => !tools.is_empty(),
    };
    match reaches(ranking, SEARCH_IS_NEAR) {
        true if stands_out() => Search::Doubts,
        true => Search::IsNear,
        false => Search::IsFar,
    }
}

fn names_a_tool(ranking: &Ranking) -> bool {
    ranking.tools.iter().any(|tool| tool.shares.named.how != Naming::None)
}

/// How many tools of a search keep their places before what others bring along.
#[must_use]
pub fn sure_count(ranking: &Ranking) -> usize {
    let best = ranking.tools.first().map_or(0.0, |tool| tool.score);
    ranking.tools.iter().take_while(|tool| tool.score >= of(ranking, KEEPS_PLACE) * best).count()
}
