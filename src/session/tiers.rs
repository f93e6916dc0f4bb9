//! What becomes of each tool that may come: a definition, a line of the directory, or nothing, by what is cheapest.
//!
//! First selections, later turns, what comes into scope, a switched mode and a compaction decide alike. A number of tools instead of
//! `'auto'` means the likeliest so many, with lines behind them.

use super::chances::Candidate;
use super::selection::GateRule;
use super::task::Session;
use crate::delivery::shown;
use crate::evidence::thresholds;
use crate::index::Index;
use crate::ranking::Ranking;
use crate::report::price::Tier;
use crate::settings::InitialK;

/// A text needs so many tools at least, or it is talk: of 354 lines of small talk that nobody tuned on 9 in 10 need fewer, and of 170
/// tasks one (`research/make/chance.py`).
const TALK: f64 = 0.2;
/// A text that needs fewer says little: it is shown lines, and where it is the first, the next one is asked again.
const UNSURE: f64 = 0.7;
/// Unless something serves it surely: some single tool of many alike.
const SERVED: f64 = 0.5;

/// What a text gets.
#[derive(Debug, Clone, Default)]
pub(super) struct Plan {
    /// Whether it says that it needs anything.
    pub speaks: bool,
    /// Whether it says enough to choose by.
    pub is_sure: bool,
    /// How many definitions it gets, the likeliest; `None` as many as are worth it.
    pub most: Option<usize>,
    /// The tools that may come, the likeliest first, and how each is shown at the least cost.
    pub order: Vec<(Candidate, Tier)>,
}

impl Plan {
    /// Who is a definition is decided by chance; they stand in the order of the ranking, named ones first.
    fn sort_definitions(&mut self) {
        let mut left = self.most.unwrap_or(usize::MAX);
        let (mut chosen, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.order).into_iter().partition(|(candidate, tier)| {
                let is_chosen = candidate.named || (left > 0 && (self.most.is_some() || *tier == Tier::Definition));
                left -= usize::from(is_chosen && !candidate.named);
                is_chosen
            });
        chosen.sort_by_key(|(candidate, _)| (!candidate.named, candidate.rank));
        self.order = chosen.into_iter().chain(others).collect();
    }

    fn have_lines_alone(&mut self) {
        for (_, tier) in self.order.iter_mut().filter(|(_, tier)| *tier == Tier::Definition) {
            *tier = Tier::Line;
        }
    }
}

impl Session {
    /// What a first text gets, pins aside.
    pub(super) fn first_plan(&self, index: &Index, ranking: Option<&Ranking>) -> Plan {
        let Some(ranking) = ranking else { return Plan::default() };
        let mut plan = self.plan(index, ranking);
        if self.is_over_limit() {
            // All that the kill switch may attach, as far as the API has room.
            (plan.most, plan.is_sure) = (Some(usize::MAX), true);
            return plan;
        }
        match self.settings.first_k() {
            InitialK::Fixed(most) => (plan.most, plan.is_sure) = (Some(most), plan.speaks),
            InitialK::Auto if !plan.is_sure && self.settings.directory_tokens > 0 => plan.have_lines_alone(),
            InitialK::Auto => {}
        }
        plan.sort_definitions();
        plan
    }

    /// What a later turn gets: definitions only where together they are worth what is written again.
    pub(super) fn turn_plan(&self, index: &Index, ranking: &Ranking) -> Plan {
        let mut plan = self.plan(index, ranking);
        plan.order.retain(|(candidate, _)| !self.is_attached(&index.tools[candidate.position].tool.id));
        let price = self.price();
        let gain = |(candidate, tier): &(Candidate, Tier)| match tier {
            Tier::Definition => price.gain(candidate.chance, self.tokens_of(index, candidate.position)),
            _ => 0.0,
        };
        let is_named = plan.order.iter().any(|(candidate, _)| candidate.named);
        if !is_named && plan.order.iter().map(gain).sum::<f64>() < self.rewrite_now(index) {
            plan.have_lines_alone();
        }
        plan
    }

    /// Whether the task would have all tools, if the model's API had room for them.
    fn is_over_limit(&self) -> bool {
        self.gate.is_some_and(|gate| gate.rule == GateRule::OverLimit)
    }

    fn plan(&self, index: &Index, ranking: &Ranking) -> Plan {
        let candidates = self.may_come(index, ranking);
        // Rules of others say no chances: what they chose is needed.
        let by_chance = ranking.signals.is_some();
        let needs = if by_chance { candidates.iter().map(|candidate| candidate.chance).sum() } else { f64::INFINITY };
        let is_named = candidates.iter().any(|candidate| candidate.named);
        let says_something = !self.selected && thresholds::says_something(ranking);
        let speaks = is_named || needs >= TALK || says_something || self.is_over_limit();
        let is_sure = is_named || needs >= UNSURE || (speaks && ranking.evidence >= SERVED);
        let price = self.price();
        let tier = |candidate: &Candidate| {
            let tool = &index.tools[candidate.position].tool;
            if candidate.named || !by_chance {
                return Tier::Definition;
            }
            let has_lines = self.settings.directory_tokens > 0;
            let line = has_lines.then(|| 1 + tool.signature_as(shown(self.delivery())).token_count());
            price.cheapest(candidate.chance, self.tokens_of(index, candidate.position), line)
        };
        let with_tier = |candidate: Candidate| (tier(&candidate), candidate);
        let order = candidates.into_iter().filter(|_| speaks).map(with_tier).map(|(tier, candidate)| (candidate, tier));
        Plan { speaks, is_sure, most: None, order: order.collect() }
    }
}
