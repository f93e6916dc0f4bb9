//! Vectors on disk: one bounded file for all models, found by hash of model and text.
//!
//! Records are appended, each in one write and with the hash of its content: a record that is cut, damaged or foreign is
//! read as absent, and made again. Two processes may share the file. When it is full, what no tool wants goes: the rest is
//! written to a new file that is renamed into its place, under a new generation, by which the other process sees that it
//! has to look again. Failing to read or write costs time, never more.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::regular_file;

const FILE_NAME: &str = "vectors-2.bin";
/// How large the file may be: 40,000 vectors of our model, twelve times the largest catalogue measured.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// A larger file is not ours, whatever it begins with.
const FOREIGN_BYTES: u64 = 1024 * 1024 * 1024;

/// How much is read in one go: several of the longest records.
const PART_BYTES: u64 = 16 * 1024 * 1024;

const MAGIC: &[u8; 8] = b"toolvec2";
const GENERATION_BYTES: usize = 8;
const HEADER_BYTES: usize = MAGIC.len() + GENERATION_BYTES;
/// Where a record begins: after damage, the next one is found by it.
const MARK: &[u8; 4] = b"vec:";
const LENGTH_BYTES: usize = 4;
const KEY_BYTES: usize = 32;
const CHECK_BYTES: usize = 16;
const BEFORE_NUMBERS: usize = MARK.len() + LENGTH_BYTES + KEY_BYTES;
/// No vector has more numbers.
const MAX_DIMENSIONS: usize = 1 << 20;

/// What a vector is found by: the hash of the model's id, and of what the vector is made from.
pub type Key = [u8; KEY_BYTES];

/// The key of a vector of the model with this id.
pub fn key(model_id: &str, text_hash: &[u8; 32]) -> Key {
    let model = blake3::hash(model_id.as_bytes());
    *blake3::Hasher::new().update(model.as_bytes()).update(text_hash).finalize().as_bytes()
}

/// The vectors of one model in the file of all.
#[derive(Debug)]
pub struct VectorCache {
    file: PathBuf,
    model_id: String,
    dimensions: usize,
    most_bytes: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    generation: [u8; GENERATION_BYTES],
    open: Option<File>,
    /// Where to read on.
    scanned: u64,
    /// Where the record of a key begins.
    places: HashMap<Key, u64>,
    /// From which size on it is written again.
    full: u64,
    /// A long part of it has no record.
    is_damaged: bool,
}

impl VectorCache {
    /// Uses the file in `folder` for the vectors of the model with this id. Creates nothing yet.
    pub fn new(folder: &Path, model_id: &str, dimensions: usize) -> Self {
        Self::bounded(folder, model_id, dimensions, MOST_BYTES)
    }

    fn bounded(folder: &Path, model_id: &str, dimensions: usize, most_bytes: u64) -> Self {
        let state = Mutex::new(State { full: most_bytes, ..State::default() });
        Self { file: folder.join(FILE_NAME), model_id: model_id.to_owned(), dimensions, most_bytes, state }
    }

    fn key(&self, text_hash: &[u8; 32]) -> Key {
        key(&self.model_id, text_hash)
    }

    /// Reads a vector; `None` when it is absent or anything is wrong with it.
    pub fn read(&self, text_hash: &[u8; 32]) -> Option<Vec<f32>> {
        let key = self.key(text_hash);
        let mut state = self.state.lock();
        if !state.places.contains_key(&key) {
            state.refresh(&self.file)?;
        }
        let place = *state.places.get(&key)?;
        let found =
            state.record(place, self.dimensions * 4).filter(|record| record[MARK.len() + LENGTH_BYTES..].starts_with(&key));
        let Some(record) = found else {
            state.places.remove(&key);
            return None;
        };
        let numbers = &record[BEFORE_NUMBERS..record.len() - CHECK_BYTES];
        let number = |bytes: &[u8]| bytes.try_into().map(f32::from_le_bytes).ok();
        numbers.chunks_exact(4).map(number).collect()
    }

    /// Writes a vector. Says nothing when it cannot: the next process works it out again.
    pub fn write(&self, text_hash: &[u8; 32], vector: &[f32]) {
        crate::fault::point("cache");
        let numbers: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
        let key = self.key(text_hash);
        let record = encode(&key, &numbers);
        let mut state = self.state.lock();
        if state.refresh(&self.file).is_none() {
            if !may_begin(&self.file) {
                return;
            }
            let _ = regular_file::replace(&self.file, &[new_header().as_slice(), &record].concat());
        } else if !state.places.contains_key(&key)
            && let Ok(mut file) = regular_file::open_to_append(&self.file)
        {
            let _ = file.write_all(&record); // one call: records of two processes do not mix
        }
    }

    /// Whether it is time for [`VectorCache::retain`].
    pub fn is_full(&self) -> bool {
        let state = self.state.lock();
        state.scanned > state.full
    }

    /// Writes the file again: the vectors of this model that are wanted, and of the others the latest ones, as many as
    /// half of the bound takes.
    pub fn retain(&self, wanted: &HashSet<[u8; 32]>) {
        let wanted: HashSet<Key> = wanted.iter().map(|hash| self.key(hash)).collect();
        let mut state = self.state.lock();
        // Of a damaged file that is large, nothing is worth reading.
        let most = if state.is_damaged { PART_BYTES } else { FOREIGN_BYTES };
        let bytes = regular_file::read(&self.file, most).unwrap_or_default();
        let mut records: Vec<(Key, &[u8])> = Vec::new();
        let mut seen = HashSet::new();
        scan(&bytes, HEADER_BYTES.min(bytes.len()), |key, range| records.push((key, &bytes[range])));
        records.retain(|(key, _)| seen.insert(*key));
        let mut room = usize::try_from(self.most_bytes / 2).unwrap_or(usize::MAX);
        let kept: HashSet<Key> = records
            .iter()
            .rev()
            .filter(|(key, record)| {
                let fits = record.len() <= room;
                let keeps = wanted.contains(key) || fits;
                room = room.saturating_sub(if keeps { record.len() } else { 0 });
                keeps
            })
            .map(|(key, _)| *key)
            .collect();
        let mut compact = new_header();
        for (_, record) in records.iter().filter(|(key, _)| kept.contains(key)) {
            compact.extend_from_slice(record);
        }
        // Where the wanted ones alone need more than the bound, they have it.
        let wanted_bytes: usize = records.iter().filter(|(key, _)| wanted.contains(key)).map(|(_, record)| record.len()).sum();
        state.full = self.most_bytes.max(2 * wanted_bytes as u64);
        state.open = None; // some systems do not replace a file that is open
        if regular_file::replace(&self.file, &compact).is_ok() {
            let _ = state.refresh(&self.file);
        } else {
            state.full = u64::MAX; // a folder that cannot be written: trying again at each vector helps nobody
        }
    }
}

impl State {
    /// Reads what was appended since, or all of a file that is another one now. `None` when there is no such file.
    fn refresh(&mut self, file: &Path) -> Option<()> {
        let mut opened = regular_file::open(file).ok()?;
        let size = opened.metadata().ok()?.len();
        let mut header = [0; HEADER_BYTES];
        opened.read_exact(&mut header).ok()?;
        let generation = header.strip_prefix(MAGIC)?;
        if size > FOREIGN_BYTES {
            return None;
        }
        if generation != self.generation || size < self.scanned || self.open.is_none() {
            self.is_damaged = false;
            self.places.clear();
            self.scanned = HEADER_BYTES as u64;
            self.generation.copy_from_slice(generation);
        }
        if size > self.scanned {
            self.read_on(&mut opened, size)?;
        }
        self.open = Some(opened);
        Some(())
    }

    /// Reads the records up to the end of the file, a part at a time.
    fn read_on(&mut self, file: &mut File, size: u64) -> Option<()> {
        let mut bytes = Vec::new();
        while self.scanned < size {
            let start = self.scanned;
            file.seek(SeekFrom::Start(start)).ok()?;
            bytes.clear();
            file.take(PART_BYTES).read_to_end(&mut bytes).ok()?;
            let mut end = 0;
            scan(&bytes, 0, |key, range| {
                end = range.end;
                self.places.insert(key, start + range.start as u64);
            });
            if end == 0 {
                // What follows the last whole record may still be on its way. A whole part without one is damage, and
                // nobody looks for what is behind it.
                self.is_damaged |= bytes.len() as u64 == PART_BYTES;
                self.scanned = if self.is_damaged { size } else { start };
                return Some(());
            }
            self.scanned = start + end as u64;
        }
        Some(())
    }

    /// A whole record with so many bytes of numbers, checked.
    fn record(&mut self, place: u64, number_bytes: usize) -> Option<Vec<u8>> {
        let file = self.open.as_mut()?;
        let mut bytes = vec![0; BEFORE_NUMBERS + number_bytes + CHECK_BYTES];
        file.seek(SeekFrom::Start(place)).ok()?;
        file.read_exact(&mut bytes).ok()?;
        let (_, length) = decode(&bytes)?;
        (length == bytes.len()).then_some(bytes)
    }
}

/// Whether the file may be written again: it is absent, or it is not a vector cache. One that cannot be opened just now is
/// left alone.
fn may_begin(file: &Path) -> bool {
    match regular_file::open(file) {
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
        Ok(mut file) => {
            let mut magic = [0; HEADER_BYTES];
            file.read_exact(&mut magic).is_err() || !magic.starts_with(MAGIC)
        }
    }
}

fn new_header() -> Vec<u8> {
    // Random, as the seeds of hash maps are.
    let generation = RandomState::new().build_hasher().finish();
    [MAGIC.as_slice(), &generation.to_le_bytes()].concat()
}

fn encode(key: &Key, numbers: &[u8]) -> Vec<u8> {
    let length = u32::try_from(numbers.len()).unwrap_or(u32::MAX).to_le_bytes();
    [MARK.as_slice(), &length, key, numbers, &check(key, numbers)].concat()
}

/// The key of the record at the start of some bytes, and how long it is; `None` when it is not whole.
fn decode(bytes: &[u8]) -> Option<(Key, usize)> {
    let rest = bytes.strip_prefix(MARK)?;
    let (length, rest) = rest.split_first_chunk::<LENGTH_BYTES>()?;
    let (key, rest) = rest.split_first_chunk::<KEY_BYTES>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok().filter(|length| *length <= MAX_DIMENSIONS * 4)?;
    let numbers = rest.get(..length)?;
    let found = rest.get(length..length + CHECK_BYTES)?;
    (found == check(key, numbers)).then_some((*key, BEFORE_NUMBERS + length + CHECK_BYTES))
}

/// All whole records from a place on, in order.
fn scan(bytes: &[u8], mut at: usize, mut each: impl FnMut(Key, std::ops::Range<usize>)) {
    while at < bytes.len() {
        if let Some((key, length)) = decode(&bytes[at..]) {
            each(key, at..at + length);
            at += length;
        } else {
            let next = bytes[at + 1..].windows(MARK.len()).position(|window| window == MARK);
            at = next.map_or(bytes.len(), |next| at + 1 + next);
        }
    }
}

/// The key is part of the check: numbers under another key are foreign.
fn check(key: &Key, numbers: &[u8]) -> [u8; CHECK_BYTES] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(key).update(numbers);
    let mut check = [0; CHECK_BYTES];
    hasher.finalize_xof().fill(&mut check);
    check
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
