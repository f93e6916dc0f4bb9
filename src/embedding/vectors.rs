//! The vectors of one model: of tools by hash of their text, and of the last queries.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::RwLock;

use super::cache::VectorCache;

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
    /// From how many vectors on the unwanted ones are dropped.
    most: AtomicUsize,
    queries: RwLock<(HashMap<String, QueryVectors>, VecDeque<String>)>,
    cache: Option<VectorCache>,
}

impl ModelVectors {
    /// Starts with no vectors but those in the cache folder, if one is given.
    #[must_use]
    pub fn new(model_id: &str, dimensions: usize, cache_folder: Option<&Path>) -> Self {
        Self {
            model_id: model_id.to_owned(),
            dimensions,
            documents: RwLock::default(),
            most: AtomicUsize::new(KEPT_VECTORS),
            queries: RwLock::default(),
            cache: cache_folder.map(|folder| VectorCache::new(folder, model_id, dimensions)),
        }
    }

    /// The vector of a tool's text, if it is there.
    #[must_use]
    pub fn document(&self, text_hash: &[u8; 32]) -> Option<Vector> {
        self.documents.read().get(text_hash).cloned()
    }

    /// Whether the vector of a tool's text is there.
    #[must_use]
    pub fn has(&self, text_hash: &[u8; 32]) -> bool {
        self.documents.read().contains_key(text_hash)
    }

    /// The unit vector of a weighted sum, or `None` when one is missing or they cancel out.
    #[must_use]
    pub fn weighted<'a>(&self, texts: impl Iterator<Item = (&'a [u8; 32], f32)>) -> Option<Vector> {
        let documents = self.documents.read();
        let mut sum = vec![0.0; self.dimensions];
        for (hash, weight) in texts {
            for (total, number) in sum.iter_mut().zip(&**documents.get(hash)?) {
                *total += weight * number;
            }
        }
        super::normalise(&mut sum).then(|| sum.into())
    }

    /// Whether the vector is there, after a look at the disk.
    pub(super) fn recall(&self, text_hash: &[u8; 32]) -> bool {
        if self.documents.read().contains_key(text_hash) {
            return true;
        }
        let Some(vector) = self.cache.as_ref().and_then(|cache| cache.read(text_hash)) else { return false };
        self.documents.write().insert(*text_hash, vector.into());
        true
    }

    pub(super) fn keep(&self, text_hash: [u8; 32], vector: &[f32]) {
        // In memory first: whatever becomes of the disk, it was made.
        self.documents.write().insert(text_hash, vector.to_vec().into());
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
    #[must_use]
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

    #[test]
    fn a_sum_is_a_unit_vector_and_nothing_while_one_is_missing() {
        let vectors = ModelVectors::new("m", 2, None);
        vectors.keep([1; 32], &[1.0, 0.0]);
        vectors.keep([2; 32], &[0.0, 1.0]);
        let sum = vectors.weighted([(&[1; 32], 3.0), (&[2; 32], 4.0)].into_iter()).unwrap();
        assert_eq!(&*sum, [0.6, 0.8]);
        assert!(vectors.weighted([(&[1; 32], 1.0), (&[3; 32], 1.0)].into_iter()).is_none());
        assert!(vectors.has(&[1; 32]) && !vectors.has(&[3; 32]));
    }
}
