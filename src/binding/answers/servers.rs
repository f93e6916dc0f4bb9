//! Rankings of servers, and whether routing pays.

use napi_derive::napi;

use super::ranking::{Degraded, QueryCut, RankedTool};
use crate as core;

/// One ranked server. `score` is `toolShare + evidenceShare + boost`.
#[napi(object, object_from_js = false)]
pub struct RankedServer {
    /// Its name.
    pub server_name: String,
    /// Its place in the answer, from 1.
    pub rank: u32,
    /// What it was ordered by; higher is better. Comparable within one answer only.
    pub score: f64,
    /// What the order of its tools added to `score`, standardised over the servers.
    pub tool_share: f64,
    /// What the best evidence added to `score`: of its tools, or of its entry, name and instructions.
    pub evidence_share: f64,
    /// What exact names, of the server or of one of its tools, and earlier uses added to `score`.
    pub boost: f64,
    /// The cosine of the query with the nearest text of its entry; absent without vectors or without an entry.
    pub similarity: Option<f64>,
    /// The synthetic query that is nearest, when one is nearer than the entry's description.
    pub nearest_query: Option<String>,
    /// How many of its tools are in scope.
    pub tool_count: u32,
    /// Its best tools, best first.
    pub tools: Vec<RankedTool>,
    /// Why it has its rank, in one line for a person.
    pub why: String,
}

/// Servers in scope, best first. The order is total, and the same on every run.
#[napi(object, object_from_js = false)]
pub struct ServerRanking {
    /// The servers.
    pub servers: Vec<RankedServer>,
    /// What they were ranked by.
    #[napi(ts_type = "Ranker")]
    pub ranker: String,
    /// Why they were not ranked as asked.
    pub degraded: Option<Degraded>,
    /// How many servers were ranked: those with a tool in scope.
    pub candidate_count: u32,
    /// How many of them match something in the query.
    pub supported_count: u32,
    /// How likely any tool of them serves the query, from 0 to 1; entries do not raise it.
    pub evidence: f64,
    /// Set when the query was too long.
    pub query_cut: Option<QueryCut>,
}

/// Whether routing pays for a catalogue, in tokens of one request.
#[napi(object, object_from_js = false)]
pub struct Advice {
    /// Whether it saves tokens, takes place with the router's settings, and delays no turn too long: `against` is empty.
    pub pays: bool,
    /// What speaks against it; `gate`: all tools are attached, because of `threshold` or the kill switch.
    #[napi(ts_type = "('no-tools' | 'tokens' | 'gate' | 'latency')[]")]
    pub against: Vec<String>,
    /// What the gate decides for a task with the router's settings and all servers in scope.
    #[napi(ts_type = "'all' | 'dynamic'")]
    pub mode: String,
    /// The `threshold` with which the gate decides as the tokens say: `breakEvenTools` minus 1.
    pub threshold: u32,
    /// How long the last turns were ranked, in milliseconds on average; 0 before the first.
    pub added_ms: f64,
    /// Servers with a tool that is on.
    pub server_count: u32,
    /// Their tools that are on.
    pub tool_count: u32,
    /// Tokens of all definitions.
    pub catalogue_tokens: u32,
    /// Tokens of a definition, on average.
    pub mean_tool_tokens: f64,
    /// Tokens of the definitions that a first selection attaches, at that average.
    pub attached_tokens: u32,
    /// Tokens of routing itself: the definition of `mcp_load`, and 500 for one call of it and its answer.
    pub routing_tokens: u32,
    /// Tokens of the directory at most: `settings.directoryTokens`.
    pub directory_tokens: u32,
    /// `catalogueTokens` minus the other three, or 0.
    pub saved_tokens: u32,
    /// From how many tools of this average size routing saves tokens; 0 without tools.
    pub break_even_tools: u32,
    /// The same in servers of this average size.
    pub break_even_servers: u32,
    /// All of this in one sentence, for a person.
    pub text: String,
}

answers! {
    core::router::NamedServer => RankedServer {
        server_name: name, rank: ranked.rank, score: ranked.score, tool_share: ranked.tool_share, evidence_share: ranked.evidence_share,
        boost: ranked.boost, similarity: ranked.similarity, nearest_query, tool_count, tools
    } with |it| { why: it.why() };
    core::router::ServerRanking => ServerRanking { servers, ranker, degraded, candidate_count, supported_count, evidence, query_cut };
    core::report::advice::Advice => Advice {
        pays, against, threshold, added_ms, server_count, tool_count, catalogue_tokens, mean_tool_tokens, attached_tokens, routing_tokens,
        directory_tokens, saved_tokens, break_even_tools, break_even_servers
    } with |it| { mode: if it.routes { "dynamic" } else { "all" }.into(), text: it.text() };
}
