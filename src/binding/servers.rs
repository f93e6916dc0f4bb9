//! Servers as the unit: what callers pass and get, and the methods of `ToolRouter` for it.

use std::path::PathBuf;

use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;

use super::error::sync;
use super::input::{Input, Reader};
use super::requests::rank_options_with;
use super::tool_router::ToolRouter;
use super::types::{Degraded, LoadedTool, QueryCut, RankedTool, small};
use super::worker::on_worker;
use crate as core;
use crate::catalogue::entry::ServerEntry;
use crate::catalogue::registry::parse_queries;
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

/// The answer to {@link Session.reroute}; `JSON.stringify` of it is a good result for the model.
#[napi(object, object_from_js = false)]
pub struct RerouteResult {
    /// `CONTINUE`: tools were attached, go on from the checkpoint. `INCOMPLETE`: nothing new was found.
    /// `MAX_REROUTES_EXCEEDED`: the task has signalled too often.
    #[napi(ts_type = "'CONTINUE' | 'INCOMPLETE' | 'MAX_REROUTES_EXCEEDED'")]
    pub status: String,
    /// The signal's checkpoint, as it came.
    pub checkpoint: Option<String>,
    /// What is still missing; absent from `CONTINUE`.
    pub missing_capability: Option<String>,
    /// Newly attached tools, best first.
    pub loaded: Vec<LoadedTool>,
    /// Their servers, best first.
    pub servers: Vec<String>,
    /// Provider names of tools that were attached before and are among the five that fit best.
    pub already_attached: Vec<String>,
    /// How many tools were found that the model's API has no room for.
    pub over_limit: u32,
    /// What the signal says is done, as it came.
    pub completed_steps: Vec<String>,
    /// How many signals of this task were looked for, this one included.
    pub reroute_count: u32,
    /// How many may be: `settings.maxReroutes`.
    pub max_reroutes: u32,
    /// The ranker.
    #[napi(ts_type = "Ranker")]
    pub ranker: String,
    /// Why the ranker is not the one asked for.
    pub degraded: Option<Degraded>,
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
            message,
        }
    }
}

/// Whether routing pays for a catalogue, in tokens of one request.
#[napi(object, object_from_js = false)]
pub struct Advice {
    /// Whether it costs fewer tokens than sending every definition.
    pub pays: bool,
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
    /// `catalogueTokens` less the other two, or 0.
    pub saved_tokens: u32,
    /// From how many tools of this average on routing pays; 0 without tools.
    pub break_even_tools: u32,
    /// The same in servers of this average.
    pub break_even_servers: u32,
    /// All of it in a sentence for a person.
    pub text: String,
}

impl From<core::report::advice::Advice> for Advice {
    fn from(advice: core::report::advice::Advice) -> Self {
        let text = advice.text();
        Self {
            pays: advice.pays,
            server_count: small(advice.server_count),
            tool_count: small(advice.tool_count),
            catalogue_tokens: small(advice.catalogue_tokens),
            mean_tool_tokens: advice.mean_tool_tokens,
            attached_tokens: small(advice.attached_tokens),
            routing_tokens: small(advice.routing_tokens),
            saved_tokens: small(advice.saved_tokens),
            break_even_tools: small(advice.break_even_tools),
            break_even_servers: small(advice.break_even_servers),
            text,
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

    /// What the registry says of a server, set already or not; `null` when it says nothing.
    ///
    /// @param serverName - the server's name
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "serverName: string", ts_return_type = "Promise<ServerEntry | null>")]
    pub fn server_entry<'env>(&self, env: &'env Env, server_name: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let name = Reader::new(env)?.root(server_name, "serverEntry.serverName").name()?;
            let written = |entry: ServerEntry| {
                let mut object = serde_json::Map::new();
                let texts = [("name", entry.title), ("description", entry.description)];
                object.extend(texts.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text?.into()))));
                object.insert("capabilities".into(), entry.capabilities.into());
                object.insert("syntheticQueries".into(), entry.synthetic_queries.into());
                serde_json::Value::Object(object)
            };
            Ok(move |core: &Core| Ok(core.server_entry(&name).map_or(serde_json::Value::Null, written)))
        })
    }

    /// Sets the registry entries of a JSON file: one document or an array of them, each with `mcp_id` (the server's
    /// name), and `name`, `description`, `capabilities`, `synthetic_queries`. Other fields are ignored; entries of
    /// servers that are not in the file stay.
    ///
    /// @param file - the file
    /// @returns the names of its servers, set already or not
    /// @throws {ToolRouterError} `ERR_CONFIG_INVALID` naming file, line and column; `ERR_INVALID_ARGUMENT`; `ERR_BUSY`;
    /// nothing is changed then
    #[napi(catch_unwind, ts_args_type = "file: string", ts_return_type = "Promise<string[]>")]
    pub fn load_registry<'env>(&self, env: &'env Env, file: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let file = PathBuf::from(Reader::new(env)?.root(file, "loadRegistry.file").name()?);
            Ok(move |core: &Core| core.load_registry(&file))
        })
    }

    /// What to ask a language model, of the host's choice, for synthetic queries of a server: 15 to 20 requests as
    /// people would make them. What server and tools say of themselves stands in it as data, in bounded single lines.
    ///
    /// @param serverName - a server that is set
    /// @returns the prompt
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "serverName: string", ts_return_type = "Promise<string>")]
    pub fn synthetic_query_prompt<'env>(&self, env: &'env Env, server_name: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let name = Reader::new(env)?.root(server_name, "syntheticQueryPrompt.serverName").name()?;
            Ok(move |core: &Core| core.synthetic_query_prompt(&name))
        })
    }

    /// Reads what a model answered to {@link ToolRouter.syntheticQueryPrompt}, for
    /// {@link ToolRouter.setServerEntry}: a JSON array of strings, bare or in one code fence, 1 to 100 of at most 1,000
    /// bytes. Requests that differ in case and spacing alone are taken once. Anything else is refused.
    ///
    /// @param text - the answer
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`
    #[napi(catch_unwind, ts_args_type = "text: string", ts_return_type = "string[]")]
    pub fn parse_synthetic_queries<'env>(&self, env: &'env Env, text: Unknown<'env>) -> napi::Result<Vec<String>> {
        sync(env, || {
            let name = "parseSyntheticQueries.text";
            parse_queries(&Reader::new(env)?.root(text, name).text()?, name)
        })
    }

    /// Says whether routing pays for the catalogue as it is: the tokens of all definitions against those of a first
    /// selection, of `mcp_load` and of one call of it; and from how many tools of this size on it does. Counts each new
    /// tool once.
    ///
    /// @throws {ToolRouterError} `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "", ts_return_type = "Promise<Advice>")]
    pub fn advise<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        on_worker(env, || Ok(|core: &Core| Ok(Advice::from(core.advise()))))
    }
}
