//! `mcp_load`: the one tool by which the model asks for more.

use super::load_result::{DOUBT, LoadResult, LoadedTool, Unavailable, UnavailableTool, UnloadResult};
use super::modules::{ModuleView, module_named, servers_named};
use super::origin::Cause;
use super::spelled::{expanded, find, find_in, is_pattern};
use super::task::Session;
use crate::catalogue::mcp::MAX_NAME_BYTES;
use crate::catalogue::name;
use crate::catalogue::scope::Scope;
use crate::document::id::ToolId;
use crate::evidence::thresholds;
use crate::index::Index;
use crate::ranking::Ranking;
use crate::text::terms::name_key;

/// How many names of one call are read: more than any model API takes tools.
const MAX_NAMES: usize = 1_000;

/// How many of them are answered with a reason: each is a line that the model pays for.
const MAX_UNAVAILABLE: usize = 100;

/// Of a server's or module's core, half may be what the ranking of the task has evidence for.
const SHARE_OF_EVIDENCE: usize = 2;
/// How many tools of a server or module are named that were not attached: those of an undivided server.
const MOST_OTHERS: usize = 30;

/// What the model asks with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Exact names.
    Names(Vec<String>),
    /// A server, by its place in the index.
    Server(usize),
    /// A part of a server.
    Module(ModuleView),
    /// Which modules there are, perhaps of one server.
    Modules(Option<String>),
    /// Tools, modules or servers to take away.
    Unload(Vec<String>),
    /// Anything else.
    Text,
}

impl Request {
    /// Tells the three kinds apart. A server's name wins over a tool's: it may stand for more.
    pub fn read(index: &Index, scope: &Scope, query: &str) -> Self {
        let query = query.trim().trim_start_matches("select:").trim();
        let folded = name_key(query);
        let is_named = |server: &crate::index::IndexedServer| {
            server.name == query || (!folded.is_empty() && name_key(&server.name) == folded)
        };
        // A server without a usable tool is answered like one that is not there.
        let is_here = |server: &crate::index::IndexedServer| server.tools.clone().any(|at| index.is_usable(at, scope));
        if let Some(at) = index.servers.iter().position(|server| is_named(server) && is_here(server)) {
            return Self::Server(at);
        }
        if let Some(module) = module_named(index, scope, query) {
            return Self::Module(module);
        }
        if let Some(rest) = command(query, MODULES) {
            return Self::Modules(Some(rest.to_owned()).filter(|rest| !rest.is_empty()));
        }
        if let Some(rest) = command(query, UNLOAD).filter(|rest| !rest.is_empty()) {
            // A name of a server or module may hold blanks.
            let parts = rest.split([',', ';', '\n']).map(|name| name.trim_matches(['"', '\'', '`', ' ', '\t']).to_owned());
            return Self::Unload(parts.filter(|name| !name.is_empty()).take(MAX_NAMES).collect());
        }
        let separators: &[char] = &[',', ';', '\n', ' ', '\t'];
        let names: Vec<String> = query
            .split(separators)
            .map(|name| name.trim_matches(['"', '\'', '`']).to_owned())
            .filter(|name| !name.is_empty())
            .take(MAX_NAMES)
            .collect();
        let fits = |name: &String| is_name_shaped(name) || is_pattern(name) || !find_in(index, scope, name).is_empty();
        if !names.is_empty() && names.iter().all(fits) { Self::Names(expanded(index, scope, names)) } else { Self::Text }
    }
}

/// What a query begins with that lists modules, and one that takes tools away.
const MODULES: &str = "modules";
const UNLOAD: &str = "unload";

/// What stands behind `word:`; nothing behind the word alone.
fn command<'q>(query: &'q str, word: &str) -> Option<&'q str> {
    let rest = query.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word)).map(|_| &query[word.len()..])?;
    match rest.strip_prefix(':') {
        Some(rest) => Some(rest.trim()),
        None => rest.is_empty().then_some(""),
    }
}

/// Written as no word of prose is: with a separator or a capital inside.
fn is_name_shaped(name: &str) -> bool {
    name.contains(['_', '/', ':']) || name.contains("--") || crate::text::terms::words(name).iter().any(|word| word.identifier)
}

impl Session {
    /// Attaches tools by name.
    pub fn load_names(&mut self, index: &Index, names: &[String]) -> LoadResult {
        crate::fault::point("mcp-load");
        let mut result = LoadResult::empty();
        let scope = self.scope();
        let mut lookups = name::MAX_NEAR_LOOKUPS;
        for name in names {
            let found = find(index, &scope, name);
            let usable: Vec<usize> = found.iter().copied().filter(|at| index.is_usable(*at, &scope)).collect();
            if usable.is_empty() {
                if result.unavailable.len() >= MAX_UNAVAILABLE {
                    result.truncated = true;
                    continue;
                }
                let (reason, near) = self.why_not(index, &scope, name, &found, &mut lookups);
                result.unavailable.push(UnavailableTool { name: name.clone(), reason, near });
            }
            result.matched += usable.len();
            for at in usable {
                self.load_one(index, at, name, &mut result);
            }
        }
        result
    }

    /// `lookups` is how many names may still be compared with the catalogue.
    pub(super) fn why_not(
        &self,
        index: &Index,
        scope: &Scope,
        wanted: &str,
        found: &[usize],
        lookups: &mut usize,
    ) -> (Unavailable, Vec<String>) {
        if found.iter().any(|at| !scope.allows_tool(&index.tools[*at].tool.id)) {
            return (Unavailable::OutOfScope, Vec::new());
        }
        if !found.is_empty() {
            return (Unavailable::Disabled, Vec::new());
        }
        if let Some(id) = self.resolve(index, wanted)
            && index.position(&id).is_none()
        {
            return match self.near_in_server(index, &id) {
                Some(near) => (Unavailable::ToolGone, near),
                None => (Unavailable::ServerGone, Vec::new()),
            };
        }
        if *lookups == 0 {
            return (Unavailable::Unknown, Vec::new());
        }
        *lookups -= 1;
        // Near names come from the scope alone.
        (Unavailable::Unknown, index.near_names(&index.candidates(scope), wanted))
    }

    /// Of a tool that is gone: names of its server that are near, the best first; `None` where the server is gone too.
    pub(super) fn near_in_server(&self, index: &Index, id: &ToolId) -> Option<Vec<String>> {
        let server = index.servers.iter().position(|server| server.name == id.server_name)?;
        let own = &index.servers[server].tools;
        let candidates: Vec<usize> = index.candidates(&self.scope()).into_iter().filter(|at| own.contains(at)).collect();
        Some(index.near_names(&candidates, &id.tool_name))
    }

    /// Takes tools away by name: by the names of this task, of the catalogue, or of tools alone; of a module or a server
    /// all tools that are attached.
    pub fn unload(&mut self, index: &Index, names: &[String]) -> UnloadResult {
        let mut result = UnloadResult::default();
        let scope = self.scope();
        for asked in names {
            // Longer than any name of a server and a tool together: folding a text of letters that grow takes long.
            if asked.len() > 2 * MAX_NAME_BYTES {
                result.not_attached.push(asked.clone());
                continue;
            }
            let by_name = || {
                let own = self.resolve(index, asked).into_iter();
                own.chain(index.named(asked).into_iter().map(|at| index.tools[at].tool.id.clone())).collect()
            };
            let ids: Vec<ToolId> = module_named(index, &scope, asked).map_or_else(by_name, |module| module.tools);
            let servers = if ids.is_empty() { servers_named(index, &scope, Some(asked)) } else { Vec::new() };
            let of_server = servers.first().map(|at| &index.servers[*at].name);
            let is_meant = |id: &ToolId| {
                ids.contains(id) || id.tool_name == *asked || of_server.is_some_and(|server| id.server_name == *server)
            };
            let attached: Vec<(ToolId, String)> =
                self.attached().filter(|tool| is_meant(&tool.id)).map(|tool| (tool.id.clone(), tool.name.clone())).collect();
            if attached.is_empty() {
                result.not_attached.push(asked.clone());
            }
            for (id, name) in attached {
                self.detach(&id);
                self.roster.unloaded.insert(id);
                result.unloaded.push(name);
            }
        }
        result
    }

    /// Attaches the core of a server or of a module of it, whose usable tools are `members`: what the ranking of what the
    /// task said has evidence for, then what others need, then what finds. The answer names the others.
    pub fn load_core(
        &mut self,
        index: &Index,
        server: usize,
        members: &[usize],
        (ranking, most): (&Ranking, usize),
    ) -> LoadResult {
        crate::fault::point("mcp-load");
        let mut result = LoadResult::of_ranking(ranking);
        let (at, server) = (server, &index.servers[server]);
        let mut order: Vec<usize> = Vec::new();
        if thresholds::search_finds(ranking) {
            let leading = ranking.tools.iter().filter(|tool| tool.shares.supported && members.contains(&tool.position));
            order.extend(leading.take(most / SHARE_OF_EVIDENCE).map(|tool| tool.position));
        }
        let places: Vec<usize> = members.iter().map(|at| at - server.tools.start).collect();
        for place in index.with_profile(&self.scope(), at, |profile| profile.core_order(&places)) {
            let at = server.tools.start + place;
            if !order.contains(&at) {
                order.push(at);
            }
        }
        result.matched = order.len();
        for at in order.iter().take(most) {
            let name = index.tools[*at].name.clone();
            self.load_one(index, *at, &name, &mut result);
        }
        result.truncated = order.len() > most;
        let rest = order.iter().skip(most).filter(|at| !self.is_attached(&index.tools[**at].tool.id));
        result.others = rest.take(MOST_OTHERS).map(|at| index.tools[*at].name.clone()).collect();
        result
    }

    /// Attaches the best few of a ranking, `most` at most, which may not be what is asked for.
    pub fn load_in_doubt(&mut self, index: &Index, ranking: &Ranking, most: usize) -> LoadResult {
        let mut result = LoadResult { doubt: Some(DOUBT.to_owned()), ..LoadResult::of_ranking(ranking) };
        let found = ranking.tools.iter().filter(|tool| tool.shares.supported);
        for tool in found.take(thresholds::IN_DOUBT.min(most)) {
            let name = index.tools[tool.position].name.clone();
            self.load_one(index, tool.position, &name, &mut result);
        }
        result.matched = result.loaded.len() + result.already_attached.len();
        self.sign(index, &mut result);
        result
    }

    /// Attaches the best of a ranking, `most` at most, and names what comes next.
    pub fn load_ranked(&mut self, index: &Index, ranking: &Ranking, most: usize) -> LoadResult {
        crate::fault::point("mcp-load");
        let mut result = LoadResult::of_ranking(ranking);
        result.matched = ranking.supported_count;
        let found = ranking.tools.iter().filter(|tool| tool.shares.supported);
        let next: Vec<usize> = found.clone().skip(most).map(|tool| tool.position).collect();
        let found = found.take(most);
        let order: Vec<usize> = found.map(|tool| tool.position).collect();
        for position in self.in_company(index, &order, thresholds::sure_count(ranking), most) {
            let name = index.tools[position].name.clone();
            self.load_one(index, position, &name, &mut result);
        }
        result.truncated = result.matched > result.loaded.len() + result.already_attached.len();
        self.sign(index, &mut result);
        // Where nothing more fits, more names help nobody.
        if result.may_unload.is_empty() || !result.loaded.is_empty() {
            result.next = self.tell_next(index, &next);
        }
        result
    }

    /// Attaches tools by position, in this order.
    pub(super) fn load_positions(&mut self, index: &Index, positions: impl Iterator<Item = usize>) -> LoadResult {
        let mut result = LoadResult::empty();
        for at in positions {
            self.load_one(index, at, &index.tools[at].name, &mut result);
        }
        result
    }

    pub(super) fn load_one(&mut self, index: &Index, at: usize, asked: &str, result: &mut LoadResult) {
        let tool = &index.tools[at].tool;
        if self.is_attached(&tool.id) {
            let name = self.attached().find(|attached| attached.id == tool.id).map(|attached| attached.name.clone());
            let loaded_now = result.loaded.iter().any(|loaded| loaded.id == tool.id);
            if let (Some(name), false) = (name, loaded_now)
                && !result.already_attached.contains(&name)
            {
                result.already_attached.push(name);
            }
            return;
        }
        self.make_room(index, at);
        if !self.has_room(index) || !self.has_means(index, at) {
            let reason = if self.has_room(index) { Unavailable::OverBudget } else { Unavailable::OverLimit };
            result.unavailable.push(UnavailableTool { name: asked.to_owned(), reason, near: Vec::new() });
            result.may_unload = self.may_unload();
        } else {
            let cause = self.brought_or(&tool.id, Cause::Loaded);
            self.attach(index, at, cause);
            let name = self.attached().next_back().map_or_else(String::new, |attached| attached.name.clone());
            result.loaded.push(LoadedTool { name, id: tool.id.clone(), description: tool.summary(), signature: None });
        }
    }
}
