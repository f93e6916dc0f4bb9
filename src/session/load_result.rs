//! What `mcp_load` and an unload answer.

use std::fmt::Write as _;

use super::modules::ModuleView;
use crate::degraded::Degraded;
use crate::delivery::printable;
use crate::document::id::ToolId;
use crate::query::QueryCut;
use crate::ranking::Ranking;
use crate::settings::Ranker;

named! {
    /// Why a tool that was asked for is unavailable.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Unavailable {
        /// No tool has this name.
        Unknown = "unknown",
        /// The configuration keeps it off.
        Disabled = "disabled",
        /// The task's mode leaves its server out.
        OutOfScope = "out-of-scope",
        /// It was attached before and its server is gone.
        ServerGone = "server-gone",
        /// It was attached before, and its server, which is there, has it no more.
        ToolGone = "tool-gone",
        /// The model's API takes no more tools.
        OverLimit = "over-limit",
        /// The definitions of the task cost as much as they may; something must be unloaded first.
        OverBudget = "over-budget",
        /// One of several needs, which no tool serves.
        NothingFits = "nothing-fits",
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
    /// Its signature, where the model reads that instead of its definition.
    pub signature: Option<String>,
}

/// A tool that a search found and did not attach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextTool {
    /// Its provider name.
    pub name: String,
    /// Its signature.
    pub signature: String,
}

/// A tool that is unavailable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnavailableTool {
    /// The name as asked for.
    pub name: String,
    /// Why.
    pub reason: Unavailable,
    /// Provider names that are near: for an unknown one of any server, for one that is gone of its own.
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
    /// What a search found behind the tools that it attached, the best first.
    pub next: Vec<NextTool>,
    /// Provider names that were taken away.
    pub unloaded: Vec<String>,
    /// Names to take away that were not attached.
    pub not_attached: Vec<String>,
    /// Where there was no room: provider names of attached tools that nobody called, some of which could be taken away.
    pub may_unload: Vec<String>,
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
    /// Whether the search was in English, which is understood best: only then is it said that no tool does this.
    pub in_english: bool,
}

impl NothingFits {
    /// What the model should do now.
    pub fn message(&self) -> String {
        let names = |connected: bool| {
            let names = self.servers.iter().filter(|server| server.connected == connected);
            names.map(|server| printable(&server.name)).collect::<Vec<_>>().join(", ")
        };
        let (absent, near) = (names(false), names(true));
        let mut text = if !self.in_english {
            let near = if self.tools.is_empty() { String::new() } else { format!(" The nearest: {}.", self.tools.join(", ")) };
            format!(
                "Nothing was found in these words.{near} Search again in English words before you tell the user that it is missing."
            )
        } else if self.tools.is_empty() {
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
        if self.in_english && !near.is_empty() {
            let _ = write!(text, " Nearest servers: {near}; load one by its name to see its tools.");
        }
        text
    }
}

/// What goes with tools that may not do what is asked.
pub(crate) const DOUBT: &str = "These are the nearest tools, and perhaps none does this. Read their definitions first; if none fits, \
                                use the tools you have, or tell the user what is missing.";

/// Servers that are known and not connected, beside tools that fit weakly.
pub(crate) fn not_connected(names: &[String]) -> Option<String> {
    let names: Vec<String> = names.iter().map(|name| printable(name)).collect();
    let text = || format!("Known but not connected: {}; if no tool here does this, the user could connect it.", names.join(", "));
    (!names.is_empty()).then(text)
}

/// The same about one of several needs, whose tools stand among those of others.
fn doubt_about(need: &str, result: &LoadResult) -> String {
    let loaded = result.loaded.iter().map(|tool| &tool.name);
    let names: Vec<&str> = loaded.chain(&result.already_attached).map(String::as_str).collect();
    format!(
        "For \"{}\" the nearest tools are {}, and perhaps none does it: read their definitions first.",
        printable(need),
        names.join(", ")
    )
}

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
    pub fn of_ranking(ranking: &Ranking) -> Self {
        let Ranking { ranker, degraded, query_cut, evidence, .. } = *ranking;
        Self { ranker, degraded, query_cut, evidence: Some(evidence), ..Self::empty() }
    }

    /// The answer to several needs: what any of them found. A need that nothing serves is told by its own words.
    pub fn of_needs<'n>(answered: impl Iterator<Item = (&'n str, Self)>) -> Self {
        let answered: Vec<(&str, Self)> = answered.collect();
        let is_one_of_several = answered.len() > 1;
        let found_nothing = answered.iter().all(|(_, result)| result.nothing_fits.is_some());
        let mut all: Option<Self> = None;
        for (need, mut result) in answered {
            let nothing_fits = result.nothing_fits.take_if(|_| !found_nothing);
            let reason = Unavailable::NothingFits;
            let missed = nothing_fits.map(|nothing| UnavailableTool { name: need.to_owned(), reason, near: nothing.tools });
            result.unavailable.extend(missed);
            if is_one_of_several && result.doubt.is_some() {
                result.doubt = Some(doubt_about(need, &result));
            }
            match &mut all {
                None => all = Some(result),
                Some(all) => all.add(result),
            }
        }
        all.unwrap_or_else(Self::empty)
    }

    fn add(&mut self, other: Self) {
        let is_new = |name: &String| !self.already_attached.contains(name) && !self.loaded.iter().any(|tool| tool.name == *name);
        let known: Vec<String> = other.already_attached.into_iter().filter(is_new).collect();
        self.already_attached.extend(known);
        self.loaded.extend(other.loaded);
        self.unavailable.extend(other.unavailable);
        if !other.may_unload.is_empty() {
            self.may_unload = other.may_unload;
        }
        self.matched += other.matched;
        self.truncated |= other.truncated;
        self.degraded = self.degraded.or(other.degraded);
        self.doubt = self.doubt.take().into_iter().chain(other.doubt).reduce(|all, doubt| all + " " + &doubt);
        if let (Some(all), Some(other)) = (&mut self.nothing_fits, other.nothing_fits) {
            let new = other.servers.into_iter().filter(|server| !all.servers.contains(server));
            all.servers.extend(new.collect::<Vec<_>>());
            let new = other.tools.into_iter().filter(|name| !all.tools.contains(name));
            all.tools.extend(new.collect::<Vec<_>>());
            all.in_english &= other.in_english;
        }
        self.evidence = self.evidence.into_iter().chain(other.evidence).reduce(f64::max);
        let next = other.next.into_iter().filter(|tool| !self.next.iter().any(|known| known.name == tool.name));
        self.next.extend(next.collect::<Vec<_>>());
        self.next.retain(|tool| !self.loaded.iter().any(|loaded| loaded.name == tool.name));
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
            next: Vec::new(),
            unloaded: Vec::new(),
            not_attached: Vec::new(),
            may_unload: Vec::new(),
        }
    }
}
