//! What a request implies: a path asks for tools that read files, an address for a browser, `#team` for chat.
//!
//! Read from the text as it was written, without pasted code; text is not changed. What a signal looks like stands in
//! `data/signals.txt` and `data/phrases.txt`, which tools it asks for, and how much, in `data/implied.txt`.

use std::collections::HashMap;

use once_cell::sync::Lazy;

use super::foreign;
use super::request::Query;
use super::rows;
use super::vocabulary::Vocabulary;
use crate::document::purpose::{self, Purpose};
use crate::document::tool::ToolDocument;
use crate::text::pattern::Pattern;
use crate::text::terms::name_key;

/// The most bytes of a request that are looked at: signals stand in what a person wrote.
const MAX_BYTES: usize = 4 * 1024;

/// Signals and what their text looks like, in the same order. A word is what stands between white space, without the marks
/// around it.
static SIGNALS: Lazy<Vec<(&str, &str)>> = Lazy::new(|| patterns(include_str!("data/signals.txt")));

/// Signals in runs of words, in English; the files of other languages have theirs.
static PHRASES: Lazy<Vec<(&str, &str)>> = Lazy::new(|| patterns(include_str!("data/phrases.txt")));

/// The signal and the pattern of each line.
fn patterns(text: &'static str) -> Vec<(&'static str, &'static str)> {
    rows(text).filter_map(|line| line.split_once(' ')).collect()
}

/// Standards that are written as tickets are.
const NO_TICKETS: [&str; 14] =
    ["UTF", "SHA", "ISO", "HTTP", "RFC", "CVE", "GPT", "AES", "RSA", "TLS", "WCAG", "COVID", "ES", "IPV"];

static WORDS: Lazy<Option<Pattern>> =
    Lazy::new(|| Pattern::any(&SIGNALS.iter().map(|(_, pattern)| *pattern).collect::<Vec<_>>()));
static RUNS: Lazy<Vec<(&str, Pattern)>> =
    Lazy::new(|| PHRASES.iter().filter_map(|(signal, pattern)| Some((*signal, Pattern::new(pattern)?))).collect());
static ASKS: Lazy<HashMap<&'static str, Vec<(Purpose, f64)>>> = Lazy::new(|| {
    let mut asks: HashMap<&str, Vec<(Purpose, f64)>> = HashMap::new();
    for line in rows(include_str!("data/implied.txt")) {
        let mut words = line.split_whitespace();
        let (Some(signal), Some(purpose), Some(weight)) = (words.next(), words.next().and_then(purpose::purpose), words.next())
        else {
            continue;
        };
        if let Ok(weight) = weight.parse() {
            asks.entry(signal).or_default().push((purpose, weight));
        }
    }
    asks
});

/// The step: finds the signals of what is ranked, and the purposes that they ask for.
pub(super) fn read(query: &mut Query, vocabulary: &Vocabulary) {
    for signal in signals(&query.ranked, |host| vocabulary.is_product(host)) {
        for (purpose, weight) in ASKS.get(signal).into_iter().flatten() {
            match query.implied.iter_mut().find(|(known, _)| known == purpose) {
                Some((_, known)) => *known = known.max(*weight),
                None => query.implied.push((*purpose, *weight)),
            }
        }
    }
}

/// Whether a tool serves what a ticket asks for.
pub fn tracks_issues(tool: &ToolDocument) -> bool {
    let asked = ASKS.get("ticket").map_or(&[][..], Vec::as_slice);
    tool.serves.iter().any(|serves| asked.iter().any(|(purpose, _)| *purpose == serves.purpose))
}

/// Punctuation that surrounds words and is not part of one.
const AROUND: &str = "()[]{}<>\"'`,;!?“”„«»，。、";

/// The signals of a text, each once. An address at a product that is connected is that product's.
pub fn signals(text: &str, is_product: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    let mut found: Vec<&'static str> = Vec::new();
    let mut add = |signal: &'static str| {
        if !found.contains(&signal) {
            found.push(signal);
        }
    };
    for word in text.split(|c: char| c.is_whitespace() || matches!(c, '，' | '。' | '、' | '（' | '）')) {
        let bare = word.trim_matches(|c| AROUND.contains(c)).trim_end_matches(['.', ':']);
        if bare.len() < 2 || bare.len() > 512 || bare.bytes().all(|c| c.is_ascii_lowercase()) {
            continue;
        }
        // `!218` begins with a mark that others end with.
        let bare = if word.trim_start_matches(['(', '"', '`']).starts_with('!') {
            word.trim_matches(['(', ')', '"', '`', ',', '.', '?', ':'])
        } else {
            bare
        };
        let host = bare.trim_start_matches("https://").trim_start_matches("http://");
        let of_product = || host.split(['/', ':']).next().unwrap_or("").split('.').any(|label| is_product(&name_key(label)));
        let Some(at) = WORDS.as_ref().and_then(|words| words.found(bare).first().copied()) else { continue };
        match SIGNALS[at].0 {
            "ticket" if NO_TICKETS.contains(&bare.split('-').next().unwrap_or("")) => {}
            "address" | "domain" | "path" if host.contains('.') && of_product() => {}
            signal => add(signal),
        }
    }
    let of_others = foreign::signals(text);
    for (signal, pattern) in RUNS.iter() {
        if of_others.contains(signal) || pattern.is_in(text) {
            add(signal);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::examples;
    use super::*;
    use crate::text::language::LANGUAGES;

    fn found(text: &str) -> Vec<&'static str> {
        signals(text, |host| host == "figma")
    }

    #[test]
    fn every_line_asks_for_a_purpose_and_every_pattern_is_read() {
        let lines = rows(include_str!("data/implied.txt")).count();
        assert_eq!(ASKS.values().map(Vec::len).sum::<usize>(), lines);
        assert_eq!((WORDS.as_ref().map_or(0, Pattern::count), RUNS.len()), (SIGNALS.len(), PHRASES.len()));
        for signal in ASKS.keys() {
            assert!(SIGNALS.iter().chain(&*PHRASES).any(|(known, _)| known == signal), "{signal}");
        }
    }

    #[test]
    fn a_request_implies_what_its_names_are_of() {
        for (signal, text) in examples("signals").map(|line| line.split_once(" | ").expect(line)) {
            assert!(found(text).contains(&signal), "{text}: {:?}", found(text));
        }
    }

    #[test]
    fn other_languages_imply_signals_that_exist() {
        for language in LANGUAGES.iter() {
            for (signal, words) in &language.words.implied {
                assert!(PHRASES.iter().any(|(known, _)| known == signal) && !words.is_empty(), "{}: {signal}", language.code);
            }
        }
        for (signal, text) in examples("signals of other languages").map(|line| line.split_once(" | ").expect(line)) {
            assert!(found(text).contains(&signal), "{text}: {:?}", found(text));
        }
    }

    #[test]
    fn prose_implies_nothing() {
        for text in
            ["list the open issues, please", "encode it as UTF-8 and SHA-256", "and/or", "50% of it, e.g. this", "", "well..."]
        {
            assert!(found(text).iter().all(|signal| *signal == "repository"), "{text}: {:?}", found(text));
        }
        assert!(found("see https://figma.com/file/Q/Home").is_empty());
    }
}
