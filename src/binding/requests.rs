//! What callers pass, as the core takes it.

use std::collections::{BTreeMap, HashSet};

use super::curation::curation;
use super::input::Input;
use super::servers::server_entry;
use super::slices::{LateText, Later, Place};
use crate::catalogue::MAX_SERVER_TOOLS;
use crate::catalogue::tool::{AlwaysLoad, McpServer, McpTool, RefusedTool, Source, ToolId};
use crate::error::{Error, Result};
use crate::router::RankOptions;
use crate::settings::{COUNTS, CountField, MAX_K, ModeScope, Policy, RATIOS, RankingMode, ScopeBy, Settings};

/// Servers, modes and names in one list: bounds against a runaway caller, far above real ones.
const MAX_LIST: usize = 100_000;

const SOURCES: [(&str, Source); 2] = [("project", Source::Project), ("global", Source::Global)];

pub fn source(input: &Input<'_, '_>) -> Result<Option<Source>> {
    if input.is_undefined() { Ok(None) } else { input.one_of(&SOURCES).map(Some) }
}

/// Changes of settings over others. Unknown keys are refused.
pub fn settings(input: &Input<'_, '_>, base: Settings) -> Result<Settings> {
    let mut settings = base;
    if input.is_undefined() {
        return Ok(settings);
    }
    let known: Vec<&str> = COUNTS
        .map(|(name, ..)| name)
        .into_iter()
        .chain(RATIOS.map(|(name, _)| name))
        .chain(["rankingMode", "policy", "curation", "scopeBy", "modes"])
        .collect();
    input.only_keys(&known)?;
    for ((name, least, most), target) in COUNTS.into_iter().zip(settings.counts_mut()) {
        if let Some(value) = input.field(name, |value| value.count(least, most))? {
            match target {
                CountField::Required(field) => *field = value,
                CountField::Optional(field) => *field = Some(value),
            }
        }
    }
    for ((name, most), target) in RATIOS.into_iter().zip(settings.ratios_mut()) {
        if let Some(value) = input.field(name, |value| value.ratio(0.0, most))? {
            *target = value;
        }
    }
    if let Some(mode) = input.field("rankingMode", |value| value.one_of(&RankingMode::NAMES))? {
        settings.ranking_mode = mode;
    }
    if let Some(policy) = input.field("policy", |value| value.one_of(&Policy::NAMES))? {
        settings.policy = policy;
    }
    if let Some(changed) = input.field("curation", |value| curation(&value, settings.curation.clone()))? {
        settings.curation = changed;
    }
    if let Some(scope_by) = input.field("scopeBy", |value| value.one_of(&ScopeBy::NAMES))? {
        settings.scope_by = scope_by;
    }
    if let Some(modes) = input.field("modes", |value| value.entries(|mode| mode_scope(&mode)))? {
        settings.modes = modes.into_iter().collect();
    }
    Ok(settings)
}

fn mode_scope(input: &Input<'_, '_>) -> Result<ModeScope> {
    input.only_keys(&["allowedMcpServers", "blockedMcpServers"])?;
    Ok(ModeScope {
        allowed_mcp_servers: input.field("allowedMcpServers", |list| list.texts(MAX_LIST))?,
        blocked_mcp_servers: input.field("blockedMcpServers", |list| list.texts(MAX_LIST))?,
    })
}

pub fn servers<'env>(input: &Input<'_, 'env>, later: &Later<'env>) -> Result<Vec<McpServer>> {
    let mut at = 0;
    input.elements(MAX_LIST, |_, element| {
        at += 1;
        server(&element, at - 1, later)
    })
}

/// One server. A tool that cannot be read is refused alone; anything else wrong refuses the call.
pub fn server<'env>(input: &Input<'_, 'env>, at: usize, later: &Later<'env>) -> Result<McpServer> {
    let name = input.required("name", |name| name.name())?;
    let mut refused = Vec::new();
    let tools = input.required("tools", |tools| {
        tools.elements(MAX_SERVER_TOOLS, |position, element| {
            let position = usize::try_from(position).unwrap_or(usize::MAX);
            Ok(match tool(&element, &|path| Place { server: at, tool: position, path }, later) {
                Ok(tool) => Some(McpTool { position: Some(position), ..tool }),
                Err(error) => {
                    let tool_name = element.field("name", |name| name.text()).ok().flatten().unwrap_or_default();
                    refused.push(RefusedTool { server_name: name.clone(), tool_name, position, reason: error.to_string() });
                    None
                }
            })
        })
    })?;
    Ok(McpServer {
        name,
        source: input.field("source", |source| source.one_of(&SOURCES))?.unwrap_or_default(),
        disabled: input.field("disabled", |disabled| disabled.boolean())?.unwrap_or(false),
        instructions: input.field("instructions", |text| text.text())?,
        only_allow: input.field("onlyAllow", |list| list.texts(MAX_LIST))?.unwrap_or_default(),
        disabled_tools: input.field("disabledTools", |list| list.texts(MAX_LIST))?.unwrap_or_default(),
        always_load: input.field("alwaysLoad", |value| always_load(&value))?.unwrap_or_default(),
        tool_description_overrides: input.field("toolDescriptionOverrides", |value| text_map(&value))?.unwrap_or_default(),
        search_descriptions: input.field("searchDescriptions", |value| text_map(&value))?.unwrap_or_default(),
        registry: input.field("registry", |entry| server_entry(&entry))?,
        tools: tools.into_iter().flatten().collect(),
        refused,
    })
}

fn always_load(input: &Input<'_, '_>) -> Result<AlwaysLoad> {
    if input.is_boolean() {
        return Ok(if input.boolean()? { AlwaysLoad::All } else { AlwaysLoad::None });
    }
    if input.is_array() {
        input.texts(MAX_LIST).map(AlwaysLoad::Tools)
    } else {
        Err(input.wrong("true, false or a list of tool names"))
    }
}

fn text_map(input: &Input<'_, '_>) -> Result<BTreeMap<String, String>> {
    Ok(input.entries(|text| text.text())?.into_iter().collect())
}

fn tool<'env>(input: &Input<'_, 'env>, place: &dyn Fn(String) -> Place, later: &Later<'env>) -> Result<McpTool> {
    // MCP allows `null` for none of these, but servers send it; it says as much as nothing. Hints of
    // a wrong shape are no reason to lose a tool either.
    let text = |name: &str| -> Result<Option<String>> {
        Ok(input.field(name, |value| if value.is_null() { Ok(None) } else { value.text().map(Some) })?.flatten())
    };
    let hinted = |object: &str, hint: &str| -> Result<bool> {
        let read = |object: Input<'_, '_>| Ok(object.field(hint, |hint| Ok(hint.boolean().unwrap_or(false))).ok().flatten());
        Ok(input.field(object, read)?.flatten().unwrap_or(false))
    };
    let read_only = hinted("annotations", "readOnlyHint")?;
    let asks_for_load = hinted("_meta", "anthropic/alwaysLoad")?;
    let own = input.field("alwaysLoad", |value| value.boolean())?;
    Ok(McpTool {
        name: input.required("name", |name| name.name())?,
        title: input.field("title", |title| Ok(title.text().ok()))?.flatten(),
        description: text("description")?,
        input_schema: input.field("inputSchema", |schema| schema_text(&schema, place, later))?.flatten(),
        read_only,
        always_load: own.unwrap_or(false) || asks_for_load,
        enabled_for_prompt: input.field("enabledForPrompt", |value| value.boolean())?.unwrap_or(true),
        search_description: text("searchDescription")?,
        position: None,
    })
}

/// A schema as text; put aside when it is an object and the call has taken long enough.
fn schema_text<'env>(schema: &Input<'_, 'env>, place: &dyn Fn(String) -> Place, later: &Later<'env>) -> Result<Option<String>> {
    if schema.is_null() {
        return Ok(None);
    }
    if schema.is_object() && later.is_late() {
        later.put(place(schema.path.to_string()), schema.value());
        return Ok(None);
    }
    schema.json().map(Some)
}

/// Fills in the schemas that were put aside. A tool whose schema cannot be read is refused alone.
pub fn fill_in(servers: &mut [McpServer], texts: impl IntoIterator<Item = LateText>) {
    for (place, text) in texts {
        let Some(server) = servers.get_mut(place.server) else { continue };
        let Some(at) = server.tools.iter().position(|tool| tool.position == Some(place.tool)) else { continue };
        match (text, server.tools.get_mut(at)) {
            (Ok(text), Some(tool)) => tool.input_schema = Some(text),
            (Err(error), _) => {
                let tool_name = server.tools.remove(at).name;
                let server_name = server.name.clone();
                server.refused.push(RefusedTool { server_name, tool_name, position: place.tool, reason: error.to_string() });
            }
            (Ok(_), None) => {}
        }
    }
}

/// Tools given in a call, by server.
pub fn scoped_tools(input: &Input<'_, '_>) -> Result<Vec<McpServer>> {
    let mut servers: BTreeMap<String, McpServer> = BTreeMap::new();
    let mut seen = HashSet::new();
    let tools = input.elements(MAX_LIST, |_, element| {
        let description = element.field("description", |text| text.text())?;
        let id = tool_id(&element)?;
        Ok((id, description))
    })?;
    for (id, description) in tools {
        // The same tool twice is one tool.
        if seen.insert(id.clone()) {
            let new = || McpServer { name: id.server_name.clone(), ..McpServer::default() };
            let server = servers.entry(id.server_name.clone()).or_insert_with(new);
            server.tools.push(McpTool { description, ..McpTool::new(id.tool_name) });
        }
    }
    Ok(servers.into_values().collect())
}

fn tool_id(input: &Input<'_, '_>) -> Result<ToolId> {
    Ok(ToolId::new(input.required("serverName", |name| name.name())?, input.required("toolName", |name| name.name())?))
}

/// A tool by its two names, or by the provider name that `resolve` knows.
pub enum ToolReference {
    /// Server and tool.
    Id(ToolId),
    /// Provider name.
    Name(String),
}

pub fn tool_reference(input: &Input<'_, '_>) -> Result<ToolReference> {
    if input.is_text() { input.name().map(ToolReference::Name) } else { tool_id(input).map(ToolReference::Id) }
}

pub fn rank_options(input: &Input<'_, '_>) -> Result<RankOptions> {
    if input.is_undefined() {
        return Ok(RankOptions::default());
    }
    rank_options_with(input, &[])
}

/// Options of a ranking, beside further ones.
pub fn rank_options_with(input: &Input<'_, '_>, further: &[&str]) -> Result<RankOptions> {
    input.only_keys(&[&["topK", "mode", "hostMode", "servers", "deadlineMs"], further].concat())?;
    Ok(RankOptions {
        top_k: input.field("topK", |value| value.count(1, MAX_K))?,
        mode: input.field("mode", |value| value.one_of(&RankingMode::NAMES))?,
        host_mode: input.field("hostMode", |value| value.text())?,
        servers: input.field("servers", |value| value.texts(MAX_LIST))?,
        deadline_ms: input.field("deadlineMs", |value| value.count(0, 60_000))?,
    })
}

/// What `mcp_load` was called with: an object, or the JSON text that a model wrote.
pub fn load_query(input: &Input<'_, '_>) -> Result<String> {
    if !input.is_text() {
        return input.required("query", |query| query.text());
    }
    let text = input.text()?;
    let expected = "JSON text of an object with the text \"query\"";
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|_| input.wrong(expected))?;
    match value.get("query") {
        Some(serde_json::Value::String(query)) => Ok(query.clone()),
        Some(other) => Err(Error::invalid(format!("{}.query", input.path), "text", other)),
        None => Err(input.wrong(expected)),
    }
}

/// Options of a session: id, mode of the host, settings over the router's.
pub fn session_options(input: &Input<'_, '_>, base: Settings) -> Result<(Option<String>, Option<String>, Settings)> {
    if input.is_undefined() {
        return Ok((None, None, base));
    }
    input.only_keys(&["sessionId", "hostMode", "settings"])?;
    let id = input.field("sessionId", |value| value.name())?;
    let host_mode = input.field("hostMode", |value| value.name())?;
    let settings = match input.field("settings", |value| settings(&value, base.clone()))? {
        Some(settings) => settings,
        None => base,
    };
    Ok((id, host_mode, settings))
}
