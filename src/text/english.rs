//! Words that are known to be English beside the catalogue's.
//!
//! `data/words.txt` is every whole lower-case word of the vocabulary of all-MiniLM-L6-v2, the model
//! that is recommended (its tokenizer's; Apache-2.0, as this project is): 21,719 words, names and
//! technical terms among them. It stands here by itself, so that answers are the same without a
//! model.

use std::collections::HashSet;

use once_cell::sync::Lazy;

use super::language::{all, having_function_word};
use super::terms::{fold, is_stop_word, stem};

static ENGLISH: Lazy<HashSet<&'static str>> = Lazy::new(|| include_str!("data/words.txt").lines().collect());
static REQUEST_VERBS: Lazy<HashSet<&'static str>> =
    Lazy::new(|| all(|language| language.request.request_verbs.as_slice()).into_iter().collect());
static ENGLISH_STEMS: Lazy<HashSet<String>> = Lazy::new(|| ENGLISH.iter().map(|word| stem(word)).collect());

/// Whether a word in lower case is English as far as is known: in the list of words.
#[must_use]
pub fn is_english(word: &str) -> bool {
    ENGLISH.contains(word)
}

/// Whether a word in lower case, or one of its stem, is in the list or a stop word.
#[must_use]
pub fn is_english_form(word: &str) -> bool {
    is_english(word) || is_stop_word(word) || ENGLISH_STEMS.contains(&stem(word))
}

/// Whether a word tells that the text around it is English.
#[must_use]
pub fn is_english_function_word(word: &str) -> bool {
    is_stop_word(word) || REQUEST_VERBS.contains(word)
}

/// Whether a text is written in English for the most part, as far as its function words tell.
#[must_use]
pub fn mainly_english(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let foreign_letters = text.chars().filter(|c| c.is_alphabetic() && *c > '\u{24f}').count();
    if letters == 0 || foreign_letters * 3 > letters {
        return false;
    }
    let folded = fold(text);
    let (mut english, mut foreign) = (0, 0);
    for word in folded.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()) {
        if is_english_function_word(word) {
            english += 1;
        } else if !having_function_word(word).is_empty() {
            foreign += 1;
        }
    }
    foreign == 0 || english >= 2 * foreign
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_hold_words_in_order() {
        let words: Vec<&str> = include_str!("data/words.txt").lines().collect();
        assert!(words.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(words.iter().all(|word| word.len() > 1 && word.bytes().all(|c| c.is_ascii_lowercase())));
    }

    #[test]
    fn english_words_and_their_forms_are_known() {
        for word in ["issue", "repository", "the", "deploying", "searches"] {
            assert!(is_english_form(word), "{word}");
        }
        for word in ["isue", "reposiotry", "kubctl"] {
            assert!(!is_english_form(word), "{word}");
        }
    }

    #[test]
    fn a_language_is_told_by_its_common_words() {
        for text in ["list the open issues", "kubernetes pods", "find the article called \"la vie\" for me and open it"] {
            assert!(mainly_english(text), "{text}");
        }
        for text in ["zeige mir alle offenen Fehler", "montre-moi les tickets ouverts", "список задач", "課題を作成", "42"]
        {
            assert!(!mainly_english(text), "{text}");
        }
    }
}
