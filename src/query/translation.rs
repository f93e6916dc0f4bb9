//! A request in another language is ranked with a line of English behind it.

use super::request::Query;
use super::vocabulary::Vocabulary;
use crate::text::translation::gloss;

/// The step. It changes nothing that is there.
pub(super) fn add_gloss(query: &mut Query, vocabulary: &Vocabulary) {
    if let Some(said) = gloss(&query.ranked, &|word| vocabulary.contains(word)) {
        query.ranked.push('\n');
        query.ranked.push_str(&said);
    }
}
