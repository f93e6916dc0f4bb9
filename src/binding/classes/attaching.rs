//! `Session`: tools that are attached and taken away by name.

use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;

use super::session::Session;
use crate::binding::answers::loads::{AttachResult, UnloadResult};
use crate::binding::arguments;
use crate::binding::arguments::input::Reader;

#[napi]
impl Session {
    /// Attaches tools that the host names, in their order: nothing is ranked, and no event says that the model asked. The
    /// limit of the model's API and the task's budget apply. A tool that is attached keeps its place.
    ///
    /// @param tools - provider names, names of tools alone, or tools by their two names
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also before `start`; `ERR_SESSION_NOT_FOUND`; `ERR_BUSY`
    /// @internal
    #[napi(catch_unwind, ts_args_type = "tools: (ToolRef | string)[]", ts_return_type = "Promise<AttachResult>")]
    pub fn attach<'env>(&self, env: &'env Env, tools: Unknown<'env>) -> napi::Result<Object<'env>> {
        let read = |reader: &Reader<'env>| arguments::session::tools(&reader.root(tools, "attach.tools"));
        self.call(env, false, read, |router, index, inner, tools| router.attach(index, inner, &tools).map(AttachResult::from))
    }

    /// Takes tools away that the model or the user does not want. No turn brings them back; {@link Session.load}
    /// and {@link Session.reroute} do.
    ///
    /// @param names - provider names, or names of tools alone; of a module or a server all its tools
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also before `start`; `ERR_SESSION_NOT_FOUND`; `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "names: string[]", ts_return_type = "Promise<UnloadResult>")]
    pub fn unload<'env>(&self, env: &'env Env, names: Unknown<'env>) -> napi::Result<Object<'env>> {
        let read = |reader: &Reader<'env>| arguments::session::names(&reader.root(names, "unload.names"));
        self.call(env, false, read, |router, _, inner, names| router.unload(inner, &names).map(UnloadResult::from))
    }
}
