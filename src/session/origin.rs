//! How a tool came to be attached: for explanations and pages. Kept in memory alone; a restored task has forgotten it.

use std::fmt;

use crate::document::id::ToolId;

/// Why a tool was attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// All tools in scope are.
    All,
    /// The host or its server asks for it with every first selection.
    Pinned,
    /// The text names it.
    Named,
    /// The ranking of the text.
    Ranked,
    /// Another tool needs it.
    Companion {
        /// The other tool.
        of: ToolId,
        /// The parameter or phrase that says so.
        by: String,
    },
    /// The model asked for it.
    Loaded,
    /// The model signalled a missing capability.
    Rerouted,
    /// The task had called it, and a compaction kept it.
    Kept,
}

impl Cause {
    /// The stable name that callers see.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Pinned => "pinned",
            Self::Named => "named",
            Self::Ranked => "ranked",
            Self::Companion { .. } => "companion",
            Self::Loaded => "loaded",
            Self::Rerouted => "rerouted",
            Self::Kept => "kept",
        }
    }
}

/// When and why a tool was attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The turn, from 1; of a load, the turn before it.
    pub turn: usize,
    /// Why.
    pub cause: Cause,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "attached in turn {}: {}", self.turn, self.cause.name())?;
        if let Cause::Companion { of, by } = &self.cause {
            write!(f, " of {}/{} ({by})", of.server_name, of.tool_name)?;
        }
        Ok(())
    }
}
