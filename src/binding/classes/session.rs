//! `Session`: convert, call, convert.

use std::sync::Arc;

use napi::bindgen_prelude::{Function, JsObjectValue, Null, Object, Unknown};
use napi::{Either, Env, JsString};
use napi_derive::napi;
use parking_lot::Mutex;

use crate::binding::answers::catalogue::ToolRef;
use crate::binding::answers::loads::LoadResult;
use crate::binding::answers::session::{RerouteResult, Selection};
use crate::binding::arguments;
use crate::binding::arguments::input::Reader;
use crate::binding::error::sync;
use crate::binding::lanes::{Held, on_session};
use crate::binding::rendered::{Rendered, render, to_utf16};
use crate::binding::worker::{Answer, router};
use crate::error::{Error, Result};
use crate::order::workspace::Workspace;
use crate::router::{Index, SharedSession, ToolRouter as Core, with_context};
use crate::session::reroute::Signal;

/// The state of one task: which tools are attached, and how many turns are still ranked.
///
/// Calls of one session that return promises are executed in the order in which they are made; the others act immediately.
#[napi]
pub struct Session {
    inner: SharedSession,
    id: String,
    rendered: Arc<Mutex<Option<Rendered>>>,
}

impl Session {
    pub(super) fn new(inner: SharedSession) -> Self {
        let id = inner.lock().id.clone();
        Self { inner, id, rendered: Arc::default() }
    }

    /// A session that was restored on the worker, with its definitions rendered.
    pub(super) fn restored(router: &Core, inner: SharedSession) -> Self {
        let session = Self::new(inner);
        render(router, &session.inner, &session.rendered);
        session
    }

    pub(super) fn shared(&self) -> &SharedSession {
        &self.inner
    }

    /// The session, held for a call.
    pub(super) fn held(&self) -> Held {
        Held::new(Arc::clone(&self.inner))
    }

    pub(super) fn session_id(&self) -> &str {
        &self.id
    }

    pub(super) fn check_open(&self) -> Result<()> {
        // A host may keep the handle of a closed session for long: megabytes of definitions need not stay with it.
        router().check_open(&self.id, &self.inner).inspect_err(|_| *self.rendered.lock() = None)
    }

    /// Reads what a call is asked with now, and does it in its place among the calls of the session; then long definitions
    /// are rendered. `waits` says whether it may wait for a vector.
    pub(super) fn call<'env, A: Send + 'static, T: Answer>(
        &self,
        env: &'env Env,
        waits: bool,
        read: impl FnOnce(&Reader<'env>) -> Result<A>,
        work: impl FnOnce(&Core, &Index, &SharedSession, A) -> Result<T> + Send + 'static,
    ) -> napi::Result<Object<'env>> {
        on_session(env, &self.inner, waits, || {
            let asked = read(&Reader::new(env)?)?;
            self.check_open()?;
            let (inner, id, rendered) = (self.held(), self.id.clone(), Arc::clone(&self.rendered));
            Ok(move |router: &Core, index: &Index| {
                router.check_open(&id, &inner)?;
                let answer = work(router, index, &inner, asked)?;
                render(router, &inner, &rendered);
                if router.check_open(&id, &inner).is_err() {
                    *rendered.lock() = None;
                }
                Ok(answer)
            })
        })
    }

    fn advance<'env>(
        &self,
        env: &'env Env,
        text: Unknown<'env>,
        options: Unknown<'env>,
        first: bool,
    ) -> napi::Result<Object<'env>> {
        let (call, name) = if first { ("start", "start.taskText") } else { ("turn", "turn.message") };
        let read = |reader: &Reader<'env>| {
            let text = reader.root(text, name).text()?;
            let options = reader.root(options, call);
            let (workspace, context) = if first {
                arguments::session::start_options(&options)?
            } else {
                (Workspace::default(), arguments::session::context(&options)?)
            };
            self.check_open()?;
            Ok((text, workspace, context, first.then(|| self.inner.lock().begin_start())))
        };
        self.call(env, true, read, move |router, index, inner, (text, workspace, context, _pending)| {
            {
                let mut session = inner.lock();
                session.check_turn(first)?;
                session.note_context(context);
            }
            Ok(Selection::from(router.advance_in(index, inner, &text, &workspace)))
        })
    }
}

#[napi]
impl Session {
    /// Refuses `new Session()`, which would be no task of the router.
    ///
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`
    #[napi(constructor, catch_unwind, skip_typescript)]
    pub fn refuse_new(env: &Env) -> napi::Result<Self> {
        sync(env, || Err(Error::invalid("new Session()", "ToolRouter.shared().openSession()", "a constructor call")))
    }

    /// The session's id: the one that the host gave, or a new one.
    #[napi(getter, catch_unwind)]
    pub fn id(&self) -> String {
        self.id.clone()
    }

    /// Whether the session was closed, evicted by a thousand later sessions, or replaced by a restored one.
    #[napi(getter, catch_unwind)]
    pub fn closed(&self) -> bool {
        self.check_open().is_err()
    }

    /// Takes the first turn: attaches all tools in scope when they are few, otherwise the best ones. Costs one ranking, a few
    /// milliseconds, and waits at most `settings.deadlineMs` for the text's vector.
    ///
    /// @param taskText - what the user asked for; 32 KiB of it are read
    /// @param options - what the host knows about its context, and about where the task works
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also when started before; `ERR_SESSION_NOT_FOUND`; `ERR_BUSY`
    #[napi(
        catch_unwind,
        ts_args_type = "taskText: string, options?: ContextOptions & { workspace?: Workspace }",
        ts_return_type = "Promise<Selection>"
    )]
    pub fn start<'env>(&self, env: &'env Env, task_text: Unknown<'env>, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        self.advance(env, task_text, options, true)
    }

    /// Takes a later turn. In the first `settings.searchTurns` turns that say something the message is ranked and up to three new
    /// tools are attached, and those that it names; afterwards only {@link Session.load} attaches, and what comes into scope. Unless
    /// the selection names a rewrite, the rendered definitions of a turn are a prefix of the next one's. If the host says how long
    /// the context is, a turn adds what is worth having it written to the provider's cache again (docs/delivery.md).
    ///
    /// @param message - the latest message
    /// @param options - what the host knows about its context
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also before `start`; `ERR_SESSION_NOT_FOUND`; `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "message: string, options?: ContextOptions", ts_return_type = "Promise<Selection>")]
    pub fn turn<'env>(&self, env: &'env Env, message: Unknown<'env>, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        self.advance(env, message, options, false)
    }

    /// Adopts what the host changed since the last turn: its mode, the router's settings, servers that came or went. Call it
    /// between two requests of one turn; {@link Session.turn} does it by itself. What is out of scope is not rendered any more, and
    /// what has come into scope is ranked for what the task has said, and attached as far as a first selection would take it. Before
    /// `start` it sets the mode alone.
    ///
    /// @param options - what the host knows about its context; another host mode, or `null` for none
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`, `ERR_BUSY`
    #[napi(
        catch_unwind,
        ts_args_type = "options?: ContextOptions & { hostMode?: string | null }",
        ts_return_type = "Promise<Selection>"
    )]
    pub fn sync<'env>(&self, env: &'env Env, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        let read = |reader: &Reader<'env>| arguments::session::sync_options(&reader.root(options, "sync"));
        self.call(env, true, read, |router, index, inner, (mode, context)| {
            with_context(inner, context, || router.sync(index, inner, mode)).map(Selection::from)
        })
    }

    /// Opens a session for a subtask, with this one's settings and host mode. Its first selection prefers this session's tools
    /// among the best candidates, twice as many as it attaches.
    ///
    /// @param options - an id of the host's choice; another host mode, or `null` for none
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`
    #[napi(catch_unwind, ts_args_type = "options?: { sessionId?: string; hostMode?: string | null }", ts_return_type = "Session")]
    pub fn fork<'env>(&self, env: &'env Env, options: Unknown<'env>) -> napi::Result<Session> {
        sync(env, || {
            let (id, mode) = arguments::session::fork_options(&Reader::new(env)?.root(options, "fork"))?;
            self.check_open()?;
            router().fork_session(&self.inner, id, mode).map(Session::new)
        })
    }

    /// Chooses the attached tools again, because the host has condensed its conversation and a rewrite is free now: from what the
    /// task said, from the summary, and from the tools that were used. The ledger begins again.
    ///
    /// @param summary - the condensed conversation; up to 32 KiB of it are read, less what the task said
    /// @param options - how long the context is now; unknown without it
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also before `start`; `ERR_SESSION_NOT_FOUND`; `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "summary?: string, options?: ContextOptions", ts_return_type = "Promise<Selection>")]
    pub fn compact<'env>(&self, env: &'env Env, summary: Unknown<'env>, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        let read = |reader: &Reader<'env>| {
            let summary = reader.root(summary, "compact.summary").optional(|summary| summary.text())?;
            Ok((summary, arguments::session::context(&reader.root(options, "compact"))?))
        };
        self.call(env, true, read, |router, index, inner, (summary, context)| {
            router.compact(index, inner, summary.as_deref(), context).map(Selection::from)
        })
    }

    /// Answers the model's call of `mcp_load`. The query is free text, exact tool names in any number, or the name of a server or
    /// module, which brings its core. `modules:` lists modules, and `unload: names` takes tools, modules or servers away. What is
    /// unavailable comes back with its reason. A load is never refused because of what it has written to the provider's cache again.
    ///
    /// @param args - what the model wrote: arguments as an object or JSON text, a list of queries, names, a bare text, or the
    ///   whole call of its provider. What asks for nothing is answered with the right form in `doubt`
    /// @param options - what the host knows about its context
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`, `ERR_BUSY`
    #[napi(
        catch_unwind,
        ts_args_type = "args: { query: string | string[] } | { queries: string[] } | string, options?: ContextOptions",
        ts_return_type = "Promise<LoadResult>"
    )]
    pub fn load<'env>(&self, env: &'env Env, args: Unknown<'env>, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        let read = |reader: &Reader<'env>| {
            let written = arguments::session::written(&reader.root(args, "load"));
            Ok((written, arguments::session::context(&reader.root(options, "load"))?))
        };
        self.call(env, true, read, |router, index, inner, (written, context)| {
            with_context(inner, context, || router.load_written(index, inner, &written)).map(LoadResult::from)
        })
    }

    /// Answers a model that says what it cannot do with the tools that it has: searches for that among the tools that are not
    /// attached, and attaches up to `settings.searchK`. Servers that were tried are left out, unless one of their other tools fits
    /// best of all. After three signals nothing is searched for; the count is part of the session's state.
    ///
    /// @param signal - the signal as an object, or as the JSON text that the model wrote
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also before `start`; `ERR_SESSION_NOT_FOUND`; `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "signal: MissingCapability | string", ts_return_type = "Promise<RerouteResult>")]
    pub fn reroute<'env>(&self, env: &'env Env, signal: Unknown<'env>) -> napi::Result<Object<'env>> {
        let read = |reader: &Reader<'env>| Signal::read(&reader.root(signal, "reroute").json()?);
        self.call(env, true, read, |router, index, inner, signal| router.reroute(index, inner, signal).map(RerouteResult::from))
    }

    /// Remembers that a tool was called. Later rankings prefer it a little if the query matches it, and more if the query shares
    /// terms with what this task said. Later tasks that choose it get what this task called before it, as companions.
    ///
    /// @param tool - the tool by its names, or by the provider name that the model called
    /// @throws {ToolRouterError} `ERR_TOOL_NOT_FOUND`, `ERR_OUT_OF_SCOPE`, `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "tool: ToolRef | string", ts_return_type = "Promise<void>")]
    pub fn record_use<'env>(&self, env: &'env Env, tool: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_session(env, &self.inner, false, || {
            let tool = arguments::ranking::tool_reference(&Reader::new(env)?.root(tool, "recordUse.tool"))?;
            self.check_open()?;
            let inner = self.held();
            Ok(move |router: &Core, _: &Index| {
                let id = tool.resolved(|name| inner.lock().tool_called(&router.index(), name))?;
                let (said, is_first) = {
                    let session = inner.lock();
                    session.check_in_scope(&router.index(), &id)?;
                    (session.said(), session.has_called_nothing())
                };
                router.record_use_after(&id, &said, is_first)?;
                inner.lock().note_use(id);
                Ok(())
            })
        })
    }

    /// The last selection; `null` before the first turn, and after the session was closed.
    #[napi(getter, catch_unwind, ts_return_type = "Selection | null")]
    pub fn selection(&self) -> Either<Selection, Null> {
        let last = (!self.closed()).then(|| self.inner.lock().last_selection(&router().index())).flatten();
        last.map_or(Either::B(Null), |selection| Either::A(selection.into()))
    }

    /// The function definitions to send, as the JSON text of an array: `mcp_load`, then the attached tools in order. Before the
    /// first turn all tools in scope are there. Costs a copy of the text, 2 ms per MB.
    ///
    /// @throws {ToolRouterError} `ERR_SESSION_NOT_FOUND`; `ERR_INVALID_ARGUMENT` while a `start` is pending: await it first
    #[napi(catch_unwind, ts_return_type = "string")]
    pub fn tools<'env>(&self, env: &'env Env) -> napi::Result<JsString<'env>> {
        let index = router().index();
        let session = sync(env, || {
            self.check_open()?;
            let mut session = self.inner.lock();
            session.check_there()?;
            session.check_settled("tools")?;
            session.note_list();
            Ok(session)
        })?;
        if let Some(rendered) = &*self.rendered.lock()
            && rendered.generation == index.generation
            && session.has_shape(&rendered.shape)
        {
            return env.create_string_utf16(&rendered.units);
        }
        let text = session.tools(&index);
        if text.is_ascii() { env.create_string_latin1(text.as_bytes()) } else { env.create_string_utf16(to_utf16(&text)) }
    }

    /// The tool behind a provider name that the model called, written with `-` or `_`; `null` if the task may not use such a tool, or is closed.
    ///
    /// @param name - the name, as in `mcp--github--create_issue`
    #[napi(catch_unwind, ts_args_type = "name: string", ts_return_type = "ToolRef | null")]
    pub fn resolve_tool<'env>(&self, env: &'env Env, name: Unknown<'env>) -> napi::Result<Either<ToolRef, Null>> {
        sync(env, || {
            let name = Reader::new(env)?.root(name, "resolveTool.name").text()?;
            let found = (!self.closed()).then(|| self.inner.lock().resolve_in_scope(&router().index(), &name)).flatten();
            Ok(found.map_or(Either::B(Null), |id| Either::A(id.into())))
        })
    }

    /// The state for the host's task history: `JSON.stringify(session)` is what {@link ToolRouter.restoreSession} reads. It holds
    /// names and settings, never what a user or model said.
    ///
    /// @throws {ToolRouterError} `ERR_SESSION_NOT_FOUND`
    #[napi(catch_unwind, js_name = "toJSON", ts_args_type = "", ts_return_type = "SessionState")]
    pub fn to_json<'env>(&self, env: &'env Env) -> napi::Result<Unknown<'env>> {
        let text = sync(env, || {
            self.check_open()?;
            let session = self.inner.lock();
            session.check_there()?;
            Ok(session.to_json())
        })?;
        // JSON.parse makes thousands of objects ten times faster than one call each.
        let json: Object = env.get_global()?.get_named_property("JSON")?;
        let parse: Function<String, Unknown> = json.get_named_property("parse")?;
        parse.call(text)
    }

    /// Forgets the session. Closing twice is fine. `id` and `closed` still answer after that; `selection` is null, and `resolveTool` knows no tool.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        if self.check_open().is_ok() {
            router().close_session(&self.id);
            *self.rendered.lock() = None;
        }
    }
}
