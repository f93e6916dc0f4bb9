//! `Session`: convert, call, convert.

use std::sync::Arc;

use napi::bindgen_prelude::{Function, JsObjectValue, Object, Unknown};
use napi::{Either, Env, JsString};
use napi_derive::napi;

use parking_lot::Mutex;

use super::error::sync;
use super::input::Reader;
use super::requests::{self, ToolReference};
use super::servers::RerouteResult;
use super::types::{LoadResult, Selection, ToolId};
use super::worker::{on_worker, router};
use crate::error::{Error, ErrorKind, Result};
use crate::router::{SharedSession, ToolRouter};
use crate::session::reroute::Signal;

/// The state of one task: which tools are attached, and how many turns are still ranked.
///
/// Get one from {@link ToolRouter.openSession}. Calls of one session are done in the order in which they are made.
///
/// @example
/// ```ts
/// const session = ToolRouter.shared().openSession()
/// const selection = await session.start('List the open issues of acme/web')
/// const tools = JSON.parse(session.tools())
/// ```
#[napi]
pub struct Session {
    inner: SharedSession,
    id: String,
    rendered: Arc<Mutex<Option<Rendered>>>,
}

/// Long definitions as JavaScript takes them, made on the worker: turning 6 MB of text into UTF-16
/// would hold the event loop for 20 ms.
struct Rendered {
    generation: u64,
    attached_count: usize,
    units: Vec<u16>,
}

/// Shorter texts are turned when they are asked for: in less than a millisecond.
const LONG_TEXT_BYTES: usize = 256 * 1024;

fn to_utf16(text: &str) -> Vec<u16> {
    let mut units = vec![0; text.len()];
    let length = encoding_rs::mem::convert_str_to_utf16(text, &mut units);
    units.truncate(length);
    units
}

/// Renders long definitions ahead.
fn render(router: &ToolRouter, inner: &SharedSession, rendered: &Mutex<Option<Rendered>>) {
    let index = router.index();
    let session = inner.lock();
    let text = session.tools(&index);
    let attached_count = session.attached().len();
    drop(session);
    let units = (text.len() >= LONG_TEXT_BYTES).then(|| to_utf16(&text));
    *rendered.lock() = units.map(|units| Rendered { generation: index.generation, attached_count, units });
}

impl Session {
    pub(super) fn new(inner: SharedSession) -> Self {
        let id = inner.lock().id.clone();
        Self { inner, id, rendered: Arc::default() }
    }

    /// A session that was restored on the worker, with its definitions rendered.
    pub(super) fn restored(router: &ToolRouter, inner: SharedSession) -> Self {
        let session = Self::new(inner);
        render(router, &session.inner, &session.rendered);
        session
    }

    fn check_open(&self) -> Result<()> {
        router().check_open(&self.id, &self.inner)
    }

    fn advance<'env>(&self, env: &'env Env, text: Unknown<'env>, name: &str, first: bool) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let text = Reader::new(env)?.root(text, name).text()?;
            self.check_open()?;
            let (inner, id, rendered) = (Arc::clone(&self.inner), self.id.clone(), Arc::clone(&self.rendered));
            Ok(move |router: &ToolRouter| {
                router.check_open(&id, &inner)?;
                let turn = inner.lock().turn();
                if first && turn > 0 {
                    return Err(Error::invalid(
                        "start",
                        "a session that has not started",
                        format!("one in turn {turn}; call turn() instead"),
                    ));
                }
                if !first && turn == 0 {
                    return Err(Error::invalid("turn", "a session that has started", "one in turn 0; call start() first"));
                }
                let selection = router.advance(&inner, &text);
                render(router, &inner, &rendered);
                Ok(Selection::from(selection))
            })
        })
    }
}

#[napi]
impl Session {
    /// Its id: the host's, or one of ours.
    #[napi(getter, catch_unwind)]
    pub fn id(&self) -> String {
        self.id.clone()
    }

    /// Whether it was closed, evicted by a thousand later sessions, or replaced by a restored one.
    #[napi(getter, catch_unwind)]
    pub fn closed(&self) -> bool {
        self.check_open().is_err()
    }

    /// Takes the first turn: passes the gate and attaches the first tools.
    ///
    /// Costs one ranking, a few milliseconds, and waits at most `settings.deadlineMs` for the text's vector.
    ///
    /// @param taskText - what the user asked for; 32 KiB of it are read
    /// @returns what was attached, and what it costs
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also when started before; `ERR_SESSION_NOT_FOUND`; `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "taskText: string", ts_return_type = "Promise<Selection>")]
    pub fn start<'env>(&self, env: &'env Env, task_text: Unknown<'env>) -> napi::Result<Object<'env>> {
        self.advance(env, task_text, "start.taskText", true)
    }

    /// Takes a later turn. In the first `settings.searchTurns` turns the message is ranked and up to `settings.turnK`
    /// new tools are attached; afterwards only {@link Session.load} attaches. Tools are only ever appended, so the
    /// rendered definitions of a turn are a prefix of the next one's.
    ///
    /// @param message - the latest message
    /// @returns what is attached now, and what this turn added
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also before `start`; `ERR_SESSION_NOT_FOUND`; `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "message: string", ts_return_type = "Promise<Selection>")]
    pub fn turn<'env>(&self, env: &'env Env, message: Unknown<'env>) -> napi::Result<Object<'env>> {
        self.advance(env, message, "turn.message", false)
    }

    /// Answers the model's call of `mcp_load`. The query is free text, exact tool names in any number, or a server's
    /// name. What is attached already stays as it is; what cannot be had comes with its reason.
    ///
    /// @param args - the arguments of the call, as an object or as the JSON text that the model wrote
    /// @returns what was attached, what was attached before, and what cannot be had
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "args: LoadArgs", ts_return_type = "Promise<LoadResult>")]
    pub fn load<'env>(&self, env: &'env Env, args: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let query = requests::load_query(&Reader::new(env)?.root(args, "load"))?;
            self.check_open()?;
            let (inner, id, rendered) = (Arc::clone(&self.inner), self.id.clone(), Arc::clone(&self.rendered));
            Ok(move |router: &ToolRouter| {
                router.check_open(&id, &inner)?;
                let result = router.load(&inner, &query)?;
                render(router, &inner, &rendered);
                Ok(LoadResult::from(result))
            })
        })
    }

    /// Answers a model that says what it cannot do with the tools it has: looks for the missing capability among tools
    /// that are not attached, and attaches up to `settings.searchK` of them. Servers that were tried are left out, unless
    /// a tool of theirs that is not attached fits best of all. What is attached stays. Every signal counts, and after `settings.maxReroutes` none is looked for, so a task that
    /// signals in a circle ends. The count is part of the session's state.
    ///
    /// @param signal - the signal as an object, or as the JSON text that the model wrote
    /// @returns `CONTINUE` with the checkpoint and what was attached, `INCOMPLETE` with what is missing, or
    /// `MAX_REROUTES_EXCEEDED`
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also before `start`; `ERR_SESSION_NOT_FOUND`; `ERR_BUSY`;
    /// nothing is changed or counted then
    #[napi(catch_unwind, ts_args_type = "signal: MissingCapability | string", ts_return_type = "Promise<RerouteResult>")]
    pub fn reroute<'env>(&self, env: &'env Env, signal: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let signal = Signal::read(&Reader::new(env)?.root(signal, "reroute").json()?)?;
            self.check_open()?;
            let (inner, id, rendered) = (Arc::clone(&self.inner), self.id.clone(), Arc::clone(&self.rendered));
            Ok(move |router: &ToolRouter| {
                router.check_open(&id, &inner)?;
                let result = router.reroute(&inner, signal)?;
                render(router, &inner, &rendered);
                Ok(RerouteResult::from(result))
            })
        })
    }

    /// Remembers that a tool was called; it is preferred a little in later rankings of tools that the query speaks for.
    ///
    /// @param tool - the tool by its names, or by the provider name that the model called
    /// @throws {ToolRouterError} `ERR_TOOL_NOT_FOUND`, `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "tool: ToolRef | string", ts_return_type = "Promise<void>")]
    pub fn record_use<'env>(&self, env: &'env Env, tool: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let tool = requests::tool_reference(&Reader::new(env)?.root(tool, "recordUse.tool"))?;
            self.check_open()?;
            let inner = Arc::clone(&self.inner);
            Ok(move |router: &ToolRouter| {
                let id = match tool {
                    ToolReference::Id(id) => id,
                    ToolReference::Name(name) => {
                        let found = inner.lock().resolve(&router.index(), &name);
                        found.ok_or_else(|| Error::from(ErrorKind::ToolNotFound { name, near: Vec::new() }))?
                    }
                };
                router.record_use(&id)
            })
        })
    }

    /// The last selection; `null` before the first turn.
    #[napi(getter, catch_unwind, ts_return_type = "Selection | null")]
    pub fn selection(&self) -> Either<Selection, napi::bindgen_prelude::Null> {
        let last = self.inner.lock().last_selection(&router().index());
        last.map_or(Either::B(napi::bindgen_prelude::Null), |selection| Either::A(selection.into()))
    }

    /// The function definitions to send, as the JSON text of an array: `mcp_load` first, then the attached tools in
    /// order. Schemas stand as their servers sent them. A tool whose server is gone is left out and returns to its
    /// place when the server does. Costs a copy of the text.
    ///
    /// @throws {ToolRouterError} `ERR_SESSION_NOT_FOUND`
    #[napi(catch_unwind, ts_return_type = "string")]
    pub fn tools<'env>(&self, env: &'env Env) -> napi::Result<JsString<'env>> {
        let index = router().index();
        let session = sync(env, || {
            self.check_open()?;
            Ok(self.inner.lock())
        })?;
        if let Some(rendered) = &*self.rendered.lock()
            && rendered.generation == index.generation
            && rendered.attached_count == session.attached().len()
        {
            return env.create_string_utf16(&rendered.units);
        }
        let text = session.tools(&index);
        if text.is_ascii() { env.create_string_latin1(text.as_bytes()) } else { env.create_string_utf16(to_utf16(&text)) }
    }

    /// The tool behind a provider name that the model called, whether it wrote `-` or `_`; `null` when there is none.
    ///
    /// @param name - the name, as in `mcp--github--create_issue`
    #[napi(catch_unwind, ts_args_type = "name: string", ts_return_type = "ToolId | null")]
    pub fn resolve_tool<'env>(
        &self,
        env: &'env Env,
        name: Unknown<'env>,
    ) -> napi::Result<Either<ToolId, napi::bindgen_prelude::Null>> {
        sync(env, || {
            let name = Reader::new(env)?.root(name, "resolveTool.name").text()?;
            let found = self.inner.lock().resolve(&router().index(), &name);
            Ok(found.map_or(Either::B(napi::bindgen_prelude::Null), |id| Either::A(id.into())))
        })
    }

    /// The state for the host's task history: `JSON.stringify(session)` is what {@link ToolRouter.restoreSession}
    /// reads. It holds names and settings, never what a user or model said.
    ///
    /// @throws {ToolRouterError} `ERR_SESSION_NOT_FOUND`
    #[napi(catch_unwind, js_name = "toJSON", ts_args_type = "", ts_return_type = "SessionState")]
    pub fn to_json<'env>(&self, env: &'env Env) -> napi::Result<Unknown<'env>> {
        let text = sync(env, || {
            self.check_open()?;
            Ok(self.inner.lock().to_json().to_string())
        })?;
        // JSON.parse makes thousands of objects ten times faster than one call each.
        let json: Object = env.get_global()?.get_named_property("JSON")?;
        let parse: Function<String, Unknown> = json.get_named_property("parse")?;
        parse.call(text)
    }

    /// Forgets the session. Closing twice is fine; every other call fails afterwards.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        if self.check_open().is_ok() {
            router().close_session(&self.id);
        }
    }
}
