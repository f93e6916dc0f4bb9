//! What rankings are asked with: options, tools by name, tools of a list.

use std::collections::{HashMap, HashSet};

use super::MAX_LIST;
use super::input::Input;
use crate::catalogue::mcp::{McpServer, McpTool};
use crate::catalogue::scope::{ServerScope, Servers};
use crate::catalogue::signatures::ShownParameters;
use crate::document::id::ToolId;
use crate::error::Result;
use crate::router::{Forget, RankOptions, ServerRankOptions};
pub use crate::session::attach::ToolReference;
use crate::settings::{MAX_K, Ranker};

/// A tool that is given in a call, with its description.
pub type ScopedTool = (ToolId, Option<String>);

pub fn scoped_tool(input: &Input<'_, '_>) -> Result<ScopedTool> {
    let description = input.field("description", |text| text.text())?;
    Ok((tool_id(input)?, description))
}

/// Tools given in a call, by server.
pub fn scoped_tools(tools: Vec<ScopedTool>) -> Vec<McpServer> {
    let mut servers: Vec<McpServer> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut seen = HashSet::new();
    for (at, (id, description)) in tools.into_iter().enumerate() {
        // The same tool twice is one tool.
        if seen.insert(id.clone()) {
            let place = *places.entry(id.server_name.clone()).or_insert(servers.len());
            if place == servers.len() {
                servers.push(McpServer { name: id.server_name, position: Some(place), ..McpServer::default() });
            }
            let tool = McpTool { description, position: Some(at), ..McpTool::new(id.tool_name) };
            servers.get_mut(place).into_iter().for_each(|server| server.tools.push(tool.clone()));
        }
    }
    servers
}

fn tool_id(input: &Input<'_, '_>) -> Result<ToolId> {
    Ok(ToolId::new(input.required("serverName", |name| name.name())?, input.required("toolName", |name| name.name())?))
}

pub fn tool_reference(input: &Input<'_, '_>) -> Result<ToolReference> {
    if input.is_text() { input.name().map(ToolReference::Name) } else { tool_id(input).map(ToolReference::Id) }
}

/// A tool, a server, or everything.
pub fn forget(input: &Input<'_, '_>) -> Result<Forget> {
    if input.is_undefined() {
        return Ok(Forget::All);
    }
    if input.is_text() {
        return input.name().map(Forget::Named);
    }
    input.only_keys(&["serverName", "toolName"])?;
    let server = input.required("serverName", |name| name.name())?;
    let tool = input.field("toolName", |name| name.name())?;
    Ok(tool.map_or_else(|| Forget::Server(server.clone()), |tool| Forget::Tool(ToolId::new(&server, tool))))
}

/// The servers of a scope.
pub fn server_scopes(input: &Input<'_, '_>) -> Result<Servers> {
    Ok(input.elements(MAX_LIST, |_, server| server_scope(&server))?.into_iter().collect())
}

/// A server of a scope: its name, or its name with those of the tools that may be used.
pub fn server_scope(input: &Input<'_, '_>) -> Result<ServerScope> {
    if !input.is_object() {
        return input.text().map(ServerScope::Whole);
    }
    input.only_keys(&["name", "tools"])?;
    let name = input.required("name", |name| name.text())?;
    let tools = input.required("tools", |tools| tools.texts(MAX_LIST))?.into_iter().collect();
    Ok(ServerScope::Part { name, tools })
}

/// Options of a ranking: of those that are known, among others.
fn options(input: &Input<'_, '_>, known: &[&str]) -> Result<RankOptions> {
    input.only_options(known)?;
    Ok(RankOptions {
        top_k: input.field("topK", |value| value.count(1, MAX_K))?,
        ranker: input.field("ranker", |value| value.one_of(&Ranker::NAMES))?,
        host_mode: input.field("hostMode", |value| value.text())?,
        servers: input.field("servers", |value| server_scopes(&value))?,
        deadline_ms: input.field("deadlineMs", |value| value.count(0, 60_000))?,
    })
}

pub fn rank_options(input: &Input<'_, '_>) -> Result<RankOptions> {
    options(input, &["topK", "ranker", "hostMode", "servers", "deadlineMs"])
}

pub fn server_rank_options(input: &Input<'_, '_>) -> Result<ServerRankOptions> {
    Ok(ServerRankOptions {
        rank: options(input, &["topK", "ranker", "hostMode", "servers", "deadlineMs", "toolsPerServer"])?,
        tools_per_server: input.field("toolsPerServer", |value| value.count(0, MAX_K))?,
    })
}

/// The longest text of one element: a tool's description may be as long.
const MAX_TEXT_BYTES: usize = 256 * 1024;

/// A text of a list.
pub fn bounded_text(input: &Input<'_, '_>) -> Result<String> {
    let read = input.text()?;
    if read.len() <= MAX_TEXT_BYTES { Ok(read) } else { Err(input.wrong(format!("at most {MAX_TEXT_BYTES} bytes"))) }
}

/// Texts with their names.
pub fn named_texts(input: &Input<'_, '_>) -> Result<Vec<(String, String)>> {
    input.elements(MAX_LIST, |_, element| {
        element.only_keys(&["name", "text"])?;
        let text = element.required("text", |text| bounded_text(&text))?;
        Ok((element.required("name", |name| name.name())?, text))
    })
}

/// What limits a ranking of texts.
pub fn text_options(input: &Input<'_, '_>) -> Result<RankOptions> {
    options(input, &["topK", "ranker", "deadlineMs"])
}

/// The scope of near names.
pub fn near_options(input: &Input<'_, '_>) -> Result<RankOptions> {
    options(input, &["hostMode", "servers"])
}

/// What limits a list of signatures: the scope, and the tools' names.
pub fn signature_options(input: &Input<'_, '_>) -> Result<(RankOptions, Option<Vec<String>>, ShownParameters)> {
    let options = options(input, &["hostMode", "servers", "names", "optional"])?;
    let optional = input.field("optional", |value| value.boolean())?.unwrap_or(true);
    let shown = if optional { ShownParameters::Fitting } else { ShownParameters::Required };
    Ok((options, input.field("names", |value| value.texts(MAX_LIST))?, shown))
}

/// What limits a listing: the scope, and whether tools that are off are listed too.
pub fn list_options(input: &Input<'_, '_>) -> Result<(RankOptions, bool)> {
    let options = options(input, &["hostMode", "servers", "withOff"])?;
    Ok((options, input.field("withOff", |value| value.boolean())?.unwrap_or(false)))
}
