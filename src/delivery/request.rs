//! What a session says about the next request.

use std::sync::Arc;

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
    /// `mcp_load` where the task has it now, and how many usable tools stand before it.
    pub mcp_load: Option<(&'a str, usize)>,
    /// `mcp_load` for deliveries that always have it.
    pub search: &'a str,
    /// How many tools the model's API takes beside `mcp_load`.
    pub room: Option<usize>,
}
