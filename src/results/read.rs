//! What a reader of a held result gets: the passages that fit a need, the values at a path, or a range.

use std::collections::HashSet;
use std::fmt::{self, Write as _};

use super::budget::Budget;
use super::content::{flags_of, warning};
use super::describe::{kinds, look};
use super::json::{Members, Type, compact, unescaped};
use super::kind::Kind;
use super::lines::{self, lines};
use super::part::Part;
use super::passages::{Passage, Passages};
use super::path::values;
use super::rank::{Found, Ranked, rank};
use crate::error::{Error, Refusal, Result};
use crate::text::tokens;

/// What is asked of a result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// What is looked for, each by itself.
    pub needs: Vec<String>,
    /// Where: a path into its JSON.
    pub path: Option<String>,
    /// Lines from 1, or elements from 0 of the array at the path: both ends are included.
    pub range: Option<(usize, usize)>,
    /// What the answer may cost.
    pub max_tokens: usize,
}

/// A passage of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Quoted {
    /// Its place in the result.
    pub place: String,
    /// What it says.
    pub text: String,
    /// Which of the needs it answers; 0 without needs.
    pub need: usize,
    /// What it was ordered by, within its need.
    pub score: f64,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// For the model.
    pub text: String,
    /// What the text quotes; of needs, best first.
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
/// Otherwise, behind what fits, what stands next to the best of it.
const WITH_NEIGHBOURS: usize = 12;
const LEAST_SHARE: f64 = 0.3;
/// What a note at the end may cost.
const NOTE_TOKENS: usize = 60;
/// Bytes of one passage of JSON.
const SHOWN_BYTES: usize = 4_096;

/// Answers what is asked of the parts of a result. `field` is the name of the call.
///
/// # Errors
///
/// `ERR_INVALID_ARGUMENT` for a path or range that the result does not have.
pub fn read(parts: &[Part], wanted: &Wanted, field: &str) -> Result<Answer> {
    let mut budget = Budget::new(wanted.max_tokens.saturating_sub(NOTE_TOKENS.min(wanted.max_tokens / 4)));
    let at_path = wanted.path.as_deref().map(|path| at_path(parts, path, field)).transpose()?;
    let mut answer = if !wanted.needs.is_empty() {
        let passages = match &at_path {
            Some((part, found)) => Passages::of_values(part, found),
            None => Passages::of(parts),
        };
        by_needs(&passages, parts, &wanted.needs, &mut budget)
    } else if let Some((part, found)) = at_path {
        by_path(part, &found, wanted.range, &mut budget)
    } else if let Some((first, last)) = wanted.range {
        by_lines(parts, first, last, &format!("{field}.range"), &mut budget)?
    } else {
        let text = format!("{}\n{}", kinds(parts), look(parts, &mut budget));
        Answer { text, ..Answer::default() }
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

/// Values with their paths.
type Values = Vec<(String, std::ops::Range<usize>)>;

/// The values at a path, in the first JSON that has them.
fn at_path<'p>(parts: &'p [Part], path: &str, field: &str) -> Result<(&'p Part, Values)> {
    let field = format!("{field}.path");
    let mut refused = None;
    for part in parts.iter().filter(|part| part.kind == Kind::Json) {
        match values(&part.text, part.value(), path, &field) {
            Ok(found) => return Ok((part, found)),
            Err(refusal) => refused = refused.or(Some(refusal)),
        }
    }
    let no_json =
        || Refusal::new(field, format!("no path, as the result is {}; use need or range", kinds(parts)), format!("{path:?}"));
    Err(refused.unwrap_or_else(no_json).into())
}

fn by_needs(passages: &Passages, parts: &[Part], needs: &[String], budget: &mut Budget) -> Answer {
    let texts: Vec<&str> = needs.iter().map(String::as_str).collect();
    let ranked = rank(passages, &texts);
    let mut answer = Answer::default();
    let all = budget.left();
    for (at, (need, ranked)) in needs.iter().zip(&ranked).enumerate() {
        // What earlier needs left is for the later ones.
        let mut own = Budget::new(budget.left() / (needs.len() - at));
        let before = own.left();
        if needs.len() > 1 {
            let line = format!("need: {}", need.chars().take(120).collect::<String>());
            if own.take(&line) {
                answer.text.push_str(&line);
                answer.text.push('\n');
            }
        }
        if ranked.found.is_empty() {
            nothing(parts, &mut own, &mut answer);
        } else {
            quote(passages, ranked, at, &mut own, &mut answer);
        }
        *budget = Budget::new(budget.left().saturating_sub(before - own.left()));
    }
    if answer.is_cut {
        let used = all - budget.left();
        answer.say(format_args!(
            "({} of {} passages, {used} tokens; ask with other words, a path or a range for more)",
            answer.passages.len(),
            passages.list.len()
        ));
    }
    answer
}

fn nothing(parts: &[Part], budget: &mut Budget, answer: &mut Answer) {
    let line = "Nothing has these words. What there is:";
    if budget.take(line) {
        answer.text.push_str(line);
        answer.text.push('\n');
        let mut some = Budget::new(budget.left().min(300));
        answer.text.push_str(&look(parts, &mut some));
        *budget = Budget::new(budget.left().saturating_sub(300));
    }
}

/// Quotes the best that there is room for, in the order of the result.
fn quote(passages: &Passages, ranked: &Ranked, need: usize, budget: &mut Budget, answer: &mut Answer) {
    let best = ranked.found.first().filter(|_| ranked.covered >= COVERED).map_or(f64::NEG_INFINITY, |found| found.score);
    let mut chosen: Vec<(usize, String)> = Vec::new();
    let neighbours = if best > f64::NEG_INFINITY { Vec::new() } else { neighbours(passages, &ranked.found) };
    for found in ranked.found.iter().chain(&neighbours) {
        if found.score < LEAST_SHARE * best && !chosen.is_empty() {
            break;
        }
        let passage = &passages.list[found.at];
        let shown = written(passages, passage);
        if !budget.take(&shown) {
            answer.is_cut = true;
            if !chosen.is_empty() {
                break;
            }
            let beginning = format!("{}…", budget.beginning(&shown));
            *budget = Budget::new(0);
            chosen.push((found.at, beginning));
            answer.passages.push(quoted(passages, passage, need, found.score));
            break;
        }
        answer.passages.push(quoted(passages, passage, need, found.score));
        chosen.push((found.at, shown));
    }
    chosen.sort_by_key(|(at, _)| *at);
    let mut context = None;
    for (at, shown) in chosen {
        let passage = &passages.list[at];
        // A heading or row of names that is the same as above is not said again.
        let is_same = passage.context.is_some() && context == Some(passages.context_of(passage));
        context = passage.context.map(|_| passages.context_of(passage));
        let heading = header(passages, passage);
        match shown.strip_prefix(&heading) {
            Some(rest) if is_same => answer.say(format_args!("[{}]{rest}\n", passage.place)),
            _ => answer.say(format_args!("{shown}\n")),
        }
    }
}

/// What stands before and behind the best passages, where it is not among those found.
fn neighbours(passages: &Passages, found: &[Found]) -> Vec<Found> {
    let mut known: HashSet<usize> = found.iter().map(|found| found.at).collect();
    let beside = found.iter().take(WITH_NEIGHBOURS).flat_map(|found| [found.at + 1, found.at.wrapping_sub(1)]);
    let is_new = |at: &usize| *at < passages.list.len() && known.insert(*at);
    beside.filter(is_new).map(|at| Found { at, score: 0.0 }).collect()
}

fn quoted(passages: &Passages, passage: &Passage, need: usize, score: f64) -> Quoted {
    Quoted { place: passage.place.clone(), text: body(passages, passage), need, score }
}

fn header(passages: &Passages, passage: &Passage) -> String {
    match passages.context_of(passage) {
        "" => format!("[{}]", passage.place),
        context => format!("[{} · {context}]", passage.place),
    }
}

fn body(passages: &Passages, passage: &Passage) -> String {
    let text = passages.text_of(passage);
    if passage.is_json { compact(text, SHOWN_BYTES) } else { text.trim_end().to_owned() }
}

fn written(passages: &Passages, passage: &Passage) -> String {
    format!("{}\n{}", header(passages, passage), body(passages, passage))
}

fn by_path(part: &Part, found: &Values, range: Option<(usize, usize)>, budget: &mut Budget) -> Answer {
    if let [(path, value)] = found.as_slice() {
        return one_value(part, path, value, range, budget);
    }
    let (first, last) = range.unwrap_or((0, usize::MAX));
    let chosen = found.iter().skip(first).take(last.saturating_add(1).saturating_sub(first));
    let mut answer = Answer::default();
    for (path, value) in chosen {
        add(&mut answer, budget, path, &compact(part.text.get(value.clone()).unwrap_or(""), SHOWN_BYTES));
        if answer.is_cut {
            break;
        }
    }
    note(&mut answer, first, found.len(), "values");
    answer
}

/// Adds a value with its path, if there is room; of the first one as much as there is room for.
fn add(answer: &mut Answer, budget: &mut Budget, place: &str, text: &str) {
    let line = format!("{place} = {text}");
    if budget.take(&line) {
        answer.text.push_str(&line);
    } else {
        answer.is_cut = true;
        if !answer.passages.is_empty() {
            return;
        }
        answer.text.push_str(budget.beginning(&line));
        answer.text.push('…');
    }
    answer.text.push('\n');
    answer.passages.push(Quoted { place: place.to_owned(), text: text.to_owned(), need: 0, score: 0.0 });
}

/// Says how many of how many are quoted, where not all are.
fn note(answer: &mut Answer, first: usize, all: usize, what: &str) {
    let next = first + answer.passages.len();
    if next < all && answer.is_cut {
        answer.say(format_args!(
            "({what} {first} to {} of {all}; range \"{next}-{}\" goes on)\n",
            next.saturating_sub(1),
            all - 1
        ));
    }
}

/// Lists within lists of one element that are looked into: a server may nest as many as it likes.
const MAX_SINGLES: usize = 32;

fn one_value(
    part: &Part,
    path: &str,
    value: &std::ops::Range<usize>,
    range: Option<(usize, usize)>,
    budget: &mut Budget,
) -> Answer {
    let text = part.text.as_ref();
    let (mut path, mut value, mut range) = (path.to_owned(), value.clone(), range);
    for _ in 0..MAX_SINGLES {
        if Type::of(text, &value) != Type::Array {
            return plain_value(text, &path, &value, range, budget);
        }
        let whole = compact(text.get(value.clone()).unwrap_or(""), usize::MAX);
        if range.is_none() && budget.take(&format!("{path} = {whole}")) {
            return whole_value(&path, &whole);
        }
        let mut elements: Values =
            Members::of(text, &value).enumerate().map(|(at, member)| (format!("{path}[{at}]"), member.value)).collect();
        if elements.len() != 1 {
            return by_path(part, &elements, range, budget);
        }
        (path, value) = elements.remove(0);
        range = None;
    }
    let whole = format!("{path} = {}", compact(text.get(value).unwrap_or(""), SHOWN_BYTES));
    Answer { is_cut: true, text: format!("{}\n", budget.beginning(&whole)), ..Answer::default() }
}

fn whole_value(path: &str, whole: &str) -> Answer {
    let passage = Quoted { place: path.to_owned(), text: whole.to_owned(), need: 0, score: 0.0 };
    Answer { text: format!("{path} = {whole}\n"), passages: vec![passage], ..Answer::default() }
}

/// A value that is no list.
fn plain_value(
    text: &str,
    path: &str,
    value: &std::ops::Range<usize>,
    range: Option<(usize, usize)>,
    budget: &mut Budget,
) -> Answer {
    let mut answer = Answer::default();
    if Type::of(text, value) == Type::Text && (range.is_some() || unescaped(text, value).contains('\n')) {
        let inside = unescaped(text, value);
        let (first, last) = range.unwrap_or((1, usize::MAX));
        add_lines(&mut answer, budget, (&inside, 1), first, last);
        return answer;
    }
    let whole = compact(text.get(value.clone()).unwrap_or(""), usize::MAX);
    if budget.take(&format!("{path} = {whole}")) {
        return whole_value(path, &whole);
    }
    if Type::of(text, value) == Type::Text {
        add_lines(&mut answer, budget, (&unescaped(text, value), 1), 1, usize::MAX);
    } else {
        let outline = format!("{path} is {}", super::outline::outline(text, value, SHOWN_BYTES));
        answer.is_cut = true;
        answer.text = format!("{}\n", budget.beginning(&outline));
    }
    answer
}

/// Lines of the whole result.
fn by_lines(parts: &[Part], first: usize, last: usize, field: &str, budget: &mut Budget) -> Result<Answer> {
    let all = parts.last().map_or(0, |part| part.first_line + lines::count(&part.text) - 1);
    if first > all || first > last || first == 0 {
        return Err(Error::invalid(field, format!("lines from 1 to {all}"), format!("{first}-{last}")));
    }
    let mut answer = Answer::default();
    for part in parts {
        add_lines(&mut answer, budget, (&part.text, part.first_line), first, last);
    }
    Ok(answer)
}

/// Adds lines with their numbers as far as there is room.
fn add_lines(answer: &mut Answer, budget: &mut Budget, (text, first_line): (&str, usize), first: usize, last: usize) {
    let mut next = None;
    for line in lines(text) {
        let number = line.number + first_line - 1;
        if number < first || number > last || answer.is_cut {
            next = next.or(Some(number).filter(|_| answer.is_cut && number <= last));
            continue;
        }
        let written = format!("{number}: {}", line.text);
        if budget.take(&written) {
            answer.text.push_str(&written);
            answer.text.push('\n');
        } else {
            answer.is_cut = true;
            if answer.text.is_empty() {
                answer.say(format_args!("{}…\n", budget.beginning(&written)));
            } else {
                next = Some(number);
            }
        }
    }
    if let Some(next) = next {
        answer.say(format_args!("(range \"{next}-{}\" goes on)\n", (first_line + lines::count(text) - 1).min(last)));
    }
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
