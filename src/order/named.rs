//! A tool that the query names stands before all that it does not.

use std::collections::HashMap;

use super::draft::Draft;
use crate::query::Naming;
use crate::ranking::{Corpus, NAMED_BONUS, Shares};

/// What naming adds to a score.
pub fn share(shares: &Shares) -> f64 {
    NAMED_BONUS * f64::from(shares.named.how as u8)
}

/// What being the first of its name adds.
pub fn first_share(shares: &Shares) -> f64 {
    shares.of_names() - share(shares)
}

/// Finds the tools that the query names: few have a name that it holds, so those are looked up instead of asking all.
pub fn find(draft: &mut Draft<'_>) {
    let (corpus, query) = (draft.ground, draft.request.query);
    let found = query.name_keys().flat_map(|key| corpus.with_key(key));
    let named = found.map(|position| (position, query.naming(corpus.document(position))));
    draft.named = named.filter(|(_, naming)| *naming != Naming::None).collect();
    draft.named.sort_unstable();
    draft.named.dedup();
}

/// Where a query names several tools, the best of each name comes before a second one of any: six
/// names that five servers share would fill a list with twins of the first.
pub fn find_first(draft: &mut Draft<'_>) {
    if draft.named.len() < 2 {
        return;
    }
    let (corpus, candidates) = (draft.ground, draft.ground.candidates);
    let mut best: HashMap<&str, (f64, usize)> = HashMap::new();
    for (at, position) in candidates.iter().enumerate().filter(|(_, at)| draft.naming(**at) == Naming::Tool) {
        let score = draft.shares(at).score();
        let first = best.entry(&corpus.document(*position).tool_key).or_insert((score, at));
        if score > first.0 {
            *first = (score, at);
        }
    }
    if best.len() > 1 {
        draft.first_of_names = best.into_values().map(|(_, at)| at).collect();
    }
}
