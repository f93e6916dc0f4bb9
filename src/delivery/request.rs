//! What a session says about the next request.

use std::collections::HashSet;
use std::sync::Arc;

use super::fixed::printable;
use crate::catalogue::tool::Tool;
use crate::document::id::ToolId;
use crate::settings::SchemaDetail;

/// A tool that the task may use now.
#[derive(Debug, Clone)]
pub struct Usable {
    /// The tool.
    pub id: ToolId,
    /// The name that the model calls.
    pub name: String,
    /// Its definition.
    pub tool: Arc<Tool>,
    /// How much of it the model is shown.
    pub detail: SchemaDetail,
}

/// See the module.
#[derive(Debug)]
pub struct Request<'a> {
    /// The tools that the task may use, in order.
    pub usable: &'a [Usable],
    /// Those that it may ask for, whose signatures go into a message, by rank.
    pub directory: &'a [Usable],
    /// The tools whose definitions may stay though the task cannot use them now: their server is away, or out of scope.
    pub away: &'a HashSet<ToolId>,
    /// The servers that the task may use, as a text names them. None where the text of `mcp_load` names them.
    pub servers: &'a [String],
    /// `mcp_load` where the task has it now, and how many usable tools stand before it.
    pub mcp_load: Option<(&'a str, usize)>,
    /// `mcp_load` for deliveries that always have it.
    pub search: &'a str,
    /// Whether a result is held that the model may read on.
    pub holds_results: bool,
    /// How many tools the model's API takes beside `mcp_load`.
    pub room: Option<usize>,
}

/// What became of servers since the previous request.
#[derive(Debug, Default)]
pub(super) struct ServerNews {
    /// The sentences about them.
    pub(super) told: Vec<String>,
    /// Those that a sentence calls gone: their tools need no other.
    pub(super) gone: HashSet<String>,
}

impl ServerNews {
    /// Whether a sentence says already that a tool is gone.
    pub(super) fn covers(&self, id: &ToolId) -> bool {
        !self.gone.is_empty() && self.gone.contains(&printable(&id.server_name))
    }
}
