//! Which tools a task has in its directory.

use crate::document::id::ToolId;

/// So many tools of earlier directories are remembered.
const MOST_FORMER: usize = 200;

/// The second tier of a task, behind its definitions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Directory {
    /// By rank, the best first.
    pub(super) tools: Vec<ToolId>,
    /// How many of them stand in the text of `mcp_load`, as long as they may be used.
    pub(super) in_text: usize,
    /// Tools whose signatures an answer told instead of their definitions.
    pub(super) told: Vec<ToolId>,
    /// Tools of earlier directories: a model may still write their names.
    pub(super) former: Vec<ToolId>,
    /// Tokens of messages that the ledger knows of.
    pub(super) charged: usize,
}

impl Directory {
    /// What of it stands in the text of `mcp_load`.
    pub(super) fn in_text_alone(mut self) -> Self {
        let former = self.former_now();
        self.tools.truncate(self.in_text);
        Self { tools: self.tools, in_text: self.in_text, former, ..Self::default() }
    }

    /// Another set is chosen.
    pub(super) fn forgotten(&self) -> Self {
        Self { former: self.former_now(), ..Self::default() }
    }

    fn former_now(&self) -> Vec<ToolId> {
        let mut all: Vec<ToolId> = Vec::new();
        for id in self.tools.iter().chain(&self.told).chain(&self.former) {
            if all.len() < MOST_FORMER && !all.contains(id) {
                all.push(id.clone());
            }
        }
        all
    }

    /// The tools in the text of `mcp_load`.
    pub(super) fn of_text(&self) -> &[ToolId] {
        &self.tools[..self.in_text]
    }

    /// Every tool whose name it told.
    pub(super) fn all(&self) -> impl Iterator<Item = &ToolId> {
        self.tools.iter().chain(&self.told).chain(&self.former)
    }

    /// The directory of a saved state.
    pub(super) fn restored(tools: Vec<ToolId>, in_text: usize, told: Vec<ToolId>) -> Self {
        Self { in_text: in_text.min(tools.len()), tools, told, ..Self::default() }
    }
}
