//! The answer of a turn.

use crate::catalogue::tool::ToolId;
use crate::embedding::service::Degraded;
use crate::index::Index;
use crate::ranking::Ranker;
use crate::ranking::query::QueryCut;
use crate::report::tokens::TokenReceipt;
use serde::{Deserialize, Serialize};

/// What the gate decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GateMode {
    /// Few tools: all attached, no `mcp_load`.
    All,
    /// Many: the best attached, the rest through `mcp_load`.
    Dynamic,
}

impl GateMode {
    /// The stable name that callers see.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Dynamic => "dynamic",
        }
    }
}

/// Why a pin or a limit left a tool out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAttachedReason {
    /// The model's API takes no more tools.
    OverLimit,
    /// Its definition does not fit in what is left of the token budget.
    OverBudget,
}

impl NotAttachedReason {
    /// The stable name that callers see.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OverLimit => "over-limit",
            Self::OverBudget => "over-budget",
        }
    }
}

/// A tool that would have been attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAttached {
    /// The tool.
    pub id: ToolId,
    /// Its provider name.
    pub name: String,
    /// Why not.
    pub reason: NotAttachedReason,
}

impl NotAttached {
    pub(crate) fn new(index: &Index, position: usize, reason: NotAttachedReason) -> Self {
        let tool = &index.tools[position];
        Self { id: tool.tool.id.clone(), name: tool.name.clone(), reason }
    }
}

/// What a turn attached, and what everything costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// The session.
    pub session_id: String,
    /// What the gate decided.
    pub mode: GateMode,
    /// The ranker of this turn; lexical when nothing had to be ranked.
    pub ranker: Ranker,
    /// Why the ranker is not the one asked for.
    pub degraded: Option<Degraded>,
    /// Provider names of all attached tools, in order.
    pub attached: Vec<String>,
    /// Those that this turn added.
    pub added: Vec<String>,
    /// The definition of `mcp_load` as JSON text, in dynamic mode.
    pub mcp_load: Option<String>,
    /// How many tools are in scope.
    pub scoped_count: usize,
    /// The turn, from 1.
    pub turn: usize,
    /// Whether no later turn attaches anything by itself.
    pub frozen: bool,
    /// Pins and first choices that a limit left out.
    pub not_attached: Vec<NotAttached>,
    /// What it cost.
    pub tokens: TokenReceipt,
    /// Set when the message was too long.
    pub query_cut: Option<QueryCut>,
}
