//! The gate: whether a task gets all tools in scope, or chosen ones, and by which rule.

use super::selection::{Gate, GateMode, GateRule};
use super::task::Session;
use crate::index::Index;

impl Session {
    /// What the gate decides for the tools in scope now.
    pub(super) fn gate_of(&self, candidates: &[usize]) -> Gate {
        let (settings, count) = (&self.settings, candidates.len());
        let rule = if settings.search_turns == 0 {
            GateRule::KillSwitch
        } else if count <= settings.threshold {
            GateRule::Threshold
        } else {
            return Gate { mode: GateMode::Dynamic, rule: GateRule::OverThreshold };
        };
        if self.room(GateMode::All).is_some_and(|room| room < count) {
            return Gate { mode: GateMode::Dynamic, rule: GateRule::OverLimit };
        }
        Gate { mode: GateMode::All, rule }
    }

    /// Whether a task that begins now, with all servers in scope, chooses among them.
    pub fn would_route(&self, index: &Index) -> bool {
        self.gate_of(&index.candidates(&self.scope())).mode == GateMode::Dynamic
    }

    /// Passes the gate. A dynamic task stays one while nothing but the catalogue changed: servers come
    /// and go, and a list that jumps between all and few helps no model.
    pub(super) fn pass_gate(&mut self, candidates: &[usize]) {
        crate::fault::point("gate");
        let stays = self.gate() == Some(GateMode::Dynamic) && !self.chosen.stale && !self.roster.order.is_empty();
        if !stays {
            self.chosen.gate = Some(self.gate_of(candidates));
        }
        self.chosen.stale = false;
    }
}
