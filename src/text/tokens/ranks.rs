//! The tokens of `o200k_base`, and how many of them a piece of text becomes.
//!
//! `data/o200k_base.bin` holds them in the order of their ranks, each behind a byte of its length; `research/make/o200k.mjs`
//! writes it. At the first count a table of 3 MB is made of it, in 10 ms: where each token begins, and which token has
//! some bytes.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use once_cell::sync::Lazy;

static DATA: &[u8] = include_bytes!("../data/o200k_base.bin");

/// The least power of two that leaves half of the places free.
const PLACES: usize = 1 << 19;
/// Longer pieces are merged with a heap: below, looking through all pairs is faster.
const SHORT_PIECE: usize = 48;

pub(super) struct Ranks {
    /// Where each token's length stands in [`DATA`].
    offsets: Vec<u32>,
    /// Rank and 1, by hash; 0 for a free place.
    places: Vec<u32>,
    longest: usize,
}

/// Made at the first count.
pub(super) static RANKS: Lazy<Ranks> = Lazy::new(Ranks::new);

/// No rank: higher than all.
const NONE: u32 = u32::MAX;

fn hash(bytes: &[u8]) -> usize {
    // A product for each eight bytes: the table is fixed, so nobody can fill it against us.
    let mut hash = bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    // The high bits depend on all of the low ones.
    usize::try_from(hash >> 45).unwrap_or(0) & (PLACES - 1)
}

impl Ranks {
    fn new() -> Self {
        let mut ranks = Self { offsets: Vec::new(), places: vec![0; PLACES], longest: 0 };
        let mut at = 0;
        while at < DATA.len() {
            let token = &DATA[at + 1..=at + usize::from(DATA[at])];
            let mut place = hash(token);
            while ranks.places[place] != 0 {
                place = (place + 1) % PLACES;
            }
            ranks.offsets.push(u32::try_from(at).unwrap_or(0));
            ranks.places[place] = u32::try_from(ranks.offsets.len()).unwrap_or(0);
            ranks.longest = ranks.longest.max(token.len());
            at += 1 + token.len();
        }
        ranks
    }

    fn rank(&self, bytes: &[u8]) -> u32 {
        if bytes.len() > self.longest {
            return NONE;
        }
        let mut place = hash(bytes);
        loop {
            let found = self.places[place];
            if found == 0 {
                return NONE;
            }
            let at = self.offsets[found as usize - 1] as usize;
            if usize::from(DATA[at]) == bytes.len() && &DATA[at + 1..=at + bytes.len()] == bytes {
                return found - 1;
            }
            place = (place + 1) % PLACES;
        }
    }

    /// How many tokens a piece becomes: neighbours that are a token together are joined, the lowest rank first, until no
    /// two are.
    pub fn count(&self, piece: &[u8]) -> usize {
        if piece.len() == 1 || self.rank(piece) != NONE {
            1
        } else if piece.len() <= SHORT_PIECE {
            self.merge_short(piece)
        } else {
            self.merge_long(piece)
        }
    }

    fn merge_short(&self, piece: &[u8]) -> usize {
        thread_local! {
            static STARTS: RefCell<Vec<(usize, u32)>> = const { RefCell::new(Vec::new()) };
        }
        STARTS.with_borrow_mut(|parts| {
            // Where each part begins, and the rank of it and the next one together.
            parts.clear();
            parts.extend(
                (0..=piece.len())
                    .map(|start| (start, if start + 2 <= piece.len() { self.rank(&piece[start..start + 2]) } else { NONE })),
            );
            loop {
                let ranks = parts.iter().enumerate().map(|(at, (_, rank))| (*rank, at));
                let Some((_, at)) = ranks.min().filter(|(rank, _)| *rank != NONE) else { return parts.len() - 1 };
                parts.remove(at + 1);
                let joined = |parts: &[(usize, u32)], at: usize| {
                    parts.get(at + 2).map_or(NONE, |(end, _)| self.rank(&piece[parts[at].0..*end]))
                };
                parts[at].1 = joined(parts, at);
                if at > 0 {
                    parts[at - 1].1 = joined(parts, at - 1);
                }
            }
        })
    }

    fn merge_long(&self, piece: &[u8]) -> usize {
        // Where the part that begins here ends, and where the previous one begins; an end of 0 is no part any more.
        let length = u32::try_from(piece.len()).unwrap_or(u32::MAX);
        let mut ends: Vec<u32> = (1..=length).collect();
        let mut before: Vec<u32> = (0..length).map(|at| at.saturating_sub(1)).collect();
        let joined = |start: u32, end: u32| self.rank(&piece[start as usize..end as usize]);
        // A pair that was joined with something else meanwhile is known by its end.
        let mut pairs: BinaryHeap<Reverse<(u32, u32, u32)>> = (0..length.saturating_sub(1))
            .map(|start| (joined(start, start + 2), start, start + 2))
            .filter(|(rank, ..)| *rank != NONE)
            .map(Reverse)
            .collect();
        let mut count = piece.len();
        while let Some(Reverse((_, start, end))) = pairs.pop() {
            let middle = ends[start as usize];
            if middle == 0 || middle >= end || ends[middle as usize] != end {
                continue;
            }
            (ends[start as usize], ends[middle as usize]) = (end, 0);
            count -= 1;
            if end < length {
                before[end as usize] = start;
                let further = ends[end as usize];
                pairs.extend(
                    Some(joined(start, further)).filter(|rank| *rank != NONE).map(|rank| Reverse((rank, start, further))),
                );
            }
            if start > 0 {
                let previous = before[start as usize];
                pairs.extend(Some(joined(previous, end)).filter(|rank| *rank != NONE).map(|rank| Reverse((rank, previous, end))));
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_found_at_its_rank_and_is_one() {
        assert_eq!(RANKS.offsets.len(), 199_998);
        for (rank, at) in RANKS.offsets.iter().enumerate() {
            let at = *at as usize;
            assert_eq!(RANKS.rank(&DATA[at + 1..=at + usize::from(DATA[at])]) as usize, rank);
        }
        assert_eq!(RANKS.rank("no token has these many words in it".as_bytes()), NONE);
    }

    #[test]
    fn the_file_is_the_published_one() {
        let hash = blake3::hash(DATA).to_hex();
        assert_eq!(hash.as_str(), "6e2f1b97e5898e835e1c393ee26521a9f071533183a9c6869aa989e42a9c8624");
    }

    proptest::proptest! {
        #[test]
        fn both_ways_to_merge_give_one_count(piece in "[a-e]{2,60}|[ -~]{2,60}|\\PC{1,20}") {
            proptest::prop_assume!(piece.len() > 1);
            proptest::prop_assert_eq!(RANKS.merge_short(piece.as_bytes()), RANKS.merge_long(piece.as_bytes()));
        }
    }
}
