//! The words by which names of tools and parameters are read.

use std::collections::{HashMap, HashSet};

use once_cell::sync::Lazy;

use crate::text::terms::stem;

/// What the verb of a tool's name says that it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Answers with several things, or looks one up.
    Finds,
    /// Answers with one thing, or with several where its name says so.
    Gets,
    /// Makes or opens what was not there.
    Creates,
    /// Changes, sends or ends what is there.
    Changes,
}

const VERBS: [(&str, Verb); 4] =
    [("finds", Verb::Finds), ("gets", Verb::Gets), ("creates", Verb::Creates), ("changes", Verb::Changes)];

/// The groups of `data/words.txt`, by their first words.
static GROUPS: Lazy<HashMap<&'static str, HashSet<&'static str>>> = Lazy::new(|| {
    let lines = include_str!("data/words.txt").lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let group = |line: &'static str| {
        let mut words = line.split_whitespace();
        Some((words.next()?, words.collect()))
    };
    lines.filter_map(group).collect()
});

/// Other names of a thing, by the stem of the one that a parameter has.
static ALIASES: Lazy<HashMap<String, Vec<Vec<String>>>> = Lazy::new(|| {
    let mut aliases: HashMap<String, Vec<Vec<String>>> = HashMap::new();
    for line in include_str!("data/aliases.txt").lines().filter(|line| !line.starts_with('#')) {
        if let Some((word, other)) = line.split_once(' ') {
            aliases.entry(stem(word)).or_default().push(other.split('_').map(stem).collect());
        }
    }
    aliases
});

/// Whether a word in lower case is of a group of `data/words.txt`.
pub fn is(group: &str, word: &str) -> bool {
    GROUPS.get(group).is_some_and(|words| words.contains(word))
}

/// What a verb does.
pub fn verb(word: &str) -> Option<Verb> {
    VERBS.into_iter().find(|(group, _)| is(group, word)).map(|(_, verb)| verb)
}

/// What else lists of a thing may call it.
pub fn aliases(word: &str) -> &'static [Vec<String>] {
    ALIASES.get(word).map_or(&[], Vec::as_slice)
}

/// Whether a word in lower case is an English plural, as far as its end tells.
pub fn is_plural(word: &str) -> bool {
    word.len() > 3 && word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_does_one_thing_and_every_alias_leads_to_another_word() {
        let mut seen = HashSet::new();
        for (group, _) in VERBS {
            assert!(GROUPS[group].iter().all(|word| seen.insert(*word)), "{group}");
        }
        assert!(["opens", "closes"].iter().all(|group| GROUPS[group].iter().all(|word| verb(word).is_some())));
        assert!(ALIASES.iter().all(|(word, others)| others.iter().all(|other| other.as_slice() != [word.clone()])));
    }
}
