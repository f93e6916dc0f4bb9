//! What a message says about servers and definitions that come and go, where the list of tools does not change.

use std::collections::HashSet;

use super::request::{Request, ServerNews};
use super::track::{Declared, Track, hash};
use crate::catalogue::tool::Tool;
use crate::document::id::ToolId;
use crate::settings::{Delivery, SchemaDetail};
use crate::text::tokens;

/// Maximum number of tokens of a list of servers: names of about fifty.
pub const SERVER_LIST_TOKENS: usize = 200;
/// Kept for "and 12 more".
const TOKENS_OF_MORE: usize = 6;

/// Names within the tokens of a list, and how many more there are.
pub fn listed_names(names: &[String]) -> String {
    let mut listed = String::new();
    for (at, name) in names.iter().enumerate() {
        let separator = if at == 0 { "" } else { ", " };
        let longer = format!("{listed}{separator}{name}");
        if tokens::count(&longer) + TOKENS_OF_MORE > SERVER_LIST_TOKENS {
            let rest = names.len() - at;
            return if at == 0 { format!("{rest} servers") } else { format!("{listed} and {rest} more") };
        }
        listed = longer;
    }
    listed
}

impl Track {
    /// Compares the servers of now with those that the model was told.
    pub(super) fn servers_news(&mut self, request: &Request<'_>, first: bool) -> ServerNews {
        let known = std::mem::replace(&mut self.servers, request.servers.to_vec());
        let without = |all: &[String], others: &[String]| -> Vec<String> {
            let others: HashSet<&String> = others.iter().collect();
            all.iter().filter(|name| !others.contains(name)).cloned().collect()
        };
        let (new, gone) = (without(&self.servers, &known), without(&known, &self.servers));
        let mut told = Vec::new();
        if !new.is_empty() {
            let what = if first && known.is_empty() { "Connected MCP servers" } else { "More MCP servers that you can use now" };
            told.push(format!("{what}: {}.", listed_names(&new)));
        }
        if !gone.is_empty() {
            told.push(format!("MCP servers that you cannot use now, with all their tools: {}.", listed_names(&gone)));
        }
        ServerNews { told, gone: gone.into_iter().collect() }
    }

    /// Whether messages refer to another definition of a tool than it has now.
    pub fn refers_to_another(&self, tool: &Tool, detail: SchemaDetail) -> bool {
        let refers = |declared: &Declared| declared.id == tool.id && declared.refers_to_another(hash(tool, detail));
        self.pair.delivery != Delivery::Call && self.declared.iter().any(refers)
    }

    /// Definitions that the model sees: which of them it cannot use now, and which it can again.
    pub(super) fn definitions_news(&mut self, request: &Request<'_>, servers: &ServerNews) -> Vec<String> {
        let usable: HashSet<&ToolId> = request.usable.iter().map(|tool| &tool.id).collect();
        let is_seen = |declared: &&Declared| declared.offered && !declared.is_own();
        let seen: Vec<(ToolId, String)> =
            self.declared.iter().filter(is_seen).map(|declared| (declared.id.clone(), declared.name.clone())).collect();
        let mut sentences = Vec::new();
        let away: Vec<&(ToolId, String)> = seen.iter().filter(|(id, _)| !usable.contains(id)).collect();
        let names = |tools: Vec<&(ToolId, String)>| tools.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", ");
        let new: Vec<_> = away.iter().copied().filter(|(id, _)| !self.away.contains(id) && !servers.covers(id)).collect();
        if !new.is_empty() {
            sentences.push(format!("Not available now: {}.", names(new)));
        }
        let back: Vec<_> = seen.iter().filter(|(id, _)| usable.contains(id) && self.away.contains(id)).collect();
        if !back.is_empty() {
            sentences.push(format!("Available again: {}.", names(back)));
        }
        let away: HashSet<ToolId> = away.into_iter().map(|(id, _)| id.clone()).collect();
        // Of a restored conversation a definition may be unknown until its server is back.
        self.away.retain(|id| !usable.contains(id));
        self.away.extend(away);
        sentences
    }
}
