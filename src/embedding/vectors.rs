//! The vectors of one model: of tools by hash of their text, and of the last queries.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::RwLock;

use super::cache::{VectorCache, key};
use super::shipped::Shipped;

/// A unit vector.
pub type Vector = Arc<[f32]>;

/// The vectors of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryVectors {
    /// Of the whole query.
    pub whole: Vector,
    /// Of its clauses, in order; empty when the embedder gives one vector a text.
    pub clauses: Vec<Vector>,
}

impl QueryVectors {
    /// Takes the whole query's vector, then those of its clauses.
    pub(super) fn new(vectors: Vec<Vec<f32>>) -> Option<Self> {
        let mut vectors = vectors.into_iter().map(Vector::from);
        Some(Self { whole: vectors.next()?, clauses: vectors.collect() })
    }
}

/// Queries whose vectors are kept: a session ranks the same message more than once.
const KEPT_QUERIES: usize = 256;
/// Vectors that are kept without asking whether a tool still wants them: three times the largest catalogue measured.
const KEPT_VECTORS: usize = 50_000;

/// All vectors of one model.
#[derive(Debug)]
pub struct ModelVectors {
    /// The model's id.
    pub model_id: String,
    /// Numbers in a vector.
    pub dimensions: usize,
    documents: RwLock<HashMap<[u8; 32], Vector>>,
    /// How many vectors of tools were ever put in.
    revision: AtomicUsize,
    /// From how many vectors on the unwanted ones are dropped.
    most: AtomicUsize,
    queries: RwLock<(HashMap<String, QueryVectors>, VecDeque<String>)>,
    cache: Option<VectorCache>,
    shipped: Option<Shipped>,
    /// How many of those that came with the model were taken.
    adopted: AtomicUsize,
}

/// The length of vectors that were made here, where others came with the model. Those are made from how people ask for a tool, so requests
/// are nearer to them: to the right tool by a cosine of 0.45 instead of 0.41 on average, over 153 tasks. At one length, tools of servers
/// that nobody wrote for would stand behind known ones that fit no better (research/notes/strangers.md has what others give).
const PLAIN_LENGTH: f32 = 1.12;

/// What became of the vectors that came with a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShippedStatus {
    /// How many there are.
    pub count: usize,
    /// How many were wanted.
    pub used: usize,
    /// Why none is used.
    pub refused: Option<String>,
}

impl ModelVectors {
    /// Starts with no vectors but those in the cache folder, if one is given.
    pub fn new(model_id: &str, dimensions: usize, cache_folder: Option<&Path>) -> Self {
        Self {
            model_id: model_id.to_owned(),
            dimensions,
            documents: RwLock::default(),
            revision: AtomicUsize::new(0),
            most: AtomicUsize::new(KEPT_VECTORS),
            queries: RwLock::default(),
            cache: cache_folder.map(|folder| VectorCache::new(folder, model_id, dimensions)),
            shipped: None,
            adopted: AtomicUsize::new(0),
        }
    }

    /// With the vectors that came with the model.
    #[must_use]
    pub fn with_shipped(self, shipped: Option<Shipped>) -> Self {
        Self { shipped, ..self }
    }

    /// What became of the vectors that came with the model; `None` where none came.
    pub fn shipped_status(&self) -> Option<ShippedStatus> {
        let used = self.adopted.load(Ordering::Relaxed);
        self.shipped.as_ref().map(|shipped| match shipped {
            Ok(vectors) => ShippedStatus { count: vectors.count(), used, refused: None },
            Err(reason) => ShippedStatus { count: 0, used: 0, refused: Some(reason.clone()) },
        })
    }

    /// The vector of a tool's text, if it is there.
    pub fn document(&self, text_hash: &[u8; 32]) -> Option<Vector> {
        self.documents.read().get(text_hash).cloned()
    }

    /// Whether the vector of a tool's text is there.
    pub fn has(&self, text_hash: &[u8; 32]) -> bool {
        self.documents.read().contains_key(text_hash)
    }

    /// Whether the vector is there, after a look at those that came with the model. Costs microseconds.
    pub(super) fn adopt(&self, text_hash: &[u8; 32]) -> bool {
        if self.has(text_hash) {
            return true;
        }
        let Some(Ok(shipped)) = &self.shipped else { return false };
        let Some(mut vector) = shipped.get(&key(&self.model_id, text_hash)) else { return false };
        if !super::normalise(&mut vector) {
            return false;
        }
        self.insert(*text_hash, vector.into());
        self.adopted.fetch_add(1, Ordering::Relaxed);
        true
    }

    /// Whether the vector is there, after a look at those that came with the model and at the disk.
    pub(super) fn recall(&self, text_hash: &[u8; 32]) -> bool {
        if self.adopt(text_hash) {
            return true;
        }
        let Some(vector) = self.cache.as_ref().and_then(|cache| cache.read(text_hash)) else { return false };
        self.insert(*text_hash, self.beside_shipped(&vector));
        true
    }

    /// A vector that did not come with the model, as it stands beside those that did.
    fn beside_shipped(&self, vector: &[f32]) -> Vector {
        if matches!(self.shipped, Some(Ok(_))) {
            vector.iter().map(|number| number * PLAIN_LENGTH).collect::<Vec<f32>>().into()
        } else {
            vector.into()
        }
    }

    fn insert(&self, text_hash: [u8; 32], vector: Vector) {
        self.documents.write().insert(text_hash, vector);
        self.revision.fetch_add(1, Ordering::Release);
    }

    /// Grows with each vector of a tool: what was looked up at the same number is still all there is.
    pub fn revision(&self) -> usize {
        self.revision.load(Ordering::Acquire)
    }

    pub(super) fn keep(&self, text_hash: [u8; 32], vector: &[f32]) {
        // In memory first: whatever becomes of the disk, it was made.
        self.insert(text_hash, self.beside_shipped(vector));
        if let Some(cache) = &self.cache {
            cache.write(&text_hash, vector);
        }
    }

    /// Whether it is time for [`ModelVectors::retain`], in memory or on disk.
    pub(super) fn is_full(&self) -> bool {
        self.documents.read().len() >= self.most.load(Ordering::Relaxed) || self.cache.as_ref().is_some_and(VectorCache::is_full)
    }

    /// Drops the vectors that nothing wants. Wanted ones stay, whatever their number; the next time is when there are
    /// twice as many, so that dropping costs little a vector.
    pub(super) fn retain(&self, wanted: &HashSet<[u8; 32]>) {
        if let Some(cache) = self.cache.as_ref().filter(|cache| cache.is_full()) {
            cache.retain(wanted);
        }
        let mut documents = self.documents.write();
        documents.retain(|hash, _| wanted.contains(hash));
        documents.shrink_to_fit();
        self.most.store(KEPT_VECTORS.max(2 * wanted.len()), Ordering::Relaxed);
    }

    /// The vectors of a query that was asked before.
    pub fn query(&self, text: &str) -> Option<QueryVectors> {
        self.queries.read().0.get(text).cloned()
    }

    pub(super) fn keep_query(&self, text: String, vectors: QueryVectors) {
        let mut queries = self.queries.write();
        let (by_text, order) = &mut *queries;
        if by_text.insert(text.clone(), vectors).is_none() {
            order.push_back(text);
        }
        if order.len() > KEPT_QUERIES
            && let Some(oldest) = order.pop_front()
        {
            by_text.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_queries_are_kept() {
        let vectors = ModelVectors::new("m", 1, None);
        for at in 0..=KEPT_QUERIES {
            vectors.keep_query(at.to_string(), QueryVectors::new(vec![vec![1.0]]).unwrap());
        }
        assert!(vectors.query("0").is_none());
        assert!(vectors.query("1").is_some());
    }

    #[test]
    fn wanted_vectors_are_kept_whatever_their_number() {
        let vectors = ModelVectors::new("m", 1, None);
        let hash = |at: usize| *blake3::hash(&at.to_le_bytes()).as_bytes();
        let all = KEPT_VECTORS + 10;
        for at in 0..all {
            vectors.keep(hash(at), &[1.0]);
        }
        assert!(vectors.is_full());
        vectors.retain(&(10..all + 5).map(hash).collect());
        assert!(!vectors.is_full());
        assert_eq!((0..all).filter(|at| vectors.has(&hash(*at))).count(), KEPT_VECTORS);
    }
}
