//! The thread `tool-router`: one bounded queue, promises settled from it.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use napi::bindgen_prelude::{Object, ToNapiValue};
use napi::{Env, JsDeferred};
use once_cell::sync::Lazy;

use super::error::{contain, to_js};
use crate::error::{ErrorKind, Result};
use crate::router::ToolRouter;

/// Calls that may wait: far more than a host has in flight, few enough to notice a loop.
pub const QUEUE_CAPACITY: usize = 1024;
/// Threads that may wait for a model at the same time.
const MAX_WAITERS: usize = 32;

type Work = Box<dyn FnOnce(&ToolRouter) + Send>;
type Settle<T> = Box<dyn FnOnce(Env) -> napi::Result<T> + Send>;
type Deferred<T> = JsDeferred<T, Settle<T>>;

static ROUTER: Lazy<Arc<ToolRouter>> = Lazy::new(|| Arc::new(ToolRouter::new()));

static QUEUE: Lazy<Option<SyncSender<Work>>> = Lazy::new(|| {
    let (sender, receiver) = sync_channel::<Work>(QUEUE_CAPACITY);
    let serve = move || {
        for work in receiver {
            work(&ROUTER);
        }
    };
    std::thread::Builder::new().name("tool-router".into()).spawn(serve).ok().map(|_| sender)
});

/// The process-wide router, shared by all worker threads.
pub fn router() -> &'static Arc<ToolRouter> {
    &ROUTER
}

/// Settles a promise from another thread.
pub struct Promise<T: ToNapiValue + Send + 'static>(Deferred<T>);

impl<T: ToNapiValue + Send + 'static> Promise<T> {
    /// Resolves or rejects.
    pub fn settle(self, result: Result<T>) {
        self.0.resolve(Box::new(move |env| result.map_err(|error| to_js(&env, &error))));
    }
}

/// Answers with a promise. `prepare` reads the arguments, now; what it returns is done on the
/// worker, in the order of the calls. An error of either rejects.
pub fn on_worker<'env, T, W>(env: &'env Env, prepare: impl FnOnce() -> Result<W>) -> napi::Result<Object<'env>>
where
    T: ToNapiValue + Send + 'static,
    W: FnOnce(&ToolRouter) -> Result<T> + Send + 'static,
{
    on_worker_later(env, prepare, |router, work: W, promise: Promise<T>| promise.settle(contain(|| work(router))))
}

/// Like [`on_worker`] for work that waits for another thread: it is given its promise to settle.
pub fn on_worker_later<'env, T, W>(
    env: &'env Env,
    prepare: impl FnOnce() -> Result<W>,
    begin: impl FnOnce(&ToolRouter, W, Promise<T>) + Send + 'static,
) -> napi::Result<Object<'env>>
where
    T: ToNapiValue + Send + 'static,
    W: Send + 'static,
{
    let prepared = contain(prepare);
    let (deferred, promise) = env.create_deferred::<T, Settle<T>>()?;
    let deferred = Promise(deferred);
    match prepared {
        Err(error) => deferred.settle(Err(error)),
        Ok(work) => enqueue(deferred, move |router, promise| begin(router, work, promise)),
    }
    Ok(promise)
}

fn enqueue<T: ToNapiValue + Send + 'static>(promise: Promise<T>, begin: impl FnOnce(&ToolRouter, Promise<T>) + Send + 'static) {
    // The promise stays outside the closure until it is taken: a full queue must still settle it.
    let slot = Arc::new(parking_lot::Mutex::new(Some(promise)));
    let in_work = Arc::clone(&slot);
    let work: Work = Box::new(move |router| {
        if let Some(promise) = in_work.lock().take() {
            begin(router, promise);
        }
    });
    let refused = match QUEUE.as_ref().map(|queue| queue.try_send(work)) {
        Some(Ok(())) => return,
        Some(Err(TrySendError::Full(_))) => ErrorKind::Busy { capacity: QUEUE_CAPACITY },
        Some(Err(TrySendError::Disconnected(_))) | None => {
            ErrorKind::Internal { detail: "the thread of tool-router did not start".into() }
        }
    };
    if let Some(promise) = slot.lock().take() {
        promise.settle(Err(refused.into()));
    }
}

static WAITERS: AtomicUsize = AtomicUsize::new(0);

/// Waits on a thread of its own, so that rankings go on meanwhile.
pub fn wait_apart<T: ToNapiValue + Send + 'static>(promise: Promise<T>, wait: impl FnOnce() -> Result<T> + Send + 'static) {
    if WAITERS.fetch_add(1, Ordering::Relaxed) >= MAX_WAITERS {
        WAITERS.fetch_sub(1, Ordering::Relaxed);
        promise.settle(Err(ErrorKind::Busy { capacity: MAX_WAITERS }.into()));
        return;
    }
    let spawned = std::thread::Builder::new().name("tool-router-wait".into()).spawn(move || {
        let result = contain(wait);
        WAITERS.fetch_sub(1, Ordering::Relaxed);
        promise.settle(result);
    });
    if spawned.is_err() {
        WAITERS.fetch_sub(1, Ordering::Relaxed);
    }
}

static ENVIRONMENTS: AtomicUsize = AtomicUsize::new(0);

/// How long the end of the process waits for what the model is doing: a text takes 20 ms, loading a
/// model about a second, on a busy machine more. Ending under either crashes.
const LAST_EMBEDDING: Duration = Duration::from_secs(5);

thread_local! {
    /// Whether this thread's environment is counted.
    static ENTERED: Cell<bool> = const { Cell::new(false) };
}

/// Counts the JavaScript environments, main thread and workers, that use the addon. When the last
/// one ends, so does the process, most likely: nothing may compute while its libraries go.
pub fn enter(env: &Env) -> napi::Result<()> {
    if !ENTERED.replace(true) {
        ENVIRONMENTS.fetch_add(1, Ordering::SeqCst);
        // A worker that is terminated ends without an event; its environment is torn down.
        env.add_env_cleanup_hook((), |()| leave())?;
    }
    ROUTER.resume();
    Ok(())
}

/// The end of this environment. `process.exit` of the main thread tears no environment down: there
/// the loader calls this, on the event.
pub fn leave() {
    if ENTERED.replace(false) && ENVIRONMENTS.fetch_sub(1, Ordering::SeqCst) == 1 {
        let _ = ROUTER.pause(LAST_EMBEDDING); // longer than that it must not hold up the end
    }
}
