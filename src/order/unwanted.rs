//! A tool of a product that the query does not want ("not in Jira") falls behind whatever else was asked for.

use super::draft::Draft;
use crate::query::Naming;
use crate::ranking::{Corpus, Shares};

/// What it loses.
pub fn share(shares: &Shares) -> f64 {
    -shares.penalty()
}

/// Finds them; a tool that the query names is wanted.
pub fn find(draft: &mut Draft<'_>) {
    let (ground, negated) = (draft.ground, &draft.request.query.negated);
    if negated.products.is_empty() {
        return;
    }
    let is_unwanted = |position: usize| draft.naming(position) == Naming::None && negated.covers(ground.document(position));
    let found = ground.candidates.iter().enumerate().filter(|(_, position)| is_unwanted(**position)).map(|(at, _)| at);
    draft.unwanted = found.collect();
}
