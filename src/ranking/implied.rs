//! What a request implies, as evidence that adds to scores.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::{Corpus, RankedTool};
use crate::document::purpose::Purpose;

/// A tool that serves just what is implied gains this share of the best tool's score: it comes among the first, and not
/// before what was asked for.
const IMPLIED_SHARE: f64 = 0.6;
/// In units of standardised scores, for a request that says nothing besides.
const LEAST_BEST: f64 = 3.0;

/// A server may have three tools that read a file; who needs one needs what edits it rather than another one.
const PER_TWIN: f64 = 0.25;

/// Adds to tools what the purposes that a request asks for say for them.
pub fn lift(corpus: &dyn Corpus, tools: &mut [RankedTool], asked: &[(Purpose, f64)]) {
    if asked.is_empty() {
        return;
    }
    let best = tools.iter().map(|tool| tool.shares.lexical_share + tool.shares.semantic_share).fold(LEAST_BEST, f64::max);
    let mut servers: Vec<(&str, Purpose)> = Vec::new();
    for tool in tools.iter() {
        let document = corpus.document(tool.position);
        servers.extend(document.serves.iter().map(|serves| (document.server_key.as_str(), serves.purpose)));
    }
    servers.sort_unstable();
    servers.dedup();
    let mut fits: Vec<(f64, usize, &str, Purpose)> = Vec::new();
    for (at, tool) in tools.iter().enumerate() {
        let document = corpus.document(tool.position);
        for serves in &document.serves {
            let Some((_, weight)) = asked.iter().find(|(purpose, _)| *purpose == serves.purpose) else { continue };
            let beside = |purpose| servers.binary_search(&(document.server_key.as_str(), purpose)).is_ok();
            if serves.beside.is_none_or(beside) {
                fits.push((weight * serves.fit, at, document.server_key.as_str(), serves.purpose));
            }
        }
    }
    let own = |at: usize| tools[at].score;
    fits.sort_by(|a, b| (b.0, own(b.1)).partial_cmp(&(a.0, own(a.1))).unwrap_or(Ordering::Equal).then_with(|| a.1.cmp(&b.1)));
    let mut twins: HashMap<(&str, Purpose), f64> = HashMap::new();
    let mut shares: HashMap<usize, f64> = HashMap::new();
    for (fit, at, server, purpose) in fits {
        let before = twins.entry((server, purpose)).or_default();
        let share = shares.entry(at).or_default();
        *share = share.max(IMPLIED_SHARE * best * fit / (1.0 + PER_TWIN * *before));
        *before += 1.0;
    }
    for (at, share) in shares {
        let tool = &mut tools[at];
        tool.shares.implied_share = share;
        tool.shares.supported |= !tool.shares.negated;
        tool.score = tool.shares.score();
    }
}
