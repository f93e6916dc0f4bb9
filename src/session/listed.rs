//! Which tools a task has in its directory.

use crate::document::id::ToolId;

/// The second tier of a task, behind its definitions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Directory {
    /// By rank, the best first.
    pub(super) tools: Vec<ToolId>,
    /// How many of them stand in the text of `mcp_load`, as long as they may be used.
    pub(super) in_text: usize,
    /// Tools whose signatures an answer told instead of their definitions.
    pub(super) told: Vec<ToolId>,
    /// Tokens of messages that the ledger knows of.
    pub(super) charged: usize,
}

impl Directory {
    /// What of it stands in the text of `mcp_load`.
    pub(super) fn in_text_alone(mut self) -> Self {
        self.tools.truncate(self.in_text);
        Self { tools: self.tools, in_text: self.in_text, ..Self::default() }
    }

    /// The directory of a saved state.
    pub(super) fn restored(tools: Vec<ToolId>, in_text: usize, told: Vec<ToolId>) -> Self {
        Self { in_text: in_text.min(tools.len()), tools, told, charged: 0 }
    }
}
