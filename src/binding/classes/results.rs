//! Results of tools that are too long for a model: held by the router, read by a session.

use napi::bindgen_prelude::{Null, Object, Unknown};
use napi::{Either, Env};
use napi_derive::napi;

use super::session::Session;
use crate::binding::answers::results::{HeldResult, ResultReading};
use crate::binding::arguments::input::Reader;
use crate::binding::arguments::results::{content, hold_options, wanted};
use crate::binding::worker::on_worker_or_reader;
use crate::router::ToolRouter as Core;

#[napi]
impl Session {
    /// Holds a result of a tool that is too long for a model, and answers what to give to the model instead: how long it is, its
    /// beginning, and a handle, by which {@link Session.readResult} reads the rest; `null` for a result within `maxTokens`.
    /// From then on {@link Session.render} declares `read_result`, whose arguments are those of `readResult`. Held are 100 MB in all, for an
    /// hour, until the session is closed: docs/results-and-programs.md.
    ///
    /// @param result - what the tool answered: `content` with its blocks, a text, or any JSON
    /// @param options - how much the model reads
    /// @throws {ToolRouterError} `ERR_SESSION_NOT_FOUND`, `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    /// @example
    /// ```ts
    /// const session = ToolRouter.shared().openSession()
    /// const rows = Array.from({ length: 900 }, (_, id) => ({ id, name: `customer ${id}`, city: id === 512 ? 'Oslo' : 'Rome' }))
    /// const result = { content: [{ type: 'text', text: JSON.stringify(rows) }] }
    /// const held = await session.holdResult(result)
    /// const forModel = held?.result ?? result
    /// const { passages } = await session.readResult(held?.handle ?? '', { need: 'who lives in Oslo' })
    /// console.log(passages[0].text.includes('customer 512')) // true
    /// ```
    #[napi(
        catch_unwind,
        ts_args_type = "result: ToolResult, options?: HoldResultOptions",
        ts_return_type = "Promise<HeldResult | null>"
    )]
    pub fn hold_result<'env>(&self, env: &'env Env, result: Unknown<'env>, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker_or_reader(env, false, || {
            let reader = Reader::new(env)?;
            let options = hold_options(&reader.root(options, "holdResult"))?;
            let content = content(&reader.root(result, "holdResult.result"))?;
            self.check_open()?;
            let (inner, id) = (self.held(), self.session_id().to_owned());
            let hold = move |core: &Core| {
                core.check_open(&id, &inner)?;
                let held = core.hold_result(&id, content, &options)?;
                Ok(held.map_or(Either::B(Null), |held| Either::A(HeldResult::from(held))))
            };
            Ok((true, hold))
        })
    }

    /// Reads a result that {@link Session.holdResult} holds: the passages that fit the words of a need best, with their places; the
    /// values at a JSON path; or lines. With nothing of these, its beginning.
    ///
    /// @param handle - the handle of the result
    /// @param options - what is asked, and what the answer may cost
    /// @throws {ToolRouterError} `ERR_RESULT_NOT_FOUND`, `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "handle: string, options?: ReadResultOptions", ts_return_type = "Promise<ResultReading>")]
    pub fn read_result<'env>(&self, env: &'env Env, handle: Unknown<'env>, options: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker_or_reader(env, true, || {
            let reader = Reader::new(env)?;
            let handle = reader.root(handle, "readResult.handle").text()?;
            let wanted = wanted(&reader.root(options, "readResult"))?;
            self.check_open()?;
            let (inner, id) = (self.held(), self.session_id().to_owned());
            let read = move |core: &Core| {
                core.check_open(&id, &inner)?;
                core.read_result(&inner, &handle, &wanted).map(ResultReading::from)
            };
            Ok((true, read))
        })
    }
}
