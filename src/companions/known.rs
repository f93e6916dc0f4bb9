//! What comes first on well-known servers, where neither a schema nor a description says so.
//!
//! `data/known.txt` names the tools of a server and what is usually called before each. A server is recognised by the names
//! of its tools, as users call servers what they like and versions differ by a few tools.

use std::collections::HashMap;

use once_cell::sync::Lazy;

use super::facts::ToolText;
use crate::text::terms::name_key;

/// This share of a server's tools must be known.
const LEAST_SHARE: f64 = 0.5;
/// A server that is not called what it is called here has as many tools that are: `search` alone is anybody's.
const FEWEST_UNNAMED: usize = 3;

/// The tools of one server, each with what comes before it.
type KnownServer = HashMap<&'static str, Vec<&'static str>>;

static SERVERS: Lazy<Vec<(String, KnownServer)>> = Lazy::new(|| {
    let mut servers: Vec<(String, KnownServer)> = Vec::new();
    for line in include_str!("data/known.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            servers.push((name_key(name), HashMap::new()));
        } else if let Some((_, tools)) = servers.last_mut() {
            let (tool, first) = line.split_once(": ").unwrap_or((line, ""));
            tools.insert(tool, first.split(", ").filter(|name| !name.is_empty()).collect());
        }
    }
    servers
});

/// Which servers of `SERVERS` have a tool of a name.
static BY_TOOL: Lazy<HashMap<&'static str, Vec<usize>>> = Lazy::new(|| {
    let mut by_tool: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, (_, tools)) in SERVERS.iter().enumerate() {
        for tool in tools.keys() {
            by_tool.entry(tool).or_default().push(at);
        }
    }
    by_tool
});

/// What comes before which tool, by their places: the tool, what comes before it, and how many come before that.
pub fn first(server_name: &str, tools: &[ToolText<'_>]) -> Vec<(usize, usize, usize)> {
    let Some(known) = recognise(server_name, tools) else { return Vec::new() };
    let places: HashMap<&str, usize> = tools.iter().enumerate().rev().map(|(at, tool)| (tool.name, at)).collect();
    let of_tool = |(at, tool): (usize, &ToolText<'_>)| {
        let names = known.get(tool.name).into_iter().flatten().enumerate();
        let found = names.filter_map(|(rank, name)| Some((at, *places.get(name)?, rank)));
        found.collect::<Vec<_>>()
    };
    tools.iter().enumerate().flat_map(of_tool).collect()
}

/// The known server that most of the tools are of; of several, one that is called so, then one with fewer other tools.
fn recognise(server_name: &str, tools: &[ToolText<'_>]) -> Option<&'static KnownServer> {
    let called = name_key(server_name);
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for at in tools.iter().filter_map(|tool| BY_TOOL.get(tool.name)).flatten() {
        *counts.entry(*at).or_default() += 1;
    }
    let is_called = |at: usize| called.contains(&SERVERS[at].0);
    #[expect(clippy::cast_precision_loss, reason = "counts of tools are far below 2^52")]
    let is_known =
        |at: usize, count: usize| count as f64 >= LEAST_SHARE * tools.len() as f64 && (count >= FEWEST_UNNAMED || is_called(at));
    let known = counts.into_iter().filter(|(at, count)| is_known(*at, *count));
    let best = known.max_by_key(|(at, count)| (*count, is_called(*at), std::cmp::Reverse((SERVERS[*at].1.len(), *at))));
    best.map(|(at, _)| &SERVERS[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named<'t>(names: &[&'t str]) -> Vec<ToolText<'t>> {
        names.iter().map(|name| ToolText { name, description: "", schema: "{}" }).collect()
    }

    #[test]
    fn every_line_names_tools_of_its_server() {
        let tools: usize = SERVERS.iter().map(|(_, tools)| tools.len()).sum();
        assert!(SERVERS.len() > 100 && tools > 3_800, "{} {tools}", SERVERS.len());
        for (server, tools) in SERVERS.iter() {
            for (tool, first) in tools {
                assert!(first.len() <= 3 && !first.contains(tool), "{server} {tool}");
                assert!(first.iter().all(|name| tools.contains_key(name)), "{server} {tool} {first:?}");
            }
        }
    }

    #[test]
    fn a_server_is_recognised_by_its_tools_whatever_it_is_called() {
        let tools = named(&["slack_list_channels", "slack_post_message", "slack_get_users", "our_own"]);
        assert!(first("chat", &tools).contains(&(1, 0, 0)));
        assert!(first("chat", &tools[..2]).is_empty(), "two names may be anybody's");
        assert!(first("my-slack", &tools[..2]).contains(&(1, 0, 0)));
        let strangers = named(&["slack_list_channels", "slack_post_message", "slack_get_users", "a", "b", "c", "d"]);
        assert!(first("slack", &strangers).is_empty(), "most of its tools are others");
        assert!(first("", &[]).is_empty());
    }
}
