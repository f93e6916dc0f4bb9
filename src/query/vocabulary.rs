//! The words of a catalogue as they are written, for correcting a query's.

use std::collections::{HashMap, HashSet};

use crate::document::tool::ToolDocument;
use crate::text::english::is_english_form;
use crate::text::terms::stem;

/// A shorter word is near too many others.
pub(super) const SHORTEST_CANDIDATE: usize = 4;
/// A shorter word of a server's name ("ea", "go") is no product's.
const SHORTEST_PRODUCT: usize = 3;
/// Words of servers' names that say what kind of thing they are, and are no product's.
const KINDS: [&str; 12] = ["mcp", "server", "tools", "tool", "dev", "api", "ref", "the", "for", "docs", "local", "remote"];

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
    products: HashSet<String>,
    tool_names: HashSet<String>,
    stems: HashSet<String>,
    /// By length and first letter, in the order of the alphabet.
    candidates: HashMap<(usize, u8), Vec<Candidate>>,
}

impl Vocabulary {
    /// Collects the words of documents. Descriptions of parameters are left out: they are where
    /// misspelt words are.
    pub fn build<'a>(documents: impl Iterator<Item = &'a ToolDocument>) -> Self {
        let mut counts: HashMap<&str, (usize, bool)> = HashMap::new();
        let mut products = HashSet::new();
        let mut tool_names = HashSet::new();
        for document in documents {
            tool_names.insert(document.tool_key.clone());
            products.insert(document.server_key.clone());
            products.extend(
                document
                    .server_words
                    .lines()
                    .filter(|word| word.len() >= SHORTEST_PRODUCT && !KINDS.contains(word))
                    .map(str::to_owned),
            );
            let names = document.name_words.lines().map(|word| (word, true));
            for (word, in_name) in names.chain(document.other_words.lines().map(|word| (word, false))) {
                let count = counts.entry(word).or_default();
                count.0 += 1;
                count.1 |= in_name;
            }
        }
        let named =
            counts.iter().filter(|(word, (_, in_name))| *in_name && word.len() >= SHORTEST_CANDIDATE && !is_english_form(word));
        products.extend(named.map(|(word, _)| (*word).to_owned()));
        products.remove("");
        let mut vocabulary = Self {
            products,
            tool_names,
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

    /// Whether a folded name is a product's: a server's name, a word of one, or a word of a tool's
    /// name that is no English.
    #[must_use]
    pub fn is_product(&self, name: &str) -> bool {
        self.products.contains(name)
    }

    /// Whether a folded name is a tool's.
    #[must_use]
    pub fn is_tool_name(&self, name: &str) -> bool {
        self.tool_names.contains(name)
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
