//! `ToolRouter`: convert, call, convert.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use napi::bindgen_prelude::{FnArgs, FromNapiValue, Function, Null, Object, Unknown};
use napi::threadsafe_function::ThreadsafeFunctionCallMode;
use napi::{Either, Env};
use napi_derive::napi;

use super::assets;
use super::embedders;
use super::error::{foreign, sync};
use super::host_embedder::{HostEmbedder, callable};
use super::input::Reader;
use super::requests::{self, ToolReference};
use super::session::Session;
use super::slices::Later;
use super::types::{CatalogueChange, ContextUsage, EmbedderInfo, Explanation, Ranking, Status, ToolId};
use super::worker::{enter, leave, on_worker, on_worker_later, router, wait_apart};
use crate::catalogue::ServerPath;
use crate::embedding::onnx::OnnxEmbedder;
use crate::embedding::service::Loader;
use crate::error::{Error, ErrorKind, Result};
use crate::report::tokens;
use crate::router::ToolRouter as Core;
use crate::settings::{MAX_COUNT, MAX_K, Settings};

/// Decides which MCP tools a task gets. One a process, shared by all worker threads.
///
/// Methods that return promises are done on a thread of ours, in the order in which they are called, so a ranking sees
/// every server that was set before it, awaited or not. They reject with {@link ToolRouterError}.
///
/// @example
/// ```ts
/// import { ToolRouter } from '@zoo-code/tool-router'
///
/// const router = ToolRouter.shared()
/// await router.setServer({
///   name: 'github',
///   tools: [{ name: 'create_issue', description: 'Create a new issue in a repository' }],
/// })
/// const { tools } = await router.rank('file a bug report')
/// console.log(tools[0].name) // mcp--github--create_issue
/// ```
#[napi]
pub struct ToolRouter {
    pub(super) core: &'static Arc<Core>,
}

static NEXT_EMBEDDER: AtomicU64 = AtomicU64::new(1);

/// Texts in sections of a context: bounded like any list.
const MAX_SECTIONS: usize = 10_000;

#[napi]
impl ToolRouter {
    /// The router of this process. Worker threads get the same one.
    #[napi(factory, catch_unwind)]
    pub fn shared() -> Self {
        Self { core: router() }
    }

    /// Replaces the settings: what is not given returns to its default. Open sessions keep theirs.
    ///
    /// @param settings - see {@link Settings}
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`; nothing is changed then
    #[napi(catch_unwind, ts_args_type = "settings: Settings")]
    pub fn configure<'env>(&self, env: &'env Env, settings: Unknown<'env>) -> napi::Result<()> {
        sync(env, || {
            let reader = Reader::new(env)?;
            let input = reader.root(settings, "configure");
            if input.is_undefined() {
                return Err(input.wrong("an object"));
            }
            self.core.configure(requests::settings(&input, Settings::default())?)
        })
    }

    /// The settings in force, with all defaults.
    #[napi(getter, catch_unwind, ts_return_type = "Settings")]
    pub fn settings(&self, env: &Env) -> napi::Result<serde_json::Value> {
        sync(env, || {
            let value = serde_json::to_value(&*self.core.settings());
            let mut value = value.map_err(|error| Error::from(ErrorKind::Internal { detail: error.to_string() }))?;
            if let Some(settings) = value.as_object_mut() {
                settings.retain(|_, value| !value.is_null());
            }
            Ok(value)
        })
    }

    /// Sets a server, in place of the one of its name and source: call it when a server connects, reconnects, or
    /// announces `list_changed`. Unchanged tools keep their terms, vectors and token counts. A tool that cannot be used
    /// is refused alone, with its reason in the answer.
    ///
    /// Costs about 0.3 ms a tool on our thread. The JavaScript thread only hands over the text; schemas given as
    /// objects are turned to text there, at most 5 ms in one turn of the event loop, so leave them as they are until
    /// the promise settles.
    ///
    /// @param server - the server with what `tools/list` answered
    /// @returns what was added, changed, removed and refused
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`; nothing is changed then
    #[napi(catch_unwind, ts_args_type = "server: McpServer", ts_return_type = "Promise<CatalogueChange>")]
    pub fn set_server<'env>(&self, env: &'env Env, server: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let reader = Reader::new(env)?;
            let later = Later::new();
            let mut servers = vec![requests::server(&reader.root(server, "setServer"), 0, &later)?];
            let late = later.begin(env)?;
            Ok(move |core: &Core| {
                requests::fill_in(&mut servers, late.into_iter().flatten());
                Ok(CatalogueChange::from(core.set_servers(servers, false, ServerPath::One("setServer"))?))
            })
        })
    }

    /// Sets several servers at once: all of them, or none when one cannot be read.
    ///
    /// @param servers - each name at most once a source
    /// @param options - `replace` removes every other server
    /// @returns what was added, changed, removed and refused
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`; nothing is changed then
    #[napi(
        catch_unwind,
        ts_args_type = "servers: McpServer[], options?: SetServersOptions",
        ts_return_type = "Promise<CatalogueChange>"
    )]
    pub fn set_servers<'env>(
        &self,
        env: &'env Env,
        servers: Unknown<'env>,
        options: Unknown<'env>,
    ) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let reader = Reader::new(env)?;
            let options = reader.root(options, "setServers.options");
            let replace = if options.is_undefined() {
                false
            } else {
                options.only_keys(&["replace"])?;
                options.field("replace", |replace| replace.boolean())?.unwrap_or(false)
            };
            let later = Later::new();
            let mut servers = requests::servers(&reader.root(servers, "setServers"), &later)?;
            let late = later.begin(env)?;
            Ok(move |core: &Core| {
                requests::fill_in(&mut servers, late.into_iter().flatten());
                Ok(CatalogueChange::from(core.set_servers(servers, replace, ServerPath::List("setServers"))?))
            })
        })
    }

    /// Removes a server. Sessions keep its tools in their place and stop rendering them. Removing what is not there
    /// changes nothing.
    ///
    /// @param name - the server's name
    /// @param source - only the project's or only the global one; both when left out
    /// @returns what was removed
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "name: string, source?: ServerSource", ts_return_type = "Promise<CatalogueChange>")]
    pub fn remove_server<'env>(&self, env: &'env Env, name: Unknown<'env>, source: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let reader = Reader::new(env)?;
            let name = reader.root(name, "removeServer.name").name()?;
            let source = requests::source(&reader.root(source, "removeServer.source"))?;
            Ok(move |core: &Core| Ok(CatalogueChange::from(core.remove_server(&name, source))))
        })
    }

    /// Loads the local model and puts it in force; vectors of tools are then made in the background, one text after
    /// the other, and kept on disk. Until they are there, ranking answers lexically and says so.
    ///
    /// Takes about a second on our threads. Calling it again replaces the model; the ONNX Runtime is loaded once a process.
    ///
    /// @param options - where things are; the packages installed beside this one when left out
    /// @returns the model in force
    /// @throws {ToolRouterError} `ERR_MODEL_NOT_FOUND`, `ERR_MODEL_INVALID`, `ERR_RUNTIME_NOT_FOUND`; the embedder before
    /// stays in force then
    #[napi(catch_unwind, ts_args_type = "options?: LoadModelOptions", ts_return_type = "Promise<EmbedderInfo>")]
    pub fn load_model<'env>(&self, env: &'env Env, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker_later(
            env,
            || {
                let reader = Reader::new(env)?;
                let (options, cache_folder) = embedders::model_options(&reader.root(options, "loadModel"))?;
                let loader: Loader = Box::new(move || Ok(Box::new(OnnxEmbedder::load(&options)?)));
                Ok((loader, cache_folder))
            },
            |core, (loader, cache_folder), promise| {
                let installed = core.install(loader, cache_folder);
                wait_apart(promise, move || install_answer(&installed));
            },
        )
    }

    /// Puts a function of the host's in the place of the local model, for a host that has an embedding service. It is
    /// called from then on with texts of tools, in batches, and with single queries, under the same deadline, checks and
    /// fallback. Its first call is made at once, to learn how long vectors are. It does not keep the process alive.
    ///
    /// @param embedder - the function, or `null` to rank lexically
    /// @param options - see {@link EmbedderOptions}
    /// @returns the embedder in force, or `null`
    /// @throws {ToolRouterError} `ERR_EMBEDDING_FAILED` when the first call throws, rejects, does not settle, or answers
    /// with the wrong count or with what are no vectors; the embedder before stays in force then
    #[napi(
        catch_unwind,
        ts_args_type = "embedder: Embedder | null, options?: EmbedderOptions",
        ts_return_type = "Promise<EmbedderInfo | null>"
    )]
    pub fn set_embedder<'env>(
        &self,
        env: &'env Env,
        embedder: Unknown<'env>,
        options: Unknown<'env>,
    ) -> napi::Result<Object<'env>> {
        on_worker_later(
            env,
            || {
                let reader = Reader::new(env)?;
                let embedder = reader.root(embedder, "setEmbedder.embedder");
                let (options, cache_folder) = embedders::embedder_options(&reader.root(options, "setEmbedder.options"))?;
                if embedder.is_null() {
                    return Ok(None);
                }
                let function = callable(embedder.function()?).map_err(|error| foreign(&error))?;
                let unique = NEXT_EMBEDDER.fetch_add(1, Ordering::Relaxed).to_string();
                let loader: Loader = Box::new(move || Ok(Box::new(HostEmbedder::probe(function, options, &unique)?)));
                Ok(Some((loader, cache_folder)))
            },
            |core, embedder, promise| match embedder {
                None => {
                    let uninstalled = core.uninstall();
                    wait_apart(promise, move || {
                        let _ = uninstalled.recv(); // the thread has ended: nothing is in force either
                        Ok(Either::B(Null))
                    });
                }
                Some((loader, cache_folder)) => {
                    let installed = core.install(loader, cache_folder);
                    wait_apart(promise, move || install_answer(&installed).map(Either::A));
                }
            },
        )
    }

    /// Waits until every vector that can be made is made; at once without a model. Rankings need not wait for it.
    ///
    /// @param options - how long to wait
    /// @returns the state then
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "options?: ReadyOptions", ts_return_type = "Promise<Status>")]
    pub fn ready<'env>(&self, env: &'env Env, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker_later(
            env,
            || {
                let reader = Reader::new(env)?;
                let options = reader.root(options, "ready");
                let mut limit = 600_000;
                if !options.is_undefined() {
                    options.only_keys(&["timeoutMs"])?;
                    limit = options.field("timeoutMs", |value| value.count(0, 3_600_000))?.unwrap_or(limit);
                }
                Ok(Duration::from_millis(u64::try_from(limit).unwrap_or(u64::MAX)))
            },
            |_, limit, promise| {
                wait_apart(promise, move || {
                    let _ = router().wait_ready(limit); // the status says whether all are there
                    Ok(Status::from(router().status()))
                });
            },
        )
    }

    /// The state for an indicator. Costs a look at each tool's vector, a millisecond for thousands of tools.
    #[napi(getter, catch_unwind)]
    pub fn status(&self) -> Status {
        self.core.status().into()
    }

    /// Ranks the tools in scope for a query. Costs about a millisecond for 3,500 tools, and 5 to 20 ms more for the
    /// query's vector. With `settings.policy` `curator` and no `mode` it ranks by the curator's score.
    ///
    /// @param query - what a user or model asks for; 32 KiB of it are read
    /// @param options - see {@link RankOptions}
    /// @returns the best tools, what they were ranked by, and why not by more
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "query: string, options?: RankOptions", ts_return_type = "Promise<Ranking>")]
    pub fn rank<'env>(&self, env: &'env Env, query: Unknown<'env>, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let reader = Reader::new(env)?;
            let query = reader.root(query, "rank.query").text()?;
            let options = requests::rank_options(&reader.root(options, "rank"))?;
            self.core.check_host_mode(&options, "rank.hostMode")?;
            Ok(move |core: &Core| Ok(Ranking::from(core.rank(&query, &options)?)))
        })
    }

    /// Says which terms, which cosine and which boosts make a tool's score for a query.
    ///
    /// @param query - as for {@link ToolRouter.rank}
    /// @param tool - the tool by its names, or by its provider name
    /// @param options - as for {@link ToolRouter.rank}; `topK` is ignored
    /// @throws {ToolRouterError} `ERR_TOOL_NOT_FOUND`, `ERR_OUT_OF_SCOPE`, `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(
        catch_unwind,
        ts_args_type = "query: string, tool: ToolRef | string, options?: RankOptions",
        ts_return_type = "Promise<Explanation>"
    )]
    pub fn explain<'env>(
        &self,
        env: &'env Env,
        query: Unknown<'env>,
        tool: Unknown<'env>,
        options: Unknown<'env>,
    ) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let reader = Reader::new(env)?;
            let query = reader.root(query, "explain.query").text()?;
            let tool = requests::tool_reference(&reader.root(tool, "explain.tool"))?;
            let options = requests::rank_options(&reader.root(options, "explain"))?;
            Ok(move |core: &Core| {
                let id = resolve(core, tool)?;
                Ok(Explanation::from(core.explain(&query, &id, &options)?))
            })
        })
    }

    /// Opens a session, one a task.
    ///
    /// @param options - an id, a mode of the host, and settings that differ from the router's
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also for an id that is open
    #[napi(catch_unwind, ts_args_type = "options?: SessionOptions")]
    pub fn open_session<'env>(&self, env: &'env Env, options: Unknown<'env>) -> napi::Result<Session> {
        sync(env, || {
            let reader = Reader::new(env)?;
            let base = (*self.core.settings()).clone();
            let (id, host_mode, settings) = requests::session_options(&reader.root(options, "openSession"), base)?;
            self.core.open_session(id, host_mode, settings).map(Session::new)
        })
    }

    /// Opens a session from its saved state: the same tools attached, the same turn, the same `mcp_load`. An open
    /// session of the same id is closed by it.
    ///
    /// @param state - what `JSON.stringify(session)` gave
    /// @throws {ToolRouterError} `ERR_STATE_INVALID`, `ERR_STATE_VERSION`, `ERR_INVALID_ARGUMENT`, `ERR_BUSY`; nothing is
    /// changed then
    #[napi(catch_unwind, ts_args_type = "state: string", ts_return_type = "Promise<Session>")]
    pub fn restore_session<'env>(&self, env: &'env Env, state: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let state = Reader::new(env)?.root(state, "restoreSession.state").text()?;
            Ok(move |core: &Core| Ok(Session::restored(core, core.restore_session(&state)?)))
        })
    }

    /// An open session by its id, also from another worker thread.
    ///
    /// @param sessionId - its id
    /// @throws {ToolRouterError} `ERR_SESSION_NOT_FOUND`, `ERR_INVALID_ARGUMENT`
    #[napi(catch_unwind, ts_args_type = "sessionId: string")]
    pub fn session<'env>(&self, env: &'env Env, session_id: Unknown<'env>) -> napi::Result<Session> {
        sync(env, || {
            let id = Reader::new(env)?.root(session_id, "session.sessionId").text()?;
            self.core.session(&id).map(Session::new)
        })
    }

    /// Ranks tools given in the call for a task's first text. The same tools given again cost no new index.
    ///
    /// @param taskText - what the user asked for
    /// @param scopedTools - the tools to choose from
    /// @param k - how many to attach, 1 to 1,000
    /// @returns provider names, best first, as many as `k` or as there are tools
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(
        catch_unwind,
        ts_args_type = "taskText: string, scopedTools: ScopedTool[], k: number",
        ts_return_type = "Promise<string[]>"
    )]
    pub fn attach_initial<'env>(
        &self,
        env: &'env Env,
        task_text: Unknown<'env>,
        scoped_tools: Unknown<'env>,
        k: Unknown<'env>,
    ) -> napi::Result<Object<'env>> {
        rank_list(
            env,
            [task_text, scoped_tools, k],
            ["attachInitial.taskText", "attachInitial.scopedTools", "attachInitial.k"],
            false,
        )
    }

    /// Like {@link ToolRouter.attachInitial}, for a search of the model's: tools that nothing in the query speaks for
    /// are left out.
    ///
    /// @param query - what the model asks for
    /// @param scopedTools - the tools to choose from
    /// @param k - how many at most, 1 to 1,000
    /// @returns provider names, best first
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(
        catch_unwind,
        ts_args_type = "query: string, scopedTools: ScopedTool[], k: number",
        ts_return_type = "Promise<string[]>"
    )]
    pub fn search<'env>(
        &self,
        env: &'env Env,
        query: Unknown<'env>,
        scoped_tools: Unknown<'env>,
        k: Unknown<'env>,
    ) -> napi::Result<Object<'env>> {
        rank_list(env, [query, scoped_tools, k], ["search.query", "search.scopedTools", "search.k"], true)
    }

    /// The tool behind a provider name, whether a model wrote `-` or `_` in it; `null` when there is none.
    ///
    /// @param name - the name, as in `mcp--github--create_issue`
    #[napi(catch_unwind, ts_args_type = "name: string", ts_return_type = "ToolId | null")]
    pub fn resolve_tool<'env>(&self, env: &'env Env, name: Unknown<'env>) -> napi::Result<Either<ToolId, Null>> {
        sync(env, || {
            let name = Reader::new(env)?.root(name, "resolveTool.name").text()?;
            Ok(self.core.resolve(&name).map_or(Either::B(Null), |id| Either::A(id.into())))
        })
    }

    /// Counts the tokens of a text by `o200k_base`, exactly. About 10 MB a second, on our thread.
    ///
    /// @param text - any text
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "text: string", ts_return_type = "Promise<number>")]
    pub fn count_tokens<'env>(&self, env: &'env Env, text: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let text = Reader::new(env)?.root(text, "countTokens.text").text()?;
            Ok(move |_: &Core| Ok(u32::try_from(tokens::count(&text)).unwrap_or(u32::MAX)))
        })
    }

    /// Counts what fills a context, for a panel: named sections of text, and MCP tools by server.
    ///
    /// @param sections - texts by name, as in `{ system: '…', conversation: '…' }`
    /// @param options - whose tools count, and what shares refer to
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`, `ERR_BUSY`
    #[napi(
        catch_unwind,
        ts_args_type = "sections: Record<string, string>, options?: ContextUsageOptions",
        ts_return_type = "Promise<ContextUsage>"
    )]
    pub fn context_usage<'env>(
        &self,
        env: &'env Env,
        sections: Unknown<'env>,
        options: Unknown<'env>,
    ) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let reader = Reader::new(env)?;
            let sections = reader.root(sections, "contextUsage.sections").entries(|text| text.text())?;
            if sections.len() > MAX_SECTIONS {
                return Err(Error::invalid("contextUsage.sections", format!("at most {MAX_SECTIONS} sections"), sections.len()));
            }
            let options = reader.root(options, "contextUsage");
            let mut session = None;
            let mut window = None;
            if !options.is_undefined() {
                options.only_keys(&["sessionId", "contextWindow"])?;
                session = options.field("sessionId", |id| id.text())?;
                window = options.field("contextWindow", |value| value.count(1, MAX_COUNT))?;
            }
            Ok(move |core: &Core| {
                let session = session.map(|id| core.session(&id)).transpose()?;
                Ok(ContextUsage::from(core.context_usage(&sections, session.as_ref(), window)))
            })
        })
    }

    /// Remembers that a tool was called; see {@link Session.recordUse}.
    ///
    /// @param tool - the tool by its names, or by its provider name
    /// @throws {ToolRouterError} `ERR_TOOL_NOT_FOUND`, `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "tool: ToolRef | string", ts_return_type = "Promise<void>")]
    pub fn record_use<'env>(&self, env: &'env Env, tool: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let tool = requests::tool_reference(&Reader::new(env)?.root(tool, "recordUse.tool"))?;
            Ok(move |core: &Core| {
                let id = resolve(core, tool)?;
                core.record_use(&id)
            })
        })
    }

    /// Sets who hears of events, in place of the listener before. Nothing is sent while a session's mode is `all`, and
    /// never a query's text. What the listener throws is dropped. It does not keep the process alive.
    ///
    /// @param listener - the function, or `null` for nobody
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`
    #[napi(catch_unwind, ts_args_type = "listener: ((event: TelemetryEvent) => void) | null")]
    pub fn on_telemetry<'env>(&self, env: &'env Env, listener: Unknown<'env>) -> napi::Result<()> {
        sync(env, || {
            let reader = Reader::new(env)?;
            let input = reader.root(listener, "onTelemetry.listener");
            if input.is_null() {
                self.core.on_telemetry(None);
                return Ok(());
            }
            let function = Function::<FnArgs<(serde_json::Value,)>, Unknown<'static>>::from_unknown(input.function()?);
            let callable = function.and_then(|function| {
                function
                    .build_threadsafe_function::<serde_json::Value>()
                    .weak::<true>()
                    .callee_handled::<false>()
                    .build_callback(|call| Ok(FnArgs::from((call.value,))))
            });
            let callable = callable.map_err(|error| foreign(&error))?;
            self.core.on_telemetry(Some(Arc::new(move |event| {
                if let Ok(value) = serde_json::from_str(&event.to_json()) {
                    // With a callback for its answer, what the listener throws comes there and ends there.
                    callable.call_with_return_value(value, ThreadsafeFunctionCallMode::NonBlocking, |_, _| Ok(()));
                }
            })));
            Ok(())
        })
    }
}

fn install_answer(
    installed: &std::sync::mpsc::Receiver<Result<crate::embedding::service::EmbedderInfo>>,
) -> Result<EmbedderInfo> {
    let gone = |_| Error::from(ErrorKind::Internal { detail: "the embedding thread has ended".into() });
    Ok(installed.recv().map_err(gone)??.into())
}

fn resolve(core: &Core, tool: ToolReference) -> Result<crate::catalogue::tool::ToolId> {
    match tool {
        ToolReference::Id(id) => Ok(id),
        ToolReference::Name(name) => core.resolve(&name).ok_or_else(|| core.not_found(&name)),
    }
}

fn rank_list<'env>(
    env: &'env Env,
    args: [Unknown<'env>; 3],
    names: [&'static str; 3],
    supported_only: bool,
) -> napi::Result<Object<'env>> {
    let ([query, tools, k], [query_name, tools_name, k_name]) = (args, names);
    on_worker(env, || {
        let reader = Reader::new(env)?;
        let query = reader.root(query, query_name).text()?;
        let servers = requests::scoped_tools(&reader.root(tools, tools_name))?;
        let k = reader.root(k, k_name).count(1, MAX_K)?;
        Ok(move |core: &Core| core.rank_list(&query, servers, k, supported_only, tools_name))
    })
}

/// Tells where the runtime and the model are. Called by the loader alone, once an environment.
#[napi(catch_unwind, skip_typescript, js_name = "__setAssetFolders")]
pub fn set_asset_folders(env: &Env, runtime: Option<String>, model: Option<String>) -> napi::Result<()> {
    assets::set(runtime, model);
    enter(env)
}

/// Says that this environment ends. Called by the loader alone.
#[napi(catch_unwind, skip_typescript, js_name = "__leave")]
pub fn leave_environment() {
    leave();
}

/// Panics on the worker: the test of what a defect of ours looks like. Not passed on by the loader.
#[napi(catch_unwind, skip_typescript, js_name = "__panic")]
pub fn panic_for_test(env: &Env) -> napi::Result<Object<'_>> {
    on_worker(env, || Ok(|_: &Core| -> Result<()> { panic!("asked for by a test") }))
}
