//! Text to vectors, in the background: ranking asks for what is there and never waits for a model
//! longer than its deadline.

pub mod cache;
pub mod hashed;
#[cfg(feature = "onnx")]
pub mod named;
#[cfg(feature = "onnx")]
pub mod onnx;
mod queue;
#[cfg(feature = "onnx")]
pub mod runtime_library;
pub mod service;
pub mod shipped;
mod thread;
pub mod vectors;

use std::ops::Range;

use crate::error::{Error, ErrorKind, Result};

/// See [`Embedder::interrupter`].
pub type Interrupter = std::sync::Arc<dyn Fn() + Send + Sync>;

/// How much an embedder takes in one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batch {
    /// Texts.
    pub texts: usize,
    /// Where texts of one call are padded to the longest: how many bytes they may have together, padding included. They
    /// are chosen by like length then, and otherwise in their order.
    pub bytes: Option<usize>,
}

/// Turns texts into vectors. Called on the embedding thread alone, one call at a time.
pub trait Embedder: Send {
    /// Names the model and its version: vectors of two ids are never compared.
    fn id(&self) -> &str;

    /// How many numbers a vector has.
    fn dimensions(&self) -> usize;

    /// What one call may hold. One text for a model whose vectors depend on their batch.
    fn batch(&self) -> Batch {
        Batch { texts: 1, bytes: None }
    }

    /// Whether vectors may be kept on disk under [`Embedder::id`].
    fn cacheable(&self) -> bool {
        true
    }

    /// Takes the vectors that came with the model, or why they are refused. Asked for once, before the first text.
    fn take_shipped(&mut self) -> Option<shipped::Shipped> {
        None
    }

    /// Ends a call that is going on, from another thread, because the embedder is being replaced.
    /// `None` for one whose calls are short.
    fn interrupter(&self) -> Option<Interrupter> {
        None
    }

    /// One vector a text, in order. Any length but zero: the caller makes them unit vectors.
    ///
    /// # Errors
    ///
    /// `ERR_EMBEDDING_FAILED` when the model refuses.
    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>>;

    /// The vector of a text, equal to what [`Embedder::embed`] gives, and then one for each of its
    /// parts, given as byte ranges, from the same run of the model. `None` for an embedder that
    /// gives one vector a text only: its parts are then ranked by their words.
    ///
    /// # Errors
    ///
    /// `ERR_EMBEDDING_FAILED` when the model refuses.
    fn embed_parts(&mut self, _text: &str, _parts: &[Range<usize>]) -> Result<Option<Vec<Vec<f32>>>> {
        Ok(None)
    }
}

/// Embeds and checks: as many vectors as texts, each of the right length, finite, not zero. The
/// result is unit vectors.
///
/// # Errors
///
/// `ERR_EMBEDDING_FAILED` naming what was expected and what was received.
pub fn embed_checked(embedder: &mut dyn Embedder, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
    let vectors = embedder.embed(texts)?;
    checked(vectors, texts.len(), embedder.dimensions())
}

/// Embeds a query with its parts and checks as [`embed_checked`] does: the query's vector, then one
/// per part, or none for parts when the embedder has none.
///
/// # Errors
///
/// `ERR_EMBEDDING_FAILED` naming what was expected and what was received.
pub fn embed_parts_checked(embedder: &mut dyn Embedder, text: &str, parts: &[Range<usize>]) -> Result<Vec<Vec<f32>>> {
    if !parts.is_empty()
        && let Some(vectors) = embedder.embed_parts(text, parts)?
    {
        return checked(vectors, parts.len() + 1, embedder.dimensions());
    }
    embed_checked(embedder, &[text])
}

/// What the vector of a name weighs beside that of the text that begins with it: a quarter is too little for names alone,
/// one drowns descriptions. `docs/inside/ranking.md` has the table.
const NAME_WEIGHT: f32 = 0.5;

/// Embeds a text that begins with a name of so many bytes, in one run: the unit vector of both vectors' weighted sum.
/// `None` for a text without a name, and for an embedder that gives one vector a text.
///
/// # Errors
///
/// `ERR_EMBEDDING_FAILED` naming what was expected and what was received.
pub fn embed_named_checked(embedder: &mut dyn Embedder, text: &str, name_bytes: usize) -> Result<Option<Vec<f32>>> {
    if name_bytes == 0 {
        return Ok(None);
    }
    let Some(vectors) = embedder.embed_parts(text, std::slice::from_ref(&(0..name_bytes)))? else { return Ok(None) };
    let mut vectors = checked(vectors, 2, embedder.dimensions())?;
    let name = vectors.pop().unwrap_or_default();
    let sum = vectors.pop().unwrap_or_default().iter().zip(name).map(|(whole, name)| whole + NAME_WEIGHT * name).collect();
    checked(vec![sum], 1, embedder.dimensions()).map(|mut vectors| vectors.pop())
}

fn checked(mut vectors: Vec<Vec<f32>>, count: usize, dimensions: usize) -> Result<Vec<Vec<f32>>> {
    let failed = |detail: String| Err(Error::from(ErrorKind::EmbeddingFailed { detail }));
    if vectors.len() != count {
        return failed(format!("expected {count} vectors, got {}", vectors.len()));
    }
    for (at, vector) in vectors.iter_mut().enumerate() {
        if vector.len() != dimensions {
            return failed(format!("vectors[{at}]: expected {dimensions} dimensions, got {}", vector.len()));
        }
        if let Some(place) = vector.iter().position(|number| !number.is_finite()) {
            return failed(format!("vectors[{at}][{place}]: expected a finite number, got {}", vector[place]));
        }
        if !normalise(vector) {
            return failed(format!("vectors[{at}]: expected a vector with a length, got only zeros"));
        }
    }
    Ok(vectors)
}

/// Makes a unit vector; `false` for a zero vector.
pub(crate) fn normalise(vector: &mut [f32]) -> bool {
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    if length < 1e-12 {
        return false;
    }
    #[expect(clippy::cast_possible_truncation, reason = "vectors are f32")]
    for number in vector.iter_mut() {
        *number = (f64::from(*number) / length) as f32;
    }
    true
}

/// Cosine of two unit vectors of equal length, from -1 to 1.
pub fn similarity(a: &[f32], b: &[f32]) -> f64 {
    debug_assert_eq!(a.len(), b.len());
    // Eight sums that do not wait for each other: four times faster than one, and always added in
    // the same order, so equal input gives equal bits.
    let mut sums = [0.0_f32; 8];
    let (chunks_a, chunks_b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = chunks_a.remainder().iter().zip(chunks_b.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in chunks_a.zip(chunks_b) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    f64::from(sums.iter().sum::<f32>() + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_equals_the_plain_sum_of_products() {
        let a: Vec<f32> = (0_u8..19).map(|at| f32::from(at) / 19.0).collect();
        let b: Vec<f32> = (0_u16..19).map(|at| f32::from(at * at % 7) / 7.0).collect();
        let plain: f64 = a.iter().zip(&b).map(|(x, y)| f64::from(x * y)).sum();
        assert!((similarity(&a, &b) - plain).abs() < 1e-5);
    }
}
