//! How many MCP tools a curation keeps.

use serde::{Deserialize, Serialize};

use super::choices::MAX_K;
use crate::error::{Error, Result};

/// The most rescue tools, and the longest name of one: a tool's name has at most 512 bytes.
pub const MAX_RESCUE: usize = 1_000;

/// Tools that are kept whatever the message says: with them a coding model can always look at and
/// change files. The six of the second source.
pub const RESCUE: [&str; 6] = ["Read", "Grep", "Glob", "Edit", "Write", "Bash"];

named! {
    /// What is kept.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum CurationKind {
        /// The best `k` MCP tools of each turn.
        #[default]
        TopK = "top_k",
        /// All of them.
        Off = "off",
    }
}

/// How a curation chooses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Curation {
    /// What is kept.
    pub kind: CurationKind,
    /// How many MCP tools. 15, as the second source.
    pub k: usize,
    /// Names of tools that are kept first.
    pub rescue: Vec<String>,
}

impl Default for Curation {
    fn default() -> Self {
        Self { kind: CurationKind::TopK, k: 15, rescue: RESCUE.map(str::to_owned).to_vec() }
    }
}

impl Curation {
    /// How many MCP tools are kept; `None` for all of them.
    pub fn limit(&self) -> Option<usize> {
        match self.kind {
            CurationKind::TopK => Some(self.k),
            CurationKind::Off => None,
        }
    }

    /// Checks the ranges.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` naming the field and both values.
    pub fn check(&self, path: &str) -> Result<()> {
        if !(1..=MAX_K).contains(&self.k) {
            return Err(Error::invalid(format!("{path}.k"), format!("an integer from 1 to {MAX_K}"), self.k));
        }
        if self.rescue.len() > MAX_RESCUE {
            return Err(Error::invalid(format!("{path}.rescue"), format!("at most {MAX_RESCUE} elements"), self.rescue.len()));
        }
        Ok(())
    }
}
