//! The oracle of scores is the `bm25` crate's own scorer; that of a next generation is one that was built in one go.

use std::collections::HashSet;

use bm25::{Embedder, EmbedderBuilder, Embedding, Scorer, Tokenizer};
use proptest::prelude::*;

use super::*;
use crate::document::counts::TermKey;
use crate::document::tool::{ToolDocument, ToolText};

/// A document as the crate reads it: its terms, one per line.
struct Lines;

impl Tokenizer for Lines {
    fn tokenize(&self, input_text: &str) -> Vec<String> {
        input_text.lines().map(str::to_owned).collect()
    }
}

/// The terms of a document's names, one per line: those of its server, and of a tool called `y` and a number.
fn head(at: usize) -> String {
    format!("x\n{at}\ny{at}")
}

fn documents(texts: &[String]) -> Vec<ToolDocument> {
    let document = |(at, described): (usize, &String)| {
        ToolDocument::new(&ToolText { server_name: "x", tool_name: &format!("y{at}"), described, ..ToolText::default() })
    };
    texts.iter().enumerate().map(document).collect()
}

fn index(tools: &[ToolDocument]) -> LexicalIndex {
    LexicalIndex::build(tools.iter().map(|tool| Some(&tool.terms)))
}

fn query(text: &str) -> Vec<(String, f64)> {
    text.split(' ').collect::<HashSet<_>>().into_iter().map(|term| (term.to_owned(), 1.0)).collect()
}

proptest! {
    /// Once a field.
    #[test]
    fn scores_equal_the_crates_scorer(texts in prop::collection::vec("[bcefg]( [bcefg]){0,14}", 1..12), asked in "[bcefg]( [bcefg]){0,4}") {
        let tools = documents(&texts);
        let (index, terms) = (index(&tools), query(&asked));
        let mut expected = vec![0.0; tools.len()];
        let head: Vec<String> = (0..texts.len()).map(head).collect();
        let full: Vec<String> = head.iter().zip(&texts).map(|(head, text)| format!("{head}\n{}", text.replace(' ', "\n"))).collect();
        let (full, head): (Vec<&str>, Vec<&str>) = (full.iter().map(String::as_str).collect(), head.iter().map(String::as_str).collect());
        let embedder = |fields: &[&str]| -> Embedder<TermKey, Lines> {
            EmbedderBuilder::with_tokenizer_and_fit_to_corpus(Lines, fields).k1(1.5).b(0.75).build()
        };
        // The head's weights are scored against the rarity of terms in full documents.
        for (fields, weight) in [(&full, 1.0), (&head, f64::from(HEAD_WEIGHT))] {
            for (at, field) in fields.iter().enumerate() {
                let mut scorer = Scorer::<usize, TermKey>::new();
                for (other, text) in full.iter().enumerate() {
                    scorer.upsert(&other, embedder(&full).embed(text));
                }
                let weights = embedder(fields).embed(field);
                for (term, _) in &terms {
                    let rarity = scorer.score(&at, &embedder(&full).embed(term)).map_or(0.0, f64::from);
                    let own = embedder(&full).embed(full[at]);
                    let value = |list: &Embedding<u64>| {
                        list.iter().find(|entry| entry.index == term_key(term)).map_or(0.0, |entry| f64::from(entry.value))
                    };
                    if value(&own) > 0.0 {
                        expected[at] += weight * rarity / value(&own) * value(&weights);
                    }
                }
            }
        }
        for (at, score) in index.scores(&terms).into_iter().enumerate() {
            prop_assert!((score - expected[at]).abs() < 1e-4, "{score} for {}", expected[at]);
            let explained: f64 = index.explain(&terms, at).iter().map(|term| term.score).sum();
            prop_assert!((score - explained).abs() < 1e-9);
        }
        // A list that a call brings along is scored by the crate itself.
        let list = LexicalIndex::of_list(tools.iter().map(|tool| Some(&tool.terms)));
        for (own, crates) in index.scores(&terms).iter().zip(&list.scores(&terms)) {
            prop_assert!((own - crates).abs() < 1e-5 * own.max(1.0), "{own} and {crates}");
        }
    }

    /// Documents go, come and move, three times in a row: bit by bit what building in one go gives.
    #[test]
    fn a_next_generation_equals_one_that_was_built_at_once(
        texts in prop::collection::vec("[a-e ]{0,30}", 30),
        orders in prop::collection::vec(prop::collection::vec(0_usize..30, 0..24), 3),
        asked in "[a-e]( [a-e]){0,4}",
    ) {
        let (tools, terms) = (documents(&texts), query(&asked));
        let mut before: Vec<usize> = (0..20).collect();
        let mut last = LexicalIndex::build(before.iter().map(|at| Some(&tools[*at].terms)));
        for mut order in orders {
            let mut seen = HashSet::new();
            order.retain(|at| seen.insert(*at));
            let place = |at: &usize| before.iter().position(|other| other == at).and_then(|at| u32::try_from(at).ok());
            let moved: Vec<Option<u32>> = order.iter().map(place).collect();
            let next = last.next(&moved, |_| true, |at| &tools[order[at]].terms).expect("few changed");
            let whole = LexicalIndex::build(order.iter().map(|at| Some(&tools[*at].terms)));
            let bits = |scores: Scores| scores.iter().map(|score| score.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(next.scores(&terms)), bits(whole.scores(&terms)));
            (before, last) = (order, next);
        }
    }
}

proptest! {
    /// Documents that are out of scope count for nothing, whether the index was built in one go or is a next generation.
    #[test]
    fn what_is_out_of_scope_counts_for_nothing(
        texts in prop::collection::vec("[a-e ]{0,30}", 2..20),
        scopes in prop::collection::vec(prop::collection::vec(any::<bool>(), 20), 3),
        asked in "[a-e]( [a-e]){0,4}",
    ) {
        let (tools, terms) = (documents(&texts), query(&asked));
        let same: Vec<Option<u32>> = (0..u32::try_from(tools.len()).unwrap()).map(Some).collect();
        let mut last = index(&tools);
        for is_held in scopes {
            let held = || tools.iter().zip(&is_held).map(|(tool, is_held)| is_held.then_some(&tool.terms));
            let alone = LexicalIndex::build(held().flatten().map(Some)).scores(&terms);
            last = last.next(&same, |at| is_held[at], |at| &tools[at].terms).expect("few changed");
            for index in [&last, &LexicalIndex::build(held()), &LexicalIndex::of_list(held())] {
                let scores = index.scores(&terms);
                let bits = |scores: &[f64]| scores.iter().copied().map(f64::to_bits).collect::<Vec<_>>();
                let own: Vec<f64> = scores.iter().zip(&is_held).filter(|(_, is_held)| **is_held).map(|(score, _)| *score).collect();
                if index.scorer.is_none() {
                    prop_assert_eq!(bits(&own), bits(&alone));
                }
                prop_assert!(own.iter().zip(&alone).all(|(own, alone)| (own - alone).abs() < 1e-5 * own.max(1.0)));
                prop_assert!(scores.iter().zip(&is_held).all(|(score, is_held)| *is_held || *score <= 0.0));
            }
        }
    }
}

#[test]
fn a_generation_of_which_much_changed_is_built_at_once() {
    let tools = documents(&vec!["b".to_owned(); 200]);
    assert!(index(&tools[..100]).next(&vec![None; 200], |_| true, |at| &tools[at].terms).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn the_nearest_document_and_each_score_are_those_of_scoring_all(
        texts in prop::collection::vec("[a-f]( [a-f]){0,12}", 1..40),
        asked in "[a-h]( [a-h]){0,6}",
        from in 0_usize..40,
        length in 0_usize..10,
    ) {
        let tools = documents(&texts);
        let index = index(&tools);
        let (query, left_out) = (query(&asked), from..from + length);
        let scores = index.scores(&query);
        let one = |at: usize| index.score_of(&query, &tools[at].terms);
        prop_assert!((0..tools.len()).all(|at| one(at).to_bits() == scores[at].to_bits()));
        let mut best = None;
        for (at, score) in scores.iter().enumerate().filter(|(at, score)| **score > 0.0 && !left_out.contains(at)) {
            if best.is_none_or(|(_, before)| *score > before) {
                best = Some((at, *score));
            }
        }
        let found = index.nearest(&query, |at| !left_out.contains(&at), |at| &tools[at].terms);
        prop_assert_eq!(found, best);
    }
}
