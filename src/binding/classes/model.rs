//! `ToolRouter`: the local model, or an embedder of the host.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use napi::bindgen_prelude::{External, Null, Object, Unknown};
use napi::{Either, Env};
use napi_derive::napi;

use super::router::ToolRouter;
use crate::binding::answers::status::{EmbedderInfo, Status};
use crate::binding::arguments;
use crate::binding::arguments::input::Reader;
use crate::binding::cancellation::Call;
use crate::binding::error::foreign;
use crate::binding::host_embedder::{HostEmbedder, callable};
use crate::binding::worker::{CHANGES, READY, on_worker_later, router, wait_apart};
use crate::embedding::Embedder;
use crate::embedding::onnx::OnnxEmbedder;
use crate::embedding::service::Loader;
use crate::error::{Error, ErrorKind, Result};

/// How long a wait goes on after it was cancelled.
const SLICE: Duration = Duration::from_millis(50);

static NEXT_EMBEDDER: AtomicU64 = AtomicU64::new(1);

#[napi]
impl ToolRouter {
    /// Loads the local model and makes it the active embedder. Vectors of tools are then computed in the background and kept on
    /// disk; until they exist, ranking answers lexically and says so. A host need not wait for it, or catch: see `status.lastError`.
    ///
    /// @param options - where the model and the runtime are; by default in the packages that are installed with this one
    /// @throws {ToolRouterError} `ERR_MODEL_NOT_FOUND`, `ERR_MODEL_INVALID`, `ERR_RUNTIME_NOT_FOUND`
    #[napi(catch_unwind, ts_args_type = "options?: LoadModelOptions", ts_return_type = "Promise<EmbedderInfo>")]
    pub fn load_model<'env>(
        &self,
        env: &'env Env,
        options: Unknown<'env>,
        cancellation: Option<&External<Call>>,
    ) -> napi::Result<Object<'env>> {
        let call = call_of(cancellation);
        on_worker_later(
            env,
            || {
                let reader = Reader::new(env)?;
                let (options, cache_folder) = arguments::embedders::model_options(&reader.root(options, "loadModel"))?;
                let loader = cancellable(call, move || Ok(Box::new(OnnxEmbedder::load(&options)?)));
                Ok((loader, cache_folder))
            },
            |core, (loader, cache_folder), promise| {
                wait_apart(&CHANGES, promise, || {
                    let installed = core.install(loader, cache_folder);
                    move || install_answer(&installed)
                });
            },
        )
    }

    /// Replaces the local model with a function of the host. It is called immediately, to learn the length of its vectors, then
    /// with texts of tools, in batches, and with single queries. It does not keep the process alive.
    ///
    /// @param embedder - the function, or `null` to rank lexically
    /// @param options - see {@link EmbedderOptions}
    /// @throws {ToolRouterError} `ERR_EMBEDDING_FAILED`; the previous embedder stays active then
    #[napi(
        catch_unwind,
        ts_args_type = "embedder: Embedder | null, options?: EmbedderOptions",
        ts_return_type = "Promise<EmbedderInfo | null>"
    )]
    pub fn set_embedder<'env>(
        &self,
        env: &'env Env,
        embedder: Unknown<'env>,
        options: Unknown<'env>,
        cancellation: Option<&External<Call>>,
    ) -> napi::Result<Object<'env>> {
        let call = call_of(cancellation);
        on_worker_later(
            env,
            || {
                let reader = Reader::new(env)?;
                let embedder = reader.root(embedder, "setEmbedder.embedder");
                let (options, cache_folder) =
                    arguments::embedders::embedder_options(&reader.root(options, "setEmbedder.options"))?;
                if embedder.is_null() {
                    return Ok(None);
                }
                let function = callable(embedder.function()?).map_err(|error| foreign(&error))?;
                let unique = NEXT_EMBEDDER.fetch_add(1, Ordering::Relaxed).to_string();
                let loader = cancellable(call, move || Ok(Box::new(HostEmbedder::probe(function, options, &unique)?)));
                Ok(Some((loader, cache_folder)))
            },
            |core, embedder, promise| match embedder {
                None => wait_apart(&CHANGES, promise, || {
                    let uninstalled = core.uninstall();
                    move || {
                        let _ = uninstalled.recv(); // the thread has ended: no embedder is active either
                        Ok(Either::B(Null))
                    }
                }),
                Some((loader, cache_folder)) => wait_apart(&CHANGES, promise, || {
                    let installed = core.install(loader, cache_folder);
                    move || install_answer(&installed).map(Either::A)
                }),
            },
        )
    }

    /// Waits until every vector that can be computed exists; without a model it resolves immediately.
    ///
    /// @param options - how long to wait, in milliseconds, 0 to 3,600,000, by default 600,000; what ends the wait
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(
        catch_unwind,
        ts_args_type = "options?: { timeoutMs?: number; signal?: AbortSignal }",
        ts_return_type = "Promise<Status>"
    )]
    pub fn ready<'env>(
        &self,
        env: &'env Env,
        options: Unknown<'env>,
        cancellation: Option<&External<Call>>,
    ) -> napi::Result<Object<'env>> {
        let call = call_of(cancellation);
        on_worker_later(
            env,
            || {
                let reader = Reader::new(env)?;
                let options = reader.root(options, "ready");
                options.only_options(&["timeoutMs", "signal"])?;
                let limit = options.field("timeoutMs", |value| value.milliseconds(0, 3_600_000))?;
                Ok(limit.unwrap_or(Duration::from_mins(10)))
            },
            |_, limit, promise| {
                wait_apart(&READY, promise, || {
                    move || {
                        let end = Instant::now() + limit;
                        // In slices: a wait that was cancelled gives its thread back.
                        while !router().wait_ready(SLICE.min(end.saturating_duration_since(Instant::now()))) {
                            call.check()?;
                            if Instant::now() >= end {
                                break; // the status says that not all are there
                            }
                        }
                        call.commit()?;
                        Ok(Status::from(router().status()))
                    }
                });
            },
        )
    }
}

fn call_of(cancellation: Option<&External<Call>>) -> Call {
    cancellation.map(|call| Call::clone(call)).unwrap_or_default()
}

/// A loader whose embedder does not become the active one when the call was cancelled meanwhile.
fn cancellable(call: Call, load: impl FnOnce() -> Result<Box<dyn Embedder>> + Send + 'static) -> Loader {
    Box::new(move || {
        call.check()?;
        let embedder = load()?;
        call.commit()?;
        Ok(embedder)
    })
}

fn install_answer(installed: &Receiver<Result<crate::embedding::service::EmbedderInfo>>) -> Result<EmbedderInfo> {
    let gone = |_| Error::from(ErrorKind::Internal { detail: "the embedding thread has ended".into() });
    installed.recv().map_err(gone)?.map(Into::into)
}
