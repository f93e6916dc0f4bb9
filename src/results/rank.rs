//! Passages of one result by words: BM25 over the result's own words, with its own statistics.
//!
//! A result is read once and thrown away, so nothing is indexed: each different word is analysed once per call, and
//! those that nobody asks for are forgotten.

use std::collections::HashMap;

use super::passages::Passage;
use crate::text::bm25::{B, K1};
use crate::text::hidden;
use crate::text::synonyms::{SYNONYM_WEIGHT, add_short_forms, synonyms_of};
use crate::text::terms::terms;

/// Different words that are remembered: a text of random words must not fill the memory.
const KEPT_WORDS: usize = 65_536;
/// Longer words are data, and are not analysed.
const WORD_BYTES: usize = 256;
const MAX_TERMS: usize = 256;

/// A passage that fits a need.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    pub at: usize,
    /// What it is ordered by.
    pub score: f64,
}

/// The passages for a need.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranked {
    /// Best first, without those that have nothing of the need.
    pub found: Vec<Found>,
    /// How much of the need's own words the best has, from 0 to 1; rare ones count more.
    pub covered: f64,
}

struct Asked {
    term: String,
    /// Less for what the need does not say itself.
    weight: f64,
}

fn asked(need: &str) -> Vec<Asked> {
    let mut found: Vec<(String, f64)> = Vec::new();
    for term in terms(need).into_iter().take(MAX_TERMS) {
        if !found.iter().any(|(known, _)| *known == term) {
            found.push((term, 1.0));
        }
    }
    let own = found.len();
    add_short_forms(&mut found);
    for at in 0..own {
        for synonym in synonyms_of(&found[at].0) {
            if !found.iter().any(|(known, _)| known == synonym) {
                found.push((synonym.clone(), SYNONYM_WEIGHT));
            }
        }
    }
    found.into_iter().map(|(term, weight)| Asked { term, weight }).collect()
}

/// How often each asked term stands in one passage, by its place among them, and how many terms the passage has.
type Counts = (Vec<(usize, u32)>, u32);

/// Analyses words, each different one once: how many terms it has, and which of them are asked for.
struct Words<'a> {
    places: HashMap<&'a str, usize>,
    known: HashMap<String, (u32, Box<[usize]>)>,
}

impl Words<'_> {
    fn count(&mut self, text: &str) -> Counts {
        let (mut found, mut length) = (Vec::new(), 0);
        for word in text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.') || is_mark(c))) {
            if word.is_empty() {
                continue;
            }
            if !self.known.contains_key(word) {
                self.learn(word);
            }
            let (terms, asked) = &self.known[word];
            length += terms;
            found.extend(asked.iter().copied());
        }
        found.sort_unstable();
        let counts = found.chunk_by(|a, b| a == b).map(|run| (run[0], u32::try_from(run.len()).unwrap_or(u32::MAX)));
        (counts.collect(), length)
    }

    fn learn(&mut self, word: &str) {
        if self.known.len() >= KEPT_WORDS {
            self.known.clear();
        }
        let analysed = if word.len() > WORD_BYTES { Vec::new() } else { terms(word) };
        let asked = analysed.iter().filter_map(|term| self.places.get(term.as_str()).copied()).collect();
        self.known.insert(word.to_owned(), (u32::try_from(analysed.len().max(1)).unwrap_or(1), asked));
    }
}

/// A mark that belongs to the letter before it.
fn is_mark(c: char) -> bool {
    !c.is_ascii() && unicode_normalization::char::is_combining_mark(c)
}

/// The passages of a text by what is asked.
#[expect(clippy::cast_precision_loss, reason = "counts of passages are far below 2^52")]
pub fn rank(text: &str, passages: &[Passage], need: &str) -> Ranked {
    let asked = asked(need);
    let places = asked.iter().enumerate().map(|(at, asked)| (asked.term.as_str(), at)).collect();
    let mut words = Words { places, known: HashMap::new() };
    let is_json = text.trim_start().starts_with(['{', '[']);
    let counts: Vec<Counts> = passages
        .iter()
        .map(|passage| {
            let own = &text[passage.range.clone()];
            if is_json && own.contains('\\') { words.count(&readable(own)) } else { words.count(own) }
        })
        .collect();
    let mut holders = vec![0_usize; asked.len()];
    for (at, _) in counts.iter().flat_map(|(found, _)| found) {
        holders[*at] += 1;
    }
    // `ln(1 + (N - n + 0.5) / (n + 0.5))`, as tools are ranked.
    let all = counts.len() as f64;
    let rarity: Vec<f64> = holders.iter().map(|holds| (1.0 + (all - *holds as f64 + 0.5) / (*holds as f64 + 0.5)).ln()).collect();
    let mean = (counts.iter().map(|(_, length)| f64::from(*length)).sum::<f64>() / all.max(1.0)).max(1.0);
    let (k1, b) = (f64::from(K1), f64::from(B));
    let mut found: Vec<Found> = Vec::new();
    for (at, (terms, length)) in counts.iter().enumerate().filter(|(_, (terms, _))| !terms.is_empty()) {
        let norm = k1 * (1.0 - b + b * f64::from(*length) / mean);
        let of_term = |(term, times): &(usize, u32)| {
            asked[*term].weight * rarity[*term] * f64::from(*times) * (k1 + 1.0) / (f64::from(*times) + norm)
        };
        found.push(Found { at, score: terms.iter().map(of_term).sum() });
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.at.cmp(&b.at)));
    let own = |at: &usize| asked[*at].weight >= 1.0;
    let of = |places: &mut dyn Iterator<Item = usize>| places.filter(own).map(|at| rarity[at]).sum::<f64>();
    let needed = of(&mut (0..asked.len()));
    let covered =
        found.first().map_or(0.0, |best| of(&mut counts[best.at].0.iter().map(|(at, _)| *at)) / needed.max(f64::MIN_POSITIVE));
    Ranked { found, covered }
}

/// A piece of JSON with the escapes of its texts read, for ranking: no JSON any more.
fn readable(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        made.push_str(&rest[..at]);
        let escape = rest[at + 1..].chars().next();
        let read = match escape {
            Some('u') => hidden::escaped(&rest[at..]),
            Some(c @ ('"' | '\\' | '/')) => Some((c, 2)),
            _ => None,
        };
        let (c, length) = read.unwrap_or((' ', 1 + escape.map_or(0, char::len_utf8)));
        made.push(c);
        rest = &rest[at + length..];
    }
    made.push_str(rest);
    made
}

#[cfg(test)]
mod tests {
    use super::super::passages::passages;
    use super::*;

    fn best(texts: &[&str], need: &str) -> Vec<usize> {
        let text = texts.iter().map(|text| format!("{text} {}", "filler ".repeat(35))).collect::<Vec<_>>().join("\n\n");
        rank(&text, &passages(&text), need).found.iter().map(|found| found.at).collect()
    }

    #[test]
    fn rare_words_outrank_common_ones_and_what_has_none_is_left_out() {
        let texts = ["the server started", "the server crashed with a timeout", "the server stopped", "nothing"];
        assert_eq!(best(&texts, "why did the server crash"), [1, 0, 2]);
        assert!(best(&texts, "zebra").is_empty());
    }

    #[test]
    fn identifiers_and_short_forms_are_found_by_their_parts() {
        let texts = ["calls getUserById", "opens a pull request", "other"];
        assert_eq!(best(&texts, "user by id"), [0]);
        assert_eq!(best(&texts, "the PR"), [1]);
    }

    #[test]
    fn escapes_of_json_are_read() {
        assert_eq!(readable(r#"{"a":"x\ny \u00e9 \ud83d\ude00 \"q\""}"#), "{\"a\":\"x y é 😀 \"q\"\"}");
        assert_eq!(readable(r"\ud83d \u12"), " d83d  12");
        let json = r#"["caf\u00e9 or\ntea"]"#;
        assert_eq!(rank(json, &passages(json), "café tea").found.len(), 1);
    }

    proptest::proptest! {
        #[test]
        fn an_answer_is_a_total_order_and_the_same_again(text in "[a-d \n\\\\]{0,200}", need in "[a-d ]{0,9}|\\PC{0,9}") {
            let passages = passages(&text);
            let ranked = rank(&text, &passages, &need);
            proptest::prop_assert_eq!(&ranked, &rank(&text, &passages, &need));
            proptest::prop_assert!(ranked.found.windows(2).all(|pair| pair[0].score >= pair[1].score));
            proptest::prop_assert!((0.0..=1.0 + 1e-9).contains(&ranked.covered));
        }
    }
}
