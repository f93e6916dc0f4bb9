//! The pair of tools of the delivery `call`, and definitions as text.

use serde_json::json;

use super::own::READ_RESULT;
use super::shape::{self, Definition};
use crate::settings::OwnNames;
use crate::text::hidden;

/// The header of requests whose messages add and remove tools.
pub const CHANGES_BETA: &str = "mid-conversation-tool-changes-2026-07-01";

/// The tool that loads, as the session has it for a pair, and the one that calls, as definitions of Chat Completions.
pub fn pair(mcp_load: &str, names: OwnNames) -> [String; 2] {
    let (load, by) = (names.load(), names.call());
    let call = json!({
        "type": "function",
        "function": {
            "name": by,
            "description": format!("Call an MCP tool that this conversation defines, or lists in an interface. {load} finds others."),
            "parameters": {
                "type": "object",
                "properties": {
                    "name": { "type": "string", "description": "The name in its definition, or server.tool for one of an interface." },
                    "arguments": {
                        "type": "object",
                        "description": "An object that fits the tool's parameters."
                    }
                },
                "required": ["name", "arguments"],
                "additionalProperties": false
            }
        }
    });
    [mcp_load.to_owned(), call.to_string()]
}

/// `read_result`, as a definition of Chat Completions.
pub fn read_result() -> String {
    let text = |description: &str| json!({ "type": "string", "description": description });
    json!({
        "type": "function",
        "function": {
            "name": READ_RESULT,
            "description": "Read more of a result that was too long: by need, JSON path or range.",
            "parameters": {
                "type": "object",
                "properties": {
                    "handle": text("The handle that stands in the result's place."),
                    "need": text("What you look for, in words of the result."),
                    "path": text("As $.items[3].title or $.items[?@.open==true].id."),
                    "range": text("Lines: 10-40.")
                },
                "required": ["handle"],
                "additionalProperties": false
            }
        }
    })
    .to_string()
}

/// A definition as a line of text for the model.
pub fn line(definition: Definition<'_>) -> String {
    let Definition { name, description, schema } = definition;
    format!(r#"{{"name":"{name}","description":{description},"parameters":{schema}}}"#)
}

/// What the model reads about tools that it can call from now on, or no longer.
pub fn news(new: &[String], back: &[String], gone: &[String], names: OwnNames) -> Vec<String> {
    let mut parts = Vec::new();
    if !new.is_empty() {
        parts.push(format!("MCP tools that you can call with {}:\n{}", names.call(), new.join("\n")));
    }
    if !back.is_empty() {
        parts.push(format!("Available again: {}.", back.join(", ")));
    }
    if !gone.is_empty() {
        parts.push(format!("No longer available: {}.", gone.join(", ")));
    }
    parts
}

/// The arguments that `mcp_load` takes, and what it says, for a search tool of another shape.
fn search_parts(mcp_load: &str) -> Option<(&str, &str)> {
    let Definition { description, schema, .. } = shape::of_chat(mcp_load)?;
    Some((description, schema))
}

/// Tools that were found, as lines of TypeScript.
pub fn signed(lines: &[String], names: OwnNames) -> Option<String> {
    let (load, by) = (names.load(), names.call());
    let intro = format!("with the type of its arguments ({load} with its name answers the definition)");
    (!lines.is_empty()).then(|| format!("MCP tools that you can call with {by}, each {intro}:\n{}", lines.join("\n")))
}

/// The search tool of the Responses API; `description` and `schema` stand in for those of a text that says none.
pub fn search_tool(mcp_load: &str, description: &str, schema: &str) -> String {
    let (description, parameters) = search_parts(mcp_load).unwrap_or((description, schema));
    format!(r#"{{"type":"tool_search","execution":"client","description":{description},"parameters":{parameters}}}"#)
}

/// A server's name is foreign text: one line, of bounded length.
pub fn printable(name: &str) -> String {
    hidden::strip(name).chars().filter(|c| !c.is_control()).take(64).collect()
}
