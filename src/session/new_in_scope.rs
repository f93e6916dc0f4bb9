//! What comes into scope after a task was chosen for: a server that connects, a mode that adds servers, a setting that frees
//! tools.
//!
//! What the task said is ranked again over the whole scope. Tools that are new and belong to what a first selection would take
//! now are attached. After a switch of the host's mode the task has what it would have if it had begun in that mode, and what it
//! uses.

use super::origin::Cause;
use super::seen::Seen;
use super::selection::{GateMode, NotAttached, NotAttachedReason, RewriteCause};
use super::task::Session;
use super::turn::Wanted;
use crate::degraded::Degraded;
use crate::document::id::ToolId;
use crate::index::Index;
use crate::ranking::Ranking;
use crate::settings::Delivery;

impl Session {
    /// Remembers the scope that what the task said was ranked over.
    pub(super) fn note_seen(&mut self, index: &Index, candidates: &[usize]) {
        self.conversation.seen = Seen::of(index, candidates, self.conversation.seen.is_restored);
    }

    /// What has to be ranked because tools are new in scope, before the next turn or between two; `None` where nothing did,
    /// and where what the task said is unknown.
    pub fn ranking_of_scope(&self, index: &Index) -> Option<Wanted> {
        let candidates = index.candidates(&self.scope());
        self.is_new_in_scope(index, &candidates).then(|| self.first_wanted(self.said(), candidates.len()))
    }

    /// Whether what the task said is to be ranked again over these tools, all that are in scope.
    pub(super) fn is_new_in_scope(&self, index: &Index, candidates: &[usize]) -> bool {
        let is_chosen = self.chosen.selected && self.gate() == Some(GateMode::Dynamic) && !self.loads_only();
        is_chosen
            && self.conversation.seen.is_outdated(index, candidates)
            && !self.said().trim().is_empty()
            && (!self.chosen.stale || self.gate_of(candidates).mode == GateMode::Dynamic)
    }

    /// Attaches what is new in scope, as far as a first selection would take it now. Says what to call the rewrite, if the list
    /// changes.
    pub(super) fn take_in(
        &mut self,
        index: &Index,
        candidates: &[usize],
        (said, by_settings): (&Ranking, bool),
        left: &mut Vec<NotAttached>,
    ) -> Option<RewriteCause> {
        let cause = if self.conversation.seen.another_mode || by_settings { RewriteCause::Scope } else { RewriteCause::Server };
        let chosen = self.chosen_now(index, candidates, said);
        // Where changes are said in messages, to take away what is in scope saves nothing.
        let is_list = self.delivery() == Delivery::Append;
        let chooses_again = self.conversation.seen.another_mode && !self.conversation.seen.is_restored && is_list;
        let before = self.roster.order.clone();
        if chooses_again {
            // What is back in scope returns to its place.
            let in_scope = candidates.iter().copied().filter(|at| !self.conversation.seen.is_new(index, *at)).collect::<Vec<_>>();
            self.release(index, &in_scope, |id| chosen.roster.known.contains(id));
            self.chosen.selected = chosen.chosen.selected;
        }
        for (id, at) in chosen.attached().filter_map(|tool| Some((&tool.id, index.position(&tool.id)?))) {
            if !self.is_attached(id) && (chooses_again || self.conversation.seen.is_new(index, at)) {
                self.take_one(index, at, &chosen, left);
            }
        }
        if is_list && self.roster.order != before {
            self.write_directory(&chosen);
        } else {
            self.take_directory(index, &chosen);
        }
        // More of the vectors, or of the catalogue, will be there next time: then what is new is looked at again.
        let is_early =
            matches!(said.degraded, Some(Degraded::VectorsPending(_) | Degraded::ModelLoading | Degraded::CataloguePending));
        if !is_early || chooses_again {
            self.note_seen(index, candidates);
        }
        (self.roster.order != before && self.delivery() == Delivery::Append).then_some(cause)
    }

    /// The task as it would begin now, with what it uses.
    fn chosen_now(&self, index: &Index, candidates: &[usize], said: &Ranking) -> Self {
        let mut fresh = self.clone();
        fresh.forget_brought();
        fresh.release(index, candidates, |_| false);
        fresh.chosen.selected = false;
        fresh.attach_first(index, candidates, Some(said), &mut Vec::new());
        fresh
    }

    /// Takes away what is in scope, except for what the task called, or what the model or host asked for.
    pub(super) fn release(&mut self, index: &Index, candidates: &[usize], stays: impl Fn(&ToolId) -> bool) {
        let asked_for = |id: &ToolId| {
            self.roster.origins.get(id).is_some_and(|origin| matches!(origin.cause, Cause::Loaded | Cause::Rerouted))
        };
        let in_scope = candidates.iter().map(|at| &index.tools[*at].tool.id);
        let gone =
            in_scope.filter(|id| self.is_attached(id) && !self.conversation.used.contains(*id) && !asked_for(id) && !stays(id));
        for id in gone.cloned().collect::<Vec<_>>() {
            self.detach(&id);
        }
    }

    /// Attaches a chosen tool as far as limit and budget have room.
    fn take_one(&mut self, index: &Index, at: usize, chosen: &Self, left: &mut Vec<NotAttached>) {
        let id = &index.tools[at].tool.id;
        if !self.has_room(index) {
            left.push(NotAttached::new(index, at, NotAttachedReason::OverLimit));
        } else if !self.can_afford(index, at) {
            left.push(NotAttached::new(index, at, NotAttachedReason::OverBudget));
        } else {
            let cause = chosen.roster.origins.get(id).map_or(Cause::Ranked, |origin| origin.cause.clone());
            self.attach(index, at, cause);
            self.roster.brought.extend(chosen.roster.brought.iter().filter(|(brought, ..)| brought == id).cloned());
        }
    }
}
