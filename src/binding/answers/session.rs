//! What a session answers.

use napi_derive::napi;

use super::loads::LoadedTool;
use super::ranking::{CompanionOf, Degraded, QueryCut};
use super::tokens::TokenReceipt;
use crate as core;

/// A tool that a limit left out of a selection.
#[napi(object, object_from_js = false)]
pub struct NotAttached {
    pub server_name: String,
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
    /// Which rule of the gate decided; `over-limit`: all would be attached, and `maxTools` is fewer. Absent before the first turn.
    #[napi(ts_type = "'threshold' | 'kill-switch' | 'over-threshold' | 'over-limit'")]
    pub rule: Option<String>,
    /// The ranker of this turn; `lexical` when nothing had to be ranked.
    #[napi(ts_type = "Ranker")]
    pub ranker: String,
    /// Why the ranker is not the one asked for.
    pub degraded: Option<Degraded>,
    /// Provider names of all attached tools, in the order of attachment. Those that are out of scope now keep their place.
    pub attached: Vec<String>,
    /// Provider names of the tools in the directory, which the model asks for by name; without those that are attached by now.
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
    /// Whether later turns add nothing by what they say. What comes into scope is still attached.
    pub frozen: bool,
    /// Pins and best-ranked tools that a limit left out.
    pub not_attached: Vec<NotAttached>,
    /// Tools among `added` that came along with others, which need them.
    pub companions: Vec<CompanionOf>,
    /// What the selection costs.
    pub tokens: TokenReceipt,
    /// How likely any tool in scope serves the text, from 0 to 1; absent when nothing was ranked.
    pub evidence: Option<f64>,
    /// Set when the list of definitions changed besides growing at its end.
    pub rewrite: Option<Rewrite>,
    /// The task's host mode when `settings.hostModes` lacks it: nothing is in scope then.
    pub unknown_host_mode: Option<String>,
    /// Set when the message was too long.
    pub query_cut: Option<QueryCut>,
}

/// A change of the list of definitions that providers with a prefix cache pay for.
#[napi(object, object_from_js = false)]
pub struct Rewrite {
    /// Why; `scope` is a setting or a mode too, `compaction` that the set was chosen again.
    #[napi(ts_type = "('scope' | 'server' | 'definition' | 'unload' | 'compaction' | 'gate')[]")]
    pub causes: Vec<String>,
    /// Provider names that the model saw before and does not see now.
    pub withdrawn: Vec<String>,
    /// Provider names of attached tools that are back.
    pub returned: Vec<String>,
    /// Provider names whose definition changed.
    pub changed: Vec<String>,
}

/// The answer to {@link Session.reroute}; `JSON.stringify` of it is a good result for the model.
#[napi(object, object_from_js = false)]
pub struct RerouteResult {
    /// `CONTINUE`: tools were attached. `INCOMPLETE`: nothing new was found. `MAX_REROUTES_EXCEEDED`: too many signals.
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
    /// The maximum number of such signals: 3.
    pub max_reroutes: u32,
    /// The ranker.
    #[napi(ts_type = "Ranker")]
    pub ranker: String,
    /// Why the ranker is not the one asked for.
    pub degraded: Option<Degraded>,
    /// How likely any tool in scope has it, from 0 to 1; absent when nothing was searched for.
    pub evidence: Option<f64>,
    /// What to do now, in a sentence.
    pub message: String,
}

answers! {
    core::session::selection::Rewrite => Rewrite { causes, withdrawn, returned, changed };
    core::session::selection::Selection => Selection {
        session_id, mode, ranker, degraded, attached, added, directory, mcp_load, scoped_count, turn, frozen, not_attached, companions, tokens,
        rule, evidence, rewrite, unknown_host_mode, query_cut
    };
    core::session::selection::NotAttached => NotAttached { server_name: id.server_name, tool_name: id.tool_name, name, reason };
    core::session::reroute::RerouteResult => RerouteResult {
        status, checkpoint, missing_capability, loaded, servers, already_attached, over_limit, completed_steps, reroute_count, max_reroutes,
        ranker, degraded, evidence
    } with |it| { message: it.message() };
}
