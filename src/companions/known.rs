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
