//! What developers write short: "the CI of that MR".
//!
//! Unlike a synonym, a short form often is the thing: whoever writes "MR" means nothing but a merge request. Both ways: who
//! writes "pull request" finds a tool that is called `list_prs`.

use std::collections::{HashMap, HashSet};

use once_cell::sync::Lazy;

use super::synonyms::SYNONYM_WEIGHT;
use super::terms::{stem, word_terms, words};

/// What the words weigh that a short form stands for, beside its own.
const SAME: f64 = 0.8;
/// What those weigh that it often stands for.
const OFTEN: f64 = 0.4;

/// A line of the file.
#[derive(Debug)]
struct Line {
    short: String,
    long: Vec<Vec<String>>,
    weight: f64,
}

static LINES: Lazy<Vec<Line>> = Lazy::new(|| {
    let line = |line: &str| {
        let mut parts = line.split_whitespace();
        let (short, sign) = (parts.next()?, parts.next()?);
        let weight = if sign == "=" { SAME } else { OFTEN };
        Some(Line { short: key(short), long: parts.map(|part| part.split('_').map(stem).collect()).collect(), weight })
    };
    include_str!("data/shorthand.txt").lines().filter(|line| !line.starts_with('#')).filter_map(line).collect()
});
static BY_SHORT: Lazy<HashMap<&'static str, &'static Line>> =
    Lazy::new(|| LINES.iter().map(|line| (line.short.as_str(), line)).collect());

/// The term that a short form is indexed by: of `k8s` the joined one.
fn key(short: &str) -> String {
    words(short).iter().flat_map(word_terms).last().unwrap_or_default()
}

/// Adds to terms what the short forms among them stand for, and short forms of which all words are among them.
pub fn add_shorthand(terms: &mut Vec<(String, f64)>) {
    let given: HashSet<String> = terms.iter().map(|(term, _)| term.clone()).collect();
    let mut seen = given.clone();
    for at in 0..given.len().min(terms.len()) {
        let Some(line) = BY_SHORT.get(terms[at].0.as_str()) else { continue };
        for word in line.long.iter().flatten() {
            if seen.insert(word.clone()) {
                terms.push((word.clone(), line.weight));
            }
        }
    }
    let stands_for =
        |line: &&Line| line.weight >= SAME && line.long.iter().any(|long| long.iter().all(|word| given.contains(word)));
    for line in LINES.iter().filter(stands_for) {
        if seen.insert(line.short.clone()) {
            terms.push((line.short.clone(), SYNONYM_WEIGHT));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(text: &[&str]) -> Vec<(String, f64)> {
        let mut terms: Vec<(String, f64)> = text.iter().map(|term| ((*term).to_owned(), 1.0)).collect();
        add_shorthand(&mut terms);
        terms.split_off(text.len())
    }

    #[test]
    fn a_short_form_stands_for_its_words_and_all_of_its_words_for_it() {
        assert_eq!(added(&["mr"])[..2], [("merg".to_owned(), SAME), ("request".to_owned(), SAME)]);
        assert!(added(&["merg", "request"]).contains(&("mr".to_owned(), SYNONYM_WEIGHT)));
        assert!(added(&["request"]).is_empty());
    }

    #[test]
    fn words_of_the_request_keep_their_weight() {
        assert_eq!(added(&["pr", "pull", "request"]).iter().filter(|(term, _)| term == "pull").count(), 0);
    }

    #[test]
    fn every_line_is_read_and_no_short_form_stands_twice() {
        let lines = include_str!("data/shorthand.txt").lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(LINES.len(), lines);
        assert!(LINES.iter().all(|line| !line.long.is_empty()));
    }
}
