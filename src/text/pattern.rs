//! Regular expressions that hold one cache each.
//!
//! An automaton is made while it reads, and keeps up to megabytes of states. The usual types keep one for each thread, up to nine
//! an expression: some 35 MB in a process with a few workers. A text is read in microseconds, so that threads may wait.

use parking_lot::Mutex;
use regex_automata::meta::{Cache, Regex};
use regex_automata::util::iter::Searcher;
use regex_automata::{Input, MatchKind, PatternSet};

/// States that an expression keeps, in bytes: more are made again.
const MOST_CACHED: usize = 1 << 20;

/// One or more expressions that are looked for together.
#[derive(Debug)]
pub struct Pattern {
    regex: Regex,
    cache: Mutex<Cache>,
}

impl Pattern {
    /// One expression; `None` where it cannot be read.
    pub fn new(pattern: &str) -> Option<Self> {
        Self::of(&[pattern], MatchKind::LeftmostFirst)
    }

    /// Several, of which any may be found at the same place.
    pub fn any(patterns: &[&str]) -> Option<Self> {
        Self::of(patterns, MatchKind::All)
    }

    fn of(patterns: &[&str], kind: MatchKind) -> Option<Self> {
        let config = Regex::config().match_kind(kind).hybrid_cache_capacity(MOST_CACHED);
        let regex = Regex::builder().configure(config).build_many(patterns).ok()?;
        let cache = Mutex::new(regex.create_cache());
        Some(Self { regex, cache })
    }

    /// How many expressions it has.
    pub fn count(&self) -> usize {
        self.regex.pattern_len()
    }

    /// Whether one is in a text.
    pub fn is_in(&self, text: &str) -> bool {
        let input = Input::new(text).earliest(true);
        self.regex.search_half_with(&mut self.cache.lock(), &input).is_some()
    }

    /// The places of those that are in a text, in their order.
    pub fn found(&self, text: &str) -> Vec<usize> {
        let mut found = PatternSet::new(self.count());
        self.regex.which_overlapping_matches_with(&mut self.cache.lock(), &Input::new(text), &mut found);
        found.iter().map(|pattern| pattern.as_usize()).collect()
    }

    /// The text with something else wherever the expression is.
    pub fn replaced(&self, text: &str, with: &str) -> String {
        let mut cache = self.cache.lock();
        let mut searcher = Searcher::new(Input::new(text));
        let (mut replaced, mut end) = (String::new(), 0);
        while let Some(found) = searcher.advance(|input| Ok(self.regex.search_with(&mut cache, input))) {
            replaced.push_str(&text[end..found.start()]);
            replaced.push_str(with);
            end = found.end();
        }
        replaced.push_str(&text[end..]);
        replaced
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_and_replaces_as_the_usual_types_do() {
        let texts = ["", "a", "aab a\nb", "é a-b", "ab ab", "größe b"];
        let patterns = ["a+", "b$", r"\bb\b", "x*", "(?i)Ö", r"\w+"];
        let all = Pattern::any(&patterns).unwrap();
        let set = regex::RegexSet::new(patterns).unwrap();
        for text in texts {
            assert_eq!(all.found(text), set.matches(text).iter().collect::<Vec<_>>(), "{text}");
            for pattern in patterns {
                let (ours, usual) = (Pattern::new(pattern).unwrap(), regex::Regex::new(pattern).unwrap());
                assert_eq!(ours.is_in(text), usual.is_match(text), "{pattern} in {text}");
                assert_eq!(ours.replaced(text, "_"), usual.replace_all(text, "_"), "{pattern} in {text}");
            }
        }
        assert!(Pattern::new("(").is_none());
    }
}
