//! What curation keeps.

use napi_derive::napi;

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

/// The uses that {@link ToolRouter.persistUses} found.
#[napi(object, object_from_js = false)]
pub struct UseHistory {
    /// Uses that are remembered now.
    pub use_count: u32,
    /// Why the file was read as empty, or cannot be written.
    pub warning: Option<String>,
}

answers! {
    core::router::Curated => Curated { kept, dropped };
    core::router::KeptFunction => KeptFunction { name, position, rank, score };
    core::curation::uses::UseHistory => UseHistory { use_count, warning };
}
