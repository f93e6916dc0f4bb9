//! A track in a saved session: names alone, so that what a conversation names is declared after a restart too.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::pair::Pair;
use super::shape::of_chat;
use super::track::{Declared, Source, Track};
use crate::catalogue::name::is_name_of;
use crate::document::id::ToolId;
use crate::settings::{Delivery, OwnNames, Provider};

/// Maximum number of tools in a saved track: as many as a provider takes, deferred ones included.
const MAX_TOOLS: usize = 10_000;

/// See the module.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SavedTrack {
    provider: Provider,
    delivery: Delivery,
    #[serde(default)]
    names: OwnNames,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    search: Option<String>,
    tools: Vec<SavedTool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    listed: Vec<ToolId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    servers: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    away: Vec<ToolId>,
    #[serde(default, skip_serializing_if = "HashMap::is_empty")]
    namespaces: HashMap<String, usize>,
    /// Which list the provider has cached, in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    front: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SavedTool {
    name: String,
    server_name: String,
    tool_name: String,
    #[serde(default, skip_serializing_if = "is_false")]
    deferred: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    offered: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    named: bool,
    /// Which definition a message told, in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    told: Option<String>,
    /// Of `mcp_load` alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    definition: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

fn sorted(tools: &HashSet<ToolId>) -> Vec<ToolId> {
    let mut tools: Vec<ToolId> = tools.iter().cloned().collect();
    tools.sort();
    tools
}

impl SavedTool {
    /// Whether it has a name that it may have been given: others may have written the state.
    fn has_its_name(&self, names: OwnNames) -> bool {
        match &self.definition {
            None => is_name_of(&self.name, &self.server_name, &self.tool_name),
            Some(text) => {
                self.name == names.load()
                    && self.server_name.is_empty()
                    && of_chat(text).is_some_and(|definition| definition.name == self.name)
            }
        }
    }
}

impl Track {
    /// The track as it is saved; `None` before its first request.
    pub fn save(&self) -> Option<SavedTrack> {
        let tool = |declared: &Declared| SavedTool {
            name: declared.name.clone(),
            server_name: declared.id.server_name.clone(),
            tool_name: declared.id.tool_name.clone(),
            deferred: declared.deferred,
            offered: declared.offered,
            named: declared.named,
            told: declared.told.map(|hash| format!("{hash:016x}")),
            definition: match &declared.source {
                Source::Text(text) => Some(text.clone()),
                Source::Tool(..) | Source::Gone => None,
            },
        };
        self.begun.then(|| SavedTrack {
            provider: self.pair.provider,
            delivery: self.pair.delivery,
            names: self.pair.names,
            search: self.search.clone(),
            tools: self.declared.iter().map(tool).collect(),
            listed: self.listed.clone(),
            servers: self.servers.clone(),
            away: sorted(&self.away),
            namespaces: self.namespaces.clone(),
            front: self.front.map(|front| front.to_hex().to_string()),
        })
    }

    /// Reads a track back. Definitions come with the next request.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn restore(saved: SavedTrack) -> Result<Self, String> {
        let pair = Pair { provider: saved.provider, delivery: saved.delivery, names: saved.names };
        pair.checked("deliveries").map_err(|error| error.to_string())?;
        if saved.tools.len() > MAX_TOOLS {
            return Err(format!("deliveries: expected at most {MAX_TOOLS} tools, got {}", saved.tools.len()));
        }
        let mut track = Self::new(pair);
        for tool in saved.tools {
            let known = track.declared.iter().any(|declared| declared.name == tool.name);
            if known || !tool.has_its_name(saved.names) {
                return Err("deliveries: expected the provider names of tools, each once".to_owned());
            }
            let source = tool.definition.map_or(Source::Gone, Source::Text);
            track.declared.push(Declared {
                name: tool.name,
                id: ToolId::new(tool.server_name, tool.tool_name),
                source,
                deferred: tool.deferred,
                offered: tool.offered,
                named: tool.named,
                told: tool.told.and_then(|digits| u64::from_str_radix(&digits, 16).ok()),
            });
        }
        let front = saved.front.map(blake3::Hash::from_hex);
        track.front = front.transpose().map_err(|_| "deliveries: expected a hash in hexadecimal digits".to_owned())?;
        (track.search, track.namespaces) = (saved.search, saved.namespaces);
        (track.begun, track.restored) = (true, true);
        (track.listed, track.servers) = (saved.listed, saved.servers);
        track.away = saved.away.into_iter().collect();
        Ok(track)
    }
}
