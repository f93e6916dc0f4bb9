//! The scopes of a generation, and what is counted over their tools alone.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use once_cell::sync::OnceCell;

use super::counted::{Counted, Held};
use super::of_tools::moved as moved_from;
use super::{InScope, Index};
use crate::catalogue::profile::ServerProfile;
use crate::catalogue::scope::Scope;
use crate::query::vocabulary::Vocabulary;
use crate::ranking::lexical::LexicalIndex;

/// Scopes that stay counted: a host has about five modes, a gateway about ten groups of people. Counting 3,500 tools again takes some 50 ms, and each scope of so
/// many holds about 5 MB; the scope that holds all tools has nothing of its own.
const KEPT_SCOPES: usize = 12;

impl Index {
    fn scope_of(&self, rule: &Scope, counted: impl FnOnce(Held) -> Arc<Counted>) -> InScope {
        InScope::new(rule.clone(), (self.candidates(rule), self.tools.len()), &self.servers, counted)
    }

    /// BM25 over the tools of a scope, by position.
    pub fn lexical_of<'s>(&self, scope: &'s InScope) -> &'s LexicalIndex {
        scope.counted.lexical(&self.tools, self.is_list)
    }

    /// The words of the tools of a scope, for correcting a query's.
    pub fn vocabulary_of<'s>(&self, scope: &'s InScope) -> &'s Vocabulary {
        scope.counted.vocabulary(&self.tools)
    }

    /// BM25 over the servers of a scope, by place: their names, entries and instructions.
    pub fn server_lexical_of<'s>(&self, scope: &'s InScope) -> &'s LexicalIndex {
        scope.server_lexical.get_or_init(|| {
            let held = (0..self.servers.len()).map(|at| scope.has_server(at).then_some(at));
            let terms = held.map(|at| at.map(|at| &self.profile_in(scope, at).document().terms.terms));
            LexicalIndex::build(terms)
        })
    }

    /// What rankings read of the server at a place: without the tools that are out of a scope which has a part of it.
    pub fn profile_in<'s>(&'s self, scope: &'s InScope, at: usize) -> &'s ServerProfile {
        let server = &self.servers[at];
        let is_there = |position: &usize| scope.rule.allows_tool(&self.tools[*position].tool.id);
        let places = || server.tools.clone().filter(is_there).map(|position| position - server.tools.start).collect();
        scope.parts.get(&at).map_or(&*server.profile, |part| part.get_or_init(|| server.profile.of_part(places())))
    }

    /// The same for a rule.
    pub fn with_profile<R>(&self, rule: &Scope, at: usize, read: impl FnOnce(&ServerProfile) -> R) -> R {
        if !rule.has_part_of(&self.servers[at].name) {
            return read(&self.servers[at].profile);
        }
        read(self.profile_in(&self.in_scope(rule), at))
    }

    /// The tools of a scope, with what is counted over them. The same scope again costs nothing.
    pub fn in_scope(&self, rule: &Scope) -> Arc<InScope> {
        let mut scopes = self.scopes.lock();
        if let Some(known) = scopes.iter().find(|known| known.rule == *rule) {
            known.is_asked.store(true, Ordering::Relaxed);
            return Arc::clone(known);
        }
        let whole = || Arc::clone(&self.of_tools.counted);
        let counted = |held: Held| if held.is_none() { whole() } else { Arc::new(Counted::new(held)) };
        let new = Arc::new(self.scope_of(rule, counted));
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
            let next = self.scope_of(&known.rule, counted);
            next.is_asked.store(false, Ordering::Relaxed);
            self.scopes.lock().push_back(Arc::new(next));
        }
    }
}
