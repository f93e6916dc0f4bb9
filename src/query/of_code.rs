//! Whether a request speaks of code in the workspace alone: "convert these callbacks to async/await" is work for the host's
//! own tools.
//!
//! It does where words and spellings of code stand in it, and nothing that lies outside: a person, an address, a ticket, a
//! word such as "deploy". The words are in `data/of_code.txt`. The step changes nothing but its flag.

use std::collections::HashSet;

use once_cell::sync::Lazy;

use super::request::{OfCode, Query};
use super::vocabulary::Vocabulary;
use super::{code, implied, products};
use crate::text::pattern::Pattern;
use crate::text::terms::{stem, terms};

/// Spellings that are code: an identifier in camel case, a class, an error by its name or number, a line of a file, a call.
const SPELLINGS: [&str; 7] = [
    r"(?-u:\b)[a-z]+(?:[A-Z][a-z0-9]+)+(?-u:\b)",
    r"(?-u:\b)(?:[A-Z][a-z0-9]{3,}){2,}(?-u:\b)",
    r"\berror\[\w+\]|(?-u:\b)(?:TS|CS|E)\d{4}(?-u:\b)|Traceback \(most recent",
    r"(?-u:\b)\w+(?:Error|Exception)(?-u:\b)|\bpanicked at\b",
    r"(?i)\blines? \d{1,5}\b|\w\.\w{1,4}:\d{1,5}\b",
    r"(?m)^\s+at .+:\d+",
    r"\b[A-Za-z_]\w*\(\)|=>|`[^`\n]+`",
];
/// A request with signs of code may be about code alone where it says at most so many other things for each.
const MOST_BESIDE: usize = 10;
/// With two signs or more it surely is where it says at most so many other things for each.
const BESIDE_EACH: usize = 5;

static SPELT: Lazy<Option<Pattern>> = Lazy::new(|| Pattern::any(&SPELLINGS));
static LISTS: Lazy<Lists> = Lazy::new(|| Lists::read(include_str!("data/of_code.txt")));

#[derive(Debug, Default)]
struct Lists {
    code: HashSet<String>,
    marks: Vec<String>,
    outside: HashSet<String>,
    signals: HashSet<String>,
}

impl Lists {
    fn read(text: &str) -> Self {
        let mut lists = Self::default();
        for (name, words) in text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" = ")) {
            let words = words.split(", ");
            match name {
                "code" => lists.code = words.map(stem).collect(),
                "outside" => lists.outside = words.map(stem).collect(),
                "marks" => lists.marks = words.map(str::to_lowercase).collect(),
                _ => lists.signals = words.map(str::to_owned).collect(),
            }
        }
        lists
    }
}

/// The step.
pub(super) fn read(query: &mut Query, _: &Vocabulary) {
    query.of_code = how_far(query);
}

fn how_far(query: &Query) -> OfCode {
    let own: Vec<&str> = query.terms.iter().filter(|(_, weight)| *weight >= 1.0).map(|(term, _)| term.as_str()).collect();
    let outside: Vec<&str> = own.iter().copied().filter(|term| LISTS.outside.contains(*term)).collect();
    if !outside.is_empty() {
        // "InvoiceMailer" asks for no invoice; scripts without spaces write on behind a name.
        let words = query.text.split(|c: char| c.is_whitespace() || !c.is_ascii());
        let (names, plain): (Vec<&str>, Vec<&str>) = words.partition(|word| is_spelt(word));
        let [in_names, in_plain] = [names, plain].map(|words| terms(&words.join(" ")).into_iter().collect::<HashSet<_>>());
        if outside.iter().any(|term| in_plain.contains(*term) || !in_names.contains(*term)) {
            return OfCode::Not;
        }
    }
    let text = query.text.to_lowercase();
    let words = own.iter().filter(|term| LISTS.code.contains(**term)).count();
    let marks = LISTS.marks.iter().filter(|mark| text.contains(mark.as_str())).count();
    // "PagerDuty" is written like a class.
    let of_code: String = query.text.split_inclusive(char::is_whitespace).filter(|word| !products::is_known(word)).collect();
    let spelt = SPELT.as_ref().map_or(0, |spelt| spelt.found(&of_code).len()) + usize::from(code::holds_code(&query.text));
    let beside = query.content_words.saturating_sub(words + marks);
    let found = match words + marks + spelt {
        0 => return OfCode::Not,
        signs if signs > 1 && beside <= BESIDE_EACH * signs => OfCode::Surely,
        signs if beside <= MOST_BESIDE * signs => OfCode::Perhaps,
        _ => return OfCode::Not,
    };
    // Last, since it reads the text by many patterns, and most texts have no sign of code.
    let implies_outside = || implied::signals(&query.text, |_| false).iter().any(|signal| LISTS.signals.contains(*signal));
    if implies_outside() { OfCode::Not } else { found }
}

/// Whether a word is a name in code or a path; "GitHub," and "(Slack" are not.
fn is_spelt(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| c.is_ascii_punctuation() && c != '_');
    let spelt = |pair: &[u8]| {
        let is_camel = pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
        is_camel || (b"_/.(".contains(&pair[0]) && pair[1].is_ascii_alphanumeric())
    };
    let is_outside = |part: &str| LISTS.outside.contains(&stem(&part.to_lowercase()));
    (word.contains("()") || bare.as_bytes().windows(2).any(spelt)) && !bare.split('/').all(is_outside)
}

#[cfg(test)]
mod tests {
    use super::super::examples;
    use super::*;

    fn of_code(text: &str) -> bool {
        Query::prepare(text, &Vocabulary::default()).of_code != OfCode::Not
    }

    #[test]
    fn work_on_code_is_of_code_in_any_language() {
        for text in examples("of code") {
            assert!(of_code(text), "{text}");
        }
    }

    #[test]
    fn what_lies_outside_of_it_is_not() {
        for text in examples("not of code").chain([""]) {
            assert!(!of_code(text), "{text}");
        }
    }

    #[test]
    fn every_list_and_spelling_is_read() {
        assert_eq!(SPELT.as_ref().map(Pattern::count), Some(SPELLINGS.len()));
        assert!(LISTS.code.len() > 100 && LISTS.outside.len() > 50 && LISTS.marks.len() > 10 && LISTS.signals.len() > 10);
        assert!(LISTS.code.is_disjoint(&LISTS.outside));
    }
}
