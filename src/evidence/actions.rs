//! What a request wants done.

use std::collections::HashSet;

use crate::text::names::verbs;

/// The actions that terms ask for.
pub fn of_terms<'a>(terms: impl Iterator<Item = &'a str>) -> HashSet<&'static str> {
    terms.filter_map(verbs::action).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_and_its_other_forms_are_one_action() {
        assert_eq!(of_terms(["remov"].into_iter()), of_terms(["delet", "branch"].into_iter()));
        assert!(of_terms(["delet"].into_iter()).is_disjoint(&of_terms(["creat"].into_iter())));
        assert!(of_terms(["branch"].into_iter()).is_empty());
    }
}
