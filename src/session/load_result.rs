//! What `mcp_load` and an unload answer.

use std::fmt::Write as _;

use super::modules::ModuleView;
use super::printable::printable;
use crate::degraded::Degraded;
use crate::document::id::ToolId;
use crate::query::QueryCut;
use crate::ranking::Ranking;
use crate::settings::Ranker;

/// Why a tool that was asked for is unavailable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unavailable {
    /// No tool has this name.
    Unknown,
    /// The configuration keeps it off.
    Disabled,
    /// The task's mode leaves its server out.
    OutOfScope,
    /// It was attached before and its server is gone.
    ServerGone,
    /// The model's API takes no more tools.
    OverLimit,
    /// The definitions of the task cost as much as they may; something must be unloaded first.
    OverBudget,
}

impl Unavailable {
    /// The stable name that callers and models see.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Disabled => "disabled",
            Self::OutOfScope => "out-of-scope",
            Self::ServerGone => "server-gone",
            Self::OverLimit => "over-limit",
            Self::OverBudget => "over-budget",
        }
    }
}

/// A tool that was attached by this call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedTool {
    /// The name to call it by.
    pub name: String,
    /// The tool.
    pub id: ToolId,
    /// What it does, in one line.
    pub description: String,
}

/// A tool that is unavailable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnavailableTool {
    /// The name as asked for.
    pub name: String,
    /// Why.
    pub reason: Unavailable,
    /// Provider names that are near, for an unknown one.
    pub near: Vec<String>,
}

/// The answer to `mcp_load`.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadResult {
    /// Newly attached tools.
    pub loaded: Vec<LoadedTool>,
    /// Provider names of tools found that were attached before.
    pub already_attached: Vec<String>,
    /// Tools asked for by name that are unavailable.
    pub unavailable: Vec<UnavailableTool>,
    /// How many tools matched.
    pub matched: usize,
    /// Whether more matched than were attached.
    pub truncated: bool,
    /// The ranker, when the query was searched for.
    pub ranker: Ranker,
    /// Why the ranker is not the one asked for.
    pub degraded: Option<Degraded>,
    /// How likely any tool in scope serves the query, from 0 to 1; `None` when nothing was searched for.
    pub evidence: Option<f64>,
    /// Set when it is doubtful that the tools that were found do what is asked.
    pub doubt: Option<String>,
    /// Set when a search found nothing that fits; nothing is attached then.
    pub nothing_fits: Option<NothingFits>,
    /// Set when the query was too long.
    pub query_cut: Option<QueryCut>,
    /// Modules: of the server that was asked for, or those that were listed.
    pub modules: Vec<ModuleView>,
    /// Provider names of tools of the server or module that was asked for, that were not attached.
    pub others: Vec<String>,
    /// Provider names that were taken away.
    pub unloaded: Vec<String>,
    /// Names to take away that were not attached.
    pub not_attached: Vec<String>,
}

/// A server that comes near to what nothing fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearServer {
    /// Its name.
    pub name: String,
    /// Whether it is set; otherwise the registry alone knows it.
    pub connected: bool,
}

/// The answer to a search that nothing serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NothingFits {
    /// The nearest servers, those that are not connected first.
    pub servers: Vec<NearServer>,
    /// Provider names of the nearest tools; none where all are far.
    pub tools: Vec<String>,
}

impl NothingFits {
    /// What the model should do now.
    #[must_use]
    pub fn message(&self) -> String {
        let names = |connected: bool| {
            let names = self.servers.iter().filter(|server| server.connected == connected);
            names.map(|server| printable(&server.name)).collect::<Vec<_>>().join(", ")
        };
        let (absent, near) = (names(false), names(true));
        let mut text = if self.tools.is_empty() {
            "No connected tool does this. Do not try again in other words; use the tools you have, or tell the user what is missing."
                .to_owned()
        } else {
            format!(
                "No connected tool seems to do this. The nearest: {}; load one by its name if it helps. Otherwise use the tools you \
                 have, or tell the user what is missing.",
                self.tools.join(", ")
            )
        };
        if !absent.is_empty() {
            let _ = write!(text, " Known but not connected: {absent}; the user could connect it.");
        }
        if !near.is_empty() {
            let _ = write!(text, " Nearest servers: {near}; load one by its name to see its tools.");
        }
        text
    }
}

/// What goes with tools that may not do what is asked.
pub(crate) const DOUBT: &str = "These are the nearest tools, and perhaps none does this. Read their definitions first; if none fits, \
                                use the tools you have, or tell the user what is missing.";

/// The answer to an unload.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnloadResult {
    /// Names that are taken away.
    pub unloaded: Vec<String>,
    /// Names as asked for that were not attached.
    pub not_attached: Vec<String>,
}

impl LoadResult {
    /// An answer that attaches nothing yet.
    #[must_use]
    pub fn of_ranking(ranking: &Ranking) -> Self {
        let Ranking { ranker, degraded, query_cut, evidence, .. } = *ranking;
        Self { ranker, degraded, query_cut, evidence: Some(evidence), ..Self::empty() }
    }

    pub(crate) fn empty() -> Self {
        Self {
            loaded: Vec::new(),
            already_attached: Vec::new(),
            unavailable: Vec::new(),
            matched: 0,
            truncated: false,
            ranker: Ranker::Lexical,
            degraded: None,
            evidence: None,
            doubt: None,
            nothing_fits: None,
            query_cut: None,
            modules: Vec::new(),
            others: Vec::new(),
            unloaded: Vec::new(),
            not_attached: Vec::new(),
        }
    }
}
