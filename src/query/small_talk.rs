//! Words of conversation: what is left of a message without them may name something to do.

use std::collections::{HashMap, HashSet};

use once_cell::sync::Lazy;

use super::request::Query;
use super::vocabulary::Vocabulary;
use crate::text::cut::{self, Rule};
use crate::text::language::LANGUAGES;
use crate::text::terms::{fold, is_cjk, is_stop_word};

/// Words of a request that are counted. A longer one is no small talk.
const MOST_WORDS: usize = 300;
/// Letters of text without spaces that make a word, on average.
const LETTERS_OF_WORD: usize = 2;

/// Letters and signs of Thai, Lao, Burmese and Khmer, which are written without spaces too, that make a word; no word of them is known.
const SIGNS_OF_WORD: usize = 5;

/// The words of conversation of all languages: what one says as an answer, another rarely asks for.
#[derive(Default)]
struct Lexicon {
    words: HashSet<String>,
    /// Phrases by their first word, longest first.
    phrases: HashMap<String, Vec<Vec<String>>>,
    /// Of text without spaces, longest first.
    runs: Vec<Vec<char>>,
}

static LEXICON: Lazy<Lexicon> = Lazy::new(|| {
    let mut lexicon = Lexicon::default();
    for language in LANGUAGES.iter() {
        for text in language.request.small_talk.iter().map(|text| fold(text)) {
            if text.contains(is_cjk) && language.script.is_some() {
                lexicon.runs.push(text.chars().filter(|c| !c.is_whitespace()).collect());
                continue;
            }
            let mut words: Vec<String> = cut::words(&text, Rule::Letters).into_iter().map(|word| text[word].to_owned()).collect();
            match words.len() {
                0 => {}
                1 => lexicon.words.extend(words.pop()),
                _ => lexicon.phrases.entry(words[0].clone()).or_default().push(words),
            }
        }
        lexicon.words.extend(language.function_words.iter().cloned());
    }
    for phrases in lexicon.phrases.values_mut() {
        phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
    }
    lexicon.runs.sort_by_key(|run| std::cmp::Reverse(run.len()));
    lexicon
});

/// The step: counts the words, and those of them that may name something. It changes no text.
pub(super) fn count(query: &mut Query, _: &Vocabulary) {
    (query.word_count, query.content_words) = count_words(&query.ranked);
}

/// How many words a text has, and how many of them are no words of conversation.
fn count_words(text: &str) -> (usize, usize) {
    let folded = fold(text);
    let words: Vec<&str> = cut::words(&folded, Rule::Letters).into_iter().take(MOST_WORDS).map(|word| &folded[word]).collect();
    let (mut count, mut content, mut at) = (0, 0, 0);
    while at < words.len() {
        let word = words[at];
        if word.contains(is_cjk) {
            let (all, left) = count_run(word);
            count += all;
            content += left;
            at += 1;
        } else if let Some(length) = LEXICON.phrase(&words[at..]) {
            count += length;
            at += length;
        } else {
            count += 1;
            content += usize::from(!LEXICON.words.contains(word) && !is_stop_word(word) && !LEXICON.has_parts(word));
            at += 1;
        }
    }
    let is_unspaced = |c: &char| matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}');
    let unspaced = text.chars().filter(is_unspaced).count() / SIGNS_OF_WORD;
    (count.max(unspaced), content.max(unspaced))
}

/// The same for a run of text without spaces.
fn count_run(run: &str) -> (usize, usize) {
    let letters: Vec<char> = run.chars().collect();
    let (mut left, mut at) = (0_usize, 0);
    while at < letters.len() {
        let known = LEXICON.runs.iter().find(|run| letters[at..].starts_with(run));
        left += usize::from(known.is_none());
        at += known.map_or(1, Vec::len);
    }
    (letters.len().div_ceil(LETTERS_OF_WORD), left.div_ceil(LETTERS_OF_WORD))
}

impl Lexicon {
    /// How many words the phrase that begins here has.
    fn phrase(&self, words: &[&str]) -> Option<usize> {
        let phrases = self.phrases.get(words[0])?;
        let stands = |phrase: &&Vec<String>| {
            phrase.len() <= words.len() && phrase.iter().zip(words).all(|(part, word)| part.as_str() == *word)
        };
        phrases.iter().find(stands).map(Vec::len)
    }

    /// Whether all parts of a word with apostrophes or hyphens are words of conversation: "that's".
    fn has_parts(&self, word: &str) -> bool {
        let is_part = |part: &str| part.chars().count() < 2 || self.words.contains(part) || is_stop_word(part);
        word.contains(['\'', '’', '-']) && word.split(['\'', '’', '-']).all(is_part)
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples;
    use super::*;

    #[test]
    fn words_of_conversation_are_no_content_in_any_language() {
        for text in examples("small talk").chain([""]) {
            assert_eq!(count_words(text).1, 0, "{text}");
        }
    }

    #[test]
    fn what_names_a_thing_has_content() {
        for (text, least) in [
            ("create an issue", 2),
            ("Lösche die Datei", 2),
            ("查询数据库的表", 2),
            ("ok, and the pods", 1),
            ("ลบไฟล์ในเซิร์ฟเวอร์", 3),
        ] {
            let (all, content) = count_words(text);
            assert!(content >= least && content <= all, "{text}: {content} of {all}");
        }
    }

    proptest::proptest! {
        #[test]
        fn content_is_part_of_all(text in "\\PC{0,80}|[okja,继续 ]{0,40}") {
            let (all, content) = count_words(&text);
            proptest::prop_assert!(content <= all);
        }
    }
}
