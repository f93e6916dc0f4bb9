//! How a tool came to be attached, and how others are shown: for explanations and pages. Kept in memory alone; a restored task has forgotten it.

use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::document::id::ToolId;
use crate::report::price::Tier;

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

/// What became of a tool of the latest text that was ranked. Thousands are looked at, and each open task keeps them: a hash
/// stands for the tool, a reference for the row's name, and -1 for no chance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed {
    id: u64,
    chance: f64,
    /// How it is shown.
    pub tier: Tier,
    /// The row of `place::PLACE` that decided.
    pub row: &'static &'static str,
}

impl Placed {
    pub(super) fn new(id: &ToolId, chance: Option<f64>, tier: Tier, row: &'static &'static str) -> Self {
        Self { id: hash(id), chance: chance.unwrap_or(-1.0), tier, row }
    }

    /// How likely the task needs it, from 0 to 1, where the ranking says chances.
    pub fn chance(&self) -> Option<f64> {
        (self.chance >= 0.0).then_some(self.chance)
    }

    pub(super) fn is_of(&self, id: &ToolId) -> bool {
        self.id == hash(id)
    }
}

fn hash(id: &ToolId) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}
