//! Every setting, its default and the reason for it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

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
    pub initial_k: usize,
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
    /// Scope by mode of the host, by slug.
    pub modes: BTreeMap<String, ModeScope>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            threshold: 50,
            context_window: None,
            context_share: 0.0,
            initial_k: 30,
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
            modes: BTreeMap::new(),
        }
    }
}

/// The largest `k` of any list: no model takes a thousand tools.
pub const MAX_K: usize = 1000;

impl Settings {
    /// Checks what no single field can see.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` when `max_tools` leaves no room for `mcp_load`, or `context_share`
    /// is set without `context_window`.
    pub fn check(&self, path: &str) -> Result<()> {
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
}
