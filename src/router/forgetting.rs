//! What was learned from calls, and is forgotten: because the host says so, or because the definition that it is about has gone.

use std::collections::HashSet;

use super::facade::ToolRouter;
use crate::catalogue::change::CatalogueChange;
use crate::catalogue::name::{provider_name, underscored};
use crate::document::id::ToolId;

/// What to forget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forget {
    /// Everything.
    All,
    /// What was learned about the tools of a server.
    Server(String),
    /// What was learned about a tool.
    Tool(ToolId),
    /// A tool by its provider name, or a server by its name.
    Named(String),
}

impl Forget {
    fn covers(&self, id: &ToolId) -> bool {
        match self {
            Self::All => true,
            Self::Server(name) => id.server_name == *name,
            Self::Tool(tool) => id == tool,
            Self::Named(name) => {
                id.server_name == *name || underscored(&provider_name(&id.server_name, &id.tool_name)) == underscored(name)
            }
        }
    }
}

impl ToolRouter {
    /// Forgets what calls taught: which tools are used, what requests led to, and what was called before what; a file of uses is
    /// written. The answer is how many tools something was known about. They need not be in the catalogue any more.
    pub fn forget(&self, what: &Forget) -> usize {
        let gone = self.forget_those(&|id| what.covers(id));
        // A file that cannot be written is told by `persistUses`.
        let _ = self.uses.lock().save();
        gone
    }

    /// What was learned about a definition goes with it. A file of uses keeps what it has until the next use is written: a host
    /// that removes its servers before it ends finds its uses again.
    pub(super) fn forget_gone(&self, change: &CatalogueChange) {
        let gone: HashSet<&ToolId> = change.removed.iter().chain(&change.changed).collect();
        if !gone.is_empty() {
            self.forget_those(&|id| gone.contains(id));
        }
    }

    fn forget_those(&self, is_gone: &dyn Fn(&ToolId) -> bool) -> usize {
        let mut gone = self.uses.lock().forget(is_gone);
        gone.extend(self.sessions.lock().used.forget(is_gone));
        gone.len()
    }
}
