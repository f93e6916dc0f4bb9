//! What comes first on well-known servers, by what is known of them.

use std::collections::HashMap;

use super::facts::ToolText;
use crate::knowledge::knowledge;

/// What comes before which tool, by their places: the tool, what comes before it, and how many come before that.
pub fn first(server_name: &str, tools: &[ToolText<'_>]) -> Vec<(usize, usize, usize)> {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    let Some(known) = knowledge().recognise(server_name, &names) else { return Vec::new() };
    let places: HashMap<&str, usize> = names.iter().enumerate().rev().map(|(at, name)| (*name, at)).collect();
    let of_tool = |(at, name): (usize, &&str)| {
        let first = known.tools.get(*name).into_iter().flatten().enumerate();
        let found = first.filter_map(|(rank, name)| Some((at, *places.get(name.as_str())?, rank)));
        found.collect::<Vec<_>>()
    };
    names.iter().enumerate().flat_map(of_tool).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_first_is_known_by_place() {
        let names = ["slack_list_channels", "slack_post_message", "slack_get_users"];
        let tools = names.map(|name| ToolText { name, description: "", schema: "{}", read_only: false });
        assert!(first("chat", &tools).contains(&(1, 0, 0)));
        assert!(first("chat", &tools[..2]).is_empty(), "two names may be anybody's");
    }
}
