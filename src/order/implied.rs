//! What a request implies: a text with a path needs a tool that reads files, and does not say so.
//!
//! It is no part of the order, where it put tools before those that were asked for. Chances read it, as if it were.

use std::collections::{HashMap, HashSet};

use super::draft::Draft;
use crate::document::purpose::Purpose;
use crate::ranking::Corpus;

/// A tool that serves just what is implied counts as if it had this share of the best tool's score: with vectors, and by words
/// alone, where what is shared by chance weighs more. With vectors, 0.6 leaves 5 of 255 tasks without a tool
/// (`research/measure/tasks/tasks.mjs`).
const IMPLIED_SHARE: [f64; 2] = [0.72, 0.65];
/// Up to so many words, what a request implies counts whole: a task as a developer types it has 10 to 30.
const SHORT_WORDS: f64 = 30.0;
/// In units of standardised scores, for a request that says nothing besides.
const LEAST_BEST: f64 = 3.0;

/// A server may have three tools that read a file; who needs one needs what edits it rather than another one.
const PER_TWIN: f64 = 0.25;

/// Finds the tools that serve what the request implies, and how much of a score that is worth.
pub fn find(draft: &mut Draft<'_>) {
    let (corpus, candidates, query) = (draft.ground, draft.ground.candidates, draft.request.query);
    let asked = &query.implied;
    if asked.is_empty() {
        return;
    }
    // A long text says by itself what it needs; what stands in it beside that implies less.
    #[expect(clippy::cast_precision_loss, reason = "words are few")]
    let part = (SHORT_WORDS / query.word_count.max(1) as f64).min(1.0);
    let of_best = IMPLIED_SHARE[usize::from(draft.request.semantic.is_none())];
    let both = |at: usize| {
        let (lexical, semantic, _) = draft.arms.shares(at);
        lexical + semantic
    };
    let best = (0..candidates.len()).map(both).fold(LEAST_BEST, f64::max);
    // Few tools serve anything that is implied: the documents of others are not read.
    let serving: Vec<usize> = (0..candidates.len()).filter(|at| corpus.serves_what_is_implied(candidates[*at])).collect();
    let mut fits: Vec<Fit<'_>> = Vec::new();
    for &at in &serving {
        let score = draft.shares(at).score();
        let document = corpus.document(candidates[at]);
        let server = document.server_key.as_str();
        for serves in &document.serves {
            if let Some((_, weight)) = asked.iter().find(|(purpose, _)| *purpose == serves.purpose) {
                let weight = weight * serves.fit;
                fits.push(Fit { weight, score, at, server, purpose: serves.purpose, beside: serves.beside });
            }
        }
    }
    // Few fits need another tool beside them, so only what those need is looked for.
    let beside: HashSet<Purpose> = fits.iter().filter_map(|fit| fit.beside).collect();
    let mut servers: Vec<(&str, Purpose)> = Vec::new();
    if !beside.is_empty() {
        for document in serving.iter().map(|at| corpus.document(candidates[*at])) {
            let needed = document.serves.iter().filter(|serves| beside.contains(&serves.purpose));
            servers.extend(needed.map(|serves| (document.server_key.as_str(), serves.purpose)));
        }
        servers.sort_unstable();
        servers.dedup();
    }
    fits.retain(|fit| fit.beside.is_none_or(|purpose| servers.binary_search(&(fit.server, purpose)).is_ok()));
    fits.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| b.score.total_cmp(&a.score)).then_with(|| a.at.cmp(&b.at)));
    let mut shares: HashMap<usize, f64> = HashMap::new();
    let mut twins: HashMap<(&str, Purpose), f64> = HashMap::new();
    for Fit { weight, at, server, purpose, .. } in fits {
        let before = twins.entry((server, purpose)).or_default();
        let share = shares.entry(at).or_default();
        *share = share.max(of_best * part * best * weight / (1.0 + PER_TWIN * *before));
        *before += 1.0;
    }
    draft.implied = shares;
}

struct Fit<'a> {
    weight: f64,
    score: f64,
    at: usize,
    server: &'a str,
    purpose: Purpose,
    /// What its server must offer too.
    beside: Option<Purpose>,
}
