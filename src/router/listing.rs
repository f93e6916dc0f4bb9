//! What is in scope, as a list: every tool with what the model is told and what its server said.

use super::facade::ToolRouter;
use super::rank::RankOptions;
use crate::catalogue::scope::Off;
use crate::document::id::ToolId;
use crate::error::Result;

/// A tool of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTool {
    /// The tool.
    pub id: ToolId,
    /// Its provider name.
    pub name: String,
    /// Its title for people.
    pub title: Option<String>,
    /// What the model is told.
    pub description: String,
    /// What the server sent, where the host overrides it.
    pub original_description: Option<String>,
    /// Whether it only reads.
    pub read_only: bool,
    /// Whether it is attached to every dynamic selection.
    pub always_load: bool,
    /// Why the configuration keeps it off, if it does.
    pub off: Option<Off>,
}

impl ToolRouter {
    /// Lists the tools in scope in catalogue order; with `with_off`, those that are off too.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for an unknown mode of the host.
    pub fn list_tools(&self, options: &RankOptions, with_off: bool) -> Result<Vec<ListedTool>> {
        let index = self.index();
        let scope = self.scope_of(options, "listTools.hostMode")?;
        let asked = |server: &str| options.servers.as_ref().is_none_or(|servers| servers.iter().any(|name| name == server));
        let servers = index.servers.iter().filter(|server| scope.allows(&server.name) && asked(&server.name));
        let tools = servers.flat_map(|server| server.tools.clone()).map(|at| &index.tools[at]);
        let listed = tools.filter(|tool| with_off || tool.off.is_none()).map(|indexed| ListedTool {
            id: indexed.tool.id.clone(),
            name: indexed.name.clone(),
            title: indexed.tool.title.clone(),
            description: indexed.tool.description.clone(),
            original_description: indexed.tool.original_description.clone(),
            read_only: indexed.tool.read_only,
            always_load: indexed.always_load,
            off: indexed.off,
        });
        Ok(listed.collect())
    }
}
