//! Modules of the servers in scope: what a model can list, load and unload beside single tools.

use super::spelled::find_in;
use super::task::Session;
use crate::catalogue::scope::Scope;
use crate::delivery::printable;
use crate::document::id::ToolId;
use crate::index::Index;
use crate::modules::MOST;
use crate::text::terms::{name_key, stem, words};

/// Tools of which a module's line says what they do; the others are counted.
const SAID_TOOLS: usize = 2;
/// The most letters of each: descriptions are foreign text.
const MAX_SAID_CHARS: usize = 60;
const MAX_NAME_CHARS: usize = 40;

/// A part of a server, as far as it is in scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleView {
    /// What it is loaded by: `server/module`.
    pub name: String,
    /// Its server.
    pub server_name: String,
    /// What is in it, in one line.
    pub description: String,
    /// Its tools that are on and in scope, the core first.
    pub tools: Vec<ToolId>,
    /// Their places in the index.
    pub positions: Vec<usize>,
    /// How many of them a task has attached.
    pub attached_count: usize,
}

/// The modules of a server that have a tool in scope, by name; none for a server of few tools.
pub fn modules_of(index: &Index, scope: &Scope, server: usize) -> Vec<ModuleView> {
    let at = server;
    let server = &index.servers[at];
    if !scope.allows(&server.name) {
        return Vec::new();
    }
    let view = |module: &crate::modules::Module| {
        let own = module.tools.iter().map(|at| server.tools.start + at);
        let positions: Vec<usize> = own.filter(|at| index.is_usable(*at, scope)).collect();
        let tools: Vec<ToolId> = positions.iter().map(|at| index.tools[*at].tool.id.clone()).collect();
        (!tools.is_empty()).then(|| ModuleView {
            name: format!("{}/{}", server.name, module.name),
            server_name: server.name.clone(),
            description: described(index, &positions, module.reads_only),
            tools,
            positions,
            attached_count: 0,
        })
    };
    index.with_profile(scope, at, |profile| profile.modules().iter().filter_map(view).collect())
}

/// The module that a text names: as written, or by letters alone where its server's name and its own are kept apart.
pub fn module_named(index: &Index, scope: &Scope, text: &str) -> Option<ModuleView> {
    let keys = |text: &str| text.rsplit_once('/').map(|(server, module)| (name_key(server), name_key(module)));
    let asked = keys(text).filter(|(server, module)| !server.is_empty() && !module.is_empty())?;
    let servers = (0..index.servers.len()).filter(|at| name_key(&index.servers[*at].name) == asked.0);
    let all: Vec<ModuleView> = servers.flat_map(|at| modules_of(index, scope, at)).collect();
    let exact = all.iter().find(|module| module.name == text);
    let known = exact.or_else(|| all.iter().find(|module| keys(&module.name).as_ref() == Some(&asked))).cloned();
    known.or_else(|| about(index, scope, text))
}

/// The tools of a server that have a word in their names, as a person calls a part that the division does not have:
/// `browser/network`. None where a tool is called so, or where no name has it.
fn about(index: &Index, scope: &Scope, text: &str) -> Option<ModuleView> {
    let (asked, thing) = text.rsplit_once('/')?;
    let stems = |text: &str| words(text).into_iter().flat_map(|word| word.pieces).map(|piece| stem(&piece)).collect::<Vec<_>>();
    let wanted = stems(&thing[..thing.floor_char_boundary(MAX_NAME_CHARS)]);
    if wanted.is_empty() || !find_in(index, scope, text).is_empty() {
        return None;
    }
    let at = *servers_named(index, scope, Some(asked)).first()?;
    let server = &index.servers[at];
    let speaks = |at: &usize| {
        let tool = &index.tools[*at];
        let own = stems(&tool.tool.id.tool_name);
        index.is_usable(*at, scope) && wanted.iter().all(|word| own.contains(word))
    };
    let positions: Vec<usize> = server.tools.clone().filter(speaks).take(MOST).collect();
    let tools: Vec<ToolId> = positions.iter().map(|at| index.tools[*at].tool.id.clone()).collect();
    let reads_only = positions.iter().all(|at| index.tools[*at].tool.effects.read_only);
    let description = described(index, &positions, reads_only);
    let name = format!("{}/{}", server.name, wanted_name(thing));
    let server_name = server.name.clone();
    (!tools.is_empty()).then_some(ModuleView { name, server_name, description, tools, positions, attached_count: 0 })
}

fn wanted_name(thing: &str) -> String {
    printable(thing).split_whitespace().collect::<Vec<_>>().join("-").chars().take(MAX_NAME_CHARS).collect()
}

/// The servers in scope, or the one that is named, by their places.
pub fn servers_named(index: &Index, scope: &Scope, name: Option<&str>) -> Vec<usize> {
    let is_asked =
        |own: &str| name.is_none_or(|name| own == name || !name_key(name).is_empty() && name_key(own) == name_key(name));
    let servers = index.servers.iter().enumerate();
    servers.filter(|(_, server)| scope.allows(&server.name) && is_asked(&server.name)).map(|(at, _)| at).collect()
}

/// What the first tools of a part do, in their own words, and how many more there are.
fn described(index: &Index, positions: &[usize], reads_only: bool) -> String {
    let said = |at: &usize| {
        let tool = &index.tools[*at].tool;
        let text = if tool.is_stuffed { String::new() } else { printable(&tool.summary()) };
        let text = if text.is_empty() { printable(&tool.id.tool_name) } else { text };
        let text = text.trim_end_matches(['.', '…', ' ']);
        let end = text.char_indices().nth(MAX_SAID_CHARS).map(|(at, _)| at);
        end.map_or_else(|| text.to_owned(), |end| format!("{}…", text[..end].trim_end()))
    };
    let shown: Vec<String> = positions.iter().take(SAID_TOOLS).map(said).collect();
    let more = positions.len().saturating_sub(shown.len());
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    let reads = if reads_only { "; they only read" } else { "" };
    format!("{}{more}{reads}", shown.join("; "))
}

impl Session {
    /// The modules of the servers in scope, or of one of them, with what this task has of each.
    pub fn modules(&self, index: &Index, server_name: Option<&str>) -> Vec<ModuleView> {
        let scope = self.scope();
        let servers = servers_named(index, &scope, server_name);
        let all = servers.into_iter().flat_map(|at| modules_of(index, &scope, at));
        let with_count = |module: ModuleView| ModuleView {
            attached_count: module.tools.iter().filter(|tool| self.is_attached(tool)).count(),
            ..module
        };
        all.map(with_count).collect()
    }
}
