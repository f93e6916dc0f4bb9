//! What exists: servers, their tools, and what changed when a server is set again.

mod accepted;
mod canonical;
pub mod change;
mod defined;
mod definition;
mod host_schema;
pub mod intake;
pub mod mcp;
pub mod name;
pub mod profile;
pub mod scope;
mod set;
mod shadow;
pub mod signatures;
pub mod spelling;
mod stuffing;
pub mod synthetic_queries;
pub mod tool;
pub mod warning;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::document::entry::ServerEntry;
use crate::document::id::ToolId;
use crate::error::{Error, Result};
use change::CatalogueChange;
use intake::Intake;
use mcp::{McpServer, Source, check_name};
use profile::ServerProfile;
use tool::ToolEntry;
use warning::NameKeys;

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

impl Server {
    /// Tools were switched on or off.
    fn renew_profile(&mut self) {
        if let Some(renewed) = self.profile.with_on(&self.entries) {
            self.profile = Arc::new(renewed);
        }
    }
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
        self.look_around(&set, &mut change);
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
    pub fn entry(&self, name: &str) -> Option<&ServerEntry> {
        self.registry.get(name)
    }

    /// Accepts a tool as it is now. Whether it was withheld.
    pub fn acknowledge(&mut self, id: &ToolId) -> bool {
        let mut was_withheld = false;
        for source in [Source::Project, Source::Global] {
            let key = (source, id.server_name.clone());
            let Some(server) = self.servers.get_mut(&key) else { continue };
            if let Some(entry) = server.entries.iter_mut().find(|entry| entry.tool.id == *id) {
                was_withheld |= self.accepted.accept(&key, entry);
            }
            server.renew_profile();
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
mod warning_tests;
