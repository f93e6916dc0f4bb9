//! The state of the router.

use napi_derive::napi;

use super::ranking::Degraded;
use crate as core;

/// The active embedder.
#[napi(object, object_from_js = false)]
pub struct EmbedderInfo {
    /// Names the model and its version. Vectors of different ids are never compared.
    pub model_id: String,
    /// Numbers in a vector.
    pub dimensions: u32,
}

/// Vectors that came with the model: of tools of well-known servers, which need not be computed.
#[napi(object, object_from_js = false)]
pub struct ShippedVectors {
    /// How many there are.
    pub count: u32,
    /// How many were used since the model was loaded.
    pub used: u32,
    /// Why none is used: the file is damaged, or was made for another model. All vectors are computed then.
    pub refused: Option<String>,
}

/// The state of the router, for an indicator.
#[napi(object, object_from_js = false)]
pub struct Status {
    /// `cold`: no model was asked for. `loading`: it loads, or vectors are missing. `degraded`: see `lastError`.
    #[napi(ts_type = "'cold' | 'loading' | 'ready' | 'degraded'")]
    pub state: String,
    /// What a ranking with `ranker: 'hybrid'` would use now.
    #[napi(ts_type = "Ranker")]
    pub ranker: String,
    /// Why that is not `hybrid`, or not by all vectors.
    pub degraded: Option<Degraded>,
    /// The active embedder.
    pub embedder: Option<EmbedderInfo>,
    /// The vectors that came with the model, if any did.
    pub shipped_vectors: Option<ShippedVectors>,
    /// The last failure of the embedder, until it succeeds again; or of a call that this thread made to set one.
    pub last_error: Option<String>,
    /// Active servers.
    pub server_count: u32,
    /// Their tools, including those that are off.
    pub tool_count: u32,
    /// How many of the tools have vectors.
    pub vector_count: u32,
    /// Open sessions.
    pub session_count: u32,
    /// Increases with each change of the catalogue.
    pub generation: f64,
}

answers! {
    core::embedding::service::EmbedderInfo => EmbedderInfo { model_id, dimensions };
    core::embedding::vectors::ShippedStatus => ShippedVectors { count, used, refused };
    core::router::Status => Status {
        state, ranker, degraded, embedder, shipped_vectors, last_error, server_count, tool_count, vector_count, session_count, generation
    };
}
