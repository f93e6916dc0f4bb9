//! Calls of sessions: of one session in their order, and none waits for another's vector.
//!
//! A turn may wait for the vector of what was said, at most `deadlineMs`. The worker then has another thread do it and goes
//! on; calls of the same session line up behind it. Each sees the tools as they were when the worker came to it.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Object, ToNapiValue};
use once_cell::sync::Lazy;
use parking_lot::Mutex;

use super::error::contain;
use super::worker::{Promise, QUEUE_CAPACITY, Work, on_worker_later, send_waiting};
use crate::error::{ErrorKind, Result};
use crate::router::{Index, SharedSession, ToolRouter};

/// What has lined up behind a call that another thread is at, by session. Whoever lines up keeps the session, and so its
/// address.
static LANES: Lazy<Mutex<HashMap<usize, VecDeque<Work>>>> = Lazy::new(Mutex::default);

/// What the worker does with a call.
enum Turn {
    /// It does it itself.
    Now(Work),
    /// Another thread does it, and what lines up behind it.
    Apart(Work),
    /// It has lined up, or was refused.
    Settled,
}

/// Like [`super::worker::on_worker`] for a call of a session; `waits` says whether it may wait for a vector.
pub fn on_session<'env, T, W>(
    env: &'env Env,
    session: &SharedSession,
    waits: bool,
    prepare: impl FnOnce() -> Result<W>,
) -> napi::Result<Object<'env>>
where
    T: ToNapiValue + Send + 'static,
    W: FnOnce(&ToolRouter, &Index) -> Result<T> + Send + 'static,
{
    let session = Arc::clone(session);
    on_worker_later(env, prepare, move |router, work: W, promise: Promise<T>| begin(router, &session, waits, promise, work))
}

/// Does a call of a session, or has it done: on the worker.
pub fn begin<T, W>(router: &ToolRouter, session: &SharedSession, waits: bool, promise: Promise<T>, work: W)
where
    T: ToNapiValue + Send + 'static,
    W: FnOnce(&ToolRouter, &Index) -> Result<T> + Send + 'static,
{
    let waits = waits && router.session_may_wait(session);
    match turn(router, session, waits, promise, work) {
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

fn address(session: &SharedSession) -> usize {
    Arc::as_ptr(session).addr()
}

fn turn<T, W>(router: &ToolRouter, session: &SharedSession, waits: bool, promise: Promise<T>, work: W) -> Turn
where
    T: ToNapiValue + Send + 'static,
    W: FnOnce(&ToolRouter, &Index) -> Result<T> + Send + 'static,
{
    let index = router.index();
    let kept = Arc::clone(session);
    let run = move |promise: Promise<T>| -> Work {
        Box::new(move |router| {
            promise.settle(contain(|| work(router, &index)));
            drop(kept);
        })
    };
    let mut lanes = LANES.lock();
    if let Some(lane) = lanes.get_mut(&address(session)) {
        if lane.len() < QUEUE_CAPACITY {
            lane.push_back(run(promise));
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

/// Does what has lined up, until nothing has.
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
