//! The facade: owns the catalogue, publishes its generations, keeps sessions and the embedder.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use parking_lot::{Mutex, RwLock};

use crate::catalogue::scope::Scope;
use crate::catalogue::tool::{McpServer, Source, ToolId};
use crate::catalogue::{Catalogue, CatalogueChange, ServerPath, name};
use crate::embedding::service::{Degraded, EmbedderInfo, EmbeddingService, Loader};
use crate::error::{Error, ErrorKind, Result};
use crate::index::Index;
use crate::ranking::lexical::TermScore;
use crate::ranking::query::Query;
use crate::ranking::usage::UsageMemory;
use crate::ranking::{Corpus, RankedTool, Ranker, Ranking, SemanticInput, rank};
use crate::report::telemetry::TelemetryEvent;
use crate::report::tokens::{self, ContextUsage};
use crate::session::Session;
use crate::session::mcp_load::{LoadResult, Request};
use crate::session::selection::{GateMode, Selection};
use crate::settings::{RankingMode, Settings};

/// Open sessions; opening one more closes the one opened first. A host has one a task.
const MAX_SESSIONS: usize = 1_000;
/// Lists of tools given in a call that stay indexed: one a mode of the host, with room.
const KEPT_LISTS: usize = 8;

/// Receives events. Called on whichever thread works for the session.
pub type TelemetryListener = Arc<dyn Fn(&TelemetryEvent) + Send + Sync>;

/// Lists of tools given in calls, by hash, latest first.
type Lists = VecDeque<(blake3::Hash, Arc<Index>)>;

/// A session that several threads may hold.
pub type SharedSession = Arc<Mutex<Session>>;

#[derive(Default)]
struct Sessions {
    open: HashMap<String, SharedSession>,
    order: VecDeque<String>,
    opened: u64,
}

/// See the module. All methods take `&self` and may be called from any thread; those that rank or
/// index belong on a thread of yours, not on one that must stay responsive.
#[derive(Default)]
pub struct ToolRouter {
    catalogue: Mutex<Catalogue>,
    index: Arc<RwLock<Option<Arc<Index>>>>,
    settings: RwLock<Arc<Settings>>,
    embedding: EmbeddingService,
    usage: Mutex<UsageMemory>,
    sessions: Mutex<Sessions>,
    lists: Arc<Mutex<Lists>>,
    listener: RwLock<Option<TelemetryListener>>,
}

/// What limits a ranking.
#[derive(Debug, Clone, Default)]
pub struct RankOptions {
    /// How many tools to answer with.
    pub top_k: Option<usize>,
    /// How to rank; the settings' mode when absent.
    pub mode: Option<RankingMode>,
    /// A mode of the host, whose scope holds.
    pub host_mode: Option<String>,
    /// Only these servers, within the scope.
    pub servers: Option<Vec<String>>,
    /// How long to wait for the query's vector.
    pub deadline_ms: Option<usize>,
}

/// A ranked tool by name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedTool {
    /// The tool.
    pub id: ToolId,
    /// Its provider name.
    pub name: String,
    /// Its rank, score and shares.
    pub ranked: RankedTool,
}

/// A ranking by name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedRanking {
    /// The tools, best first.
    pub tools: Vec<NamedTool>,
    /// Everything else; its own `tools` is empty.
    pub ranking: Ranking,
}

/// Why a tool stands where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The tool with rank, score and shares.
    pub tool: NamedTool,
    /// What each term of the query gave it, largest first.
    pub terms: Vec<TermScore>,
    /// The ranker.
    pub ranker: Ranker,
    /// Why the ranker is not the one asked for.
    pub degraded: Option<Degraded>,
    /// How many tools were ranked.
    pub candidate_count: usize,
}

/// The state of a router, for an indicator.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// Where the model stands.
    pub state: ModelState,
    /// What a ranking in mode `auto` would use now.
    pub ranker: Ranker,
    /// Why not hybrid.
    pub degraded: Option<Degraded>,
    /// The embedder in force.
    pub embedder: Option<EmbedderInfo>,
    /// What the embedder last failed with.
    pub last_error: Option<String>,
    /// Servers in force.
    pub server_count: usize,
    /// Their tools, those that are off included.
    pub tool_count: usize,
    /// How many of the tools have vectors.
    pub vector_count: usize,
    /// Open sessions.
    pub session_count: usize,
    /// Counts up with each change of the catalogue.
    pub generation: u64,
}

/// Where the model stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelState {
    /// None was asked for.
    Cold,
    /// It is being loaded, or vectors are being made.
    Loading,
    /// All vectors are there.
    Ready,
    /// It fails.
    Degraded,
}

impl ModelState {
    /// The stable name that callers see.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Loading => "loading",
            Self::Ready => "ready",
            Self::Degraded => "degraded",
        }
    }
}

impl ToolRouter {
    /// A router with default settings and an empty catalogue.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.read())
    }

    /// Replaces the settings. Open sessions keep theirs.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` when settings contradict each other; nothing is changed then.
    pub fn configure(&self, settings: Settings) -> Result<()> {
        settings.check("configure")?;
        let bm25_changed = {
            let before = self.settings();
            (before.k1.to_bits(), before.b.to_bits()) != (settings.k1.to_bits(), settings.b.to_bits())
        };
        *self.settings.write() = Arc::new(settings);
        if bm25_changed {
            self.publish(&self.catalogue.lock());
            self.lists.lock().clear();
        }
        Ok(())
    }

    /// Sets servers, each in place of the one of its name and source; with `replace`, all others go.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT`; nothing is changed then.
    pub fn set_servers(&self, servers: Vec<McpServer>, replace: bool, path: ServerPath<'_>) -> Result<CatalogueChange> {
        let mut catalogue = self.catalogue.lock();
        let kept: HashSet<(Source, String)> = servers.iter().map(|server| (server.source, server.name.clone())).collect();
        let mut change = catalogue.set(servers, path)?;
        if replace {
            change.removed.extend(catalogue.retain(&kept).removed);
        }
        let index = self.publish(&catalogue);
        drop(catalogue);
        self.warm(&index);
        Ok(change)
    }

    /// Removes a server.
    pub fn remove_server(&self, name: &str, source: Option<Source>) -> CatalogueChange {
        let mut catalogue = self.catalogue.lock();
        let change = catalogue.remove(name, source);
        self.publish(&catalogue);
        change
    }

    fn publish(&self, catalogue: &Catalogue) -> Arc<Index> {
        let settings = self.settings();
        let mut current = self.index.write();
        let generation = current.as_ref().map_or(0, |index| index.generation) + 1;
        let index = Arc::new(Index::new(catalogue, generation, (settings.k1, settings.b)));
        *current = Some(Arc::clone(&index));
        index
    }

    /// Works out what later calls need, while nobody waits for it.
    fn warm(&self, index: &Index) {
        for tool in &index.tools {
            tool.tool.document();
            tool.tool.token_count();
        }
        self.embedding.want(index.texts());
    }

    /// The generation in force.
    #[must_use]
    pub fn index(&self) -> Arc<Index> {
        if let Some(index) = &*self.index.read() {
            return Arc::clone(index);
        }
        self.publish(&self.catalogue.lock())
    }

    /// Puts an embedder in force and has all tools embedded in the background. Calls of this and
    /// of [`ToolRouter::uninstall`] take effect in their order.
    pub fn install(&self, loader: Loader, cache_folder: Option<PathBuf>) -> Receiver<Result<EmbedderInfo>> {
        let (index, lists) = (Arc::clone(&self.index), Arc::clone(&self.lists));
        let texts = move || {
            let lists = lists.lock();
            let indices = index.read().iter().chain(lists.iter().map(|(_, list)| list)).cloned().collect::<Vec<_>>();
            drop(lists);
            indices.iter().flat_map(|index| index.texts().collect::<Vec<_>>()).collect()
        };
        self.embedding.install(loader, cache_folder, Box::new(texts))
    }

    /// Takes the embedder out of force; ranking is lexical from then on.
    pub fn uninstall(&self) -> Receiver<()> {
        self.embedding.uninstall()
    }

    /// Begins no further embedding and waits for the one begun, until [`ToolRouter::resume`].
    #[must_use]
    pub fn pause(&self, limit: Duration) -> bool {
        self.embedding.pause(limit)
    }

    /// Goes on after a pause.
    pub fn resume(&self) {
        self.embedding.resume();
    }

    /// Waits until all vectors that can be made are made; `false` when the time is over first.
    #[must_use]
    pub fn wait_ready(&self, limit: Duration) -> bool {
        self.embedding.wait_idle(limit)
    }

    /// The state for an indicator. Never waits for a ranking.
    #[must_use]
    pub fn status(&self) -> Status {
        let index = self.index();
        let vectors = self.embedding.vectors();
        let vector_count = vectors.as_ref().map_or(0, |vectors| index.vector_count(vectors));
        let degraded = self.semantic_state(&index).err();
        let last_error = self.embedding.last_error();
        let state = match degraded {
            _ if self.embedding.loading() => ModelState::Loading,
            Some(Degraded::ModelNotLoaded) => ModelState::Cold,
            None => ModelState::Ready,
            Some(_) if last_error.is_some() => ModelState::Degraded,
            Some(_) => ModelState::Loading,
        };
        Status {
            state,
            ranker: if degraded.is_none() { Ranker::Hybrid } else { Ranker::Lexical },
            degraded,
            embedder: vectors.map(|vectors| EmbedderInfo { model_id: vectors.model_id.clone(), dimensions: vectors.dimensions }),
            last_error,
            server_count: index.servers.len(),
            tool_count: index.tools.len(),
            vector_count,
            session_count: self.sessions.lock().open.len(),
            generation: index.generation,
        }
    }

    fn semantic_state(&self, index: &Index) -> std::result::Result<Arc<Vec<crate::embedding::vectors::Vector>>, Degraded> {
        let Some(model) = self.embedding.vectors() else {
            return Err(if self.embedding.loading() { Degraded::ModelLoading } else { Degraded::ModelNotLoaded });
        };
        index.vectors(&model).ok_or_else(|| {
            if self.embedding.last_error().is_some() { Degraded::EmbeddingFailed } else { Degraded::VectorsPending }
        })
    }

    fn rank_positions(
        &self,
        index: &Index,
        candidates: &[usize],
        text: &str,
        mode: RankingMode,
        deadline: Duration,
        top_k: usize,
    ) -> Ranking {
        let query = Query::prepare(text, index.vocabulary());
        let usage = self.usage.lock().clone();
        let lexically = || rank(index, candidates, &query, None, &usage, top_k);
        if mode == RankingMode::Lexical {
            return lexically();
        }
        let of_query = || self.embedding.query(&query.ranked, &query.clause_ranges(), deadline);
        let vectors = self.semantic_state(index).and_then(|tools| Ok((tools, of_query()?)));
        match vectors {
            Ok((tools, vectors)) => {
                let input = SemanticInput { query: &vectors, tools: &tools, alone: mode == RankingMode::Semantic };
                rank(index, candidates, &query, Some(input), &usage, top_k)
            }
            Err(reason) => Ranking { degraded: Some(reason), ..lexically() },
        }
    }

    fn scope_of(&self, options: &RankOptions, path: &str) -> Result<Scope> {
        let Some(mode) = &options.host_mode else { return Ok(Scope::All) };
        let settings = self.settings();
        let known = settings.modes.get(mode).ok_or_else(|| unknown_mode(&settings, mode, path))?;
        Ok(Scope::of_mode(known))
    }

    /// Checks the mode of the host that options name.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for an unknown one.
    pub fn check_host_mode(&self, options: &RankOptions, path: &str) -> Result<()> {
        self.scope_of(options, path).map(|_| ())
    }

    fn candidates(&self, index: &Index, options: &RankOptions, path: &str) -> Result<Vec<usize>> {
        let scope = self.scope_of(options, path)?;
        let mut candidates = index.candidates(&scope);
        if let Some(servers) = &options.servers {
            candidates.retain(|at| servers.contains(&index.tools[*at].tool.id.server_name));
        }
        Ok(candidates)
    }

    /// Ranks the tools in scope for a query.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for an unknown mode of the host.
    pub fn rank(&self, query: &str, options: &RankOptions) -> Result<NamedRanking> {
        let index = self.index();
        let candidates = self.candidates(&index, options, "rank.hostMode")?;
        let settings = self.settings();
        let deadline = Duration::from_millis(options.deadline_ms.unwrap_or(settings.deadline_ms) as u64);
        let mode = options.mode.unwrap_or(settings.ranking_mode);
        let mut ranking =
            self.rank_positions(&index, &candidates, query, mode, deadline, options.top_k.unwrap_or(settings.search_k));
        let tools = std::mem::take(&mut ranking.tools).into_iter().map(|ranked| named(&index, ranked)).collect();
        Ok(NamedRanking { tools, ranking })
    }

    /// Says which terms, which cosine and which boosts make a tool's score for a query.
    ///
    /// # Errors
    ///
    /// `ERR_TOOL_NOT_FOUND`, `ERR_OUT_OF_SCOPE`, `ERR_INVALID_ARGUMENT`.
    pub fn explain(&self, query: &str, tool: &ToolId, options: &RankOptions) -> Result<Explanation> {
        let index = self.index();
        let position = find(&index, tool)?;
        let candidates = self.candidates(&index, options, "explain.hostMode")?;
        if !candidates.contains(&position) {
            let reason =
                index.tools[position].off.map_or_else(|| "the scope leaves its server out".to_owned(), |off| off.to_string());
            return Err(ErrorKind::OutOfScope { name: index.tools[position].name.clone(), reason }.into());
        }
        let settings = self.settings();
        let deadline = Duration::from_millis(options.deadline_ms.unwrap_or(settings.deadline_ms) as u64);
        let mode = options.mode.unwrap_or(settings.ranking_mode);
        let ranking = self.rank_positions(&index, &candidates, query, mode, deadline, candidates.len());
        let ranked = ranking.tools.into_iter().find(|ranked| ranked.position == position);
        let ranked = ranked.ok_or_else(|| Error::from(ErrorKind::Internal { detail: "a candidate was not ranked".into() }))?;
        Ok(Explanation {
            terms: index.lexical().explain(&Query::prepare(query, index.vocabulary()).terms, position),
            tool: named(&index, ranked),
            ranker: ranking.ranker,
            degraded: ranking.degraded,
            candidate_count: candidates.len(),
        })
    }

    /// Ranks tools given in the call; the same list again costs no new index. Names come back.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for a tool without a name.
    pub fn rank_list(
        &self,
        query: &str,
        servers: Vec<McpServer>,
        k: usize,
        supported_only: bool,
        path: &str,
    ) -> Result<Vec<String>> {
        let index = self.list_index(servers, path)?;
        let candidates = index.candidates(&Scope::All);
        let settings = self.settings();
        let deadline = Duration::from_millis(settings.deadline_ms as u64);
        let ranking = self.rank_positions(&index, &candidates, query, settings.ranking_mode, deadline, k);
        let kept = ranking.tools.into_iter().filter(|tool| !supported_only || tool.shares.supported);
        Ok(kept.map(|tool| index.tools[tool.position].name.clone()).collect())
    }

    fn list_index(&self, servers: Vec<McpServer>, path: &str) -> Result<Arc<Index>> {
        let mut hasher = blake3::Hasher::new();
        for server in &servers {
            for tool in &server.tools {
                for part in [&server.name, &tool.name, tool.description.as_deref().unwrap_or("")] {
                    hasher.update(&(part.len() as u64).to_le_bytes());
                    hasher.update(part.as_bytes());
                }
            }
        }
        let hash = hasher.finalize();
        if let Some((_, index)) = self.lists.lock().iter().find(|(known, _)| *known == hash) {
            return Ok(Arc::clone(index));
        }
        let mut catalogue = Catalogue::default();
        let change = catalogue.set(servers, ServerPath::List(path))?;
        if let Some(refused) = change.refused.first() {
            let (expected, got) = refused.reason.split_once(", got ").unwrap_or((&refused.reason, ""));
            let (_, expected) = expected.split_once(": expected ").unwrap_or(("", expected));
            return Err(Error::invalid(format!("{path} ({}, {:?})", refused.server_name, refused.tool_name), expected, got));
        }
        let settings = self.settings();
        let index = Arc::new(Index::new(&catalogue, 0, (settings.k1, settings.b)));
        self.embedding.want(index.texts());
        let mut lists = self.lists.lock();
        lists.push_front((hash, Arc::clone(&index)));
        lists.truncate(KEPT_LISTS);
        Ok(index)
    }

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
            let deadline = Duration::from_millis(settings.deadline_ms as u64);
            self.rank_positions(&index, &candidates, message, settings.ranking_mode, deadline, top_k)
        });
        let selection = session.lock().advance(&index, message, ranking.as_ref());
        self.report_turn(&selection);
        selection
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
        session.lock().refresh(&index, &result);
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

    /// Remembers that a tool was called.
    ///
    /// # Errors
    ///
    /// `ERR_TOOL_NOT_FOUND` when the catalogue does not hold it.
    pub fn record_use(&self, tool: &ToolId) -> Result<()> {
        find(&self.index(), tool)?;
        self.usage.lock().record(tool);
        Ok(())
    }

    /// The tool behind a provider name, whether a model wrote `-` or `_` in it.
    #[must_use]
    pub fn resolve(&self, name: &str) -> Option<ToolId> {
        let index = self.index();
        index.resolve(name).map(|at| index.tools[at].tool.id.clone())
    }

    /// The error for a provider name that no tool has, with near names.
    #[must_use]
    pub fn not_found(&self, wanted: &str) -> Error {
        let index = self.index();
        let near = name::near(wanted, index.tools.iter().map(|tool| tool.name.as_str()), 3);
        ErrorKind::ToolNotFound { name: wanted.to_owned(), near }.into()
    }

    /// Counts the tokens of sections of a context and of MCP tools by server: those attached to a
    /// session, or all that are on.
    #[must_use]
    pub fn context_usage(
        &self,
        sections: &[(String, String)],
        session: Option<&SharedSession>,
        window: Option<usize>,
    ) -> ContextUsage {
        let index = self.index();
        let positions: Vec<usize> = session
            .map_or_else(|| index.candidates(&Scope::All), |session| session.lock().usable(&index).map(|(_, at)| at).collect());
        let positions: HashSet<usize> = positions.into_iter().collect();
        let mut servers = Vec::new();
        for server in &index.servers {
            let counted: usize = server
                .tools
                .clone()
                .filter(|at| positions.contains(at))
                .map(|at| index.tools[at].tool.token_count_as(&index.tools[at].name))
                .sum();
            if counted > 0 {
                servers.push((server.name.clone(), counted));
            }
        }
        let sections = sections.iter().map(|(name, text)| (name.clone(), tokens::count(text))).collect();
        ContextUsage::new(sections, servers, window.or_else(|| self.settings().context_window))
    }

    /// Sets who hears of events; `None` for nobody.
    pub fn on_telemetry(&self, listener: Option<TelemetryListener>) {
        *self.listener.write() = listener;
    }

    fn emit(&self, event: impl FnOnce() -> TelemetryEvent) {
        if let Some(listener) = self.listener.read().clone() {
            listener(&event());
        }
    }
}

/// For a person: the shares, then the terms.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ranked, shares) = (&self.tool.ranked, &self.tool.ranked.shares);
        writeln!(f, "{} is rank {} of {} ({})", self.tool.name, ranked.rank, self.candidate_count, self.ranker.name())?;
        if let Some(reason) = self.degraded {
            writeln!(f, "  not by vectors: {}", reason.message())?;
        }
        let (score, lexical, boost) = (ranked.score, shares.lexical_share, shares.boost());
        writeln!(f, "  score {score:.3} = lexical {lexical:.3} + semantic {:.3} + boost {boost:.3}", shares.semantic_share)?;
        write!(f, "  BM25 {:.3}", shares.lexical)?;
        if let Some(similarity) = shares.similarity {
            write!(f, ", cosine {similarity:.3}")?;
        }
        writeln!(f, ", named: {}, usage {:.3}", shares.naming.name(), shares.usage)?;
        for term in &self.terms {
            writeln!(f, "  {:<20} {:.3} = idf {:.3} x weight {:.3}", term.term, term.score, term.idf, term.weight)?;
        }
        Ok(())
    }
}

impl Drop for ToolRouter {
    fn drop(&mut self) {
        self.embedding.close();
    }
}

fn named(index: &Index, ranked: RankedTool) -> NamedTool {
    let tool = &index.tools[ranked.position];
    NamedTool { id: tool.tool.id.clone(), name: tool.name.clone(), ranked }
}

fn find(index: &Index, tool: &ToolId) -> Result<usize> {
    index.position(tool).ok_or_else(|| {
        let names = index.tools.iter().map(|known| known.tool.id.tool_name.as_str());
        ErrorKind::ToolNotFound {
            name: format!("{}::{}", tool.server_name, tool.tool_name),
            near: name::near(&tool.tool_name, names, 3),
        }
        .into()
    })
}

fn unknown_mode(settings: &Settings, mode: &str, path: &str) -> Error {
    let known: Vec<&str> = settings.modes.keys().map(String::as_str).collect();
    let expected =
        if known.is_empty() { "a mode, but settings.modes has none".to_owned() } else { format!("one of {}", known.join(", ")) };
    Error::invalid(path, expected, format!("{mode:?}"))
}
