//! The terms of what is ranked, and other words for the same things.

use super::request::{Query, distinct_terms};
use super::vocabulary::Vocabulary;
use crate::text::related::add_other_words;
use crate::text::synonyms::add_short_forms;

/// The step: reads the terms again where steps before changed the text, and adds synonyms behind them.
/// It changes no text.
pub(super) fn add(query: &mut Query, _: &Vocabulary) {
    if query.ranked != query.text {
        query.terms = distinct_terms(&query.ranked);
    }
    add_short_forms(&mut query.terms);
    add_other_words(&mut query.terms);
}
