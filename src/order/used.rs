//! Tools that were called before, lately and often, or after requests in the same words.

use std::collections::BTreeMap;

use super::draft::Draft;
use crate::query::Query;
use crate::ranking::{Corpus, Shares};
use crate::uses::preference::UsePreference;

/// The most that uses add: about the distance between neighbours among the first ten.
const USE_BONUS: f64 = 0.25;
/// The most that terms of earlier requests add: more, because they say what for. A request in other words shares a third of them,
/// which is worth 0.3; the best of a ranking stand 3 to 6 above its mean. Of 53 tasks that were asked for again, 42 are complete
/// so by words alone, with 1.0 it is 41, with 3.5 44; with vectors it makes no difference, and tasks that are new get no worse
/// (`research/measure/tasks/replay.mjs`).
const LEARNED_BONUS: f64 = 2.0;

/// How much of an earlier request that led to a tool this one says again, from 0 to 1.
pub fn said_again(shares: &Shares) -> f64 {
    ((shares.use_boost - USE_BONUS) / LEARNED_BONUS).clamp(0.0, 1.0)
}

/// Adds what uses say to the tools that something in the query matches.
pub fn add(draft: &mut Draft<'_>) {
    let (corpus, preference) = (draft.ground, draft.request.uses);
    let of_uses = preference.tools().filter_map(|id| Some((corpus.position(id)?, preference.of(id) * USE_BONUS)));
    let learned = learned(&corpus, draft.request.query, preference);
    let mut used: BTreeMap<usize, f64> = BTreeMap::new();
    for (position, bonus) in of_uses.chain(learned) {
        *used.entry(position).or_default() += bonus;
    }
    draft.used = used.into_iter().collect();
}

/// What earlier requests of the same terms add to the tools that they led to.
fn learned(corpus: &dyn Corpus, query: &Query, preference: &UsePreference) -> Vec<(usize, f64)> {
    if preference.learned().is_empty() {
        return Vec::new();
    }
    let terms = query.terms.iter().filter(|(_, weight)| *weight >= 1.0);
    let said = preference.learned().of(terms.map(|(term, _)| (term.clone(), corpus.lexical().idf(term))));
    said.iter().filter_map(|(id, said)| Some((corpus.position(id)?, LEARNED_BONUS * said))).collect()
}
