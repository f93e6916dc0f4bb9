//! Other words for the lexical arm: synonyms, and words of tools that words of requests lead to.
//!
//! `data/related.txt` was learned from 13,504 requests of our own and the tools that they ask for (`research/make/words.py`): who
//! writes "outage" wants an incident, a status or an alert. Berger and Lafferty ("Information Retrieval as Statistical
//! Translation", 1999) call this translation; here the weights are set so that the tool asked for scores more than others.
//! Recall at 10 over eight labelled sets, BM25 alone in a Python model: 84.3 with synonyms, 86.4 with both.

use std::collections::HashMap;

use once_cell::sync::Lazy;

use super::synonyms::{SYNONYM_WEIGHT, synonyms_of};

/// What several words of a request add to one other word at most. Without a bound a page of text outvotes its own words:
/// 0.1 points less; with 0.3 as much less.
const MOST_WEIGHT: f64 = 0.5;
/// The most other words of a request: each costs a look at its documents. 24 and 48 are within 0.3 points; without a bound they
/// are 98 on average, and bring nothing more.
const MOST_WORDS: usize = 32;

/// Stems of words of tools with their weights, by the stem of a word of requests.
static RELATED: Lazy<HashMap<&'static str, Vec<(&'static str, f64)>>> = Lazy::new(|| {
    let weighed = |word: &'static str| {
        let (word, hundredths) = word.split_once(':')?;
        Some((word, hundredths.parse::<f64>().ok()? / 100.0))
    };
    let line = |line: &'static str| {
        let (word, others) = line.split_once(' ')?;
        Some((word, others.split(' ').filter_map(weighed).collect()))
    };
    include_str!("data/related.txt").lines().filter(|line| !line.starts_with('#')).filter_map(line).collect()
});

/// Adds to terms other words that are not among them, with what they weigh beside a word of weight 1.
pub fn add_other_words(terms: &mut Vec<(String, f64)>) {
    let mut others: Vec<(&str, f64)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (term, weight) in terms.iter() {
        let related = RELATED.get(term.as_str()).map_or(&[][..], Vec::as_slice);
        let weight_of = |word: &str| related.iter().find(|(other, _)| *other == word).map(|(_, weight)| *weight);
        let synonyms = synonyms_of(term).iter().map(String::as_str);
        let synonyms = synonyms.map(|word| (word, weight_of(word).unwrap_or_default().max(SYNONYM_WEIGHT)));
        let learned = related.iter().filter(|(word, _)| !synonyms_of(term).iter().any(|known| known == word));
        for (word, more) in synonyms.chain(learned.map(|(word, more)| (*word, weight * more))) {
            let place = *places.entry(word).or_insert_with(|| {
                others.push((word, 0.0));
                others.len() - 1
            });
            others[place].1 = (others[place].1 + more).min(MOST_WEIGHT);
        }
    }
    others.retain(|(word, _)| !terms.iter().any(|(term, _)| term == word));
    if others.len() > MOST_WORDS {
        others.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        others.truncate(MOST_WORDS);
    }
    let others: Vec<(String, f64)> = others.into_iter().map(|(word, weight)| (word.to_owned(), weight)).collect();
    terms.extend(others);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::terms::{stem, terms};

    fn added(text: &str) -> Vec<(String, f64)> {
        let mut weighed: Vec<(String, f64)> = terms(text).into_iter().map(|term| (term, 1.0)).collect();
        let own = weighed.len();
        add_other_words(&mut weighed);
        weighed.split_off(own)
    }

    #[test]
    fn every_line_is_read_and_names_other_words_by_their_stems() {
        let lines = include_str!("data/related.txt").lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(RELATED.len(), lines);
        assert!(RELATED.values().map(Vec::len).sum::<usize>() > 5_000);
        for (word, others) in RELATED.iter() {
            assert!(others.iter().all(|(other, weight)| other != word && *weight > 0.0 && *weight <= MOST_WEIGHT), "{word}");
        }
    }

    #[test]
    fn a_word_of_a_request_leads_to_words_of_tools_and_they_weigh_less_than_it() {
        let words = added("the outage");
        assert!(words.iter().any(|(word, _)| *word == stem("incident")));
        assert!(words.iter().all(|(_, weight)| *weight > 0.0 && *weight <= MOST_WEIGHT));
        assert_eq!(added(""), []);
    }

    #[test]
    fn a_word_of_the_request_is_no_other_word_and_each_stands_once() {
        let words = added("delete or remove the outage incident, then ship a fix");
        assert!(!words.iter().any(|(word, _)| [stem("delete"), stem("remove"), stem("incident")].contains(word)));
        let mut once: Vec<&String> = words.iter().map(|(word, _)| word).collect();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), words.len());
    }

    #[test]
    fn a_page_of_words_brings_no_more_than_the_bound() {
        let all: Vec<&str> = RELATED.keys().copied().take(500).collect();
        assert_eq!(added(&all.join(" ")).len(), MOST_WORDS);
    }
}
