//! What a request implies, as evidence that adds to scores.

use super::{Corpus, RankedTool};
use crate::document::purpose::Purpose;

/// A tool that serves just what is implied gains this share of the best tool's score: it comes among the first, and not
/// before what was asked for.
const IMPLIED_SHARE: f64 = 0.6;
/// In units of standardised scores, for a request that says nothing besides.
const LEAST_BEST: f64 = 3.0;

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
    for tool in tools.iter_mut() {
        let document = corpus.document(tool.position);
        let fits = document.serves.iter().filter_map(|serves| {
            let (_, weight) = asked.iter().find(|(purpose, _)| *purpose == serves.purpose)?;
            let beside = |purpose| servers.binary_search(&(document.server_key.as_str(), purpose)).is_ok();
            serves.beside.is_none_or(beside).then_some(weight * serves.fit)
        });
        let fit = fits.fold(0.0, f64::max);
        if fit > 0.0 {
            tool.shares.implied_share = IMPLIED_SHARE * best * fit;
            tool.shares.supported |= !tool.shares.negated;
            tool.score = tool.shares.score();
        }
    }
}
