//! The steps of reading a request, in their order.

use super::request::Query;
use super::vocabulary::Vocabulary;
use super::{clauses, code, implied, listed, negation, of_code, pasted, products, small_talk, spelling, synonyms, translation};
use crate::ablation;

/// A step of reading: changes the query, with the words of the catalogue at hand.
type Step = fn(&mut Query, &Vocabulary);

/// The steps in their order, by name. What a step leaves out, later ones never see.
const STEPS: [(&str, Step); 12] = [
    ("pasted", pasted::leave_out),
    ("small talk", small_talk::count),
    ("absent products", products::count_absent),
    ("what is implied", implied::read),
    ("names in code", code::unname),
    ("lists of names", listed::add),
    ("spelling", spelling::correct),
    ("negation", negation::leave_out),
    ("translation", translation::add_gloss),
    ("of code", of_code::read),
    ("synonyms", synonyms::add),
    ("clauses", clauses::split),
];

impl Query {
    /// Reads a text for a ranking of tools that the words are of, by all [`STEPS`]. Tools are named by
    /// what a person wrote, in the spelling that was given.
    pub fn prepare(text: &str, vocabulary: &Vocabulary) -> Self {
        #[cfg(test)]
        PREPARATIONS.with(|count| count.set(count.get() + 1));
        let mut query = Self::new(text);
        crate::fault::point("query");
        for (_, step) in STEPS.iter().filter(|(name, _)| !ablation::is_off(name)) {
            step(&mut query, vocabulary);
        }
        query
    }
}

#[cfg(test)]
thread_local! {
    /// How often a query was prepared on this thread.
    pub(crate) static PREPARATIONS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
mod tests {
    use super::super::naming::Naming;
    use super::super::request::MAX_QUERY_BYTES;
    use super::*;
    use crate::document::tool::ToolDocument;

    #[test]
    fn a_text_that_grows_when_it_is_normalised_is_cut_earlier_and_says_so() {
        let query = Query::new(&"\u{fdfa} ".repeat(8_192));
        let used = MAX_QUERY_BYTES / 19 * 4;
        assert!(query.cut.is_some_and(|cut| cut.used_bytes.abs_diff(used) < 8 && cut.given_bytes == MAX_QUERY_BYTES));
        for whole in ["Größe ệ ½ 한국어 ", "課題", "Создай "] {
            let text = whole.repeat(MAX_QUERY_BYTES / whole.len());
            assert_eq!(Query::new(&text).cut, None, "{whole}");
        }
    }

    #[test]
    fn a_prepared_query_is_corrected_and_has_clauses_and_names_tools_as_it_was_given() {
        let (known, other) = (ToolDocument::named("s", "create_dashboard"), ToolDocument::named("s", "creaet"));
        let vocabulary = Vocabulary::build([&known].into_iter());
        let query = Query::prepare("show me the weather in Paris, and creaet a new dahsboard of it", &vocabulary);
        assert_eq!(query.ranked, "show me the weather in Paris, and create a new dashboard of it");
        let clauses: Vec<&str> = query.clause_ranges().into_iter().map(|range| &query.ranked[range]).collect();
        assert_eq!(clauses, ["show me the weather in Paris", "create a new dashboard of it"]);
        assert!(query.clauses[1].terms.contains(&("dashboard".to_owned(), 1.0)));
        assert!(query.terms.iter().any(|(_, weight)| *weight < 1.0));
        assert_eq!(Query::prepare("use the creaet tool", &vocabulary).naming(&other), Naming::Tool);
    }

    #[test]
    fn a_query_in_another_language_has_its_gloss_as_a_clause() {
        let query = Query::prepare("Lösche bitte die alten Dateien auf dem Server der Firma", &Vocabulary::default());
        assert!(query.ranked.starts_with(&format!("{}\n", query.text)));
        assert!(query.terms.contains(&("delet".to_owned(), 1.0)));
        assert!(query.clause_ranges().len() != 1);
    }
}
