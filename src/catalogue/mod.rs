//! What exists: servers, their tools, and what changed when a server is set again.

pub mod entry;
pub mod name;
pub mod registry;
pub mod schema;
pub mod scope;
pub mod tool;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::error::{Error, Result};
use entry::{ServerEntry, ServerProfile};
use scope::off;
use tool::{AlwaysLoad, McpServer, RefusedTool, Source, Tool, ToolEntry, ToolId, check_name};

/// The most tools one server may have: ten times the largest real one.
pub const MAX_SERVER_TOOLS: usize = 5_000;
/// The most registry entries: a hundred times the servers of the largest catalogue measured.
pub const MAX_ENTRIES: usize = 10_000;

/// What setting or removing servers changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogueChange {
    /// Tools that are new.
    pub added: Vec<ToolId>,
    /// Tools whose text or schema differs from before.
    pub changed: Vec<ToolId>,
    /// Tools that are gone.
    pub removed: Vec<ToolId>,
    /// How many tools stayed as they were and kept their terms, vectors and token counts.
    pub unchanged: usize,
    /// Tools that could not be taken in.
    pub refused: Vec<RefusedTool>,
}

impl CatalogueChange {
    fn extend(&mut self, other: Self) {
        self.added.extend(other.added);
        self.changed.extend(other.changed);
        self.removed.extend(other.removed);
        self.unchanged += other.unchanged;
        self.refused.extend(other.refused);
    }
}

/// Where servers stood in a call, for messages.
#[derive(Debug, Clone, Copy)]
pub enum ServerPath<'p> {
    /// The one server of a call.
    One(&'p str),
    /// A server of a list.
    List(&'p str),
}

impl ServerPath<'_> {
    fn of(self, position: usize) -> String {
        match self {
            Self::One(path) => path.to_owned(),
            Self::List(path) => format!("{path}[{position}]"),
        }
    }
}

/// A server of the catalogue.
#[derive(Debug, Clone)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// What it says about itself.
    pub instructions: Option<Arc<str>>,
    /// Its tools, in its own order.
    pub entries: Vec<ToolEntry>,
    /// What ranking of servers reads of it.
    pub profile: Arc<ServerProfile>,
}

/// All servers. A project's server hides a global one of the same name.
///
/// The order is project before global, then by name: it does not depend on which server happened
/// to connect first, so neither rankings nor names do.
#[derive(Debug, Default)]
pub struct Catalogue {
    servers: BTreeMap<(Source, String), Server>,
    /// By server name. An entry stays when its server goes, and may be there before it.
    registry: BTreeMap<String, ServerEntry>,
}

impl Catalogue {
    /// Sets servers, each in place of the one of its name and source. All or nothing.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for an empty or too long name, the same server twice, or too many
    /// tools; nothing is changed then. Single unusable tools are refused in the result instead.
    pub fn set(&mut self, servers: Vec<McpServer>, path: ServerPath<'_>) -> Result<CatalogueChange> {
        let mut seen = HashMap::new();
        for (position, server) in servers.iter().enumerate() {
            let at = |field: &str| format!("{}.{field}", path.of(position));
            check_name(&server.name).map_err(|why| {
                let (expected, got) = why.split_once(", got ").unwrap_or((&why, ""));
                Error::invalid(at("name"), expected.trim_start_matches("expected "), got)
            })?;
            if let Some(first) = seen.insert((server.source, server.name.as_str()), position) {
                return Err(Error::invalid(
                    at("name"),
                    format!("a server other than {}", path.of(first)),
                    format!("{:?} again", server.name),
                ));
            }
            if server.tools.len() > MAX_SERVER_TOOLS {
                return Err(Error::invalid(at("tools"), format!("at most {MAX_SERVER_TOOLS} tools"), server.tools.len()));
            }
        }
        let entries = servers.iter().filter(|server| server.registry.is_some()).map(|server| server.name.as_str());
        self.check_room(entries, &path.of(0))?;
        let mut change = CatalogueChange::default();
        for (position, server) in servers.into_iter().enumerate() {
            change.extend(self.set_one(server, &path.of(position)));
        }
        Ok(change)
    }

    fn check_room<'a>(&self, names: impl Iterator<Item = &'a str>, path: &str) -> Result<()> {
        let new: HashSet<&str> = names.filter(|name| !self.registry.contains_key(*name)).collect();
        let count = self.registry.len() + new.len();
        if count > MAX_ENTRIES {
            return Err(Error::invalid(path, format!("at most {MAX_ENTRIES} registry entries"), count));
        }
        Ok(())
    }

    /// Sets registry entries by server name, or removes one with `None`. An entry holds for the
    /// server of its name, there already or set later. All or nothing.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for an unusable name or too many entries; nothing is changed then.
    pub fn set_entries(&mut self, entries: Vec<(String, Option<ServerEntry>)>, path: &str) -> Result<()> {
        for (name, _) in &entries {
            check_name(name).map_err(|why| {
                let (expected, got) = why.split_once(", got ").unwrap_or((&why, ""));
                Error::invalid(path, expected.trim_start_matches("expected "), got)
            })?;
        }
        let set = entries.iter().filter(|(_, entry)| entry.is_some()).map(|(name, _)| name.as_str());
        self.check_room(set, path)?;
        for (name, entry) in entries {
            for source in [Source::Project, Source::Global] {
                if let Some(server) = self.servers.get_mut(&(source, name.clone())) {
                    server.profile = Arc::new(server.profile.with_entry(entry.clone()));
                }
            }
            match entry {
                Some(entry) => self.registry.insert(name, entry),
                None => self.registry.remove(&name),
            };
        }
        Ok(())
    }

    /// The registry's entry for a server, there or not.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&ServerEntry> {
        self.registry.get(name)
    }

    fn set_one(&mut self, mut server: McpServer, path: &str) -> CatalogueChange {
        let mut change = CatalogueChange { refused: std::mem::take(&mut server.refused), ..CatalogueChange::default() };
        let key = (server.source, server.name.clone());
        let mut before: HashMap<String, Arc<Tool>> = self
            .servers
            .remove(&key)
            .map(|old| old.entries.into_iter().map(|entry| (entry.tool.id.tool_name.clone(), entry.tool)).collect())
            .unwrap_or_default();
        let mut names = HashSet::new();
        let mut entries = Vec::with_capacity(server.tools.len());
        for (at, sent) in std::mem::take(&mut server.tools).into_iter().enumerate() {
            let position = sent.position.unwrap_or(at);
            let tool_name = sent.name.clone();
            let off = off(&server, &sent);
            let always_load = sent.always_load
                || match &server.always_load {
                    AlwaysLoad::None => false,
                    AlwaysLoad::All => true,
                    AlwaysLoad::Tools(tools) => tools.contains(&tool_name),
                };
            let read = if names.contains(&tool_name) {
                Err(format!("{path}.tools[{position}].name: expected a name that no tool before has, got {tool_name:?} again"))
            } else {
                Tool::new(&server, sent, &format!("{path}.tools[{position}]"))
            };
            match read {
                Err(reason) => {
                    change.refused.push(RefusedTool { server_name: server.name.clone(), tool_name, position, reason });
                }
                Ok(tool) => {
                    names.insert(tool_name.clone());
                    let tool = match before.remove(&tool_name) {
                        Some(old) if old.content_hash == tool.content_hash => {
                            change.unchanged += 1;
                            old
                        }
                        Some(_) => {
                            change.changed.push(tool.id.clone());
                            Arc::new(tool)
                        }
                        None => {
                            change.added.push(tool.id.clone());
                            Arc::new(tool)
                        }
                    };
                    entries.push(ToolEntry { tool, off, always_load });
                }
            }
        }
        change.refused.sort_by_key(|tool| tool.position);
        change.removed = before.into_values().map(|tool| tool.id.clone()).collect();
        change.removed.sort();
        if let Some(entry) = server.registry {
            self.registry.insert(server.name.clone(), entry);
        }
        let entry = self.registry.get(&server.name).cloned();
        let tool_names = entries.iter().map(|entry| entry.tool.id.tool_name.clone()).collect();
        let profile = Arc::new(ServerProfile::new(&server.name, entry, server.instructions.clone(), tool_names));
        self.servers
            .insert(key, Server { name: server.name, instructions: server.instructions.map(Into::into), entries, profile });
        change
    }

    /// Removes a server; `source` narrows it to one of two of the same name. Removing what is not
    /// there changes nothing.
    pub fn remove(&mut self, name: &str, source: Option<Source>) -> CatalogueChange {
        let mut change = CatalogueChange::default();
        for at in [Source::Project, Source::Global] {
            if source.is_none_or(|source| source == at)
                && let Some(server) = self.servers.remove(&(at, name.to_owned()))
            {
                change.removed.extend(server.entries.into_iter().map(|entry| entry.tool.id.clone()));
            }
        }
        change
    }

    /// Removes every server that is not among the given ones.
    pub fn retain(&mut self, keep: &HashSet<(Source, String)>) -> CatalogueChange {
        let gone: Vec<_> = self.servers.keys().filter(|key| !keep.contains(*key)).cloned().collect();
        let mut change = CatalogueChange::default();
        for (source, name) in gone {
            change.extend(self.remove(&name, Some(source)));
        }
        change
    }

    /// The servers in force, in catalogue order.
    pub fn active(&self) -> impl Iterator<Item = &Server> {
        self.servers.iter().filter_map(|((source, name), server)| {
            let hidden = *source == Source::Global && self.servers.contains_key(&(Source::Project, name.clone()));
            (!hidden).then_some(server)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::tool::McpTool;
    use super::*;

    fn server(name: &str, tools: &[(&str, &str)]) -> McpServer {
        McpServer {
            name: name.into(),
            tools: tools
                .iter()
                .map(|(name, text)| McpTool { description: Some((*text).into()), ..McpTool::new(*name) })
                .collect(),
            ..McpServer::default()
        }
    }

    fn id(tool: &str) -> ToolId {
        ToolId::new("s", tool)
    }

    #[test]
    fn setting_again_reports_exactly_what_changed_and_keeps_the_rest() {
        let mut catalogue = Catalogue::default();
        catalogue.set(vec![server("s", &[("a", "1"), ("b", "1"), ("c", "1")])], ServerPath::List("servers")).unwrap();
        let kept = Arc::clone(&catalogue.active().next().unwrap().entries[0].tool);
        let change =
            catalogue.set(vec![server("s", &[("a", "1"), ("b", "2"), ("d", "1")])], ServerPath::List("servers")).unwrap();
        assert_eq!(
            (change.added, change.changed, change.removed, change.unchanged),
            (vec![id("d")], vec![id("b")], vec![id("c")], 1)
        );
        assert!(Arc::ptr_eq(&kept, &catalogue.active().next().unwrap().entries[0].tool));
    }

    #[test]
    fn the_same_server_twice_in_one_call_changes_nothing() {
        let mut catalogue = Catalogue::default();
        let error = catalogue.set(vec![server("s", &[]), server("s", &[])], ServerPath::List("servers")).unwrap_err();
        assert_eq!(error.to_string(), r#"servers[1].name: expected a server other than servers[0], got "s" again"#);
        assert_eq!(catalogue.active().count(), 0);
    }

    #[test]
    fn a_project_server_hides_the_global_one_until_it_is_removed() {
        let mut catalogue = Catalogue::default();
        let project = McpServer { source: Source::Project, ..server("s", &[("mine", "")]) };
        catalogue.set(vec![server("s", &[("theirs", "")]), project], ServerPath::List("servers")).unwrap();
        let tools = |catalogue: &Catalogue| -> Vec<String> {
            catalogue.active().flat_map(|server| server.entries.iter().map(|entry| entry.tool.id.tool_name.clone())).collect()
        };
        assert_eq!(tools(&catalogue), ["mine"]);
        catalogue.remove("s", Some(Source::Project));
        assert_eq!(tools(&catalogue), ["theirs"]);
    }

    #[test]
    fn an_unusable_tool_is_refused_alone() {
        let mut catalogue = Catalogue::default();
        let change = catalogue.set(vec![server("s", &[("a", ""), (" ", ""), ("a", "")])], ServerPath::List("servers")).unwrap();
        assert_eq!(change.added, [id("a")]);
        let reasons: Vec<_> = change.refused.iter().map(|refused| refused.reason.as_str()).collect();
        assert_eq!(
            reasons,
            [
                r#"servers[0].tools[1].name: expected a name, got " ""#,
                r#"servers[0].tools[2].name: expected a name that no tool before has, got "a" again"#
            ]
        );
    }
}
