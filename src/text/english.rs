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
pub fn is_english(word: &str) -> bool {
    ENGLISH.contains(word)
}

/// Whether a word in lower case, or one of its stem, is in the list or a stop word.
pub fn is_english_form(word: &str) -> bool {
    is_english(word) || is_stop_word(word) || ENGLISH_STEMS.contains(&stem(word))
}

/// Whether a word tells that the text around it is English.
pub fn is_english_function_word(word: &str) -> bool {
    is_stop_word(word) || REQUEST_VERBS.contains(word)
}

/// Whether a text is written in English for the most part, as far as its function words tell.
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

/// Whether a text is English by its words: half of them are known at least, since short requests hold names and short forms.
pub fn is_english_text(text: &str) -> bool {
    !text.chars().any(|c| c.is_alphabetic() && !c.is_ascii()) && has_english_words(text)
}

/// The same for a text that may hold letters of others, as names do; its beginning tells.
#[must_use]
pub fn has_english_words(text: &str) -> bool {
    let folded = fold(text);
    let words: Vec<&str> = folded.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 1).take(WORDS_READ).collect();
    let known = words.iter().filter(|word| is_english_form(word)).count();
    known * KNOWN_OF.1 >= words.len() * KNOWN_OF.0
}

const WORDS_READ: usize = 100;
/// So many words of an English text are known.
const KNOWN_OF: (usize, usize) = (1, 2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_english_by_its_words() {
        for text in ["book a flight to Rome", "send an email to the customer", "restart VM 105", "clean this function up"] {
            assert!(is_english_text(text), "{text}");
        }
        for text in [
            "einen Testversand machen",
            "Freigabe löschen",
            "全員に配信",
            "créer un rapport",
            "wyślij fakturę",
            "maak een factuur aan",
        ] {
            assert!(!is_english_text(text), "{text}");
        }
    }

    #[test]
    fn the_lists_hold_words_in_order() {
        let words: Vec<&str> = include_str!("data/words.txt").lines().collect();
        assert!(words.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(words.iter().all(|word| word.len() > 1 && word.bytes().all(|c| c.is_ascii_lowercase())));
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
