//! What tools are about: words of their names and of the first sentence of their descriptions.

use std::collections::BTreeMap;

use crate::text::names::is_empty_word;
use crate::text::terms::{stem, words};

/// The most words of a name, of a sentence, and letters of a word that are read.
const MAX_WORDS: usize = 8;
const MAX_SAID: usize = 16;
const MAX_LETTERS: usize = 24;
/// The most bytes of a description that are read.
const MAX_BYTES: usize = 400;

/// A word, and how it is told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    pub stem: String,
    /// The word, singular where its end says so.
    pub word: String,
}

impl Topic {
    fn new(word: &str) -> Self {
        let word: String = word.chars().take(MAX_LETTERS).collect();
        Self { stem: stem(&word), word: singular(&word) }
    }
}

/// Topics of the words of a name, each once.
pub fn of_words(words: &[String]) -> Vec<Topic> {
    let mut topics: Vec<Topic> = Vec::new();
    for word in words.iter().take(MAX_WORDS) {
        let topic = Topic::new(word);
        if !topics.iter().any(|known| known.stem == topic.stem) {
            topics.push(topic);
        }
    }
    topics
}

/// Topics of the first sentence of a description.
pub fn of_sentence(description: &str) -> Vec<Topic> {
    let head = &description[..description.floor_char_boundary(MAX_BYTES)];
    let sentence = head.split(['.', '\n', ';']).find(|part| !part.trim().is_empty()).unwrap_or("");
    let said: Vec<String> = words(sentence).into_iter().flat_map(|word| word.pieces).collect();
    said.iter().filter(|word| !is_empty_word(word)).take(MAX_SAID).map(|word| Topic::new(word)).collect()
}

/// How each stem is written: the same whichever tools there are, as far as words of one stem have one singular.
pub fn spelled(topics: &[&Topic]) -> BTreeMap<String, String> {
    let mut spelled: BTreeMap<String, String> = BTreeMap::new();
    for topic in topics {
        let known = spelled.entry(topic.stem.clone()).or_insert_with(|| topic.word.clone());
        if (topic.word.len(), &topic.word) < (known.len(), &*known) {
            known.clone_from(&topic.word);
        }
    }
    spelled
}

fn singular(word: &str) -> String {
    if let Some(head) = word.strip_suffix("ies").filter(|head| head.len() > 2) {
        return format!("{head}y");
    }
    for end in ["sses", "xes", "ches", "shes"] {
        if word.ends_with(end) {
            return word[..word.len() - 2].to_owned();
        }
    }
    let is_plural = word.len() > 3 && word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    if is_plural { word[..word.len() - 1].to_owned() } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_thing_are_written_alike() {
        for (word, expected) in
            [("issues", "issue"), ("repositories", "repository"), ("status", "status"), ("boxes", "box"), ("access", "access")]
        {
            assert_eq!(singular(word), expected);
        }
    }
}
