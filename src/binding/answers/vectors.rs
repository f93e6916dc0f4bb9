//! Vectors of texts.

use napi::bindgen_prelude::Float32Array;
use napi_derive::napi;

use crate as core;

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
