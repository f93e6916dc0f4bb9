//! Where work on a server begins: tools that read, need no id, and answer with what other tools of the server ask for.
//!
//! It is a property of the server and not of a text: "what is our pipeline?" speaks of no tool that lists deals.

use super::facts::{Asks, Facts, ToolText, begins_with};
use crate::text::names::{Kind, Mark, Told, Verb, kind, verbs};

/// The most of a server: what stands behind them is a tool as any other.
const MAX_WAYS_IN: usize = 12;
/// What a tool counts that finds or says what there is altogether, that gets several things, and that reads otherwise.
const FINDS: f64 = 1.0;
const GETS_MANY: f64 = 0.85;
const READS: f64 = 0.6;
/// What each required parameter that is no id leaves.
const PER_PARAMETER: f64 = 0.85;
/// What each thing of its name beyond the first leaves: `list_projects` before `list_project_webhook_events`.
const PER_THING: f64 = 0.85;
/// What it counts besides, if all other tools ask for what it answers with.
const GIVES: f64 = 1.5;

/// Places of the ways in, the best first. `needed` is how many tools need each tool, directly or not.
pub fn ways_in(tools: &[ToolText<'_>], facts: &[Facts], needed: &[usize]) -> Vec<usize> {
    let score = |at: usize| Some((at, weight(&tools[at], &facts[at])? + GIVES * share_given(at, facts, needed)));
    let mut ways: Vec<(usize, f64)> = (0..tools.len()).filter_map(score).collect();
    ways.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    ways.truncate(MAX_WAYS_IN);
    ways.into_iter().map(|(at, _)| at).collect()
}

/// What a tool counts by itself; `None` for one that changes something, or must be given an id.
fn weight(tool: &ToolText<'_>, facts: &Facts) -> Option<f64> {
    let told = Told { name: tool.name, description: tool.description, reads: Some(true), destroys: None };
    if facts.requires_id() || kind(told) != Kind::Read {
        return None;
    }
    let own = match facts.does() {
        _ if facts.survey || facts.said_to_find => FINDS,
        Some(Verb::Finds) => FINDS,
        Some(Verb::Gets) if facts.plural => GETS_MANY,
        Some(Verb::Gets) => READS,
        None if tool.read_only || begins_with(&facts.described, |word| verbs::is(Mark::Reads, word)) => READS,
        _ => return None,
    };
    let things = if facts.survey { 0 } else { facts.nouns.len().saturating_sub(1) };
    Some(own * power(PER_PARAMETER, facts.parameters.len()) * power(PER_THING, things))
}

/// Which share of the other tools asks for what a tool answers with, or needs it for another reason: on a scale of logarithms, so that
/// two of ten say much.
#[expect(clippy::cast_precision_loss, reason = "counts of tools are far below 2^52")]
fn share_given(at: usize, facts: &[Facts], needed: &[usize]) -> f64 {
    let Some(thing) = facts[at].nouns.last() else { return 0.0 };
    let asks =
        |other: &Facts| other.parameters.iter().any(|known| known.asks != Asks::Plainly && known.thing.last() == Some(thing));
    let asking = facts.iter().enumerate().filter(|(other, facts)| *other != at && asks(facts)).count();
    let count = asking.max(needed.get(at).copied().unwrap_or(0));
    (count as f64).ln_1p() / (facts.len() as f64).ln_1p()
}

fn power(base: f64, count: usize) -> f64 {
    base.powi(i32::try_from(count).unwrap_or(i32::MAX))
}
