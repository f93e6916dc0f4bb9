//! `ToolRouter`: tokens and events.

use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{FnArgs, FromNapiValue, Function, JsValue, Object, Unknown};
use napi::threadsafe_function::ThreadsafeFunctionCallMode;
use napi_derive::napi;

use super::router::ToolRouter;
use crate::binding::answers::tokens::ContextUsage;
use crate::binding::arguments::input::Reader;
use crate::binding::arguments::ranking::server_scopes;
use crate::binding::error::{contain, foreign, sync};
use crate::binding::lanes::{Held, Rest};
use crate::binding::worker::on_worker_later;
use crate::binding::{helpers, lanes};
use crate::error::{Error, Result};
use crate::router::{SharedSession, ToolRouter as Core};
use crate::settings::MAX_COUNT;
use crate::text::tokens;

/// Texts in sections of a context: bounded like any list.
const MAX_SECTIONS: usize = 10_000;
/// The most text that is counted in one call: what no model's context holds, and some seconds at worst.
const MAX_COUNTED_MIB: usize = 16;

fn check_length(bytes: usize, path: &str) -> Result<()> {
    let most = MAX_COUNTED_MIB * 1024 * 1024;
    let expected = || format!("at most {MAX_COUNTED_MIB} MiB of text ({most} bytes)");
    if bytes > most { Err(Error::invalid(path, expected(), format!("{bytes} bytes"))) } else { Ok(()) }
}

#[napi]
impl ToolRouter {
    /// Counts the tokens of a text in `o200k_base`, exactly, beside other calls: about 15 MB of prose per second.
    ///
    /// @param text - any text of at most 16 MiB
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "text: string", ts_return_type = "Promise<number>")]
    pub fn count_tokens<'env>(&self, env: &'env Env, text: Unknown<'env>) -> napi::Result<Object<'env>> {
        let prepare = || {
            let text = Reader::new(env)?.root(text, "countTokens.text").text()?;
            check_length(text.len(), "countTokens.text")?;
            Ok(text)
        };
        on_worker_later(env, prepare, |_, text: String, promise| {
            Rest::Counter.finish(promise, move || Ok(u32::try_from(tokens::count(&text)).unwrap_or(u32::MAX)));
        })
    }

    /// Counts what fills a context, for a panel: named sections of text, and MCP tools by server.
    ///
    /// @param sections - texts by name, as in `{ system: '…', conversation: '…' }`, together at most 16 MiB
    /// @param options - whose tools are counted, and what shares refer to
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_SESSION_NOT_FOUND`, `ERR_BUSY`
    #[napi(
        catch_unwind,
        ts_args_type = "sections: Record<string, string>, options?: ContextUsageOptions",
        ts_return_type = "Promise<ContextUsage>"
    )]
    pub fn context_usage<'env>(
        &self,
        env: &'env Env,
        sections: Unknown<'env>,
        options: Unknown<'env>,
    ) -> napi::Result<Object<'env>> {
        let prepare = || {
            let reader = Reader::new(env)?;
            let sections = reader.root(sections, "contextUsage.sections").entries(|text| text.text())?;
            if sections.len() > MAX_SECTIONS {
                return Err(Error::invalid("contextUsage.sections", format!("at most {MAX_SECTIONS} sections"), sections.len()));
            }
            check_length(sections.iter().map(|(_, text)| text.len()).sum(), "contextUsage.sections")?;
            let options = reader.root(options, "contextUsage");
            options.only_options(&["sessionId", "servers", "contextWindow"])?;
            let session = options.field("sessionId", |id| id.text())?;
            let servers = options.field("servers", |value| server_scopes(&value))?;
            let window = options.field("contextWindow", |value| value.count(1, MAX_COUNT))?;
            Ok((sections, session, servers, window))
        };
        on_worker_later(env, prepare, |core, (sections, id, servers, window), promise| {
            let usage = move |core: &Core, of: Option<&SharedSession>| {
                let count = core.context_usage(sections, of, servers.as_ref(), window);
                Ok(move || Ok(ContextUsage::from(count())))
            };
            match id.map(|id: String| core.session(&id)).transpose() {
                Ok(Some(found)) => {
                    let (session, own) = (Held::new(Arc::clone(&found)), Held::new(found));
                    lanes::begin_then(core, &session, Rest::Counter, promise, move |core| usage(core, Some(&own)));
                }
                Ok(None) => match contain(|| usage(core, None)) {
                    Ok(count) => Rest::Counter.finish(promise, count),
                    Err(error) => promise.settle(Err(error)),
                },
                Err(error) => promise.settle(Err(error)),
            }
        })
    }

    /// Sets the function that receives events, and replaces the previous one. No event is sent while a session's mode is `all`,
    /// and none holds the text of a query. What the listener throws is ignored. It does not keep the process alive.
    ///
    /// @param listener - the function, or `null` for none
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`
    #[napi(catch_unwind, ts_args_type = "listener: ((event: TelemetryEvent) => void) | null")]
    pub fn on_telemetry<'env>(&self, env: &'env Env, listener: Unknown<'env>) -> napi::Result<()> {
        sync(env, || {
            let reader = Reader::new(env)?;
            let input = reader.root(listener, "onTelemetry.listener");
            if input.is_null() {
                self.core.on_telemetry(None);
                return Ok(());
            }
            let function = Function::<FnArgs<(serde_json::Value,)>, Unknown<'static>>::from_unknown(input.function()?);
            let callable = function.and_then(|function| {
                function
                    .build_threadsafe_function::<serde_json::Value>()
                    .weak::<true>()
                    .callee_handled::<false>()
                    .build_callback(|call| Ok(FnArgs::from((call.value,))))
            });
            let callable = callable.map_err(|error| foreign(&error))?;
            self.core.on_telemetry(Some(Arc::new(move |event| {
                if let Ok(value) = serde_json::from_str(&event.to_json()) {
                    // With a callback for its answer, what the listener throws comes there and ends there.
                    let ended = |returned: napi::Result<Unknown<'static>>, env: Env| {
                        if let Ok(promise) = returned
                            && promise.is_promise().unwrap_or(false)
                        {
                            // An async listener throws later: that must not be unhandled, which ends a process.
                            return helpers::settle(&env, promise, |_, _| (), |_| ());
                        }
                        Ok(())
                    };
                    callable.call_with_return_value(value, ThreadsafeFunctionCallMode::NonBlocking, ended);
                }
            })));
            Ok(())
        })
    }
}
