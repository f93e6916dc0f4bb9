//! The embedding thread: owns the embedder, serves queries before tools, counts failures.

use std::collections::{HashSet, VecDeque};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, RwLock};

use super::vectors::{ModelVectors, QueryVectors};
use super::{Embedder, Interrupter, embed_checked, embed_parts_checked};
use crate::error::{Error, ErrorKind, Result};

/// Why an answer is lexical although vectors were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Degraded {
    /// No model was loaded and no embedder set.
    ModelNotLoaded,
    /// The model is being loaded.
    ModelLoading,
    /// Vectors of tools in scope are still being made.
    VectorsPending,
    /// The embedder failed.
    EmbeddingFailed,
    /// The embedder did not answer in time.
    DeadlineExceeded,
}

impl Degraded {
    /// All reasons.
    pub const ALL: [Self; 5] =
        [Self::ModelNotLoaded, Self::ModelLoading, Self::VectorsPending, Self::EmbeddingFailed, Self::DeadlineExceeded];

    /// The stable name that callers switch on.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::ModelNotLoaded => "model-not-loaded",
            Self::ModelLoading => "model-loading",
            Self::VectorsPending => "vectors-pending",
            Self::EmbeddingFailed => "embedding-failed",
            Self::DeadlineExceeded => "deadline-exceeded",
        }
    }

    /// The reason for a person, with the next step.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::ModelNotLoaded => "no model is loaded; call loadModel or setEmbedder",
            Self::ModelLoading => "the model is being loaded; the next ranking may use it",
            Self::VectorsPending => "vectors of tools are being made; the next ranking may use them",
            Self::EmbeddingFailed => "the embedder failed; status.lastError says how",
            Self::DeadlineExceeded => "the query's vector did not come within deadlineMs",
        }
    }
}

/// Makes an embedder, on the embedding thread: reading a model takes a second.
pub type Loader = Box<dyn FnOnce() -> Result<Box<dyn Embedder>> + Send>;

/// Says what to embed once an embedder is in force.
pub type Texts = Box<dyn FnOnce() -> Vec<WantedText> + Send>;

/// What an embedder is, once it is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbedderInfo {
    /// The model's id.
    pub model_id: String,
    /// Numbers in a vector.
    pub dimensions: usize,
}

enum Job {
    Install { loader: Loader, cache_folder: Option<PathBuf>, texts: Texts, answer: SyncSender<Result<EmbedderInfo>> },
    Uninstall { answer: SyncSender<()> },
    Query { text: String, clauses: Vec<Range<usize>>, done: Arc<AtomicBool>, answer: SyncSender<Result<QueryVectors>> },
}

/// A text to embed, by hash.
#[derive(Debug, Clone)]
pub struct WantedText {
    /// Hash of the text.
    pub hash: [u8; 32],
    /// The text.
    pub text: Arc<str>,
}

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent: each may be true with each other")]
struct Queue {
    jobs: VecDeque<Job>,
    wanted: VecDeque<WantedText>,
    queued: HashSet<[u8; 32]>,
    /// Texts that failed for good under this embedder.
    given_up: HashSet<[u8; 32]>,
    loading: bool,
    /// Whether the thread is at work.
    busy: bool,
    /// Texts taken off the queue and not settled yet.
    in_hand: usize,
    started: bool,
    closed: bool,
    /// A query that did not come in time is still being worked on: the next ones do not wait.
    late: bool,
    last_error: Option<String>,
    failures: u32,
    /// How many of the next texts are embedded one at a time.
    alone: usize,
    /// The process is ending: nothing new is begun.
    paused: bool,
}

impl Queue {
    fn add(&mut self, vectors: &ModelVectors, texts: impl Iterator<Item = WantedText>) {
        self.given_up.clear();
        for wanted in texts {
            if !vectors.has(&wanted.hash) && self.queued.insert(wanted.hash) {
                self.wanted.push_back(wanted);
            }
        }
    }

    /// Forgets all that belongs to the embedder before.
    fn reset(&mut self) {
        self.wanted.clear();
        self.queued.clear();
        self.given_up.clear();
        self.last_error = None;
        self.failures = 0;
        self.alone = 0;
        self.late = false;
    }

    /// To be called when a change of the embedder is done.
    fn changed(&mut self) {
        self.loading = self.jobs.iter().any(|job| !matches!(job, Job::Query { .. }));
    }
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    work: Condvar,
    settled: Condvar,
    vectors: RwLock<Option<Arc<ModelVectors>>>,
    interrupter: Mutex<Option<Interrupter>>,
}

/// See the module. Cheap to clone; all clones share one thread.
#[derive(Clone, Default)]
pub struct EmbeddingService {
    shared: Arc<Shared>,
}

/// After this many failures in a row the texts at hand are given up until they are asked for again.
const MAX_FAILURES: u32 = 3;
/// The first pause after a failure; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

impl EmbeddingService {
    /// The vectors of the model in force.
    #[must_use]
    pub fn vectors(&self) -> Option<Arc<ModelVectors>> {
        self.shared.vectors.read().clone()
    }

    /// Whether a model is being loaded.
    #[must_use]
    pub fn loading(&self) -> bool {
        self.shared.queue.lock().loading
    }

    /// What the last failure said, until something succeeds.
    #[must_use]
    pub fn last_error(&self) -> Option<String> {
        self.shared.queue.lock().last_error.clone()
    }

    /// Puts an embedder in force once `loader` has made it and it has embedded a first text, and
    /// has `texts` embedded. Until then, and when it fails, the one before stays. Installing and
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

    /// Queues a change of the embedder: after the changes that wait, before the queries.
    fn change(&self, job: Job) {
        let mut queue = self.shared.queue.lock();
        queue.loading = true;
        let place = queue.jobs.iter().position(|job| matches!(job, Job::Query { .. })).unwrap_or(queue.jobs.len());
        queue.jobs.insert(place, job);
        self.start(&mut queue);
        drop(queue);
        // An embedder that hangs must not hold up the one that replaces it.
        if let Some(interrupt) = self.shared.interrupter.lock().clone() {
            interrupt();
        }
    }

    /// Asks for vectors of texts in the background. What is there or queued costs nothing.
    pub fn want(&self, texts: impl Iterator<Item = WantedText>) {
        let Some(vectors) = self.vectors() else { return };
        let mut queue = self.shared.queue.lock();
        queue.add(&vectors, texts);
        self.start(&mut queue);
    }

    /// The vectors of a query and of its clauses, which are byte ranges that depend on the text
    /// alone, waiting for them until the deadline at most.
    ///
    /// # Errors
    ///
    /// The reason why there is none in time.
    pub fn query(&self, text: &str, clauses: &[Range<usize>], deadline: Duration) -> std::result::Result<QueryVectors, Degraded> {
        let vectors = self.vectors().ok_or(Degraded::ModelNotLoaded)?;
        if let Some(known) = vectors.query(text) {
            return Ok(known);
        }
        let (answer, receiver) = sync_channel(1);
        let done = Arc::new(AtomicBool::new(false));
        {
            let mut queue = self.shared.queue.lock();
            if queue.late {
                return Err(Degraded::DeadlineExceeded);
            }
            let (text, clauses, done) = (text.to_owned(), clauses.to_vec(), Arc::clone(&done));
            queue.jobs.push_back(Job::Query { text, clauses, done, answer });
            self.start(&mut queue);
        }
        match receiver.recv_timeout(deadline) {
            Ok(Ok(vectors)) => Ok(vectors),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => Err(Degraded::EmbeddingFailed),
            Err(RecvTimeoutError::Timeout) => {
                let mut queue = self.shared.queue.lock();
                // It may have come between the time-out and the lock.
                queue.late |= !done.load(Ordering::Relaxed);
                Err(Degraded::DeadlineExceeded)
            }
        }
    }

    /// Waits until no text is queued or in hand, or until the time is over; `true` when idle.
    #[must_use]
    pub fn wait_idle(&self, limit: Duration) -> bool {
        let until = Instant::now() + limit;
        let mut queue = self.shared.queue.lock();
        while queue.loading || !queue.wanted.is_empty() || queue.in_hand > 0 {
            if self.shared.settled.wait_until(&mut queue, until).timed_out() {
                return false;
            }
        }
        true
    }

    /// Begins nothing new, and waits for what is begun: a process that unloads ONNX Runtime while
    /// it computes may crash. `false` when the time is over first.
    #[must_use]
    pub fn pause(&self, limit: Duration) -> bool {
        let until = Instant::now() + limit;
        let mut queue = self.shared.queue.lock();
        queue.paused = true;
        self.shared.work.notify_all();
        // A call into the host waits for the very thread that may be waiting here.
        if let Some(interrupt) = self.shared.interrupter.lock().clone() {
            interrupt();
        }
        while queue.busy {
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
        self.shared.queue.lock().closed = true;
        self.shared.work.notify_all();
    }

    fn start(&self, queue: &mut Queue) {
        if !queue.started {
            queue.started = true;
            let shared = Arc::clone(&self.shared);
            let spawned = std::thread::Builder::new().name("tool-router-embed".into()).spawn(move || serve(&shared));
            queue.started = spawned.is_ok();
        }
        self.shared.work.notify_all();
    }
}

enum Work {
    Job(Job),
    Texts(Vec<WantedText>),
    Stop,
}

fn serve(shared: &Shared) {
    let mut embedder: Option<Box<dyn Embedder>> = None;
    let mut pause = None;
    loop {
        match next(shared, embedder.as_ref().map(|embedder| embedder.batch_size()), pause.take()) {
            Work::Stop => return,
            Work::Job(Job::Install { loader, cache_folder, texts, answer }) => {
                let installed = contained(|| install(loader));
                let answered = installed.map(|(new, info)| {
                    let cache = cache_folder.filter(|_| new.cacheable());
                    let vectors = Arc::new(ModelVectors::new(&info.model_id, info.dimensions, cache.as_deref()));
                    // In force first, asked for the texts afterwards: a server that is set between
                    // the two is asked for twice, never left out.
                    *shared.vectors.write() = Some(Arc::clone(&vectors));
                    *shared.interrupter.lock() = new.interrupter();
                    embedder = Some(new);
                    shared.queue.lock().reset();
                    let texts = texts();
                    shared.queue.lock().add(&vectors, texts.into_iter());
                    info
                });
                shared.queue.lock().changed();
                shared.settled.notify_all();
                let _ = answer.send(answered); // nobody waits any more: nothing is lost
            }
            Work::Job(Job::Uninstall { answer }) => {
                embedder = None;
                *shared.interrupter.lock() = None;
                *shared.vectors.write() = None;
                let mut queue = shared.queue.lock();
                queue.reset();
                queue.changed();
                drop(queue);
                shared.settled.notify_all();
                let _ = answer.send(());
            }
            Work::Job(Job::Query { text, clauses, done, answer }) => {
                let vectors = shared.vectors.read().clone();
                let made = match (embedder.as_mut(), vectors) {
                    (Some(embedder), Some(vectors)) => embed_query(&mut **embedder, &text, &clauses).inspect(|made| {
                        vectors.keep_query(text, made.clone());
                    }),
                    _ => Err(ErrorKind::EmbeddingFailed { detail: "no embedder is set any more".into() }.into()),
                };
                let mut queue = shared.queue.lock();
                done.store(true, Ordering::Relaxed);
                queue.late = false;
                queue.last_error = made.as_ref().err().map(Error::to_string);
                drop(queue);
                let _ = answer.send(made);
            }
            Work::Texts(texts) => pause = serve_texts(shared, embedder.as_mut(), &texts),
        }
    }
}

fn next(shared: &Shared, batch_size: Option<usize>, pause: Option<Duration>) -> Work {
    let mut queue = shared.queue.lock();
    let resume = pause.map(|pause| Instant::now() + pause);
    loop {
        if queue.closed {
            return Work::Stop;
        }
        queue.busy = false;
        if queue.paused {
            shared.settled.notify_all();
            shared.work.wait(&mut queue);
            continue;
        }
        if let Some(job) = queue.jobs.pop_front() {
            queue.busy = true;
            return Work::Job(job);
        }
        let paused = resume.is_some_and(|resume| Instant::now() < resume);
        if let (false, false, Some(batch_size)) = (paused, queue.wanted.is_empty(), batch_size) {
            // After a failure one at a time: a text that is refused must not take others with it.
            let count = if queue.alone > 0 { 1 } else { batch_size.max(1).min(queue.wanted.len()) };
            queue.alone = queue.alone.saturating_sub(count);
            let texts: Vec<WantedText> = queue.wanted.drain(..count).collect();
            queue.in_hand = texts.len();
            queue.busy = true;
            return Work::Texts(texts);
        }
        match resume {
            Some(resume) if paused => {
                shared.work.wait_until(&mut queue, resume);
            }
            _ => shared.work.wait(&mut queue),
        }
    }
}

/// Embeds a batch of tools' texts. Answers how long to pause when that failed.
fn serve_texts(shared: &Shared, embedder: Option<&mut Box<dyn Embedder>>, texts: &[WantedText]) -> Option<Duration> {
    let vectors = shared.vectors.read().clone();
    let mut failure = None;
    let mut missing = Vec::new();
    if let (Some(embedder), Some(vectors)) = (embedder, &vectors) {
        missing = texts.iter().filter(|wanted| !vectors.recall(&wanted.hash)).cloned().collect();
        if !missing.is_empty() {
            let batch: Vec<&str> = missing.iter().map(|wanted| &*wanted.text).collect();
            match embed_all(&mut **embedder, &batch) {
                Ok(made) => {
                    for (wanted, vector) in missing.drain(..).zip(made) {
                        vectors.keep(wanted.hash, vector);
                    }
                }
                Err(error) => failure = Some(error),
            }
        }
    }
    let mut queue = shared.queue.lock();
    queue.in_hand = 0;
    let mut pause = None;
    if let Some(error) = failure {
        queue.failures += 1;
        queue.last_error = Some(error.to_string());
        if missing.len() > 1 {
            queue.alone = missing.len();
            queue.failures = 0;
            pause = Some(FIRST_PAUSE);
            for wanted in missing.into_iter().rev() {
                queue.wanted.push_front(wanted);
            }
        } else if queue.failures >= MAX_FAILURES {
            queue.given_up.extend(missing.iter().map(|wanted| wanted.hash));
            queue.failures = 0;
        } else {
            pause = Some(FIRST_PAUSE * 2_u32.pow(queue.failures - 1));
            queue.alone += missing.len();
            for wanted in missing.into_iter().rev() {
                queue.wanted.push_front(wanted);
            }
        }
    } else {
        queue.failures = 0;
        if queue.given_up.is_empty() {
            queue.last_error = None;
        }
    }
    let waiting: HashSet<[u8; 32]> = queue.wanted.iter().map(|wanted| wanted.hash).collect();
    for wanted in texts {
        if !waiting.contains(&wanted.hash) {
            queue.queued.remove(&wanted.hash);
        }
    }
    drop(queue);
    shared.settled.notify_all();
    pause
}

fn install(loader: Loader) -> Result<(Box<dyn Embedder>, EmbedderInfo)> {
    let mut embedder = loader()?;
    embed_checked(&mut *embedder, &["search the issues of a repository"])?;
    let info = EmbedderInfo { model_id: embedder.id().to_owned(), dimensions: embedder.dimensions() };
    Ok((embedder, info))
}

fn embed_all(embedder: &mut dyn Embedder, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
    contained(|| embed_checked(embedder, texts))
}

fn embed_query(embedder: &mut dyn Embedder, text: &str, clauses: &[Range<usize>]) -> Result<QueryVectors> {
    let made = contained(|| embed_parts_checked(embedder, text, clauses))?;
    QueryVectors::new(made).ok_or_else(|| ErrorKind::EmbeddingFailed { detail: "no vector came".into() }.into())
}

/// A panic of a model or of a host's embedder is a failed embedding, not the end of the thread.
fn contained<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(ErrorKind::EmbeddingFailed { detail: "the embedder panicked".into() }.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::hashed::HashedEmbedder;

    type Answer = fn(&[&str]) -> Result<Vec<Vec<f32>>>;

    struct Script {
        answers: VecDeque<Answer>,
    }

    impl Embedder for Script {
        fn id(&self) -> &'static str {
            "script"
        }
        fn dimensions(&self) -> usize {
            1
        }
        fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
            self.answers.pop_front().unwrap_or(good)(texts)
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "an answer of a script")]
    fn good(texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        Ok(texts.iter().map(|_| vec![1.0]).collect())
    }

    fn bad(_: &[&str]) -> Result<Vec<Vec<f32>>> {
        Err(ErrorKind::EmbeddingFailed { detail: "no".into() }.into())
    }

    fn panics(_: &[&str]) -> Result<Vec<Vec<f32>>> {
        panic!("as a native library may")
    }

    fn slow(texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        std::thread::sleep(Duration::from_millis(200));
        good(texts)
    }

    fn service(answers: &[Answer]) -> EmbeddingService {
        let service = EmbeddingService::default();
        let script = Script { answers: answers.iter().copied().collect() };
        service.install(Box::new(|| Ok(Box::new(script))), None, Box::new(Vec::new)).recv().unwrap().unwrap();
        service
    }

    fn wanted(text: &str) -> WantedText {
        WantedText { hash: *blake3::hash(text.as_bytes()).as_bytes(), text: text.into() }
    }

    const LONG: Duration = Duration::from_secs(10);

    #[test]
    fn an_embedder_that_fails_its_first_text_is_never_in_force() {
        let service = EmbeddingService::default();
        let script = Script { answers: [bad as Answer].into() };
        let error = service.install(Box::new(|| Ok(Box::new(script))), None, Box::new(Vec::new)).recv().unwrap().unwrap_err();
        assert_eq!(error.code(), "ERR_EMBEDDING_FAILED");
        assert!(service.vectors().is_none());
        assert!(!service.loading());
    }

    #[test]
    fn a_failing_install_keeps_the_embedder_before() {
        let service = EmbeddingService::default();
        service.install(Box::new(|| Ok(Box::new(HashedEmbedder))), None, Box::new(Vec::new)).recv().unwrap().unwrap();
        let failed = service
            .install(Box::new(|| Err(ErrorKind::ModelNotFound { path: "x".into() }.into())), None, Box::new(Vec::new))
            .recv()
            .unwrap();
        assert_eq!(failed.unwrap_err().code(), "ERR_MODEL_NOT_FOUND");
        assert_eq!(service.vectors().unwrap().model_id, "hashed-64");
        assert!(service.query("text", &[], LONG).is_ok());
    }

    #[test]
    fn a_text_that_fails_once_is_tried_again() {
        let service = service(&[good, bad]);
        service.want([wanted("a")].into_iter());
        assert!(service.wait_idle(LONG));
        assert!(service.vectors().unwrap().document(&wanted("a").hash).is_some());
        assert_eq!(service.last_error(), None);
    }

    #[test]
    fn a_text_that_fails_for_good_is_given_up_and_the_next_ones_are_served() {
        let service = service(&[good, bad, panics, bad]);
        service.want([wanted("a"), wanted("b")].into_iter());
        assert!(service.wait_idle(LONG));
        let vectors = service.vectors().unwrap();
        assert!(vectors.document(&wanted("a").hash).is_none());
        assert!(vectors.document(&wanted("b").hash).is_some());
        assert_eq!(service.last_error().as_deref(), Some("embedding failed: no"));
        service.want([wanted("a")].into_iter());
        assert!(service.wait_idle(LONG));
        assert!(vectors.document(&wanted("a").hash).is_some());
    }

    #[test]
    fn a_late_query_degrades_at_its_deadline_and_the_next_does_not_wait() {
        let service = service(&[good, slow]);
        assert_eq!(service.query("a", &[], Duration::from_millis(10)), Err(Degraded::DeadlineExceeded));
        assert_eq!(service.query("b", &[], LONG), Err(Degraded::DeadlineExceeded));
        while service.vectors().unwrap().query("a").is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(service.query("a", &[], LONG).is_ok());
        assert!(service.query("b", &[], LONG).is_ok());
    }

    #[test]
    fn clauses_have_vectors_of_their_own_where_the_embedder_has_them() {
        struct Parts;
        impl Embedder for Parts {
            fn id(&self) -> &'static str {
                "parts"
            }
            fn dimensions(&self) -> usize {
                2
            }
            fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
                Ok(texts.iter().map(|_| vec![1.0, 0.0]).collect())
            }
            fn embed_parts(&mut self, _: &str, parts: &[Range<usize>]) -> Result<Option<Vec<Vec<f32>>>> {
                let parts = parts.iter().map(|_| vec![0.0, 1.0]);
                Ok(Some([vec![1.0, 0.0]].into_iter().chain(parts).collect()))
            }
        }
        let clauses = [0..1, 2..3];
        let service = EmbeddingService::default();
        service.install(Box::new(|| Ok(Box::new(Parts))), None, Box::new(Vec::new)).recv().unwrap().unwrap();
        let vectors = service.query("a b", &clauses, LONG).unwrap();
        assert_eq!((&*vectors.whole, vectors.clauses.len()), ([1.0, 0.0].as_slice(), 2));
        assert_eq!(service.vectors().unwrap().query("a b"), Some(vectors));
        service.install(Box::new(|| Ok(Box::new(HashedEmbedder))), None, Box::new(Vec::new)).recv().unwrap().unwrap();
        assert!(service.query("a b", &clauses, LONG).unwrap().clauses.is_empty());
    }

    #[test]
    fn the_last_change_of_embedders_wins_whatever_each_takes() {
        let service = EmbeddingService::default();
        let slowly = || -> Loader {
            Box::new(|| {
                std::thread::sleep(Duration::from_millis(30));
                Ok(Box::new(HashedEmbedder))
            })
        };
        let first = service.install(slowly(), None, Box::new(Vec::new));
        let second = service.install(Box::new(|| Ok(Box::new(Script { answers: VecDeque::new() }))), None, Box::new(Vec::new));
        assert_eq!(first.recv().unwrap().unwrap().model_id, "hashed-64");
        second.recv().unwrap().unwrap();
        assert_eq!(service.vectors().unwrap().model_id, "script");
        let _third = service.install(slowly(), None, Box::new(Vec::new));
        service.uninstall().recv().unwrap();
        assert!(service.vectors().is_none());
    }

    #[test]
    fn an_install_is_not_idle_before_its_texts_are_embedded() {
        let service = EmbeddingService::default();
        let installed = service.install(Box::new(|| Ok(Box::new(HashedEmbedder))), None, Box::new(|| vec![wanted("a")]));
        assert!(service.wait_idle(LONG));
        assert!(service.vectors().unwrap().has(&wanted("a").hash));
        installed.recv().unwrap().unwrap();
    }

    #[test]
    fn a_refused_text_takes_no_other_of_its_batch_with_it() {
        struct Batches;
        impl Embedder for Batches {
            fn id(&self) -> &'static str {
                "batches"
            }
            fn dimensions(&self) -> usize {
                1
            }
            fn batch_size(&self) -> usize {
                10
            }
            fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
                if texts.contains(&"poison") { bad(texts) } else { good(texts) }
            }
        }
        let service = EmbeddingService::default();
        let texts = || ["a", "poison", "b", "c"].map(wanted).to_vec();
        service.install(Box::new(|| Ok(Box::new(Batches))), None, Box::new(texts)).recv().unwrap().unwrap();
        assert!(service.wait_idle(LONG));
        let vectors = service.vectors().unwrap();
        let there = ["a", "poison", "b", "c"].map(|text| vectors.has(&wanted(text).hash));
        assert_eq!(there, [true, false, true, true]);
    }

    #[test]
    fn a_pause_waits_for_the_text_in_hand_and_begins_no_other() {
        let service = service(&[good, slow]);
        service.want(["a", "b"].map(wanted).into_iter());
        std::thread::sleep(Duration::from_millis(20));
        assert!(service.pause(LONG));
        let vectors = service.vectors().unwrap();
        assert!(!vectors.has(&wanted("b").hash));
        service.resume();
        assert!(service.wait_idle(LONG));
        assert!(vectors.has(&wanted("b").hash));
    }
}
