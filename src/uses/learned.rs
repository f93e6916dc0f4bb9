//! What requests led to: which tools were called after a request held a term. Bounded, fading, in memory alone, and of a term
//! only its hash is kept.

use std::collections::HashMap;

use super::fading::Fading;
use crate::document::id::ToolId;

/// Terms that are remembered; the one that was not seen for longest is forgotten first.
const MAX_TERMS: usize = 4_096;
/// Tools that are remembered per term, of all servers and of one: none can drive all others out.
const MAX_TOOLS: usize = 8;
const MAX_OF_SERVER: usize = 4;
/// Terms of one request that are read: more are a pasted text.
const MAX_OF_REQUEST: usize = 32;
/// How many requests make half of what a term can say.
const HALF: f64 = 1.0;
/// After so many recorded calls an older one counts half: some three hundred tasks' worth, because what people ask for comes back
/// later than the next step does.
const HALF_LIFE: f64 = 1000.0;

/// A term: how many requests held it, what was called after it, and when it was last seen.
#[derive(Debug, Default, Clone)]
struct Term {
    requests: Fading,
    tools: Vec<(ToolId, Fading)>,
    seen: u64,
}

#[derive(Debug, Default, Clone)]
pub struct Learned {
    terms: HashMap<u64, Term>,
    clock: u64,
}

impl Term {
    /// Counts a call of a tool, which replaces the rarest one of its server or of all where there is no room.
    fn count(&mut self, tool: &ToolId, clock: u64) {
        if let Some((_, count)) = self.tools.iter_mut().find(|(id, _)| id == tool) {
            count.add(clock, HALF_LIFE);
            return;
        }
        let is_own = |at: &usize| self.tools[*at].0.server_name == tool.server_name;
        let own: Vec<usize> = (0..self.tools.len()).filter(is_own).collect();
        let all: Vec<usize> = (0..self.tools.len()).collect();
        let full = [(own, MAX_OF_SERVER), (all, MAX_TOOLS)].into_iter().find(|(among, most)| among.len() >= *most);
        let count = |at: &usize| self.tools[*at].1.now(clock, HALF_LIFE);
        let rarest = full.and_then(|(among, _)| among.into_iter().min_by(|a, b| count(a).total_cmp(&count(b))));
        if let Some(rarest) = rarest {
            self.tools.swap_remove(rarest);
        }
        let mut once = Fading::default();
        once.add(clock, HALF_LIFE);
        self.tools.push((tool.clone(), once));
    }
}

impl Learned {
    /// Remembers that a tool was called after a request of these terms. `is_first` for the first call of a request.
    pub fn record(&mut self, tool: &ToolId, terms: &[String], is_first: bool) {
        self.clock += 1;
        for term in terms.iter().take(MAX_OF_REQUEST) {
            let known = self.terms.entry(key(term)).or_default();
            known.seen = self.clock;
            if is_first || known.tools.is_empty() {
                known.requests.add(self.clock, HALF_LIFE);
            }
            known.count(tool, self.clock);
        }
        while self.terms.len() > MAX_TERMS {
            let oldest = self.terms.iter().min_by_key(|(key, term)| (term.seen, **key)).map(|(key, _)| *key);
            let Some(oldest) = oldest else { break };
            self.terms.remove(&oldest);
        }
    }

    /// Forgets tools. The answer is those that were remembered.
    pub fn forget(&mut self, is_gone: &dyn Fn(&ToolId) -> bool) -> Vec<ToolId> {
        let mut gone = Vec::new();
        self.terms.retain(|_, term| {
            gone.extend(term.tools.iter().map(|(id, _)| id).filter(|id| is_gone(id)).cloned());
            term.tools.retain(|(id, _)| !is_gone(id));
            !term.tools.is_empty()
        });
        gone
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// How much the terms of a request, each with its rarity, lead to tools by what they led to before: from 0 to below 1. Of a
    /// term, the share of its requests that called the tool.
    pub fn of(&self, terms: impl Iterator<Item = (String, f64)>) -> HashMap<ToolId, f64> {
        let mut found: HashMap<ToolId, f64> = HashMap::new();
        let mut whole = 0.0;
        for (term, rarity) in terms.take(MAX_OF_REQUEST) {
            whole += rarity;
            let Some(known) = self.terms.get(&key(&term)) else { continue };
            for (tool, count) in &known.tools {
                // A tool that one request called twice counts once.
                let requests = known.requests.now(self.clock, HALF_LIFE);
                let count = count.now(self.clock, HALF_LIFE).min(requests);
                *found.entry(tool.clone()).or_default() += rarity * count / (requests + HALF);
            }
        }
        found.retain(|_, said| {
            *said /= if whole > 0.0 { whole } else { 1.0 };
            *said > 0.0
        });
        found
    }
}

fn key(term: &str) -> u64 {
    let hash = *blake3::hash(term.as_bytes()).as_bytes();
    u64::from_le_bytes([hash[0], hash[1], hash[2], hash[3], hash[4], hash[5], hash[6], hash[7]])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn said(learned: &Learned, text: &str, tool: &ToolId) -> f64 {
        learned.of(terms(text).into_iter().map(|term| (term, 1.0))).get(tool).copied().unwrap_or(0.0)
    }

    #[test]
    fn a_request_that_shares_terms_speaks_for_what_was_called_and_never_without_bound() {
        let mut learned = Learned::default();
        let (deploy, other) = (ToolId::new("s", "deploy"), ToolId::new("s", "other"));
        learned.record(&deploy, &terms("ship the shop"), true);
        let once = said(&learned, "ship it now", &deploy);
        assert!(once > 0.0 && said(&learned, "something else", &deploy).abs() < f64::EPSILON);
        for _ in 0..1_000 {
            learned.record(&deploy, &terms("ship the shop"), true);
        }
        let often = said(&learned, "ship the shop", &deploy);
        assert!(often > once && often < 1.0);
        learned.record(&other, &terms("ship"), true);
        assert!(said(&learned, "ship", &other) < said(&learned, "ship", &deploy));
        // A second call for the same request takes no more from the first than any call lets it fade.
        let before = said(&learned, "ship", &deploy);
        learned.record(&other, &terms("ship"), false);
        assert!((said(&learned, "ship", &deploy) - before).abs() < 0.01);
        assert!(said(&learned, "ship", &other) < said(&learned, "ship", &deploy));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut learned = Learned::default();
        for at in 0..2_000 {
            let terms: Vec<String> = (0..40).map(|term| format!("{at} {term}")).collect();
            learned.record(&ToolId::new("s", at.to_string()), &terms, true);
        }
        for at in 0..20 {
            learned.record(&ToolId::new(at.to_string(), "x"), &terms("same"), true);
        }
        let greedy = |at: usize| ToolId::new("greedy", at.to_string());
        (0..20).for_each(|at| learned.record(&greedy(at), &terms("same"), true));
        let of_term = learned.of(std::iter::once(("same".to_owned(), 1.0)));
        assert_eq!(of_term.keys().filter(|id| id.server_name == "greedy").count(), MAX_OF_SERVER);
        assert_eq!(learned.terms.len(), MAX_TERMS);
        assert!(learned.terms.values().all(|term| term.tools.len() <= MAX_TOOLS));
    }

    #[test]
    fn what_requests_led_to_fades_and_can_be_forgotten() {
        let mut learned = Learned::default();
        let (deploy, other) = (ToolId::new("s", "deploy"), ToolId::new("other", "x"));
        learned.record(&deploy, &terms("ship the shop"), true);
        let once = said(&learned, "ship", &deploy);
        for _ in 0..1_000 {
            learned.record(&other, &terms("walk"), true);
        }
        let later = said(&learned, "ship", &deploy);
        assert!(later > 0.0 && later < 0.7 * once, "{later} of {once}");
        learned.forget(&|id| *id == deploy);
        assert!(said(&learned, "ship", &deploy).abs() < f64::EPSILON && said(&learned, "walk", &other) > 0.0);
    }
}
