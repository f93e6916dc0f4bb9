//! `ToolRouter`: servers as the unit: rankings of them, and what a registry says about them.

use std::path::PathBuf;

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
use crate::catalogue::registry::parse_queries;
use crate::document::entry::ServerEntry;
use crate::router::{Snapshot, ToolRouter as Core};

#[napi]
impl ToolRouter {
    /// Ranks the servers in scope for a query: by their best tools, and by their names, instructions and registry
    /// entries. Costs as much as {@link ToolRouter.rank}, plus about a millisecond per hundred servers.
    ///
    /// @param query - what a user or model asks for; 32 KiB of it are read
    /// @param options - see {@link ServerRankOptions}
    /// @returns the best servers with their best tools, and the reasons
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "query: string, options?: ServerRankOptions", ts_return_type = "Promise<ServerRanking>")]
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

    /// Says whether routing pays for the current catalogue, and from how many tools of this size it does. It compares
    /// the tokens of all definitions with those of a first selection, of `mcp_load` and of one call of it, asks the gate
    /// whether a task would route at all, and compares the time of a ranking with `maxAddedMs`. Each new tool is counted
    /// once. `ways` compares what tools cost a task with every definition, with those of a first selection, with a directory
    /// and with programs. `cache` says what the tools of a task have cost at a provider that caches, and which delivery keeps
    /// its cache.
    ///
    /// @param options - the task whose account is wanted, how long a turn may be delayed, and what a task does
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "options?: AdviseOptions", ts_return_type = "Promise<Advice>")]
    pub fn advise<'env>(&self, env: &'env Env, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let reader = Reader::new(env)?;
            let (id, most_ms, doing) = arguments::servers::advise_options(&reader.root(options, "advise"))?;
            Ok(move |core: &Core| {
                let session = id.map(|id| core.session(&id)).transpose()?;
                Ok(Advice::new(&core.advise(most_ms, doing, session.as_ref()), core.advise_cache(session.as_ref())))
            })
        })
    }

    /// The modules of large servers: parts of 1 to 25 tools of every server of more than 30, divided by what their tools
    /// are about. A tool that comes, goes or is renamed moves few others. Worked out once per server.
    ///
    /// @param options - which servers; all by default
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT` for a server that is not set; `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "options?: ListModulesOptions", ts_return_type = "Promise<ServerModule[]>")]
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

    /// Sets what the registry says about a server, and replaces the previous entry. The entry applies to the server of
    /// this name, whether it is already set or is set later, and stays when the server is removed. Nothing else has to
    /// change: the next ranking finds the server by it. Its texts are embedded in the background.
    ///
    /// @param serverName - the server's name
    /// @param entry - the entry, or `null` for none
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`; nothing is changed in that case
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

    /// Sets the registry entries of a JSON file. The file holds one document or an array of documents, each with
    /// `mcp_id` (the server's name), `name`, `description`, `capabilities` and `synthetic_queries`. Other fields are
    /// ignored; entries of servers that are not in the file stay.
    ///
    /// @param file - the file
    /// @returns the names of its servers, whether they are set or not
    /// @throws {ToolRouterError} `ERR_CONFIG_INVALID` naming file, line and column; `ERR_INVALID_ARGUMENT`; `ERR_BUSY`;
    /// nothing is changed in that case
    #[napi(catch_unwind, ts_args_type = "file: string", ts_return_type = "Promise<string[]>")]
    pub fn load_registry<'env>(&self, env: &'env Env, file: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_catalogue(env, || {
            let file = PathBuf::from(Reader::new(env)?.root(file, "loadRegistry.file").name()?);
            Ok((0, move |core: &Core| core.load_registry(&file)))
        })
    }

    /// Returns a prompt that asks a language model of the host's choice for synthetic queries of a server: 15 to 20
    /// requests as people would make them. What the server and its tools say about themselves is included as data, in
    /// single lines of bounded length.
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

    /// Reads a model's answer to {@link ToolRouter.syntheticQueryPrompt}, for {@link ToolRouter.setServerEntry}: a JSON
    /// array of strings, bare, in a code fence or within prose, 1 to 100 of at most 1,000 bytes. Requests that differ only in case
    /// and spacing are taken once. Anything else is refused.
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
