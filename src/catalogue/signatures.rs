//! Tools as signatures, for a model that reads many of them.

use std::collections::HashMap;

use super::tool::Tool;
use crate::schema::{Groups, Signature};

/// An interface for each server, in the order of its first tool.
#[must_use]
pub fn interfaces<'t>(tools: impl IntoIterator<Item = &'t Tool>) -> String {
    let mut servers: Vec<(&str, Vec<&Signature>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for tool in tools {
        let server = tool.id.server_name.as_str();
        let place = *places.entry(server).or_insert(servers.len());
        if place == servers.len() {
            servers.push((server, Vec::new()));
        }
        servers[place].1.push(tool.signature());
    }
    let mut groups = Groups::default();
    let texts = servers.iter().map(|(server, signatures)| groups.interface(server, signatures));
    texts.collect::<Vec<_>>().join("\n")
}
