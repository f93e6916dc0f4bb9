//! `ToolRouter`: the doors to sessions.

use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;

use super::router::ToolRouter;
use super::session::Session;
use crate::binding::arguments;
use crate::binding::arguments::input::Reader;
use crate::binding::error::sync;
use crate::binding::worker::on_worker;
use crate::router::ToolRouter as Core;

#[napi]
impl ToolRouter {
    /// Opens a session: one per task.
    ///
    /// @param options - an id, a host mode, servers, and settings that differ from the router's
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also for the id of an open session
    #[napi(catch_unwind, ts_args_type = "options?: SessionOptions")]
    pub fn open_session<'env>(&self, env: &'env Env, options: Unknown<'env>) -> napi::Result<Session> {
        sync(env, || {
            let reader = Reader::new(env)?;
            let base = (*self.core.settings()).clone();
            let options = reader.root(options, "openSession");
            let (id, host_mode, servers, settings, own) = arguments::session::session_options(&options, base)?;
            let session = self.core.open_session(id, host_mode, settings)?;
            let mut opened = session.lock();
            opened.own = own;
            opened.servers = servers;
            drop(opened);
            Ok(Session::new(session))
        })
    }

    /// Opens a session from its saved state, with the same attached tools. An open session with the same id is closed.
    ///
    /// @param state - the text of `JSON.stringify(session)`
    /// @throws {ToolRouterError} `ERR_STATE_INVALID`, `ERR_STATE_VERSION`, `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "state: string", ts_return_type = "Promise<Session>")]
    pub fn restore_session<'env>(&self, env: &'env Env, state: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let state = Reader::new(env)?.root(state, "restoreSession.state").text()?;
            Ok(move |core: &Core| Ok(Session::restored(core, core.restore_session(&state)?)))
        })
    }

    /// An open session by its id, even if another worker thread opened it.
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
}
