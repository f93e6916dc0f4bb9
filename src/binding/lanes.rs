//! Calls of sessions: of one session in their order, and none waits for another's vector.
//!
//! A turn may wait for the vector of what was said, at most `deadlineMs` from its call. The worker then has another thread do
//! it and goes on; calls of the same session line up behind it. Each sees the tools as they were when the worker came to it.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use napi::Env;
use napi::bindgen_prelude::Object;
use once_cell::sync::Lazy;
use parking_lot::Mutex;

use super::crew::{router, send_counter, send_reader, send_waiting};
use super::error::contain;
use super::worker::{Answer, Promise, QUEUE_CAPACITY, Work, on_worker_later};
use crate::embedding::service::after_waiting;
use crate::error::{ErrorKind, Result};
use crate::router::{Index, SharedSession, ToolRouter};

/// What has lined up behind a call that another thread is at, by session. Whoever lines up keeps the session, and so its
/// address.
static LANES: Lazy<Mutex<HashMap<usize, VecDeque<Work>>>> = Lazy::new(Mutex::default);

/// A session that a call holds. When the last call of a closed session ends, the session lets go of its task: JavaScript may
/// keep the handle for minutes.
pub struct Held(Option<SharedSession>);

impl Held {
    pub const fn new(session: SharedSession) -> Self {
        Self(Some(session))
    }
}

impl std::ops::Deref for Held {
    type Target = SharedSession;

    fn deref(&self) -> &SharedSession {
        // `None` in `drop` alone.
        self.0.as_ref().unwrap_or_else(|| unreachable!())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(session) = self.0.take() {
            router().give_up(session);
        }
    }
}

enum Turn {
    /// It does it itself.
    Now(Work),
    /// Another thread does it, and what lines up behind it.
    Apart(Work),
    /// It has lined up, or was refused.
    Settled,
}

/// Like [`super::worker::on_worker`] for a call of a session; `waits` says whether it may wait for a vector.
pub fn on_session<'env, T: Answer, W>(
    env: &'env Env,
    session: &SharedSession,
    waits: bool,
    prepare: impl FnOnce() -> Result<W>,
) -> napi::Result<Object<'env>>
where
    W: FnOnce(&ToolRouter, &Index) -> Result<T> + Send + 'static,
{
    let session = Held::new(Arc::clone(session));
    on_worker_later(env, prepare, move |router, work: W, promise: Promise<T>| {
        let waits = waits && router.session_may_wait(&session);
        take_turn(router, &session, waits, promise, move |router, index, promise| {
            promise.settle(contain(|| work(router, index)));
        });
    })
}

/// Threads that finish a call whose place in the order no longer matters.
#[derive(Clone, Copy)]
pub enum Rest {
    /// With a part that takes some milliseconds.
    Reader,
    /// With counting tokens, which may take seconds.
    Counter,
}

impl Rest {
    /// Has the rest of a call done.
    pub fn finish<T: Answer, R>(self, promise: Promise<T>, rest: R)
    where
        R: FnOnce() -> Result<T> + Send + 'static,
    {
        let kept = promise.clone();
        let work: Work = Box::new(move |_| promise.settle(contain(rest)));
        match self {
            Self::Reader => send_reader(work),
            Self::Counter if send_counter(work).is_err() => {
                kept.settle(Err(ErrorKind::Busy { capacity: QUEUE_CAPACITY }.into()));
            }
            Self::Counter => {}
        }
    }
}

/// Like [`on_session`] for a call that looks at its session in order, and does `rest` of its work beside other calls.
pub fn on_session_then<'env, T: Answer, W, R>(
    env: &'env Env,
    session: &SharedSession,
    rest: Rest,
    prepare: impl FnOnce() -> Result<W>,
) -> napi::Result<Object<'env>>
where
    W: FnOnce(&ToolRouter) -> Result<R> + Send + 'static,
    R: FnOnce() -> Result<T> + Send + 'static,
{
    let session = Held::new(Arc::clone(session));
    on_worker_later(env, prepare, move |router, work: W, promise: Promise<T>| begin_then(router, &session, rest, promise, work))
}

/// The same, on the worker.
pub fn begin_then<T: Answer, W, R>(router: &ToolRouter, session: &SharedSession, rest: Rest, promise: Promise<T>, work: W)
where
    W: FnOnce(&ToolRouter) -> Result<R> + Send + 'static,
    R: FnOnce() -> Result<T> + Send + 'static,
{
    take_turn(router, session, false, promise, move |router, _, promise| match contain(|| work(router)) {
        Ok(left) => rest.finish(promise, left),
        Err(error) => promise.settle(Err(error)),
    });
}

fn address(session: &SharedSession) -> usize {
    Arc::as_ptr(session).addr()
}

fn take_turn<T: Answer, C>(router: &ToolRouter, session: &SharedSession, waits: bool, promise: Promise<T>, call: C)
where
    C: FnOnce(&ToolRouter, &Index, Promise<T>) + Send + 'static,
{
    match turn(router, session, waits, promise, call) {
        Turn::Now(work) => work(router),
        Turn::Apart(work) => {
            let address = address(session);
            send_waiting(Box::new(move |router| {
                work(router);
                serve(router, address);
            }));
        }
        Turn::Settled => {}
    }
}

fn turn<T: Answer, C>(router: &ToolRouter, session: &SharedSession, waits: bool, promise: Promise<T>, call: C) -> Turn
where
    C: FnOnce(&ToolRouter, &Index, Promise<T>) + Send + 'static,
{
    let index = router.index();
    let kept = Held::new(Arc::clone(session));
    let run = move |promise: Promise<T>| -> Work {
        Box::new(move |router| {
            call(router, &index, promise);
            drop(kept);
        })
    };
    let mut lanes = LANES.lock();
    if let Some(lane) = lanes.get_mut(&address(session)) {
        if lane.len() < QUEUE_CAPACITY {
            let (work, since) = (run(promise), Instant::now());
            lane.push_back(Box::new(move |router| after_waiting(since.elapsed(), || work(router))));
        } else {
            promise.settle(Err(ErrorKind::Busy { capacity: QUEUE_CAPACITY }.into()));
        }
        return Turn::Settled;
    }
    if waits {
        lanes.insert(address(session), VecDeque::new());
        return Turn::Apart(run(promise));
    }
    Turn::Now(run(promise))
}

fn serve(router: &ToolRouter, address: usize) {
    loop {
        let next = {
            let mut lanes = LANES.lock();
            let next = lanes.get_mut(&address).and_then(VecDeque::pop_front);
            if next.is_none() {
                lanes.remove(&address);
            }
            next
        };
        match next {
            Some(work) => work(router),
            None => return,
        }
    }
}
