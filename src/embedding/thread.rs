//! The embedding thread: owns the embedder, serves queries before tools, contains what fails.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use once_cell::sync::OnceCell;
use parking_lot::{Condvar, Mutex, MutexGuard, RwLock};

use super::queue::{EmbedderInfo, InHand, Job, Loader, Queries, Queue, Texts, Thread, WantedText};
use super::vectors::{ModelVectors, QueryVectors};
use super::{Batch, Embedder, Interrupter, embed_checked, embed_named_checked, embed_parts_checked};
use crate::error::{Error, ErrorKind, Result};

/// What the thread shares with its callers.
#[derive(Default)]
pub(super) struct Shared {
    pub queue: Mutex<Queue>,
    /// Something was queued, or the thread's state changed.
    pub work: Condvar,
    /// Something was settled.
    pub settled: Condvar,
    pub vectors: RwLock<Option<Arc<ModelVectors>>>,
    pub interrupter: Mutex<Option<Interrupter>>,
    /// Gives memory that was freed back to the system.
    pub give_back: OnceCell<fn()>,
}

impl Shared {
    fn give_back(&self) {
        if let Some(give_back) = self.give_back.get() {
            give_back();
        }
    }
}

/// After so long without work, memory is given back: runs of the model leave 70 MB. Longer than a turn of a task pauses,
/// because the next run takes those pages again, which costs it milliseconds.
const IDLE: Duration = Duration::from_secs(2);

enum Work {
    Job(Job),
    Texts(Vec<WantedText>),
    Stop,
}

pub(super) fn serve(shared: &Shared) {
    let mut active: Option<Box<dyn Embedder>> = None;
    let mut all_texts: Option<Texts> = None;
    let mut pause = None;
    loop {
        match next(shared, active.as_ref().map(|active| active.batch()), pause.take()) {
            Work::Stop => return,
            Work::Job(Job::Install { loader, cache_folder, texts, answer }) => {
                let answered = make_active(shared, loader, cache_folder, &texts).map(|(new, info)| {
                    active = Some(new);
                    all_texts = Some(texts);
                    info
                });
                // The previous embedder has gone, and loading leaves as much again as the model, also where it failed.
                shared.give_back();
                shared.queue.lock().changed();
                shared.settled.notify_all();
                let _ = answer.send(answered); // nobody waits any more: nothing is lost
            }
            Work::Job(Job::Uninstall { answer }) => {
                active = None;
                all_texts = None;
                *shared.interrupter.lock() = None;
                *shared.vectors.write() = None;
                shared.give_back();
                let mut queue = shared.queue.lock();
                queue.reset();
                queue.changed();
                drop(queue);
                shared.settled.notify_all();
                let _ = answer.send(());
            }
            Work::Job(Job::Query { text, clauses, done, answer }) => {
                let vectors = shared.vectors.read().clone();
                let made = match (active.as_mut(), vectors) {
                    (Some(active), Some(vectors)) => embed_query(&mut **active, &text, &clauses).inspect(|made| {
                        vectors.keep_query(text, made.clone());
                    }),
                    _ => Err(without_embedder()),
                };
                let mut queue = shared.queue.lock();
                done.store(true, Ordering::Relaxed);
                queue.queries = Queries::InTime;
                queue.last_error = made.as_ref().err().map(Error::to_string);
                drop(queue);
                let _ = answer.send(made);
            }
            Work::Texts(texts) => pause = serve_texts(shared, &mut active, &texts, all_texts.as_ref()),
        }
    }
}

/// Loads an embedder and makes it the one that answers.
fn make_active(
    shared: &Shared,
    loader: Loader,
    cache_folder: Option<PathBuf>,
    texts: &Texts,
) -> Result<(Box<dyn Embedder>, EmbedderInfo)> {
    let (new, info, vectors) = contained(|| {
        let (mut new, info) = install(loader)?;
        let cache = cache_folder.filter(|_| new.cacheable());
        let vectors = ModelVectors::new(&info.model_id, info.dimensions, cache.as_deref());
        let vectors = Arc::new(vectors.with_shipped(new.take_shipped()));
        Ok((new, info, vectors))
    })?;
    // Active first, asked for the texts afterwards: a server that is set between
    // the two is asked for twice, never left out.
    *shared.vectors.write() = Some(Arc::clone(&vectors));
    *shared.interrupter.lock() = new.interrupter();
    shared.queue.lock().reset();
    let missing = |mut wanted: Vec<WantedText>| {
        wanted.retain(|wanted| !vectors.adopt(&wanted.hash));
        wanted
    };
    let wanted = contained(|| Ok(missing(texts())));
    let mut queue = shared.queue.lock();
    queue.last_error = wanted.as_ref().err().map(Error::to_string);
    queue.add(&vectors, wanted.unwrap_or_default().into_iter());
    drop(queue);
    Ok((new, info))
}

fn next(shared: &Shared, batch: Option<Batch>, pause: Option<Duration>) -> Work {
    let mut queue = shared.queue.lock();
    let mut idle = Some(Instant::now() + IDLE);
    let resume = pause.map(|pause| Instant::now() + pause);
    loop {
        queue.in_hand = InHand::Nothing;
        if queue.thread == Thread::Closed {
            return Work::Stop;
        }
        if queue.paused {
            shared.settled.notify_all();
            shared.work.wait(&mut queue);
            continue;
        }
        if let Some(job) = queue.take_job() {
            return Work::Job(job);
        }
        let waiting = resume.filter(|resume| Instant::now() < *resume);
        if waiting.is_none()
            && let Some(texts) = batch.and_then(|batch| queue.take_texts(batch))
        {
            return Work::Texts(texts);
        }
        match waiting.or(idle) {
            Some(until) => {
                let is_over = shared.work.wait_until(&mut queue, until).timed_out();
                if is_over && waiting.is_none() {
                    idle = None;
                    MutexGuard::unlocked(&mut queue, || shared.give_back());
                }
            }
            None => shared.work.wait(&mut queue),
        }
    }
}

/// Embeds a batch of tools' texts. Answers how long to pause when that failed.
fn serve_texts(
    shared: &Shared,
    active: &mut Option<Box<dyn Embedder>>,
    texts: &[WantedText],
    all_texts: Option<&Texts>,
) -> Option<Duration> {
    let vectors = shared.vectors.read().clone();
    let mut missing = texts.to_vec();
    let made = contained(|| {
        let Some(vectors) = &vectors else { return Ok(()) };
        if vectors.is_full()
            && let Some(all_texts) = all_texts
        {
            vectors.retain(&all_texts().into_iter().map(|wanted| wanted.hash).collect());
        }
        let Some(embedder) = active else { return Ok(()) };
        missing.retain(|wanted| !vectors.recall(&wanted.hash));
        if missing.is_empty() {
            return Ok(());
        }
        for (wanted, vector) in missing.iter().zip(embed_all(&mut **embedder, &missing)?) {
            vectors.keep(wanted.hash, &vector);
        }
        Ok(())
    });
    let failed = made.err().map(|error| (missing, error.to_string()));
    let pause = shared.queue.lock().settle(texts, failed);
    shared.settled.notify_all();
    pause
}

fn install(loader: Loader) -> Result<(Box<dyn Embedder>, EmbedderInfo)> {
    let mut embedder = loader()?;
    embed_checked(&mut *embedder, &["search the issues of a repository"])?;
    let info = EmbedderInfo { model_id: embedder.id().to_owned(), dimensions: embedder.dimensions() };
    Ok((embedder, info))
}

fn embed_all(embedder: &mut dyn Embedder, wanted: &[WantedText]) -> Result<Vec<Vec<f32>>> {
    contained(|| {
        crate::fault::point("embedding");
        let mut made = Vec::new();
        for WantedText { text, name_bytes, .. } in wanted {
            let Some(vector) = embed_named_checked(embedder, text, *name_bytes)? else { break };
            made.push(vector);
        }
        // All of them for an embedder that gives one vector a text, and none where each had its name.
        let rest: Vec<&str> = wanted[made.len()..].iter().map(|wanted| &*wanted.text).collect();
        if !rest.is_empty() {
            made.extend(embed_checked(embedder, &rest)?);
        }
        Ok(made)
    })
}

fn embed_query(embedder: &mut dyn Embedder, text: &str, clauses: &[Range<usize>]) -> Result<QueryVectors> {
    let made = contained(|| embed_parts_checked(embedder, text, clauses))?;
    QueryVectors::new(made).ok_or_else(|| ErrorKind::EmbeddingFailed { detail: "no vector came".into() }.into())
}

fn without_embedder() -> Error {
    ErrorKind::EmbeddingFailed { detail: "no embedder is set".into() }.into()
}

/// A panic of a model, of a host's embedder or of the router is a failed embedding, not the end of the thread.
fn contained<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(ErrorKind::EmbeddingFailed { detail: "the embedder panicked".into() }.into()))
}
