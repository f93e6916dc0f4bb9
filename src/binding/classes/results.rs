//! Results of tools that are too long for a model: held by the router, read by a session.

use std::sync::Arc;

use napi::bindgen_prelude::{Null, Object, Unknown};
use napi::{Either, Env};
use napi_derive::napi;

use super::router::ToolRouter;
use super::session::Session;
use crate::binding::answers::results::{HeldResult, ResultReading};
use crate::binding::arguments::input::Reader;
use crate::binding::arguments::results::{content, hold_options, wanted};
use crate::binding::worker::on_worker_or_reader;
use crate::router::ToolRouter as Core;

#[napi]
impl ToolRouter {
    /// Holds a result of a tool that is too long for a model, and answers what to give to the model instead: what the result
    /// is, its beginning, and a handle. The model asks for the rest by that handle, with a need, a path or a range: pass
    /// what it asks to {@link Session.readResult}. docs/results-and-programs.md has a tool for it.
    ///
    /// A result within `maxTokens` is not looked at further: the answer is `null`, and the result goes to the model as it is.
    /// All counts that reaches a client: addresses, types, `_meta` and unknown members too, and data that can be read as
    /// text; images, audio and other data do not. What is held is bounded: 100 MB in all, a thousand results, one hour; a
    /// later result replaces the oldest of the client that holds the most, or of the session without `client`. More than
    /// 1 MB is kept on disk, in a file without a name. All of it is gone with the session, and with the process.
    ///
    /// @param result - what the tool answered: `content` with its blocks, a text, or any JSON
    /// @param options - the session that may read it, and how much its model reads
    /// @returns what to give to the model instead, or `null` where the result is short
    /// @throws {ToolRouterError} `ERR_SESSION_NOT_FOUND`, `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    /// @example
    /// ```ts
    /// const router = ToolRouter.shared()
    /// const session = router.openSession()
    /// const rows = Array.from({ length: 900 }, (_, id) => ({ id, name: `customer ${id}`, city: id === 512 ? 'Oslo' : 'Rome' }))
    /// const result = { content: [{ type: 'text', text: JSON.stringify(rows) }] }
    /// const held = await router.holdResult(result, { sessionId: session.id })
    /// const forModel = held?.result ?? result
    /// const { passages } = await session.readResult(held?.handle ?? '', { need: 'who lives in Oslo' })
    /// console.log(passages[0].text.includes('customer 512')) // true
    /// ```
    #[napi(
        catch_unwind,
        ts_args_type = "result: ToolResult, options: HoldResultOptions",
        ts_return_type = "Promise<HeldResult | null>"
    )]
    pub fn hold_result<'env>(&self, env: &'env Env, result: Unknown<'env>, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker_or_reader(env, false, || {
            let reader = Reader::new(env)?;
            let (session_id, options) = hold_options(&reader.root(options, "holdResult"))?;
            self.core.session(&session_id)?;
            let content = content(&reader.root(result, "holdResult.result"))?;
            let hold = move |core: &Core| {
                let held = core.hold_result(&session_id, content, &options)?;
                Ok(held.map_or(Either::B(Null), |held| Either::A(HeldResult::from(held))))
            };
            Ok((true, hold))
        })
    }
}

#[napi]
impl Session {
    /// Reads a result that {@link ToolRouter.holdResult} holds for this session: the passages, rows, records or lines that
    /// fit the words of one or several needs best, with their places; the values at a JSON path; or a range. With
    /// nothing of these, what the result is and its beginning.
    ///
    /// Costs about 10 ms per MB for the words of a need.
    ///
    /// @param handle - the handle of the result
    /// @param options - what is asked, and what the answer may cost
    /// @throws {ToolRouterError} `ERR_RESULT_NOT_FOUND` for a handle that this session does not have, or not any more;
    /// `ERR_INVALID_ARGUMENT` for a path or range that the result does not have; `ERR_SESSION_NOT_FOUND`; `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "handle: string, options?: ReadResultOptions", ts_return_type = "Promise<ResultReading>")]
    pub fn read_result<'env>(&self, env: &'env Env, handle: Unknown<'env>, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker_or_reader(env, true, || {
            let reader = Reader::new(env)?;
            let handle = reader.root(handle, "readResult.handle").text()?;
            let wanted = wanted(&reader.root(options, "readResult"))?;
            self.check_open()?;
            let (inner, id) = (Arc::clone(self.shared()), self.session_id().to_owned());
            let read = move |core: &Core| {
                core.check_open(&id, &inner)?;
                core.read_result(&inner, &handle, &wanted).map(ResultReading::from)
            };
            Ok((true, read))
        })
    }
}
