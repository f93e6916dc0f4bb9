//! What people wrote about a server in the registry: where a request is near to an entry, its server's best tools rise.

use super::task::{Ground, Request, Task};
use crate::embedding::similarity;
use crate::index::IndexedServer;
use crate::ranking::Ranking;
use crate::ranking::scores::Scores;

/// Cosines of a request with the nearest text of an entry: from the first on it says something, from the second on all.
///
/// These four are set over 40 requests that need a server and 153 tasks. With all 0.05 lower or higher, the most at 0.4 or 0.8,
/// terms at 0.35 or 0.7, as many requests have a tool of their server, or up to two fewer, and one task more to five fewer are
/// complete.
const SAYS_LITTLE: f64 = 0.3;
const SAYS_ALL: f64 = 0.6;
/// The most that an entry adds to the score of a tool, as a share of the best score: a tool that the request's words fit stays
/// before one that only its entry matches.
const MOST: f64 = 0.6;
/// Terms alone say less: an entry shares words with requests that are not meant.
const OF_TERMS: f64 = 0.5;
/// How many of a server's tools rise: a server of hundreds must not fill a selection.
const RISING: usize = 8;
/// The evidence of a request that is as near to an entry as can be: people wrote that this server serves it. Under what a
/// request has that names a tool.
const EVIDENCE: f64 = 0.8;

/// Whether a server has an entry that is read.
pub fn any(ground: Ground<'_>, request: &Request<'_>) -> bool {
    let has_entry = |(at, server): (usize, &IndexedServer)| server.profile.entry.is_some() && ground.scope.has_server(at);
    request.entries.is_some() && ground.index.servers.iter().enumerate().any(has_entry)
}

/// Raises the best tools of the servers whose entries match the request, and the evidence.
pub fn lift(ranking: &mut Ranking, ground: Ground<'_>, request: &Request<'_>, _: &Task<'_>) {
    if !any(ground, request) {
        return;
    }
    let said = said_by_entries(ground, request);
    let best = ranking.best_plain();
    let mut risen = vec![0_usize; said.len()];
    let mut most: f64 = 0.0;
    for tool in &mut ranking.tools {
        let server = ground.index.server_at(tool.position);
        if said[server] > 0.0 && risen[server] < RISING && !tool.shares.negated {
            risen[server] += 1;
            most = most.max(said[server]);
            tool.adjust(|shares| {
                shares.of_entries = MOST * best * said[server];
                shares.supported = true;
            });
        }
    }
    if most <= 0.0 {
        return;
    }
    ranking.sort();
    ranking.supported_count = ranking.tools.iter().filter(|tool| tool.shares.supported).count();
    // Terms of an entry raise nothing: any text shares some with one. A cosine halfway says little.
    if request.semantic.is_some() {
        ranking.evidence = ranking.evidence.max(EVIDENCE * most * most);
    }
}

/// How much the entry of each server matches a request, from 0 to 1.
fn said_by_entries(ground: Ground<'_>, request: &Request<'_>) -> Vec<f64> {
    let model = request.entries.and_then(|entries| entries.0);
    let vectors = request.semantic.zip(model);
    let terms = if vectors.is_some() {
        Scores::default()
    } else {
        ground.index.server_lexical_of(ground.scope).scores(&request.query.terms)
    };
    let most = terms.iter().copied().fold(0.0, f64::max);
    let of_server = |(at, server): (usize, &IndexedServer)| {
        if server.profile.entry.is_none() || !ground.scope.has_server(at) {
            return 0.0;
        }
        let Some((input, model)) = vectors else {
            return if most > 0.0 { OF_TERMS * (terms[at] / most).powi(2) } else { 0.0 };
        };
        let texts = server.profile.document().embedded.iter().filter_map(|text| model.document(&text.hash));
        let nearest = texts.map(|text| similarity(&input.query.whole, &text)).fold(f64::NEG_INFINITY, f64::max);
        ((nearest - SAYS_LITTLE) / (SAYS_ALL - SAYS_LITTLE)).clamp(0.0, 1.0)
    };
    ground.index.servers.iter().enumerate().map(of_server).collect()
}
