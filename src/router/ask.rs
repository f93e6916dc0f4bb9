//! A request at the door of the router: read once, and taken by every ranking of the call.

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::Duration;

use super::facade::ToolRouter;
use crate::degraded::Degraded;
use crate::embedding::vectors::QueryVectors;
use crate::evidence::MEASURED_MODEL;
use crate::index::Index;
use crate::order::{self, EntryVectors, Ground, Request, Task};
use crate::query::Query;
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
    /// Reads a request for rankings of tools in a scope.
    pub fn new(ground: Ground<'_>, text: &str, ranker: Ranker, deadline_ms: usize) -> Self {
        Self {
            query: Query::prepare(text, ground.index.vocabulary_of(ground.scope)),
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

    /// Ranks candidates as a request asks and for a task, by the vectors that exist; by terms alone where there are none or few.
    /// It says why it is not by all.
    pub(super) fn rank_tools(&self, ground: Ground<'_>, ask: &Ask, task: &Task<'_>, top_k: usize) -> Ranking {
        let model = self.embedding.vectors();
        let entries = Some(EntryVectors(model.as_deref()));
        self.rank_by(ground, ask, ask.wants_vectors(), |request| {
            order::rank(ground, &Request { entries, ..request }, task, top_k)
        })
    }

    /// Ranks all candidates for a ranking of servers, which judges entries itself; by terms alone, if asked to.
    pub(super) fn rank_for_servers(&self, ground: Ground<'_>, ask: &Ask, by_vectors: bool) -> Ranking {
        self.rank_by(ground, ask, by_vectors, |request| order::rank(ground, &request, &Task::default(), ground.candidates.len()))
    }

    fn rank_by(&self, ground: Ground<'_>, ask: &Ask, by_vectors: bool, rank: impl FnOnce(Request<'_>) -> Ranking) -> Ranking {
        let preference = self.uses.lock().preference();
        let request = Request { query: &ask.query, semantic: None, uses: &preference, entries: None };
        let vectors = if by_vectors { self.vectors_for(ground.index, ground.candidates, ask).map(Some) } else { Ok(None) };
        let mut ranking = match vectors {
            Ok(Some((tools, query, missing))) => {
                // Evidence was measured with all vectors, and without any.
                let is_measured = self.embedding.vectors().is_some_and(|model| model.model_id.starts_with(MEASURED_MODEL));
                let alone = ask.ranker == Ranker::Semantic;
                let input = SemanticInput { query, tools: &tools, known_scale: is_measured && missing.is_none(), alone };
                Ranking { degraded: missing, ..rank(Request { semantic: Some(input), ..request }) }
            }
            Ok(None) => rank(request),
            Err(reason) => Ranking { degraded: Some(reason), ..rank(request) },
        };
        if ranking.degraded.is_none() && by_vectors == ask.wants_vectors() && self.is_changing() {
            ranking.degraded = Some(Degraded::CataloguePending);
        }
        ranking
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
