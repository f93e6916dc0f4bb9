//! Every setting, its default and the reason for it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::curation::Curation;
use crate::error::{Error, Result};

/// How ranking is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RankingMode {
    /// Hybrid when vectors are there, lexical meanwhile.
    #[default]
    Auto,
    /// BM25 alone.
    Lexical,
    /// Vectors alone; lexical, and saying so, while there are none.
    Semantic,
    /// Both; lexical, and saying so, while there are no vectors.
    Hybrid,
}

impl RankingMode {
    /// All modes by the name that callers use.
    pub const NAMES: [(&'static str, Self); 4] =
        [("auto", Self::Auto), ("lexical", Self::Lexical), ("semantic", Self::Semantic), ("hybrid", Self::Hybrid)];
}

/// How many tools the first selection attaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "WrittenK", try_from = "WrittenK")]
pub enum InitialK {
    /// This many.
    Fixed(usize),
    /// As many as the ranking has evidence for.
    Auto,
}

/// The most tools that `auto` attaches in the first turn: what later ones add has room beside them
/// (`session::evidence`).
pub const AUTO_MOST: usize = 14;

impl InitialK {
    /// The most tools that it attaches.
    #[must_use]
    pub fn most(self) -> usize {
        match self {
            Self::Fixed(count) => count,
            Self::Auto => AUTO_MOST,
        }
    }
}

/// [`InitialK`] as it is written: a number or a word.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenK {
    Number(usize),
    Word(String),
}

impl From<InitialK> for WrittenK {
    fn from(k: InitialK) -> Self {
        match k {
            InitialK::Fixed(count) => Self::Number(count),
            InitialK::Auto => Self::Word(AUTO.to_owned()),
        }
    }
}

impl TryFrom<WrittenK> for InitialK {
    type Error = String;

    fn try_from(written: WrittenK) -> std::result::Result<Self, String> {
        match written {
            WrittenK::Number(count) => Ok(Self::Fixed(count)),
            WrittenK::Word(word) if word == AUTO => Ok(Self::Auto),
            WrittenK::Word(word) => Err(format!("initialK: expected a number or {AUTO:?}, got {word:?}")),
        }
    }
}

/// What a number may be instead, for `initialK`.
pub const AUTO: &str = "auto";

/// By which rule tools are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// By terms and vectors, as `ranking_mode` says.
    #[default]
    Auto,
    /// By keywords, recent uses and rescue tools, as `curation` says.
    Curator,
}

impl Policy {
    /// Both by the name that callers use.
    pub const NAMES: [(&'static str, Self); 2] = [("auto", Self::Auto), ("curator", Self::Curator)];
}

/// What is chosen first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScopeBy {
    /// Tools, of whichever servers.
    #[default]
    Tool,
    /// Servers, and then tools of theirs.
    Server,
}

impl ScopeBy {
    /// Both by the name that callers use.
    pub const NAMES: [(&'static str, Self); 2] = [("tool", Self::Tool), ("server", Self::Server)];
}

/// Which servers a mode of the host may use.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ModeScope {
    /// Only these servers, even when the list is empty. Wins over `blocked_mcp_servers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_mcp_servers: Option<Vec<String>>,
    /// All servers but these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_mcp_servers: Option<Vec<String>>,
}

/// The settings of a router, and of each session opened from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Settings {
    /// Scoped tools at or under this count are all attached. 50: below it, ranking saves less than
    /// it risks, and models still choose well (design of the first source).
    pub threshold: usize,
    /// The model's context in tokens, for `context_share`.
    pub context_window: Option<usize>,
    /// Scoped definitions under this share of `context_window` are all attached; 0 turns it off.
    pub context_share: f64,
    /// How many tools the first selection attaches. 30: models choose worse past 15 to 20 tools,
    /// and on multi-tool tasks 20 leaves a third of the needed tools out.
    pub initial_k: InitialK,
    /// How many new tools a later turn may attach; 0 turns the rolling window off. 3: with it,
    /// ten tools and three turns cover as much as forty tools at once.
    pub turn_k: usize,
    /// How many tools one `mcp_load` may attach. 10: a free-text search of a model is precise.
    pub search_k: usize,
    /// How many turns are ranked; 0 attaches everything (kill switch).
    pub search_turns: usize,
    /// The most tools the model's API takes, `native_tool_count` and `mcp_load` included.
    pub max_tools: Option<usize>,
    /// How many tools of its own the host sends.
    pub native_tool_count: usize,
    /// The most tokens of attached definitions in a dynamic selection.
    pub token_budget: Option<usize>,
    /// How ranking is done.
    pub ranking_mode: RankingMode,
    /// BM25's saturation of term frequency. 1.5, as the upstream extension.
    pub k1: f64,
    /// BM25's normalisation by document length. 0.75, as the upstream extension.
    pub b: f64,
    /// How long a ranking waits for the query's vector. 400 ms: twenty times what the model needs
    /// on two busy cores, and still under what a person notices before a model's answer.
    pub deadline_ms: usize,
    /// The most tokens of `mcp_load`'s list of servers. 200: names of about fifty servers.
    pub server_list_tokens: usize,
    /// How many missing-capability signals of a task are answered. 3, as the fifth source.
    pub max_reroutes: usize,
    /// Whether servers are chosen before tools.
    pub scope_by: ScopeBy,
    /// With `scope_by` server: how many servers are chosen. 5, as the fifth source.
    pub focus_servers: usize,
    /// With `scope_by` server: how many tools the first selection attaches. 15: the upper end of
    /// the focused set of the fifth source, under what models choose well from.
    pub focus_k: usize,
    /// By which rule tools are chosen.
    pub policy: Policy,
    /// How the policy `curator` chooses.
    pub curation: Curation,
    /// Scope by mode of the host, by slug.
    pub modes: BTreeMap<String, ModeScope>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            threshold: 50,
            context_window: None,
            context_share: 0.0,
            initial_k: InitialK::Fixed(30),
            turn_k: 3,
            search_k: 10,
            search_turns: 7,
            max_tools: None,
            native_tool_count: 0,
            token_budget: None,
            ranking_mode: RankingMode::Auto,
            k1: 1.5,
            b: 0.75,
            deadline_ms: 400,
            server_list_tokens: 200,
            max_reroutes: 3,
            scope_by: ScopeBy::Tool,
            focus_servers: 5,
            focus_k: 15,
            policy: Policy::Auto,
            curation: Curation::default(),
            modes: BTreeMap::new(),
        }
    }
}

/// The largest `k` of any list: no model takes a thousand tools.
pub const MAX_K: usize = 1000;
/// The largest count of tools or tokens: what a JavaScript number holds exactly.
pub const MAX_COUNT: usize = 9_007_199_254_740_991;

/// The least and the most of each whole number, by the name that callers use.
pub const COUNTS: [(&str, usize, usize); 13] = [
    ("threshold", 0, 100_000),
    ("contextWindow", 1, MAX_COUNT),
    ("turnK", 0, MAX_K),
    ("searchK", 1, MAX_K),
    ("searchTurns", 0, 1_000),
    ("maxTools", 1, MAX_COUNT),
    ("nativeToolCount", 0, 100_000),
    ("tokenBudget", 1, MAX_COUNT),
    ("deadlineMs", 0, 60_000),
    ("serverListTokens", 0, 10_000),
    ("maxReroutes", 1, 10),
    ("focusServers", 1, MAX_K),
    ("focusK", 1, MAX_K),
];
/// The most of each other number; the least is 0.
pub const RATIOS: [(&str, f64); 3] = [("contextShare", 1.0), ("k1", 10.0), ("b", 1.0)];

/// A whole number of the settings.
#[derive(Debug)]
pub enum CountField<'s> {
    /// One that has a default.
    Required(&'s mut usize),
    /// One that may be unset.
    Optional(&'s mut Option<usize>),
}

impl Settings {
    /// The whole numbers in the order of [`COUNTS`]; `None` where one is not set.
    pub fn counts_mut(&mut self) -> [CountField<'_>; 13] {
        use CountField::{Optional, Required};
        [
            Required(&mut self.threshold),
            Optional(&mut self.context_window),
            Required(&mut self.turn_k),
            Required(&mut self.search_k),
            Required(&mut self.search_turns),
            Optional(&mut self.max_tools),
            Required(&mut self.native_tool_count),
            Optional(&mut self.token_budget),
            Required(&mut self.deadline_ms),
            Required(&mut self.server_list_tokens),
            Required(&mut self.max_reroutes),
            Required(&mut self.focus_servers),
            Required(&mut self.focus_k),
        ]
    }

    /// The other numbers in the order of [`RATIOS`].
    pub fn ratios_mut(&mut self) -> [&mut f64; 3] {
        [&mut self.context_share, &mut self.k1, &mut self.b]
    }

    /// How many tools a first selection attaches, pins not counted.
    #[must_use]
    pub fn first_k(&self) -> InitialK {
        match (self.policy, self.scope_by) {
            (Policy::Curator, _) => InitialK::Fixed(self.curation.k),
            (Policy::Auto, ScopeBy::Tool) => self.initial_k,
            (Policy::Auto, ScopeBy::Server) => InitialK::Fixed(self.focus_k),
        }
    }

    /// Checks all ranges, and what no single field can see.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for a number out of its range, when `max_tools` leaves no room for
    /// `mcp_load`, or when `context_share` is set without `context_window`.
    pub fn check(&self, path: &str) -> Result<()> {
        let mut copy = self.clone();
        for ((name, least, most), field) in COUNTS.into_iter().zip(copy.counts_mut()) {
            let value = match field {
                CountField::Required(value) => Some(*value),
                CountField::Optional(value) => *value,
            };
            if let Some(value) = value.filter(|value| !(least..=most).contains(value)) {
                return Err(Error::invalid(format!("{path}.{name}"), format!("an integer from {least} to {most}"), value));
            }
        }
        if let InitialK::Fixed(value) = self.initial_k
            && !(1..=MAX_K).contains(&value)
        {
            return Err(Error::invalid(format!("{path}.initialK"), format!("an integer from 1 to {MAX_K}, or 'auto'"), value));
        }
        for ((name, most), value) in RATIOS.into_iter().zip(copy.ratios_mut()) {
            if !(0.0..=most).contains(value) {
                return Err(Error::invalid(format!("{path}.{name}"), format!("a number from 0 to {most}"), value));
            }
        }
        self.curation.check(&format!("{path}.curation"))?;
        if let Some(max_tools) = self.max_tools
            && max_tools <= self.native_tool_count
        {
            return Err(Error::invalid(
                format!("{path}.maxTools"),
                format!("at least {} (nativeToolCount {} and mcp_load)", self.native_tool_count + 1, self.native_tool_count),
                max_tools,
            ));
        }
        if self.context_share > 0.0 && self.context_window.is_none() {
            return Err(Error::invalid(
                format!("{path}.contextWindow"),
                format!("a number of tokens, because contextShare is {}", self.context_share),
                "undefined",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_valid() {
        assert!(Settings::default().check("configure").is_ok());
    }

    #[test]
    fn a_limit_without_room_for_mcp_load_is_refused_with_both_numbers() {
        let settings = Settings { max_tools: Some(20), native_tool_count: 20, ..Settings::default() };
        assert_eq!(
            settings.check("configure").unwrap_err().to_string(),
            "configure.maxTools: expected at least 21 (nativeToolCount 20 and mcp_load), got 20"
        );
    }

    #[test]
    fn a_number_out_of_its_range_is_refused_wherever_it_comes_from() {
        for (settings, path) in [
            (Settings { initial_k: InitialK::Fixed(0), ..Settings::default() }, "s.initialK"),
            (Settings { turn_k: 1001, ..Settings::default() }, "s.turnK"),
            (Settings { k1: -5.0, ..Settings::default() }, "s.k1"),
            (Settings { b: f64::NAN, ..Settings::default() }, "s.b"),
        ] {
            assert!(settings.check("s").unwrap_err().to_string().starts_with(path));
        }
    }
}
