//! A tool that destroys never stands before its harmless sibling, unless destruction was asked for.

use std::ops::Range;

use super::draft::Draft;
use crate::document::destructive;
use crate::query::Naming;
use crate::ranking::{Corpus, RankedTool, Ranking};

/// How far behind its sibling a tool is put, in units of scores: less than any two tools differ.
const BEHIND: f64 = 1e-6;

/// How many tools may step in for those that are held back.
pub const MOST_HELD_BACK: usize = 32;

/// Holds tools that destroy back behind the best candidate of the same server that does something else to the same thing.
pub fn hold_back(ranking: &mut Ranking, draft: &Draft<'_>) {
    let (corpus, candidates, query) = (draft.ground, draft.ground.candidates, draft.request.query);
    let tools = &mut ranking.tools;
    // Other words that its words lead to ask for nothing: "release" is near "unpublish".
    let said = || query.terms.iter().filter(|(_, weight)| *weight >= 1.0).map(|(term, _)| term);
    if said().any(|term| destructive::asks(term)) {
        return;
    }
    // Few tools that destroy are near enough to matter, so only their siblings are looked for.
    let is_asked = |verb: &String| said().any(|term| term == verb);
    let destroys = |tool: &RankedTool| -> Option<u64> {
        let act = &corpus.document(tool.position).act;
        let near = tool.score > 0.0 && tool.shares.named.how == Naming::None;
        act.thing.filter(|_| near && act.destroys.as_ref().is_some_and(|verb| !is_asked(verb)))
    };
    let mut siblings: Vec<(u64, f64)> = tools.iter().filter_map(destroys).map(|thing| (thing, f64::NEG_INFINITY)).collect();
    if siblings.is_empty() {
        return;
    }
    siblings.sort_unstable_by_key(|(thing, _)| *thing);
    siblings.dedup_by_key(|(thing, _)| *thing);
    let servers = tools.iter().filter(|tool| destroys(tool).is_some()).map(|tool| corpus.of_same_server(tool.position));
    let score_of = |at: usize| {
        let shares = draft.shares(at);
        if shares.supported { shares.score() } else { f64::NEG_INFINITY }
    };
    // A sibling that nothing in the query matches stands behind all that something does.
    for at in places_of(candidates, servers.collect()) {
        let act = &corpus.document(candidates[at]).act;
        let Some(thing) = act.thing.filter(|_| act.destroys.is_none()) else { continue };
        if let Ok(sibling) = siblings.binary_search_by_key(&thing, |(thing, _)| *thing) {
            siblings[sibling].1 = siblings[sibling].1.max(score_of(at));
        }
    }
    for tool in tools.iter_mut() {
        let Some(thing) = destroys(tool) else { continue };
        let Ok(at) = siblings.binary_search_by_key(&thing, |(thing, _)| *thing) else { continue };
        let sibling = siblings[at].1;
        if sibling.is_finite() && sibling < tool.score {
            let held_back = tool.score - sibling + BEHIND;
            tool.adjust(|shares| shares.held_back = held_back);
        }
    }
    ranking.sort();
}

/// The places among candidates of those whose position is in any of these ranges, each once.
fn places_of(candidates: &[usize], mut ranges: Vec<Range<usize>>) -> Vec<usize> {
    if !candidates.is_sorted() {
        return (0..candidates.len()).collect(); // all of them: others have no such thing
    }
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.dedup();
    let place = |position: usize| candidates.partition_point(|candidate| *candidate < position);
    ranges.into_iter().flat_map(|range| place(range.start)..place(range.end)).collect()
}
