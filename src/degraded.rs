//! Why an answer is less than was asked for.

/// Why an answer is lexical or of some vectors only, although vectors were asked for, or uses the catalogue before a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Degraded {
    /// No model was loaded and no embedder set.
    ModelNotLoaded,
    /// The model is being loaded.
    ModelLoading,
    /// Vectors of tools are still being made; so many percent are there.
    VectorsPending(u8),
    /// The embedder failed.
    EmbeddingFailed,
    /// The embedder did not answer in time.
    DeadlineExceeded,
    /// Many tools are being set: the answer uses the previous catalogue.
    CataloguePending,
}

impl Degraded {
    /// All reasons.
    pub const ALL: [Self; 6] = [
        Self::ModelNotLoaded,
        Self::ModelLoading,
        Self::VectorsPending(0),
        Self::EmbeddingFailed,
        Self::DeadlineExceeded,
        Self::CataloguePending,
    ];

    /// The stable name that callers switch on.
    pub fn code(self) -> &'static str {
        match self {
            Self::ModelNotLoaded => "model-not-loaded",
            Self::ModelLoading => "model-loading",
            Self::VectorsPending(_) => "vectors-pending",
            Self::EmbeddingFailed => "embedding-failed",
            Self::DeadlineExceeded => "deadline-exceeded",
            Self::CataloguePending => "catalogue-pending",
        }
    }

    /// The share of tools that have vectors, where that is why: from 0 to 1, rounded down to a hundredth.
    pub fn share(self) -> Option<f64> {
        if let Self::VectorsPending(percent) = self { Some(f64::from(percent) / 100.0) } else { None }
    }

    /// The reason for a person, with the next step.
    pub fn message(self) -> &'static str {
        match self {
            Self::ModelNotLoaded => "no model is loaded; call loadModel or setEmbedder",
            Self::ModelLoading => "the model is being loaded; the next ranking may use it",
            Self::VectorsPending(_) => "vectors of tools are being made; the next ranking may use more of them",
            Self::EmbeddingFailed => "the embedder failed; status.lastError says how",
            Self::DeadlineExceeded => "the query's vector did not come within deadlineMs",
            Self::CataloguePending => "many tools are being set; the next ranking may see them",
        }
    }
}
