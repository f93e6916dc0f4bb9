//! Sessions: opened, restored, taken from turn to turn, forked, closed.

use std::sync::Arc;
use std::time::Instant;

use super::ask::Ask;
use super::facade::ToolRouter;
use super::open_sessions::SharedSession;
use super::rank::{RankOptions, unknown_mode};
use crate::error::{Error, ErrorKind, Result};
use crate::index::Index;
use crate::order::workspace::Workspace;
use crate::order::{self, Ground, Request, Task};
use crate::query::Query;
use crate::query::request::MAX_QUERY_BYTES;
use crate::ranking::{RankedTool, Ranking};
use crate::report::telemetry::TelemetryEvent;
use crate::session::selection::{GateMode, Selection};
use crate::session::{OwnSettings, Ranked, Session, Wanted};
use crate::settings::{Ranker, ScopeBy, Settings};
use crate::uses::preference::UsePreference;

/// How many servers a task with `scopeBy: 'server'` is given tools of: as the fifth source.
const FOCUSED_SERVERS: usize = 5;

impl ToolRouter {
    /// Opens a session with settings of its own; who opens it may say that some follow the router's ([`Session::own`]).
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for settings that contradict each other, an unknown mode, or an id
    /// that is open already.
    pub fn open_session(&self, id: Option<String>, host_mode: Option<String>, settings: Settings) -> Result<SharedSession> {
        settings.check("openSession.settings")?;
        if let Some(mode) = &host_mode
            && !settings.host_modes.contains_key(mode)
        {
            return Err(unknown_mode(&settings, mode, "openSession.hostMode"));
        }
        let mut sessions = self.sessions.lock();
        if let Some(id) = id.as_ref().filter(|id| sessions.open.contains_key(*id)) {
            return Err(Error::invalid("openSession.sessionId", "an id that is not open", format!("{id:?}")));
        }
        let id = id.unwrap_or_else(|| sessions.new_id());
        Ok(sessions.keep(Session::new(id, host_mode, settings)))
    }

    /// Opens a session for a subtask: with the parent's host mode and settings, a window of its own,
    /// and the parent's tools as first candidates.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for an unknown mode, or an id that is open already.
    pub fn fork_session(
        &self,
        parent: &SharedSession,
        id: Option<String>,
        host_mode: Option<Option<String>>,
    ) -> Result<SharedSession> {
        let (mode, servers, settings, own, tools) = {
            let parent = parent.lock();
            parent.check_there()?;
            (
                parent.host_mode.clone(),
                parent.servers.clone(),
                parent.settings.clone(),
                parent.own.clone(),
                parent.known().clone(),
            )
        };
        let fork = self.open_session(id, host_mode.unwrap_or(mode), settings)?;
        {
            let mut fork = fork.lock();
            fork.own = own;
            fork.servers = servers;
            fork.prefer(tools);
        }
        Ok(fork)
    }

    /// Opens a session from its saved state, which replaces an open one of the same id.
    ///
    /// # Errors
    ///
    /// `ERR_STATE_INVALID`, `ERR_STATE_VERSION`; nothing is changed then.
    pub fn restore_session(&self, state: &str) -> Result<SharedSession> {
        let mut session = Session::from_json(state)?;
        let index = self.index();
        session.take_up(&index);
        // `selection` is read on the thread of JavaScript: the tokens of all tools are counted here, once.
        let _ = session.last_selection(&index);
        Ok(self.sessions.lock().keep(session))
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
        let is_open = self.sessions.lock().open.get(id).is_some_and(|open| Arc::ptr_eq(open, session));
        if is_open { Ok(()) } else { Err(ErrorKind::SessionNotFound { session_id: id.to_owned() }.into()) }
    }

    /// Closes a session; `false` when it was not open.
    pub fn close_session(&self, id: &str) -> bool {
        self.sessions.lock().close(id)
    }

    /// Whoever held a session for a call gives it up, which lets a closed one go.
    pub fn give_up(&self, session: SharedSession) {
        self.sessions.lock().give_up(session);
    }

    /// Takes the next turn of a session.
    pub fn advance(&self, session: &SharedSession, message: &str) -> Selection {
        self.advance_in(&self.index(), session, message, &Workspace::default())
    }

    /// Takes the next turn of a session in a workspace, of which nothing is kept, over a generation.
    pub fn advance_in(&self, index: &Index, session: &SharedSession, message: &str, workspace: &Workspace) -> Selection {
        let begun = Instant::now();
        let of_scope = |session: &Session| session.ranking_of_scope(index);
        let said = self.rank_wanted(index, session, of_scope, &Workspace::default());
        let text = self.rank_wanted(index, session, |session| session.ranking_wanted(index, Some(message)), workspace);
        if text.is_some() || said.is_some() {
            self.ranking_times.note(begun.elapsed());
        }
        let selection = session.lock().advance(index, message, Ranked { text: text.as_ref(), said: said.as_ref() });
        self.report_turn(&selection);
        selection
    }

    /// Applies what the host changed since the last turn: its mode, settings, servers as of a generation.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for an unknown mode; nothing is changed then.
    pub fn sync(&self, index: &Index, session: &SharedSession, host_mode: Option<Option<String>>) -> Result<Selection> {
        self.set_host_mode(session, host_mode, "sync.hostMode")?;
        if session.lock().turn() == 0 {
            let session = session.lock();
            return Ok(session.selection(index, session.known(), Vec::new()));
        }
        let none = Workspace::default();
        let said = self.rank_wanted(index, session, |session| session.ranking_of_scope(index), &none);
        let text = self.rank_wanted(index, session, |session| session.ranking_wanted(index, None), &none);
        Ok(session.lock().sync(index, Ranked { text: text.as_ref(), said: said.as_ref() }))
    }

    /// Puts a session into another mode of the host, or takes over changed settings alone. What is out
    /// of scope is not rendered from now on; the next turn attaches what the new scope has.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for an unknown mode; nothing is changed then.
    pub fn set_host_mode(&self, session: &SharedSession, host_mode: Option<Option<String>>, path: &str) -> Result<()> {
        let settings = self.settings_of(session);
        if let Some(Some(mode)) = &host_mode
            && !settings.host_modes.contains_key(mode)
        {
            return Err(unknown_mode(&settings, mode, path));
        }
        session.lock().follow(settings, host_mode);
        Ok(())
    }

    /// Chooses a session's set again, because the host has condensed its conversation: from what the task
    /// said, perhaps with a summary, and from the tools that it used. How long the context was is forgotten, unless the host
    /// says how long it is now.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for a session that has not started.
    pub fn compact(
        &self,
        index: &Index,
        session: &SharedSession,
        summary: Option<&str>,
        context: Option<usize>,
    ) -> Result<Selection> {
        started(session, "compact")?;
        let settings = self.settings_of(session);
        session.lock().follow(settings, None);
        let (scope, settings, wanted) = {
            let session = session.lock();
            let said = session.said();
            let scope = index.in_scope(&session.scope());
            // A long summary leaves room for what was said.
            let room = MAX_QUERY_BYTES.saturating_sub(said.len() + 1);
            let cut = |summary: &str| format!("{}\n{said}", &summary[..summary.floor_char_boundary(room)]);
            let text = summary.map_or(said.clone(), cut);
            let wanted = session.first_wanted(text, scope.candidates().len());
            (scope, session.settings.clone(), wanted)
        };
        let ground = Ground::new(index, &scope);
        let is_said = !wanted.text.trim().is_empty();
        let ranking = is_said.then(|| self.rank_as_wanted(ground, &settings, &wanted, &Workspace::default()));
        let mut session = session.lock();
        session.renew_context(context);
        Ok(session.compact(index, ranking.as_ref()))
    }

    /// Whether a call of a session may wait for the vector of what was said.
    pub fn session_may_wait(&self, session: &SharedSession) -> bool {
        self.may_wait(Some(Ranker::Hybrid)) && self.settings_of(session).ranker != Ranker::Lexical
    }

    /// The settings that apply to a session now: the router's, except for its own.
    fn settings_of(&self, session: &SharedSession) -> Settings {
        let session = session.lock();
        match &session.own {
            OwnSettings::All => session.settings.clone(),
            OwnSettings::Only(names) => self.settings().with(&session.settings, names),
        }
    }

    /// Ranks what a session wants ranked, if anything, outside its lock: status and `tools()` of the session never wait for a
    /// model.
    fn rank_wanted(
        &self,
        index: &Index,
        session: &SharedSession,
        wanted: impl FnOnce(&Session) -> Option<Wanted>,
        workspace: &Workspace,
    ) -> Option<Ranking> {
        let settings = self.settings_of(session);
        let (wanted, scope, settings) = {
            let mut session = session.lock();
            session.follow(settings, None);
            (wanted(&session)?, session.scope(), session.settings.clone())
        };
        let scope = index.in_scope(&scope);
        Some(self.rank_as_wanted(Ground::new(index, &scope), &settings, &wanted, workspace))
    }

    /// Ranks what a session wants ranked, for its task.
    pub(super) fn rank_as_wanted(
        &self,
        ground: Ground<'_>,
        settings: &Settings,
        wanted: &Wanted,
        workspace: &Workspace,
    ) -> Ranking {
        let rank = |task: &Task<'_>| self.rank_for(ground, settings, &wanted.text, task, wanted.top_k);
        self.in_task(ground, settings, wanted, workspace, rank)
    }

    /// Ranks with what is known of a session's task.
    pub(super) fn in_task(
        &self,
        ground: Ground<'_>,
        settings: &Settings,
        wanted: &Wanted,
        workspace: &Workspace,
        rank: impl FnOnce(&Task<'_>) -> Ranking,
    ) -> Ranking {
        let all = ground.candidates.len();
        let before = wanted.before.as_deref();
        let rank_before = move || self.rank_for(ground, settings, before.unwrap_or(""), &Task::default(), all);
        let task = Task {
            before: before.is_some().then_some(&rank_before as &dyn Fn() -> Ranking),
            workspace: (*workspace != Workspace::default()).then_some(workspace),
            parent: wanted.parent.as_ref(),
        };
        rank(&task)
    }

    /// Ranks tools as the settings of a task say.
    pub(super) fn rank_for(&self, ground: Ground<'_>, settings: &Settings, text: &str, task: &Task<'_>, top_k: usize) -> Ranking {
        let ask = RankOptions::default().ask(ground, text, settings);
        if settings.scope_by == ScopeBy::Tool {
            return self.rank_tools(ground, &ask, task, top_k);
        }
        adjusted(self.rank_by_server(ground, &ask), ground, &ask.query, task, top_k)
    }

    /// The best tools of the servers that fit best.
    fn rank_by_server(&self, ground: Ground<'_>, ask: &Ask) -> Ranking {
        let (mut ranking, servers) = self.ranked_servers(ground, ask);
        let chosen: Vec<Vec<RankedTool>> = servers.into_iter().take(FOCUSED_SERVERS).map(|server| server.tools).collect();
        order::by_server::in_turn(&mut ranking, &chosen);
        ranking
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
}

/// A ranking by other rules, adjusted by what is known besides the text.
fn adjusted(mut ranking: Ranking, ground: Ground<'_>, query: &Query, task: &Task<'_>, top_k: usize) -> Ranking {
    let uses = UsePreference::default();
    let request = Request { query, semantic: None, uses: &uses, entries: None };
    order::adjust_for(&mut ranking, ground, &request, task);
    ranking.tools.truncate(top_k);
    ranking
}

/// Refuses a session before its first turn.
pub(super) fn started(session: &SharedSession, call: &str) -> Result<()> {
    if session.lock().gate().is_some() {
        return Ok(());
    }
    Err(Error::invalid(call, "a started session", "one that has not started; call start() first"))
}
