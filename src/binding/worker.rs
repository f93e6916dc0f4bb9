//! The thread `tool-router`: one bounded queue, promises settled from it.
//!
//! It executes calls in their order. Three kinds of calls it only begins, and goes on: rankings, which read a snapshot,
//! turns of sessions that may wait for a vector (`lanes`), and changes of many tools, before which others read the last
//! whole generation.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, SyncSender, TrySendError, channel};
use std::thread::Builder;
use std::time::Duration;

use napi::bindgen_prelude::{Object, ToNapiValue};
use napi::{Env, JsDeferred};
use once_cell::sync::Lazy;
use parking_lot::Mutex;

pub use super::crew::{QUEUE_CAPACITY, Work, router};
use super::crew::{pool, send_reader, send_waiting};
use super::error::{contain, rejected, to_js};
use super::exit::end_early;
use super::memory::give_back;
use crate::error::{Error, ErrorKind, Result};
use crate::router::{Snapshot, ToolRouter, tables};
use crate::settings::Ranker;

/// Threads of one kind that may wait for a model at the same time.
const MAX_WAITERS: usize = 32;

type Settle<T> = Box<dyn FnOnce(Env) -> napi::Result<T> + Send>;
type Deferred<T> = JsDeferred<T, Settle<T>>;

static QUEUE: Lazy<Option<SyncSender<Work>>> = Lazy::new(|| pool("tool-router", 1, QUEUE_CAPACITY));

/// Sets many tools, one call after the other.
static CATALOGUE: Lazy<Option<Sender<Work>>> = Lazy::new(|| {
    let (sender, receiver) = channel::<Work>();
    let serve = move || {
        for work in receiver {
            work(router());
        }
    };
    Builder::new().name("tool-router-catalogue".into()).spawn(serve).ok().map(|_| sender)
});

/// A change of more tools is not waited for by calls after it: so many take 10 ms.
const FEW_TOOLS: usize = 64;

/// Gives memory back after a change that removed many tools, or the last ones, on the thread that sets many.
pub fn give_back_after(core: &ToolRouter, removed: usize) {
    if (removed > FEW_TOOLS || (removed > 0 && core.index_is_empty()))
        && let Some(thread) = CATALOGUE.as_ref()
    {
        let _ = thread.send(Box::new(|_| give_back())); // a thread that has ended leaves nothing to give back
    }
}

/// What a promise may be resolved with.
pub trait Answer: ToNapiValue + Send + 'static {}

impl<T: ToNapiValue + Send + 'static> Answer for T {}

/// Settles a promise from another thread, once. A full queue, or a thread that does not start, drops its closure: whoever
/// sends one keeps a clone of the promise that it takes along.
pub struct Promise<T: Answer>(Arc<Mutex<Option<Deferred<T>>>>);

impl<T: Answer> Promise<T> {
    /// Resolves or rejects.
    pub fn settle(&self, result: Result<T>) {
        if let Some(deferred) = self.0.lock().take() {
            deferred.resolve(Box::new(move |env| result.map_err(|error| to_js(&env, &error))));
        }
    }
}

impl<T: Answer> Clone for Promise<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Answers with a promise. `prepare` reads the arguments, now; what it returns is done on the
/// worker, in the order of the calls. An error of either rejects.
pub fn on_worker<'env, T: Answer, W>(env: &'env Env, prepare: impl FnOnce() -> Result<W>) -> napi::Result<Object<'env>>
where
    W: FnOnce(&ToolRouter) -> Result<T> + Send + 'static,
{
    on_worker_later(env, prepare, |router, work: W, promise: Promise<T>| promise.settle(contain(|| work(router))))
}

/// Like [`on_worker`] for a ranking: the worker takes the snapshot that it reads, and goes on. `prepare` says what it ranks
/// by, `None` for what the settings say, if it may wait for a vector at all.
pub fn on_ranker<'env, T: Answer, W>(
    env: &'env Env,
    prepare: impl FnOnce() -> Result<(Option<Ranker>, W)>,
) -> napi::Result<Object<'env>>
where
    W: FnOnce(&ToolRouter, &Snapshot) -> Result<T> + Send + 'static,
{
    on_worker_later(env, prepare, |router, (ranker, work): (Option<Ranker>, W), promise: Promise<T>| {
        let snapshot = router.snapshot();
        let work: Work = Box::new(move |router| promise.settle(contain(|| work(router, &snapshot))));
        if router.may_wait(ranker) { send_waiting(work) } else { send_reader(work) }
    })
}

/// Like [`on_worker`] for work over a list of which a part may be read in later turns of the event loop: that is waited
/// for on a thread that holds up no other call. So is a vector, where the list is `ranked`.
pub fn on_worker_or_reader<'env, T: Answer, W>(
    env: &'env Env,
    ranked: bool,
    prepare: impl FnOnce() -> Result<(bool, W)>,
) -> napi::Result<Object<'env>>
where
    W: FnOnce(&ToolRouter) -> Result<T> + Send + 'static,
{
    on_worker_later(env, prepare, move |router, (is_late, work): (bool, W), promise: Promise<T>| {
        let work: Work = Box::new(move |router| promise.settle(contain(|| work(router))));
        if ranked && router.may_wait(None) {
            send_waiting(work);
        } else if is_late {
            send_reader(work);
        } else {
            work(router);
        }
    })
}

/// Like [`on_worker`] for a change of the catalogue with so many tools.
pub fn on_catalogue<'env, T: Answer, W>(
    env: &'env Env,
    prepare: impl FnOnce() -> Result<(usize, W)>,
) -> napi::Result<Object<'env>>
where
    W: FnOnce(&ToolRouter) -> Result<T> + Send + 'static,
{
    tables::begin();
    on_worker_later(env, prepare, |router, (tools, work): (usize, W), promise: Promise<T>| {
        // Without a catalogue there is nothing to answer from meanwhile. What comes behind such a change waits for it.
        let apart = router.is_changing() || (tools > FEW_TOOLS && !router.index_is_empty());
        if !apart {
            return promise.settle(contain(|| work(router)));
        }
        let change = super::crew::router().begin_change();
        let work: Work = Box::new(move |router| {
            let answer = contain(|| work(router));
            drop(change);
            promise.settle(answer);
        });
        let left = match CATALOGUE.as_ref() {
            Some(thread) => thread.send(work).err().map(|refused| refused.0),
            None => Some(work),
        };
        if let Some(work) = left {
            work(router);
        }
    })
}

/// Like [`on_worker`] for work that waits for another thread: it is given its promise to settle.
pub fn on_worker_later<'env, T: Answer, W>(
    env: &'env Env,
    prepare: impl FnOnce() -> Result<W>,
    begin: impl FnOnce(&ToolRouter, W, Promise<T>) + Send + 'static,
) -> napi::Result<Object<'env>>
where
    W: Send + 'static,
{
    let work = match contain(prepare) {
        Ok(work) => work,
        Err(error) => return rejected(env, &error),
    };
    let (deferred, promise) = env.create_deferred::<T, Settle<T>>()?;
    let settles = Promise(Arc::new(Mutex::new(Some(deferred))));
    let kept = settles.clone();
    let work: Work = Box::new(move |router| begin(router, work, settles));
    let refused = match QUEUE.as_ref().map(|queue| queue.try_send(work)) {
        Some(Ok(())) => return Ok(promise),
        Some(Err(TrySendError::Full(_))) => ErrorKind::Busy { capacity: QUEUE_CAPACITY },
        Some(Err(TrySendError::Disconnected(_))) | None => {
            ErrorKind::Internal { detail: "the thread of tool-router did not start".into() }
        }
    };
    kept.settle(Err(refused.into()));
    Ok(promise)
}

/// Calls that wait on threads of their own, by kind: many that wait for vectors must not refuse a change of the embedder.
pub struct Waiters(AtomicUsize);

/// Waits for vectors.
pub static READY: Waiters = Waiters(AtomicUsize::new(0));
/// Changes of the embedder.
pub static CHANGES: Waiters = Waiters(AtomicUsize::new(0));

struct Place(&'static Waiters);

impl Waiters {
    fn take(&'static self) -> Result<Place> {
        if self.0.fetch_add(1, Ordering::Relaxed) >= MAX_WAITERS {
            self.0.fetch_sub(1, Ordering::Relaxed);
            return Err(ErrorKind::Busy { capacity: MAX_WAITERS }.into());
        }
        Ok(Place(self))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Waits on a thread of its own, so that rankings go on meanwhile. `begin` is called once that thread runs: a call that
/// is refused has changed nothing.
pub fn wait_apart<T: Answer, W>(waiters: &'static Waiters, promise: Promise<T>, begin: impl FnOnce() -> W)
where
    W: FnOnce() -> Result<T> + Send + 'static,
{
    wait_on(Builder::new(), waiters, promise, begin);
}

/// The same on a thread of a given kind.
pub fn wait_on<T: Answer, W>(thread: Builder, waiters: &'static Waiters, promise: Promise<T>, begin: impl FnOnce() -> W)
where
    W: FnOnce() -> Result<T> + Send + 'static,
{
    let place = match waiters.take() {
        Ok(place) => place,
        Err(error) => return promise.settle(Err(error)),
    };
    let kept = promise.clone();
    let (sender, receiver) = channel::<W>();
    let spawned = thread.name("tool-router-wait".into()).spawn(move || {
        let never = |_| Error::from(ErrorKind::Internal { detail: "a call did not begin".into() });
        let result = contain(|| receiver.recv().map_err(never)?());
        drop(place);
        promise.settle(result);
    });
    match spawned {
        Ok(_) => {
            let _ = sender.send(begin()); // a thread that runs receives it
        }
        Err(error) => {
            let detail = format!("a thread to wait on did not start: {error}");
            kept.settle(Err(Error::from(ErrorKind::Internal { detail }).caused_by(error)));
        }
    }
}

static ENVIRONMENTS: AtomicUsize = AtomicUsize::new(0);

/// How long the end of the process waits for what the model is doing: a text takes 20 ms, loading a
/// model about a second, on a busy machine more. What takes longer is left alone: see `exit`.
const LAST_EMBEDDING: Duration = Duration::from_secs(5);

thread_local! {
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
    router().resume();
    Ok(())
}

/// The end of this environment. `process.exit` of the main thread tears no environment down: there
/// the loader calls this, on the event.
pub fn leave() {
    let is_last = ENTERED.replace(false) && ENVIRONMENTS.fetch_sub(1, Ordering::SeqCst) == 1;
    if is_last && !router().pause(LAST_EMBEDDING) {
        end_early(); // longer than that it must not hold up the end
    }
}
