//! The tool before the tool: which tools of a server find what another one must be given, or open what it works on.
//!
//! An edge comes from a required parameter (`channel_id`, and `list_channels` lists channels), from what descriptions say
//! ("call X first", "from the page snapshot"), from a state ("the current page", which `navigate` opens), or from what is known
//! of a well-known server. The graph is bounded and has no circle: strong edges are set first, and one that would close a circle
//! is left out. Most of it is read from text of strangers, so it decides about nothing but which tools come along.

mod facts;
mod known;
mod phrases;
mod producers;
mod ways_in;

use std::collections::{HashMap, HashSet};

use facts::Facts;
pub use facts::{Asked, ToolText};
use phrases::Names;
use producers::Producers;

/// Tools of one server that are read; the largest real server has half as many.
const MAX_TOOLS: usize = 1_000;
const MAX_NEEDS: usize = 3;
/// Weaker edges are dropped.
const LEAST_STRENGTH: f64 = 0.45;
/// Maximum number of tools that are walked to find a circle; past it an edge is left out.
const MAX_WALK: usize = 512;
/// The longest chain that is followed: projects, pipelines, jobs.
const MAX_DEPTH: usize = 3;
/// A hub is needed by so many tools, and by this share of them.
const FEWEST_OF_HUB: usize = 3;
const SHARE_OF_HUB: f64 = 0.25;
const MAX_HUBS: usize = 3;
/// How sure an edge is, beside a producer that fits a parameter without fault.
const SAID_IN_PARAMETER: f64 = 1.2;
const SAID: f64 = 0.9;
const STATE: f64 = 0.8;
const KNOWN: f64 = 0.9;
/// What an id that may be left out says beside one that is required.
const OPTIONAL: f64 = 0.55;
/// What the second and third that come first on a known server lose.
const PER_KNOWN: f64 = 0.1;
/// Who says so there.
const BY_KNOWN: &str = "usually called before it";

/// A tool that must come before another one.
#[derive(Debug, Clone, PartialEq)]
pub struct Need {
    /// Its place among the tools of the server.
    pub tool: usize,
    /// The parameter or phrase that says so.
    pub by: String,
    /// The stem of the thing that a parameter asks for; empty where a phrase says so.
    pub thing: String,
    /// How sure that is: 1 for a list of just what a parameter asks for.
    pub strength: f64,
}

/// What the tools of one server need of each other.
#[derive(Debug, Default)]
pub struct Companions {
    needs: Vec<Vec<Need>>,
    hubs: Vec<usize>,
    whoami: Option<usize>,
    is_known: bool,
    ways_in: Vec<usize>,
    asks: Vec<Asked>,
}

impl Companions {
    /// Reads the tools of a server. Costs about 20 µs per tool.
    pub fn new(server_name: &str, tools: &[ToolText<'_>]) -> Self {
        let tools = &tools[..tools.len().min(MAX_TOOLS)];
        let facts = facts::read(server_name, tools);
        let mut edges = edges(tools, &facts);
        add_known(&mut edges, server_name, tools, &facts);
        edges.retain(|(_, need)| need.strength >= LEAST_STRENGTH);
        edges.sort_by(|a, b| b.1.strength.total_cmp(&a.1.strength).then_with(|| (a.0, a.1.tool).cmp(&(b.0, b.1.tool))));
        let is_known = edges.iter().any(|(_, need)| need.by == BY_KNOWN);
        let mut graph = Self {
            needs: vec![Vec::new(); tools.len()],
            hubs: Vec::new(),
            whoami: facts::whoami(tools),
            is_known,
            ..Self::default()
        };
        for (tool, need) in edges {
            let known = &graph.needs[tool];
            let full = known.len() >= MAX_NEEDS || known.iter().any(|other| other.tool == need.tool);
            if !full && tool != need.tool && !graph.leads(need.tool, tool) {
                graph.needs[tool].push(need);
            }
        }
        let counts = graph.counts();
        graph.hubs = graph.most_needed(&counts);
        graph.ways_in = ways_in::ways_in(tools, &facts, &counts);
        graph.asks = facts.iter().map(Facts::asked).collect();
        graph
    }

    /// The same where its tools have these places among more.
    pub fn at(mut self, places: &[usize], count: usize) -> Self {
        if places.len() == count {
            return self;
        }
        let mut needs = vec![Vec::new(); count];
        for (own, mut known) in self.needs.drain(..).enumerate() {
            for need in &mut known {
                need.tool = places[need.tool];
            }
            needs[places[own]] = known;
        }
        self.needs = needs;
        self.hubs.iter_mut().chain(&mut self.ways_in).chain(&mut self.whoami).for_each(|at| *at = places[*at]);
        let mut asks = vec![Asked::default(); count];
        for (own, asked) in self.asks.drain(..).enumerate() {
            asks[places[own]] = asked;
        }
        self.asks = asks;
        self
    }

    /// What a tool needs itself, the surest first.
    pub fn of(&self, tool: usize) -> &[Need] {
        self.needs.get(tool).map_or(&[], Vec::as_slice)
    }

    /// The tools that most others of the server depend on, the most needed first.
    pub fn hubs(&self) -> &[usize] {
        &self.hubs
    }

    /// The place of a tool, from 1, among those where work on the server begins: tools that read, need no id, and give what others ask
    /// for; at most 12.
    pub fn way_in(&self, tool: usize) -> Option<usize> {
        self.ways_in.iter().position(|at| *at == tool).map(|at| at + 1)
    }

    /// What a tool asks for.
    pub fn asked(&self, tool: usize) -> Asked {
        self.asks.get(tool).copied().unwrap_or_default()
    }

    /// Whether it is known of the server what is usually called first.
    pub fn is_known(&self) -> bool {
        self.is_known
    }

    /// The tool that says who is asking.
    pub fn whoami(&self) -> Option<usize> {
        self.whoami
    }

    /// All that a tool needs, nearest first, and what needs it.
    pub fn chain(&self, tool: usize) -> Vec<(usize, &Need)> {
        let mut chain: Vec<(usize, &Need)> = Vec::new();
        let mut seen = HashSet::from([tool]);
        let mut from = vec![tool];
        for _ in 0..MAX_DEPTH {
            let next: Vec<(usize, &Need)> = from.iter().flat_map(|at| self.of(*at).iter().map(move |need| (*at, need))).collect();
            let next: Vec<(usize, &Need)> = next.into_iter().filter(|(_, need)| seen.insert(need.tool)).collect();
            from = next.iter().map(|(_, need)| need.tool).collect();
            chain.extend(next);
        }
        chain
    }

    /// Whether a tool needs another one, directly or not; also when that would take too long to say.
    fn leads(&self, from: usize, to: usize) -> bool {
        let mut seen = HashSet::new();
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            if at == to || seen.len() > MAX_WALK {
                return true;
            }
            if seen.insert(at) {
                open.extend(self.needs[at].iter().map(|need| need.tool));
            }
        }
        false
    }

    /// How many tools need each tool, directly or not.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0_usize; self.needs.len()];
        for tool in 0..self.needs.len() {
            for (_, need) in self.chain(tool) {
                counts[need.tool] += 1;
            }
        }
        counts
    }

    fn most_needed(&self, counts: &[usize]) -> Vec<usize> {
        #[expect(clippy::cast_precision_loss, reason = "counts of tools are far below 2^52")]
        let is_hub = |count: usize| count >= FEWEST_OF_HUB && count as f64 >= SHARE_OF_HUB * self.needs.len() as f64;
        let mut hubs: Vec<usize> = (0..counts.len()).filter(|at| is_hub(counts[*at])).collect();
        hubs.sort_by_key(|at| (std::cmp::Reverse(counts[*at]), *at));
        hubs.truncate(MAX_HUBS);
        hubs
    }
}

/// All that the tools say they need, in no order.
fn edges(tools: &[ToolText<'_>], facts: &[Facts]) -> Vec<(usize, Need)> {
    let producers = Producers::new(facts);
    let names = Names::new(tools);
    let mut edges = Vec::new();
    for (at, own) in facts.iter().enumerate() {
        let mut add = |found: Option<(usize, String)>, strength: f64| {
            edges.extend(found.map(|(tool, by)| (at, Need { tool, by, thing: String::new(), strength })));
        };
        for parameter in &own.parameters {
            let said = names.said_first(&parameter.described);
            if said.is_empty() {
                let source = phrases::said_source(parameter, facts, at);
                add(source.map(|(tool, phrase)| (tool, format!("{}: {phrase}", parameter.name))), SAID);
            }
            for (tool, phrase) in said {
                add(Some((tool, format!("{}: {phrase}", parameter.name))), SAID_IN_PARAMETER);
            }
        }
        for said in names.said_first(&own.described) {
            add(Some(said), SAID);
        }
        for parameter in own.parameters.iter().filter(|parameter| names.said_first(&parameter.described).is_empty()) {
            if let Some((tool, strength)) = producers.of(at, parameter) {
                let thing = parameter.thing.last().cloned().unwrap_or_default();
                edges.push((at, Need { tool, by: parameter.name.clone(), thing, strength }));
            }
        }
        for parameter in &own.optional {
            if let Some((tool, strength)) = producers.of(at, parameter) {
                let thing = parameter.thing.last().cloned().unwrap_or_default();
                edges.push((at, Need { tool, by: parameter.name.clone(), thing, strength: OPTIONAL * strength }));
            }
        }
        let mut add = |found: Option<(usize, String)>, strength: f64| {
            edges.extend(found.map(|(tool, by)| (at, Need { tool, by, thing: String::new(), strength })));
        };
        add(phrases::begun_by(facts, at), SAID);
        add(phrases::said_state(facts, at), STATE);
    }
    edges
}

/// Adds what is known of the server; what its tools say themselves becomes surer by it.
fn add_known(edges: &mut Vec<(usize, Need)>, server_name: &str, tools: &[ToolText<'_>], facts: &[Facts]) {
    let said: HashMap<(usize, usize), usize> =
        edges.iter().enumerate().map(|(at, (tool, need))| ((*tool, need.tool), at)).collect();
    for (tool, first, rank) in known::first(server_name, tools) {
        #[expect(clippy::cast_precision_loss, reason = "three at most")]
        let strength = KNOWN - PER_KNOWN * rank as f64;
        if let Some(at) = said.get(&(tool, first)) {
            edges[*at].1.strength = edges[*at].1.strength.max(strength);
        } else {
            let thing = facts[first].nouns.last().cloned().unwrap_or_default();
            edges.push((tool, Need { tool: first, by: BY_KNOWN.to_owned(), thing, strength }));
        }
    }
}

#[cfg(test)]
mod tests;
