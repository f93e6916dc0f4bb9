//! Vectors on disk, one small file each, found by hash of model and text.
//!
//! A file is written under another name and renamed, so readers see all of it or nothing, and two
//! processes may share a folder. Each file carries the hash of its content: one that is damaged or
//! foreign is read as absent and written again. Failing to read or write costs time, never more.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const MAGIC: &[u8; 8] = b"toolvec1";
const CHECK_BYTES: usize = 16;

/// A folder of vectors of one model.
#[derive(Debug)]
pub struct VectorCache {
    folder: PathBuf,
    dimensions: usize,
}

static NEXT_TEMPORARY: AtomicU64 = AtomicU64::new(0);

impl VectorCache {
    /// Uses `folder` for the vectors of the model with this id. Creates nothing yet.
    #[must_use]
    pub fn new(folder: &Path, model_id: &str, dimensions: usize) -> Self {
        let model = blake3::hash(model_id.as_bytes()).to_hex();
        Self { folder: folder.join(&model[..16]), dimensions }
    }

    fn file(&self, text_hash: &[u8; 32]) -> PathBuf {
        let name = blake3::Hash::from_bytes(*text_hash).to_hex();
        self.folder.join(&name[..2]).join(&name[2..])
    }

    /// Reads a vector; `None` when it is absent or anything is wrong with it.
    #[must_use]
    pub fn read(&self, text_hash: &[u8; 32]) -> Option<Vec<f32>> {
        let bytes = fs::read(self.file(text_hash)).ok()?;
        let body = bytes.strip_prefix(MAGIC)?;
        if body.len() != CHECK_BYTES + self.dimensions * 4 {
            return None;
        }
        let (check, numbers) = body.split_at(CHECK_BYTES);
        if check != Self::check(text_hash, numbers) {
            return None;
        }
        let number = |bytes: &[u8]| bytes.try_into().map(f32::from_le_bytes).ok();
        numbers.chunks_exact(4).map(number).collect()
    }

    /// Writes a vector. Says nothing when it cannot: the next process works it out again.
    pub fn write(&self, text_hash: &[u8; 32], vector: &[f32]) {
        let numbers: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
        let file = self.file(text_hash);
        let Some(folder) = file.parent() else { return };
        let number = NEXT_TEMPORARY.fetch_add(1, Ordering::Relaxed);
        let temporary = folder.join(format!(".{}-{number}", std::process::id()));
        let bytes = [MAGIC.as_slice(), &Self::check(text_hash, &numbers), &numbers].concat();
        let written =
            fs::create_dir_all(folder).and_then(|()| fs::write(&temporary, bytes)).and_then(|()| fs::rename(&temporary, &file));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
    }

    /// The text's hash is part of the check: a file under another file's name is foreign.
    fn check(text_hash: &[u8; 32], numbers: &[u8]) -> Vec<u8> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(text_hash).update(numbers);
        hasher.finalize().as_bytes()[..CHECK_BYTES].to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("tool-router-cache-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    const HASH: [u8; 32] = [7; 32];

    #[test]
    fn a_vector_comes_back_bit_by_bit() {
        let folder = folder("round");
        let cache = VectorCache::new(&folder, "m", 2);
        assert_eq!(cache.read(&HASH), None);
        cache.write(&HASH, &[0.1, -0.2]);
        assert_eq!(cache.read(&HASH), Some(vec![0.1, -0.2]));
        assert_eq!(VectorCache::new(&folder, "other", 2).read(&HASH), None);
        assert_eq!(VectorCache::new(&folder, "m", 3).read(&HASH), None);
    }

    #[test]
    fn a_damaged_or_foreign_file_is_read_as_absent_and_written_again() {
        let folder = folder("damage");
        let cache = VectorCache::new(&folder, "m", 2);
        cache.write(&HASH, &[0.1, -0.2]);
        let whole = fs::read(cache.file(&HASH)).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(cache.file(&HASH), damaged).unwrap();
            assert_eq!(cache.read(&HASH), None, "byte {at}");
            fs::write(cache.file(&HASH), &whole[..at]).unwrap();
            assert_eq!(cache.read(&HASH), None, "cut at {at}");
        }
        fs::create_dir_all(cache.file(&[8; 32]).parent().unwrap()).unwrap();
        fs::write(cache.file(&[8; 32]), &whole).unwrap();
        assert_eq!(cache.read(&[8; 32]), None);
        cache.write(&HASH, &[0.1, -0.2]);
        assert_eq!(cache.read(&HASH), Some(vec![0.1, -0.2]));
    }

    #[test]
    fn a_folder_that_cannot_be_written_costs_nothing_but_time() {
        let file = folder("file");
        fs::write(&file, "a file where the folder should be").unwrap();
        let cache = VectorCache::new(&file, "m", 2);
        cache.write(&HASH, &[0.1, -0.2]);
        assert_eq!(cache.read(&HASH), None);
    }
}
