//! Products that a request names: where no tool in scope is of one, the request is rarely served.

use std::collections::HashMap;

use once_cell::sync::Lazy;

use super::request::Query;
use super::vocabulary::Vocabulary;
use crate::text::cut::{self, Rule};
use crate::text::terms::{fold, name_key};

/// Words of a request that are looked at.
const MOST_WORDS: usize = 300;

/// A known product.
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

/// Words as they stand, and folded.
fn words_of(text: &str) -> Vec<(&str, String)> {
    let words = cut::words(text, Rule::Written).into_iter().take(MOST_WORDS).map(|word| &text[word]);
    words.map(|word| (word, fold(word).trim_end_matches("'s").to_owned())).collect()
}

/// The step: counts the products that are named and that no tool is of. It changes no text.
pub(super) fn count_absent(query: &mut Query, vocabulary: &Vocabulary) {
    let words = words_of(&query.ranked);
    let mut at = 0;
    while at < words.len() {
        let stands = |product: &&Product| {
            let written = words[at..].iter().zip(&product.words);
            product.words.len() <= words.len() - at
                && written.clone().all(|((_, folded), word)| folded == word)
                && (!product.ambiguous || (at > 0 && words[at].0.starts_with(char::is_uppercase)))
        };
        let Some(product) = PRODUCTS.get(&words[at].1).and_then(|list| list.iter().find(stands)) else {
            at += 1;
            continue;
        };
        at += product.words.len();
        let is_here = |key: &String| vocabulary.is_product(key);
        let is_part = |word: &String| word.len() > 3 && vocabulary.is_product(word);
        if !product.keys.iter().any(is_here) && !product.words.iter().any(is_part) {
            query.absent_products += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tool::ToolDocument;

    #[test]
    fn a_product_that_no_tool_is_of_is_counted() {
        let known = ToolDocument::named("github", "create_issue");
        let vocabulary = Vocabulary::build([&known].into_iter());
        for (text, absent) in [
            ("open an issue on GitHub", 0),
            ("open an issue in jira and one on github", 1),
            ("what's assigned to me in Monday.com?", 1),
            ("post it to Slack", 1),
            ("cut it some slack", 0),
            ("put it into Google Sheets, and k8s", 2),
            ("", 0),
        ] {
            assert_eq!(Query::prepare(text, &vocabulary).absent_products, absent, "{text}");
        }
    }
}
