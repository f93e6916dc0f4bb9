//! One server that is set: its texts checked, its tools compared with what was known of them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::change::{CatalogueChange, Found};
use super::mcp::{AlwaysLoad, McpServer, McpTool, RefusedTool, Source};
use super::profile::ServerProfile;
use super::scope::{Off, off};
use super::tool::{Tool, ToolEntry};
use super::warning::{MAX_WARNINGS, NameKeys, Warning, WarningCode, hidden_detail};
use super::{Catalogue, Server, spelling};
use crate::error::Refusal;
use crate::schema::accepted::Rules;
use crate::settings::SchemaDetail;
use crate::shield::{self, Finding};
use crate::text::hidden;

/// How many tools of one server may pin themselves: servers that pin pin a few, and more than that fill what a first selection
/// has room for.
const MAX_SERVER_PINS: usize = 10;

/// What was known of a server until it is set again.
#[derive(Default)]
struct Before {
    tools: HashMap<String, (Arc<Tool>, bool)>,
    instructions: Option<Arc<str>>,
    /// Of a global server that a project's takes the place of: it is looked at as if it were the same one, changed.
    is_taken_over: bool,
}

struct Setting {
    change: CatalogueChange,
    key: (Source, String),
    before: Before,
    names: HashSet<String>,
    entries: Vec<ToolEntry>,
    unchanged: usize,
}

impl Setting {
    fn warn(&mut self, code: WarningCode, tool: Option<&str>, detail: &str) {
        if self.change.warnings.len() < MAX_WARNINGS {
            self.change.warnings.push(Warning::new(code, &self.key.1, tool, detail));
        }
    }

    /// Warns about new and changed tools with a schema that a provider would refuse. It comes last: nobody has to worry.
    fn tell_adapted(&mut self) {
        let told: HashSet<&str> = self.change.added.iter().chain(&self.change.changed).map(|id| id.tool_name.as_str()).collect();
        let new = self.entries.iter().filter(|entry| told.contains(entry.tool.id.tool_name.as_str()));
        let adapted: Vec<(String, Vec<&str>)> = new
            .map(|entry| (&entry.tool, entry.tool.changes_for(SchemaDetail::Full, Rules::ALL)))
            .filter(|(_, changes)| !changes.is_empty())
            .map(|(tool, changes)| (tool.id.tool_name.clone(), changes.iter().map(|change| change.name()).collect()))
            .collect();
        for (name, changes) in adapted {
            let detail = format!(
                "providers refuse its input schema as it was sent; where they do, it goes out changed: {}",
                changes.join(", ")
            );
            self.warn(WarningCode::AdaptedSchema, Some(&name), &detail);
        }
    }

    fn find(&mut self, tool: Option<&str>, findings: impl IntoIterator<Item = Finding>) {
        let server_name = self.key.1.clone();
        let found = |finding| Found { server_name: server_name.clone(), tool_name: tool.map(str::to_owned), finding };
        self.change.findings.extend(findings.into_iter().map(found));
    }
}

impl Catalogue {
    pub(super) fn set_one(&mut self, mut server: McpServer, path: &str) -> CatalogueChange {
        crate::fault::point("catalogue");
        let key = (server.source, server.name.clone());
        let before = self.before(&key, server.disabled);
        let (change, names, entries) = (CatalogueChange::default(), HashSet::new(), Vec::with_capacity(server.tools.len()));
        let mut setting = Setting { change, key, before, names, entries, unchanged: 0 };
        setting.change.warnings = spelling::of(&server);
        self.look_at_server(&mut server, &mut setting);
        let mut refused = std::mem::take(&mut server.refused);
        for (at, sent) in std::mem::take(&mut server.tools).into_iter().enumerate() {
            let position = sent.position.unwrap_or(at);
            let tool_name = sent.name.clone();
            if let Err(reason) = self.set_tool(&server, sent, &format!("{path}.tools[{position}]"), &mut setting) {
                refused.push(RefusedTool { server_name: server.name.clone(), tool_name, position, reason });
            }
        }
        refused.sort_by_key(|tool| tool.position);
        setting.tell_adapted();
        let Setting { mut change, key, before, entries, unchanged, .. } = setting;
        (change.refused, change.unchanged) = (refused, unchanged);
        if !before.is_taken_over {
            change.removed = before.tools.into_values().map(|(tool, _)| tool.id.clone()).collect();
            change.removed.sort();
        }
        if let Some(entry) = server.entry {
            self.registry.insert(server.name.clone(), entry);
        }
        let entry = self.registry.get(&server.name).cloned();
        let profile = Arc::new(ServerProfile::new(&server.name, entry, server.instructions.clone(), &entries));
        let McpServer { name, position, disabled, instructions, .. } = server;
        let instructions = instructions.map(Into::into);
        let name_keys = NameKeys::new(&name);
        self.servers.insert(key, Server { name, instructions, position, disabled, entries, profile, name_keys });
        change
    }

    /// Takes out what was known of a server. A project's server that comes for the first time is compared with the global
    /// one of its name: a file of a project that somebody has cloned must not pass for it.
    fn before(&mut self, key: &(Source, String), disabled: bool) -> Before {
        let tools = |server: &Server| {
            let tool = |entry: &ToolEntry| (entry.tool.id.tool_name.clone(), (Arc::clone(&entry.tool), entry.always_load));
            server.entries.iter().map(tool).collect()
        };
        if let Some(own) = self.servers.remove(key) {
            return Before { tools: tools(&own), instructions: own.instructions, is_taken_over: false };
        }
        let global = self.servers.get(&(Source::Global, key.1.clone())).filter(|global| !global.disabled);
        match global.filter(|_| key.0 == Source::Project && !disabled) {
            Some(global) => Before { tools: tools(global), instructions: global.instructions.clone(), is_taken_over: true },
            None => Before::default(),
        }
    }

    fn look_at_server(&self, server: &mut McpServer, setting: &mut Setting) {
        let (instructions, detail) = self.intake.clean_instructions(server.instructions.take());
        server.instructions = instructions;
        let in_name = hidden::find(&server.name).map(|found| hidden_detail("its name", found));
        for detail in [in_name, detail].into_iter().flatten() {
            setting.warn(WarningCode::HiddenCharacters, None, &detail);
        }
        let known = !setting.before.tools.is_empty();
        let is_new = setting.before.instructions.as_deref() != server.instructions.as_deref();
        if setting.before.is_taken_over {
            let detail = "a server of the project replaces the global one of its name";
            setting.warn(WarningCode::ReplacesGlobalServer, None, detail);
        } else if known && is_new {
            setting.warn(WarningCode::DefinitionChanged, None, "changed: its instructions");
        }
        if is_new {
            let text = server.instructions.as_deref().unwrap_or("");
            setting.find(None, shield::check_text("instructions", text));
            setting.find(None, shield::check_text("name", &server.name));
        }
    }

    fn set_tool(&mut self, server: &McpServer, sent: McpTool, at: &str, setting: &mut Setting) -> Result<(), Refusal> {
        let tool_name = sent.name.clone();
        if setting.names.contains(&tool_name) {
            return Err(Refusal::new(format!("{at}.name"), "a name that no tool before has", format!("{tool_name:?} again")));
        }
        let configured = off(server, &sent);
        let always_load = self.pins(server, &sent, setting);
        let (tool, hidden) = self.intake.tool(server, sent, at)?;
        if let Some(detail) = &hidden {
            setting.warn(WarningCode::HiddenCharacters, Some(&tool_name), detail);
        }
        setting.names.insert(tool_name.clone());
        let old = setting.before.tools.remove(&tool_name).map(|(tool, _)| tool);
        let is_taken_over = setting.before.is_taken_over;
        // A tool that a server of its name never had has changed as well, if that server was another one.
        let hash = old.as_ref().map(|old| old.hashes.content).or(is_taken_over.then_some([0; 32]));
        let tool = match old {
            Some(old) if old.hashes.content == tool.hashes.content && !is_taken_over => {
                setting.unchanged += 1;
                // What the server says about itself is read where the tool says next to nothing.
                if old.server_hint == tool.server_hint { old } else { Arc::new(tool) }
            }
            Some(old) if old.hashes.content != tool.hashes.content => {
                setting.warn(WarningCode::DefinitionChanged, Some(&tool_name), &tool.difference(&old));
                setting.change.changed.push(tool.id.clone());
                Arc::new(tool)
            }
            _ => {
                setting.change.added.push(tool.id.clone());
                Arc::new(tool)
            }
        };
        let withheld = self.accepted.judge(&setting.key, &tool, hash, self.intake.withholds);
        let flagged = self.flags(&tool, tool.findings()).then_some(Off::Flagged);
        if !setting.change.changed.is_empty() || !setting.change.added.is_empty() {
            let is_new = setting.change.changed.last() == Some(&tool.id) || setting.change.added.last() == Some(&tool.id);
            setting.find(Some(&tool_name), tool.findings().iter().filter(|_| is_new).cloned());
        }
        tool.prepare();
        setting.entries.push(ToolEntry { tool, off: configured.or(withheld).or(flagged), always_load });
        Ok(())
    }

    /// Whether a tool is attached always: the host says so, or it does itself and the host allows it that.
    fn pins(&self, server: &McpServer, sent: &McpTool, setting: &mut Setting) -> bool {
        let by_host = match &server.always_load {
            AlwaysLoad::None => false,
            AlwaysLoad::All => true,
            AlwaysLoad::Tools(tools) => tools.contains(&sent.name),
        };
        if !sent.always_load {
            return by_host;
        }
        // A tool that was known without a pin and asks for one now has changed.
        let known = setting.before.tools.get(&sent.name).map(|(_, pinned)| *pinned);
        let is_late = known == Some(false) && server.own_pins;
        if is_late {
            setting.warn(WarningCode::DefinitionChanged, Some(&sent.name), "changed: that it asks to be attached always");
        }
        let allowed = server.own_pins && setting.change.server_pins < MAX_SERVER_PINS;
        let pins_itself = allowed && !(is_late && self.intake.withholds);
        setting.change.server_pins += usize::from(pins_itself);
        setting.change.ignored_pins += usize::from(!pins_itself);
        pins_itself || by_host
    }

    /// Whether what was found in a tool takes it away.
    pub(super) fn flags(&self, tool: &Tool, findings: &[Finding]) -> bool {
        let from = self.intake.withholds_from;
        from.is_some_and(|from| shield::worst(findings) >= Some(from)) && !self.accepted.is_cleared(tool)
    }
}
