//! `ToolRouter`: servers as the unit: rankings of them, and what a registry says about them.

use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;

use super::router::ToolRouter;
use crate::binding::answers::loads::ServerModule;
use crate::binding::answers::servers::{Advice, ServerRanking};
use crate::binding::arguments;
use crate::binding::arguments::input::Reader;
use crate::binding::error::sync;
use crate::binding::worker::{on_catalogue, on_ranker, on_worker};
use crate::catalogue::synthetic_queries::parse_queries;
use crate::document::entry::ServerEntry;
use crate::router::{Snapshot, ToolRouter as Core};

#[napi]
impl ToolRouter {
    /// Ranks the servers in scope for a query: by their best tools, and by their names, instructions and registry entries.
    ///
    /// @param query - what a user or model asks for; 32 KiB of it are read
    /// @param options - see {@link RankOptions}; `toolsPerServer`: how many tools to return of each, 0 to 1,000, by default 5
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(
        catch_unwind,
        ts_args_type = "query: string, options?: RankOptions & { toolsPerServer?: number }",
        ts_return_type = "Promise<ServerRanking>"
    )]
    pub fn rank_servers<'env>(&self, env: &'env Env, query: Unknown<'env>, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_ranker(env, || {
            let reader = Reader::new(env)?;
            let query = reader.root(query, "rankServers.query").text()?;
            let options = arguments::ranking::server_rank_options(&reader.root(options, "rankServers"))?;
            self.core.check_host_mode(&options.rank, "rankServers.hostMode")?;
            let ranker = options.rank.ranker;
            let rank =
                move |core: &Core, snapshot: &Snapshot| Ok(ServerRanking::from(core.rank_servers(snapshot, &query, &options)?));
            Ok((ranker, rank))
        })
    }

    /// Says whether routing pays for the current catalogue, and from how many tools of this size it does: what all definitions
    /// cost against a first selection, `mcp_load` and one call of it, whether the gate routes at all, and how long a ranking takes.
    ///
    /// @param options - how much longer a turn may take, in milliseconds, 0 to 60,000
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "options?: { maxAddedMs?: number }", ts_return_type = "Promise<Advice>")]
    pub fn advise<'env>(&self, env: &'env Env, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let reader = Reader::new(env)?;
            let most_ms = arguments::servers::advise_options(&reader.root(options, "advise"))?;
            Ok(move |core: &Core| Ok(Advice::from(core.advise(most_ms))))
        })
    }

    /// The modules of large servers: parts of 1 to 25 tools of every server of more than 30, divided by what their tools
    /// are about. A tool that comes, goes or is renamed moves few others. Worked out once per server.
    ///
    /// @param options - which servers; all by default
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT` for a server that is not set; `ERR_BUSY`
    /// @internal
    #[napi(catch_unwind, ts_args_type = "options?: { servers?: ServerScope[] }", ts_return_type = "Promise<ServerModule[]>")]
    pub fn list_modules<'env>(&self, env: &'env Env, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let reader = Reader::new(env)?;
            let servers = arguments::servers::list_modules_options(&reader.root(options, "listModules"))?;
            Ok(move |core: &Core| {
                let modules = core.modules(servers.as_deref())?;
                Ok(modules.into_iter().map(ServerModule::from).collect::<Vec<_>>())
            })
        })
    }

    /// Sets what the registry says about a server, and replaces the previous entry. It applies to the server of this name,
    /// whether it is set now or later, and stays when the server is removed. The next ranking finds the server by it.
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
        on_catalogue(env, || {
            let reader = Reader::new(env)?;
            let name = reader.root(server_name, "setServerEntry.serverName").name()?;
            let entry = reader.root(entry, "setServerEntry.entry");
            let entry = if entry.is_null() { None } else { Some(arguments::servers::server_entry(&entry)?) };
            Ok((0, move |core: &Core| core.set_server_entries(vec![(name, entry)], "setServerEntry.serverName")))
        })
    }

    /// What the registry says about a server, whether it is set or not; `null` if there is no entry.
    ///
    /// @param serverName - the server's name
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    /// @internal
    #[napi(catch_unwind, ts_args_type = "serverName: string", ts_return_type = "Promise<ServerEntry | null>")]
    pub fn server_entry<'env>(&self, env: &'env Env, server_name: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_catalogue(env, || {
            let name = Reader::new(env)?.root(server_name, "serverEntry.serverName").name()?;
            let written = |entry: ServerEntry| {
                let mut object = serde_json::Map::new();
                let texts = [("name", entry.title), ("description", entry.description)];
                object.extend(texts.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text?.into()))));
                object.insert("capabilities".into(), entry.capabilities.into());
                object.insert("syntheticQueries".into(), entry.synthetic_queries.into());
                serde_json::Value::Object(object)
            };
            Ok((0, move |core: &Core| Ok(core.server_entry(&name).map_or(serde_json::Value::Null, written))))
        })
    }

    /// A prompt that asks a language model of the host's choice for 15 to 20 synthetic queries of a server. What the server says
    /// about itself is in it as data, in single lines of bounded length.
    ///
    /// @param serverName - a server that is set
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "serverName: string", ts_return_type = "Promise<string>")]
    pub fn synthetic_query_prompt<'env>(&self, env: &'env Env, server_name: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let name = Reader::new(env)?.root(server_name, "syntheticQueryPrompt.serverName").name()?;
            Ok(move |core: &Core| core.synthetic_query_prompt(&name))
        })
    }

    /// Reads a model's answer to {@link ToolRouter.syntheticQueryPrompt}, for {@link ToolRouter.setServerEntry}: a JSON array of
    /// 1 to 100 strings of at most 1,000 bytes, bare, in a code fence or within prose. Anything else is refused.
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
}
