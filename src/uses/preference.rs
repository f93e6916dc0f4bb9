//! What recent and frequent use adds: a small, bounded preference for tools that were called before.

use std::collections::HashMap;

use super::Learned;
use super::fading::Fading;
use crate::document::id::ToolId;

/// How many tools are remembered; the least used one is forgotten first.
const CAPACITY: usize = 512;
/// After this many recorded uses an older use counts half: a few tasks' worth of calls.
const HALF_LIFE: f64 = 50.0;
/// Uses after which the preference is at 63 % of its most.
const SATURATION: f64 = 3.0;

/// Uses of tools, oldest counting least. Time is counted in uses, so the same uses in the same
/// order always give the same preference.
#[derive(Debug, Default, Clone)]
pub struct UsePreference {
    uses: HashMap<ToolId, Fading>,
    clock: u64,
    learned: Learned,
}

impl UsePreference {
    /// Records one use.
    pub fn record(&mut self, tool: &ToolId) {
        self.clock += 1;
        let clock = self.clock;
        self.uses.entry(tool.clone()).or_default().add(clock, HALF_LIFE);
        if self.uses.len() > CAPACITY {
            let least = self
                .uses
                .iter()
                .filter(|(id, _)| *id != tool)
                .min_by(|a, b| a.1.now(clock, HALF_LIFE).total_cmp(&b.1.now(clock, HALF_LIFE)).then_with(|| a.0.cmp(b.0)))
                .map(|(id, _)| id.clone());
            if let Some(least) = least {
                self.uses.remove(&least);
            }
        }
    }

    /// Remembers that a tool was called after a request of these terms. `is_first` for the first call of a request.
    pub fn learn(&mut self, tool: &ToolId, terms: &[String], is_first: bool) {
        self.learned.record(tool, terms, is_first);
    }

    /// Forgets uses, but not what requests led to.
    pub fn forget_uses(&mut self) {
        self.uses.clear();
        self.clock = 0;
    }

    /// Forgets tools, their uses and what requests led to. The answer is those that were remembered.
    pub fn forget(&mut self, is_gone: &dyn Fn(&ToolId) -> bool) -> Vec<ToolId> {
        let mut gone = self.learned.forget(is_gone);
        gone.extend(self.uses.keys().filter(|id| is_gone(id)).cloned());
        self.uses.retain(|id, _| !is_gone(id));
        gone
    }

    /// What requests led to.
    pub fn learned(&self) -> &Learned {
        &self.learned
    }

    /// The preference for a tool, from 0 (never used) to below 1.
    pub fn of(&self, tool: &ToolId) -> f64 {
        self.uses.get(tool).map_or(0.0, |entry| 1.0 - (-entry.now(self.clock, HALF_LIFE) / SATURATION).exp())
    }

    pub fn tools(&self) -> impl Iterator<Item = &ToolId> {
        self.uses.keys()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_is_bounded() {
        let mut memory = UsePreference::default();
        for at in 0..CAPACITY + 10 {
            memory.record(&ToolId::new("s", at.to_string()));
        }
        assert_eq!(memory.uses.len(), CAPACITY);
    }
}
