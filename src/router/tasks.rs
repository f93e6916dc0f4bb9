//! Sessions: opened, restored, taken from turn to turn, closed.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::ToolRouter;
use super::ranking::unknown_mode;
use crate::error::{Error, ErrorKind, Result};
use crate::index::Index;
use crate::ranking::query::Query;
use crate::ranking::terms::fold_name;
use crate::ranking::{RankedTool, Ranking};
use crate::report::telemetry::TelemetryEvent;
use crate::session::Session;
use crate::session::mcp_load::{LoadResult, Request};
use crate::session::reroute::{RerouteResult, Signal};
use crate::session::selection::{GateMode, Selection};
use crate::settings::{Policy, ScopeBy, Settings};

/// Open sessions; opening one more closes the one opened first. A host has one a task.
const MAX_SESSIONS: usize = 1_000;

/// Attached tools among this many that fit a signal best are named in its answer.
const BEST_OF_SIGNAL: usize = 5;

/// A session that several threads may hold.
pub type SharedSession = Arc<Mutex<Session>>;

#[derive(Default)]
pub(super) struct Sessions {
    pub(super) open: HashMap<String, SharedSession>,
    order: VecDeque<String>,
    opened: u64,
}

impl ToolRouter {
    /// Opens a session.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for settings that contradict each other, an unknown mode, or an id
    /// that is open already.
    pub fn open_session(&self, id: Option<String>, host_mode: Option<String>, settings: Settings) -> Result<SharedSession> {
        settings.check("openSession.settings")?;
        if let Some(mode) = &host_mode
            && !settings.modes.contains_key(mode)
        {
            return Err(unknown_mode(&settings, mode, "openSession.hostMode"));
        }
        let mut sessions = self.sessions.lock();
        if let Some(id) = id.as_ref().filter(|id| sessions.open.contains_key(*id)) {
            return Err(Error::invalid("openSession.sessionId", "an id that is not open", format!("{id:?}")));
        }
        let id = id.unwrap_or_else(|| {
            // A restored session may have an id of ours, from an earlier process.
            loop {
                sessions.opened += 1;
                let id = format!("session-{}-{}", std::process::id(), sessions.opened);
                if !sessions.open.contains_key(&id) {
                    break id;
                }
            }
        });
        Ok(Self::keep(&mut sessions, Session::new(id, host_mode, settings)))
    }

    /// Opens a session from its saved state, in place of an open one of the same id.
    ///
    /// # Errors
    ///
    /// `ERR_STATE_INVALID`, `ERR_STATE_VERSION`; nothing is changed then.
    pub fn restore_session(&self, state: &str) -> Result<SharedSession> {
        let session = Session::from_json(state)?;
        Ok(Self::keep(&mut self.sessions.lock(), session))
    }

    fn keep(sessions: &mut Sessions, session: Session) -> SharedSession {
        let id = session.id.clone();
        let session = Arc::new(Mutex::new(session));
        sessions.order.retain(|known| *known != id);
        sessions.order.push_back(id.clone());
        sessions.open.insert(id, Arc::clone(&session));
        if sessions.order.len() > MAX_SESSIONS
            && let Some(oldest) = sessions.order.pop_front()
        {
            sessions.open.remove(&oldest);
        }
        session
    }

    /// An open session.
    ///
    /// # Errors
    ///
    /// `ERR_SESSION_NOT_FOUND`.
    pub fn session(&self, id: &str) -> Result<SharedSession> {
        let found = self.sessions.lock().open.get(id).cloned();
        found.ok_or_else(|| ErrorKind::SessionNotFound { session_id: id.to_owned() }.into())
    }

    /// Whether this very session is open: not closed, evicted or replaced by a restored one.
    ///
    /// # Errors
    ///
    /// `ERR_SESSION_NOT_FOUND`.
    pub fn check_open(&self, id: &str, session: &SharedSession) -> Result<()> {
        let open = self.session(id)?;
        if Arc::ptr_eq(&open, session) { Ok(()) } else { Err(ErrorKind::SessionNotFound { session_id: id.to_owned() }.into()) }
    }

    /// Closes a session; `false` when it was not open.
    pub fn close_session(&self, id: &str) -> bool {
        let mut sessions = self.sessions.lock();
        sessions.order.retain(|known| known != id);
        sessions.open.remove(id).is_some()
    }

    /// Takes the next turn of a session.
    pub fn advance(&self, session: &SharedSession, message: &str) -> Selection {
        let index = self.index();
        // Ranked outside the lock: status and tools() of the session never wait for a model.
        let (wanted, scope, settings) = {
            let session = session.lock();
            (session.ranking_wanted(&index), session.scope(), session.settings.clone())
        };
        let ranking = wanted.map(|top_k| {
            let candidates = index.candidates(&scope);
            self.rank_for(&index, &settings, &candidates, message, top_k)
        });
        let selection = session.lock().advance(&index, message, ranking.as_ref());
        self.report_turn(&selection);
        selection
    }

    /// Ranks tools as the settings of a task say.
    fn rank_for(&self, index: &Index, settings: &Settings, candidates: &[usize], text: &str, top_k: usize) -> Ranking {
        if settings.policy == Policy::Curator {
            return self.rank_by_curator(index, candidates, text, &settings.curation, top_k);
        }
        let deadline = Duration::from_millis(settings.deadline_ms as u64);
        match settings.scope_by {
            ScopeBy::Tool => self.rank_positions(index, candidates, text, settings.ranking_mode, deadline, top_k),
            ScopeBy::Server => {
                let (ranking, servers) = self.ranked_servers(index, candidates, text, settings.ranking_mode, deadline);
                let chosen = servers.into_iter().take(settings.focus_servers);
                let mut tools: Vec<RankedTool> = chosen.flat_map(|server| server.tools).collect();
                tools.sort_by_key(|tool| tool.rank);
                tools.truncate(top_k);
                Ranking { tools, ..ranking }
            }
        }
    }

    fn report_turn(&self, selection: &Selection) {
        if selection.mode == GateMode::All {
            return;
        }
        let session_id = || selection.session_id.clone();
        if selection.turn == 1 {
            self.emit(|| TelemetryEvent::TaskStart {
                session_id: session_id(),
                scoped_count: selection.scoped_count,
                attached_count: selection.attached.len(),
                tokens_saved: selection.tokens.saved,
                ranker: selection.ranker,
            });
        } else if !selection.added.is_empty() {
            self.emit(|| TelemetryEvent::RollingWindowStep {
                session_id: session_id(),
                turn: selection.turn,
                added_count: selection.added.len(),
                attached_count: selection.attached.len(),
            });
        }
        if let Some(reason) = selection.degraded {
            self.emit(|| TelemetryEvent::RankerFallback { session_id: session_id(), reason });
        }
    }

    /// Answers the model's `mcp_load`.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for an empty query.
    pub fn load(&self, session: &SharedSession, query: &str) -> Result<LoadResult> {
        if query.trim().is_empty() {
            return Err(Error::invalid("load.query", "what to look for, tool names or a server's name", format!("{query:?}")));
        }
        let index = self.index();
        let (scope, settings, last_message) = {
            let session = session.lock();
            if session.gate().is_none() {
                return Err(Error::invalid("load", "a session that has started", "one in turn 0; call start() first"));
            }
            (session.scope(), session.settings.clone(), session.last_message().to_owned())
        };
        let deadline = Duration::from_millis(settings.deadline_ms as u64);
        let ranked = |candidates: &[usize], text: &str, top_k| {
            self.rank_positions(&index, candidates, text, settings.ranking_mode, deadline, top_k)
        };
        let query = Query::new(query);
        let mut result = match Request::read(&index, &scope, &query.text) {
            Request::Names(names) => session.lock().load_names(&index, &names),
            Request::Server(at) => {
                let mut candidates = index.candidates(&scope);
                candidates.retain(|position| index.servers[at].tools.contains(position));
                let ranking = ranked(&candidates, &last_message, settings.search_k);
                session.lock().load_ranked(&index, &ranking, true)
            }
            Request::Text => {
                let ranking = ranked(&index.candidates(&scope), &query.text, settings.search_k);
                session.lock().load_ranked(&index, &ranking, false)
            }
        };
        result.query_cut = query.cut;
        session.lock().refresh_loaded(&index, &result);
        let (dynamic, session_id, turn) = {
            let session = session.lock();
            (session.gate() == Some(GateMode::Dynamic), session.id.clone(), session.turn())
        };
        if dynamic {
            self.emit(|| TelemetryEvent::McpLoadInvoked {
                session_id: session_id.clone(),
                loaded_count: result.loaded.len(),
                already_attached_count: result.already_attached.len(),
                unavailable_count: result.unavailable.len(),
                turn,
            });
            if let Some(reason) = result.degraded {
                self.emit(|| TelemetryEvent::RankerFallback { session_id: session_id.clone(), reason });
            }
        }
        Ok(result)
    }

    /// Answers a missing-capability signal: looks for it among tools that are not attached, leaves
    /// out servers that were tried unless one of theirs is the best, and attaches what it finds.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for a session that has not started.
    pub fn reroute(&self, session: &SharedSession, signal: Signal) -> Result<RerouteResult> {
        let index = self.index();
        let (scope, settings) = {
            let session = session.lock();
            if session.gate().is_none() {
                return Err(Error::invalid("reroute", "a session that has started", "one in turn 0; call start() first"));
            }
            if !session.may_reroute() {
                return Ok(session.refuse_reroute(signal));
            }
            (session.scope(), session.settings.clone())
        };
        let tried: HashSet<String> = signal.attempted_servers.iter().map(|name| fold_name(name)).collect();
        let is_tried = |at: usize| tried.contains(&index.tools[at].tool.document().folded_server);
        let mut ranking = self.rank_missing(&index, &settings, &index.candidates(&scope), &signal);
        let attached: HashSet<usize> = session.lock().attached().iter().filter_map(|tool| index.position(&tool.id)).collect();
        // What is among the best is there already: the model may have overlooked it.
        let best = ranking.tools.iter().take(BEST_OF_SIGNAL).map(|tool| tool.position);
        let known: Vec<usize> = best.filter(|at| attached.contains(at)).collect();
        ranking.tools.retain(|tool| !attached.contains(&tool.position));
        // A server that was tried may have the very tool that is missing, because only some of its
        // tools are attached. Unless it is the best of all, tried servers are left out.
        if ranking.tools.first().is_some_and(|best| !is_tried(best.position)) {
            ranking.tools.retain(|tool| !is_tried(tool.position));
        }
        let result = {
            let mut session = session.lock();
            let result = session.reroute(&index, signal, &ranking, &known);
            session.refresh(&index, result.loaded.len(), &ranking);
            result
        };
        Ok(result)
    }

    /// The tools that the missing capability itself speaks for, in the order of the enriched query:
    /// the request around it must not bring back what was done already.
    fn rank_missing(&self, index: &Index, settings: &Settings, candidates: &[usize], signal: &Signal) -> Ranking {
        let ranked = |text: &str| self.rank_for(index, settings, candidates, text, candidates.len());
        let missing = ranked(&signal.missing_capability).tools.into_iter().filter(|tool| tool.shares.supported);
        let missing: HashSet<usize> = missing.map(|tool| tool.position).collect();
        let mut ranking = ranked(&signal.enriched_query());
        ranking.tools.retain(|tool| missing.contains(&tool.position));
        ranking
    }
}
