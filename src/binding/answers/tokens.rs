//! What definitions and contexts cost.

use napi_derive::napi;

use crate as core;

/// The encoding that all counts are in.
const ENCODING: &str = "o200k_base";

/// What the definitions of one server cost.
#[napi(object, object_from_js = false)]
pub struct ServerTokens {
    pub server_name: String,
    /// Tokens of all its definitions in scope.
    pub scoped: u32,
    /// Tokens of its attached definitions.
    pub attached: u32,
    /// How many of its tools are attached.
    pub attached_count: u32,
}

/// What a selection cost and what it saved, in tokens of `o200k_base`, counted exactly.
#[napi(object, object_from_js = false)]
pub struct TokenReceipt {
    /// The encoding.
    #[napi(ts_type = "'o200k_base'")]
    pub encoding: String,
    /// All definitions in scope: what static loading costs.
    pub scoped: u32,
    /// The definitions attached.
    pub attached: u32,
    /// The definition of `mcp_load`, without the directory.
    pub mcp_load: u32,
    /// The directory, in the text of `mcp_load` or in messages; 0 without one.
    pub directory: u32,
    /// `scoped` minus `attached`, `mcpLoad` and `directory`, or 0.
    pub saved: u32,
    /// The most that a dynamic first selection may cost; a dynamic task adds nothing beyond twice that.
    pub budget: f64,
    /// The same by server, in catalogue order.
    pub servers: Vec<ServerTokens>,
    /// What the task's tools have cost since its conversation began, at a provider that caches.
    pub ledger: CacheLedger,
}

/// What tools cost a task at a provider that caches, in base-token equivalents (docs/delivery.md).
#[napi(object, object_from_js = false)]
pub struct CacheLedger {
    /// Writing definitions to the cache, each once.
    pub definitions: f64,
    /// Reading them, once per turn and load: a lower bound.
    pub reads: f64,
    /// Writing again what stands behind a list of tools that changed.
    pub rewrites: f64,
    /// How often that happened.
    pub rewrite_count: u32,
    /// Rewrites that cost an unknown amount, because `contextTokens` was never given.
    pub uncounted_rewrites: u32,
    /// The sum of the three costs.
    pub total: f64,
    /// The context as the host last gave it.
    pub context_tokens: Option<f64>,
}

/// Tokens of one part of a context.
#[napi(object, object_from_js = false)]
pub struct SectionTokens {
    /// The section's or server's name.
    pub name: String,
    /// Its tokens.
    pub tokens: u32,
    /// Its share of `window`, 0 or more.
    pub share: f64,
}

/// What fills a context, for a panel.
#[napi(object, object_from_js = false)]
pub struct ContextUsage {
    /// All tokens counted.
    pub total: u32,
    /// What shares refer to: the context window, or `total` when none is known.
    pub window: f64,
    /// The sections, in the order given.
    pub sections: Vec<SectionTokens>,
    /// MCP tools by server, in catalogue order.
    pub servers: Vec<SectionTokens>,
}

answers! {
    core::report::ledger::Ledger => CacheLedger {
        definitions, reads, rewrites, rewrite_count, uncounted_rewrites, context_tokens
    } with |it| { total: it.total() };
    core::report::receipt::TokenReceipt => TokenReceipt {
        scoped, attached, mcp_load, directory, saved, budget, servers, ledger
    } with |_it| { encoding: ENCODING.into() };
    core::report::receipt::ServerTokens => ServerTokens { server_name, scoped, attached, attached_count };
    core::report::receipt::ContextUsage => ContextUsage { total, window, sections, servers };
    core::report::receipt::SectionTokens => SectionTokens { name, tokens, share };
}
