//! What exists: servers, their tools, and what changed when a server is set again.

mod accepted;
pub mod change;
mod host_schema;
pub mod intake;
pub mod mcp;
pub mod name;
pub mod profile;
pub mod registry;
pub mod scope;
pub mod spelling;
mod stuffing;
pub mod tool;
pub mod warning;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::document::entry::ServerEntry;
use crate::document::id::ToolId;
use crate::error::{Error, Refusal, Result};
use crate::text::hidden;
use change::CatalogueChange;
use intake::Intake;
use mcp::{AlwaysLoad, McpServer, RefusedTool, Source, check_name};
use profile::ServerProfile;
use scope::off;
use tool::{Tool, ToolEntry};
use warning::{MAX_WARNINGS, NameKeys, Warning, WarningCode, hidden_detail};

/// Maximum number of tools per server: ten times the largest real one.
pub const MAX_SERVER_TOOLS: usize = 5_000;
/// The most registry entries: a hundred times the servers of the largest catalogue measured.
pub const MAX_ENTRIES: usize = 10_000;

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
    /// Its place among the host's servers.
    pub position: Option<usize>,
    /// Whether the configuration keeps all of it off.
    pub disabled: bool,
    /// Its tools, in its own order.
    pub entries: Vec<ToolEntry>,
    /// What ranking of servers reads of it.
    pub profile: Arc<ServerProfile>,
    name_keys: NameKeys,
}

/// All servers. A project's server hides a global one of the same name, unless it is disabled and the other is not.
///
/// The order is that of the places that the host gave, then project before global, then by name: it does not
/// depend on which server happened to connect first, so rankings do not. Names depend on no place either.
#[derive(Debug, Default)]
pub struct Catalogue {
    servers: BTreeMap<(Source, String), Server>,
    /// By server name. An entry stays when its server goes, and may be there before it.
    registry: BTreeMap<String, ServerEntry>,
    /// What the configuration makes of servers that are set from now on.
    pub intake: Intake,
    accepted: accepted::Accepted,
}

impl Catalogue {
    /// Sets servers; each replaces the one of its name and source. All or nothing.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for an empty or too long name, the same server twice, or too many
    /// tools; nothing is changed then. Single unusable tools are refused in the result instead.
    pub fn set(&mut self, servers: Vec<McpServer>, path: ServerPath<'_>) -> Result<CatalogueChange> {
        let mut seen = HashMap::new();
        for (position, server) in servers.iter().enumerate() {
            let at = |field: &str| format!("{}.{field}", path.of(position));
            check_name(&server.name, &at("name"))?;
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
        let entries = servers.iter().filter(|server| server.entry.is_some()).map(|server| server.name.as_str());
        self.check_room(entries, &path.of(0))?;
        let mut change = CatalogueChange::default();
        let names: Vec<String> = servers.iter().map(|server| server.name.clone()).collect();
        for (position, server) in servers.into_iter().enumerate() {
            change.extend(self.set_one(server, &path.of(position)));
        }
        let set = names.iter().map(String::as_str).collect();
        let new = change.added.iter().chain(&change.changed);
        let servers: Vec<_> = self.servers.values().map(|server| (server.name.as_str(), &server.name_keys)).collect();
        let tools: Vec<&Tool> =
            self.servers.values().flat_map(|server| server.entries.iter().map(|entry| &*entry.tool)).collect();
        change.warnings.extend(warning::of(&servers, &tools, &set, new));
        change.warnings.truncate(MAX_WARNINGS);
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
            check_name(name, path)?;
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

    /// All entries of the registry, by server name.
    pub fn entries(&self) -> impl Iterator<Item = (&String, &ServerEntry)> {
        self.registry.iter()
    }

    /// The registry's entry for a server, there or not.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&ServerEntry> {
        self.registry.get(name)
    }

    fn set_one(&mut self, mut server: McpServer, path: &str) -> CatalogueChange {
        crate::fault::point("catalogue");
        let mut change = CatalogueChange::default();
        let (mut added, mut changed, mut unchanged) = (Vec::new(), Vec::new(), 0);
        let (mut server_pins, mut ignored_pins) = (0, 0);
        change.warnings = spelling::of(&server);
        let key = (server.source, server.name.clone());
        let intake = self.intake;
        let mut refused = std::mem::take(&mut server.refused);
        let mut warn = |code, tool: Option<&str>, detail: &str| {
            if change.warnings.len() < MAX_WARNINGS {
                change.warnings.push(Warning::new(code, &key.1, tool, detail));
            }
        };
        let (instructions, detail) = intake.clean_instructions(server.instructions.take());
        server.instructions = instructions;
        let in_name = hidden::find(&server.name).map(|found| hidden_detail("its name", found));
        for detail in [in_name, detail].into_iter().flatten() {
            warn(WarningCode::HiddenCharacters, None, &detail);
        }
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
            let pins_itself = sent.always_load && server_pins < intake.server_pins;
            server_pins += usize::from(pins_itself);
            ignored_pins += usize::from(sent.always_load && !pins_itself);
            let always_load = pins_itself
                || match &server.always_load {
                    AlwaysLoad::None => false,
                    AlwaysLoad::All => true,
                    AlwaysLoad::Tools(tools) => tools.contains(&tool_name),
                };
            let read = if names.contains(&tool_name) {
                let field = format!("{path}.tools[{position}].name");
                Err(Refusal::new(field, "a name that no tool before has", format!("{tool_name:?} again")))
            } else {
                let at = format!("{path}.tools[{position}]");
                intake.tool(&server, sent, &at).map(|(tool, detail)| {
                    if let Some(detail) = &detail {
                        warn(WarningCode::HiddenCharacters, Some(&tool_name), detail);
                    }
                    tool
                })
            };
            match read {
                Err(reason) => {
                    refused.push(RefusedTool { server_name: server.name.clone(), tool_name, position, reason });
                }
                Ok(tool) => {
                    names.insert(tool_name.clone());
                    let old = before.remove(&tool_name);
                    let hash = old.as_ref().map(|old| old.content_hash);
                    let tool = match old {
                        Some(old) if old.content_hash == tool.content_hash => {
                            unchanged += 1;
                            old
                        }
                        Some(old) => {
                            warn(WarningCode::DefinitionChanged, Some(&tool_name), &tool.difference(&old));
                            changed.push(tool.id.clone());
                            Arc::new(tool)
                        }
                        None => {
                            added.push(tool.id.clone());
                            Arc::new(tool)
                        }
                    };
                    let withheld = self.accepted.judge(&key, &tool, hash, intake.withholds);
                    tool.prepare();
                    entries.push(ToolEntry { tool, off: off.or(withheld), always_load });
                }
            }
        }
        refused.sort_by_key(|tool| tool.position);
        change = CatalogueChange { added, changed, unchanged, refused, server_pins, ignored_pins, ..change };
        change.removed = before.into_values().map(|tool| tool.id.clone()).collect();
        change.removed.sort();
        if let Some(entry) = server.entry {
            self.registry.insert(server.name.clone(), entry);
        }
        let entry = self.registry.get(&server.name).cloned();
        let tools = entries.iter().map(|entry| Arc::clone(&entry.tool));
        let profile = Arc::new(ServerProfile::new(&server.name, entry, server.instructions.clone(), tools));
        let McpServer { name, position, disabled, instructions, .. } = server;
        let instructions = instructions.map(Into::into);
        let name_keys = NameKeys::new(&name);
        self.servers.insert(key, Server { name, instructions, position, disabled, entries, profile, name_keys });
        change
    }

    /// Accepts a tool as it is now. Whether it was withheld.
    pub fn acknowledge(&mut self, id: &ToolId) -> bool {
        let mut was_withheld = false;
        for source in [Source::Project, Source::Global] {
            let key = (source, id.server_name.clone());
            let entries = self.servers.get_mut(&key).into_iter().flat_map(|server| &mut server.entries);
            if let Some(entry) = entries.into_iter().find(|entry| entry.tool.id == *id) {
                was_withheld |= self.accepted.accept(&key, entry);
            }
        }
        was_withheld
    }

    /// Removes a server; `source` narrows it to one of two of the same name. Without it, nothing changes.
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

    /// The active servers with their places in [`Self::active`]: those that the host gave a place first.
    #[must_use]
    pub fn in_order(&self) -> Vec<(usize, &Server)> {
        let mut servers: Vec<_> = self.active().enumerate().collect();
        servers.sort_by_key(|(at, server)| (server.position.unwrap_or(usize::MAX), *at));
        servers
    }

    /// The active servers, project before global, then by name.
    pub fn active(&self) -> impl Iterator<Item = &Server> {
        self.servers.iter().filter_map(|((source, name), server)| {
            let (other, hides): (_, fn(bool, bool) -> bool) = match source {
                // A disabled server hides nobody.
                Source::Global => (Source::Project, |project, global| !project || global),
                Source::Project => (Source::Global, |global, project| project && !global),
            };
            let other = self.servers.get(&(other, name.clone()));
            let hidden = other.is_some_and(|other| hides(other.disabled, server.disabled));
            (!hidden).then_some(server)
        })
    }
}

#[cfg(test)]
mod catalogue_tests;
#[cfg(test)]
mod warning_tests;

#[cfg(test)]
mod accepted_tests;
