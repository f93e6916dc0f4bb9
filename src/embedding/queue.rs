//! What waits for the embedding thread: changes of the embedder, queries, texts.

use std::collections::{HashSet, VecDeque};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use super::vectors::{ModelVectors, QueryVectors};
use super::{Batch, Embedder};
use crate::error::Result;

/// After this many failures in a row the texts at hand are given up until they are asked for again.
const MAX_FAILURES: u32 = 3;
/// The first pause after a failure; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// Among how many texts those of like length are looked for: 21 tools have so many.
const WINDOW: usize = 64;
/// Texts are of like length when they differ by at most this part of the longer: an eighth of the work is padding then,
/// on average.
const LIKE: usize = 4;

/// Makes an embedder, on the embedding thread: reading a model takes a second.
pub type Loader = Box<dyn FnOnce() -> Result<Box<dyn Embedder>> + Send>;

/// Says what all tools that are set want embedded: at first when an embedder is active, later to tell which vectors are
/// still wanted.
pub type Texts = Box<dyn Fn() -> Vec<WantedText> + Send>;

/// What an embedder is, once it is active.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbedderInfo {
    /// The model's id.
    pub model_id: String,
    /// Numbers in a vector.
    pub dimensions: usize,
}

/// Something to do before further texts are embedded.
pub(super) enum Job {
    Install { loader: Loader, cache_folder: Option<PathBuf>, texts: Texts, answer: SyncSender<Result<EmbedderInfo>> },
    Uninstall { answer: SyncSender<()> },
    Query { text: String, clauses: Vec<Range<usize>>, done: Arc<AtomicBool>, answer: SyncSender<Result<QueryVectors>> },
}

impl Job {
    fn is_change(&self) -> bool {
        matches!(self, Self::Install { .. } | Self::Uninstall { .. })
    }
}

/// A text to embed, by hash.
#[derive(Debug, Clone)]
pub struct WantedText {
    /// Hash of the text, and of how its vector is made.
    pub hash: [u8; 32],
    /// The text.
    pub text: Arc<str>,
    /// How many bytes at its start are a name, whose own vector is added; 0 for none.
    pub name_bytes: usize,
}

/// Whether the thread runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Thread {
    /// It was not needed yet, or could not be started.
    #[default]
    Absent,
    /// It waits for work or is at it.
    Running,
    /// It ends, or has ended.
    Closed,
}

/// What the thread has in hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum InHand {
    /// Nothing.
    #[default]
    Nothing,
    /// A change of the embedder, or a query.
    Job,
    /// So many texts.
    Texts(usize),
}

/// How queries are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Queries {
    /// As they come.
    #[default]
    InTime,
    /// One that did not come in time is still being worked on: the next ones do not wait.
    Late,
}

#[derive(Default)]
pub(super) struct Queue {
    pub thread: Thread,
    pub in_hand: InHand,
    /// The process is ending, with a thread or without: nothing new is begun.
    pub paused: bool,
    pub queries: Queries,
    pub jobs: VecDeque<Job>,
    pub last_error: Option<String>,
    changing: bool,
    wanted: VecDeque<WantedText>,
    queued: HashSet<[u8; 32]>,
    /// Texts that failed for good under this embedder.
    given_up: HashSet<[u8; 32]>,
    failures: u32,
    /// How many of the next texts are embedded one at a time.
    alone: usize,
}

impl Queue {
    /// Adds texts whose vectors are missing.
    pub fn add(&mut self, vectors: &ModelVectors, texts: impl Iterator<Item = WantedText>) {
        self.given_up.clear();
        let missing = texts.filter(|wanted| !vectors.has(&wanted.hash) && self.queued.insert(wanted.hash));
        self.wanted.extend(missing);
    }

    /// Adds a change of the embedder: after the changes that wait, before the queries.
    pub fn add_change(&mut self, job: Job) {
        let place = self.jobs.iter().position(|job| !job.is_change()).unwrap_or(self.jobs.len());
        self.jobs.insert(place, job);
    }

    /// Takes the next job.
    pub fn take_job(&mut self) -> Option<Job> {
        let job = self.jobs.pop_front()?;
        self.in_hand = InHand::Job;
        self.changing = job.is_change();
        Some(job)
    }

    /// Takes the next texts, at most a batch; none when there are none. After a failure one at a
    /// time: a text that is refused must not take others with it.
    pub fn take_texts(&mut self, batch: Batch) -> Option<Vec<WantedText>> {
        let most = if self.alone > 0 { 1 } else { batch.texts.max(1) }.min(self.wanted.len());
        if most == 0 {
            return None;
        }
        let taken: Vec<WantedText> = match batch.bytes {
            Some(bytes) => self.take_alike(most, bytes),
            None => self.wanted.drain(..most).collect(),
        };
        self.alone = self.alone.saturating_sub(taken.len());
        self.in_hand = InHand::Texts(taken.len());
        Some(taken)
    }

    /// Takes the next text, and those behind it that are of like length: no text waits for ever.
    fn take_alike(&mut self, most: usize, bytes: usize) -> Vec<WantedText> {
        let lengths: Vec<usize> = self.wanted.iter().take(WINDOW).map(|wanted| wanted.text.len()).collect();
        let first = lengths.first().copied().unwrap_or_default();
        let mut nearest: Vec<usize> = (0..lengths.len()).collect();
        nearest.sort_by_key(|at| lengths[*at].abs_diff(first)); // stable: the first stays the first
        let (mut chosen, mut longest) = (Vec::new(), first);
        for at in nearest.into_iter().take(most) {
            let padded = longest.max(lengths[at]);
            let is_alike = lengths[at].abs_diff(first) * LIKE <= padded;
            if !chosen.is_empty() && (!is_alike || padded * (chosen.len() + 1) > bytes) {
                break;
            }
            chosen.push(at);
            longest = padded;
        }
        // From behind, so that places stay; the first text is the last one taken out.
        chosen.sort_unstable_by(|one, other| other.cmp(one));
        chosen.into_iter().filter_map(|at| self.wanted.remove(at)).collect()
    }

    /// Settles texts that were taken. `failed` holds those that have no vector, and why. The answer
    /// is how long to pause.
    pub fn settle(&mut self, taken: &[WantedText], failed: Option<(Vec<WantedText>, String)>) -> Option<Duration> {
        self.in_hand = InHand::Job;
        let mut back = HashSet::new();
        let pause = if let Some((missing, error)) = failed {
            self.last_error = Some(error);
            let hashes: Vec<_> = missing.iter().map(|wanted| wanted.hash).collect();
            let pause = self.put_back(missing);
            if pause.is_some() {
                back.extend(hashes);
            }
            pause
        } else {
            self.failures = 0;
            if self.given_up.is_empty() {
                self.last_error = None;
            }
            None
        };
        // Only what was put back waits again: nothing that is queued is added a second time.
        for wanted in taken.iter().filter(|wanted| !back.contains(&wanted.hash)) {
            self.queued.remove(&wanted.hash);
        }
        pause
    }

    fn put_back(&mut self, missing: Vec<WantedText>) -> Option<Duration> {
        self.failures += 1;
        let pause = if missing.len() > 1 {
            self.alone = missing.len();
            self.failures = 0;
            FIRST_PAUSE
        } else if self.failures >= MAX_FAILURES {
            self.given_up.extend(missing.iter().map(|wanted| wanted.hash));
            self.failures = 0;
            return None;
        } else {
            self.alone += missing.len();
            FIRST_PAUSE * 2_u32.pow(self.failures - 1)
        };
        for wanted in missing.into_iter().rev() {
            self.wanted.push_front(wanted);
        }
        Some(pause)
    }

    /// Forgets all that belongs to the previous embedder.
    pub fn reset(&mut self) {
        self.wanted.clear();
        self.queued.clear();
        self.given_up.clear();
        self.last_error = None;
        self.failures = 0;
        self.alone = 0;
        self.queries = Queries::InTime;
    }

    /// To be called when a change of the embedder is done.
    pub fn changed(&mut self) {
        self.changing = false;
    }

    /// Whether an embedder is being changed, or will be.
    pub fn is_changing(&self) -> bool {
        self.changing || self.jobs.iter().any(Job::is_change)
    }

    /// Whether no text waits or is in hand, and no embedder that would bring some.
    pub fn is_idle(&self) -> bool {
        !self.is_changing() && self.wanted.is_empty() && !matches!(self.in_hand, InHand::Texts(_))
    }
}
