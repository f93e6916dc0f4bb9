//! A tool that the query names stands before all that it does not.

use super::draft::Draft;
use crate::query::Naming;
use crate::ranking::{Corpus, NAMED_BONUS, Shares};

/// What naming adds to a score.
pub fn share(shares: &Shares) -> f64 {
    NAMED_BONUS * f64::from(shares.naming as u8)
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
