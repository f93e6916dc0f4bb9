//! Threads beside the worker, by what they may wait for: nobody who waits for nothing lines up behind somebody who waits.

use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::{Builder, available_parallelism};
use std::time::{Duration, Instant};

use once_cell::sync::Lazy;
use parking_lot::{Condvar, Mutex};

use super::memory::give_back;
use crate::embedding::service::after_waiting;
use crate::router::ToolRouter;

/// Calls that may wait: far more than a host has in flight, few enough to notice a loop.
pub const QUEUE_CAPACITY: usize = 1024;
/// Rankings that are worked out at the same time, where there are so many cores: a core is left to the editor.
const MOST_READERS: usize = 4;
/// Rankings that may wait for a thread before the worker waits too.
const READERS_CAPACITY: usize = 64;
/// Threads that count tokens: a long text must not hold up a short one, and both leave the rankings alone.
const COUNTERS: usize = 2;
/// Threads that may wait for vectors at the same time. One model embeds for all: more are no faster, and each keeps memory.
const MOST_WAITING: usize = 8;
/// How many of them stay, and how long the others do.
const STAYING: usize = 4;
const IDLE: Duration = Duration::from_secs(10);

/// A job for one of the threads.
pub type Work = Box<dyn FnOnce(&ToolRouter) + Send>;

static ROUTER: Lazy<Arc<ToolRouter>> = Lazy::new(|| {
    let router = ToolRouter::new();
    router.set_give_back(give_back);
    Arc::new(router)
});

/// The process-wide router, shared by all worker threads.
pub fn router() -> &'static Arc<ToolRouter> {
    &ROUTER
}

/// Works out what the worker has begun: rankings that wait for nothing.
static READERS: Lazy<Option<SyncSender<Work>>> = Lazy::new(|| {
    pool("tool-router-rank", available_parallelism().map_or(1, NonZero::get).clamp(2, MOST_READERS), READERS_CAPACITY)
});

/// Counts tokens of texts that hosts give.
static COUNTING: Lazy<Option<SyncSender<Work>>> = Lazy::new(|| pool("tool-router-count", COUNTERS, QUEUE_CAPACITY));

/// Works out what may wait for the vector of a text. One model embeds for all, so that most of these only wait; while a
/// host's embedder is late, the next ones do not wait at all.
static WAITING: Lazy<Arc<Crew>> = Lazy::new(Arc::default);

/// Threads that take jobs from one queue, in its order.
pub fn pool(name: &str, count: usize, capacity: usize) -> Option<SyncSender<Work>> {
    let (sender, receiver) = sync_channel::<Work>(capacity);
    let receiver = Arc::new(Mutex::new(receiver));
    let spawned = (0..count).filter(|_| {
        let receiver = Arc::clone(&receiver);
        let next = move || receiver.lock().recv().ok();
        let serve = move || {
            while let Some(work) = next() {
                work(router());
            }
        };
        Builder::new().name(name.into()).spawn(serve).is_ok()
    });
    (spawned.count() > 0).then_some(sender)
}

/// Does a job beside the worker; here, where there is no thread for it.
pub fn send_reader(work: Work) {
    let left = match READERS.as_ref() {
        Some(threads) => threads.send(work).err().map(|refused| refused.0),
        None => Some(work),
    };
    if let Some(work) = left {
        work(router());
    }
}

/// Has tokens counted; gives the job back where too many wait.
pub fn send_counter(work: Work) -> Result<(), Work> {
    let Some(threads) = COUNTING.as_ref() else { return Err(work) };
    threads.try_send(work).map_err(|refused| match refused {
        TrySendError::Full(work) | TrySendError::Disconnected(work) => work,
    })
}

/// Does a job where it may wait for a vector; here, where there is no thread for it. What it waits for a thread counts
/// for its deadline.
pub fn send_waiting(work: Work) {
    let sent = Instant::now();
    WAITING.send(Box::new(move |router| after_waiting(sent.elapsed(), || work(router))));
}

/// Threads that come with the jobs and go when there are none.
#[derive(Default)]
struct Crew {
    jobs: Mutex<Jobs>,
    changed: Condvar,
}

#[derive(Default)]
struct Jobs {
    queue: VecDeque<Work>,
    idle: usize,
    threads: usize,
}

impl Crew {
    fn send(self: &Arc<Self>, work: Work) {
        let mut jobs = self.jobs.lock();
        while jobs.queue.len() >= QUEUE_CAPACITY {
            self.changed.wait(&mut jobs);
        }
        jobs.queue.push_back(work);
        if jobs.queue.len() > jobs.idle && jobs.threads < MOST_WAITING {
            let crew = Arc::clone(self);
            jobs.threads += 1;
            if Builder::new().name("tool-router-turn".into()).spawn(move || crew.serve()).is_err() {
                jobs.threads -= 1;
                let left = if jobs.threads == 0 { jobs.queue.pop_back() } else { None };
                drop(jobs);
                return left.map_or((), |work| work(router()));
            }
        }
        self.changed.notify_all();
    }

    fn serve(&self) {
        loop {
            let mut jobs = self.jobs.lock();
            while jobs.queue.is_empty() {
                jobs.idle += 1;
                let is_over = self.changed.wait_for(&mut jobs, IDLE).timed_out();
                jobs.idle -= 1;
                if is_over && jobs.queue.is_empty() && jobs.threads > STAYING {
                    jobs.threads -= 1;
                    return;
                }
            }
            let work = jobs.queue.pop_front();
            self.changed.notify_all();
            drop(jobs);
            if let Some(work) = work {
                work(router());
            }
        }
    }
}
