//! The languages that requests are read in: a file each, beside this one. `TEMPLATE` says what its
//! lines mean; the build takes every file that is there.
//!
//! The words are this project's own, of software and office work.

use std::collections::{HashMap, HashSet};

use once_cell::sync::Lazy;

use super::terms::fold;

include!(concat!(env!("OUT_DIR"), "/languages.rs"));

/// A script that tells the language by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// Of Arabic.
    Arabic,
    /// Of Russian and Ukrainian.
    Cyrillic,
    /// Of Chinese.
    Han,
    /// Of Japanese.
    Kana,
    /// Of Korean.
    Hangul,
    /// Of Greek.
    Greek,
    /// Of Hebrew.
    Hebrew,
    /// Of Hindi, which is typed in Latin letters as often.
    Devanagari,
}

/// One language. Words are as written unless it says otherwise; every list may be empty.
#[derive(Debug, Default)]
pub struct Language {
    /// Its two letters.
    pub code: &'static str,
    /// Where a text fits two languages equally well, the lower number wins.
    pub order: usize,
    /// The script that no other language has.
    pub script: Option<Script>,
    /// Letters and marks that no other language has.
    pub own_letters: Vec<char>,
    /// Letters between the parts of a word that is written as one; none where words are not joined so.
    pub joints: Vec<&'static str>,
    /// Its most common words, folded.
    pub function_words: HashSet<String>,
    /// How it says what is not wanted.
    pub negation: Negation,
    /// What stands around and between requests.
    pub request: RequestWords,
    /// What its words are in English.
    pub words: Glosses,
}

/// How a language says what is not wanted.
#[derive(Debug, Default)]
pub struct Negation {
    /// What makes a product that follows unwanted.
    pub negations: Vec<Vec<&'static str>>,
    /// Words between a negation and the product.
    pub fillers: Vec<&'static str>,
    /// Words that go on with a list of unwanted products.
    pub negated_list_joiners: Vec<&'static str>,
    /// Words before a negation that make it a fact.
    pub facts: Vec<&'static str>,
    /// Words that a second negation undoes.
    pub negatives: Vec<&'static str>,
    /// Negations that undo one before them.
    pub doubled: Vec<&'static str>,
}

/// What stands around requests, and between two of them.
#[derive(Debug, Default)]
pub struct RequestWords {
    /// Words that close a request.
    pub polite: Vec<&'static str>,
    /// Words between two clauses.
    pub clause_joiners: Vec<Vec<&'static str>>,
    /// Words after a comma that belong to no clause.
    pub after_comma: Vec<&'static str>,
    /// Verbs that requests begin with, and no function words.
    pub request_verbs: Vec<&'static str>,
    /// Words of conversation, which ask for no tool.
    pub small_talk: Vec<&'static str>,
}

/// Words of a language in English, and what they say to a ranking.
#[derive(Debug, Default)]
pub struct Glosses {
    /// English words by the forms that stand for them, in the order of the file.
    pub gloss: Vec<(Vec<&'static str>, Vec<&'static str>)>,
    /// Lines of the same kind for whatever else is asked for, as they stand: they are the most, and read with
    /// [`Glosses::everyday`] once a text is of the language.
    everyday: &'static str,
    /// Names of products by what is written for them in the script of the language.
    pub names: Vec<(&'static str, Vec<&'static str>)>,
    /// What tools are called in the language, by the English word for it.
    pub in_names: Vec<(&'static str, Vec<&'static str>)>,
    /// What implies a signal of `query::implied`, by the signal.
    pub implied: Vec<(&'static str, Vec<&'static str>)>,
}

impl Glosses {
    /// English words by the forms that stand for them beside [`Self::gloss`].
    pub fn everyday(&self) -> impl Iterator<Item = (Vec<&'static str>, Vec<&'static str>)> + use<> {
        let lines = self.everyday.lines().filter(|line| !line.starts_with('#'));
        lines
            .filter_map(|line| line.split_once(" = "))
            .map(|(english, forms)| (english.split_whitespace().collect(), list_of(forms)))
    }
}

fn list_of(words: &'static str) -> Vec<&'static str> {
    words.split(',').map(str::trim).filter(|word| !word.is_empty()).collect()
}

/// All languages, in their order.
pub static LANGUAGES: Lazy<Vec<Language>> = Lazy::new(|| {
    // A file that cannot be read is left out: the test of this module names it.
    let mut languages: Vec<Language> = FILES.iter().filter_map(|(code, text)| Language::read(code, text).ok()).collect();
    languages.sort_by_key(|language| language.order);
    languages
});

/// The places in [`LANGUAGES`] of the languages that have a function word, by the word, folded.
static FUNCTION_WORDS: Lazy<HashMap<&'static str, Vec<usize>>> = Lazy::new(|| {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, language) in LANGUAGES.iter().enumerate() {
        for word in &language.function_words {
            places.entry(word.as_str()).or_default().push(place);
        }
    }
    places
});

/// English words by what they are in tools' names in other languages.
static ENGLISH_IN_NAMES: Lazy<HashMap<&'static str, &'static str>> = Lazy::new(|| {
    let lines = LANGUAGES.iter().flat_map(|language| &language.words.in_names);
    lines.flat_map(|(english, words)| words.iter().map(move |word| (*word, *english))).collect()
});
/// The other way round.
static IN_NAMES: Lazy<HashMap<&'static str, Vec<&'static str>>> = Lazy::new(|| {
    let mut words: HashMap<&str, Vec<&str>> = HashMap::new();
    for (english, others) in LANGUAGES.iter().flat_map(|language| &language.words.in_names) {
        words.entry(english).or_default().extend(others);
    }
    words
});

/// The English for a word of a tool's name in another language.
#[must_use]
pub fn english_in_names(word: &str) -> Option<&'static str> {
    ENGLISH_IN_NAMES.get(word).copied()
}

/// What tools' names say for an English word in other languages.
pub fn in_names(english: &str) -> impl Iterator<Item = &'static str> {
    IN_NAMES.get(english).into_iter().flatten().copied()
}

/// The places in [`LANGUAGES`] of those that a folded word is a function word of.
pub fn having_function_word(word: &str) -> &'static [usize] {
    FUNCTION_WORDS.get(word).map_or(&[], Vec::as_slice)
}

/// One list of all languages.
pub fn all<T: Copy>(list: fn(&Language) -> &[T]) -> Vec<T> {
    LANGUAGES.iter().flat_map(list).copied().collect()
}

/// One list of word sequences of all languages, longest first.
pub fn all_sequences(list: fn(&Language) -> &[Vec<&'static str>]) -> Vec<Vec<&'static str>> {
    let mut all: Vec<_> = LANGUAGES.iter().flat_map(list).cloned().collect();
    all.sort_by_key(|words| std::cmp::Reverse(words.len()));
    all
}

impl Language {
    fn read(code: &'static str, text: &'static str) -> Result<Self, String> {
        let mut language = Self { code, ..Self::default() };
        let (before, rest) = text.split_once("\n[everyday]\n").unwrap_or((text, ""));
        let (everyday, after) = rest.split_at(rest.find("\n[").map_or(rest.len(), |end| end + 1));
        language.words.everyday = everyday;
        let mut section = "";
        let lines = before.lines().chain(after.lines()).map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if ["[gloss]", "[names]", "[in names]", "[implied]"].contains(&line) {
                section = line;
                continue;
            }
            let (name, list) = line.split_once(" = ").ok_or_else(|| format!("{code}: expected name = words, got {line:?}"))?;
            let words = list_of(list);
            match section {
                "[gloss]" => language.words.gloss.push((name.split_whitespace().collect(), words)),
                "[names]" => language.words.names.push((name, words)),
                "[in names]" => language.words.in_names.push((name, words)),
                "[implied]" => language.words.implied.push((name, words)),
                _ => language.set(name, words)?,
            }
        }
        Ok(language)
    }

    fn set(&mut self, name: &str, words: Vec<&'static str>) -> Result<(), String> {
        let sequences = |words: Vec<&'static str>| words.into_iter().map(|words| words.split(' ').collect()).collect();
        match name {
            "order" => self.order = words.concat().parse().map_err(|_| format!("{}: order is no number", self.code))?,
            "script" => {
                self.script = Some(match words[..] {
                    ["Arabic"] => Script::Arabic,
                    ["Cyrillic"] => Script::Cyrillic,
                    ["Han"] => Script::Han,
                    ["Kana"] => Script::Kana,
                    ["Hangul"] => Script::Hangul,
                    ["Greek"] => Script::Greek,
                    ["Hebrew"] => Script::Hebrew,
                    ["Devanagari"] => Script::Devanagari,
                    _ => return Err(format!("{}: unknown script {words:?}", self.code)),
                });
            }
            "own_letters" => self.own_letters = words.iter().flat_map(|letter| letter.chars()).collect(),
            "function_words" => self.function_words = words.into_iter().map(fold).collect(),
            "joints" => self.joints = words,
            "negations" => self.negation.negations = sequences(words),
            "fillers" => self.negation.fillers = words,
            "negated_list_joiners" => self.negation.negated_list_joiners = words,
            "polite" => self.request.polite = words,
            "facts" => self.negation.facts = words,
            "negatives" => self.negation.negatives = words,
            "doubled" => self.negation.doubled = words,
            "clause_joiners" => self.request.clause_joiners = sequences(words),
            "after_comma" => self.request.after_comma = words,
            "request_verbs" => self.request.request_verbs = words,
            "small_talk" => self.request.small_talk = words,
            _ => return Err(format!("{}: unknown line {name:?}", self.code)),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read_whole_and_languages_have_distinct_orders() {
        for (code, text) in FILES {
            assert_eq!(Language::read(code, text).map(|language| language.code), Ok(*code));
        }
        assert_eq!(LANGUAGES.len(), FILES.len());
        assert!(LANGUAGES.windows(2).all(|pair| pair[0].order < pair[1].order));
    }

    #[test]
    fn languages_gloss_the_same_english_in_the_same_order() {
        let english = |language: &Language| language.words.gloss.iter().map(|(english, _)| english.clone()).collect::<Vec<_>>();
        let glossed: Vec<&Language> = LANGUAGES.iter().filter(|language| !language.words.gloss.is_empty()).collect();
        let whole = english(glossed[0]);
        assert!(glossed.iter().filter(|language| english(language) == whole).count() >= 10);
        for language in &glossed {
            // What a shorter list shares with a whole one is in its order.
            let own = english(language);
            let places: Vec<usize> = own.iter().filter_map(|words| whole.iter().position(|known| known == words)).collect();
            assert!(places.is_sorted() && places.len() * 10 >= own.len() * 9, "{}: {places:?}", language.code);
            assert!(language.words.gloss.iter().all(|(_, forms)| !forms.is_empty()), "{}", language.code);
        }
    }

    #[test]
    fn words_of_everyday_life_have_forms_and_say_what_the_gloss_does_not() {
        assert!(LANGUAGES.iter().filter(|language| language.words.everyday().count() >= 100).count() >= 10);
        for language in LANGUAGES.iter() {
            let lines = language.words.everyday.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
            assert_eq!(lines.count(), language.words.everyday().count(), "{}: a line that is no list", language.code);
            let known: HashSet<&str> = language.words.gloss.iter().flat_map(|(_, forms)| forms).copied().collect();
            for (english, forms) in language.words.everyday() {
                assert!(!forms.is_empty() && forms.iter().all(|form| !known.contains(form)), "{}: {english:?}", language.code);
                assert!(english.iter().all(|word| word.is_ascii()), "{}: {english:?}", language.code);
            }
        }
    }

    #[test]
    fn a_name_is_one_english_word_and_is_written_in_another_script() {
        assert!(LANGUAGES.iter().filter(|language| !language.words.names.is_empty()).count() >= 6);
        for language in LANGUAGES.iter() {
            assert!(language.words.names.is_empty() || language.script.is_some(), "{}", language.code);
            for (name, written) in &language.words.names {
                assert!(name.chars().all(|c| c.is_ascii_lowercase()), "{}: {name}", language.code);
                assert!(!written.is_empty() && written.iter().all(|form| !form.is_ascii()), "{}: {name}", language.code);
            }
        }
    }

    #[test]
    fn a_word_of_names_is_one_english_word() {
        let mut english: HashMap<&str, &str> = HashMap::new();
        for language in LANGUAGES.iter() {
            for (known, words) in &language.words.in_names {
                for word in words {
                    assert!(word.chars().all(|c| c.is_ascii_lowercase()), "{}: {word}", language.code);
                    assert_eq!(*english.entry(word).or_insert(known), *known, "{}: {word}", language.code);
                }
            }
        }
        assert_eq!((english_in_names("buscar"), in_names("search").next().is_some()), (Some("search"), true));
    }

    #[test]
    fn a_line_that_is_no_list_is_refused() {
        assert_eq!(Language::read("xx", "function_words").unwrap_err(), "xx: expected name = words, got \"function_words\"");
        assert_eq!(Language::read("xx", "verbs = a").unwrap_err(), "xx: unknown line \"verbs\"");
    }
}
