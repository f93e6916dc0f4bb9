//! What a host most likely misspelt in a server: a key near a known one, and names that are no tools of the server.
//!
//! Names are compared only where the server has tools: before it is listed, nobody knows them.

use std::collections::HashSet;

use super::mcp::{AlwaysLoad, McpServer, MisspeltKey, OnlyAllow};
use super::name;
use super::warning::{Warning, WarningCode};

/// Warnings about names of one server: whoever sees these looks at the whole list.
const MAX_NAMES: usize = 8;

/// What to tell the host about a server, before its tools are accepted.
pub(super) fn of(server: &McpServer) -> Vec<Warning> {
    let keys = server.misspelt.iter().map(|MisspeltKey { tool_name, key, near }| {
        let detail = format!("the key {key:?} is not read; did you mean {near:?}?");
        Warning::new(WarningCode::UnknownKey, &server.name, tool_name.as_deref(), &detail)
    });
    let mut warnings: Vec<Warning> = keys.collect();
    let refused = server.refused.iter().map(|tool| tool.tool_name.as_str());
    let tools: HashSet<&str> = server.tools.iter().map(|tool| tool.name.as_str()).chain(refused).collect();
    if tools.is_empty() {
        return warnings;
    }
    let mut tools: Vec<&str> = tools.into_iter().collect();
    tools.sort_unstable();
    let unknown = named(server).filter(|(_, name)| tools.binary_search(name).is_err());
    warnings.extend(unknown.take(MAX_NAMES).map(|(field, name)| {
        let near = name::near(name, tools.iter().copied(), 1);
        let hint = near.first().map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
        let detail = format!("{field} names {name:?}, which is not a tool of the server{hint}");
        Warning::new(WarningCode::UnknownTool, &server.name, None, &detail)
    }));
    warnings
}

/// Every tool that the configuration of a server names, with the field that does.
fn named(server: &McpServer) -> impl Iterator<Item = (&'static str, &str)> {
    let pins: &[String] = if let AlwaysLoad::Tools(names) = &server.always_load { names } else { &[] };
    let allowed: &[String] = if let OnlyAllow::Tools(names) = &server.only_allow { names } else { &[] };
    let lists = [("onlyAllow", allowed), ("disabledTools", &server.disabled_tools), ("alwaysLoad", pins)];
    let maps =
        [("toolDescriptionOverrides", &server.tool_description_overrides), ("searchDescriptions", &server.search_descriptions)];
    let of_lists = lists.into_iter().flat_map(|(field, list)| list.iter().map(move |name| (field, name.as_str())));
    of_lists.chain(maps.into_iter().flat_map(|(field, map)| map.keys().map(move |name| (field, name.as_str()))))
}
