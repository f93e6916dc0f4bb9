//! Servers as the unit: which of them a request needs.
//!
//! A server is judged by its best tools, as the ranking of tools ordered them, and by the best that
//! tools or registry say for it: BM25 of both, and the cosine of the nearest tool or of the nearest
//! text of its entry. People ask for what they want done; a synthetic query says it as they do.

use super::arms::SUPPORTING_DEVIATIONS;
use super::fusion::{standardise, standardise_by};
use super::lexical::LexicalIndex;
use super::{NAMED_BONUS, RankedTool};
use crate::document::server::ServerDocument;
use crate::embedding::similarity;
use crate::embedding::vectors::{QueryVectors, Vector};
use crate::query::Query;

/// What the second best tool weighs beside the best: on 102 real servers one more point of hit@1
/// than the best alone.
const SECOND_TOOL_WEIGHT: f64 = 0.25;
/// How much of what the best of many tools stands out by chance is taken off: a server of 400 tools
/// has one that fits anything a little. 0.5: two more points of complete answers at 5 on 102 real
/// servers; 0.8 takes them away again.
const CHANCE_WEIGHT: f64 = 0.5;
/// What BM25 of the entry weighs beside BM25 of the best tools, in the same units. There are far
/// fewer servers than tools, so a term that is as rare has a third of the weight.
const ENTRY_TERMS_WEIGHT: f64 = 3.0;
/// What terms of the best evidence, standardised, weigh beside the order of the tools.
const TERMS_WEIGHT: f64 = 0.7;
/// What its vectors do. A synthetic query is compared with tools by plain cosine: one that is near
/// counts whole, one that is not counts nothing. With 2 instead of 1, the fixture's 40 requests
/// find their server first 6 times more, at one point of hit@1 where there are no entries.
const SIMILARITY_WEIGHT: f64 = 2.0;

/// A server that may be chosen.
#[derive(Debug)]
pub struct ServerCandidate<'a> {
    /// Its position among the servers that were indexed together.
    pub position: usize,
    pub document: &'a ServerDocument,
    /// Its tools in scope, best first. Not empty.
    pub tools: Vec<RankedTool>,
    /// The vectors of `document.embedded`; empty in a lexical ranking.
    pub vectors: Vec<Vector>,
}

/// One ranked server. `score` is the sum of the three shares.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedServer {
    /// Its position among the servers that were indexed together.
    pub position: usize,
    pub rank: usize,
    /// What it was ordered by. Comparable within one ranking only.
    pub score: f64,
    /// What the order of its tools added, standardised over the servers.
    pub tool_share: f64,
    /// What its best evidence, of tools and entry alike, added: standardised terms and vectors.
    pub evidence_share: f64,
    /// What exact names of it or of a tool of its, and usage, added.
    pub boost: f64,
    /// Whether anything in the query matches it.
    pub supported: bool,
    /// The cosine of the query with the nearest text of the entry.
    pub similarity: Option<f64>,
    /// The synthetic query that is nearest to the query, when it is nearer than the description.
    pub nearest_query: Option<usize>,
    /// Its tools in scope, best first.
    pub tools: Vec<RankedTool>,
}

/// Ranks servers, best first. The order is total: score, then position. Costs a millisecond for a
/// hundred servers with twenty synthetic queries each.
pub fn rank_servers(
    query: &Query,
    lexical: &LexicalIndex,
    candidates: Vec<ServerCandidate<'_>>,
    vectors: Option<&QueryVectors>,
) -> Vec<RankedServer> {
    crate::fault::point("servers");
    let server_terms = lexical.scores(&query.terms);
    let nearest: Vec<Option<(usize, f64)>> =
        candidates.iter().map(|server| vectors.and_then(|query| nearest(query, &server.vectors))).collect();
    let of_tools = |score: fn(&RankedTool) -> f64| -> Vec<f64> {
        let chance = CHANCE_WEIGHT * deviation(candidates.iter().flat_map(|server| server.tools.iter().map(score)));
        candidates.iter().map(|server| best_two(&server.tools, score) - chance * luck(server.tools.len())).collect()
    };
    let mut tool_shares = of_tools(RankedTool::plain);
    let mut terms = of_tools(|tool| tool.shares.lexical);
    let mut similarities = of_tools(|tool| tool.shares.similarity.unwrap_or(0.0));
    for (at, server) in candidates.iter().enumerate() {
        terms[at] = terms[at].max(0.0) + ENTRY_TERMS_WEIGHT * server_terms[server.position];
        similarities[at] = nearest[at].map_or(similarities[at], |(_, of_entry)| similarities[at].max(of_entry));
    }
    for scores in [&mut tool_shares, &mut terms, &mut similarities] {
        standardise(scores);
    }
    let rank_one = |(at, server): (usize, ServerCandidate<'_>)| {
        let named = if query.names_server(&server.document.name_key) { NAMED_BONUS } else { 0.0 };
        let boost = server.tools.iter().map(|tool| tool.shares.boost()).fold(0.0, f64::max) + named;
        let evidence_share = TERMS_WEIGHT * terms[at] + SIMILARITY_WEIGHT * similarities[at];
        let speaks = named > 0.0
            || server_terms[server.position] > 0.0
            || similarities[at] >= SUPPORTING_DEVIATIONS
            || server.tools.iter().any(|tool| tool.shares.supported);
        RankedServer {
            position: server.position,
            rank: 0,
            score: tool_shares[at] + evidence_share + boost,
            tool_share: tool_shares[at],
            evidence_share,
            boost,
            supported: speaks,
            similarity: nearest[at].map(|(_, similarity)| similarity),
            nearest_query: nearest[at].and_then(|(text, _)| text.checked_sub(server.document.described)),
            tools: server.tools,
        }
    };
    let mut ranked: Vec<RankedServer> = candidates.into_iter().enumerate().map(rank_one).collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.position.cmp(&b.position)));
    for (at, server) in ranked.iter_mut().enumerate() {
        server.rank = at + 1;
    }
    ranked
}

fn deviation(scores: impl Iterator<Item = f64>) -> f64 {
    standardise_by(&mut scores.collect::<Vec<_>>(), 0.0)
}

/// How many deviations above the mean the best of `count` tools stands by chance alone.
#[expect(clippy::cast_precision_loss, reason = "counts of tools are far below 2^52")]
fn luck(count: usize) -> f64 {
    (2.0 * (count.max(1) as f64).ln()).sqrt()
}

/// The weighted mean of the best two tools by some score: one good tool among strangers says less
/// than two.
fn best_two(tools: &[RankedTool], score: impl Fn(&RankedTool) -> f64) -> f64 {
    let (mut best, mut second) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for score in tools.iter().map(score) {
        if score > best {
            (best, second) = (score, best);
        } else if score > second {
            second = score;
        }
    }
    let second = if second.is_finite() { second } else { best };
    (best + SECOND_TOOL_WEIGHT * second) / (1.0 + SECOND_TOOL_WEIGHT)
}

/// The text nearest to a query, and its cosine.
fn nearest(query: &QueryVectors, texts: &[Vector]) -> Option<(usize, f64)> {
    let texts = texts.iter().map(|text| similarity(&query.whole, text)).enumerate();
    texts.reduce(|best, other| if other.1 > best.1 { other } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_many_tools_loses_what_it_wins_by_chance() {
        assert!(luck(1).abs() < f64::EPSILON);
        assert!((luck(400) - 3.46).abs() < 0.01 && luck(10) < luck(100));
    }

    #[test]
    fn the_second_best_tool_counts_a_quarter() {
        let tool = |score: f64| RankedTool { position: 0, rank: 0, score, shares: super::super::Shares::default() };
        let mean = |scores: &[f64]| {
            let tools: Vec<RankedTool> = scores.iter().copied().map(tool).collect();
            best_two(&tools, |tool| tool.score)
        };
        assert!((mean(&[1.0, 5.0, 3.0]) - (5.0 + 0.75) / 1.25).abs() < 1e-12);
        assert!((mean(&[5.0]) - 5.0).abs() < 1e-12);
    }
}
