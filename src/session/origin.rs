//! How a tool came to be attached: for explanations and pages. Kept in memory alone; a restored task has forgotten it.

use std::fmt;

use super::task::Session;
use super::turn::Wanted;
use crate::document::id::ToolId;
use crate::index::Index;
use crate::settings::Policy;

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

impl Session {
    /// How an attached tool came; `None` for one that is not attached, or was before the task was restored.
    #[must_use]
    pub fn origin(&self, id: &ToolId) -> Option<&Origin> {
        self.origins.get(id).filter(|_| self.is_attached(id))
    }

    /// Why a tool of the call under way is attached: what brought it along, if anything did.
    pub(super) fn brought_or(&self, id: &ToolId, cause: Cause) -> Cause {
        let brought = self.brought.iter().find(|(tool, _, _)| tool == id);
        brought.map_or(cause, |(_, of, by)| Cause::Companion { of: of.clone(), by: by.clone() })
    }

    /// What has to be ranked to explain the order of the last turn.
    #[must_use]
    pub fn explained(&self, index: &Index, top_k: usize) -> Wanted {
        let message = self.last_message().to_owned();
        let before = self.said_before();
        if before.is_empty() || self.settings.policy != Policy::Ranking {
            return self.first_wanted(message, top_k);
        }
        let earlier = self.attached().filter(|tool| self.origins.get(&tool.id).is_none_or(|origin| origin.turn < self.turn));
        let attached = earlier.filter_map(|tool| index.position(&tool.id)).collect();
        Wanted { text: message, top_k, before: Some(before), attached: Some(attached), parent: None }
    }
}
