//! A stand-in for a model: each term adds to one of a few numbers. No meaning, no files, always
//! the same answer; for tests and examples.

use super::{Batch, Embedder};
use crate::error::Result;
use crate::text::terms::terms;

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct HashedEmbedder;

const DIMENSIONS: usize = 64;

impl Embedder for HashedEmbedder {
    fn id(&self) -> &'static str {
        "hashed-64"
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn batch(&self) -> Batch {
        Batch { texts: 16, bytes: None }
    }

    fn cacheable(&self) -> bool {
        false
    }

    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let vector = |text: &&str| {
            // One constant part, so that a text without terms has a vector too.
            let mut vector = vec![0.01; DIMENSIONS];
            for term in terms(text) {
                vector[usize::from(blake3::hash(term.as_bytes()).as_bytes()[0]) % DIMENSIONS] += 1.0;
            }
            vector
        };
        Ok(texts.iter().map(vector).collect())
    }
}
