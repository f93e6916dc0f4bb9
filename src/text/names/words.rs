//! The words by which names of tools and parameters are read, verbs aside.

use std::collections::{HashMap, HashSet};

use once_cell::sync::Lazy;

use crate::text::language;
use crate::text::synonyms;
use crate::text::terms::stem;

/// The groups of `data/name_words.txt`, by their first words.
static GROUPS: Lazy<HashMap<&'static str, HashSet<&'static str>>> = Lazy::new(|| {
    let lines = include_str!("../data/name_words.txt").lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let group = |line: &'static str| {
        let mut words = line.split_whitespace();
        Some((words.next()?, words.collect()))
    };
    lines.filter_map(group).collect()
});

/// Other names of a thing, by the stem of the one that a parameter has.
static ALIASES: Lazy<HashMap<String, Vec<Vec<String>>>> = Lazy::new(|| {
    let lines = include_str!("../data/name_aliases.txt").lines().filter(|line| !line.starts_with('#'));
    let alike = lines.filter_map(|line| line.split_once(' ')).chain(synonyms::names_of_one_thing());
    let mut aliases: HashMap<String, Vec<Vec<String>>> = HashMap::new();
    for (word, other) in alike {
        let (known, other) = (aliases.entry(stem(word)).or_default(), other.split('_').map(stem).collect());
        if !known.contains(&other) {
            known.push(other);
        }
    }
    aliases
});

/// Whether a word in lower case is of a group of `data/name_words.txt`, in any language of names.
pub fn is(group: &str, word: &str) -> bool {
    let has = |word: &str| GROUPS.get(group).is_some_and(|words| words.contains(word));
    has(word) || language::english_in_names(word).is_some_and(has)
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
    fn every_alias_leads_to_another_word() {
        assert!(ALIASES.iter().all(|(word, others)| others.iter().all(|other| other.as_slice() != [word.clone()])));
        assert_eq!(aliases("mr"), [["merg", "request"].map(str::to_owned).to_vec()]);
    }

    #[test]
    fn a_word_is_of_its_group_in_every_language_of_names() {
        assert!(is("empty", "the") && is("empty", "der") && is("identifies", "kennung") && !is("empty", "branch"));
    }
}
