//! The words of a catalogue as they are written, for correcting a query's.

use std::collections::{HashMap, HashSet};

use super::document::ToolDocument;
use super::terms::stem;

/// A shorter word is near too many others.
pub(super) const SHORTEST_CANDIDATE: usize = 4;

/// A word that a misspelt one may become.
#[derive(Debug)]
pub struct Candidate {
    /// The word.
    pub word: String,
    /// Whether it stands in the name of a tool or server.
    pub in_name: bool,
    /// How many tools hold it.
    pub doc_freq: usize,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Vocabulary {
    words: HashSet<String>,
    stems: HashSet<String>,
    /// By length and first letter, in the order of the alphabet.
    candidates: HashMap<(usize, u8), Vec<Candidate>>,
}

impl Vocabulary {
    /// Collects the words of documents. Descriptions of parameters are left out: they are where
    /// misspelt words are.
    pub fn build<'a>(documents: impl Iterator<Item = &'a ToolDocument>) -> Self {
        let mut counts: HashMap<&str, (usize, bool)> = HashMap::new();
        for document in documents {
            let names = document.name_words.lines().map(|word| (word, true));
            for (word, in_name) in names.chain(document.other_words.lines().map(|word| (word, false))) {
                let count = counts.entry(word).or_default();
                count.0 += 1;
                count.1 |= in_name;
            }
        }
        let mut vocabulary = Self {
            words: counts.keys().map(|word| (*word).to_owned()).collect(),
            stems: counts.keys().map(|word| stem(word)).collect(),
            candidates: HashMap::new(),
        };
        for (word, (doc_freq, in_name)) in counts {
            // One tool's description may be misspelt itself.
            let trusted = in_name || doc_freq >= 2;
            if trusted && word.len() >= SHORTEST_CANDIDATE && word.bytes().all(|c| c.is_ascii_lowercase()) {
                let candidates = vocabulary.candidates.entry((word.len(), word.as_bytes()[0])).or_default();
                candidates.push(Candidate { word: word.to_owned(), in_name, doc_freq });
            }
        }
        for candidates in vocabulary.candidates.values_mut() {
            candidates.sort_unstable_by(|a, b| a.word.cmp(&b.word));
        }
        vocabulary
    }

    /// Whether a word in lower case stands in the catalogue.
    #[must_use]
    pub fn contains(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Whether the word or another form of it stands in the catalogue.
    #[must_use]
    pub fn contains_form(&self, word: &str) -> bool {
        self.contains(word) || self.stems.contains(&stem(word))
    }

    /// The words of a length with a first letter that a misspelt word may become.
    pub fn candidates(&self, length: usize, first: u8) -> &[Candidate] {
        self.candidates.get(&(length, first)).map_or(&[], Vec::as_slice)
    }
}
