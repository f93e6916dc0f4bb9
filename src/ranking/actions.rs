//! What a request wants done, and whether a tool does that.

use std::collections::{HashMap, HashSet};

use once_cell::sync::Lazy;

use crate::document::tool::ToolDocument;
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

/// The actions in a tool's name.
#[must_use]
pub fn of_tool(tool: &ToolDocument) -> HashSet<usize> {
    tool.name_words.lines().filter_map(|word| ACTIONS.get(&stem(word)).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_and_its_other_forms_are_one_action() {
        let asked = of_terms(["remov", "branch"].into_iter());
        assert_eq!(asked, of_tool(&ToolDocument::named("git", "delete_branch")));
        assert!(asked.is_disjoint(&of_tool(&ToolDocument::named("git", "create_branch"))));
        assert!(of_terms(["branch"].into_iter()).is_empty());
    }
}
