//! `Session`: modules of large servers.

use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;

use super::session::Session;
use crate::binding::answers::loads::ServerModule;
use crate::binding::arguments::input::Reader;
use crate::binding::lanes::on_session;
use crate::router::{Index, ToolRouter as Core};

#[napi]
impl Session {
    /// The modules of the large servers in scope: parts of 1 to 25 tools of every server of more than 30, divided by what
    /// their tools are about. {@link Session.load} loads one by its name, {@link Session.unload} takes it away.
    ///
    /// @param serverName - only those of this server
    /// @returns the modules by server and name, with what this session has of each
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "serverName?: string", ts_return_type = "Promise<ServerModule[]>")]
    pub fn modules<'env>(&self, env: &'env Env, server_name: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_session(env, self.shared(), false, || {
            let server = Reader::new(env)?.root(server_name, "modules.serverName").optional(|name| name.name())?;
            self.check_open()?;
            let (inner, id) = (Arc::clone(self.shared()), self.session_id().to_owned());
            Ok(move |router: &Core, _: &Index| {
                router.check_open(&id, &inner)?;
                let modules = router.session_modules(&inner, server.as_deref());
                Ok(modules.into_iter().map(ServerModule::from).collect::<Vec<_>>())
            })
        })
    }
}
