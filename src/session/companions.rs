//! What chosen tools bring along: the tools that must come before them, and the hubs of a server that is clearly meant.
//!
//! They stand behind the tools that lead the ranking and before the rest, within K and the budget: nothing that was asked
//! for gives way to them but the ranking's tail, which is rarely needed.

use std::collections::{HashMap, HashSet};

use super::task::Session;
use crate::document::id::ToolId;
use crate::index::Index;

/// So many of the ranking's first tools bring others along; what stands behind them is a guess itself.
pub const LEADERS: usize = 8;
/// A server is clearly meant when it has this many of the first ten tools.
const MEANT: usize = 3;
const LOOKED_AT: usize = 10;
/// What a step of a chain leaves of a need: the list for a list is needed less often.
const PER_STEP: f64 = 0.7;
/// What a leader at this rank says beside the first: half.
const HALF_RANK: f64 = 4.0;
/// What a hub of a meant server counts: as much as a sure need of a tool in the middle of the leaders.
const HUB: f64 = 0.5;

/// A tool that comes along.
#[derive(Debug, Clone, PartialEq)]
pub struct Brought {
    /// Its position.
    pub position: usize,
    /// The position of the tool that needs it.
    pub of: usize,
    /// The parameter or phrase that says so.
    pub by: String,
}

/// What leaders bring along, the most needed first: a tool that several of them need counts for each. Only tools that
/// `may_come` are brought; the leaders themselves are not.
#[must_use]
pub fn company(index: &Index, leaders: &[usize], first: &[usize], may_come: impl Fn(usize) -> bool) -> Vec<Brought> {
    let mut found: Vec<(f64, Brought)> = Vec::new();
    let mut places: HashMap<usize, usize> = HashMap::new();
    let mut add = |position: usize, of: usize, by: &str, score: f64| {
        if leaders.contains(&position) || !may_come(position) {
            return;
        }
        if let Some(place) = places.get(&position) {
            found[*place].0 += score;
        } else {
            places.insert(position, found.len());
            found.push((score, Brought { position, of, by: by.to_owned() }));
        }
    };
    for (rank, leader) in leaders.iter().enumerate() {
        let Some(server) = index.server_of(*leader) else { continue };
        let (start, companions) = (server.tools.start, server.profile.companions());
        let mut reached: HashMap<usize, f64> = HashMap::new();
        for (from, need) in companions.chain(leader - start) {
            let score = reached.get(&from).map_or(1.0, |score| score * PER_STEP) * need.strength;
            reached.insert(need.tool, score);
            add(start + need.tool, start + from, &need.by, score * at_rank(rank));
        }
    }
    let mut servers: Vec<(usize, usize)> = Vec::new();
    for tool in first.iter().take(LOOKED_AT) {
        let start = index.server_of(*tool).map_or(0, |server| server.tools.start);
        match servers.iter_mut().find(|(known, _)| index.server_of(*known).is_some_and(|known| known.tools.start == start)) {
            Some((_, count)) => *count += 1,
            None => servers.push((*tool, 1)),
        }
    }
    for (best, _) in servers.into_iter().filter(|(_, count)| *count >= MEANT) {
        let Some(server) = index.server_of(best) else { continue };
        for (at, hub) in server.profile.companions().hubs().iter().enumerate() {
            add(server.tools.start + hub, best, "most tools of its server need it", HUB * at_rank(at));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.position.cmp(&b.1.position)));
    found.into_iter().map(|(_, brought)| brought).collect()
}

#[expect(clippy::cast_precision_loss, reason = "leaders are few")]
fn at_rank(rank: usize) -> f64 {
    1.0 / (1.0 + rank as f64 / HALF_RANK)
}

impl Session {
    /// The company of tools in order: what is usable, not attached yet and not sent away.
    pub(super) fn company_of(&self, index: &Index, order: &[usize], leaders: usize) -> Vec<Brought> {
        let scope = self.scope();
        let may_come = |at: usize| {
            let tool = &index.tools[at];
            let id = &tool.tool.id;
            tool.off.is_none() && scope.allows(&id.server_name) && !self.is_attached(id) && !self.unloaded.contains(id)
        };
        company(index, &order[..order.len().min(leaders)], order, may_come)
    }

    /// Remembers who brought what, to say so in the selection.
    pub(super) fn note_brought(&mut self, index: &Index, company: &[Brought]) {
        let id = |at: usize| index.tools[at].tool.id.clone();
        self.brought.extend(company.iter().map(|brought| (id(brought.position), id(brought.of), brought.by.clone())));
    }

    /// Forgets who brought what in an earlier call.
    pub(super) fn forget_brought(&mut self) {
        self.brought.clear();
    }
}

/// Puts company behind the leaders of an order of positions; the same tools further down go.
#[must_use]
pub fn behind_leaders(order: &[usize], leaders: usize, company: &[Brought]) -> Vec<usize> {
    let (first, rest) = order.split_at(leaders.min(order.len()));
    let coming: HashSet<usize> = company.iter().map(|brought| brought.position).collect();
    let rest = rest.iter().copied().filter(|at| !coming.contains(at));
    first.iter().copied().chain(company.iter().map(|brought| brought.position)).chain(rest).collect()
}

/// Who brought a tool, of what one call brought.
pub(super) type Notes = Vec<(ToolId, ToolId, String)>;
