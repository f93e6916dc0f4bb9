//! Names of tools that stand in a list.

use super::naming::NAMED_WORDS;
use super::request::Query;
use super::vocabulary::Vocabulary;
use crate::text::terms::name_key;

/// Fewer names are a sentence with a comma.
const FEWEST_LISTED: usize = 3;

/// The step: adds names that stand in a list. It changes no text.
pub(super) fn add(query: &mut Query, vocabulary: &Vocabulary) {
    query.names.add(listed_names(&query.text, vocabulary));
}

/// Names of tools that stand in a list, in any spelling: "list issues, get weather and navigate".
/// Most items must be names, so that "search, filter and export the orders" is no list of names.
fn listed_names(text: &str, vocabulary: &Vocabulary) -> Vec<String> {
    let items: Vec<String> = text
        .split([',', ';', '\n', ':', '、', '，'])
        .flat_map(|part| part.split(" and "))
        .take(NAMED_WORDS)
        .map(name_key)
        .filter(|item| !item.is_empty())
        .collect();
    let named: Vec<String> = items.iter().filter(|item| vocabulary.is_tool_name(item)).cloned().collect();
    if named.len() >= FEWEST_LISTED && named.len() * 2 > items.len() { named } else { Vec::new() }
}
