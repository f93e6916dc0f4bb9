//! `ToolRouter`: owns the catalogue, publishes its generations, keeps sessions and the embedder.

use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use parking_lot::{Mutex, RwLock};

use super::counting::Counting;
use super::curation_files::CurationFiles;
use super::open_sessions::{OpenSessions, SharedSession};

use crate::catalogue::change::CatalogueChange;
use crate::catalogue::intake::Intake;
use crate::catalogue::mcp::{McpServer, Source};
use crate::catalogue::scope::{Scope, Servers};
use crate::catalogue::{Catalogue, ServerPath, name};
use crate::curation::uses::Uses;
use crate::document::id::ToolId;
use crate::embedding::service::{EmbedderInfo, EmbeddingService, Loader};
use crate::error::{Error, ErrorKind, Result};
use crate::index::Index;
use crate::report::receipt::ContextUsage;
use crate::report::telemetry::TelemetryEvent;
use crate::report::times::RankingTimes;
use crate::settings::{Ranker, Settings};
use crate::text::terms::terms;
use crate::text::tokens;

/// Receives events. Called on whichever thread works for the session.
pub type TelemetryListener = Arc<dyn Fn(&TelemetryEvent) + Send + Sync>;

/// Near names that an error offers.
const NEAR_NAMES: usize = 3;

/// Lists of tools given in calls, by hash, latest first.
type Lists = VecDeque<(blake3::Hash, Arc<Index>)>;

/// See the module. All methods take `&self` and may be called from any thread; those that rank or
/// index belong on a background thread, not on one that must stay responsive.
#[derive(Default)]
pub struct ToolRouter {
    pub(super) catalogue: Mutex<Catalogue>,
    index: Arc<RwLock<Option<Arc<Index>>>>,
    generations: AtomicU64,
    /// Changes of the catalogue that rankings do not wait for.
    changes: AtomicUsize,
    pub(super) settings: RwLock<Arc<Settings>>,
    pub(super) embedding: EmbeddingService,
    pub(super) uses: Mutex<Uses>,
    pub(super) curation_files: Mutex<Option<CurationFiles>>,
    pub(super) sessions: Mutex<OpenSessions>,
    pub(super) lists: Arc<Mutex<Lists>>,
    listener: RwLock<Option<TelemetryListener>>,
    counting: Counting,
    /// How long turns were ranked.
    pub(super) ranking_times: RankingTimes,
}

impl ToolRouter {
    /// A router with default settings and an empty catalogue.
    pub fn new() -> Self {
        Self::default()
    }

    /// The active settings.
    pub fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.read())
    }

    /// Replaces the settings. Open sessions follow, except in settings of their own.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` when settings contradict each other; nothing is changed then.
    pub fn configure(&self, settings: Settings) -> Result<()> {
        settings.check("configure")?;
        *self.settings.write() = Arc::new(settings);
        Ok(())
    }

    /// Sets servers; each replaces the one of its name and source. With `replace`, all others go.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT`; nothing is changed then.
    pub fn set_servers(&self, servers: Vec<McpServer>, replace: bool, path: ServerPath<'_>) -> Result<CatalogueChange> {
        let mut catalogue = self.catalogue.lock();
        let kept: HashSet<(Source, String)> = servers.iter().map(|server| (server.source, server.name.clone())).collect();
        catalogue.intake = Intake::of(&self.settings());
        let mut change = catalogue.set(servers, path)?;
        if replace {
            change.removed.extend(catalogue.retain(&kept).removed);
        }
        let index = self.next_generation(&catalogue);
        drop(catalogue);
        // Readers have the last whole generation until everything that a ranking needs of this one is there.
        warm(&index);
        self.put(&index);
        self.forget_gone(&change);
        self.embedding.want(index.texts());
        self.counting.begin(&index, self.settings().schema_detail);
        Ok(change)
    }

    /// Accepts a tool as it is now; it is no longer withheld. Whether it was.
    ///
    /// # Errors
    ///
    /// `ERR_TOOL_NOT_FOUND` when the catalogue does not hold it.
    pub fn acknowledge(&self, tool: &ToolId) -> Result<bool> {
        find(&self.index(), tool)?;
        let mut catalogue = self.catalogue.lock();
        let was_withheld = catalogue.acknowledge(tool);
        if was_withheld {
            self.publish(&catalogue);
        }
        Ok(was_withheld)
    }

    /// Removes a server.
    pub fn remove_server(&self, name: &str, source: Option<Source>) -> CatalogueChange {
        let mut catalogue = self.catalogue.lock();
        let change = catalogue.remove(name, source);
        self.publish(&catalogue);
        drop(catalogue);
        self.forget_gone(&change);
        change
    }

    pub(super) fn publish(&self, catalogue: &Catalogue) -> Arc<Index> {
        let index = self.next_generation(catalogue);
        self.put(&index);
        index
    }

    /// Builds a generation beside the readers; who builds holds the catalogue's lock, so the latest one is of the latest
    /// catalogue.
    fn next_generation(&self, catalogue: &Catalogue) -> Arc<Index> {
        let previous = self.index.read().clone();
        let generation = self.generations.fetch_add(1, Ordering::Relaxed) + 1;
        Arc::new(Index::new(catalogue, generation, previous.as_deref()))
    }

    /// Publishes a generation, unless a later one was published meanwhile.
    fn put(&self, index: &Arc<Index>) {
        let mut current = self.index.write();
        if current.as_ref().is_none_or(|current| current.generation < index.generation) {
            *current = Some(Arc::clone(index));
        }
    }

    /// The same after registry entries alone were set.
    pub(super) fn publish_entries(&self, catalogue: &Catalogue) -> Arc<Index> {
        let Some(previous) = self.index.read().clone().filter(|previous| previous.has_servers_of(catalogue)) else {
            return self.publish(catalogue);
        };
        let generation = self.generations.fetch_add(1, Ordering::Relaxed) + 1;
        let index = Arc::new(previous.with_entries(catalogue, generation));
        self.put(&index);
        index
    }

    /// Whether a ranking may wait for the vector of its request.
    pub fn may_wait(&self, ranker: Option<Ranker>) -> bool {
        ranker.unwrap_or_else(|| self.settings().ranker) != Ranker::Lexical && self.embedding.vectors().is_some()
    }

    /// Whether no tool is published.
    pub fn index_is_empty(&self) -> bool {
        self.index().tools.is_empty()
    }

    /// Whether a change of the catalogue that rankings do not wait for is under way.
    pub fn is_changing(&self) -> bool {
        self.changes.load(Ordering::Acquire) > 0
    }

    /// Begins a change of the catalogue that rankings do not wait for; it ends when the answer is dropped.
    pub fn begin_change(self: &Arc<Self>) -> PendingChange {
        self.changes.fetch_add(1, Ordering::AcqRel);
        PendingChange(Arc::clone(self))
    }

    /// The current generation.
    pub fn index(&self) -> Arc<Index> {
        if let Some(index) = &*self.index.read() {
            return Arc::clone(index);
        }
        self.publish(&self.catalogue.lock())
    }

    /// Makes an embedder the active one and has all tools embedded in the background. Calls of this and
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

    /// Says how memory that was freed goes back to the system: see [`EmbeddingService::set_give_back`].
    pub fn set_give_back(&self, give_back: fn()) {
        self.embedding.set_give_back(give_back);
    }

    /// Takes the embedder out of force; ranking is lexical from then on.
    pub fn uninstall(&self) -> Receiver<()> {
        let index = self.index.read().clone();
        let lists: Vec<_> = self.lists.lock().iter().map(|(_, list)| Arc::clone(list)).collect();
        index.iter().chain(&lists).for_each(|index| index.forget_vectors());
        self.embedding.uninstall()
    }

    /// Begins no further embedding and waits for the one begun, until [`ToolRouter::resume`].
    pub fn pause(&self, limit: Duration) -> bool {
        self.embedding.pause(limit)
    }

    /// Goes on after a pause.
    pub fn resume(&self) {
        self.embedding.resume();
    }

    /// Waits until all vectors that can be made are made; `false` when the time is over first.
    pub fn wait_ready(&self, limit: Duration) -> bool {
        self.embedding.wait_idle(limit)
    }

    /// Remembers that a tool was called.
    ///
    /// # Errors
    ///
    /// `ERR_TOOL_NOT_FOUND` when the catalogue does not hold it.
    pub fn record_use(&self, tool: &ToolId) -> Result<()> {
        find(&self.index(), tool)?;
        self.uses.lock().record(tool.clone());
        Ok(())
    }

    /// Remembers that a tool was called after something was said: later requests that share terms with it lean to the tool.
    /// `is_first` for the first call of a request.
    ///
    /// # Errors
    ///
    /// `ERR_TOOL_NOT_FOUND` when the catalogue does not hold it.
    pub fn record_use_after(&self, tool: &ToolId, said: &str, is_first: bool) -> Result<()> {
        find(&self.index(), tool)?;
        let mut seen = HashSet::new();
        // The latest was said last.
        let latest = said.lines().rev().flat_map(terms);
        let terms: Vec<String> = latest.filter(|term| seen.insert(term.clone())).collect();
        self.uses.lock().record_after(tool.clone(), &terms, is_first);
        Ok(())
    }

    /// The tool behind a provider name, whether a model wrote `-` or `_` in it.
    pub fn resolve(&self, name: &str) -> Option<ToolId> {
        let index = self.index();
        index.resolve(name).map(|at| index.tools[at].tool.id.clone())
    }

    /// The error for a provider name that no tool has, with near names.
    pub fn not_found(&self, wanted: &str) -> Error {
        let index = self.index();
        unknown_name(&index, wanted, &index.candidates(&Scope::All))
    }

    /// Counts the tokens of sections of a context and of MCP tools by server: those attached to a
    /// session, or all that are on, of these servers or of all.
    pub fn context_usage(
        &self,
        sections: Vec<(String, String)>,
        session: Option<&SharedSession>,
        servers: Option<&Servers>,
        window: Option<usize>,
    ) -> impl FnOnce() -> ContextUsage + use<> {
        let index = self.index();
        let scope = servers.map_or(Scope::All, |servers| Scope::All.within(servers));
        let positions: Vec<usize> =
            session.map_or_else(|| index.candidates(&scope), |session| session.lock().usable(&index).map(|(_, at)| at).collect());
        let positions: HashSet<usize> = positions.into_iter().collect();
        let detail = session.map_or_else(|| self.settings().schema_detail, |session| session.lock().settings.schema_detail);
        let mut servers = Vec::new();
        for server in &index.servers {
            let counted: usize = server
                .tools
                .clone()
                .filter(|at| positions.contains(at))
                .map(|at| index.tools[at].tool.token_count_as(&index.tools[at].name, detail))
                .sum();
            if counted > 0 {
                servers.push((server.name.clone(), counted));
            }
        }
        let window = window.or_else(|| self.settings().context_window);
        move || {
            let counted = sections.into_iter().map(|(name, text)| (name, tokens::count(&text))).collect();
            ContextUsage::new(counted, servers, window)
        }
    }

    /// Sets who receives events; `None` for nobody.
    pub fn on_telemetry(&self, listener: Option<TelemetryListener>) {
        *self.listener.write() = listener;
    }

    pub(super) fn listener(&self) -> Option<TelemetryListener> {
        self.listener.read().clone()
    }

    pub(super) fn emit(&self, event: impl FnOnce() -> TelemetryEvent) {
        if let Some(listener) = self.listener() {
            listener(&event());
        }
    }
}

impl Drop for ToolRouter {
    fn drop(&mut self) {
        self.counting.close();
        self.embedding.close();
    }
}

/// See [`ToolRouter::begin_change`].
pub struct PendingChange(Arc<ToolRouter>);

impl Drop for PendingChange {
    fn drop(&mut self) {
        self.0.changes.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Works out what later calls need, while nobody waits for it.
fn warm(index: &Index) {
    for tool in index.tools.iter() {
        tool.tool.document();
    }
    for server in &index.servers {
        server.profile.document();
    }
    index.warm();
}

pub(super) fn find(index: &Index, tool: &ToolId) -> Result<usize> {
    index.position(tool).ok_or_else(|| unknown_tool(index, tool, &index.candidates(&Scope::All)))
}

/// The error for a provider name that no tool has. Only candidates are near: what is off or out of scope is never named.
pub(super) fn unknown_name(index: &Index, wanted: &str, candidates: &[usize]) -> Error {
    ErrorKind::ToolNotFound { name: wanted.to_owned(), near: index.near_names(candidates, wanted) }.into()
}

/// The same for a tool by its names.
pub(super) fn unknown_tool(index: &Index, tool: &ToolId, candidates: &[usize]) -> Error {
    let names = candidates.iter().map(|at| index.tools[*at].tool.id.tool_name.as_str());
    let near = name::near(&tool.tool_name, names, NEAR_NAMES);
    ErrorKind::ToolNotFound { name: format!("{}::{}", tool.server_name, tool.tool_name), near }.into()
}
