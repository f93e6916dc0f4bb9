//! What requests led to: which tools were called after a request held a term. Bounded, in memory alone, and of a term only
//! its hash is kept.

use std::collections::HashMap;

use crate::document::id::ToolId;

/// Terms that are remembered; the one that was not seen for longest is forgotten first.
const MAX_TERMS: usize = 4_096;
/// Tools that are remembered per term.
const MAX_TOOLS: usize = 8;
/// Terms of one request that are read: more are a pasted text.
const MAX_OF_REQUEST: usize = 32;
/// How many requests make half of what a term can say.
const HALF: f64 = 1.0;

/// A term: how many requests held it, what was called after it, and when it was last seen.
#[derive(Debug, Default, Clone)]
struct Term {
    requests: u32,
    tools: Vec<(ToolId, u32)>,
    seen: u64,
}

/// See the module.
#[derive(Debug, Default, Clone)]
pub struct Learned {
    terms: HashMap<u64, Term>,
    clock: u64,
}

impl Learned {
    /// Remembers that a tool was called after a request of these terms. `is_first` for the first call of a request.
    pub fn record(&mut self, tool: &ToolId, terms: &[String], is_first: bool) {
        self.clock += 1;
        for term in terms.iter().take(MAX_OF_REQUEST) {
            let known = self.terms.entry(key(term)).or_default();
            known.seen = self.clock;
            known.requests = known.requests.saturating_add(u32::from(is_first || known.requests == 0));
            if let Some((_, count)) = known.tools.iter_mut().find(|(id, _)| id == tool) {
                *count = count.saturating_add(1);
                continue;
            }
            if known.tools.len() == MAX_TOOLS {
                let least = (0..MAX_TOOLS).min_by_key(|at| known.tools[*at].1).unwrap_or(0);
                known.tools.swap_remove(least);
            }
            known.tools.push((tool.clone(), 1));
        }
        while self.terms.len() > MAX_TERMS {
            let oldest = self.terms.iter().min_by_key(|(key, term)| (term.seen, **key)).map(|(key, _)| *key);
            let Some(oldest) = oldest else { break };
            self.terms.remove(&oldest);
        }
    }

    /// Whether nothing was remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// How much the terms of a request, each with its rarity, lead to tools by what they led to before: from 0 to below 1. Of a
    /// term, the share of its requests that called the tool.
    #[must_use]
    pub fn of(&self, terms: impl Iterator<Item = (String, f64)>) -> HashMap<ToolId, f64> {
        let mut found: HashMap<ToolId, f64> = HashMap::new();
        let mut whole = 0.0;
        for (term, rarity) in terms.take(MAX_OF_REQUEST) {
            whole += rarity;
            let Some(known) = self.terms.get(&key(&term)) else { continue };
            for (tool, count) in &known.tools {
                // A tool that one request called twice counts once.
                let count = f64::from((*count).min(known.requests));
                *found.entry(tool.clone()).or_default() += rarity * count / (f64::from(known.requests) + HALF);
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
        // A second call for the same request takes nothing from the first.
        let before = said(&learned, "ship", &deploy);
        learned.record(&other, &terms("ship"), false);
        assert!((said(&learned, "ship", &deploy) - before).abs() < 1e-12);
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
            learned.record(&ToolId::new("s", at.to_string()), &terms("same"), true);
        }
        assert_eq!(learned.terms.len(), MAX_TERMS);
        assert!(learned.terms.values().all(|term| term.tools.len() <= MAX_TOOLS));
    }
}
