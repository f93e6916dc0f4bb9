//! The door to the embedding thread: installs an embedder, asks for vectors, waits for them.

use std::cell::Cell;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use super::queue::{InHand, Job, Queries, Queue, Thread};
use super::thread::{Shared, serve};
use super::vectors::{ModelVectors, QueryVectors};
use crate::degraded::Degraded;
use crate::error::Result;

pub use super::queue::{EmbedderInfo, Loader, Texts, WantedText};

thread_local! {
    /// How long what this thread does has waited for it: that counts for its deadline.
    static WAITED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Does work that has waited for a thread, or for another call: its deadlines count from before that.
pub fn after_waiting<R>(waited: Duration, work: impl FnOnce() -> R) -> R {
    let before = WAITED.replace(waited);
    let result = work();
    WAITED.set(before);
    result
}

/// See the module. Cheap to clone; all clones share one thread.
#[derive(Clone, Default)]
pub struct EmbeddingService {
    shared: Arc<Shared>,
}

impl EmbeddingService {
    /// Says how memory that was freed goes back to the system. It is called on the embedding thread, after an embedder
    /// has gone and when that thread has nothing more to do.
    pub fn set_give_back(&self, give_back: fn()) {
        let _ = self.shared.give_back.set(give_back); // the first one stays
    }

    /// The vectors of the active model.
    pub fn vectors(&self) -> Option<Arc<ModelVectors>> {
        self.shared.vectors.read().clone()
    }

    /// Whether a model is being loaded.
    pub fn loading(&self) -> bool {
        self.shared.queue.lock().is_changing()
    }

    /// What the last failure said, until something succeeds.
    pub fn last_error(&self) -> Option<String> {
        self.shared.queue.lock().last_error.clone()
    }

    /// Makes an embedder the active one once `loader` has made it and it has embedded a first text, and
    /// has `texts` embedded. Until then, and when it fails, the previous one stays. Installing and
    /// uninstalling take effect in the order of the calls.
    pub fn install(&self, loader: Loader, cache_folder: Option<PathBuf>, texts: Texts) -> Receiver<Result<EmbedderInfo>> {
        let (answer, receiver) = sync_channel(1);
        self.change(Job::Install { loader, cache_folder, texts, answer });
        receiver
    }

    /// Takes the embedder out of force.
    pub fn uninstall(&self) -> Receiver<()> {
        let (answer, receiver) = sync_channel(1);
        self.change(Job::Uninstall { answer });
        receiver
    }

    fn change(&self, job: Job) {
        // That of the embedder which is to go: once the change is queued, the new one may be at work already.
        let interrupter = self.shared.interrupter.lock().clone();
        let mut queue = self.shared.queue.lock();
        queue.add_change(job);
        self.start(&mut queue);
        drop(queue);
        // An embedder that hangs must not hold up the one that replaces it.
        if let Some(interrupt) = interrupter {
            interrupt();
        }
    }

    /// Asks for vectors of texts in the background. What is there or queued costs nothing.
    pub fn want(&self, texts: impl Iterator<Item = WantedText>) {
        let Some(vectors) = self.vectors() else { return };
        // Before the lock: the JavaScript thread asks the queue for its state.
        let missing: Vec<WantedText> = texts.filter(|text| !vectors.adopt(&text.hash)).collect();
        let mut queue = self.shared.queue.lock();
        queue.add(&vectors, missing.into_iter());
        self.start(&mut queue);
    }

    /// The vectors of a query and of its clauses, which are byte ranges that depend on the text
    /// alone, waiting for them until the deadline at most. What the call has waited before counts.
    ///
    /// # Errors
    ///
    /// The reason why there is none in time.
    pub fn query(&self, text: &str, clauses: &[Range<usize>], deadline: Duration) -> std::result::Result<QueryVectors, Degraded> {
        let vectors = self.vectors().ok_or(Degraded::ModelNotLoaded)?;
        vectors.query(text).map_or_else(|| self.ask(text, clauses, deadline), Ok)
    }

    fn ask(&self, text: &str, clauses: &[Range<usize>], deadline: Duration) -> std::result::Result<QueryVectors, Degraded> {
        let left = deadline.saturating_sub(WAITED.get());
        if left.is_zero() && !deadline.is_zero() {
            return Err(Degraded::DeadlineExceeded);
        }
        let (answer, receiver) = sync_channel(1);
        let done = Arc::new(AtomicBool::new(false));
        {
            let mut queue = self.shared.queue.lock();
            if queue.queries == Queries::Late {
                return Err(Degraded::DeadlineExceeded);
            }
            let (text, clauses, done) = (text.to_owned(), clauses.to_vec(), Arc::clone(&done));
            queue.jobs.push_back(Job::Query { text, clauses, done, answer });
            self.start(&mut queue);
        }
        match receiver.recv_timeout(left) {
            Ok(Ok(vectors)) => Ok(vectors),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => Err(Degraded::EmbeddingFailed),
            Err(RecvTimeoutError::Timeout) => {
                let mut queue = self.shared.queue.lock();
                // It may have come between the time-out and the lock.
                if !done.load(Ordering::Relaxed) {
                    queue.queries = Queries::Late;
                }
                Err(Degraded::DeadlineExceeded)
            }
        }
    }

    /// Waits until no text is queued or in hand, or until the time is over; `true` when idle.
    pub fn wait_idle(&self, limit: Duration) -> bool {
        let until = Instant::now() + limit;
        let mut queue = self.shared.queue.lock();
        while !queue.is_idle() {
            if self.shared.settled.wait_until(&mut queue, until).timed_out() {
                return false;
            }
        }
        true
    }

    /// Begins nothing new, and waits for what is begun: a process that unloads ONNX Runtime while
    /// it computes may crash. `false` when the time is over first.
    pub fn pause(&self, limit: Duration) -> bool {
        let until = Instant::now() + limit;
        let mut queue = self.shared.queue.lock();
        queue.paused = true;
        self.shared.work.notify_all();
        // A call into the host waits for the very thread that may be waiting here.
        if let Some(interrupt) = self.shared.interrupter.lock().clone() {
            interrupt();
        }
        while queue.in_hand != InHand::Nothing {
            if self.shared.settled.wait_until(&mut queue, until).timed_out() {
                return false;
            }
        }
        true
    }

    /// Goes on after a pause.
    pub fn resume(&self) {
        self.shared.queue.lock().paused = false;
        self.shared.work.notify_all();
    }

    /// Lets the thread end. Nothing else is served afterwards.
    pub fn close(&self) {
        self.shared.queue.lock().thread = Thread::Closed;
        self.shared.work.notify_all();
    }

    fn start(&self, queue: &mut Queue) {
        if queue.thread == Thread::Absent {
            let shared = Arc::clone(&self.shared);
            let spawned = std::thread::Builder::new().name("tool-router-embed".into()).spawn(move || serve(&shared));
            if spawned.is_ok() {
                queue.thread = Thread::Running;
            }
        }
        self.shared.work.notify_all();
    }
}

#[cfg(test)]
#[path = "service_tests.rs"]
mod tests;
