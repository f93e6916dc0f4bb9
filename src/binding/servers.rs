//! Servers as the unit: what callers pass and get, and the methods of `ToolRouter` for it.

use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;

use super::input::{Input, Reader};
use super::requests::rank_options_with;
use super::tool_router::ToolRouter;
use super::types::{Degraded, QueryCut, RankedTool, small};
use super::worker::on_worker;
use crate as core;
use crate::catalogue::entry::ServerEntry;
use crate::error::Result;
use crate::router::{ServerRankOptions, ToolRouter as Core};
use crate::settings::MAX_K;

/// The fields of an entry, as callers write them.
const ENTRY_FIELDS: [&str; 4] = ["name", "description", "capabilities", "syntheticQueries"];
/// Elements of a list that are read before its own limit is checked.
const MAX_ENTRY_LIST: usize = 100_000;

/// One entry of the registry. Unknown keys are refused: a misspelt one would be silently lost.
pub fn server_entry(input: &Input<'_, '_>) -> Result<ServerEntry> {
    input.only_keys(&ENTRY_FIELDS)?;
    let [title, description, capabilities, queries] = ENTRY_FIELDS;
    let entry = ServerEntry {
        title: input.field(title, |text| text.text())?,
        description: input.field(description, |text| text.text())?,
        capabilities: input.field(capabilities, |list| list.texts(MAX_ENTRY_LIST))?.unwrap_or_default(),
        synthetic_queries: input.field(queries, |list| list.texts(MAX_ENTRY_LIST))?.unwrap_or_default(),
    };
    entry.check(&input.path.to_string(), ENTRY_FIELDS)?;
    Ok(entry)
}

fn server_rank_options(input: &Input<'_, '_>) -> Result<ServerRankOptions> {
    if input.is_undefined() {
        return Ok(ServerRankOptions::default());
    }
    Ok(ServerRankOptions {
        rank: rank_options_with(input, &["toolsPerServer"])?,
        tools_per_server: input.field("toolsPerServer", |value| value.count(0, MAX_K))?,
    })
}

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
    /// What the best that its tools or its entry, name and instructions say for it added to `score`, standardised.
    pub evidence_share: f64,
    /// What exact names, of it or of one of its tools, and usage added to `score`.
    pub boost: f64,
    /// The cosine of the query with the nearest text of its entry; absent without vectors or without an entry.
    pub similarity: Option<f64>,
    /// The synthetic query that is nearest, when one is nearer than the entry's description.
    pub nearest_query: Option<String>,
    /// How many of its tools are in scope.
    pub tool_count: u32,
    /// Its best tools, best first.
    pub tools: Vec<RankedTool>,
    /// Why it stands where it stands, in a line for a person.
    pub why: String,
}

impl From<core::router::NamedServer> for RankedServer {
    fn from(server: core::router::NamedServer) -> Self {
        let why = server.why();
        let ranked = server.ranked;
        Self {
            server_name: server.name,
            rank: small(ranked.rank),
            score: ranked.score,
            tool_share: ranked.tool_share,
            evidence_share: ranked.evidence_share,
            boost: ranked.boost,
            similarity: ranked.similarity,
            nearest_query: server.nearest_query,
            tool_count: small(server.tool_count),
            tools: server.tools.into_iter().map(Into::into).collect(),
            why,
        }
    }
}

/// An answer of {@link ToolRouter.rankServers}: servers in scope, best first. The order is total, and the same on every
/// run.
#[napi(object, object_from_js = false)]
pub struct ServerRanking {
    /// The servers.
    pub servers: Vec<RankedServer>,
    /// What they were ranked by.
    #[napi(ts_type = "Ranker")]
    pub ranker: String,
    /// Why they were not ranked by what was asked for.
    pub degraded: Option<Degraded>,
    /// How many servers were ranked: those with a tool in scope.
    pub candidate_count: u32,
    /// How many of them something in the query speaks for.
    pub supported_count: u32,
    /// Set when the query was too long.
    pub query_cut: Option<QueryCut>,
}

impl From<core::router::ServerRanking> for ServerRanking {
    fn from(ranking: core::router::ServerRanking) -> Self {
        Self {
            servers: ranking.servers.into_iter().map(Into::into).collect(),
            ranker: ranking.ranker.name().into(),
            degraded: ranking.degraded.map(Into::into),
            candidate_count: small(ranking.candidate_count),
            supported_count: small(ranking.supported_count),
            query_cut: ranking.query_cut.map(Into::into),
        }
    }
}

#[napi]
impl ToolRouter {
    /// Ranks the servers in scope for a query: by their best tools, and by their names, instructions and registry
    /// entries. Costs what {@link ToolRouter.rank} costs, and about a millisecond more for a hundred servers.
    ///
    /// @param query - what a user or model asks for; 32 KiB of it are read
    /// @param options - see {@link ServerRankOptions}
    /// @returns the best servers with their best tools, and why
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "query: string, options?: ServerRankOptions", ts_return_type = "Promise<ServerRanking>")]
    pub fn rank_servers<'env>(&self, env: &'env Env, query: Unknown<'env>, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let reader = Reader::new(env)?;
            let query = reader.root(query, "rankServers.query").text()?;
            let options = server_rank_options(&reader.root(options, "rankServers"))?;
            self.core.check_host_mode(&options.rank, "rankServers.hostMode")?;
            Ok(move |core: &Core| Ok(ServerRanking::from(core.rank_servers(&query, &options)?)))
        })
    }

    /// Sets what the registry says of a server, in place of the entry before. It holds for the server of this name,
    /// whether it is set already or later, and stays when the server goes. Nothing else has to change: from the next
    /// ranking on, the server is found by it. Its texts are embedded in the background.
    ///
    /// @param serverName - the server's name
    /// @param entry - the entry, or `null` for none
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`; nothing is changed then
    #[napi(catch_unwind, ts_args_type = "serverName: string, entry: ServerEntry | null", ts_return_type = "Promise<void>")]
    pub fn set_server_entry<'env>(
        &self,
        env: &'env Env,
        server_name: Unknown<'env>,
        entry: Unknown<'env>,
    ) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let reader = Reader::new(env)?;
            let name = reader.root(server_name, "setServerEntry.serverName").name()?;
            let entry = reader.root(entry, "setServerEntry.entry");
            let entry = if entry.is_null() { None } else { Some(server_entry(&entry)?) };
            Ok(move |core: &Core| core.set_server_entries(vec![(name, entry)], "setServerEntry.serverName"))
        })
    }
}
