//! Vectors that come with a model: of the tools of well-known servers, so that a new machine need not make them.
//!
//! One file beside the model, read whole and checked before anything of it is used. Numbers are 8 bits; the largest of a
//! vector is 127. Keys are those of the cache (`cache::key`), cut to
//! 16 bytes: they depend on the encoder and on all that a vector is made from, so a changed description is not found.
//!
//! ```text
//! magic (8) | SHA-256 of the encoder's id (32) | numbers per vector (u32) | count (u32)
//! keys (16 each, ascending) | vectors (one byte per number, in the order of the keys) | SHA-256 of all before (32)
//! ```

use std::io::ErrorKind;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::cache::Key;
use crate::regular_file;

/// The file beside the model.
pub const FILE_NAME: &str = "vectors.bin";
/// The largest file that is read: ours has 2 MB.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

const MAGIC: &[u8; 8] = b"toolshp1";
const HASH_BYTES: usize = 32;
const NUMBER_BYTES: usize = 4;
const HEADER_BYTES: usize = MAGIC.len() + HASH_BYTES + 2 * NUMBER_BYTES;
const KEY_BYTES: usize = 16;

/// See the module.
#[derive(Debug)]
pub struct ShippedVectors {
    bytes: Vec<u8>,
    dimensions: usize,
    count: usize,
}

/// What became of the file beside a model: vectors, or why they are refused.
pub type Shipped = Result<ShippedVectors, String>;

impl ShippedVectors {
    /// Reads the file beside a model and checks it; `None` where there is none.
    pub fn open(folder: &Path, encoder_id: &str, dimensions: usize) -> Option<Shipped> {
        match regular_file::read(&folder.join(FILE_NAME), MAX_BYTES) {
            Ok(bytes) => Some(Self::checked(bytes, encoder_id, dimensions)),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => None,
            Err(error) => Some(Err(format!("{FILE_NAME}: {error}"))),
        }
    }

    fn checked(bytes: Vec<u8>, encoder_id: &str, dimensions: usize) -> Shipped {
        let refused = |expected: &str| Err(format!("{FILE_NAME}: expected {expected}; install the model package again"));
        let Some(rest) = bytes.strip_prefix(MAGIC) else { return refused("a file of vectors of this version") };
        let Some((encoder, rest)) = rest.split_first_chunk::<HASH_BYTES>() else { return refused("a whole header") };
        let Some((own_dimensions, rest)) = number(rest) else { return refused("a whole header") };
        let Some((count, _)) = number(rest) else { return refused("a whole header") };
        // Sizes before the hash: what is cut is told as such. No product overflows: both are below 2^32, on 64 bits.
        let length = count.checked_mul(KEY_BYTES + own_dimensions).and_then(|body| body.checked_add(HEADER_BYTES + HASH_BYTES));
        if length != Some(bytes.len()) {
            return refused(&format!("{} bytes, got {}", length.unwrap_or(usize::MAX), bytes.len()));
        }
        let (content, check) = bytes.split_at(bytes.len() - HASH_BYTES);
        if Sha256::digest(content).as_slice() != check {
            return refused("the content that its hash says");
        }
        if Sha256::digest(encoder_id).as_slice() != encoder || own_dimensions != dimensions {
            return refused(&format!("vectors of {encoder_id}, got those of another encoder"));
        }
        let shipped = Self { bytes, dimensions, count };
        if !(1..count).all(|at| shipped.key(at - 1) < shipped.key(at)) {
            return refused("keys in ascending order");
        }
        Ok(shipped)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The numbers of the vector of a key of the cache; of any length.
    pub fn get(&self, key: &Key) -> Option<Vec<f32>> {
        let wanted = &key[..KEY_BYTES];
        let (mut from, mut to) = (0, self.count);
        while from < to {
            let middle = from.midpoint(to);
            if self.key(middle) < wanted { from = middle + 1 } else { to = middle }
        }
        if from == self.count || self.key(from) != wanted {
            return None;
        }
        let start = HEADER_BYTES + self.count * KEY_BYTES + from * self.dimensions;
        Some(self.bytes[start..start + self.dimensions].iter().map(|byte| f32::from(byte.cast_signed())).collect())
    }

    fn key(&self, at: usize) -> &[u8] {
        let start = HEADER_BYTES + at * KEY_BYTES;
        &self.bytes[start..start + KEY_BYTES]
    }
}

fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<NUMBER_BYTES>()?;
    Some((usize::try_from(u32::from_le_bytes(*number)).ok()?, rest))
}

/// A file of vectors, as `research/make/shipped-vectors.mjs` writes it.
#[cfg(test)]
pub(super) fn file_of(encoder_id: &str, dimensions: usize, vectors: &[(Key, Vec<i8>)]) -> Vec<u8> {
    let mut sorted: Vec<&(Key, Vec<i8>)> = vectors.iter().collect();
    sorted.sort_unstable_by_key(|(key, _)| *key);
    let size = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    let mut bytes = [MAGIC.as_slice(), &Sha256::digest(encoder_id), &size(dimensions), &size(vectors.len())].concat();
    bytes.extend(sorted.iter().flat_map(|(key, _)| &key[..KEY_BYTES]));
    bytes.extend(sorted.iter().flat_map(|(_, vector)| vector).map(|number| number.cast_unsigned()));
    let check = Sha256::digest(&bytes);
    bytes.extend_from_slice(&check);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Vec<u8> {
        file_of("m", 2, &[([9; 32], vec![0, -127]), ([1; 32], vec![30, 40]), ([5; 32], vec![0, 0])])
    }

    #[test]
    fn a_vector_is_found_by_its_key() {
        let shipped = ShippedVectors::checked(example(), "m", 2).unwrap();
        assert_eq!(shipped.count(), 3);
        assert_eq!(shipped.get(&[1; 32]).unwrap(), [30.0, 40.0]);
        assert_eq!(shipped.get(&[9; 32]).unwrap(), [0.0, -127.0]);
        for absent in [[0; 32], [2; 32], [255; 32]] {
            assert!(shipped.get(&absent).is_none(), "{absent:?}");
        }
        assert!(ShippedVectors::checked(file_of("m", 2, &[]), "m", 2).unwrap().get(&[1; 32]).is_none());
    }

    #[test]
    fn another_encoder_and_every_cut_and_flipped_byte_is_refused() {
        let good = example();
        let refused =
            |bytes: &[u8], id: &str, dimensions: usize| ShippedVectors::checked(bytes.to_vec(), id, dimensions).unwrap_err();
        assert!(refused(&good, "n", 2).contains("another encoder") && refused(&good, "m", 3).contains("another encoder"));
        for at in 0..good.len() {
            refused(&good[..at], "m", 2);
            let mut flipped = good.clone();
            flipped[at] ^= 1;
            refused(&flipped, "m", 2);
        }
        refused(&[good.as_slice(), b"x"].concat(), "m", 2);
        let twice = file_of("m", 2, &[([1; 32], vec![1, 1]), ([1; 32], vec![2, 2])]);
        assert!(refused(&twice, "m", 2).contains("ascending"));
    }

    #[test]
    fn a_folder_without_the_file_has_none_and_what_is_no_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(ShippedVectors::open(folder.path(), "m", 2).is_none());
        std::fs::create_dir(folder.path().join(FILE_NAME)).unwrap();
        assert!(ShippedVectors::open(folder.path(), "m", 2).unwrap().is_err());
        std::fs::remove_dir(folder.path().join(FILE_NAME)).unwrap();
        std::fs::write(folder.path().join(FILE_NAME), example()).unwrap();
        assert_eq!(ShippedVectors::open(folder.path(), "m", 2).unwrap().unwrap().count(), 3);
    }
}
