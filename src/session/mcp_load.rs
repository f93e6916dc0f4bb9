//! `mcp_load`: the one tool by which the model asks for more.

use std::collections::HashSet;

use serde_json::json;

use super::companions::{LEADERS_OF_STEP, SHARE_OF_COMPANY, behind_leaders};
use super::task::Session;
use crate::catalogue::name;
use crate::catalogue::scope::Scope;
use crate::degraded::Degraded;
use crate::document::id::ToolId;
use crate::index::Index;
use crate::query::QueryCut;
use crate::ranking::Ranking;
use crate::settings::Ranker;
use crate::text::hidden;
use crate::text::terms::name_key;
use crate::text::tokens;

/// Near names offered for one that does not exist.
const NEAR_NAMES: usize = 3;

/// How many names of one call are read: more than any model API takes tools.
const MAX_NAMES: usize = 1_000;

/// How many of them are answered with a reason: each is a line that the model pays for.
const MAX_UNAVAILABLE: usize = 100;

/// Why a tool that was asked for cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unavailable {
    /// No tool has this name.
    Unknown,
    /// The configuration keeps it off.
    Disabled,
    /// The task's mode leaves its server out.
    OutOfScope,
    /// It was attached before and its server is gone.
    ServerGone,
    /// The model's API takes no more tools.
    OverLimit,
    /// The definitions of the task cost as much as they may; something must be unloaded first.
    OverBudget,
}

impl Unavailable {
    /// The stable name that callers and models see.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Disabled => "disabled",
            Self::OutOfScope => "out-of-scope",
            Self::ServerGone => "server-gone",
            Self::OverLimit => "over-limit",
            Self::OverBudget => "over-budget",
        }
    }
}

/// A tool that was attached by this call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedTool {
    /// The name to call it by.
    pub name: String,
    /// The tool.
    pub id: ToolId,
    /// What it does, in one line.
    pub description: String,
}

/// A tool that cannot be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnavailableTool {
    /// The name as asked for.
    pub name: String,
    /// Why.
    pub reason: Unavailable,
    /// Provider names that are near, for an unknown one.
    pub near: Vec<String>,
}

/// The answer to `mcp_load`.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadResult {
    /// Newly attached tools.
    pub loaded: Vec<LoadedTool>,
    /// Provider names of tools found that were attached before.
    pub already_attached: Vec<String>,
    /// Tools asked for by name that cannot be had.
    pub unavailable: Vec<UnavailableTool>,
    /// How many tools matched.
    pub matched: usize,
    /// Whether more matched than were attached.
    pub truncated: bool,
    /// The ranker, when the query was searched for.
    pub ranker: Ranker,
    /// Why the ranker is not the one asked for.
    pub degraded: Option<Degraded>,
    /// How likely any tool in scope serves the query, from 0 to 1; `None` when nothing was searched for.
    pub evidence: Option<f64>,
    /// Set when a search found nothing that fits; nothing is attached then.
    pub nothing_fits: Option<NothingFits>,
    /// Set when the query was too long.
    pub query_cut: Option<QueryCut>,
}

/// A server that comes near to what nothing fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearServer {
    /// Its name.
    pub name: String,
    /// Whether it is set; otherwise the registry alone knows it.
    pub connected: bool,
}

/// The answer to a search that nothing serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NothingFits {
    /// The nearest servers, those that are not connected first.
    pub servers: Vec<NearServer>,
}

impl NothingFits {
    /// What the model should do now.
    #[must_use]
    pub fn message(&self) -> String {
        let names = |connected: bool| {
            let names = self.servers.iter().filter(|server| server.connected == connected);
            names.map(|server| printable(&server.name)).collect::<Vec<_>>().join(", ")
        };
        let (absent, near) = (names(false), names(true));
        let mut text = "No connected tool does this. Do not try again in other words; use the tools you have, or tell the user what is missing.".to_owned();
        if !absent.is_empty() {
            text.push_str(&format!(" Known but not connected: {absent}; the user could connect it."));
        }
        if !near.is_empty() {
            text.push_str(&format!(" Nearest servers: {near}; load one by its name to see its tools."));
        }
        text
    }
}

/// The answer to an unload.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnloadResult {
    /// Names that are taken away.
    pub unloaded: Vec<String>,
    /// Names as asked for that were not attached.
    pub not_attached: Vec<String>,
}

/// What the model asks with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Exact names.
    Names(Vec<String>),
    /// A server, by its place in the index.
    Server(usize),
    /// Anything else.
    Text,
}

impl Request {
    /// Tells the three kinds apart. A server's name wins over a tool's: it may stand for more.
    #[must_use]
    pub fn read(index: &Index, scope: &Scope, query: &str) -> Self {
        let query = query.trim().trim_start_matches("select:").trim();
        let folded = name_key(query);
        let is_server = |server: &crate::index::IndexedServer| {
            server.name == query || (!folded.is_empty() && name_key(&server.name) == folded)
        };
        if let Some(at) = index.servers.iter().position(|server| scope.allows(&server.name) && is_server(server)) {
            return Self::Server(at);
        }
        let separators: &[char] = &[',', ';', '\n', ' ', '\t'];
        let names: Vec<String> = query
            .split(separators)
            .map(|name| name.trim_matches(['"', '\'', '`']).to_owned())
            .filter(|name| !name.is_empty())
            .take(MAX_NAMES)
            .collect();
        let fits = |name: &String| is_name_shaped(name) || !find(index, name).is_empty();
        if !names.is_empty() && names.iter().all(fits) { Self::Names(names) } else { Self::Text }
    }
}

/// Written as no word of prose is: with a separator or a capital inside.
fn is_name_shaped(name: &str) -> bool {
    name.contains(['_', '/', ':']) || name.contains("--") || crate::text::terms::words(name).iter().any(|word| word.identifier)
}

/// Positions of all tools that a name stands for, in or out of scope.
fn find(index: &Index, wanted: &str) -> Vec<usize> {
    if let Some(at) = index.resolve(wanted) {
        return vec![at];
    }
    index.named(wanted)
}

impl Session {
    /// Attaches tools by name.
    pub fn load_names(&mut self, index: &Index, names: &[String]) -> LoadResult {
        let mut result = LoadResult::empty();
        let scope = self.scope();
        let mut lookups = name::MAX_NEAR_LOOKUPS;
        for name in names {
            let found = find(index, name);
            let usable: Vec<usize> = found
                .iter()
                .copied()
                .filter(|at| index.tools[*at].off.is_none() && scope.allows(&index.tools[*at].tool.id.server_name))
                .collect();
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
    fn why_not(
        &self,
        index: &Index,
        scope: &Scope,
        wanted: &str,
        found: &[usize],
        lookups: &mut usize,
    ) -> (Unavailable, Vec<String>) {
        if found.iter().any(|at| !scope.allows(&index.tools[*at].tool.id.server_name)) {
            return (Unavailable::OutOfScope, Vec::new());
        }
        if !found.is_empty() {
            return (Unavailable::Disabled, Vec::new());
        }
        if let Some(id) = self.resolve(index, wanted)
            && index.position(&id).is_none()
        {
            return (Unavailable::ServerGone, Vec::new());
        }
        if *lookups == 0 {
            return (Unavailable::Unknown, Vec::new());
        }
        *lookups -= 1;
        // Near names come from the scope alone, by provider name or by bare name.
        let candidates = index.candidates(scope);
        let bare = |at: &usize| index.tools[*at].tool.id.tool_name.as_str();
        let near_bare = name::near(wanted, candidates.iter().map(bare), NEAR_NAMES);
        let by_bare = near_bare
            .iter()
            .filter_map(|near| candidates.iter().find(|at| bare(at) == near))
            .map(|at| index.tools[*at].name.clone());
        let by_name = name::near(wanted, candidates.iter().map(|at| index.tools[*at].name.as_str()), NEAR_NAMES);
        let mut seen = HashSet::new();
        (Unavailable::Unknown, by_bare.chain(by_name).filter(|name| seen.insert(name.clone())).take(NEAR_NAMES).collect())
    }

    /// Takes tools away by name: by the names of this task, of the catalogue, or of tools alone.
    pub fn unload(&mut self, index: &Index, names: &[String]) -> UnloadResult {
        let mut result = UnloadResult::default();
        for asked in names {
            let own = self.resolve(index, asked).into_iter();
            let ids: Vec<ToolId> = own.chain(index.named(asked).into_iter().map(|at| index.tools[at].tool.id.clone())).collect();
            let attached: Vec<(ToolId, String)> = self
                .attached()
                .filter(|tool| ids.contains(&tool.id) || tool.id.tool_name == *asked)
                .map(|tool| (tool.id.clone(), tool.name.clone()))
                .collect();
            if attached.is_empty() {
                result.not_attached.push(asked.clone());
            }
            for (id, name) in attached {
                self.detach(&id);
                self.unloaded.insert(id);
                result.unloaded.push(name);
            }
        }
        result
    }

    /// Attaches the best of a ranking; with `all`, tools that nothing speaks for too.
    pub fn load_ranked(&mut self, index: &Index, ranking: &Ranking, all: bool) -> LoadResult {
        let mut result = LoadResult::of_ranking(ranking);
        result.matched = if all { ranking.candidate_count } else { ranking.supported_count };
        let most = self.settings.search_k;
        let found = ranking.tools.iter().filter(|tool| all || tool.shares.supported).take(most);
        let order: Vec<usize> = found.map(|tool| tool.position).collect();
        let mut company = self.company_of(index, &order, LEADERS_OF_STEP);
        company.truncate(most / SHARE_OF_COMPANY);
        self.note_brought(index, &company);
        let company = company.iter().map(|brought| brought.position).collect::<Vec<_>>();
        for position in behind_leaders(&order, LEADERS_OF_STEP, &company).into_iter().take(most) {
            let name = index.tools[position].name.clone();
            self.load_one(index, position, &name, &mut result);
        }
        result.truncated = result.matched > result.loaded.len() + result.already_attached.len();
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

    fn load_one(&mut self, index: &Index, at: usize, asked: &str, result: &mut LoadResult) {
        let tool = &index.tools[at].tool;
        if self.is_attached(&tool.id) {
            let name = self.attached().find(|attached| attached.id == tool.id).map(|attached| attached.name.clone());
            let loaded_now = result.loaded.iter().any(|loaded| loaded.id == tool.id);
            if let (Some(name), false) = (name, loaded_now)
                && !result.already_attached.contains(&name)
            {
                result.already_attached.push(name);
            }
        } else if !self.has_room(index) || !self.can_afford(index, at) {
            let reason = if self.has_room(index) { Unavailable::OverBudget } else { Unavailable::OverLimit };
            result.unavailable.push(UnavailableTool { name: asked.to_owned(), reason, near: Vec::new() });
        } else {
            self.attach(index, at);
            let name = self.attached().next_back().map_or_else(String::new, |attached| attached.name.clone());
            result.loaded.push(LoadedTool { name, id: tool.id.clone(), description: tool.summary() });
        }
    }
}

impl LoadResult {
    /// An answer that attaches nothing yet.
    #[must_use]
    pub fn of_ranking(ranking: &Ranking) -> Self {
        let Ranking { ranker, degraded, query_cut, evidence, .. } = *ranking;
        Self { ranker, degraded, query_cut, evidence: Some(evidence), ..Self::empty() }
    }

    fn empty() -> Self {
        Self {
            loaded: Vec::new(),
            already_attached: Vec::new(),
            unavailable: Vec::new(),
            matched: 0,
            truncated: false,
            ranker: Ranker::Lexical,
            degraded: None,
            evidence: None,
            nothing_fits: None,
            query_cut: None,
        }
    }
}

/// The definition of `mcp_load`: says what is behind it, within a number of tokens for the list.
#[must_use]
pub fn definition(index: &Index, scope: &Scope, server_list_tokens: usize) -> String {
    let usable = |server: &&crate::index::IndexedServer| {
        scope.allows(&server.name) && server.tools.clone().any(|at| index.tools[at].off.is_none())
    };
    let names: Vec<String> = index.servers.iter().filter(usable).map(|server| printable(&server.name)).collect();
    let mut listed = String::new();
    for (at, name) in names.iter().enumerate() {
        let separator = if at == 0 { "" } else { ", " };
        let rest = names.len() - at;
        let longer = format!("{listed}{separator}{name}");
        if tokens::count(&longer) + 6 > server_list_tokens && rest > 0 {
            listed = if at == 0 { format!("{rest} servers") } else { format!("{listed} and {rest} more") };
            break;
        }
        listed = longer;
    }
    json!({
        "type": "function",
        "function": {
            "name": "mcp_load",
            "description": format!(
                "Attach more MCP tools to this task. Only some of the tools of the connected MCP servers are attached now; \
                 use this before you conclude that a capability is missing. Connected servers: {listed}. \
                 The answer names the tools that you can call from the next step on."
            ),
            "parameters": {
                "type": "object",
                "properties": {
                    "query": {
                        "type": "string",
                        "description": "What you want to do, in a few words; or exact tool names, separated by commas; or the name of a server."
                    }
                },
                "required": ["query"],
                "additionalProperties": false
            }
        }
    })
    .to_string()
}

/// A server's name is foreign text in a prompt: one line, of bounded length.
fn printable(name: &str) -> String {
    hidden::strip(name).chars().filter(|c| !c.is_control()).take(64).collect()
}
