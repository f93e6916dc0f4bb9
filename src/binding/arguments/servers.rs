//! Servers with their tools, and registry entries.

use std::collections::BTreeMap;

use once_cell::sync::Lazy;

use super::MAX_LIST;
use super::input::Input;
use super::ranking::server_scope;
use crate::binding::slices::Later;
use crate::catalogue::MAX_SERVER_TOOLS;
use crate::catalogue::mcp::MisspeltKey;
use crate::catalogue::mcp::{AlwaysLoad, McpServer, McpTool, OnlyAllow, RefusedTool, Source};
use crate::catalogue::scope::ServerScope;
use crate::document::entry::ServerEntry;
use crate::error::Result;

const SOURCES: [(&str, Source); 2] = [("project", Source::Project), ("global", Source::Global)];

pub fn source(input: &Input<'_, '_>) -> Result<Option<Source>> {
    if input.is_undefined() { Ok(None) } else { input.one_of(&SOURCES).map(Some) }
}

static SERVER_KEYS: Lazy<Vec<&str>> = Lazy::new(|| {
    "name tools source position disabled instructions onlyAllow disabledTools alwaysLoad ownPins toolDescriptionOverrides \
     searchDescriptions entry"
        .split(' ')
        .collect()
});

static TOOL_KEYS: Lazy<Vec<&str>> = Lazy::new(|| {
    "name title description inputSchema annotations _meta alwaysLoad enabledForPrompt searchDescription".split(' ').collect()
});

/// What is read of a tool in a later turn of the event loop.
pub struct LateTool {
    server: usize,
    position: usize,
    part: LatePart,
}

enum LatePart {
    Whole(ReadTool),
    /// All of the server, with its tools.
    Server(Box<Result<McpServer>>),
    Schema {
        text: Result<String>,
        path: String,
    },
}

type ReadTool = std::result::Result<McpTool, Box<RefusedTool>>;

pub fn servers<'env>(input: &Input<'_, 'env>, later: &Later<'env, LateTool>) -> Result<Vec<McpServer>> {
    let (list, rest) =
        input.elements_until(MAX_LIST, || later.is_late(), |at, element| server(&element, place(at), Some(later)))?;
    later.put_rest(input, rest, |at, element| {
        let part = LatePart::Server(Box::new(server(element, place(at), None)));
        LateTool { server: place(at), position: 0, part }
    });
    Ok(list)
}

/// One server; as a whole where nothing can be put aside. A tool that cannot be read is refused alone; anything else wrong refuses the call.
pub fn server<'env>(input: &Input<'_, 'env>, at: usize, later: Option<&Later<'env, LateTool>>) -> Result<McpServer> {
    let name = input.required("name", |name| name.name())?;
    let (mut tools, mut refused) = (Vec::new(), Vec::new());
    let mut misspelt = MisspeltKey::find(&input.keys()?, &SERVER_KEYS, None);
    // A host that builds tools by itself misspells a key in all of them: one is looked at.
    let mut looked_at = false;
    let disabled = input.field("disabled", |disabled| disabled.boolean())?.unwrap_or(false);
    let listed = input.field("tools", |list| {
        let is_over = || later.is_some_and(Later::is_late);
        let (read, rest) = list.elements_until(MAX_SERVER_TOOLS, is_over, |position, element| {
            let position = place(position);
            let read = read_tool(&name, position, &element, |schema| schema_or_later(schema, (at, position), later));
            if let Ok(tool) = &read
                && tool.description.is_none()
                && !std::mem::replace(&mut looked_at, true)
            {
                misspelt.extend(MisspeltKey::find(&element.keys()?, &TOOL_KEYS, Some(&tool.name)));
            }
            Ok(read)
        })?;
        for tool in read {
            match tool {
                Ok(tool) => tools.push(tool),
                Err(tool) => refused.push(*tool),
            }
        }
        if let Some(later) = later {
            let server_name = name.clone();
            later.put_rest(&list, rest, move |position, element| {
                let position = place(position);
                let tool = read_tool(&server_name, position, element, schema_text);
                LateTool { server: at, position, part: LatePart::Whole(tool) }
            });
        }
        Ok(())
    })?;
    // A host that could not list a server's tools does not mean that it has none.
    if listed.is_none() && !disabled {
        let near = misspelt.iter().find(|key| key.near == "tools").map(|key| format!("; the key {:?} is not read", key.key));
        let expected = format!("a list of tools, empty for a server without any{}", near.unwrap_or_default());
        input.required("tools", |list| Err::<(), _>(list.wrong(expected)))?;
    }
    Ok(McpServer {
        name,
        source: input.field("source", |source| source.one_of(&SOURCES))?.unwrap_or_default(),
        position: input.field("position", |position| position.count(0, MAX_LIST))?,
        disabled,
        instructions: input.field("instructions", |text| text.text())?,
        only_allow: input.field("onlyAllow", |value| only_allow(&value))?.unwrap_or_default(),
        disabled_tools: input.field("disabledTools", |list| list.texts(MAX_LIST))?.unwrap_or_default(),
        always_load: input.field("alwaysLoad", |value| always_load(&value))?.unwrap_or_default(),
        own_pins: input.field("ownPins", |value| value.boolean())?.unwrap_or(false),
        tool_description_overrides: input.field("toolDescriptionOverrides", |value| text_map(&value))?.unwrap_or_default(),
        search_descriptions: input.field("searchDescriptions", |value| text_map(&value))?.unwrap_or_default(),
        entry: input.field("entry", |entry| server_entry(&entry))?,
        tools,
        refused,
        misspelt,
    })
}

fn only_allow(input: &Input<'_, '_>) -> Result<OnlyAllow> {
    if input.is_array() {
        return input.texts(MAX_LIST).map(OnlyAllow::from);
    }
    match input.text() {
        Ok(text) if text == "none" => Ok(OnlyAllow::None),
        _ => Err(input.wrong("a list of tool names or 'none'")),
    }
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

fn place(position: u32) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

fn read_tool<'env>(
    server_name: &str,
    position: usize,
    element: &Input<'_, 'env>,
    schema: impl FnOnce(&Input<'_, 'env>) -> Result<Option<String>>,
) -> ReadTool {
    match tool(element, schema) {
        Ok(tool) => Ok(McpTool { position: Some(position), ..tool }),
        Err(error) => {
            let tool_name = element.field("name", |name| name.text()).ok().flatten().unwrap_or_default();
            let reason = error.into_refusal(&element.path.to_string());
            Err(Box::new(RefusedTool { server_name: server_name.to_owned(), tool_name, position, reason }))
        }
    }
}

/// What says which kind a tool is: its name, its description, and its hints of reading and destroying. Of a wrong type they say
/// nothing.
pub fn told_of_kind(tool: &Input<'_, '_>) -> Result<(String, String, Option<bool>, Option<bool>)> {
    let name = tool.required("name", |name| name.text())?;
    let description = tool.field("description", |text| Ok(text.text().unwrap_or_default())).ok().flatten();
    let hinted = |given: &Input<'_, '_>, hint: &str| given.field(hint, |hint| Ok(hint.boolean().ok())).ok().flatten().flatten();
    let hints = tool.field("annotations", |given| Ok((hinted(&given, "readOnlyHint"), hinted(&given, "destructiveHint"))));
    let (reads, destroys) = hints.ok().flatten().unwrap_or_default();
    Ok((name, description.unwrap_or_default(), reads, destroys))
}

/// A tool to be checked by itself.
pub fn tool_to_check(input: &Input<'_, '_>) -> Result<McpTool> {
    tool(input, schema_text)
}

fn tool<'env>(input: &Input<'_, 'env>, schema: impl FnOnce(&Input<'_, 'env>) -> Result<Option<String>>) -> Result<McpTool> {
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
        input_schema: input.field("inputSchema", |value| schema(&value))?.flatten(),
        read_only,
        destructive,
        search_hint,
        always_load: own.unwrap_or(false) || asks_for_load,
        enabled_for_prompt: input.field("enabledForPrompt", |value| value.boolean())?.unwrap_or(true),
        search_description: text("searchDescription")?,
        position: None,
    })
}

fn schema_text(schema: &Input<'_, '_>) -> Result<Option<String>> {
    if schema.is_null() { Ok(None) } else { schema.json().map(Some) }
}

/// A schema as text; put aside when it is an object and the call has taken long enough.
fn schema_or_later<'env>(
    schema: &Input<'_, 'env>,
    (server, position): (usize, usize),
    later: Option<&Later<'env, LateTool>>,
) -> Result<Option<String>> {
    let Some(later) = later.filter(|later| schema.is_object() && later.is_late()) else { return schema_text(schema) };
    later.put(schema, move |schema| {
        let part = LatePart::Schema { text: schema.json(), path: schema.path.to_string() };
        LateTool { server, position, part }
    });
    Ok(None)
}

/// Fills in what was put aside, in its order. A tool that cannot be read is refused alone, a server refuses the call.
pub fn fill_in(servers: &mut Vec<McpServer>, late: Vec<LateTool>) -> Result<()> {
    for LateTool { server, position, part } in late {
        if let LatePart::Server(server) = part {
            servers.push((*server)?);
            continue;
        }
        let Some(server) = servers.get_mut(server) else { continue };
        match part {
            LatePart::Server(_) => {}
            LatePart::Whole(Ok(tool)) => server.tools.push(tool),
            LatePart::Whole(Err(refused)) => server.refused.push(*refused),
            LatePart::Schema { text, path } => {
                // One schema at most is late in a call whose tools are: it is the last one that was read in time.
                let Some(at) = server.tools.iter().rposition(|tool| tool.position == Some(position)) else { continue };
                match (text, server.tools.get_mut(at)) {
                    (Ok(text), Some(tool)) => tool.input_schema = Some(text),
                    (Err(error), _) => {
                        let tool_name = server.tools.remove(at).name;
                        let server_name = server.name.clone();
                        let reason = error.into_refusal(&path);
                        server.refused.push(RefusedTool { server_name, tool_name, position, reason });
                    }
                    (Ok(_), None) => {}
                }
            }
        }
    }
    for server in servers {
        server.refused.sort_by_key(|refused| refused.position);
    }
    Ok(())
}

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
pub fn list_modules_options(input: &Input<'_, '_>) -> Result<Option<Vec<ServerScope>>> {
    input.only_options(&["servers"])?;
    input.field("servers", |list| list.elements(MAX_ENTRY_LIST, |_, server| server_scope(&server)))
}

/// The longest delay that can be asked for: a minute, as the longest deadline.
const MAX_ADDED_MS: f64 = 60_000.0;

/// How long a turn may be delayed.
pub fn advise_options(input: &Input<'_, '_>) -> Result<Option<f64>> {
    input.only_options(&["maxAddedMs"])?;
    input.field("maxAddedMs", |ms| ms.ratio(0.0, MAX_ADDED_MS))
}
