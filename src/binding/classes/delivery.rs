//! `Session`: requests of a provider, and calls by name.

use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;

use super::session::Session;
use crate::binding::answers::delivery::{CallCheck, RenderedRequest};
use crate::binding::arguments;
use crate::binding::arguments::input::Reader;
use crate::binding::error::sync;
use crate::binding::lanes::{Rest, on_session_then};
use crate::binding::worker::router;
use crate::delivery::LoadAnswer;
use crate::router::ToolRouter as Core;

#[napi]
impl Session {
    /// Renders the next request for a provider: its list of tools, and messages that offer, withdraw or describe tools so that the
    /// provider's cache of everything before them is kept. Call it once before each request, after {@link Session.answerLoad} if the
    /// model called `mcp_load`. The session remembers what it said for each provider and delivery.
    ///
    /// @param options - the provider and the delivery; what is left out is that of the settings
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also while a `start` is pending: await it first; `ERR_SESSION_NOT_FOUND`
    /// @example
    /// ```ts
    /// const session = ToolRouter.shared().openSession()
    /// await session.start('List the open issues of acme/web')
    /// const conversation = [{ role: 'user', content: 'List the open issues of acme/web' }]
    /// const { tools, messages } = session.render({ provider: 'anthropic', delivery: 'changes' })
    /// conversation.push(...JSON.parse(messages))
    /// const request = { tools: JSON.parse(tools), messages: conversation }
    /// ```
    #[napi(catch_unwind, ts_args_type = "options?: ProviderDelivery")]
    pub fn render<'env>(&self, env: &'env Env, options: Unknown<'env>) -> napi::Result<RenderedRequest> {
        sync(env, || {
            let own = |provider| self.shared().lock().pair(provider);
            let pair = arguments::delivery::pair(&Reader::new(env)?.root(options, "render"), own)?;
            self.check_open()?;
            let index = router().index();
            let mut session = self.shared().lock();
            session.check_there()?;
            session.check_settled("render")?;
            session.render(&index, pair).map(Into::into)
        })
    }

    /// The answer to the model's call of `mcp_load` as its provider and delivery take it: JSON text of an array of messages, items,
    /// blocks or parts. Add it where results of tools belong, then call {@link Session.render}.
    ///
    /// @param result - what {@link Session.load} returned
    /// @param options - the id of the model's call, at most 1,024 bytes; provider and delivery as in {@link Session.render}
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also before `start`; `ERR_SESSION_NOT_FOUND`
    #[napi(catch_unwind, ts_args_type = "result: LoadResult, options: ProviderDelivery & { callId: string }")]
    pub fn answer_load<'env>(&self, env: &'env Env, result: Unknown<'env>, options: Unknown<'env>) -> napi::Result<String> {
        sync(env, || {
            let reader = Reader::new(env)?;
            let result = LoadAnswer::read(&reader.root(result, "answerLoad.result").json()?)?;
            let own = |provider| self.shared().lock().pair(provider);
            let (pair, id) = arguments::delivery::answer_options(&reader.root(options, "answerLoad"), own)?;
            self.check_open()?;
            let index = router().index();
            let mut session = self.shared().lock();
            session.check_there()?;
            session.answer_load(&index, pair, &result, &id)
        })
    }

    /// Checks a call before it is made, of a tool or of `mcp_call`: its name, and its arguments by the tool's schema, in a bounded
    /// number of steps. What the model got wrong is an answer for it, with what to do next, and never an error.
    ///
    /// @param call - the name and the arguments of the model's call, as an object or as the JSON text that the model wrote
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, also before `start`; `ERR_SESSION_NOT_FOUND`; `ERR_BUSY`
    #[napi(
        catch_unwind,
        ts_args_type = "call: { name: string; arguments?: Record<string, unknown> | string } | string",
        ts_return_type = "Promise<CallCheck>"
    )]
    pub fn check_call<'env>(&self, env: &'env Env, call: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_session_then(env, self.shared(), Rest::Reader, || {
            let call = Reader::new(env)?.root(call, "checkCall.call").json()?;
            self.check_open()?;
            let (inner, id) = (self.held(), self.session_id().to_owned());
            Ok(move |router: &Core| {
                router.check_open(&id, &inner)?;
                let check = router.check_call(&inner, call)?;
                Ok(move || Ok(CallCheck::from(check())))
            })
        })
    }
}
