//! `ToolRouter`: the router itself: its settings and its state.

use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::binding::answers::status::Status;
use crate::binding::arguments;
use crate::binding::arguments::input::Reader;
use crate::binding::error::sync;
use crate::binding::worker::router;
use crate::error::{Error, ErrorKind};
use crate::router::ToolRouter as Core;
use crate::settings::Settings;

/// Decides which MCP tools a task gets. There is one router per process, shared by all worker threads.
///
/// Methods that return promises run on the router's own thread, in the order in which they are called: a ranking sees every
/// server that was set before it, awaited or not.
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

#[napi]
impl ToolRouter {
    /// Refuses `new ToolRouter()`: there is one router per process.
    ///
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`
    #[napi(constructor, catch_unwind, skip_typescript)]
    pub fn refuse_new(env: &Env) -> napi::Result<Self> {
        sync(env, || Err(Error::invalid("new ToolRouter()", "ToolRouter.shared()", "a constructor call")))
    }

    /// Returns the router of this process. Worker threads get the same one.
    #[napi(factory, catch_unwind)]
    pub fn shared() -> Self {
        Self { core: router() }
    }

    /// Replaces the settings: what is not given returns to its default. Open sessions follow, except in settings of their own.
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
            self.core.configure(arguments::settings::settings(&input, Settings::default())?)
        })
    }

    /// The active settings, with all defaults.
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

    /// The state of the router, for an indicator. It checks each tool's vector: a millisecond for thousands of tools.
    #[napi(getter, catch_unwind)]
    pub fn status(&self) -> Status {
        self.core.status().into()
    }
}
