//! A tool that destroys never stands before its harmless sibling, unless destruction was asked for.

use std::collections::HashMap;

use super::{Corpus, RankedTool};
use crate::document::destructive;
use crate::query::{Naming, Query};

/// How far behind its sibling a tool is put, in units of scores: less than any two tools differ.
const BEHIND: f64 = 1e-6;

/// How many tools may step in for those that are held back.
pub const MOST_HELD_BACK: usize = 32;

/// Holds tools that destroy back behind the best candidate of the same server that does something else to the same thing,
/// and puts the tools in order again. `score_of` is the score of a candidate by its place among them.
pub fn hold_back(
    corpus: &dyn Corpus,
    candidates: &[usize],
    tools: &mut [RankedTool],
    query: &Query,
    score_of: impl Fn(usize) -> f64,
) {
    let destroys = |tool: &RankedTool| corpus.document(tool.position).act.destroys.is_some();
    if !tools.iter().any(destroys) || query.terms.iter().any(|(term, _)| destructive::asks(term)) {
        return;
    }
    // Few tools of a ranking's head destroy: only for those the siblings are looked for.
    let mut best: HashMap<(&str, &str), f64> = HashMap::new();
    for tool in tools.iter().filter(|tool| destroys(tool)) {
        let document = corpus.document(tool.position);
        best.entry((&document.server_key, &document.act.things)).or_insert(f64::NEG_INFINITY);
    }
    for (at, &position) in candidates.iter().enumerate() {
        let document = corpus.document(position);
        if document.act.destroys.is_none()
            && !document.act.things.is_empty()
            && let Some(known) = best.get_mut(&(document.server_key.as_str(), document.act.things.as_str()))
        {
            *known = known.max(score_of(at));
        }
    }
    for tool in tools.iter_mut().filter(|tool| tool.shares.naming == Naming::None) {
        let document = corpus.document(tool.position);
        let Some(verb) = &document.act.destroys else { continue };
        let Some(sibling) = best.get(&(document.server_key.as_str(), document.act.things.as_str())) else { continue };
        if sibling.is_finite() && *sibling < tool.score && !query.terms.iter().any(|(term, _)| term == verb) {
            tool.shares.held_back = tool.score - sibling + BEHIND;
            tool.score = tool.shares.score();
        }
    }
    tools.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.position.cmp(&b.position)));
}
