//! Descriptions that are heaps of keywords: they match every request and say nothing.
//!
//! Such a one is shown and not ranked: its tool is found by its name and parameters. No description of 27,700 real tools is one.

use std::collections::HashSet;

/// How much of a description is looked at: twice the longest real one.
const READ_BYTES: usize = 16 * 1024;
/// Words that hold sentences together: real descriptions have one in each.
const FUNCTION_WORDS: [&str; 40] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "each", "for", "from", "has", "if", "in", "into", "is", "it",
    "its", "no", "not", "of", "on", "or", "that", "the", "their", "this", "to", "use", "used", "was", "what", "when", "where",
    "which", "will", "with", "you",
];
/// Shorter descriptions cannot bring enough words to match everything.
const STUFFED_WORDS: usize = 60;
/// Real descriptions of that length have 2.9 % or more, of 27,700 in eight sets; those of 102 real servers 5.2 %.
const LEAST_FUNCTION_SHARE: f64 = 0.02;

/// Whether a description is a heap of keywords.
pub(super) fn is_stuffed(description: &str) -> bool {
    let text = &description[..description.floor_char_boundary(READ_BYTES)];
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    // Other languages have other function words, and some no spaces.
    let foreign = words.iter().filter(|word| !word.is_ascii()).count();
    if words.len() < STUFFED_WORDS || foreign * 10 > words.len() {
        return false;
    }
    let holding = words.iter().filter(|word| FUNCTION_WORDS.contains(&word.to_ascii_lowercase().as_str())).count();
    let distinct: HashSet<String> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
    #[expect(clippy::cast_precision_loss, reason = "a few thousand words")]
    let share = holding as f64 / words.len() as f64;
    share < LEAST_FUNCTION_SHARE && distinct.len() >= STUFFED_WORDS / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heap_of_keywords_is_told_from_sentences() {
        let heap = (0..80).map(|at| format!("keyword{}", at % 50)).collect::<Vec<_>>().join(", ");
        assert!(is_stuffed(&heap));
        let sentence = "Creates an issue in a repository and returns it with its number. ".repeat(20);
        assert!(!is_stuffed(&sentence));
        assert!(!is_stuffed("issue, bug, ticket, create, file"));
        assert!(!is_stuffed(&"課題を作成する ".repeat(80)));
    }
}
