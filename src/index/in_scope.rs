//! The tools of a scope, and what is counted over them alone: a server that is off, or that a mode of the host blocks, has no
//! part in how rare a word is, how a misspelt one is read, or how servers compare.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use once_cell::sync::OnceCell;
use parking_lot::Mutex;

use super::counted::{Counted, Held};
use super::of_tools::moved as moved_from;
use super::{Index, IndexedServer};
use crate::catalogue::scope::Scope;
use crate::query::vocabulary::Vocabulary;
use crate::ranking::lexical::LexicalIndex;

/// Scopes that stay counted: a host has about five modes. Counting 3,500 tools again takes some 50 ms, and each scope of so
/// many holds about 5 MB; the scope that holds all tools has nothing of its own.
const KEPT_SCOPES: usize = 6;

/// Scopes of a generation, the latest first.
pub(super) type Scopes = Mutex<VecDeque<Arc<InScope>>>;

/// See the module.
#[derive(Debug)]
pub struct InScope {
    rule: Scope,
    candidates: Vec<usize>,
    counted: Arc<Counted>,
    /// By place; `None` for all.
    servers: Option<Box<[bool]>>,
    server_lexical: OnceCell<LexicalIndex>,
    /// How scattered the tools of each server are, by place.
    scattered: Box<[OnceCell<f64>]>,
    /// Whether anybody asked for it in this generation: others are not taken over into the next one.
    is_asked: AtomicBool,
}

impl InScope {
    fn new(index: &Index, rule: Scope, counted: impl FnOnce(Held) -> Arc<Counted>) -> Self {
        let candidates = index.candidates(&rule);
        let mut held = vec![false; index.tools.len()];
        candidates.iter().for_each(|at| held[*at] = true);
        let is_held = |server: &IndexedServer| {
            rule.allows(&server.name) && (server.tools.is_empty() || server.tools.clone().any(|at| held[at]))
        };
        let servers: Vec<bool> = index.servers.iter().map(|server| server.on && is_held(server)).collect();
        let servers = (!servers.iter().all(|held| *held)).then(|| servers.into());
        let counted = counted((candidates.len() < held.len()).then(|| held.into()));
        let (server_lexical, is_asked) = (OnceCell::new(), AtomicBool::new(true));
        let scattered = index.servers.iter().map(|_| OnceCell::new()).collect();
        Self { rule, candidates, counted, servers, server_lexical, scattered, is_asked }
    }

    /// The positions of its tools, in order.
    #[must_use]
    pub fn candidates(&self) -> &[usize] {
        &self.candidates
    }

    /// Whether the tool at a position is in it.
    #[must_use]
    pub fn holds(&self, position: usize) -> bool {
        self.counted.holds(position)
    }

    /// Whether the server at a place is in it.
    #[must_use]
    pub fn has_server(&self, at: usize) -> bool {
        self.servers.as_ref().is_none_or(|held| held[at])
    }

    /// How scattered the tools of the server at a place are, worked out at the first call.
    pub fn scattered(&self, at: usize, work_out: impl FnOnce() -> f64) -> f64 {
        *self.scattered[at].get_or_init(work_out)
    }

    /// BM25 over its tools, by position in the generation.
    pub fn lexical(&self, index: &Index) -> &LexicalIndex {
        self.counted.lexical(&index.tools, index.bm25, index.is_list)
    }

    /// The words of its tools, for correcting a query's.
    pub fn vocabulary(&self, index: &Index) -> &Vocabulary {
        self.counted.vocabulary(&index.tools)
    }

    /// BM25 over its servers, by place: their names, entries and instructions.
    pub fn server_lexical(&self, index: &Index) -> &LexicalIndex {
        self.server_lexical.get_or_init(|| {
            let held = index.servers.iter().enumerate().map(|(at, server)| self.has_server(at).then_some(server));
            let terms = held.map(|server| server.map(|server| &server.profile.document().terms.terms));
            LexicalIndex::build(terms, index.bm25.0, index.bm25.1)
        })
    }
}

impl Index {
    /// The tools of a scope, with what is counted over them. The same scope again costs nothing.
    #[must_use]
    pub fn in_scope(&self, rule: &Scope) -> Arc<InScope> {
        let mut scopes = self.scopes.lock();
        if let Some(known) = scopes.iter().find(|known| known.rule == *rule) {
            known.is_asked.store(true, Ordering::Relaxed);
            return Arc::clone(known);
        }
        let whole = || Arc::clone(&self.of_tools.counted);
        let counted = |held: Held| if held.is_none() { whole() } else { Arc::new(Counted::new(held)) };
        let new = Arc::new(InScope::new(self, rule.clone(), counted));
        scopes.push_front(Arc::clone(&new));
        scopes.truncate(KEPT_SCOPES);
        new
    }

    /// Takes over what was counted in the previous generation for scopes that somebody asked for.
    pub(super) fn keep_scopes(&self, previous: &Self) {
        let is_same = Arc::ptr_eq(&self.of_tools, &previous.of_tools);
        let moved: OnceCell<Vec<Option<u32>>> = OnceCell::new();
        let known: Vec<Arc<InScope>> = previous.scopes.lock().iter().cloned().collect();
        for known in known.into_iter().filter(|known| known.is_asked.load(Ordering::Relaxed)) {
            let counted = |held: Held| {
                if held.is_none() {
                    return Arc::clone(&self.of_tools.counted);
                }
                if is_same && *known.counted.held() == held {
                    return Arc::clone(&known.counted);
                }
                let moved = moved.get_or_init(|| moved_from(&previous.tools, &self.tools));
                Arc::new(known.counted.next(&previous.tools, &self.tools, moved, held))
            };
            let next = InScope::new(self, known.rule.clone(), counted);
            next.is_asked.store(false, Ordering::Relaxed);
            self.scopes.lock().push_back(Arc::new(next));
        }
    }
}
