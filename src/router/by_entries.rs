//! What a registry says of servers, in rankings of tools: where a request is near to an entry, its server's best tools rise.

use super::ask::Ask;
use super::facade::ToolRouter;
use crate::embedding::similarity;
use crate::index::Index;
use crate::ranking::Ranking;

/// Cosines of a request with the nearest text of an entry: from the first on it says something, from the second on all. Not
/// fitted yet: `benchmark/whole-tasks.mjs --only day` has the rows to set them by.
const SAYS_LITTLE: f64 = 0.3;
const SAYS_ALL: f64 = 0.6;
/// The most that an entry adds to the score of a tool, as a share of the best score: a tool that the request's words fit stays
/// before one that only its entry speaks for. Not fitted yet.
const MOST: f64 = 0.6;
/// Terms alone say less: an entry shares words with requests that are not meant.
const OF_TERMS: f64 = 0.5;
/// How many of a server's tools rise: a server of hundreds must not fill a selection.
const RISING: usize = 8;
/// The evidence of a request that is as near to an entry as can be: people wrote that this server serves it. Under what a
/// request has that names a tool.
const EVIDENCE: f64 = 0.8;

impl ToolRouter {
    /// Ranks candidates as a request asks, and by what the registry says of their servers. Without entries it is the ranking
    /// itself.
    pub(super) fn rank_in_registry(&self, index: &Index, candidates: &[usize], ask: &Ask, top_k: usize) -> Ranking {
        if index.servers.iter().all(|server| server.profile.entry.is_none()) {
            return self.rank_positions(index, candidates, ask, top_k);
        }
        let mut ranking = self.rank_positions(index, candidates, ask, candidates.len());
        let said = self.said_by_entries(index, ask);
        if said.iter().any(|said| *said > 0.0) {
            lift(index, &mut ranking, &said, ask.used_vectors().is_some());
        }
        ranking.tools.truncate(top_k);
        ranking
    }

    /// How much the entry of each server speaks for a request, from 0 to 1.
    fn said_by_entries(&self, index: &Index, ask: &Ask) -> Vec<f64> {
        let model = self.embedding.vectors();
        let vectors = ask.used_vectors().zip(model.as_ref());
        let terms = if vectors.is_some() { Vec::new() } else { index.server_lexical().scores(&ask.query.terms) };
        let most = terms.iter().copied().fold(0.0, f64::max);
        let of_server = |(at, server): (usize, &crate::index::IndexedServer)| {
            if server.profile.entry.is_none() {
                return 0.0;
            }
            let Some((query, model)) = vectors else {
                return if most > 0.0 { OF_TERMS * (terms[at] / most).powi(2) } else { 0.0 };
            };
            let texts = server.profile.document().embedded.iter().filter_map(|text| model.document(&text.hash));
            let nearest = texts.map(|text| similarity(&query.whole, &text)).fold(f64::NEG_INFINITY, f64::max);
            ((nearest - SAYS_LITTLE) / (SAYS_ALL - SAYS_LITTLE)).clamp(0.0, 1.0)
        };
        index.servers.iter().enumerate().map(of_server).collect()
    }
}

/// Raises the best tools of the servers that entries speak for, and the evidence.
fn lift(index: &Index, ranking: &mut Ranking, said: &[f64], by_vectors: bool) {
    let best = ranking.tools.iter().map(|tool| tool.score - tool.shares.boost()).fold(0.0, f64::max);
    let mut risen = vec![0_usize; said.len()];
    let mut most: f64 = 0.0;
    for tool in &mut ranking.tools {
        let server = index.servers.partition_point(|server| server.tools.end <= tool.position);
        if said[server] > 0.0 && risen[server] < RISING && !tool.shares.negated {
            risen[server] += 1;
            most = most.max(said[server]);
            tool.shares.implied_share += MOST * best * said[server];
            tool.shares.supported = true;
            tool.score = tool.shares.score();
        }
    }
    ranking.tools.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.position.cmp(&b.position)));
    for (at, tool) in ranking.tools.iter_mut().enumerate() {
        tool.rank = at + 1;
    }
    ranking.supported_count = ranking.tools.iter().filter(|tool| tool.shares.supported).count();
    // Terms of an entry raise nothing: any text shares some with one. A cosine halfway says little.
    if by_vectors {
        ranking.evidence = ranking.evidence.max(EVIDENCE * most * most);
    }
}
