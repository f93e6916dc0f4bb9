//! What `mcp_load`, an attachment and an unload answer.

use napi_derive::napi;

use super::catalogue::ToolRef;
use super::ranking::{Degraded, QueryCut};
use super::small;
use crate as core;

/// A tool that a call attached.
#[napi(object, object_from_js = false)]
pub struct LoadedTool {
    /// The name that the model calls it by.
    pub name: String,
    pub server_name: String,
    pub tool_name: String,
    /// What it does, in one line.
    pub description: String,
    /// Its signature, where a search found it and `delivery` is `call`: it is told instead of the definition.
    pub signature: Option<String>,
}

/// A tool that a search found and did not attach: the model can load it by its name.
#[napi(object, object_from_js = false)]
pub struct NextTool {
    /// Its provider name.
    pub name: String,
    /// Its signature.
    pub signature: String,
}

/// A tool that was asked for by name and is unavailable, or that was found and does not fit.
#[napi(object, object_from_js = false)]
pub struct UnavailableTool {
    /// The name that was asked for; of several needs, the one that nothing fits.
    pub name: String,
    /// Why it is unavailable.
    #[napi(
        ts_type = "'unknown' | 'disabled' | 'out-of-scope' | 'server-gone' | 'tool-gone' | 'over-limit' | 'over-budget' | 'nothing-fits'"
    )]
    pub reason: String,
    /// Provider names that are similar to an unknown name.
    pub near: Vec<String>,
}

/// The answer to `mcp_load`; `JSON.stringify` of it is a good result for the model.
#[napi(object, object_from_js = false)]
pub struct LoadResult {
    /// Tools that this call attached.
    pub loaded: Vec<LoadedTool>,
    /// Provider names of tools that were found and had been attached before.
    pub already_attached: Vec<String>,
    /// Tools that were asked for by name and are unavailable, and found ones that do not fit.
    pub unavailable: Vec<UnavailableTool>,
    /// How many tools matched; of a list of modules, how many there are.
    pub matched: u32,
    /// Whether more matched than are named here.
    pub truncated: bool,
    /// The ranker, when the query was searched for.
    #[napi(ts_type = "Ranker")]
    pub ranker: String,
    /// Why the ranker is not the one asked for.
    pub degraded: Option<Degraded>,
    /// How likely any tool in scope serves the query, from 0 to 1; absent when nothing was searched for.
    pub evidence: Option<f64>,
    /// Set when it is doubtful that what was found does what is asked: what the model should do.
    pub doubt: Option<String>,
    /// Set when a search found nothing that fits; nothing is attached then.
    pub nothing_fits: Option<NothingFits>,
    /// Set when the query was too long.
    pub query_cut: Option<QueryCut>,
    /// The modules of the large server that the query names, or those that it asked to list; at most 50.
    pub modules: Vec<ServerModule>,
    /// Provider names of the tools of a server or module that the query names and that are not attached, the best first.
    pub others: Vec<String>,
    /// What a search found behind the tools that it attached, the best first, within 400 tokens.
    pub next: Vec<NextTool>,
    /// Provider names that `unload:` took away.
    pub unloaded: Vec<String>,
    /// Names behind `unload:` that were not attached.
    pub not_attached: Vec<String>,
    /// Where there was no room: provider names of attached tools that nobody called, at most 5.
    pub may_unload: Vec<String>,
}

/// A part of 1 to 25 tools of a server of more than 30, divided by what its tools are about.
#[napi(object, object_from_js = false)]
pub struct ServerModule {
    /// What it is loaded and unloaded by: the server's name, `/`, and a word or a few of its tools.
    pub name: String,
    pub server_name: String,
    /// What is in it, in one line: its first tools.
    pub description: String,
    /// How many of its tools are on and in scope.
    pub tool_count: u32,
    /// How many of them the session has attached; 0 without a session.
    pub attached_count: u32,
    /// Those tools: what others need first, then what finds, then the rest.
    pub tools: Vec<ToolRef>,
}

/// The answer to a search that no tool in scope serves.
#[napi(object, object_from_js = false)]
pub struct NothingFits {
    /// The nearest servers, those that are not connected first.
    pub servers: Vec<NearServer>,
    /// Provider names of the nearest tools, which were not attached; empty where all are far.
    pub tools: Vec<String>,
    /// What the model should do now, in a few sentences.
    pub message: String,
}

/// A server that comes near to what nothing fits.
#[napi(object, object_from_js = false)]
pub struct NearServer {
    /// Its name.
    pub name: String,
    /// Whether it is set; otherwise only the registry knows it.
    pub connected: bool,
}

/// The answer of {@link Session.attach}.
#[napi(object, object_from_js = false)]
pub struct AttachResult {
    /// Tools that this call attached.
    pub attached: Vec<LoadedTool>,
    /// Provider names of tools that had been attached before.
    pub already_attached: Vec<String>,
    /// Tools that are unavailable, and why.
    pub unavailable: Vec<UnavailableTool>,
}

/// The answer of {@link Session.unload}.
#[napi(object, object_from_js = false)]
pub struct UnloadResult {
    /// Provider names that are taken away.
    pub unloaded: Vec<String>,
    /// Names as asked for that were not attached.
    pub not_attached: Vec<String>,
}

answers! {
    core::session::modules::ModuleView => ServerModule {
        name, server_name, description, attached_count, tools
    } with |it| { tool_count: small(it.tools.len()) };
    core::session::load_result::LoadedTool => LoadedTool {
        name, server_name: id.server_name, tool_name: id.tool_name, description, signature
    };
    core::session::load_result::NothingFits => NothingFits { servers, tools } with |it| { message: it.message() };
    core::session::load_result::NearServer => NearServer { name, connected };
    core::session::load_result::LoadResult => AttachResult { attached: loaded, already_attached, unavailable };
    core::session::load_result::UnavailableTool => UnavailableTool { name, reason, near };
    core::session::load_result::UnloadResult => UnloadResult { unloaded, not_attached };
    core::session::load_result::LoadResult => LoadResult {
        loaded, already_attached, unavailable, matched, truncated, ranker, degraded, evidence, doubt, nothing_fits, query_cut, modules,
        others, next, unloaded, not_attached, may_unload
    };
    core::session::load_result::NextTool => NextTool { name, signature };
}
