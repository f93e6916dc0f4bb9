//! Servers with their tools, and registry entries.

use std::collections::BTreeMap;

use super::MAX_LIST;
use super::input::Input;
use crate::binding::slices::{LateText, Later, Place};
use crate::catalogue::MAX_SERVER_TOOLS;
use crate::catalogue::mcp::{AlwaysLoad, McpServer, McpTool, RefusedTool, Source};
use crate::document::entry::ServerEntry;
use crate::error::Result;

const SOURCES: [(&str, Source); 2] = [("project", Source::Project), ("global", Source::Global)];

pub fn source(input: &Input<'_, '_>) -> Result<Option<Source>> {
    if input.is_undefined() { Ok(None) } else { input.one_of(&SOURCES).map(Some) }
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
    let tools = input.field("tools", |tools| {
        tools.elements(MAX_SERVER_TOOLS, |position, element| {
            let position = usize::try_from(position).unwrap_or(usize::MAX);
            Ok(match tool(&element, &|path| Place { server: at, tool: position, path }, later) {
                Ok(tool) => Some(McpTool { position: Some(position), ..tool }),
                Err(error) => {
                    let tool_name = element.field("name", |name| name.text()).ok().flatten().unwrap_or_default();
                    let reason = error.into_refusal(&element.path.to_string());
                    refused.push(RefusedTool { server_name: name.clone(), tool_name, position, reason });
                    None
                }
            })
        })
    })?;
    Ok(McpServer {
        name,
        source: input.field("source", |source| source.one_of(&SOURCES))?.unwrap_or_default(),
        position: input.field("position", |position| position.count(0, MAX_LIST))?,
        disabled: input.field("disabled", |disabled| disabled.boolean())?.unwrap_or(false),
        instructions: input.field("instructions", |text| text.text())?,
        only_allow: input.field("onlyAllow", |list| list.texts(MAX_LIST))?.unwrap_or_default(),
        disabled_tools: input.field("disabledTools", |list| list.texts(MAX_LIST))?.unwrap_or_default(),
        always_load: input.field("alwaysLoad", |value| always_load(&value))?.unwrap_or_default(),
        tool_description_overrides: input.field("toolDescriptionOverrides", |value| text_map(&value))?.unwrap_or_default(),
        search_descriptions: input.field("searchDescriptions", |value| text_map(&value))?.unwrap_or_default(),
        entry: input.field("entry", |entry| server_entry(&entry))?,
        tools: tools.into_iter().flatten().flatten().collect(),
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
    let destructive = hinted("annotations", "destructiveHint")?;
    let read_hint = |meta: Input<'_, '_>| Ok(meta.field("anthropic/searchHint", |hint| Ok(hint.text().ok())).ok().flatten());
    let search_hint = input.field("_meta", read_hint)?.flatten().flatten();
    let own = input.field("alwaysLoad", |value| value.boolean())?;
    Ok(McpTool {
        name: input.required("name", |name| name.name())?,
        title: input.field("title", |title| Ok(title.text().ok()))?.flatten(),
        description: text("description")?,
        input_schema: input.field("inputSchema", |schema| schema_text(&schema, place, later))?.flatten(),
        read_only,
        destructive,
        search_hint,
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
                let reason = error.into_refusal(&place.path);
                server.refused.push(RefusedTool { server_name, tool_name, position: place.tool, reason });
            }
            (Ok(_), None) => {}
        }
    }
}

/// The fields of an entry, as callers write them.
const ENTRY_FIELDS: [&str; 4] = ["name", "description", "capabilities", "syntheticQueries"];
/// Elements of a list that are read before its own limit is checked.
const MAX_ENTRY_LIST: usize = 100_000;

/// One entry of the registry. Unknown keys are refused: a misspelt one would be silently lost.
pub fn server_entry(input: &Input<'_, '_>) -> Result<ServerEntry> {
    input.only_keys(&ENTRY_FIELDS)?;
    let [title, description, capabilities, queries] = ENTRY_FIELDS;
    let entry = ServerEntry {
        title: input.field(title, |text| text.text())?,
        description: input.field(description, |text| text.text())?,
        capabilities: input.field(capabilities, |list| list.texts(MAX_ENTRY_LIST))?.unwrap_or_default(),
        synthetic_queries: input.field(queries, |list| list.texts(MAX_ENTRY_LIST))?.unwrap_or_default(),
    };
    entry.check(&input.path.to_string(), ENTRY_FIELDS)?;
    Ok(entry)
}

/// Which servers' modules are wanted; all when absent.
pub fn list_modules_options(input: &Input<'_, '_>) -> Result<Option<Vec<String>>> {
    if input.is_undefined() {
        return Ok(None);
    }
    input.only_keys(&["servers"])?;
    input.field("servers", |list| list.texts(MAX_ENTRY_LIST))
}

/// The longest delay that can be asked for: a minute, as the longest deadline.
const MAX_ADDED_MS: f64 = 60_000.0;

/// The task whose account is wanted, and how long a turn may be delayed.
pub fn advise_options(input: &Input<'_, '_>) -> Result<(Option<String>, Option<f64>)> {
    if input.is_undefined() {
        return Ok((None, None));
    }
    input.only_keys(&["sessionId", "maxAddedMs"])?;
    Ok((input.field("sessionId", |id| id.text())?, input.field("maxAddedMs", |ms| ms.ratio(0.0, MAX_ADDED_MS))?))
}
