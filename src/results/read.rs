//! What a reader of a held result gets: the passages that words find, the values at a path, or lines.

use std::collections::HashSet;
use std::fmt::{self, Write as _};

use super::budget::Budget;
use super::content::{flags_of, warning};
use super::lines::{self, lines};
use super::passages::{Passage, passages};
use super::path::values;
use super::rank::{Found, rank};
use crate::error::{Error, Result};
use crate::text::tokens;

/// What is asked of a result: nothing for its beginning.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Asked {
    /// How it begins.
    #[default]
    Beginning,
    /// What is looked for, in words.
    Need(String),
    /// Where: a path into its JSON.
    Path(String),
    /// Lines from 1, both ends included.
    Range(usize, usize),
}

/// What is asked, and what the answer may cost.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// See its type.
    pub asked: Asked,
    /// In tokens.
    pub max_tokens: usize,
}

/// A part of a result that an answer quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quoted {
    /// Its place in the result.
    pub place: String,
    /// What it says.
    pub text: String,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// For the model.
    pub text: String,
    /// What the text quotes for a need, best first, or at a path.
    pub passages: Vec<Quoted>,
    /// What the text costs.
    pub token_count: usize,
    /// Whether there was more than the answer has room for.
    pub is_cut: bool,
    /// What the shield says about the text: names of checks.
    pub flagged: Vec<&'static str>,
}

impl Answer {
    fn say(&mut self, text: fmt::Arguments<'_>) {
        _ = self.text.write_fmt(text); // writing to a string cannot fail
    }
}

/// Where the best passage has so much of a need's words, it is what was asked for, and one that scores much less is noise.
/// Where it has less, all that there is room for is quoted.
const COVERED: f64 = 0.9;
const MIN_SHARE: f64 = 0.3;
/// Otherwise, behind what fits, what stands next to the best of it.
const WITH_NEIGHBOURS: usize = 12;
/// What a note at the end may cost.
const NOTE_TOKENS: usize = 60;
/// What is shown of a result where no passage fits.
const BEGINNING_TOKENS: usize = 300;

/// Answers what is asked of a result. `field` is the name of the call.
///
/// # Errors
///
/// `ERR_INVALID_ARGUMENT` for a path or range that the result does not have.
pub fn read(text: &str, wanted: &Wanted, field: &str) -> Result<Answer> {
    let mut budget = Budget::new(wanted.max_tokens.saturating_sub(NOTE_TOKENS.min(wanted.max_tokens / 4)));
    let mut answer = match &wanted.asked {
        Asked::Beginning => {
            Answer { text: format!("It has {} lines:\n{}", lines::count(text), budget.beginning(text)), ..Answer::default() }
        }
        Asked::Need(need) => by_need(text, need, &mut budget),
        Asked::Path(path) => by_path(text, path, &format!("{field}.path"), &mut budget)?,
        Asked::Range(first, last) => by_lines(text, (*first, *last), &format!("{field}.range"), &mut budget)?,
    };
    answer.flagged = flags_of(&answer.text);
    if !answer.flagged.is_empty() {
        answer.text.insert_str(0, &format!("{}\n", warning(&answer.flagged)));
    }
    // Joined lines may cost a token more than they did apart.
    answer.text.truncate(tokens::prefix(&answer.text, wanted.max_tokens));
    answer.text.truncate(answer.text.trim_end().len());
    answer.token_count = tokens::count(&answer.text);
    Ok(answer)
}

/// Quotes the best that there is room for, in the order of the result.
fn by_need(text: &str, need: &str, budget: &mut Budget) -> Answer {
    let passages = passages(text);
    let ranked = rank(text, &passages, need);
    let mut answer = Answer::default();
    if ranked.found.is_empty() {
        let beginning = Budget::new(budget.left().min(BEGINNING_TOKENS)).beginning(text);
        answer.say(format_args!("Nothing has these words. It has {} lines, and begins:\n{beginning}", lines::count(text)));
        return answer;
    }
    let best = ranked.found.first().filter(|_| ranked.covered >= COVERED).map_or(f64::NEG_INFINITY, |found| found.score);
    let neighbours = if best > f64::NEG_INFINITY { Vec::new() } else { neighbours(passages.len(), &ranked.found) };
    let mut chosen: Vec<(usize, String)> = Vec::new();
    for found in ranked.found.iter().chain(&neighbours) {
        let passage = &passages[found.at];
        let own = text[passage.range.clone()].trim_end();
        let mut shown = written(passage, own);
        if found.score < MIN_SHARE * best && !chosen.is_empty() {
            break;
        }
        answer.is_cut = !budget.take(&shown);
        if answer.is_cut {
            if !chosen.is_empty() {
                break;
            }
            shown = format!("{}…", budget.beginning(&shown));
        }
        answer.passages.push(Quoted { place: passage.place(), text: own.to_owned() });
        chosen.push((found.at, shown));
        if answer.is_cut {
            break;
        }
    }
    chosen.sort_unstable();
    for (_, shown) in &chosen {
        answer.say(format_args!("{shown}\n"));
    }
    if answer.is_cut {
        let (shown, all) = (chosen.len(), passages.len());
        answer.say(format_args!("({shown} of {all} passages; ask with other words, a path or a range for more)"));
    }
    answer
}

fn written(passage: &Passage, text: &str) -> String {
    format!("[{}]\n{text}", passage.place())
}

/// What stands before and behind the best passages, where it is not among those found.
fn neighbours(count: usize, found: &[Found]) -> Vec<Found> {
    let mut known: HashSet<usize> = found.iter().map(|found| found.at).collect();
    let beside = found.iter().take(WITH_NEIGHBOURS).flat_map(|found| [found.at + 1, found.at.wrapping_sub(1)]);
    beside.filter(|at| *at < count && known.insert(*at)).map(|at| Found { at, score: 0.0 }).collect()
}

fn by_path(text: &str, path: &str, field: &str, budget: &mut Budget) -> Result<Answer> {
    let found = values(text, path, field)?;
    let mut answer = Answer::default();
    for (place, value) in found.list {
        let line = format!("{place} = {value}");
        answer.is_cut = !budget.take(&line);
        if answer.is_cut && !answer.passages.is_empty() {
            break;
        }
        let shown = if answer.is_cut { budget.beginning(&line) } else { &line };
        answer.say(format_args!("{shown}{}\n", if answer.is_cut { "…" } else { "" }));
        answer.passages.push(Quoted { place, text: value });
        if answer.is_cut {
            break;
        }
    }
    let shown = answer.passages.len();
    answer.is_cut |= shown < found.count;
    if answer.is_cut && found.count > 1 {
        answer.say(format_args!("({shown} of {} values; a slice such as [10:20] or a filter gives others)", found.count));
    } else if answer.is_cut {
        answer.say(format_args!("(the beginning of one value; a longer path gives a part of it)"));
    }
    Ok(answer)
}

fn by_lines(text: &str, (first, last): (usize, usize), field: &str, budget: &mut Budget) -> Result<Answer> {
    let all = lines::count(text);
    if first > all || first > last || first == 0 {
        return Err(Error::invalid(field, format!("lines from 1 to {all}"), format!("{first}-{last}")));
    }
    let last = last.min(all);
    let mut answer = Answer::default();
    for line in lines(text).skip(first - 1).take(last + 1 - first) {
        let written = format!("{}: {}", line.number, line.text);
        answer.is_cut = !budget.take(&written);
        if !answer.is_cut {
            answer.say(format_args!("{written}\n"));
            continue;
        }
        let mut next = line.number;
        if answer.text.is_empty() {
            answer.say(format_args!("{}…\n", budget.beginning(&written)));
            next += 1;
        }
        if next <= last {
            answer.say(format_args!("(range \"{next}-{last}\" goes on)"));
        }
        break;
    }
    Ok(answer)
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
