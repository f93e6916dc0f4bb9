//! What a model asks for within a task: `mcp_load`, `unload`, the missing-capability signal.

use std::collections::HashSet;

use super::facade::ToolRouter;
use super::open_sessions::SharedSession;
use super::rank::RankOptions;
use super::sessions::started;
use crate::document::id::ToolId;
use crate::error::{Error, Result};
use crate::evidence::thresholds::{self, Search};
use crate::index::Index;
use crate::order::{Ground, Task, named_servers};
use crate::query;
use crate::ranking::Ranking;
use crate::report::telemetry::TelemetryEvent;
use crate::session::delivering::CallCheck;
use crate::session::load_result::{
    DOUBT, LoadResult, NearServer, NothingFits, Unavailable, UnavailableTool, UnloadResult, not_connected,
};
use crate::session::mcp_load::Request;
use crate::session::modules::{ModuleView, modules_of};
use crate::session::reroute::{RerouteResult, Signal};
use crate::session::selection::GateMode;
use crate::settings::{Ranker, Settings};
use crate::text::english::is_english_text;
use crate::text::terms::name_key;
use crate::tool_call::read_load;

/// Attached tools among this many that fit a signal best are named in its answer.
const BEST_OF_SIGNAL: usize = 5;
/// Servers that are named where nothing fits.
const NEAREST_SERVERS: usize = 3;
/// What is looked at behind the tools that a search attaches, to name some.
const LOOKED_AT_NEXT: usize = 20;
/// Needs of one call, and how many tools each may attach at least.
const MOST_NEEDS: usize = 8;
const FEWEST_OF_NEED: usize = 3;
/// A search with less evidence names servers, too, that are known and not connected.
const WEAK: f64 = 0.75;
/// Modules in one answer: more than the largest real server has, and a line each.
const MOST_MODULES: usize = 50;

impl ToolRouter {
    /// Answers the model's `mcp_load`.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for an empty query.
    pub fn load(&self, session: &SharedSession, query: &str) -> Result<LoadResult> {
        self.load_in(&self.index(), session, query)
    }

    /// The same over a generation.
    ///
    /// # Errors
    ///
    /// As [`ToolRouter::load`].
    pub fn load_in(&self, index: &Index, session: &SharedSession, query: &str) -> Result<LoadResult> {
        if query.trim().is_empty() {
            return Err(Error::invalid("load.query", "what to look for, tool names or a server's name", format!("{query:?}")));
        }
        started(session, "load")?;
        self.set_host_mode(session, None, "hostMode")?;
        let (before, listed) = {
            let session = session.lock();
            (session.known().clone(), session.known_by_signature())
        };
        let (query, cut) = query::cut(query);
        let (mut result, mut modules) = self.answer_load(index, session, query);
        result.query_cut = cut;
        let (dynamic, event) = {
            let mut session = session.lock();
            modules.truncate(MOST_MODULES);
            for module in &mut modules {
                module.attached_count = module.tools.iter().filter(|tool| session.is_attached(tool)).count();
            }
            result.modules = modules;
            session.refresh(index, &before, (result.ranker, result.degraded, cut));
            let event = TelemetryEvent::McpLoadInvoked {
                session_id: session.id.clone(),
                query_length: query.chars().count(),
                loaded_count: result.loaded.len(),
                already_attached_count: result.already_attached.len(),
                unavailable_count: result.unavailable.len(),
                attached_count: session.attached().count(),
                turn: session.turn(),
            };
            (session.gate() == Some(GateMode::Dynamic), event)
        };
        if dynamic {
            let session_id = session.lock().id.clone();
            self.emit(|| event);
            let (loaded_count, refused_count) = of_directory(index, &listed, &result);
            if loaded_count + refused_count > 0 {
                let (session_id, turn) = (session_id.clone(), session.lock().turn());
                self.emit(|| TelemetryEvent::DirectoryUsed {
                    session_id,
                    turn,
                    called: false,
                    tool_count: loaded_count + refused_count,
                    refused_count,
                });
            }
            if let Some(reason) = result.degraded {
                self.emit(|| TelemetryEvent::RankerFallback { session_id, reason });
            }
        }
        Ok(result)
    }

    /// Answers what a model wrote into `mcp_load`, in whatever shape. What asks for nothing is answered with the right form.
    ///
    /// # Errors
    ///
    /// As [`ToolRouter::load`], and never for what the model wrote.
    pub fn load_written(&self, index: &Index, session: &SharedSession, written: &str) -> Result<LoadResult> {
        started(session, "load")?;
        let loader = session.lock().loader();
        match read_load(written, loader) {
            Ok(query) => self.load_in(index, session, &query),
            Err(form) => Ok(LoadResult { doubt: Some(form), ..LoadResult::empty() }),
        }
    }

    /// What a model looks for that wrote this into one of a host's own tools; `None` where that is nothing.
    #[must_use]
    pub fn query_written(written: &str, tool: &str) -> Option<String> {
        read_load(written, tool).ok()
    }

    /// Reads what a model asks for and attaches it, with the modules that the answer names.
    fn answer_load(&self, index: &Index, session: &SharedSession, query: &str) -> (LoadResult, Vec<ModuleView>) {
        let (scope, settings, last_message) = {
            let mut session = session.lock();
            session.forget_brought();
            (session.scope(), session.settings.clone(), session.last_message().to_owned())
        };
        let in_scope = index.in_scope(&scope);
        let ground = Ground::new(index, &in_scope);
        let ranked = |candidates: &[usize], text: &str| {
            let ask = RankOptions::default().ask(ground, text, &settings);
            self.rank_tools(ground.among(candidates), &ask, &Task::default(), settings.search_k)
        };
        let alone = |result: LoadResult| (result, Vec::new());
        match Request::read(index, &scope, query) {
            Request::Names(names) => {
                let result = session.lock().load_names(index, &names);
                alone(if are_words(&result, &names) { self.answer_needs(ground, session, &settings, query) } else { result })
            }
            Request::Server(at) => {
                let mut candidates = in_scope.candidates().to_vec();
                candidates.retain(|position| index.servers[at].tools.contains(position));
                let ranking = ranked(&candidates, &last_message);
                let modules = modules_of(index, &scope, at);
                let result = session.lock().load_core(index, at, &candidates, (&ranking, settings.search_k));
                // What the modules hold need not be named twice.
                (if modules.is_empty() { result } else { LoadResult { others: Vec::new(), ..result } }, modules)
            }
            Request::Module(module) => {
                let ranking = ranked(&module.positions, &last_message);
                let at = index.servers.iter().position(|server| server.name == module.server_name).unwrap_or(0);
                alone(session.lock().load_core(index, at, &module.positions, (&ranking, settings.search_k)))
            }
            Request::Modules(server) => {
                let modules = session.lock().modules(index, server.as_deref());
                let truncated = modules.len() > MOST_MODULES;
                let doubt = modules.is_empty().then(|| {
                    let what = server.as_deref().map_or("No server here", |name| name);
                    format!("{what} is not divided into modules: load a server by its name, or say what you need.")
                });
                (LoadResult { matched: modules.len(), truncated, doubt, ..LoadResult::empty() }, modules)
            }
            Request::Unload(names) => {
                let UnloadResult { unloaded, not_attached } = session.lock().unload(index, &names);
                alone(LoadResult { unloaded, not_attached, ..LoadResult::empty() })
            }
            Request::Text => alone(self.answer_needs(ground, session, &settings, query)),
        }
    }

    /// Answers a search for one need, or for several, which share what a search may attach.
    fn answer_needs(&self, ground: Ground<'_>, session: &SharedSession, settings: &Settings, query: &str) -> LoadResult {
        let needs = needs_of(query);
        let most = settings.search_k.div_ceil(needs.len()).max(FEWEST_OF_NEED.min(settings.search_k));
        let answer = |need| {
            let scope = session.lock().scope();
            match Request::read(ground.index, &scope, need) {
                Request::Names(names) => {
                    let result = session.lock().load_names(ground.index, &names);
                    if are_words(&result, &names) { self.answer_search(ground, session, settings, need, most) } else { result }
                }
                _ => self.answer_search(ground, session, settings, need, most),
            }
        };
        LoadResult::of_needs(needs.into_iter().map(|need| (need, answer(need))))
    }

    /// Answers a search, which its own words order best: of 611 served needs 598 keep their tool, and 592 if all are read in a task.
    fn answer_search(
        &self,
        ground: Ground<'_>,
        session: &SharedSession,
        settings: &Settings,
        need: &str,
        most: usize,
    ) -> LoadResult {
        let ask = RankOptions::default().ask(ground, need, settings);
        let ranking = self.rank_tools(ground, &ask, &Task::default(), settings.search_k + LOOKED_AT_NEXT);
        if thresholds::search_finds(&ranking) {
            let mut result = session.lock().load_ranked(ground.index, &ranking, most);
            if ranking.evidence < WEAK {
                let absent: Vec<String> = self.absent_servers(ground.index, settings, need);
                result.doubt = result.doubt.into_iter().chain(not_connected(&absent)).reduce(|all, more| all + " " + &more);
            }
            return result;
        }
        if let Some(&server) = named_servers(ground.index, ground.scope, need).first() {
            let own = &ground.index.servers[server].tools;
            let members: Vec<usize> = ground.candidates.iter().copied().filter(|at| own.contains(at)).collect();
            let mut session = session.lock();
            let result = session.load_core(ground.index, server, &members, (&ranking, thresholds::IN_DOUBT.min(most)));
            return LoadResult { doubt: Some(DOUBT.to_owned()), ..result };
        }
        match thresholds::search(&ranking) {
            Search::Doubts => session.lock().load_in_doubt(ground.index, &ranking, most),
            near => {
                let mut nearest = self.nearest_servers(ground.index, settings, &ranking, need);
                if near == Search::IsNear {
                    let best = ranking.tools.iter().filter(|tool| tool.shares.supported).take(thresholds::IN_DOUBT);
                    nearest.tools = best.map(|tool| ground.index.tools[tool.position].name.clone()).collect();
                }
                LoadResult { nothing_fits: Some(nearest), ..LoadResult::of_ranking(&ranking) }
            }
        }
    }

    /// The servers nearest to what nothing fits: of the best tools, and of registry entries whose server
    /// is not connected.
    fn nearest_servers(&self, index: &Index, settings: &Settings, ranking: &Ranking, query: &str) -> NothingFits {
        let mut servers: Vec<NearServer> = Vec::new();
        for tool in ranking.tools.iter().take(settings.search_k) {
            let name = &index.tools[tool.position].tool.id.server_name;
            if servers.len() < NEAREST_SERVERS && !servers.iter().any(|server| server.name == *name) {
                servers.push(NearServer { name: name.clone(), connected: true });
            }
        }
        let absent = self.absent_servers(index, settings, query);
        servers.splice(0..0, absent.into_iter().map(|name| NearServer { name, connected: false }));
        servers.truncate(NEAREST_SERVERS);
        NothingFits { servers, tools: Vec::new(), in_english: is_english_text(query) }
    }

    /// Servers of registry entries that are not connected and that a text speaks of, the best first.
    fn absent_servers(&self, index: &Index, settings: &Settings, query: &str) -> Vec<String> {
        let absent: Vec<(String, String)> = self
            .catalogue
            .lock()
            .entries()
            .filter(|(name, _)| !index.servers.iter().any(|server| server.name == **name))
            .map(|(name, entry)| (name.clone(), entry.text()))
            .collect();
        if absent.is_empty() {
            return Vec::new();
        }
        let options = RankOptions {
            top_k: Some(NEAREST_SERVERS),
            ranker: Some(Ranker::Lexical),
            deadline_ms: Some(settings.deadline_ms),
            ..RankOptions::default()
        };
        let ranked = self.rank_texts(query, absent, &options, "registry");
        let found = ranked.map(|ranking| ranking.texts).unwrap_or_default();
        found.into_iter().filter(|text| text.supported).map(|text| text.name).collect()
    }

    /// Checks a call by name before it is made, as the session and the catalogue are now. The check itself may be done later,
    /// on any thread: a schema may take a while.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for a session that has not started.
    pub fn check_call(&self, session: &SharedSession, call: String) -> Result<impl FnOnce() -> CallCheck + use<>> {
        started(session, "checkCall")?;
        self.set_host_mode(session, None, "hostMode")?;
        let (session, index) = (session.lock().clone(), self.index());
        let listener = self.listener();
        Ok(move || {
            let check = session.check_call(&index, &call);
            if let Some(listener) = listener.filter(|_| check.tool.as_ref().is_some_and(|tool| session.is_in_directory(tool))) {
                listener(&TelemetryEvent::DirectoryUsed {
                    session_id: session.id.clone(),
                    turn: session.turn(),
                    called: true,
                    tool_count: 1,
                    refused_count: usize::from(check.problem.is_some()),
                });
            }
            check
        })
    }

    /// Parameters tools away that a model or user does not want. Only `mcp_load` brings them back.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for a session that has not started.
    pub fn unload(&self, session: &SharedSession, names: &[String]) -> Result<UnloadResult> {
        started(session, "unload")?;
        let index = self.index();
        let mut session = session.lock();
        let before: HashSet<ToolId> = session.known().clone();
        let result = session.unload(&index, names);
        session.refresh(&index, &before, (Ranker::Lexical, None, None));
        Ok(result)
    }

    /// Answers a missing-capability signal: looks for it among tools that are not attached, leaves
    /// out servers that were tried unless one of their tools is the best, and attaches what it finds.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for a session that has not started.
    pub fn reroute(&self, index: &Index, session: &SharedSession, signal: Signal) -> Result<RerouteResult> {
        started(session, "reroute")?;
        self.set_host_mode(session, None, "hostMode")?;
        let (scope, settings, before) = {
            let session = session.lock();
            if !session.may_reroute() {
                return Ok(session.refuse_reroute(signal));
            }
            (session.scope(), session.settings.clone(), session.known().clone())
        };
        let tried: HashSet<String> = signal.attempted_servers.iter().map(|name| name_key(name)).collect();
        let is_tried = |at: usize| tried.contains(&index.tools[at].tool.document().server_key);
        let mut ranking = self.rank_missing(Ground::new(index, &index.in_scope(&scope)), &settings, &signal);
        let attached: HashSet<usize> = session.lock().attached().filter_map(|tool| index.position(&tool.id)).collect();
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
            let result = session.reroute(index, signal, &ranking, &known);
            session.refresh(index, &before, (ranking.ranker, ranking.degraded, ranking.query_cut));
            result
        };
        Ok(result)
    }

    /// The tools that the missing capability itself matches, in the order of the enriched query:
    /// the request around it must not bring back what was done already.
    fn rank_missing(&self, ground: Ground<'_>, settings: &Settings, signal: &Signal) -> Ranking {
        let ranked = |text: &str| self.rank_for(ground, settings, text, &Task::default(), ground.candidates.len());
        let of_missing = ranked(&signal.missing_capability);
        if !thresholds::search_finds(&of_missing) {
            return Ranking { tools: Vec::new(), ..of_missing };
        }
        let evidence = of_missing.evidence;
        let missing = of_missing.tools.into_iter().filter(|tool| tool.shares.supported);
        let missing: HashSet<usize> = missing.map(|tool| tool.position).collect();
        let mut ranking = ranked(&signal.enriched_query());
        ranking.tools.retain(|tool| missing.contains(&tool.position));
        Ranking { evidence, ..ranking }
    }
}

/// Tools whose signatures the model knew that a load attached, and those that it asked for in vain.
fn of_directory(index: &Index, listed: &HashSet<ToolId>, result: &LoadResult) -> (usize, usize) {
    let is_listed = |at: usize| listed.contains(&index.tools[at].tool.id);
    let was_listed = |name: &str| index.resolve(name).is_some_and(is_listed) || index.named(name).into_iter().any(is_listed);
    let loaded = result.loaded.iter().filter(|tool| listed.contains(&tool.id)).count();
    (loaded, result.unavailable.iter().filter(|tool| was_listed(&tool.name)).count())
}

/// Whether what was read as names are words: no tool has one of them, and they are not written as only names are. `iSCSI` and
/// `e-mail` are words.
fn are_words(result: &LoadResult, names: &[String]) -> bool {
    let found = result.loaded.len() + result.already_attached.len();
    let is_word = |name: &String| !name.contains(['_', '.', '*', '|']) && !name.contains("--");
    let is_unknown = |tool: &UnavailableTool| tool.reason == Unavailable::Unknown;
    found == 0 && result.unavailable.iter().all(is_unknown) && names.iter().all(is_word)
}

/// The needs of a query, one in each line. A text of many lines is one need.
fn needs_of(query: &str) -> Vec<&str> {
    let lines: Vec<&str> = query.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if (2..=MOST_NEEDS).contains(&lines.len()) { lines } else { vec![query] }
}
