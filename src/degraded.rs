//! Why an answer is less than was asked for.

/// Why an answer is lexical although vectors were asked for, or of the catalogue before a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Degraded {
    /// No model was loaded and no embedder set.
    ModelNotLoaded,
    /// The model is being loaded.
    ModelLoading,
    /// Vectors of tools in scope are still being made.
    VectorsPending,
    /// The embedder failed.
    EmbeddingFailed,
    /// The embedder did not answer in time.
    DeadlineExceeded,
    /// Many tools are being set: the answer is of the catalogue before.
    CataloguePending,
}

impl Degraded {
    /// All reasons.
    pub const ALL: [Self; 6] = [
        Self::ModelNotLoaded,
        Self::ModelLoading,
        Self::VectorsPending,
        Self::EmbeddingFailed,
        Self::DeadlineExceeded,
        Self::CataloguePending,
    ];

    /// The stable name that callers switch on.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::ModelNotLoaded => "model-not-loaded",
            Self::ModelLoading => "model-loading",
            Self::VectorsPending => "vectors-pending",
            Self::EmbeddingFailed => "embedding-failed",
            Self::DeadlineExceeded => "deadline-exceeded",
            Self::CataloguePending => "catalogue-pending",
        }
    }

    /// The reason for a person, with the next step.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::ModelNotLoaded => "no model is loaded; call loadModel or setEmbedder",
            Self::ModelLoading => "the model is being loaded; the next ranking may use it",
            Self::VectorsPending => "vectors of tools are being made; the next ranking may use them",
            Self::EmbeddingFailed => "the embedder failed; status.lastError says how",
            Self::DeadlineExceeded => "the query's vector did not come within deadlineMs",
            Self::CataloguePending => "many tools are being set; the next ranking may see them",
        }
    }
}
