//! What became of servers that were set.

use super::mcp::RefusedTool;
use super::warning::Warning;
use crate::document::id::ToolId;
use crate::shield::Finding;

/// What setting or removing servers changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogueChange {
    /// Tools that are new.
    pub added: Vec<ToolId>,
    /// Tools whose text or schema differs from before.
    pub changed: Vec<ToolId>,
    /// Tools that are gone.
    pub removed: Vec<ToolId>,
    /// How many tools stayed as they were and kept their terms, vectors and token counts.
    pub unchanged: usize,
    /// Tools that could not be accepted.
    pub refused: Vec<RefusedTool>,
    /// What a host should know about the texts of new and changed tools, and about names of servers.
    pub warnings: Vec<Warning>,
    /// What the texts of new and changed tools, and of servers, try to do to a model; the worst first.
    pub findings: Vec<Found>,
    /// How many tools pinned themselves.
    pub server_pins: usize,
    /// How many more wished to.
    pub ignored_pins: usize,
}

/// A finding in a text of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The server.
    pub server_name: String,
    /// The tool, when it is in one's text.
    pub tool_name: Option<String>,
    /// What was found, and where.
    pub finding: Finding,
}

impl CatalogueChange {
    pub(super) fn extend(&mut self, other: Self) {
        self.added.extend(other.added);
        self.changed.extend(other.changed);
        self.removed.extend(other.removed);
        self.unchanged += other.unchanged;
        self.refused.extend(other.refused);
        self.warnings.extend(other.warnings);
        self.findings.extend(other.findings);
        self.server_pins += other.server_pins;
        self.ignored_pins += other.ignored_pins;
    }
}
