//! What chosen tools bring along: the tools that must come before them, and the hubs of a server that is clearly meant.
//!
//! They stand behind the tools that lead the ranking and before the rest, within K and the budget: nothing that was asked
//! for gives way to them but the ranking's tail, which is rarely needed.

use std::collections::{HashMap, HashSet};

use super::selection::CompanionOf;
use super::task::Session;
use crate::ablation;
use crate::index::{InScope, Index};
use crate::order::named_servers;
use crate::query::implied;
use crate::uses::before::UsedBefore;

/// So many of the ranking's first tools bring others along; what stands behind them is a guess itself.
pub const LEADERS: usize = 8;
/// Of a later turn or a search, so many.
pub const LEADERS_OF_STEP: usize = 3;
/// Of K tools, a third may be there for others' sake.
pub const SHARE_OF_COMPANY: usize = 3;
/// A server is clearly meant when it has this many of the first ten tools.
const MEANT: usize = 3;
const LOOKED_AT: usize = 10;
/// What a step of a chain leaves of a need: the list for a list is needed less often.
const PER_STEP: f64 = 0.7;
/// What a leader at this rank says beside the first: half.
const HALF_RANK: f64 = 4.0;
/// The best tool of a server that is named counts as a leader at this rank, wherever it stands.
const RANK_OF_NAMED: usize = 4;
/// Who says that a tool comes along because it was called before another one.
pub(super) const BY_USE: &str = "called before it in earlier tasks";
/// What a hub of a meant server counts: as much as a sure need of a tool in the middle of the leaders.
const HUB: f64 = 0.5;

/// What a request says itself, by its signals: nobody needs to look up the number of an issue that is given. The things
/// are stems.
const GIVEN: [(&str, &[&str]); 9] = [
    ("ticket", &["issu", "ticket"]),
    ("number", &["issu", "request", "pull"]),
    ("merge-request", &["request"]),
    ("pull-request", &["request", "pull"]),
    ("repository", &["project", "repositori", "repo"]),
    ("domain", &["domain", "websit"]),
    ("address", &["page", "tab", "window"]),
    ("file", &["directori", "folder"]),
    ("path", &["directori", "folder"]),
];

/// The signal of a text that speaks of whoever asks: "which of my PRs".
const OF_SELF: &str = "self";
/// What the tool that says who that is counts beside a sure need of the server's first leader.
const WHOAMI: f64 = 0.8;
/// Who says that it comes along.
const BY_SELF: &str = "the request speaks of whoever asks";

/// The things that a text gives itself, by its signals and by those of all that its task said: "assign it to Léa" needs no list of
/// issues where the task spoke of one. Whom a message goes to, the text alone says.
fn given(signals: &[&str], of_said: &[&str]) -> Vec<&'static str> {
    let of_task = GIVEN.into_iter().filter(|(signal, _)| of_said.contains(signal)).flat_map(|(_, things)| things.iter().copied());
    let of_text = match (signals.contains(&"someone"), signals.contains(&"channel")) {
        (true, false) => Some("channel"),
        (false, true) => Some("user"),
        _ => None,
    };
    of_task.chain(of_text).collect()
}

/// Where places are few, a need that is less sure than this brings nothing: an id that may be left out, a name that people write.
pub const LIKELY: f64 = 0.6;

/// A tool that comes along.
#[derive(Debug, Clone, PartialEq)]
pub struct Brought {
    pub position: usize,
    /// The position of the tool that needs it.
    pub of: usize,
    /// The parameter or phrase that says so.
    pub by: String,
    /// How much it is needed: 1 for a sure need of the first leader, more where several need it.
    pub need: f64,
}

/// What leaders bring along, the most needed first: a tool that several of them need counts for each. Only tools that
/// `may_come` are brought, by needs that are at least so sure. `said` is the task's text, this one included.
pub fn company(
    index: &Index,
    scope: &InScope,
    (leaders, first): (&[usize], &[usize]),
    (text, said): (&str, &str),
    used: &UsedBefore,
    least: f64,
    may_come: impl Fn(usize) -> bool,
) -> Vec<Brought> {
    if ablation::is_off("company") {
        return Vec::new();
    }
    let signals = implied::signals(text, |_| false);
    let given = given(&signals, &implied::signals(said, |_| false));
    let mut company = Company { index, scope, leaders, least, may_come, found: Vec::new(), places: HashMap::new() };
    let named = named_servers(index, scope, text);
    let best_of = |at: &usize| first.iter().copied().find(|tool| index.servers[*at].tools.contains(tool));
    let best_of_named: Vec<usize> = named.iter().filter_map(best_of).collect();
    let of_named = best_of_named.iter().copied().filter(|tool| !leaders.contains(tool)).map(|tool| (RANK_OF_NAMED, tool));
    for (rank, leader) in leaders.iter().copied().enumerate().chain(of_named) {
        company.add_needs(leader, at_rank(rank), &given);
        company.add_used(leader, at_rank(rank), used);
    }
    if signals.contains(&OF_SELF) {
        company.add_whoami();
    }
    let is_named = |best: &usize| named.iter().any(|at| index.servers[*at].tools.contains(best));
    let meant = meant(index, first).into_iter().filter(|best| !is_named(best));
    for best in best_of_named.iter().copied().chain(meant) {
        company.add_hubs(best);
    }
    company.in_order()
}

/// The best tool of each server that has enough of the first tools to be meant.
fn meant(index: &Index, first: &[usize]) -> Vec<usize> {
    let mut servers: Vec<(usize, usize, usize)> = Vec::new();
    for tool in first.iter().take(LOOKED_AT) {
        let at = index.server_at(*tool);
        match servers.iter_mut().find(|(known, _, _)| *known == at) {
            Some((_, _, count)) => *count += 1,
            None => servers.push((at, *tool, 1)),
        }
    }
    servers.into_iter().filter(|(_, _, count)| *count >= MEANT).map(|(_, best, _)| best).collect()
}

struct Company<'a, M> {
    index: &'a Index,
    scope: &'a InScope,
    leaders: &'a [usize],
    least: f64,
    may_come: M,
    found: Vec<Brought>,
    /// Where each tool stands in it.
    places: HashMap<usize, usize>,
}

impl<M: Fn(usize) -> bool> Company<'_, M> {
    fn add(&mut self, position: usize, of: usize, by: &str, score: f64) {
        if !(self.may_come)(position) {
            return;
        }
        if let Some(place) = self.places.get(&position) {
            self.found[*place].need += score;
        } else {
            self.places.insert(position, self.found.len());
            self.found.push(Brought { position, of, by: by.to_owned(), need: score });
        }
    }

    /// What a leader needs of its server, and what that needs, except for what the task gives.
    fn add_needs(&mut self, leader: usize, weight: f64, given: &[&str]) {
        let Some(server) = self.index.server_of(leader) else { return };
        let start = server.tools.start;
        let mut reached: HashMap<usize, f64> = HashMap::new();
        let mut dropped: HashSet<usize> = HashSet::new();
        let profile = self.index.profile_in(self.scope, self.index.server_at(leader));
        for (from, need) in profile.companions().chain(leader - start) {
            if need.strength < self.least || given.contains(&need.thing.as_str()) || dropped.contains(&from) {
                dropped.insert(need.tool);
                continue;
            }
            let score = reached.get(&from).map_or(1.0, |score| score * PER_STEP) * need.strength;
            reached.insert(need.tool, score);
            self.add(start + need.tool, start + from, &need.by, score * weight);
        }
    }

    /// What was called before a leader in earlier tasks.
    fn add_used(&mut self, leader: usize, weight: f64, used: &UsedBefore) {
        for (other, sure) in used.of(&self.index.tools[leader].tool.id) {
            if let Some(at) = self.index.position(&other) {
                self.add(at, leader, BY_USE, sure * weight);
            }
        }
    }

    /// The tool of each leader's server that says who is asking.
    fn add_whoami(&mut self) {
        let mut seen = HashSet::new();
        for (rank, leader) in self.leaders.iter().copied().enumerate() {
            let Some(server) = self.index.server_of(leader).filter(|server| seen.insert(server.tools.start)) else { continue };
            let profile = self.index.profile_in(self.scope, self.index.server_at(leader));
            if let Some(at) = profile.companions().whoami() {
                self.add(server.tools.start + at, leader, BY_SELF, WHOAMI * at_rank(rank));
            }
        }
    }

    /// The hubs of the server of its best tool.
    fn add_hubs(&mut self, best: usize) {
        let Some(server) = self.index.server_of(best) else { return };
        let profile = self.index.profile_in(self.scope, self.index.server_at(best));
        for (at, hub) in profile.companions().hubs().iter().enumerate() {
            self.add(server.tools.start + hub, best, "most tools of its server need it", HUB * at_rank(at));
        }
    }

    fn in_order(mut self) -> Vec<Brought> {
        self.found.sort_by(|a, b| b.need.total_cmp(&a.need).then_with(|| a.position.cmp(&b.position)));
        self.found
    }
}

/// The tools among leaders, and those that they need, that need a tool themselves. `said` is the task's text, this one included.
pub fn companion_of(
    (index, scope): (&Index, &InScope),
    leaders: &[usize],
    tool: usize,
    (text, said): (&str, &str),
    used: &UsedBefore,
) -> Vec<CompanionOf> {
    let signals = implied::signals(text, |_| false);
    let given = given(&signals, &implied::signals(said, |_| false));
    let name = |at: usize| index.tools[at].name.clone();
    let mut found: Vec<CompanionOf> = Vec::new();
    for leader in leaders.iter().filter(|leader| **leader != tool) {
        if used.of(&index.tools[*leader].tool.id).iter().any(|(other, _)| *other == index.tools[tool].tool.id) {
            found.push(CompanionOf { name: name(tool), of: name(*leader), by: BY_USE.to_owned() });
        }
        let Some(server) = index.server_of(*leader).filter(|server| server.tools.contains(&tool)) else { continue };
        let start = server.tools.start;
        let profile = index.profile_in(scope, index.server_at(*leader));
        let is_whoami = profile.companions().whoami().is_some_and(|at| start + at == tool);
        if is_whoami && signals.contains(&OF_SELF) && !found.iter().any(|known| known.by == BY_SELF) {
            found.push(CompanionOf { name: name(tool), of: name(*leader), by: BY_SELF.to_owned() });
        }
        for (from, need) in profile.companions().chain(leader - start) {
            let new = !found.iter().any(|known| known.of == index.tools[start + from].name);
            if start + need.tool == tool && new && !given.contains(&need.thing.as_str()) {
                found.push(CompanionOf { name: name(tool), of: name(start + from), by: need.by.clone() });
            }
        }
    }
    found
}

#[expect(clippy::cast_precision_loss, reason = "leaders are few")]
fn at_rank(rank: usize) -> f64 {
    1.0 / (1.0 + rank as f64 / HALF_RANK)
}

impl Session {
    /// The company of tools in order: what is usable, not attached yet and not sent away.
    pub(super) fn company_of(&self, index: &Index, order: &[usize], leaders: usize, least: f64) -> Vec<Brought> {
        let scope = index.in_scope(&self.scope());
        let first = &order[..order.len().min(leaders)];
        let may_come = |at: usize| {
            let id = &index.tools[at].tool.id;
            scope.holds(at) && !first.contains(&at) && !self.is_attached(id) && !self.roster.unloaded.contains(id)
        };
        company(
            index,
            &scope,
            (first, order),
            (self.last_message(), &self.said()),
            &self.conversation.used_before,
            least,
            may_come,
        )
    }

    /// The first of an order with what its leaders bring along, within a number of tools: for a search. The first `sure` of
    /// the order keep their places.
    pub(super) fn in_company(&mut self, index: &Index, order: &[usize], sure: usize, most: usize) -> Vec<usize> {
        let mut company = self.company_of(index, order, LEADERS_OF_STEP, LIKELY);
        company.truncate((most / SHARE_OF_COMPANY).min(most.saturating_sub(sure)));
        self.note_brought(index, &company);
        let company: Vec<usize> = company.iter().map(|brought| brought.position).collect();
        let mut all = behind_leaders(order, LEADERS_OF_STEP, &company);
        all.truncate(most);
        all
    }

    /// Remembers who brought what, to say so in the selection.
    pub(super) fn note_brought(&mut self, index: &Index, company: &[Brought]) {
        let id = |at: usize| index.tools[at].tool.id.clone();
        self.roster.brought.extend(company.iter().map(|brought| (id(brought.position), id(brought.of), brought.by.clone())));
    }

    /// Forgets who brought what in an earlier call.
    pub(crate) fn forget_brought(&mut self) {
        self.roster.brought.clear();
    }
}

/// Puts company behind the leaders of an order of positions; the same tools further down go.
pub fn behind_leaders(order: &[usize], leaders: usize, company: &[usize]) -> Vec<usize> {
    let (first, rest) = order.split_at(leaders.min(order.len()));
    let coming: HashSet<usize> = company.iter().copied().collect();
    let rest = rest.iter().copied().filter(|at| !coming.contains(at));
    first.iter().copied().chain(company.iter().copied()).chain(rest).collect()
}
