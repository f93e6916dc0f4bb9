//! Lists of the documents that hold a term.
//!
//! A segment never changes. A generation of documents is a large segment that it shares with the generations before it,
//! where some documents are gone, and a small one of what was added since.

use std::collections::HashMap;
use std::sync::Arc;

use crate::document::counts::{TermCounts, TermKey};
use crate::document::lookup::Seeded;

/// The position of a document that is gone.
const GONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Posting {
    document: u32,
    all: u16,
    head: u16,
}

#[derive(Debug, Default)]
struct Segment {
    /// Where the postings of a term begin and end.
    ranges: HashMap<TermKey, (u32, u32), Seeded>,
    postings: Box<[Posting]>,
    /// Terms of each document: all, and of names and title.
    lengths: Box<[(u32, u32)]>,
}

impl Segment {
    fn build<'a>(documents: impl Iterator<Item = &'a TermCounts> + Clone) -> Self {
        let mut ranges: HashMap<TermKey, (u32, u32), Seeded> = HashMap::default();
        let mut total = 0_usize;
        for count in documents.clone().flat_map(|document| &document.terms) {
            ranges.entry(count.key).or_default().1 += 1;
            total += 1;
        }
        let mut next = 0;
        for range in ranges.values_mut() {
            let length = range.1;
            *range = (next, next);
            next += length;
        }
        let mut postings = vec![Posting { document: 0, all: 0, head: 0 }; total];
        for (document, counts) in documents.clone().enumerate() {
            let document = u32::try_from(document).unwrap_or(GONE);
            for count in &counts.terms {
                if let Some(range) = ranges.get_mut(&count.key) {
                    postings[range.1 as usize] = Posting { document, all: count.all, head: count.head };
                    range.1 += 1;
                }
            }
        }
        let lengths = documents.map(|document| (document.all_length, document.head_length)).collect();
        Self { ranges, postings: postings.into(), lengths }
    }

    fn of(&self, key: TermKey) -> &[Posting] {
        self.ranges.get(&key).map_or(&[], |(start, end)| &self.postings[*start as usize..*end as usize])
    }
}

#[derive(Debug, Clone)]
struct Part {
    segment: Arc<Segment>,
    /// The position of each of its documents.
    positions: Vec<u32>,
    /// What the length of each document does to its weights: of all fields, and of names and title.
    norms: Vec<(f32, f32)>,
    has_gone: bool,
}

/// A term in a document of a generation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub position: u32,
    pub all: u16,
    pub head: u16,
    pub norms: (f32, f32),
}

#[derive(Debug, Default)]
pub(super) struct Postings {
    parts: Vec<Part>,
    /// How many positions there are: of documents, and of what is out of scope.
    positions: usize,
    documents: usize,
    /// The mean length of documents: of all fields, and of names and title.
    means: (f32, f32),
}

impl Postings {
    /// Indexes documents by position; a position without one is out of scope.
    pub fn build<'a>(documents: impl Iterator<Item = Option<&'a TermCounts>> + Clone) -> Self {
        let held: Vec<u32> = (0..).zip(documents.clone()).filter_map(|(at, document)| document.map(|_| at)).collect();
        let (positions, count) = (documents.clone().count(), held.len());
        let part = Part::new(Segment::build(documents.flatten()), held);
        Self { parts: vec![part], positions, documents: count, means: (0.0, 0.0) }
    }

    /// The next generation: `moved` says where each document was, `is_held` whether there is one at a position, and
    /// `document` gives it. `None` when so much has changed that building all of it again costs no more.
    pub fn next<'a>(
        &self,
        moved: &[Option<u32>],
        is_held: impl Fn(usize) -> bool,
        document: impl Fn(usize) -> &'a TermCounts,
    ) -> Option<Self> {
        let [base, ..] = self.parts.as_slice() else { return None };
        // Where each document of the previous generation is now.
        let mut now = vec![GONE; self.positions];
        for (position, before) in moved.iter().enumerate().filter(|(position, _)| is_held(*position)) {
            if let Some(before) = before {
                now[*before as usize] = u32::try_from(position).ok()?;
            }
        }
        let mut positions = base.positions.clone();
        let mut held = vec![false; moved.len()];
        let mut gone = 0;
        for position in &mut positions {
            if *position != GONE {
                *position = now[*position as usize];
            }
            match held.get_mut(*position as usize) {
                Some(held) => *held = true,
                None => gone += 1,
            }
        }
        let is_new = |at: &u32| !held[*at as usize] && is_held(*at as usize);
        let added: Vec<u32> = (0..u32::try_from(moved.len()).ok()?).filter(is_new).collect();
        if added.len() + gone > positions.len() / MOST_CHANGED + FEW_CHANGED {
            return None;
        }
        let documents = positions.len() - gone + added.len();
        let base = Part { segment: Arc::clone(&base.segment), positions, norms: Vec::new(), has_gone: gone > 0 };
        let small = Segment::build(added.iter().map(|at| document(*at as usize)));
        let parts = vec![base, Part::new(small, added)];
        Some(Self { parts, positions: moved.len(), documents, means: (0.0, 0.0) })
    }

    /// Sets what the lengths of documents do, from a function of length and mean length.
    pub fn weigh(&mut self, norm: impl Fn(u32, f32) -> f32) {
        let lengths = || self.parts.iter().flat_map(Part::lengths);
        let (all, head) = lengths().fold((0, 0), |(all, head), own| (all + u64::from(own.0), head + u64::from(own.1)));
        #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "the crate computes in f32")]
        let mean = |terms: u64| (terms as f64 / self.documents.max(1) as f64) as f32;
        let (all, head) = (mean(all), mean(head));
        self.means = (all, head);
        for part in &mut self.parts {
            part.norms = part.segment.lengths.iter().map(|own| (norm(own.0, all), norm(own.1, head))).collect();
        }
    }

    pub fn documents(&self) -> usize {
        self.documents
    }

    /// The mean length of documents: of all fields, and of names and title.
    pub fn means(&self) -> (f32, f32) {
        self.means
    }

    pub fn positions(&self) -> usize {
        self.positions
    }

    pub fn doc_freq(&self, key: TermKey) -> usize {
        self.parts.iter().map(|part| part.doc_freq(key)).sum()
    }

    /// Calls with each document that holds a term.
    pub fn each(&self, key: TermKey, mut found: impl FnMut(Found)) {
        for part in &self.parts {
            for posting in part.segment.of(key) {
                let position = part.positions[posting.document as usize];
                if position != GONE {
                    found(Found { position, all: posting.all, head: posting.head, norms: part.norms[posting.document as usize] });
                }
            }
        }
    }
}

/// The large segment is built again when a share of one in so many of its documents changed: until then, what is gone
/// and what was added cost a ranking little, and building again would cost more than it saves.
const MOST_CHANGED: usize = 8;
/// And not before so many changed.
const FEW_CHANGED: usize = 64;

impl Part {
    fn new(segment: Segment, positions: Vec<u32>) -> Self {
        Self { segment: Arc::new(segment), positions, norms: Vec::new(), has_gone: false }
    }

    fn lengths(&self) -> impl Iterator<Item = (u32, u32)> {
        let kept = self.positions.iter().zip(&self.segment.lengths).filter(|(position, _)| **position != GONE);
        kept.map(|(_, lengths)| *lengths)
    }

    fn doc_freq(&self, key: TermKey) -> usize {
        let postings = self.segment.of(key);
        if !self.has_gone {
            return postings.len();
        }
        postings.iter().filter(|posting| self.positions[posting.document as usize] != GONE).count()
    }
}
