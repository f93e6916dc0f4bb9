//! Held results: of all sessions together bounded in bytes, number and time, each by a handle that nobody can guess.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::error::{Error, ErrorKind, Result};

/// What is held at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all results.
    pub bytes: usize,
    /// Their number.
    pub count: usize,
    /// How long one is held.
    pub age: Duration,
    /// Longer ones are on disk.
    pub memory_bytes: usize,
}

/// What all results together have at most.
const MOST_BYTES: usize = 100 * 1024 * 1024;
/// As many as sessions.
const MOST_RESULTS: usize = 1_000;

impl Default for Limits {
    /// An hour, after which a model has long had another thought; and a megabyte in memory: more is read back from disk in less
    /// time than it takes to rank it.
    fn default() -> Self {
        Self { bytes: MOST_BYTES, count: MOST_RESULTS, age: Duration::from_hours(1), memory_bytes: 1024 * 1024 }
    }
}

#[derive(Debug)]
enum Body {
    Memory(Arc<str>),
    /// A file without a name: nobody else can open it, and it is gone with the process, however that ends.
    Disk(Mutex<File>),
}

/// A held result.
#[derive(Debug)]
pub struct Held {
    body: Body,
    bytes: usize,
}

impl Held {
    /// Holds a text; on disk, where it is long and the disk takes it.
    fn new(text: String, memory_bytes: usize) -> Self {
        let bytes = text.len();
        let on_disk = if bytes > memory_bytes { written(&text).ok() } else { None };
        Self { body: on_disk.map_or_else(|| Body::Memory(text.into()), |file| Body::Disk(Mutex::new(file))), bytes }
    }

    /// Its text.
    ///
    /// # Errors
    ///
    /// `ERR_RESULT_NOT_FOUND` when the disk does not give it back.
    pub fn text(&self) -> Result<Arc<str>> {
        match &self.body {
            Body::Memory(text) => Ok(Arc::clone(text)),
            Body::Disk(file) => {
                let lost = |error: std::io::Error| Error::from(ErrorKind::ResultNotFound).caused_by(error);
                let mut text = String::with_capacity(self.bytes);
                let mut file = file.lock();
                file.seek(SeekFrom::Start(0)).map_err(lost)?;
                file.read_to_string(&mut text).map_err(lost)?;
                Ok(text.into())
            }
        }
    }
}

fn written(text: &str) -> std::io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(text.as_bytes())?;
    Ok(file)
}

/// Whose result it is.
#[derive(Debug, Clone, Copy)]
pub struct Owner<'a> {
    /// Who may read it.
    pub session_id: &'a str,
    /// Whose share of the store it is of, where sessions are known to be of one client.
    pub client: Option<&'a str>,
}

struct Entry {
    handle: String,
    session_id: String,
    client: Option<String>,
    since: Instant,
    held: Arc<Held>,
}

impl Entry {
    /// Whose share it is of. A session's id is none of a client's.
    fn sharer(&self) -> (bool, &str) {
        self.client.as_deref().map_or((false, self.session_id.as_str()), |client| (true, client))
    }
}

/// See the module.
#[derive(Default)]
pub struct Store {
    limits: Limits,
    /// The oldest first.
    entries: VecDeque<Entry>,
    bytes: usize,
}

impl Store {
    /// With bounds of its own.
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Holds a result for a session, and drops the oldest ones where there are too many. Not one that is larger than all
    /// may be together.
    pub fn hold(&mut self, handle: String, owner: Owner<'_>, text: String, now: Instant) -> bool {
        let bytes = text.len();
        if bytes > self.limits.bytes {
            return false;
        }
        let held = Arc::new(Held::new(text, self.limits.memory_bytes));
        self.bytes += bytes;
        let (session_id, client) = (owner.session_id.to_owned(), owner.client.map(str::to_owned));
        self.entries.push_back(Entry { handle, session_id, client, since: now, held });
        self.drop_old(now);
        true
    }

    /// What is late goes; then, where there is too much, the oldest result of the client that holds the most, or of the session where
    /// clients are not known: who fills the store puts out its own results, not those of others.
    fn drop_old(&mut self, now: Instant) {
        let Limits { bytes, count, age, .. } = self.limits;
        while self.entries.front().is_some_and(|oldest| now.saturating_duration_since(oldest.since) > age) {
            self.drop_at(0);
        }
        while self.bytes > bytes && !self.entries.is_empty() {
            self.drop_oldest_of_largest(|entry| entry.held.bytes);
        }
        while self.entries.len() > count {
            self.drop_oldest_of_largest(|_| 1);
        }
    }

    fn drop_oldest_of_largest(&mut self, size: impl Fn(&Entry) -> usize) {
        let mut sizes: HashMap<(bool, &str), usize> = HashMap::new();
        for entry in &self.entries {
            *sizes.entry(entry.sharer()).or_default() += size(entry);
        }
        // The newest stays, as its handle is being given out.
        let candidates = || self.entries.iter().take(self.entries.len().saturating_sub(1));
        let size_of = |entry: &Entry| sizes.get(&entry.sharer()).copied();
        let most = candidates().map(size_of).max().flatten();
        // Of equal ones that with the oldest result.
        let at = candidates().position(|entry| size_of(entry) == most);
        self.drop_at(at.unwrap_or(0));
    }

    fn drop_at(&mut self, at: usize) {
        if let Some(dropped) = self.entries.remove(at) {
            self.bytes -= dropped.held.bytes;
        }
    }

    /// A result of a session. Of those of other sessions nothing is said, not even that they exist.
    ///
    /// # Errors
    ///
    /// `ERR_RESULT_NOT_FOUND`.
    pub fn find(&mut self, session_id: &str, handle: &str, now: Instant) -> Result<Arc<Held>> {
        self.drop_old(now);
        let found = self.entries.iter().find(|entry| entry.handle == handle && entry.session_id == session_id);
        found.map(|entry| Arc::clone(&entry.held)).ok_or_else(|| ErrorKind::ResultNotFound.into())
    }

    /// Drops what a session holds.
    pub fn forget(&mut self, session_id: &str) {
        self.entries.retain(|entry| entry.session_id != session_id);
        self.bytes = self.entries.iter().map(|entry| entry.held.bytes).sum();
    }
}

/// A handle of 128 random bits.
///
/// # Errors
///
/// `ERR_INTERNAL` when the system has no random bytes.
pub fn new_handle() -> Result<String> {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| ErrorKind::Internal { detail: format!("no random bytes: {error}") })?;
    let mut bits = u128::from_le_bytes(bytes);
    let mut handle = "res_".to_owned();
    for _ in 0..26 {
        handle.push(char::from(LETTERS[usize::try_from(bits % 32).unwrap_or(0)]));
        bits /= 32;
    }
    Ok(handle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: usize) -> String {
        "é".repeat(bytes / 2)
    }

    fn of(session_id: &str) -> Owner<'_> {
        Owner { session_id, client: None }
    }

    fn store(bytes: usize, count: usize) -> Store {
        Store::new(Limits { bytes, count, age: Duration::from_mins(1), memory_bytes: 100 })
    }

    #[test]
    fn handles_are_never_the_same_and_of_the_alphabet() {
        let handles: std::collections::HashSet<String> = (0..1_000).map(|_| new_handle().unwrap()).collect();
        assert_eq!(handles.len(), 1_000);
        assert!(handles.iter().all(|handle| handle.len() == 30 && handle.starts_with("res_")));
    }

    #[test]
    fn bytes_number_and_time_are_bounded_and_the_oldest_go_first() {
        let now = Instant::now();
        let mut by_bytes = store(1_000, 10);
        for handle in ["a", "b", "c"] {
            assert!(by_bytes.hold(handle.into(), of("s"), text(400), now));
        }
        assert!(by_bytes.find("s", "a", now).is_err() && by_bytes.find("s", "c", now).is_ok());
        assert_eq!((by_bytes.bytes, by_bytes.entries.len()), (800, 2));
        assert!(!by_bytes.hold("d".into(), of("s"), text(1_002), now));
        let mut by_count = store(1_000, 1);
        assert!(by_count.hold("a".into(), of("s"), text(2), now) && by_count.hold("b".into(), of("s"), text(2), now));
        assert_eq!((by_count.bytes, by_count.entries.len()), (2, 1));
        assert!(by_count.find("s", "b", now + Duration::from_secs(61)).is_err());
    }

    #[test]
    fn who_fills_the_store_puts_out_its_own_results_and_not_those_of_others() {
        let now = Instant::now();
        for (mut store, bytes) in [(store(1_000, 1_000), 100), (store(1_000_000, 10), 2)] {
            assert!(store.hold("quiet".into(), of("other"), text(bytes), now));
            for at in 0..50 {
                assert!(store.hold(format!("loud {at}"), of("loud"), text(bytes), now));
            }
            assert!(store.find("other", "quiet", now).is_ok());
            assert!(store.find("loud", "loud 49", now).is_ok() && store.find("loud", "loud 40", now).is_err());
            assert_eq!((store.bytes, store.entries.len()), (10 * bytes, 10));
        }
        let mut store = store(1_000, 10);
        assert!(store.hold("a".into(), of("one"), text(500), now) && store.hold("b".into(), of("two"), text(600), now));
        assert!(store.find("two", "b", now).is_ok(), "what was held last is there");
    }

    #[test]
    fn a_client_that_is_called_as_a_session_is_has_no_part_of_it() {
        let (mut store, now) = (store(1_000, 10), Instant::now());
        assert!(store.hold("quiet".into(), of("other"), text(400), now));
        assert!(store.hold("loud".into(), Owner { session_id: "x", client: Some("other") }, text(500), now));
        assert!(store.hold("more".into(), Owner { session_id: "y", client: Some("other") }, text(400), now));
        assert!(store.find("other", "quiet", now).is_ok() && store.find("x", "loud", now).is_err());
    }

    #[test]
    fn a_long_result_is_on_disk_and_comes_back_as_it_was() {
        let (mut store, now) = (store(10_000, 10), Instant::now());
        let given = "é text ".repeat(200);
        assert!(store.hold("a".into(), of("s"), given.clone(), now));
        let held = store.find("s", "a", now).unwrap();
        assert!(matches!(held.body, Body::Disk(_)));
        assert_eq!(&*held.text().unwrap(), given);
        assert!(store.hold("b".into(), of("s"), text(90), now));
        assert!(!matches!(store.find("s", "b", now).unwrap().body, Body::Disk(_)));
    }
}
