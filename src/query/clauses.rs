//! The parts of a request that ask for several things.
//!
//! "Find the failing build and tell the team in Slack" wants two tools, and a score over all of its
//! words finds tools that are a bit of both. So each clause is scored too, and a tool keeps the
//! better of its clauses beside the whole: +0.6 points of recall at 10 and +0.9 of complete answers
//! in 30 over eight labelled sets, 5 and 20 for requests that ask for several things.
//!
//! Sentences always end a clause; commas and words such as "and then" end one where both sides are
//! long enough to say something.

use std::ops::Range;

use once_cell::sync::Lazy;

use super::request::{Clause, Query, distinct_terms};
use super::vocabulary::Vocabulary;
use crate::text::cut::{self, Rule};
use crate::text::language::{all, all_sequences};
use crate::text::related::add_other_words;
use crate::text::synonyms::add_short_forms;
use crate::text::terms::is_cjk;

/// A part of fewer words joins the part before it. 3 is 0.1 points worse.
const MIN_WORDS: usize = 5;
/// Each clause costs a pass over all tools; a request with more of them is a pasted text, and gets
/// as many longer ones.
const MAX_CLAUSES: usize = 16;

/// Words between two clauses, after white space.
static JOINERS: Lazy<Vec<Vec<&'static str>>> = Lazy::new(|| all_sequences(|language| language.request.clause_joiners.as_slice()));
/// Words that may follow a comma and belong to no clause.
static AFTER_COMMA: Lazy<Vec<&'static str>> = Lazy::new(|| all(|language| language.request.after_comma.as_slice()));

/// The step: finds the clauses of what is ranked. It changes no text; each clause has its own terms.
pub(super) fn split(query: &mut Query, _: &Vocabulary) {
    let clause = |range: Range<usize>| {
        let mut terms = distinct_terms(&query.ranked[range.clone()]);
        add_short_forms(&mut terms);
        add_other_words(&mut terms);
        Clause { range, terms }
    };
    query.clauses = clauses(&query.ranked).into_iter().map(clause).collect();
}

/// The byte ranges of the clauses of a text, in order; none when it is all one.
pub fn clauses(text: &str) -> Vec<Range<usize>> {
    let parts: Vec<Range<usize>> =
        sentences(text).into_iter().flat_map(|sentence| merged(text, parts_of(text, sentence))).collect();
    let clauses = merged(text, parts);
    let together = clauses.len().div_ceil(MAX_CLAUSES).max(1);
    let clauses: Vec<Range<usize>> =
        clauses.chunks(together).map(|run| run[0].start..run.last().unwrap_or(&run[0]).end).collect();
    if clauses.len() > 1 { clauses } else { Vec::new() }
}

/// Joins what is too short with what stands before it; a short first part with the second.
fn merged(text: &str, parts: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(parts.len());
    let short = |part: &Range<usize>| word_count(&text[part.clone()]) < MIN_WORDS;
    for part in parts {
        match merged.last_mut() {
            Some(last) if short(&part) || short(last) => last.end = part.end,
            _ => merged.push(part),
        }
    }
    merged
}

/// Words between white space; three characters of Chinese, Japanese or Korean are one.
fn word_count(text: &str) -> usize {
    text.split_whitespace().count() + text.chars().filter(|c| is_cjk(*c)).count() / 3
}

/// The range without white space and commas around it, if anything is left.
fn trimmed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let outer = |c: char| c.is_whitespace() || matches!(c, ',' | '、' | '，');
    let part = &text[range.clone()];
    let start = range.start + part.len() - part.trim_start_matches(outer).len();
    let end = start + text[start..range.end].trim_matches(outer).len();
    (start < end).then_some(start..end)
}

/// Splits at line ends, and at white space after a mark that ends a sentence, with a closing quote
/// or bracket between them.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let (mut before_last, mut last) = (' ', ' ');
    for (at, c) in text.char_indices() {
        let ends = |c: char| matches!(c, '.' | '!' | '?' | ';' | ':');
        let closed = ends(last) || (matches!(last, '"' | '\'' | ')') && ends(before_last));
        if c == '\n' || matches!(c, '。' | '！' | '？' | '；') || (c.is_whitespace() && closed) {
            sentences.extend(trimmed(text, start..at));
            start = at + c.len_utf8();
        }
        (before_last, last) = (last, c);
    }
    sentences.extend(trimmed(text, start..text.len()));
    sentences
}

/// Splits a sentence at commas and joiners.
fn parts_of(text: &str, sentence: Range<usize>) -> Vec<Range<usize>> {
    let place = |word: Range<usize>| word.start + sentence.start..word.end + sentence.start;
    let words: Vec<Range<usize>> = cut::words(&text[sentence.clone()], Rule::Spaced).into_iter().map(place).collect();
    let lower: Vec<String> = words.iter().map(|word| text[word.clone()].to_lowercase()).collect();
    let mut parts = Vec::new();
    let (mut start, mut at) = (sentence.start, 0);
    while at < words.len() {
        let after_comma = at > 0 && ends_in_comma(text, words[at - 1].end);
        let skipped = if after_comma {
            lower[at..].iter().take_while(|word| AFTER_COMMA.contains(&word.as_str())).count()
        } else if at > 0 {
            let joins = |joiner: &&Vec<&str>| {
                lower[at..].len() > joiner.len() && joiner.iter().zip(&lower[at..]).all(|(word, here)| word == here)
            };
            JOINERS.iter().find(joins).map_or(0, Vec::len)
        } else {
            0
        };
        if after_comma || skipped > 0 {
            // Two joiners in a row have nothing between them.
            parts.extend(trimmed(text, start..words[at - 1].end.max(start)));
            start = words.get(at + skipped).map_or(sentence.end, |word| word.start);
        }
        at += skipped.max(1);
    }
    parts.extend(trimmed(text, start..sentence.end));
    parts
}

fn ends_in_comma(text: &str, end: usize) -> bool {
    text[..end].ends_with([',', '、', '，'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        clauses(text).into_iter().map(|clause| &text[clause]).collect()
    }

    #[test]
    fn joined_requests_are_two() {
        assert_eq!(
            split("Find the failing build of today and then tell the team in Slack"),
            ["Find the failing build of today", "tell the team in Slack"]
        );
        assert_eq!(
            split("suche alle offenen Fehler im Projekt und schreibe dem Team eine Nachricht"),
            ["suche alle offenen Fehler im Projekt", "schreibe dem Team eine Nachricht"]
        );
    }

    #[test]
    fn sentences_and_lines_are_clauses() {
        assert_eq!(
            split("The page says \"not found for me.\" Open the newest incident we have\nThen list who is on call"),
            ["The page says \"not found for me.\"", "Open the newest incident we have", "Then list who is on call"]
        );
    }

    #[test]
    fn a_part_that_says_too_little_joins_the_one_before() {
        assert_eq!(split("create, update and delete issues"), Vec::<&str>::new());
        assert_eq!(
            split("List pods, nodes and services of the cluster, then restart the worker that fails"),
            ["List pods, nodes and services of the cluster", "restart the worker that fails"]
        );
        assert_eq!(split("Hello! Show me the weather in Paris."), Vec::<&str>::new());
    }

    #[test]
    fn one_request_has_no_clauses() {
        for text in ["", " \n ", "and", ",", "list the open issues of e.g. the repository v1.2.3", "a and b"] {
            assert_eq!(split(text), Vec::<&str>::new(), "{text:?}");
        }
    }

    #[test]
    fn chinese_is_split_at_its_own_marks() {
        assert_eq!(
            split("查找今天失败的构建任务和原因说明，然后在频道里通知整个开发团队成员"),
            ["查找今天失败的构建任务和原因说明", "然后在频道里通知整个开发团队成员"]
        );
    }

    #[test]
    fn a_pasted_text_has_few_clauses() {
        let text = "one two three four five six. ".repeat(1000);
        assert!((2..=MAX_CLAUSES).contains(&clauses(&text).len()));
    }

    proptest::proptest! {
        #[test]
        fn clauses_are_ranges_of_the_text_in_order(text in "[a-c ,.\n、é]{0,120}( and [a-z ]{0,40}){0,4}") {
            let clauses = clauses(&text);
            proptest::prop_assert!(clauses.iter().all(|clause| clause.start < clause.end && text.get(clause.clone()).is_some()));
            proptest::prop_assert!(clauses.windows(2).all(|pair| pair[0].end <= pair[1].start));
        }
    }
}
