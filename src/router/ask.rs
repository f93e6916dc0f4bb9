//! A request at the door of the router: read once, and taken by every ranking of the call.

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::Duration;

use super::facade::ToolRouter;
use crate::degraded::Degraded;
use crate::embedding::vectors::{QueryVectors, Vector};
use crate::index::Index;
use crate::query::Query;
use crate::ranking::evidence::MEASURED_MODEL;
use crate::ranking::rank::rank;
use crate::ranking::{Ranking, SemanticInput};
use crate::settings::Ranker;

/// A request with what its rankings have in common.
pub(super) struct Ask {
    /// The request, read.
    pub query: Query,
    ranker: Ranker,
    deadline: Duration,
    vectors: OnceCell<std::result::Result<QueryVectors, Degraded>>,
}

impl Ask {
    /// Reads a request for rankings of an index.
    pub fn new(index: &Index, text: &str, ranker: Ranker, deadline_ms: usize) -> Self {
        Self {
            query: Query::prepare(text, index.vocabulary()),
            ranker,
            deadline: Duration::from_millis(deadline_ms as u64),
            vectors: OnceCell::new(),
        }
    }

    /// The request's vectors, when a ranking has used them.
    pub fn used_vectors(&self) -> Option<&QueryVectors> {
        self.vectors.get().and_then(|vectors| vectors.as_ref().ok())
    }

    /// Whether vectors are asked for.
    pub fn wants_vectors(&self) -> bool {
        self.ranker != Ranker::Lexical
    }
}

impl ToolRouter {
    /// The vectors of all tools, or why they cannot be used.
    pub(super) fn tool_vectors(&self, index: &Index) -> std::result::Result<Arc<Vec<Vector>>, Degraded> {
        let Some(model) = self.embedding.vectors() else {
            return Err(if self.embedding.loading() { Degraded::ModelLoading } else { Degraded::ModelNotLoaded });
        };
        index.vectors(&model).ok_or_else(|| {
            if self.embedding.last_error().is_some() { Degraded::EmbeddingFailed } else { Degraded::VectorsPending }
        })
    }

    /// Ranks candidates as a request asks; by terms alone, and saying why, where its vectors are
    /// unavailable.
    pub(super) fn rank_positions(&self, index: &Index, candidates: &[usize], ask: &Ask, top_k: usize) -> Ranking {
        let vectors = if ask.wants_vectors() { self.vectors_for(index, ask).map(Some) } else { Ok(None) };
        let mut ranking = match vectors {
            Ok(Some((tools, query))) => {
                let known_scale = self.embedding.vectors().is_some_and(|model| model.model_id.starts_with(MEASURED_MODEL));
                let alone = ask.ranker == Ranker::Semantic;
                let input = SemanticInput { query, tools: &tools, known_scale, alone };
                self.rank_with(index, candidates, ask, Some(input), top_k)
            }
            Ok(None) => self.rank_lexically(index, candidates, ask, top_k),
            Err(reason) => Ranking { degraded: Some(reason), ..self.rank_lexically(index, candidates, ask, top_k) },
        };
        if ranking.degraded.is_none() && self.is_changing() {
            ranking.degraded = Some(Degraded::CataloguePending);
        }
        ranking
    }

    /// Ranks candidates by terms alone.
    pub(super) fn rank_lexically(&self, index: &Index, candidates: &[usize], ask: &Ask, top_k: usize) -> Ranking {
        self.rank_with(index, candidates, ask, None, top_k)
    }

    fn rank_with(
        &self,
        index: &Index,
        candidates: &[usize],
        ask: &Ask,
        semantic: Option<SemanticInput<'_>>,
        top_k: usize,
    ) -> Ranking {
        let preference = self.uses.lock().preference();
        rank(index, candidates, &ask.query, semantic, &preference, top_k)
    }

    fn vectors_for<'a>(
        &self,
        index: &Index,
        ask: &'a Ask,
    ) -> std::result::Result<(Arc<Vec<Vector>>, &'a QueryVectors), Degraded> {
        let tools = self.tool_vectors(index)?;
        let of_query = || self.embedding.query(&ask.query.ranked, &ask.query.clause_ranges(), ask.deadline);
        Ok((tools, ask.vectors.get_or_init(of_query).as_ref().map_err(|reason| *reason)?))
    }
}
