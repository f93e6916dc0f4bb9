//! What tools were called after: the list of channels before the message, request after request. Bounded, fading, and in memory
//! alone.

use std::collections::HashMap;

use parking_lot::Mutex;

use super::fading::Fading;
use crate::document::id::ToolId;

/// Tools that are remembered, of all servers and of one; the one that was not called for longest is forgotten first.
const MAX_TOOLS: usize = 512;
const MAX_OF_SERVER: usize = 64;
/// Tools that one was called after; of more, the rarest are forgotten.
const MAX_BEFORE: usize = 6;
/// Tools of other servers that those of one server may come along with. A server that asks to be called before everything
/// would come with everything.
const MAX_FOREIGN: usize = 8;
/// The calls that half of what they can say needs: one request may have been an accident.
const HALF: f64 = 1.0;
/// After so many recorded calls an older one counts half: some thirty tasks' worth.
const HALF_LIFE: f64 = 100.0;
/// What is less sure says nothing. What happened once is forgotten after about sixty tasks, unless it happens again.
const LEAST_SURE: f64 = 0.25;

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
    times: Fading,
    before: Vec<(ToolId, Fading)>,
    last: u64,
}

impl Called {
    /// How sure it is that a tool must come first that was called before it so often.
    fn sure(&self, count: Fading, clock: u64) -> f64 {
        let (count, times) = (count.now(clock, HALF_LIFE), self.times.now(clock, HALF_LIFE));
        if times > 0.0 { count / times * count / (count + HALF) } else { 0.0 }
    }
}

impl Memory {
    /// Makes room for one more tool of another server that those of a server come along with.
    fn make_room(&mut self, server: &str) {
        let clock = self.clock;
        let foreign = |(tool, called): (&ToolId, &Called)| {
            let of_server = called.before.iter().filter(|(other, _)| other.server_name == server);
            let sure = of_server.map(|(_, count)| called.sure(*count, clock)).reduce(f64::max);
            sure.filter(|_| tool.server_name != server).map(|sure| (tool.clone(), sure))
        };
        let mut known: Vec<(ToolId, f64)> = self.tools.iter().filter_map(foreign).collect();
        known.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        for (tool, _) in known.into_iter().skip(MAX_FOREIGN - 1) {
            if let Some(called) = self.tools.get_mut(&tool) {
                called.before.retain(|(other, _)| other.server_name != server);
            }
        }
    }

    /// Forgets the tools that were not called for longest, of a server and of all.
    fn keep_within_bounds(&mut self, server: &str) {
        for (of, most) in [(Some(server), MAX_OF_SERVER), (None, MAX_TOOLS)] {
            let counted = || self.tools.iter().filter(|(id, _)| of.is_none_or(|of| id.server_name == of));
            if counted().count() > most {
                let oldest = counted().min_by_key(|(_, called)| called.last).map(|(id, _)| id.clone());
                oldest.and_then(|oldest| self.tools.remove(&oldest));
            }
        }
    }
}

impl UsedBefore {
    /// Remembers that a tool was called for a request, after others.
    pub fn record(&self, tool: &ToolId, earlier: &[ToolId]) {
        let mut memory = self.0.lock();
        memory.clock += 1;
        let clock = memory.clock;
        for other in earlier.iter().filter(|other| other.server_name != tool.server_name) {
            let comes = |called: &Called| called.before.iter().any(|(known, _)| known.server_name == other.server_name);
            if !memory.tools.get(tool).is_some_and(comes) {
                memory.make_room(&other.server_name);
            }
        }
        let called = memory.tools.entry(tool.clone()).or_default();
        called.times.add(clock, HALF_LIFE);
        called.last = clock;
        for other in earlier.iter().filter(|other| *other != tool) {
            if let Some((_, count)) = called.before.iter_mut().find(|(known, _)| known == other) {
                count.add(clock, HALF_LIFE);
                continue;
            }
            if called.before.len() == MAX_BEFORE {
                let count = |at: &usize| called.before[*at].1.now(clock, HALF_LIFE);
                let rarest = (0..MAX_BEFORE).min_by(|a, b| count(a).total_cmp(&count(b))).unwrap_or(0);
                called.before.swap_remove(rarest);
            }
            let mut once = Fading::default();
            once.add(clock, HALF_LIFE);
            called.before.push((other.clone(), once));
        }
        memory.keep_within_bounds(&tool.server_name);
    }

    /// What a tool was called after, and how sure it is that it needs that: below 1; half after a single request.
    pub fn of(&self, tool: &ToolId) -> Vec<(ToolId, f64)> {
        let memory = self.0.lock();
        let Some(called) = memory.tools.get(tool) else { return Vec::new() };
        let sure = called.before.iter().map(|(other, count)| (other.clone(), called.sure(*count, memory.clock)));
        sure.filter(|(_, sure)| *sure >= LEAST_SURE).collect()
    }

    /// Forgets tools. The answer is those that were remembered.
    pub fn forget(&self, is_gone: &dyn Fn(&ToolId) -> bool) -> Vec<ToolId> {
        let mut gone: Vec<ToolId> = Vec::new();
        let mut drop = |id: &ToolId| {
            let drops = is_gone(id);
            gone.extend(drops.then(|| id.clone()));
            !drops
        };
        self.0.lock().tools.retain(|id, called| {
            called.before.retain(|(other, _)| drop(other));
            drop(id)
        });
        gone
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
            used.record(&ToolId::new(at.to_string(), "x"), &earlier);
        }
        let memory = used.0.lock();
        assert_eq!(memory.tools.len(), MAX_TOOLS);
        assert!(memory.tools.values().all(|called| called.before.len() <= MAX_BEFORE));
        assert!(memory.tools.contains_key(&ToolId::new((2 * MAX_TOOLS - 1).to_string(), "x")));
        drop(memory);
        for at in 0..2 * MAX_OF_SERVER {
            used.record(&id(&at.to_string()), &[]);
        }
        let of_server = used.0.lock().tools.keys().filter(|id| id.server_name == "s").count();
        assert_eq!(of_server, MAX_OF_SERVER);
    }

    #[test]
    fn what_does_not_happen_again_fades_and_what_does_stays() {
        let used = UsedBefore::default();
        used.record(&id("post"), &[id("channels")]);
        for at in 0..4 * 100 {
            used.record(&id("daily"), &[id("login")]);
            used.record(&ToolId::new(at.to_string(), "x"), &[]);
        }
        assert!(used.of(&id("post")).is_empty());
        assert!(sure(&used, "daily", "login") > 0.9);
    }

    #[test]
    fn a_server_that_is_called_before_everything_comes_along_with_few_tools_of_others() {
        let used = UsedBefore::default();
        let greedy = ToolId::new("greedy", "first");
        for at in 0..60 {
            used.record(&id(&at.to_string()), std::slice::from_ref(&greedy));
            used.record(&ToolId::new("greedy", at.to_string()), std::slice::from_ref(&greedy));
        }
        let comes = |id: &ToolId| used.of(id).iter().any(|(other, _)| *other == greedy);
        assert_eq!((0..60).filter(|at| comes(&id(&at.to_string()))).count(), MAX_FOREIGN);
        assert!(
            (0..60).filter(|at| comes(&ToolId::new("greedy", at.to_string()))).count() > MAX_FOREIGN,
            "its own are no others"
        );
    }

    #[test]
    fn what_is_forgotten_says_nothing_on_either_side() {
        let used = UsedBefore::default();
        used.record(&id("post"), &[id("channels"), ToolId::new("other", "first")]);
        used.record(&ToolId::new("other", "last"), &[id("channels")]);
        assert_eq!(used.forget(&|id| id.server_name == "other").len(), 2);
        assert_eq!(used.of(&id("post")).len(), 1);
        assert!(used.of(&ToolId::new("other", "last")).is_empty());
        assert!(used.forget(&|_| true).len() == 2 && used.of(&id("post")).is_empty());
    }
}
