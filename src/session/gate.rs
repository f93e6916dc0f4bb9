//! The gate: whether a task gets all tools in scope, or chosen ones, and by which rule.

use super::selection::{Gate, GateMode, GateRule};
use super::task::Session;
use crate::index::Index;
use crate::settings::{Policy, Settings};

/// Scoped tools up to this count are all attached. A curator keeps k tools or all of them: there is no
/// other threshold.
fn threshold(settings: &Settings) -> usize {
    match settings.policy {
        Policy::Ranking => settings.threshold,
        Policy::Curator => settings.curation.limit().unwrap_or(usize::MAX),
    }
}

impl Session {
    /// What the gate decides for the tools in scope now.
    pub(super) fn gate_of(&self, index: &Index, candidates: &[usize]) -> Gate {
        let (settings, count) = (&self.settings, candidates.len());
        #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
        let is_small_share = || {
            settings.context_window.is_some_and(|window| {
                let scoped: usize = candidates.iter().map(|at| self.tokens_of(index, *at)).sum();
                (scoped as f64) < settings.context_share * window as f64
            })
        };
        let rule = if settings.search_turns == 0 {
            GateRule::KillSwitch
        } else if count <= threshold(settings) {
            GateRule::Threshold
        } else if settings.context_share > 0.0 && is_small_share() {
            GateRule::ContextShare
        } else {
            return Gate { mode: GateMode::Dynamic, rule: GateRule::OverThreshold };
        };
        if self.room(GateMode::All).is_some_and(|room| room < count) {
            return Gate { mode: GateMode::Dynamic, rule: GateRule::OverLimit };
        }
        Gate { mode: GateMode::All, rule }
    }

    /// Whether a task that begins now, with all servers in scope, chooses among them.
    #[must_use]
    pub fn would_route(&self, index: &Index) -> bool {
        self.gate_of(index, &index.candidates(&self.scope())).mode == GateMode::Dynamic
    }

    /// Passes the gate. A dynamic task stays one while nothing but the catalogue changed: servers come
    /// and go, and a list that jumps between all and few helps no model.
    pub(super) fn pass_gate(&mut self, index: &Index, candidates: &[usize]) {
        crate::fault::point("gate");
        let stays = self.gate() == Some(GateMode::Dynamic) && !self.chosen.stale && !self.roster.order.is_empty();
        if !stays {
            self.chosen.gate = Some(self.gate_of(index, candidates));
        }
        self.chosen.stale = false;
    }
}
