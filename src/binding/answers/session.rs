//! What a session answers.

use napi_derive::napi;

use super::catalogue::ToolId;
use super::ranking::{CompanionOf, Degraded, QueryCut};
use super::small;
use super::tokens::TokenReceipt;
use crate as core;

/// A tool that a limit left out of a selection.
#[napi(object, object_from_js = false)]
pub struct NotAttached {
    /// The server's name.
    pub server_name: String,
    /// The tool's name.
    pub tool_name: String,
    /// Its provider name.
    pub name: String,
    /// Which limit.
    #[napi(ts_type = "'over-limit' | 'over-budget'")]
    pub reason: String,
}

/// What a turn attached, and what everything costs.
#[napi(object, object_from_js = false)]
pub struct Selection {
    /// The session's id.
    pub session_id: String,
    /// `all`: few tools, all attached. `dynamic`: the best attached, the rest through `mcp_load`.
    #[napi(ts_type = "'all' | 'dynamic'")]
    pub mode: String,
    /// Which rule of the gate decided: at most `threshold` tools are in scope; they cost less than `contextShare`;
    /// `searchTurns` is 0; more than `threshold` are in scope; all would be attached and `maxTools` less
    /// `nativeToolCount` is fewer. It is the rule of the last time that the gate was passed. Absent
    /// before the first turn.
    #[napi(ts_type = "'threshold' | 'context-share' | 'kill-switch' | 'over-threshold' | 'over-limit'")]
    pub rule: Option<String>,
    /// The ranker of this turn; `lexical` when nothing had to be ranked.
    #[napi(ts_type = "Ranker")]
    pub ranker: String,
    /// Why the ranker is not the one asked for.
    pub degraded: Option<Degraded>,
    /// Provider names of all attached tools, in the order of attachment. The list grows at its end; what else changed is in
    /// `rewrite`. Tools that are out of scope now, or whose server is gone, keep their place and are not rendered.
    pub attached: Vec<String>,
    /// Provider names of the tools in the directory, by rank: the model was told their signatures and asks for them by name.
    /// Those that are attached by now are left out. Empty without `settings.directoryTokens`.
    pub directory: Vec<String>,
    /// Those that this turn added.
    pub added: Vec<String>,
    /// The function definition of `mcp_load` as JSON text; `null` in mode `all`.
    #[napi(ts_type = "string | null")]
    pub mcp_load: napi::Either<String, napi::bindgen_prelude::Null>,
    /// How many tools are in scope.
    pub scoped_count: u32,
    /// The turn, from 1.
    pub turn: u32,
    /// Whether later turns add nothing by what they say. What comes into scope is still attached, and a first selection that
    /// has not been made yet still will be.
    pub frozen: bool,
    /// Pins and best-ranked tools that a limit left out.
    pub not_attached: Vec<NotAttached>,
    /// Tools among `added` that came along with others, which need them.
    pub companions: Vec<CompanionOf>,
    /// What the selection costs.
    pub tokens: TokenReceipt,
    /// How likely any tool in scope serves the text, from 0 to 1; absent when nothing was ranked, and always 1
    /// by the curator, who measures none.
    pub evidence: Option<f64>,
    /// Set when the list of definitions changed besides growing at its end.
    pub rewrite: Option<Rewrite>,
    /// The task's host mode when `settings.hostModes` lacks it: nothing is in scope then.
    pub unknown_host_mode: Option<String>,
    /// Set when the message was too long.
    pub query_cut: Option<QueryCut>,
}

/// A change of the list of definitions that providers with a prefix cache pay for. With `append` it is named too where tools that
/// came into scope are added, because the text of `mcp_load` then names the servers that are connected now.
#[napi(object, object_from_js = false)]
pub struct Rewrite {
    /// Why: a scope, setting or switch changed; a server came, went or came back; a definition changed; tools were unloaded;
    /// the set was chosen again; the gate decided otherwise.
    #[napi(ts_type = "('scope' | 'server' | 'definition' | 'unload' | 'compaction' | 'gate')[]")]
    pub causes: Vec<String>,
    /// Provider names that the model saw before and does not see now.
    pub withdrawn: Vec<String>,
    /// Provider names of attached tools that are back.
    pub returned: Vec<String>,
    /// Provider names whose definition changed.
    pub changed: Vec<String>,
}

impl From<core::session::selection::Rewrite> for Rewrite {
    fn from(rewrite: core::session::selection::Rewrite) -> Self {
        Self {
            causes: rewrite.causes.into_iter().map(|cause| cause.name().into()).collect(),
            withdrawn: rewrite.withdrawn,
            returned: rewrite.returned,
            changed: rewrite.changed,
        }
    }
}

impl From<core::session::selection::Selection> for Selection {
    fn from(selection: core::session::selection::Selection) -> Self {
        let not_attached = |tool: core::session::selection::NotAttached| NotAttached {
            server_name: tool.id.server_name,
            tool_name: tool.id.tool_name,
            name: tool.name,
            reason: tool.reason.name().into(),
        };
        Self {
            session_id: selection.session_id,
            mode: selection.mode.name().into(),
            ranker: selection.ranker.name().into(),
            degraded: selection.degraded.map(Into::into),
            attached: selection.attached,
            added: selection.added,
            directory: selection.directory,
            mcp_load: selection.mcp_load.map_or(napi::Either::B(napi::bindgen_prelude::Null), napi::Either::A),
            scoped_count: small(selection.scoped_count),
            turn: small(selection.turn),
            frozen: selection.frozen,
            not_attached: selection.not_attached.into_iter().map(not_attached).collect(),
            companions: selection.companions.into_iter().map(Into::into).collect(),
            tokens: selection.tokens.into(),
            rule: selection.rule.map(|rule| rule.name().into()),
            evidence: selection.evidence,
            rewrite: selection.rewrite.map(Into::into),
            unknown_host_mode: selection.unknown_host_mode,
            query_cut: selection.query_cut.map(Into::into),
        }
    }
}

/// A tool that a call attached.
#[napi(object, object_from_js = false)]
pub struct LoadedTool {
    /// The name that the model calls it by.
    pub name: String,
    /// The server's name.
    pub server_name: String,
    /// The tool's name.
    pub tool_name: String,
    /// What it does, in one line.
    pub description: String,
}

/// A tool that was asked for by name and is unavailable, or that was found and does not fit.
#[napi(object, object_from_js = false)]
pub struct UnavailableTool {
    /// The name that was asked for.
    pub name: String,
    /// Why it is unavailable.
    #[napi(ts_type = "'unknown' | 'disabled' | 'out-of-scope' | 'server-gone' | 'over-limit' | 'over-budget'")]
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
    /// How likely any tool in scope serves the query, from 0 to 1; for a server or module, how likely it
    /// serves the task's last text; absent when the query names tools, lists modules or unloads.
    pub evidence: Option<f64>,
    /// Set when it is doubtful that the tools that a search found, at most three, do what is asked: what the model should do.
    pub doubt: Option<String>,
    /// Set when a search found nothing that fits; nothing is attached then.
    pub nothing_fits: Option<NothingFits>,
    /// Set when the query was too long.
    pub query_cut: Option<QueryCut>,
    /// The modules of the large server that the query names, or those that it asked to list; at most 50.
    pub modules: Vec<ServerModule>,
    /// Provider names of tools of the server or module that the query names and that are not attached, in the order in
    /// which they are worth having; empty where modules hold them.
    pub others: Vec<String>,
    /// Provider names that `unload:` took away.
    pub unloaded: Vec<String>,
    /// Names behind `unload:` that were not attached.
    pub not_attached: Vec<String>,
}

/// A module: a part of a server of more than 30 tools, divided by what its tools are about. It has 1 to 25 tools.
#[napi(object, object_from_js = false)]
pub struct ServerModule {
    /// What it is loaded and unloaded by: the server's name, `/`, and a word or a few of its tools.
    pub name: String,
    /// Its server.
    pub server_name: String,
    /// What is in it, in one line: its first tools.
    pub description: String,
    /// How many of its tools are on and in scope.
    pub tool_count: u32,
    /// How many of them the session has attached; 0 without a session.
    pub attached_count: u32,
    /// Those tools: what others need first, then what finds, then the rest.
    pub tools: Vec<ToolId>,
}

impl From<core::session::modules::ModuleView> for ServerModule {
    fn from(module: core::session::modules::ModuleView) -> Self {
        Self {
            name: module.name,
            server_name: module.server_name,
            description: module.description,
            tool_count: small(module.tools.len()),
            attached_count: small(module.attached_count),
            tools: module.tools.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<core::session::load_result::LoadedTool> for LoadedTool {
    fn from(tool: core::session::load_result::LoadedTool) -> Self {
        let (server_name, tool_name) = (tool.id.server_name, tool.id.tool_name);
        Self { name: tool.name, server_name, tool_name, description: tool.description }
    }
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

impl From<core::session::load_result::NothingFits> for NothingFits {
    fn from(nothing: core::session::load_result::NothingFits) -> Self {
        let message = nothing.message();
        let server =
            |server: core::session::load_result::NearServer| NearServer { name: server.name, connected: server.connected };
        Self { servers: nothing.servers.into_iter().map(server).collect(), tools: nothing.tools, message }
    }
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

impl From<core::session::load_result::LoadResult> for AttachResult {
    fn from(result: core::session::load_result::LoadResult) -> Self {
        Self {
            attached: result.loaded.into_iter().map(Into::into).collect(),
            already_attached: result.already_attached,
            unavailable: result.unavailable.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<core::session::load_result::UnavailableTool> for UnavailableTool {
    fn from(tool: core::session::load_result::UnavailableTool) -> Self {
        Self { name: tool.name, reason: tool.reason.name().into(), near: tool.near }
    }
}

/// The answer of {@link Session.unload}.
#[napi(object, object_from_js = false)]
pub struct UnloadResult {
    /// Provider names that are taken away.
    pub unloaded: Vec<String>,
    /// Names as asked for that were not attached.
    pub not_attached: Vec<String>,
}

impl From<core::session::load_result::UnloadResult> for UnloadResult {
    fn from(result: core::session::load_result::UnloadResult) -> Self {
        Self { unloaded: result.unloaded, not_attached: result.not_attached }
    }
}

impl From<core::session::load_result::LoadResult> for LoadResult {
    fn from(result: core::session::load_result::LoadResult) -> Self {
        Self {
            loaded: result.loaded.into_iter().map(Into::into).collect(),
            already_attached: result.already_attached,
            unavailable: result.unavailable.into_iter().map(Into::into).collect(),
            matched: small(result.matched),
            truncated: result.truncated,
            ranker: result.ranker.name().into(),
            degraded: result.degraded.map(Into::into),
            evidence: result.evidence,
            doubt: result.doubt,
            nothing_fits: result.nothing_fits.map(Into::into),
            query_cut: result.query_cut.map(Into::into),
            modules: result.modules.into_iter().map(Into::into).collect(),
            others: result.others,
            unloaded: result.unloaded,
            not_attached: result.not_attached,
        }
    }
}

/// The answer to {@link Session.reroute}; `JSON.stringify` of it is a good result for the model.
#[napi(object, object_from_js = false)]
pub struct RerouteResult {
    /// `CONTINUE`: tools were attached; continue from the checkpoint. `INCOMPLETE`: nothing new was found, or
    /// nothing that there is room for.
    /// `MAX_REROUTES_EXCEEDED`: the task has signalled too often.
    #[napi(ts_type = "'CONTINUE' | 'INCOMPLETE' | 'MAX_REROUTES_EXCEEDED'")]
    pub status: String,
    /// The signal's checkpoint, unchanged.
    pub checkpoint: Option<String>,
    /// What is still missing; absent from `CONTINUE`.
    pub missing_capability: Option<String>,
    /// Tools that this call attached, best first.
    pub loaded: Vec<LoadedTool>,
    /// Their servers, best first.
    pub servers: Vec<String>,
    /// Provider names of tools that had been attached before and are among the five that fit best.
    pub already_attached: Vec<String>,
    /// How many found tools do not fit into the limit of the model's API, or into the task's budget.
    pub over_limit: u32,
    /// What the signal says is done, unchanged.
    pub completed_steps: Vec<String>,
    /// How many signals of this task have been answered with a search, including this one.
    pub reroute_count: u32,
    /// The maximum number of such signals: `settings.maxReroutes`.
    pub max_reroutes: u32,
    /// The ranker.
    #[napi(ts_type = "Ranker")]
    pub ranker: String,
    /// Why the ranker is not the one asked for.
    pub degraded: Option<Degraded>,
    /// How likely any tool in scope has the missing capability, from 0 to 1; absent when nothing was searched for.
    pub evidence: Option<f64>,
    /// What to do now, in a sentence.
    pub message: String,
}

impl From<core::session::reroute::RerouteResult> for RerouteResult {
    fn from(result: core::session::reroute::RerouteResult) -> Self {
        let message = result.message();
        Self {
            status: result.status.name().into(),
            checkpoint: result.checkpoint,
            missing_capability: result.missing_capability,
            loaded: result.loaded.into_iter().map(Into::into).collect(),
            servers: result.servers,
            already_attached: result.already_attached,
            over_limit: small(result.over_limit),
            completed_steps: result.completed_steps,
            reroute_count: small(result.reroute_count),
            max_reroutes: small(result.max_reroutes),
            ranker: result.ranker.name().into(),
            degraded: result.degraded.map(Into::into),
            evidence: result.evidence,
            message,
        }
    }
}
