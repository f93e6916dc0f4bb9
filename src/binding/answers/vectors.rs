//! What a store of vectors is asked for, and what it is given.

use napi::bindgen_prelude::Float32Array;
use napi_derive::napi;

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
