//! The answer of a turn.

use crate::degraded::Degraded;
use crate::document::id::ToolId;
use crate::index::Index;
use crate::query::QueryCut;
use crate::report::receipt::TokenReceipt;
use crate::settings::Ranker;
use serde::{Deserialize, Serialize};

named! {
    /// What the gate decided.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum GateMode {
        /// Few tools: all attached, no `mcp_load`.
        All = "all",
        /// Many: the best attached, the rest through `mcp_load`.
        Dynamic = "dynamic",
    }
}

named! {
    /// Which rule of the gate decided.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum GateRule {
        /// At most `threshold` tools are in scope.
        Threshold = "threshold",
        /// `searchTurns` is 0.
        KillSwitch = "kill-switch",
        /// More than `threshold` tools are in scope.
        OverThreshold = "over-threshold",
        /// All of them would be attached, and the model's API does not take so many.
        OverLimit = "over-limit",
    }
}

/// What the gate decided, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gate {
    /// What.
    pub mode: GateMode,
    /// Why.
    pub rule: GateRule,
}

named! {
    /// Why a pin or a limit left a tool out.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum NotAttachedReason {
        /// The model's API takes no more tools.
        OverLimit = "over-limit",
        /// Its definition does not fit in what is left of the token budget.
        OverBudget = "over-budget",
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

/// A tool that was attached because another one needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanionOf {
    /// The provider name of the tool that came along.
    pub name: String,
    /// The provider name of the tool that needs it; of a server's hub, the best tool of its server.
    pub of: String,
    /// The parameter or phrase of that tool that says so.
    pub by: String,
}

named! {
    /// Why the list of definitions does not continue the previous one.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum RewriteCause {
        /// The mode of the host, the settings or a switch of a server put tools out of scope or back.
        Scope = "scope",
        /// A server is gone, or back.
        Server = "server",
        /// An attached tool says something else now.
        Definition = "definition",
        /// Tools were unloaded.
        Unload = "unload",
        /// The set was chosen again.
        Compaction = "compaction",
        /// The task became dynamic, or attaches everything again.
        Gate = "gate",
    }
}

/// A rewrite of the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewrite {
    /// Why, each cause once.
    pub causes: Vec<RewriteCause>,
    /// Names that the model saw before and does not see now.
    pub withdrawn: Vec<String>,
    /// Names of attached tools that are back.
    pub returned: Vec<String>,
    /// Names whose definition changed.
    pub changed: Vec<String>,
}

/// What a turn attached, and what everything costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// The session.
    pub session_id: String,
    /// What the gate decided.
    pub mode: GateMode,
    /// Which rule of the gate decided; `None` before it was passed.
    pub rule: Option<GateRule>,
    /// The ranker of this turn; lexical when nothing had to be ranked.
    pub ranker: Ranker,
    /// Why the ranker is not the one asked for.
    pub degraded: Option<Degraded>,
    /// How likely any tool in scope serves the text, from 0 to 1; `None` when nothing was ranked.
    pub evidence: Option<f64>,
    /// Provider names of all attached tools, in order.
    pub attached: Vec<String>,
    /// Provider names of the tools of the directory that are not attached, by rank.
    pub directory: Vec<String>,
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
    /// Of those that this turn added, the ones that another tool brought along.
    pub companions: Vec<CompanionOf>,
    /// What it cost.
    pub tokens: TokenReceipt,
    /// What changed in the list besides growing at its end.
    pub rewrite: Option<Rewrite>,
    /// The task's host mode, when the settings do not have it: nothing is in scope then.
    pub unknown_host_mode: Option<String>,
    /// Set when the message was too long.
    pub query_cut: Option<QueryCut>,
}
