//! What curation keeps.

use napi_derive::napi;

use super::small;
use crate as core;

/// A function that {@link ToolRouter.curate} keeps.
#[napi(object, object_from_js = false)]
pub struct KeptFunction {
    /// Its name.
    pub name: String,
    /// Its place among the given functions, from 0: `functions[position]` is this function.
    pub position: u32,
    /// Its place by score among the MCP tools, from 1; absent from what is not curated.
    pub rank: Option<u32>,
    /// Its score; absent from what is not curated.
    pub score: Option<f64>,
}

/// The answer of {@link ToolRouter.curate}.
#[napi(object, object_from_js = false)]
pub struct Curated {
    /// The functions that stay, in the order in which they were given.
    pub kept: Vec<KeptFunction>,
    /// Names of MCP tools that are left out of this turn. They stay registered.
    pub dropped: Vec<String>,
}

impl From<core::router::Curated> for Curated {
    fn from(curated: core::router::Curated) -> Self {
        let kept = |kept: core::router::KeptFunction| KeptFunction {
            name: kept.name,
            position: small(kept.position),
            rank: kept.rank.map(small),
            score: kept.score,
        };
        Self { kept: curated.kept.into_iter().map(kept).collect(), dropped: curated.dropped }
    }
}

/// The uses that {@link ToolRouter.persistUses} found.
#[napi(object, object_from_js = false)]
pub struct UseHistory {
    /// Uses that are remembered now.
    pub use_count: u32,
    /// Why the file was read as empty, or cannot be written.
    pub warning: Option<String>,
}

impl From<core::curation::uses::UseHistory> for UseHistory {
    fn from(history: core::curation::uses::UseHistory) -> Self {
        Self { use_count: small(history.use_count), warning: history.warning }
    }
}
