//! A tool that destroys never stands before its harmless sibling, unless destruction was asked for.

use std::collections::HashMap;

use super::{Corpus, RankedTool};
use crate::document::destructive;
use crate::query::{Naming, Query};

/// How far behind its sibling a tool is put, in units of scores: less than any two tools differ.
const BEHIND: f64 = 1e-6;

/// Holds tools that destroy back behind the best tool of the same server that does something else to the same thing.
pub fn hold_back(corpus: &dyn Corpus, tools: &mut [RankedTool], query: &Query) {
    if query.terms.iter().any(|(term, _)| destructive::asks(term)) {
        return;
    }
    let mut best: HashMap<(&str, &str), f64> = HashMap::new();
    for tool in tools.iter() {
        let document = corpus.document(tool.position);
        if document.act.destroys.is_none() && !document.act.things.is_empty() {
            let known = best.entry((&document.server_key, &document.act.things)).or_insert(f64::NEG_INFINITY);
            *known = known.max(tool.score);
        }
    }
    for tool in tools.iter_mut().filter(|tool| tool.shares.naming == Naming::None) {
        let document = corpus.document(tool.position);
        let Some(verb) = &document.act.destroys else { continue };
        let Some(sibling) = best.get(&(document.server_key.as_str(), document.act.things.as_str())) else { continue };
        if *sibling < tool.score && !query.terms.iter().any(|(term, _)| term == verb) {
            tool.shares.held_back = tool.score - sibling + BEHIND;
            tool.score = tool.shares.score();
        }
    }
}
