//! What the words of a language stand for in English: its forms, as they are looked up.

use std::collections::HashMap;

use once_cell::sync::{Lazy, OnceCell};

use super::language::{LANGUAGES, Language};
use super::terms::{fold, is_cjk};

/// What `*` may stand for, in letters.
const LONGEST_ENDING: usize = 6;
/// A shorter beginning says nothing.
const SHORTEST_PREFIX: usize = 3;
/// A word that is joined of two has so many letters at least, and each part so many.
const SHORTEST_JOINED: usize = 8;
const SHORTEST_PART: usize = 4;

type English = Vec<&'static str>;

/// The forms of one language.
#[derive(Debug, Default)]
pub(super) struct Forms {
    pub(super) exact: HashMap<String, English>,
    /// Beginnings of words.
    prefixes: HashMap<String, English>,
    /// Forms of several words, in the order of the file.
    phrases: Vec<(Vec<String>, English)>,
    /// The places of phrases by their first word, and of those whose first word is a beginning.
    phrases_by_word: HashMap<String, Vec<usize>>,
    phrases_by_beginning: Vec<usize>,
    /// Forms in text without spaces.
    pub(super) runs: Runs,
    /// Names in text without spaces.
    pub(super) names: Runs,
}

/// What stands for what in text without spaces.
#[derive(Debug, Default)]
pub(super) struct Runs {
    english: HashMap<String, English>,
    /// The letters of the longest.
    longest: usize,
}

impl Runs {
    pub(super) fn is_empty(&self) -> bool {
        self.english.is_empty()
    }

    fn add(&mut self, run: String, english: &English) {
        self.longest = self.longest.max(run.chars().count());
        self.english.entry(run).or_default().extend(english);
    }

    /// The longest run that a text begins with, and its bytes.
    pub(super) fn first_in(&self, text: &str) -> Option<(usize, &English)> {
        let ends: Vec<usize> = text.char_indices().take(self.longest).map(|(at, letter)| at + letter.len_utf8()).collect();
        ends.into_iter().rev().find_map(|end| Some((end, self.english.get(&text[..end])?)))
    }
}

/// The forms of a language, read with its first text; `None` for one that has none.
pub(super) fn forms_of(language: &Language) -> Option<&'static Forms> {
    static LEXICON: Lazy<HashMap<&'static str, OnceCell<Forms>>> = Lazy::new(|| {
        let glossed = |language: &&Language| language.words.gloss.len() + language.words.everyday().take(1).count() > 0;
        LANGUAGES.iter().filter(glossed).map(|language| (language.code, OnceCell::new())).collect()
    });
    LEXICON.get(language.code).map(|forms| forms.get_or_init(|| Forms::of_language(language)))
}

impl Forms {
    fn of_language(language: &Language) -> Self {
        let mut forms = Self::default();
        for (english, written) in language.words.gloss.iter().cloned().chain(language.words.everyday()) {
            for form in written {
                forms.add(form, &english);
            }
        }
        for (name, written) in &language.words.names {
            for form in written {
                let english = vec![*name];
                if form.contains(is_cjk) { forms.names.add(fold(form), &english) } else { forms.add(form, &english) }
            }
        }
        forms
    }

    fn add(&mut self, form: &str, english: &English) {
        let folded = fold(form);
        if form.contains(is_cjk) {
            self.runs.add(folded, english);
        } else if let Some((first, _)) = folded.split_once(' ') {
            let place = self.phrases.len();
            if first.ends_with('*') {
                self.phrases_by_beginning.push(place);
            } else {
                self.phrases_by_word.entry(first.to_owned()).or_default().push(place);
            }
            self.phrases.push((folded.split(' ').map(str::to_owned).collect(), english.clone()));
        } else if let Some(prefix) = folded.strip_suffix('*') {
            self.prefixes.entry(prefix.to_owned()).or_insert_with(|| english.clone());
        } else {
            self.exact.entry(folded).or_default().extend(english);
        }
    }

    /// The English words for a folded word: its own, or those of the longest beginning.
    pub(super) fn of(&self, word: &str) -> Option<&English> {
        let ends = || std::iter::once(word.len()).chain(word.char_indices().rev().map(|(at, _)| at));
        let beginnings = || ends().take(LONGEST_ENDING + 1).map(|end| &word[..end]).filter(|prefix| is_long_enough(prefix));
        self.exact.get(word).or_else(|| beginnings().find_map(|prefix| self.prefixes.get(prefix)))
    }

    /// The English for a word that is joined of two, the longest second part first; where only one of them is known, for that.
    pub(super) fn of_joined(&self, word: &str, joints: &[&str]) -> Vec<&'static str> {
        if joints.is_empty() || word.chars().count() < SHORTEST_JOINED {
            return Vec::new();
        }
        let is_part = |part: &str| part.chars().count() >= SHORTEST_PART;
        let first = |part: &str| {
            let bare = joints.iter().filter_map(|joint| part.strip_suffix(joint));
            std::iter::once(part).chain(bare).filter(|part| is_part(part)).find_map(|part| self.of(part))
        };
        let splits = || word.char_indices().map(|(at, _)| word.split_at(at)).filter(|(a, b)| is_part(a) && is_part(b));
        let both = splits().find_map(|(a, b)| Some((first(a)?, self.of(b)?)));
        let second = || splits().find_map(|(_, b)| self.of(b));
        let longest_first = || splits().filter_map(|(a, _)| first(a)).next_back();
        match both {
            Some((a, b)) => a.iter().chain(b).copied().collect(),
            None => second().or_else(longest_first).cloned().unwrap_or_default(),
        }
    }

    /// The phrase that begins here, with its number of words: the longest, of several the first of the file.
    pub(super) fn phrase(&self, words: &[Word<'_>]) -> Option<(usize, &English)> {
        let stands = |(phrase, _): &(Vec<String>, English)| {
            phrase.len() <= words.len()
                && phrase.iter().zip(words).all(|(part, word)| match part.strip_suffix('*') {
                    Some(prefix) => word.folded.starts_with(prefix),
                    None => word.folded == *part,
                })
        };
        let begun = self.phrases_by_word.get(&words.first()?.folded).into_iter().flatten();
        let places = begun.chain(&self.phrases_by_beginning).copied();
        let standing = places.filter(|place| stands(&self.phrases[*place]));
        let longest_first = |place: &usize| (std::cmp::Reverse(self.phrases[*place].0.len()), *place);
        let (phrase, english) = &self.phrases[standing.min_by_key(longest_first)?];
        Some((phrase.len(), english))
    }
}

fn is_long_enough(prefix: &str) -> bool {
    prefix.chars().nth(SHORTEST_PREFIX - 1).is_some()
}

/// A word as it stands in the text, and folded.
pub(super) struct Word<'a> {
    pub(super) written: &'a str,
    pub(super) folded: String,
}
