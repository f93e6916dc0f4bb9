//! What the model of a task was told.

use crate::delivery::{Pair, Track};
use crate::document::id::ToolId;
use crate::report::ledger::Ledger;

/// What the model was last shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    pub(super) tools: Vec<(ToolId, String, u64)>,
    pub(super) mcp_load: Option<(String, bool)>,
    /// How many tools were attached then, those included that were out of scope.
    pub(super) attached: Vec<ToolId>,
}

/// What the model was told, and what it has cost.
#[derive(Debug, Clone, Default)]
pub(super) struct Told {
    pub(super) shown: Option<Shown>,
    /// For each provider and delivery that the task was rendered for.
    pub(super) tracks: Vec<Track>,
    /// That of the latest request, unless settings changed since, and whether it is another than the settings lead to.
    pub(super) rendered: Option<(Pair, bool)>,
    /// A result is held that the model may read on.
    pub(super) holds_results: bool,
    /// The host reads the list of tools and renders nothing.
    pub(super) reads_list: bool,
    /// Of its tools, since the conversation began.
    pub(super) ledger: Ledger,
}
