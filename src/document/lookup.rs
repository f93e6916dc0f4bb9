//! Positions by key, several per key: a table of hashes, so that a generation of thousands of tools copies no names.

use std::collections::HashMap;
use std::collections::hash_map::{DefaultHasher, RandomState};
use std::hash::{BuildHasher, Hasher};

const END: u32 = u32::MAX;

/// Hashes keys that are hashes already, with a seed of its own: who chooses texts cannot choose where they collide.
#[derive(Debug, Clone, Copy)]
pub struct Seeded(u64);

impl Default for Seeded {
    fn default() -> Self {
        Self(RandomState::new().build_hasher().finish())
    }
}

impl BuildHasher for Seeded {
    type Hasher = Mixed;

    fn build_hasher(&self) -> Mixed {
        Mixed(self.0)
    }
}

/// See [`Seeded`].
#[derive(Debug)]
pub struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "both halves of the product are used")]
    fn write_u64(&mut self, key: u64) {
        // A product of 128 bits, folded: each bit of the key reaches all of the result. The factor is an odd number
        // whose bits follow no pattern: 2^64 divided by the golden ratio.
        let product = u128::from(key ^ self.0) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Positions by the hashes of their keys. Who looks up checks what is found: two keys may have one hash.
#[derive(Debug, Default)]
pub struct Lookup {
    first: HashMap<u64, u32, Seeded>,
    /// The next entry with the same hash.
    next: Vec<(u32, u32)>,
}

impl Lookup {
    /// Takes hashes with their positions.
    pub fn new(entries: impl DoubleEndedIterator<Item = (u64, usize)> + ExactSizeIterator) -> Self {
        let mut lookup = Self { first: HashMap::with_capacity_and_hasher(entries.len(), Seeded::default()), next: Vec::new() };
        lookup.next.reserve_exact(entries.len());
        // From the end, so that each list begins with the smallest position.
        for (hash, position) in entries.rev() {
            let entry = u32::try_from(lookup.next.len()).unwrap_or(END);
            let following = lookup.first.insert(hash, entry).unwrap_or(END);
            lookup.next.push((u32::try_from(position).unwrap_or(END), following));
        }
        lookup
    }

    /// The positions that a key with this hash may have, smallest first.
    pub fn get(&self, hash: u64) -> impl Iterator<Item = usize> {
        let mut entry = self.first.get(&hash).copied().unwrap_or(END);
        std::iter::from_fn(move || {
            let (position, following) = *self.next.get(entry as usize)?;
            entry = following;
            Some(position as usize)
        })
    }
}

/// The hash of a key that is made of parts, as if they were one text.
pub fn key_hash(parts: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for part in parts {
        hasher.write(part.as_bytes());
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_positions_of_a_key_are_found_in_order() {
        let lookup = Lookup::new([(7, 0), (8, 1), (7, 2), (7, 5)].into_iter());
        assert_eq!(lookup.get(7).collect::<Vec<_>>(), [0, 2, 5]);
        assert_eq!(lookup.get(8).collect::<Vec<_>>(), [1]);
        assert_eq!(lookup.get(9).count(), 0);
    }

    #[test]
    fn a_key_has_one_hash_however_it_is_cut() {
        assert_eq!(key_hash(&["git", "hub"]), key_hash(&["github"]));
        assert_ne!(key_hash(&["git"]), key_hash(&["hub"]));
    }
}
