//! `Session.explain`: convert, call, convert.

use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;

use super::session::Session;
use crate::binding::answers::ranking::Explanation;
use crate::binding::arguments;
use crate::binding::arguments::input::Reader;
use crate::binding::lanes::on_session;
use crate::router::{Index, ToolRouter as Core};

#[napi]
impl Session {
    /// Says why a tool has its rank for the last message, read in this task: words, vectors, every adjustment of the order, and how
    /// it came to be attached. Costs a ranking, and changes nothing.
    ///
    /// @param tool - the tool by server and name, or its provider name
    /// @throws {ToolRouterError} `ERR_TOOL_NOT_FOUND`, `ERR_OUT_OF_SCOPE`, `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`
    #[napi(catch_unwind, ts_args_type = "tool: ToolRef | string", ts_return_type = "Promise<Explanation>")]
    pub fn explain<'env>(&self, env: &'env Env, tool: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_session(env, self.shared(), true, || {
            let tool = arguments::ranking::tool_reference(&Reader::new(env)?.root(tool, "explain.tool"))?;
            self.check_open()?;
            let (inner, id) = (self.held(), self.session_id().to_owned());
            Ok(move |router: &Core, index: &Index| {
                router.check_open(&id, &inner)?;
                let tool = tool.resolved(|name| router.resolve_in_session(index, &inner, name))?;
                Ok(Explanation::from(router.explain_session(index, &inner, &tool)?))
            })
        })
    }
}

/// What research reads, in a build of its own.
#[cfg(feature = "ablation")]
#[napi]
impl Session {
    /// What the measures of a later turn would read, as JSON: for `research/measure/ranking/turns.mjs`.
    #[napi(catch_unwind, skip_typescript, js_name = "__turnSignals")]
    pub fn turn_signals<'env>(&self, env: &'env Env, message: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_session(env, self.shared(), true, || {
            let message = Reader::new(env)?.root(message, "turnSignals.message").text()?;
            let inner = self.held();
            Ok(move |router: &Core, index: &Index| Ok(router.turn_signals(index, &inner, &message).to_string()))
        })
    }

    /// What the measure of chances reads of each tool that may come with a message, as JSON: for
    /// `research/measure/ranking/chances.mjs`.
    #[napi(catch_unwind, skip_typescript, js_name = "__chances")]
    pub fn chances<'env>(&self, env: &'env Env, message: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_session(env, self.shared(), true, || {
            let message = Reader::new(env)?.root(message, "chances.message").text()?;
            let inner = self.held();
            Ok(move |router: &Core, index: &Index| Ok(router.values_of_chances(index, &inner, &message)))
        })
    }
}
