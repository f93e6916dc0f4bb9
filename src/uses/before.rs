//! What tools were called after: the list of channels before the message, request after request. Bounded, and in memory alone.

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::document::id::ToolId;

/// Tools that are remembered; the one that was not called for longest is forgotten first.
const MAX_TOOLS: usize = 512;
/// Tools that one was called after; of more, the rarest are forgotten.
const MAX_BEFORE: usize = 6;
/// The calls that half of what they can say needs: one request may have been an accident.
const HALF: f64 = 1.0;

/// See the module. Shared by all sessions of a router.
#[derive(Debug, Default)]
pub struct UsedBefore(Mutex<Memory>);

#[derive(Debug, Default)]
struct Memory {
    tools: HashMap<ToolId, Called>,
    clock: u64,
}

/// How often a tool was called, and how often others before it, for the same request.
#[derive(Debug, Default)]
struct Called {
    times: u32,
    before: Vec<(ToolId, u32)>,
    last: u64,
}

impl UsedBefore {
    /// Remembers that a tool was called for a request, after others.
    pub fn record(&self, tool: &ToolId, earlier: &[ToolId]) {
        let mut memory = self.0.lock();
        memory.clock += 1;
        let clock = memory.clock;
        let called = memory.tools.entry(tool.clone()).or_default();
        called.times = called.times.saturating_add(1);
        called.last = clock;
        for other in earlier.iter().filter(|other| *other != tool) {
            if let Some((_, count)) = called.before.iter_mut().find(|(known, _)| known == other) {
                *count = count.saturating_add(1);
                continue;
            }
            if called.before.len() == MAX_BEFORE {
                let rarest = (0..MAX_BEFORE).min_by_key(|at| called.before[*at].1).unwrap_or(0);
                called.before.swap_remove(rarest);
            }
            called.before.push((other.clone(), 1));
        }
        if memory.tools.len() > MAX_TOOLS {
            let oldest = memory.tools.iter().min_by_key(|(_, called)| called.last).map(|(id, _)| id.clone());
            if let Some(oldest) = oldest {
                memory.tools.remove(&oldest);
            }
        }
    }

    /// What a tool was called after, and how sure it is that it needs that: below 1; half after a single request.
    #[must_use]
    pub fn of(&self, tool: &ToolId) -> Vec<(ToolId, f64)> {
        let memory = self.0.lock();
        let Some(called) = memory.tools.get(tool) else { return Vec::new() };
        let sure = |count: u32| f64::from(count) / f64::from(called.times) * f64::from(count) / (f64::from(count) + HALF);
        called.before.iter().map(|(other, count)| (other.clone(), sure(*count))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> ToolId {
        ToolId::new("s", name)
    }

    fn sure(used: &UsedBefore, tool: &str, other: &str) -> f64 {
        used.of(&id(tool)).into_iter().find(|(known, _)| *known == id(other)).map_or(0.0, |(_, sure)| sure)
    }

    #[test]
    fn what_always_came_before_is_surer_than_what_did_once() {
        let used = UsedBefore::default();
        used.record(&id("post"), &[id("channels")]);
        assert!((sure(&used, "post", "channels") - 0.5).abs() < 1e-9);
        used.record(&id("post"), &[id("channels"), id("weather")]);
        used.record(&id("post"), &[id("channels"), id("post")]);
        assert!(sure(&used, "post", "channels") > 0.7 && sure(&used, "post", "channels") < 1.0);
        assert!(sure(&used, "post", "weather") < 0.2);
        assert!(sure(&used, "post", "post").abs() < f64::EPSILON && sure(&used, "channels", "post").abs() < f64::EPSILON);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let used = UsedBefore::default();
        for at in 0..2 * MAX_TOOLS {
            let earlier: Vec<ToolId> = (0..20).map(|other| id(&format!("{at} {other}"))).collect();
            used.record(&id(&at.to_string()), &earlier);
        }
        let memory = used.0.lock();
        assert_eq!(memory.tools.len(), MAX_TOOLS);
        assert!(memory.tools.values().all(|called| called.before.len() <= MAX_BEFORE));
        assert!(memory.tools.contains_key(&id(&(2 * MAX_TOOLS - 1).to_string())));
    }
}
