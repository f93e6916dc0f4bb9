//! Vectors that several machines share: what one of them has embedded the others read.

use std::sync::Arc;

use super::cache::{Key, key};
use super::queue::WantedText;
use super::vectors::ModelVectors;
use super::{Interrupter, checked_vector};

/// A vector that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredKey {
    /// As in the file of vectors.
    pub key: Key,
    /// Whose text it is made from.
    pub server: Arc<str>,
}

/// Keeps vectors outside of the process. Called on the embedding thread alone. What it lacks or fails at is embedded here.
pub trait VectorStore: Send {
    /// One answer for each key, in order; fewer where it fails.
    fn read(&mut self, asked: &[StoredKey]) -> Vec<Option<Vec<f32>>>;

    /// Takes vectors that were made here.
    fn write(&mut self, made: Vec<(StoredKey, Vec<f32>)>);

    /// Ends a call that is going on, from another thread.
    fn interrupter(&self) -> Option<Interrupter> {
        None
    }
}

fn key_of(vectors: &ModelVectors, wanted: &WantedText) -> StoredKey {
    StoredKey { key: key(&vectors.model_id, &wanted.hash), server: Arc::clone(&wanted.server) }
}

/// Takes what the store has; the rest stays in `missing`. A vector that is damaged or of another length is absent.
pub(super) fn recall(store: &mut dyn VectorStore, vectors: &ModelVectors, missing: &mut Vec<WantedText>) {
    let keys: Vec<StoredKey> = missing.iter().map(|wanted| key_of(vectors, wanted)).collect();
    let mut found = store.read(&keys).into_iter();
    missing.retain(|wanted| {
        let Some(vector) = found.next().flatten().and_then(|vector| checked_vector(vector, vectors.dimensions)) else {
            return true;
        };
        vectors.keep(wanted.hash, &vector);
        false
    });
}

/// Hands on what was made.
pub(super) fn hand_on(store: &mut dyn VectorStore, vectors: &ModelVectors, made: Vec<(&WantedText, Vec<f32>)>) {
    store.write(made.into_iter().map(|(wanted, vector)| (key_of(vectors, wanted), vector)).collect());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(text: &str) -> WantedText {
        WantedText { hash: *blake3::hash(text.as_bytes()).as_bytes(), text: text.into(), name_bytes: 0, server: "s".into() }
    }

    struct Answers(Vec<Option<Vec<f32>>>);

    impl VectorStore for Answers {
        fn read(&mut self, _: &[StoredKey]) -> Vec<Option<Vec<f32>>> {
            self.0.clone()
        }
        fn write(&mut self, _: Vec<(StoredKey, Vec<f32>)>) {}
    }

    #[test]
    fn what_is_damaged_or_missing_stays_wanted() {
        let vectors = ModelVectors::new("m", 2, None);
        let mut missing: Vec<WantedText> = ["a", "b", "c", "d", "e"].map(wanted).into();
        let found = vec![Some(vec![3.0, 4.0]), None, Some(vec![1.0]), Some(vec![f32::NAN, 1.0])];
        recall(&mut Answers(found), &vectors, &mut missing);
        assert_eq!(missing.iter().map(|wanted| &*wanted.text).collect::<Vec<_>>(), ["b", "c", "d", "e"]);
        assert_eq!(vectors.document(&wanted("a").hash).as_deref(), Some([0.6, 0.8].as_slice()));
    }
}
