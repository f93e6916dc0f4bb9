//! Of a later turn's new tools, one that does for another server what a better one does stands back: of three places, two for
//! taking screenshots are one too many.

use super::task::{Ground, Request, Task};
use crate::index::Index;
use crate::query::Naming;
use crate::ranking::{RankedTool, Ranking};
use crate::text::names::split_name;
use crate::text::terms::{Word, words};

/// Among so many of its new tools.
const LOOKED_AT: usize = 20;
/// How many of the top tools may already serve the message, where they are attached.
const ATTACHED: usize = 6;
/// What each better twin leaves of a score. A turn adds three tools: half as many messages gain by 0.9, and 0.5 loses one.
const PER_TWIN: f64 = 0.75;

/// Puts twins behind.
pub fn put_behind(ranking: &mut Ranking, ground: Ground<'_>, _: &Request<'_>, task: &Task<'_>) {
    let Some(is_attached) = task.is_attached else { return };
    let by_rank = |tool: &&RankedTool| tool.shares.naming == Naming::None && tool.shares.supported;
    let attached = ranking.tools.iter().filter(by_rank).take(ATTACHED).map(|tool| tool.position).filter(|at| is_attached(*at));
    let mut before: Vec<Does<'_>> = attached.map(|at| Does::of(ground.index, at)).collect();
    let mut new = ranking.tools.iter().enumerate().filter(|(_, tool)| by_rank(tool) && !is_attached(tool.position));
    let near = new.by_ref().take(LOOKED_AT).map(|(place, tool)| (place, tool.plain(), Does::of(ground.index, tool.position)));
    let mut left: Vec<(usize, f64, Does<'_>)> = near.collect();
    // None falls behind what is not looked at.
    let least = new.next().map_or(f64::NEG_INFINITY, |(_, tool)| tool.plain());
    let mut lost: Vec<(usize, f64)> = Vec::new();
    while !left.is_empty() {
        let score = |(_, score, does): &(usize, f64, Does<'_>)| {
            let twins = before.iter().filter(|other| other.is_twin_of(does)).count();
            score * PER_TWIN.powi(i32::try_from(twins).unwrap_or(i32::MAX))
        };
        let scores: Vec<f64> = left.iter().map(score).collect();
        let best = (1..left.len()).fold(0, |best, at| if scores[at] > scores[best] { at } else { best });
        let (place, plain, does) = left.remove(best);
        lost.push((place, (scores[best].max(least) - plain).min(0.0)));
        before.push(does);
    }
    lost.retain(|(_, lost)| *lost < 0.0);
    for (place, lost) in &lost {
        ranking.tools[*place].adjust(|shares| shares.of_twins = *lost);
    }
    if !lost.is_empty() {
        ranking.sort();
    }
}

/// What a tool does, for comparison with those of other servers.
struct Does<'a> {
    position: usize,
    index: &'a Index,
    server: usize,
    /// The verb of its name, and what it names except for its server.
    verb: Option<String>,
    things: Vec<String>,
}

impl<'a> Does<'a> {
    fn of(index: &'a Index, position: usize) -> Self {
        let id = &index.tools[position].tool.id;
        let (verb, mut things) = split_name(&id.server_name, &id.tool_name);
        let server: Vec<String> = words(&id.server_name).iter().map(Word::joined).collect();
        things.retain(|thing| !server.iter().any(|word| word.starts_with(thing.as_str())));
        things.sort_unstable();
        things.dedup();
        let server = index.server_at(position);
        Self { position, index, server, verb, things }
    }

    fn is_twin_of(&self, other: &Self) -> bool {
        let serves = |at: usize| &self.index.document(at).serves;
        let same_purpose =
            || serves(self.position).iter().any(|one| serves(other.position).iter().any(|two| one.purpose == two.purpose));
        let same_name =
            || self.verb.is_some() && !self.things.is_empty() && (&self.verb, &self.things) == (&other.verb, &other.things);
        self.server != other.server && (same_purpose() || same_name())
    }
}
