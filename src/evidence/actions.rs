//! What a request wants done.

use std::collections::{HashMap, HashSet};

use once_cell::sync::Lazy;

use crate::text::terms::stem;

/// The action of each verb, by its stem.
static ACTIONS: Lazy<HashMap<String, usize>> = Lazy::new(|| {
    let lines = include_str!("data/actions.txt").lines().filter(|line| !line.starts_with('#'));
    lines.enumerate().flat_map(|(action, line)| line.split(' ').map(move |verb| (stem(verb), action))).collect()
});

/// The actions that terms ask for.
#[must_use]
pub fn of_terms<'a>(terms: impl Iterator<Item = &'a str>) -> HashSet<usize> {
    terms.filter_map(|term| ACTIONS.get(term).copied()).collect()
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
