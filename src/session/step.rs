//! What a later turn adds.

use super::origin::Cause;
use super::selection::{NotAttached, NotAttachedReason};
use super::task::Session;
use crate::index::Index;
use crate::ranking::Ranking;
use crate::report::price::Tier;

/// A turn that pays for a rewrite adds up to so many times `turnK` tools: they share it.
const PAID_FACTOR: usize = 5;

impl Session {
    /// Attaches what a later turn adds, named tools first of all, and adds lines to the directory. Says whether the turn needs
    /// anything.
    pub(super) fn attach_step(&mut self, index: &Index, ranking: &Ranking, left: &mut Vec<NotAttached>) -> bool {
        let plan = self.turn_plan(index, ranking);
        let is_paid = self.rewrite_now(index) > 0.0;
        let most = if is_paid { PAID_FACTOR * self.settings.turn_k } else { self.settings.turn_k };
        let mut budget = self.most_tokens().saturating_sub(self.attached_tokens(index));
        let mut counted = 0;
        for (place, (candidate, tier)) in plan.order.iter().enumerate() {
            let at = candidate.position;
            let is_chosen = candidate.named || (*tier == Tier::Definition && counted < most);
            if !is_chosen || self.unloaded.contains(&index.tools[at].tool.id) {
                continue;
            }
            if candidate.named {
                self.make_room(index, at);
                budget = self.most_tokens().saturating_sub(self.attached_tokens(index));
            }
            let tokens = self.tokens_of(index, at);
            if !self.has_room(index) {
                left.push(NotAttached::new(index, at, NotAttachedReason::OverLimit));
            } else if tokens > budget {
                left.push(NotAttached::new(index, at, NotAttachedReason::OverBudget));
            } else {
                budget -= tokens;
                counted += usize::from(!candidate.named);
                let cause = if candidate.named { Cause::Named } else { self.cause_of(index, candidate, place) };
                self.attach(index, at, cause);
            }
        }
        let lines = plan.order.iter().filter(|(_, tier)| *tier != Tier::Nothing).map(|(candidate, _)| candidate.position);
        self.extend_directory(index, &lines.collect::<Vec<_>>());
        plan.speaks
    }
}
