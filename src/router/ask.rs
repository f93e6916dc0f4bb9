//! A request at the door of the router: read once, and taken by every ranking of the call.

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::Duration;

use super::facade::ToolRouter;
use crate::degraded::Degraded;
use crate::embedding::vectors::QueryVectors;
use crate::index::Index;
use crate::query::Query;
use crate::ranking::evidence::MEASURED_MODEL;
use crate::ranking::rank::rank;
use crate::ranking::semantic::{ToolVectors, are_few};
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
    /// The vectors of tools as far as they are there, or why there are none.
    pub(super) fn tool_vectors(&self, index: &Index) -> std::result::Result<Arc<ToolVectors>, Degraded> {
        let model = self.embedding.vectors();
        let model = model.ok_or_else(|| if self.embedding.loading() { Degraded::ModelLoading } else { Degraded::ModelNotLoaded });
        Ok(index.vectors(&model?))
    }

    /// Why not all have vectors, if `known` of `count` have one.
    pub(super) fn missing_vectors(&self, known: usize, count: usize) -> Option<Degraded> {
        let percent = || u8::try_from(100 * known / count).unwrap_or_default();
        (known < count).then(|| match self.embedding.last_error() {
            Some(_) => Degraded::EmbeddingFailed,
            None => Degraded::VectorsPending(percent()),
        })
    }

    /// Ranks candidates as a request asks, by the vectors that are there; by terms alone where there are none or few. It
    /// says why it is not by all.
    pub(super) fn rank_positions(&self, index: &Index, candidates: &[usize], ask: &Ask, top_k: usize) -> Ranking {
        let vectors = if ask.wants_vectors() { self.vectors_for(index, candidates, ask).map(Some) } else { Ok(None) };
        let mut ranking = match vectors {
            Ok(Some((tools, query, missing))) => {
                // Evidence was measured with all vectors, and without any.
                let is_measured = self.embedding.vectors().is_some_and(|model| model.model_id.starts_with(MEASURED_MODEL));
                let alone = ask.ranker == Ranker::Semantic;
                let input = SemanticInput { query, tools: &tools, known_scale: is_measured && missing.is_none(), alone };
                Ranking { degraded: missing, ..self.rank_with(index, candidates, ask, Some(input), top_k) }
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

    pub(super) fn rank_with(
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
        candidates: &[usize],
        ask: &'a Ask,
    ) -> std::result::Result<(Arc<ToolVectors>, &'a QueryVectors, Option<Degraded>), Degraded> {
        let tools = self.tool_vectors(index)?;
        let known = tools.count(candidates);
        let missing = self.missing_vectors(known, candidates.len());
        // By vectors alone, what has none has no place.
        if let Some(reason) = missing.filter(|_| are_few(known, candidates.len()) || ask.ranker == Ranker::Semantic) {
            return Err(reason);
        }
        let of_query = || self.embedding.query(&ask.query.ranked, &ask.query.clause_ranges(), ask.deadline);
        Ok((tools, ask.vectors.get_or_init(of_query).as_ref().map_err(|reason| *reason)?, missing))
    }
}
