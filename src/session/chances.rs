//! How likely the task needs each of the tools that may come: what decides who is a definition, who a line, and who nothing.

use std::borrow::Cow;
use std::collections::HashMap;

use super::companions::{BY_USE, Brought, company};
use super::task::Session;
use crate::ablation;
use crate::evidence::chance::{Known, Text};
use crate::index::Index;
use crate::order::{named_servers, said_again};
use crate::query::Naming;
use crate::ranking::{RankedTool, Ranking};
use crate::settings::InitialK;

/// So many tools of an order are looked at, and what they need: what stands behind them is needed once in three hundred times.
pub(super) const LOOKED_AT: usize = 300;
/// So many of them bring others along.
const LEADERS: usize = 20;
/// What a needed tool needs once, by its parameters, is needed so often: 8 to 15 of a hundred (the tuning half, strangers too).
const COMES_ALONG: f64 = 0.1;
/// Who asks again what led to a tool before needs it so often: the measure is set on tasks that are new.
const SAID_AGAIN: f64 = 0.5;
/// The tools that say which servers are meant.
const FIRST: usize = 10;

/// Of so many servers that a text speaks of, the first ways in may come, whatever their place in the ranking.
const LIKELY_SERVERS: usize = 4;
const WAYS_IN: usize = 6;

struct OfServer {
    /// How many servers have a tool before its first one.
    place: usize,
    /// The best score of a tool of it.
    best: f64,
}

/// The servers of a ranking, by their places in the index.
fn servers_of(index: &Index, ranking: &Ranking) -> HashMap<usize, OfServer> {
    let mut servers: HashMap<usize, OfServer> = HashMap::new();
    for tool in &ranking.tools {
        let place = servers.len();
        let of = servers.entry(index.server_at(tool.position)).or_insert(OfServer { place, best: 0.0 });
        of.best = of.best.max(tool.plain());
    }
    servers
}

/// A tool that may come.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    pub position: usize,
    /// Its place in the ranking, from 1.
    pub rank: usize,
    /// Its place among the likeliest, from 1.
    pub place: usize,
    /// How likely the task needs it, from 0 to 1.
    pub chance: f64,
    pub named: bool,
    /// What needs it, if the first tools do.
    pub brought: Option<Brought>,
}

impl Session {
    /// The tools that may come, the likeliest first. A ranking by other rules than ours says no chances, and keeps its order.
    pub(super) fn may_come(&self, index: &Index, ranking: &Ranking) -> Vec<Candidate> {
        let whole = ranking.with_implied();
        // Definitions stand in the order of the ranking itself.
        let ranks: HashMap<usize, usize> = match whole {
            Cow::Owned(_) => ranking.tools.iter().map(|tool| (tool.position, tool.rank)).collect(),
            Cow::Borrowed(_) => HashMap::new(),
        };
        let ranking = &*whole;
        let text = Text::of(ranking);
        let candidate = |(tool, known, brought): (&RankedTool, Known, Option<Brought>)| Candidate {
            position: tool.position,
            rank: ranks.get(&tool.position).copied().unwrap_or(tool.rank),
            place: 0,
            chance: text.chance(tool, &known),
            named: tool.shares.named.how != Naming::None,
            brought,
        };
        let known = self.known_of(index, ranking);
        let of_ranking: Vec<&RankedTool> = known.iter().map(|(tool, ..)| *tool).collect();
        let mut found: Vec<Candidate> = known.into_iter().map(candidate).collect();
        // The text speaks of the first tool of a server: none of the others, which may only begin the work there, is likelier.
        let mut first_of_server: HashMap<usize, f64> = HashMap::new();
        for candidate in &found {
            first_of_server.entry(index.server_at(candidate.position)).or_insert(candidate.chance);
        }
        for candidate in found.iter_mut().filter(|candidate| !candidate.named) {
            candidate.chance = candidate.chance.min(first_of_server[&index.server_at(candidate.position)]);
        }
        let chances: HashMap<usize, f64> = found.iter().map(|candidate| (candidate.position, candidate.chance)).collect();
        for (candidate, tool) in found.iter_mut().zip(&of_ranking) {
            candidate.chance = candidate.chance.max(SAID_AGAIN * said_again(&tool.shares));
            let Some(brought) = &candidate.brought else { continue };
            // What was learned of calls is a share of them.
            let needed = if brought.by == BY_USE { brought.need } else { COMES_ALONG * brought.need };
            let of = chances.get(&brought.of).copied().unwrap_or(0.0);
            candidate.chance = candidate.chance.max(of * needed.min(1.0));
        }
        // The ranking's order stays where chances are alike.
        if ranking.signals.is_some() {
            found.sort_by(|a, b| b.named.cmp(&a.named).then_with(|| b.chance.total_cmp(&a.chance)));
        }
        for (at, candidate) in found.iter_mut().enumerate() {
            candidate.place = at + 1;
        }
        found
    }

    /// What is known of the tools that may come, in the order of their ranking.
    #[expect(clippy::cast_precision_loss, reason = "ten tools")]
    fn known_of<'r>(&self, index: &Index, ranking: &'r Ranking) -> Vec<(&'r RankedTool, Known, Option<Brought>)> {
        let scope = index.in_scope(&self.scope());
        let message = self.read_now();
        let named = named_servers(index, &scope, &message);
        let order: Vec<usize> = ranking.tools.iter().map(|tool| tool.position).collect();
        let may_come = |at: usize| scope.holds(at) && !self.roster.unloaded.contains(&index.tools[at].tool.id);
        let leaders = &order[..order.len().min(LEADERS)];
        let said = self.said();
        let company = company(index, &scope, (leaders, &order), (&message, &said), &self.conversation.used_before, 0.0, may_come);
        let mut brought: HashMap<usize, Brought> = company.into_iter().map(|brought| (brought.position, brought)).collect();
        let mut of_server: HashMap<usize, usize> = HashMap::new();
        let mut of_part: HashMap<usize, usize> = HashMap::new();
        let mut of_first: HashMap<usize, usize> = HashMap::new();
        for at in order.iter().take(FIRST) {
            *of_first.entry(index.server_at(*at)).or_default() += 1;
        }
        let looked_at = match self.settings.first_k() {
            InitialK::Fixed(most) => most.max(LOOKED_AT),
            InitialK::Auto => LOOKED_AT,
        };
        let servers = servers_of(index, ranking);
        let best = ranking.best_plain();
        let mut found = Vec::new();
        for (place, tool) in ranking.tools.iter().enumerate() {
            let server = index.server_at(tool.position);
            let before_in_server = of_server.entry(server).or_default();
            let before_in_part = of_part.entry(tool.shares.clause.unwrap_or(usize::MAX)).or_default();
            let brought = brought.remove(&tool.position);
            let of = &servers[&server];
            // What servers' tools need of each other is read of those alone that may say something.
            if place < looked_at || brought.is_some() || of.place < LIKELY_SERVERS {
                let companions = index.profile_in(&scope, server).companions();
                let own = tool.position - index.servers[server].tools.start;
                let asked = companions.asked(own);
                let way_in = companions.way_in(own).unwrap_or(0);
                let known = Known {
                    before_in_server: *before_in_server,
                    before_in_part: if ablation::is_off("places of parts") { 0 } else { *before_in_part },
                    brought: brought.as_ref().map_or(0.0, |brought| brought.need),
                    server_share: of_first.get(&server).map_or(0.0, |count| *count as f64 / FIRST as f64),
                    server_named: named.contains(&server),
                    later: self.chosen.selected,
                    way_in,
                    reads: asked.reads,
                    required: asked.required,
                    server_place: of.place,
                    server_best: if best > 0.0 { of.best / best } else { 0.0 },
                };
                if place < looked_at || brought.is_some() || (1..=WAYS_IN).contains(&way_in) {
                    found.push((tool, known, brought));
                }
            }
            *before_in_server += 1;
            *before_in_part += 1;
        }
        found
    }

    /// What the measure reads of each tool that may come, as JSON, for the script that sets it.
    #[cfg(feature = "ablation")]
    pub fn values_of_chances(&mut self, index: &Index, message: &str, ranking: &Ranking) -> String {
        // As the next turn would see it.
        let before = (self.conversation.latest_texts.clone(), self.conversation.first_text.clone());
        self.remember(message);
        let ranking = &*ranking.with_implied();
        let text = Text::of(ranking);
        let rows = self.known_of(index, ranking);
        let row = |(tool, known, _): &(&RankedTool, Known, Option<Brought>)| {
            let own = &index.tools[tool.position];
            let line = own.tool.signature_as(crate::delivery::shown(self.delivery())).token_count();
            serde_json::json!([
                own.name,
                self.tokens_of(index, tool.position),
                line,
                u8::from(tool.shares.named.how != Naming::None),
                u8::from(self.is_attached(&own.tool.id)),
                text.values(tool, known),
            ])
        };
        let rows: Vec<serde_json::Value> = rows.iter().map(row).collect();
        (self.conversation.latest_texts, self.conversation.first_text) = before;
        let with_vectors = ranking.signals.is_some_and(|signals| signals.with_vectors);
        serde_json::json!({ "names": *crate::evidence::chance::NAMES, "vectors": with_vectors, "later": self.chosen.selected, "rows": rows }).to_string()
    }
}
