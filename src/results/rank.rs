//! Passages of one result by what is asked: BM25 over its own words, with its own statistics.
//!
//! A result is read once and thrown away, so nothing is indexed: each different word is analysed once per call, and
//! those that no need has are forgotten.

use std::borrow::Cow;
use std::collections::HashMap;

use super::json::readable;
use super::passages::Passages;
use crate::text::bm25::{B, K1};
use crate::text::synonyms::{SYNONYM_WEIGHT, add_short_forms, synonyms_of};
use crate::text::terms::terms;

/// What a term weighs that stands above a passage, beside the same term in it.
const CONTEXT_WEIGHT: f64 = 0.5;
/// Different words that are remembered: a text of random words must not fill the memory.
const KEPT_WORDS: usize = 65_536;
/// Longer words are data, and are not analysed.
const WORD_BYTES: usize = 256;
/// Terms of one need.
const MOST_TERMS: usize = 256;

/// A passage that fits a need.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// Its place among the passages.
    pub at: usize,
    /// What it is ordered by.
    pub score: f64,
}

/// The passages for a need.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranked {
    /// Best first.
    pub found: Vec<Found>,
    /// How much of the need's own words the best by words has, from 0 to 1.
    pub covered: f64,
}

/// Terms of a need with their weights.
fn terms_of(need: &str) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = Vec::new();
    for term in terms(need).into_iter().take(MOST_TERMS) {
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
    found
}

/// How often the terms of all needs stand in one passage.
#[derive(Default)]
struct Counts {
    /// Term, times in the passage, times above it.
    found: Vec<(u32, u16, u16)>,
    length: u32,
}

/// What a word gives: how many terms, and which of them are asked for.
type Known = (u32, Box<[u32]>);

/// Analyses words, each different one once.
struct Words<'w> {
    asked: &'w HashMap<String, u32>,
    known: HashMap<&'w str, Known>,
}

impl<'w> Words<'w> {
    fn each(&mut self, text: &'w str, mut found: impl FnMut(&Known)) {
        for word in text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.') || is_mark(c))) {
            if word.is_empty() {
                continue;
            }
            if let Some(known) = self.known.get(word) {
                found(known);
                continue;
            }
            let analysed = if word.len() > WORD_BYTES { Vec::new() } else { terms(word) };
            let asked = analysed.iter().filter_map(|term| self.asked.get(term).copied()).collect();
            let known = (u32::try_from(analysed.len().max(1)).unwrap_or(1), asked);
            found(&known);
            if self.known.len() >= KEPT_WORDS {
                self.known.clear();
            }
            self.known.insert(word, known);
        }
    }
}

/// A mark that belongs to the letter before it.
fn is_mark(c: char) -> bool {
    !c.is_ascii() && unicode_normalization::char::is_combining_mark(c)
}

/// The passages for each of several needs, best first. Passages with nothing of a need are not among them.
pub fn rank(passages: &Passages, needs: &[&str]) -> Vec<Ranked> {
    let asked: Vec<Vec<(String, f64)>> = needs.iter().map(|need| terms_of(need)).collect();
    let mut ids: HashMap<String, u32> = HashMap::new();
    for (term, _) in asked.iter().flatten() {
        let next = u32::try_from(ids.len()).unwrap_or(u32::MAX);
        ids.entry(term.clone()).or_insert(next);
    }
    let texts: Vec<Cow<'_, str>> = passages
        .list
        .iter()
        .map(|passage| if passage.is_json { readable(passages.text_of(passage)) } else { passages.text_of(passage).into() })
        .collect();
    let counts = count(passages, &texts, &ids);
    let mut doc_freq = vec![0_usize; ids.len()];
    for (term, ..) in counts.iter().flat_map(|counts| &counts.found) {
        doc_freq[*term as usize] += 1;
    }
    let scorer = Scorer::new(&counts, doc_freq);
    let mut answers = Vec::new();
    for terms in &asked {
        let weights: HashMap<u32, f64> = terms.iter().map(|(term, weight)| (ids[term], weight * scorer.idf(ids[term]))).collect();
        let found = scorer.rank(&weights);
        let covered = found.first().map_or(0.0, |best| scorer.covered(best.at, terms, &ids));
        answers.push(Ranked { found, covered });
    }
    answers
}

fn count<'t>(passages: &'t Passages, texts: &'t [Cow<'t, str>], ids: &'t HashMap<String, u32>) -> Vec<Counts> {
    let mut words = Words { asked: ids, known: HashMap::new() };
    let mut counted = Vec::with_capacity(texts.len());
    for (passage, text) in passages.list.iter().zip(texts) {
        let mut counts = Counts::default();
        let mut times: Vec<(u32, bool)> = Vec::new();
        words.each(text, |(length, found)| {
            counts.length += length;
            times.extend(found.iter().map(|term| (*term, false)));
        });
        let above = [passages.context_of(passage), if passage.is_json { &passage.place } else { "" }];
        for text in above {
            words.each(text, |(_, found)| times.extend(found.iter().map(|term| (*term, true))));
        }
        times.sort_unstable();
        for run in times.chunk_by(|a, b| a.0 == b.0) {
            let above = run.iter().filter(|(_, above)| *above).count();
            let small = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
            counts.found.push((run[0].0, small(run.len() - above), small(above)));
        }
        counted.push(counts);
    }
    counted
}

struct Scorer<'c> {
    counts: &'c [Counts],
    doc_freq: Vec<usize>,
    mean: f64,
}

#[expect(clippy::cast_precision_loss, reason = "counts of passages are far below 2^52")]
impl<'c> Scorer<'c> {
    fn new(counts: &'c [Counts], doc_freq: Vec<usize>) -> Self {
        let all: f64 = counts.iter().map(|counts| f64::from(counts.length)).sum();
        Self { counts, doc_freq, mean: (all / counts.len().max(1) as f64).max(1.0) }
    }

    /// `ln(1 + (N - n + 0.5) / (n + 0.5))`, as tools are ranked.
    fn idf(&self, term: u32) -> f64 {
        let holds = self.doc_freq[term as usize] as f64;
        (1.0 + (self.counts.len() as f64 - holds + 0.5) / (holds + 0.5)).ln()
    }

    /// How much of a need's own words a passage has, the rare ones counting more.
    fn covered(&self, at: usize, terms: &[(String, f64)], ids: &HashMap<String, u32>) -> f64 {
        let own: Vec<u32> = terms.iter().filter(|(_, weight)| *weight >= 1.0).map(|(term, _)| ids[term]).collect();
        let rarity = |terms: &mut dyn Iterator<Item = &u32>| terms.map(|term| self.idf(*term)).sum::<f64>();
        let has = |term: &&u32| self.counts[at].found.iter().any(|(known, ..)| known == *term);
        let all = rarity(&mut own.iter());
        if all > 0.0 { rarity(&mut own.iter().filter(has)) / all } else { 0.0 }
    }

    /// The passages with a term of a need; `weights` are those of the terms by their rarity.
    fn rank(&self, weights: &HashMap<u32, f64>) -> Vec<Found> {
        let (k1, b) = (f64::from(K1), f64::from(B));
        let saturated = |times: u16, norm: f64| f64::from(times) * (k1 + 1.0) / (f64::from(times) + norm);
        let mut found = Vec::new();
        for (at, counts) in self.counts.iter().enumerate() {
            let norm = k1 * (1.0 - b + b * f64::from(counts.length) / self.mean);
            let of_term = |(term, inside, above): &(u32, u16, u16)| {
                let weight = weights.get(term)?;
                Some(weight * (saturated(*inside, norm) + CONTEXT_WEIGHT * saturated(*above, k1)))
            };
            let scores: Vec<f64> = counts.found.iter().filter_map(of_term).collect();
            if !scores.is_empty() {
                found.push(Found { at, score: scores.iter().sum() });
            }
        }
        sort(&mut found);
        found
    }
}

fn sort(found: &mut [Found]) {
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.at.cmp(&b.at)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::part::Part;

    fn passages(texts: &[&str]) -> Passages {
        let padded: Vec<String> = texts.iter().map(|text| format!("{text} {}", "filler ".repeat(35))).collect();
        Passages::of(&Part::all(vec![padded.join("\n\n")]))
    }

    fn best(texts: &[&str], need: &str) -> Vec<usize> {
        rank(&passages(texts), &[need])[0].found.iter().map(|found| found.at).collect()
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
    fn several_needs_are_ranked_each_by_its_own_words() {
        let passages = passages(&["alpha", "beta"]);
        let answers = rank(&passages, &["beta", "alpha", "gamma"]);
        assert_eq!(
            answers.iter().map(|ranked| ranked.found.first().map(|found| found.at)).collect::<Vec<_>>(),
            [Some(1), Some(0), None]
        );
    }

    proptest::proptest! {
        #[test]
        fn an_answer_is_a_total_order_and_the_same_again(text in "[a-d \n]{0,200}", need in "[a-d ]{0,9}|\\PC{0,9}") {
            let passages = Passages::of(&Part::all(vec![text]));
            let found = &rank(&passages, &[&need])[0].found;
            proptest::prop_assert_eq!(found, &rank(&passages, &[&need])[0].found);
            proptest::prop_assert!(found.windows(2).all(|pair| pair[0].score >= pair[1].score));
            let mut seen: Vec<usize> = found.iter().map(|found| found.at).collect();
            seen.sort_unstable();
            seen.dedup();
            proptest::prop_assert_eq!(seen.len(), found.len());
        }
    }
}
