//! The tools of a scope, and what is counted over them alone: a server that is off, or that a mode of the host blocks, has no
//! part in how rare a word is, how a misspelt one is read, or how servers compare.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use once_cell::sync::OnceCell;
use parking_lot::Mutex;

use super::counted::{Counted, Held};
use super::indexed::IndexedServer;
use crate::catalogue::profile::ServerProfile;
use crate::catalogue::scope::Scope;
use crate::ranking::lexical::LexicalIndex;

/// Scopes of a generation, the latest first.
pub(super) type Scopes = Mutex<VecDeque<Arc<InScope>>>;

#[derive(Debug)]
pub struct InScope {
    pub(super) rule: Scope,
    candidates: Vec<usize>,
    pub(super) counted: Arc<Counted>,
    /// By place; `None` for all.
    servers: Option<Box<[bool]>>,
    pub(super) server_lexical: OnceCell<LexicalIndex>,
    /// Servers of which only a part is in it, by place; each is read at the first call.
    pub(super) parts: HashMap<usize, OnceCell<ServerProfile>>,
    /// Whether anybody asked for it in this generation: others are not taken over into the next one.
    pub(super) is_asked: AtomicBool,
}

impl InScope {
    /// The tools at these positions of so many, and the servers that they are of.
    pub(super) fn new(
        rule: Scope,
        (candidates, count): (Vec<usize>, usize),
        servers: &[IndexedServer],
        counted: impl FnOnce(Held) -> Arc<Counted>,
    ) -> Self {
        let mut held = vec![false; count];
        for at in &candidates {
            held[*at] = true;
        }
        let is_held = |server: &IndexedServer| {
            rule.allows(&server.name) && (server.tools.is_empty() || server.tools.clone().any(|at| held[at]))
        };
        let is_part = |(_, server): &(usize, &IndexedServer)| rule.has_part_of(&server.name);
        let parts = servers.iter().enumerate().filter(is_part).map(|(at, _)| (at, OnceCell::new())).collect();
        let servers: Vec<bool> = servers.iter().map(|server| server.on && is_held(server)).collect();
        let servers = (!servers.iter().all(|held| *held)).then(|| servers.into());
        let counted = counted((candidates.len() < count).then(|| held.into()));
        let (server_lexical, is_asked) = (OnceCell::new(), AtomicBool::new(true));
        Self { rule, candidates, counted, servers, server_lexical, parts, is_asked }
    }

    pub fn candidates(&self) -> &[usize] {
        &self.candidates
    }

    /// Whether the tool at a position is in it.
    pub fn holds(&self, position: usize) -> bool {
        self.counted.holds(position)
    }

    /// Whether the server at a place is in it.
    pub fn has_server(&self, at: usize) -> bool {
        self.servers.as_ref().is_none_or(|held| held[at])
    }
}
