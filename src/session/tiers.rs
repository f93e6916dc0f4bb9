//! What a text gets: which tools may come, and what the rows of `place::PLACE` read of the text.

use super::chances::Candidate;
use super::origin::{Cause, Placed};
use super::place::{Number, Places, ROOM};
use super::selection::{GateRule, NotAttached, NotAttachedReason};
use super::task::Session;
use crate::evidence::thresholds;
use crate::index::Index;
use crate::ranking::Ranking;
use crate::report::price::Tier;
use crate::settings::InitialK;

/// A text needs so many tools at least, by its chances, or it is talk: 1 task in 100 needs fewer, and 8 of 10 lines of talk
/// (`research/make/chance.py`).
const TALK: f64 = 0.5;
/// Or one that is so likely, as those of a server that it names are.
const LIKELY: f64 = 0.3;
/// A text that needs fewer says little, as work on code does: it is shown lines, and after a first one the next is asked again.
const UNSURE: f64 = 1.0;
/// Unless something serves it surely: some single tool of many alike.
const SERVED: f64 = 0.5;
/// New tools of a later turn: with them, ten tools and three turns cover as much as forty tools together.
const OF_A_TURN: usize = 3;
/// A turn that pays for a rewrite adds up to so many: they share it.
const OF_A_PAID_TURN: usize = 15;

/// When a text is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    First,
    Turn,
}

/// What a text gets.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// Whether it says enough to choose by.
    pub is_sure: bool,
    pub places: Places,
    /// The tools that may come, the likeliest first.
    pub candidates: Vec<Candidate>,
}

impl Session {
    /// What a first text gets, pins aside.
    pub(super) fn first_plan(&self, index: &Index, ranking: &Ranking) -> Plan {
        let mut plan = self.plan(index, ranking);
        let places = &mut plan.places;
        if self.is_over_limit() {
            // All that the kill switch may attach, as far as the API has room.
            (places.number, plan.is_sure) = (Number::Exactly(usize::MAX), true);
            return plan;
        }
        match self.settings.first_k() {
            InitialK::Fixed(most) => (places.number, plan.is_sure) = (Number::Exactly(most), places.speaks),
            InitialK::Auto => places.is_unsure = !plan.is_sure && self.settings.directory_tokens > 0,
        }
        plan
    }

    /// What a later turn gets: definitions only where together they are worth what is written again.
    pub(super) fn turn_plan(&self, index: &Index, ranking: &Ranking) -> Plan {
        let mut plan = self.plan(index, ranking);
        plan.candidates.retain(|candidate| !self.is_attached(&index.tools[candidate.position].tool.id));
        let (price, rewrite) = (plan.places.price, self.rewrite_now(index));
        let gain = |candidate: &Candidate| match self.shown_as(index, candidate, &plan.places).tier {
            Tier::Definition => price.gain(candidate.chance, self.tokens_of(index, candidate.position)),
            _ => 0.0,
        };
        let is_named = plan.candidates.iter().any(|candidate| candidate.named);
        let pays = is_named || plan.candidates.iter().map(gain).sum::<f64>() >= rewrite;
        let number = Number::AtMost(if rewrite > 0.0 { OF_A_PAID_TURN } else { OF_A_TURN });
        let is_frozen = self.frozen();
        plan.places = Places { pays, is_frozen, number, ..plan.places };
        plan
    }

    /// Whether the task would have all tools, if the model's API had room for them.
    fn is_over_limit(&self) -> bool {
        self.chosen.gate.is_some_and(|gate| gate.rule == GateRule::OverLimit)
    }

    fn plan(&self, index: &Index, ranking: &Ranking) -> Plan {
        let candidates = self.may_come(index, ranking);
        let by_chance = ranking.signals.is_some();
        let needs = if by_chance { candidates.iter().map(|candidate| candidate.chance).sum() } else { f64::INFINITY };
        let is_named = candidates.iter().any(|candidate| candidate.named);
        let is_likely = by_chance && candidates.iter().any(|candidate| candidate.chance >= LIKELY);
        let is_served = ranking.evidence >= SERVED;
        let says_something = !self.chosen.selected && thresholds::says_something(ranking, needs);
        let speaks = is_named || is_likely || needs >= TALK || says_something || self.is_over_limit();
        let is_sure = is_named || (needs >= UNSURE && !thresholds::is_of_code(ranking)) || (speaks && is_served);
        let places = Places {
            price: self.price(),
            by_chance,
            pays: true,
            is_unsure: false,
            is_other: by_chance && needs < TALK && thresholds::is_task_of_other_language(ranking),
            is_frozen: false,
            speaks,
            number: Number::Any,
            counted: 0,
            budget: usize::MAX,
            has_room: true,
        };
        Plan { is_sure, places, candidates }
    }

    /// Attaches what a plan makes definitions of, within a budget. Answers what is worth a line, attached or not.
    pub(super) fn attach_plan(
        &mut self,
        index: &Index,
        plan: Plan,
        (budget, moment): (usize, Moment),
        left: &mut Vec<NotAttached>,
    ) -> Vec<usize> {
        let mut places = Places { budget, ..plan.places };
        let (mut lines, mut notes) = (Vec::new(), Vec::new());
        for candidate in &self.definitions_first(index, plan.candidates, plan.places) {
            let at = candidate.position;
            let tool = &index.tools[at];
            let id = &tool.tool.id;
            if self.is_attached(id) {
                // A number of tools counts those of a task that became dynamic; a price counts what is new.
                let counts = matches!(places.number, Number::Exactly(_)) && !candidate.named && !tool.always_load;
                places.counted += usize::from(counts);
                continue;
            }
            if candidate.named && moment == Moment::Turn && !places.is_frozen {
                self.make_room(index, at);
                places.budget = self.most_tokens().saturating_sub(self.attached_tokens(index));
            }
            places.has_room = self.has_room(index);
            let shown = self.shown_as(index, candidate, &places);
            let chance = places.by_chance.then_some(candidate.chance);
            notes.push(Placed::new(id, chance, shown.tier, shown.row));
            if *shown.row == ROOM {
                let reason = if places.has_room { NotAttachedReason::OverBudget } else { NotAttachedReason::OverLimit };
                left.push(NotAttached::new(index, at, reason));
                // What a limit leaves is what a number leaves.
                places.counted += usize::from(!places.has_room && !candidate.named);
            }
            if shown.tier == Tier::Definition {
                places.budget -= self.tokens_of(index, at);
                places.counted += usize::from(!candidate.named);
                let cause = if candidate.named { Cause::Named } else { self.cause_of(index, candidate) };
                self.attach(index, at, cause);
            }
            if shown.tier != Tier::Nothing {
                lines.push(at);
            }
        }
        self.chosen.placed = notes.into();
        lines
    }
}
