//! `mcp_load`: the one tool by which the model asks for more.

use std::collections::HashSet;

use serde_json::json;

use super::Session;
use crate::catalogue::name;
use crate::catalogue::scope::Scope;
use crate::catalogue::tool::ToolId;
use crate::embedding::service::Degraded;
use crate::index::Index;
use crate::ranking::query::QueryCut;
use crate::ranking::terms::fold_name;
use crate::ranking::{Ranker, Ranking};
use crate::report::tokens;

/// Near names offered for one that does not exist.
const NEAR_NAMES: usize = 3;

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
    /// Set when the query was too long.
    pub query_cut: Option<QueryCut>,
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
        let folded = fold_name(query);
        let is_server = |server: &crate::index::IndexedServer| {
            server.name == query || (!folded.is_empty() && fold_name(&server.name) == folded)
        };
        if let Some(at) = index.servers.iter().position(|server| scope.allows(&server.name) && is_server(server)) {
            return Self::Server(at);
        }
        let separators: &[char] = &[',', ';', '\n', ' ', '\t'];
        let names: Vec<String> = query
            .split(separators)
            .map(|name| name.trim_matches(['"', '\'', '`']).to_owned())
            .filter(|name| !name.is_empty())
            .collect();
        let fits = |name: &String| is_name_shaped(name) || !find(index, name).is_empty();
        if !names.is_empty() && names.iter().all(fits) { Self::Names(names) } else { Self::Text }
    }
}

/// Written as no word of prose is: with a separator or a capital inside.
fn is_name_shaped(name: &str) -> bool {
    name.contains(['_', '/', ':']) || name.contains("--") || crate::ranking::terms::words(name).iter().any(|word| word.identifier)
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
        for name in names {
            let found = find(index, name);
            let usable: Vec<usize> = found
                .iter()
                .copied()
                .filter(|at| index.tools[*at].off.is_none() && scope.allows(&index.tools[*at].tool.id.server_name))
                .collect();
            if usable.is_empty() {
                let (reason, near) = self.why_not(index, &scope, name, &found);
                result.unavailable.push(UnavailableTool { name: name.clone(), reason, near });
            }
            result.matched += usable.len();
            for at in usable {
                self.load_one(index, at, name, &mut result);
            }
        }
        result
    }

    fn why_not(&self, index: &Index, scope: &Scope, wanted: &str, found: &[usize]) -> (Unavailable, Vec<String>) {
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

    /// Attaches the best of a ranking; with `all`, tools that nothing speaks for too.
    pub fn load_ranked(&mut self, index: &Index, ranking: &Ranking, all: bool) -> LoadResult {
        let mut result = LoadResult::empty();
        result.ranker = ranking.ranker;
        result.degraded = ranking.degraded;
        result.query_cut = ranking.query_cut;
        result.matched = if all { ranking.candidate_count } else { ranking.supported_count };
        for tool in ranking.tools.iter().take(self.settings.search_k).filter(|tool| all || tool.shares.supported) {
            let name = index.tools[tool.position].name.clone();
            self.load_one(index, tool.position, &name, &mut result);
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
            let name = self.attached().iter().find(|attached| attached.id == tool.id).map(|attached| attached.name.clone());
            let loaded_now = result.loaded.iter().any(|loaded| loaded.id == tool.id);
            if let (Some(name), false) = (name, loaded_now)
                && !result.already_attached.contains(&name)
            {
                result.already_attached.push(name);
            }
        } else if self.has_room() {
            self.attach(index, at);
            let name = self.attached().last().map_or_else(String::new, |attached| attached.name.clone());
            result.loaded.push(LoadedTool { name, id: tool.id.clone(), description: tool.summary() });
        } else {
            result.unavailable.push(UnavailableTool { name: asked.to_owned(), reason: Unavailable::OverLimit, near: Vec::new() });
        }
    }
}

impl LoadResult {
    fn empty() -> Self {
        Self {
            loaded: Vec::new(),
            already_attached: Vec::new(),
            unavailable: Vec::new(),
            matched: 0,
            truncated: false,
            ranker: Ranker::Lexical,
            degraded: None,
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
    name.chars().filter(|c| !c.is_control()).take(64).collect()
}
