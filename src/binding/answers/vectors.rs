//! Vectors, and what a store of them is asked for and given.

use napi::bindgen_prelude::Float32Array;
use napi_derive::napi;

use crate as core;

/// Which vector of a tool or server it is, for a {@link VectorStore}.
#[napi(object, object_from_js = false)]
#[derive(Debug, Clone)]
pub struct VectorKey {
    /// Hash of the model's id and of all that the vector is made from: 64 hexadecimal digits.
    pub key: String,
    /// The server that it is about.
    pub server_name: String,
}

/// A vector that was computed in this process, for a {@link VectorStore}.
#[napi(object, object_from_js = false)]
pub struct ComputedVector {
    /// Hash of the model's id and of all that the vector is made from: 64 hexadecimal digits.
    pub key: String,
    /// The server that it is about.
    pub server_name: String,
    /// Its numbers; their squares sum up to 1.
    pub vector: Float32Array,
}

/// Vectors of texts, as {@link ToolRouter.embedTexts} answers them.
#[napi(object, object_from_js = false)]
pub struct TextVectors {
    /// Names the model and its version. Vectors of different ids are never compared.
    pub model_id: String,
    /// One for each text, in order; the squares of its numbers sum up to 1.
    pub vectors: Vec<Float32Array>,
}

impl From<core::embedding::service::TextVectors> for TextVectors {
    fn from(made: core::embedding::service::TextVectors) -> Self {
        Self { model_id: made.model_id, vectors: made.vectors.into_iter().map(Float32Array::new).collect() }
    }
}
