//! The state of a router, for an indicator.

use super::facade::ToolRouter;
use crate::degraded::Degraded;
use crate::embedding::service::EmbedderInfo;
use crate::embedding::vectors::ShippedStatus;
use crate::ranking::semantic::FEWEST_VECTORS;
use crate::settings::Ranker;

/// The state of a router, for an indicator.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// Where the model stands.
    pub state: ModelState,
    /// What a ranking in mode `auto` would use now.
    pub ranker: Ranker,
    /// Why not hybrid, by all vectors.
    pub degraded: Option<Degraded>,
    /// The active embedder.
    pub embedder: Option<EmbedderInfo>,
    /// What became of the vectors that came with the model, if some did.
    pub shipped_vectors: Option<ShippedStatus>,
    /// What the embedder last failed with.
    pub last_error: Option<String>,
    /// Active servers.
    pub server_count: usize,
    /// Their tools, those that are off included.
    pub tool_count: usize,
    /// How many of the tools have vectors.
    pub vector_count: usize,
    /// Open sessions.
    pub session_count: usize,
    /// Counts up with each change of the catalogue.
    pub generation: u64,
}

named! {
    /// Where the model stands.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ModelState {
        /// None was asked for.
        Cold = "cold",
        /// It is being loaded, or vectors are being made.
        Loading = "loading",
        /// All vectors exist.
        Ready = "ready",
        /// It fails.
        Degraded = "degraded",
    }
}

impl ToolRouter {
    /// The state for an indicator. Never waits for a ranking.
    pub fn status(&self) -> Status {
        let index = self.index();
        let vectors = self.embedding.vectors();
        let vector_count = vectors.as_ref().map_or(0, |vectors| index.vector_count(vectors));
        let count = index.tools.len();
        let known = self.tool_vectors(&index).map(|vectors| count - vectors.missing());
        let degraded = known.map_or_else(Some, |known| self.missing_vectors(known, count));
        let is_hybrid = known.is_ok_and(|known| known == count || known >= FEWEST_VECTORS);
        let last_error = self.embedding.last_error();
        let state = match degraded {
            _ if self.embedding.loading() => ModelState::Loading,
            Some(Degraded::ModelNotLoaded) => ModelState::Cold,
            None => ModelState::Ready,
            Some(_) if last_error.is_some() => ModelState::Degraded,
            Some(_) => ModelState::Loading,
        };
        Status {
            state,
            ranker: if is_hybrid { Ranker::Hybrid } else { Ranker::Lexical },
            degraded,
            shipped_vectors: vectors.as_ref().and_then(|vectors| vectors.shipped_status()),
            embedder: vectors.map(|vectors| EmbedderInfo { model_id: vectors.model_id.clone(), dimensions: vectors.dimensions }),
            last_error,
            server_count: index.servers.len(),
            tool_count: index.tools.len(),
            vector_count,
            session_count: self.sessions.lock().open.len(),
            generation: index.generation,
        }
    }
}
