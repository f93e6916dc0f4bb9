//! The words of a catalogue as they are written, for correcting a query's.
//!
//! A generation shares a large count with the generations before it, beside a small one of what changed since.

use std::collections::HashMap;
use std::sync::Arc;

use crate::document::tool::ToolDocument;
use crate::text::english::{is_english_form, is_english_function_word};
use crate::text::terms::{stem, with_stem};

/// A shorter word is near too many others.
pub(super) const SHORTEST_CANDIDATE: usize = 4;
/// A shorter word of a server's name ("ea", "go") is no product's.
const SHORTEST_PRODUCT: usize = 3;
/// Words of servers' names that say what kind of thing they are, and are no product's.
const KINDS: [&str; 12] = ["mcp", "server", "tools", "tool", "dev", "api", "ref", "the", "for", "docs", "local", "remote"];
/// Everything is counted again when one in so many words changed: until then a look at the changes costs little.
const MOST_CHANGED: usize = 8;
/// And not before so many changed: 64 tools have about 2,000 different words.
const FEW_CHANGED: usize = 2_000;

/// A word that a misspelt one may become.
#[derive(Debug)]
pub struct Candidate<'v> {
    pub word: &'v str,
    /// Whether it stands in the name of a tool or server.
    pub in_name: bool,
    /// How many tools hold it.
    pub doc_freq: usize,
}

/// How many documents hold a word: at all, and in their names. Or by how many more or fewer than before.
type Counts = (i32, i32);

#[derive(Debug, Default, Clone)]
struct Counted {
    words: HashMap<Box<str>, Counts>,
    /// How many different words have a stem.
    stems: HashMap<Box<str>, i32>,
    /// How many documents' server is called so, alone or with other words.
    products: HashMap<Box<str>, i32>,
    /// How many documents are called so.
    tool_names: HashMap<Box<str>, i32>,
}

/// A count of documents that is not changed any more.
#[derive(Debug, Default)]
struct Base {
    counted: Counted,
    /// Words of ASCII letters by length and first letter.
    by_letters: HashMap<(usize, u8), Vec<Box<str>>>,
}

#[derive(Debug, Default)]
pub struct Vocabulary {
    base: Arc<Base>,
    changed: Counted,
}

/// Adds to a count without copying a key that is there.
fn add<T: Copy + Default>(counts: &mut HashMap<Box<str>, T>, key: &str, change: impl FnOnce(T) -> T) {
    match counts.get_mut(key) {
        Some(count) => *count = change(*count),
        None => {
            counts.insert(key.into(), change(T::default()));
        }
    }
}

impl Counted {
    /// Counts a document `times` more often. Descriptions of parameters are left out: they are where misspelt words are.
    fn count(&mut self, document: &ToolDocument, times: i32) {
        add(&mut self.tool_names, &document.tool_key, |count: i32| count + times);
        if !is_english_function_word(&document.server_key) {
            add(&mut self.products, &document.server_key, |count: i32| count + times);
        }
        let of_server = document.server_words.lines();
        for word in of_server.filter(|word| word.len() >= SHORTEST_PRODUCT && !KINDS.contains(word)) {
            add(&mut self.products, word, |count: i32| count + times);
        }
        for word in document.name_words.lines() {
            add(&mut self.words, word, |(all, named): Counts| (all + times, named + times));
        }
        for word in document.other_words.lines() {
            add(&mut self.words, word, |(all, named): Counts| (all + times, named));
        }
    }
}

/// Whether a word has the letters that a misspelt one may become.
fn may_be_meant(word: &str) -> bool {
    word.len() >= SHORTEST_CANDIDATE && word.bytes().all(|c| c.is_ascii_lowercase())
}

impl Vocabulary {
    /// Collects the words of documents.
    pub fn build<'a>(documents: impl Iterator<Item = &'a ToolDocument>) -> Self {
        let mut counted = Counted::default();
        for document in documents {
            counted.count(document, 1);
        }
        let mut by_letters: HashMap<(usize, u8), Vec<Box<str>>> = HashMap::new();
        for word in counted.words.keys() {
            with_stem(word, |stem| add(&mut counted.stems, stem, |count: i32| count + 1));
            if may_be_meant(word) {
                by_letters.entry((word.len(), word.as_bytes()[0])).or_default().push(word.clone());
            }
        }
        Self { base: Arc::new(Base { counted, by_letters }), changed: Counted::default() }
    }

    /// The next generation, at the cost of what changed. `None` when so much changed that it is built again as cheaply.
    pub fn next<'a>(
        &self,
        gone: impl Iterator<Item = &'a ToolDocument>,
        new: impl Iterator<Item = &'a ToolDocument>,
    ) -> Option<Self> {
        let mut changed = self.changed.clone();
        gone.for_each(|document| changed.count(document, -1));
        new.for_each(|document| changed.count(document, 1));
        changed.words.retain(|_, count| *count != (0, 0));
        if changed.words.len() > self.base.counted.words.len() / MOST_CHANGED + FEW_CHANGED {
            return None;
        }
        changed.stems.clear();
        for (word, (all, _)) in &changed.words {
            let before = self.base.counted.words.get(word).map_or(0, |(all, _)| *all);
            let change = i32::from(before + all > 0) - i32::from(before > 0);
            if change != 0 {
                with_stem(word, |stem| add(&mut changed.stems, stem, |count: i32| count + change));
            }
        }
        Some(Self { base: Arc::clone(&self.base), changed })
    }

    fn sum(&self, key: &str, map: fn(&Counted) -> &HashMap<Box<str>, i32>) -> i32 {
        [&self.base.counted, &self.changed].into_iter().filter_map(|counted| map(counted).get(key)).sum()
    }

    fn counts(&self, word: &str) -> Counts {
        let both = [&self.base.counted, &self.changed].into_iter().filter_map(|counted| counted.words.get(word));
        both.fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1))
    }

    /// Whether a word in lower case stands in the catalogue.
    pub fn contains(&self, word: &str) -> bool {
        self.counts(word).0 > 0
    }

    /// Whether a folded name is a product's: a server's name, a word of one, or a word of a tool's
    /// name that is no English.
    pub fn is_product(&self, name: &str) -> bool {
        let named = |name: &str| name.len() >= SHORTEST_CANDIDATE && self.counts(name).1 > 0 && !is_english_form(name);
        !name.is_empty() && (self.sum(name, |counted| &counted.products) > 0 || named(name))
    }

    /// Whether a word in lower case stands in a tool's name.
    pub fn is_in_a_name(&self, word: &str) -> bool {
        self.counts(word).1 > 0
    }

    pub fn is_tool_name(&self, name: &str) -> bool {
        self.sum(name, |counted| &counted.tool_names) > 0
    }

    /// Whether the word or another form of it stands in the catalogue.
    pub fn contains_form(&self, word: &str) -> bool {
        self.contains(word) || self.sum(&stem(word), |counted| &counted.stems) > 0
    }

    /// The words of a length with a first letter that a misspelt word may become, in no order.
    pub fn candidates(&self, length: usize, first: u8) -> impl Iterator<Item = Candidate<'_>> {
        let known = self.base.by_letters.get(&(length, first)).map_or(&[][..], Vec::as_slice).iter();
        let begins = move |word: &str| word.len() == length && word.as_bytes()[0] == first && may_be_meant(word);
        let new = self
            .changed
            .words
            .keys()
            .filter(|word| !self.base.counted.words.contains_key(*word))
            .filter(move |word| begins(word));
        known.chain(new).filter_map(|word| {
            let (all, named) = self.counts(word);
            // One tool's description may be misspelt itself.
            let trusted = all > 0 && (named > 0 || all >= 2);
            trusted.then(|| Candidate { word, in_name: named > 0, doc_freq: usize::try_from(all).unwrap_or(0) })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::document::tool::ToolText;
    use proptest::prelude::*;

    fn document(text: &str) -> ToolDocument {
        let (tool_name, described) = text.split_once(' ').unwrap_or((text, ""));
        ToolDocument::new(&ToolText { server_name: "grafana-dev", tool_name, described, ..ToolText::default() })
    }

    /// All that can be asked of some words.
    fn answers(vocabulary: &Vocabulary, words: &[&str]) -> Vec<(bool, bool, bool, bool)> {
        let of = |word: &&str| {
            let (known, form) = (vocabulary.contains(word), vocabulary.contains_form(word));
            (known, form, vocabulary.is_product(word), vocabulary.is_tool_name(word))
        };
        words.iter().map(of).collect()
    }

    proptest! {
        /// The oracle is a vocabulary that was built in one go.
        #[test]
        fn a_next_generation_answers_as_one_that_was_built_at_once(
            texts in prop::collection::vec("(list|lists|kubectl|zzzz)( (pods|pod|nodes|kubectl|zzzz)){0,3}", 12),
            orders in prop::collection::vec(prop::collection::btree_set(0_usize..12, 0..12), 3),
        ) {
            const WORDS: [&str; 9] = ["list", "lists", "kubectl", "zzzz", "pods", "pod", "nodes", "grafana", "dev"];
            let documents: Vec<ToolDocument> = texts.iter().map(|text| document(text)).collect();
            let of = |order: &BTreeSet<usize>| order.iter().map(|at| &documents[*at]).collect::<Vec<_>>();
            let mut before: BTreeSet<usize> = (0..6).collect();
            let mut last = Vocabulary::build(of(&before).into_iter());
            for order in orders {
                let (gone, new) = (&before - &order, &order - &before);
                last = last.next(of(&gone).into_iter(), of(&new).into_iter()).expect("few changed");
                let whole = Vocabulary::build(of(&order).into_iter());
                prop_assert_eq!(answers(&last, &WORDS), answers(&whole, &WORDS));
                for (length, first) in [(4, b'l'), (4, b'z'), (4, b'p'), (5, b'n'), (7, b'k')] {
                    let found = |vocabulary: &Vocabulary| -> BTreeSet<(String, bool, usize)> {
                        let owned = |found: Candidate<'_>| (found.word.to_owned(), found.in_name, found.doc_freq);
                        vocabulary.candidates(length, first).map(owned).collect()
                    };
                    prop_assert_eq!(found(&last), found(&whole));
                }
                before = order;
            }
        }
    }

    #[test]
    fn a_word_of_one_description_alone_is_no_candidate() {
        let documents = ["a reposiotry", "b of nodes", "c of nodes"].map(document);
        let vocabulary = Vocabulary::build(documents.iter());
        assert_eq!(vocabulary.candidates(10, b'r').count(), 0);
        assert_eq!(vocabulary.candidates(5, b'n').map(|found| found.doc_freq).collect::<Vec<_>>(), [2]);
    }
}
