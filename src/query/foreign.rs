//! Signals in words of other languages, from the languages' files.
//!
//! Most requests hold none of them, so one look for the beginnings of all decides which patterns are made and tried.

use std::collections::HashSet;

use aho_corasick::AhoCorasick;
use once_cell::sync::{Lazy, OnceCell};

use crate::text::language::{LANGUAGES, Script};
use crate::text::pattern::Pattern;

/// A signal with the words of all languages that imply it.
struct Foreign {
    signal: &'static str,
    words: Vec<(&'static str, Option<Script>)>,
    pattern: OnceCell<Option<Pattern>>,
}

static FOREIGN: Lazy<Vec<Foreign>> = Lazy::new(|| {
    let mut found: Vec<Foreign> = Vec::new();
    for language in LANGUAGES.iter() {
        for (signal, words) in &language.words.implied {
            let at = found.iter().position(|known| known.signal == *signal).unwrap_or_else(|| {
                found.push(Foreign { signal, words: Vec::new(), pattern: OnceCell::new() });
                found.len() - 1
            });
            found[at].words.extend(words.iter().map(|words| (*words, language.script)));
        }
    }
    found
});

/// Finds the beginnings of words, in lower case; the signal of each, by its place in [`FOREIGN`].
static BEGINNINGS: Lazy<Option<(AhoCorasick, Vec<usize>)>> = Lazy::new(|| {
    let signals = FOREIGN.iter().enumerate();
    let all = signals.flat_map(|(at, foreign)| foreign.words.iter().map(move |(words, _)| (beginning(words).to_lowercase(), at)));
    let (beginnings, of): (Vec<String>, Vec<usize>) = all.unzip();
    Some((AhoCorasick::new(beginnings).ok()?, of))
});

/// What is written letter by letter before anything else may stand.
fn beginning(words: &str) -> &str {
    let end = words.find(['*', '_']).into_iter().chain(words.find("...")).min().unwrap_or(words.len());
    words[..end].trim_end()
}

/// The words of a language as a pattern; `TEMPLATE` of the languages says what `*`, `_` and `...` mean.
fn pattern(words: &str, script: Option<Script>) -> String {
    let parts: Vec<String> = words.split(' ').map(regex_syntax::escape).collect();
    let joined = parts.join(" ").replace(r" \.\.\. ", r" (?:\S+ ){0,4}?").replace(" _ ", r" \w+ ");
    // These write words without spaces, or with endings of any kind.
    if matches!(script, Some(Script::Han | Script::Kana | Script::Hangul)) {
        return joined;
    }
    let end = joined.strip_suffix(r"\*");
    format!(r"\b{}{}", end.unwrap_or(&joined), if end.is_some() { "" } else { r"\b" })
}

impl Foreign {
    fn is_in(&self, text: &str) -> bool {
        let made = || {
            let all: Vec<String> = self.words.iter().map(|(words, script)| pattern(words, *script)).collect();
            Pattern::new(&format!("(?i:{})", all.join("|")))
        };
        self.pattern.get_or_init(made).as_ref().is_some_and(|pattern| pattern.is_in(text))
    }
}

/// The signals that words of other languages imply.
pub(super) fn signals(text: &str) -> HashSet<&'static str> {
    let Some((beginnings, of)) = &*BEGINNINGS else { return HashSet::new() };
    let lower = text.to_lowercase();
    let near: HashSet<usize> = beginnings.find_overlapping_iter(&lower).map(|found| of[found.pattern().as_usize()]).collect();
    let said = near.into_iter().map(|at| &FOREIGN[at]).filter(|foreign| foreign.is_in(text));
    said.map(|foreign| foreign.signal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_for_beginnings_finds_what_trying_every_pattern_finds() {
        let naive = |text: &str| -> HashSet<&str> {
            FOREIGN.iter().filter(|foreign| foreign.is_in(text)).map(|foreign| foreign.signal).collect()
        };
        for (words, _) in FOREIGN.iter().flat_map(|foreign| &foreign.words) {
            let said = words.replace(" ... ", " x y ").replace(" _ ", " Bas ").replace('*', "en");
            for text in
                [said.clone(), format!("ok, {said}!"), said.to_uppercase(), format!("a{said}b"), said.chars().skip(1).collect()]
            {
                assert_eq!(signals(&text), naive(&text), "{text}");
            }
            assert!(!naive(&said).is_empty(), "{said}");
        }
        assert!(signals("fix the type error in line 40").is_empty());
    }
}
