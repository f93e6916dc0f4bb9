//! Products that a request names: where no tool in scope is of one, the request is rarely served.

use std::collections::HashMap;

use once_cell::sync::Lazy;

use super::request::Query;
use super::vocabulary::Vocabulary;
use crate::text::cut::{self, Rule};
use crate::text::english::{is_english_form, mainly_english};
use crate::text::terms::{fold, name_key};

/// Words of a request that are looked at.
const MOST_WORDS: usize = 300;

/// Characters of a request that are looked through for names without spaces around them.
const MAX_UNSPACED: usize = 2_000;
/// Letters of a name that stand before an ending: with four, "helm" would be in the Swedish "Helmut".
const SHORTEST_STEM: usize = 5;
/// Letters of the longest ending: "Bitbucketista".
const LONGEST_ENDING: usize = 4;
/// What replaces a last `a` in Slavic languages, the longest first.
const ENDINGS_FOR_A: [&str; 7] = ["ze", "ie", "ou", "y", "e", "u", "i"];

struct Product {
    /// The words of one of its names, folded.
    words: Vec<String>,
    /// The folded names of all spellings.
    keys: Vec<String>,
    /// Whether the word means something else too.
    ambiguous: bool,
}

/// By first word, longest name first.
static PRODUCTS: Lazy<HashMap<String, Vec<Product>>> = Lazy::new(|| {
    let mut products: HashMap<String, Vec<Product>> = HashMap::new();
    let lines = include_str!("../text/data/products.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (ambiguous, line) = line.strip_prefix('^').map_or((false, line), |rest| (true, rest));
        let spellings: Vec<&str> = line.split(',').map(str::trim).collect();
        let keys: Vec<String> = spellings.iter().map(|name| name_key(name)).collect();
        for name in spellings {
            let words = words_of(name).into_iter().map(|(_, word)| word).collect::<Vec<_>>();
            if let Some(first) = words.first().cloned() {
                products.entry(first).or_default().push(Product { words, keys: keys.clone(), ambiguous });
            }
        }
    }
    for list in products.values_mut() {
        list.sort_by_key(|product| std::cmp::Reverse(product.words.len()));
    }
    products
});

/// Names that stand without spaces around them, with the keys of their product: found anywhere in a text.
static UNSPACED: Lazy<Vec<(String, Vec<String>)>> = Lazy::new(|| {
    let products = PRODUCTS.values().flatten();
    let unspaced = products.filter(|product| product.words.iter().any(|word| word.chars().any(is_unspaced)));
    let mut names: Vec<_> = unspaced.map(|product| (product.words.concat(), product.keys.clone())).collect();
    names.sort_unstable();
    names
});

/// Words as they stand, and folded.
fn words_of(text: &str) -> Vec<(&str, String)> {
    cut::words(text, Rule::Written).into_iter().map(|word| (&text[word.clone()], fold(&text[word]))).collect()
}

/// Whether a letter is of a script that is written without spaces.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// The words of a request. What other languages write onto a name is cut off: "Jira'da", "dall'Asana", "Jenkins-Job",
/// "Trelloのカード".
fn words_of_request(text: &str) -> Vec<(&str, String)> {
    let mut words = Vec::new();
    for word in cut::words(text, Rule::Written).into_iter().take(MOST_WORDS) {
        let parts = text[word].split(|c: char| matches!(c, '\'' | '’') || is_unspaced(c));
        for part in parts.filter(|part| !part.is_empty()) {
            let folded = fold(part);
            if part.contains('-') && !PRODUCTS.contains_key(&folded) {
                words.extend(part.split('-').filter(|piece| !piece.is_empty()).map(|piece| (piece, fold(piece))));
            } else {
                words.push((part, folded));
            }
        }
    }
    words
}

/// The product whose name stands in a word with the ending of another language: "Trelloon", "Netflixen", "z Jiry". Names in
/// the middle of a sentence alone: "colab" is how the Spanish "colabora" begins.
fn inflected(words: &[(&str, String)], at: usize) -> Option<&'static Product> {
    let (written, folded) = &words[at];
    if at == 0 || !written.starts_with(char::is_uppercase) || !folded.bytes().all(|c| c.is_ascii_lowercase()) {
        return None;
    }
    let of = |name: &str| PRODUCTS.get(name)?.iter().find(|product| product.words.len() == 1 && !product.ambiguous);
    let whole = (1..=LONGEST_ENDING).filter_map(|letters| folded.len().checked_sub(letters));
    let whole = whole.take_while(|length| *length >= SHORTEST_STEM).find_map(|length| of(&folded[..length]));
    let product = whole.or_else(|| {
        let stem = ENDINGS_FOR_A.iter().find_map(|ending| folded.strip_suffix(ending))?;
        of(&format!("{stem}a"))
    });
    product.filter(|_| !is_english_form(folded))
}

/// Whether a word is the name of a product, whatever stands around it.
pub(super) fn is_known(word: &str) -> bool {
    let named = PRODUCTS.get(&fold(word.trim_matches(|c: char| !c.is_alphanumeric())));
    named.is_some_and(|products| products.iter().any(|product| product.words.len() == 1))
}

/// The step: counts the products that are named and that no tool is of. It changes no text.
pub(super) fn count_absent(query: &mut Query, vocabulary: &Vocabulary) {
    // GitHub Actions is not here because GitHub is: a tool has to be of the last word as well.
    let is_here = |product: &Product| {
        let mut long = product.words.iter().filter(|word| word.len() > 3);
        product.keys.iter().any(|key| vocabulary.is_product(key))
            || (long.clone().any(|word| vocabulary.is_product(word))
                && long.next_back().is_some_and(|word| vocabulary.is_product(word) || vocabulary.is_in_a_name(word)))
    };
    let words = words_of_request(&query.ranked);
    let mut english = None;
    let mut at = 0;
    while at < words.len() {
        let stands = |product: &&Product| {
            let written = words[at..].iter().zip(&product.words);
            product.words.len() <= words.len() - at
                && written.clone().all(|((_, folded), word)| folded == word)
                && (!product.ambiguous || (at > 0 && words[at].0.starts_with(char::is_uppercase)))
        };
        let named = PRODUCTS.get(&words[at].1).and_then(|list| list.iter().find(stands)).or_else(|| {
            let product = inflected(&words, at)?;
            let english = *english.get_or_insert_with(|| mainly_english(&query.ranked));
            (!english).then_some(product)
        });
        at += named.map_or(1, |product| product.words.len());
        query.absent_products += usize::from(named.is_some_and(|product| !is_here(product)));
    }
    if query.ranked.chars().take(MAX_UNSPACED).any(is_unspaced) {
        let text = fold(&query.ranked.chars().take(MAX_UNSPACED).collect::<String>());
        let absent = |(name, keys): &&(String, Vec<String>)| {
            text.contains(name.as_str()) && !keys.iter().any(|key| vocabulary.is_product(key))
        };
        query.absent_products += UNSPACED.iter().filter(absent).count();
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples;
    use super::*;
    use crate::document::tool::ToolDocument;

    #[test]
    fn a_product_that_no_tool_is_of_is_counted() {
        let known = ToolDocument::named("github", "create_issue");
        let vocabulary = Vocabulary::build([&known].into_iter());
        for (absent, text) in examples("absent products").map(|line| line.split_once(" | ").expect(line)).chain([("0", "")]) {
            assert_eq!(Query::prepare(text, &vocabulary).absent_products.to_string(), absent, "{text}");
        }
    }
}
