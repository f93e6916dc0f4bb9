//! Misspelt words of a query become words of the catalogue.
//!
//! Words decide much here, and one wrong letter loses one: of the catalogue's requests with slips
//! 29 of 100 were answered before and all are now; with a slip in every third word of four labelled
//! sets 85 of 100 instead of 77, of 86 without slips. What makes it safe is that a word which is
//! known to be English is never touched: in 0.4 of 100 requests without slips something changes.
//! Nothing is changed in code, paths, addresses, quotations and names, nor in other languages.

use std::cmp::Reverse;
use std::ops::Range;

use strsim::osa_distance;

use super::request::Query;
use super::vocabulary::{SHORTEST_CANDIDATE, Vocabulary};
use crate::text::cut::{self, Rule};
use crate::text::english::{is_english_form, mainly_english};

/// Longer words are data.
const LONGEST_WORD: usize = 24;
/// From this length on a word may have two slips.
const LENGTH_OF_TWO_SLIPS: usize = 8;
/// What a word with two slips becomes has this many letters at least.
const CANDIDATE_OF_TWO_SLIPS: usize = 6;
/// The longest quotation that is told from two stray quotes.
const LONGEST_QUOTATION: usize = 80;
/// A text with more unknown words is a log; the rest of it stays as it is.
const MOST_LOOKUPS: usize = 64;

/// The step: corrects misspelt words in what is ranked. It leaves the text and the names as they were given.
pub(super) fn correct(query: &mut Query, vocabulary: &Vocabulary) {
    if let Some(changed) = corrected(&query.text, vocabulary) {
        query.ranked = changed;
    }
}

/// The text with its misspelt words corrected; `None` when there are none.
pub fn corrected(text: &str, vocabulary: &Vocabulary) -> Option<String> {
    let unknown = |word: &Range<usize>| {
        let word = text[word.clone()].to_ascii_lowercase();
        !vocabulary.contains_form(&word) && !is_english_form(&word)
    };
    let mut unknown = prose_words(text).into_iter().filter(unknown).peekable();
    if unknown.peek().is_none() || !mainly_english(text) {
        return None;
    }
    let protected = protected(text);
    let mut corrected = String::new();
    let mut done = 0;
    let unprotected = unknown.filter(|word| !protected.iter().any(|range| range.contains(&word.start)));
    for word in unprotected.take(MOST_LOOKUPS) {
        // A capital inside a text begins a name, which is seldom the catalogue's.
        let name = word.start > 0 && text[word.clone()].starts_with(|c: char| c.is_ascii_uppercase());
        if let Some(found) = nearest(&text[word.clone()].to_ascii_lowercase(), name, vocabulary) {
            corrected.push_str(&text[done..word.start]);
            corrected.push_str(found);
            done = word.end;
        }
    }
    corrected.push_str(&text[done..]);
    (done > 0).then_some(corrected)
}

/// The word of the catalogue that a word was meant to be: fewest slips, likely slips before others,
/// words of names before others, then the most frequent.
fn nearest<'a>(word: &str, name: bool, vocabulary: &'a Vocabulary) -> Option<&'a str> {
    let most = if word.len() >= LENGTH_OF_TWO_SLIPS && !name { 2 } else { 1 };
    let letters = word.as_bytes();
    let lengths = word.len().saturating_sub(most).max(SHORTEST_CANDIDATE)..=word.len() + most;
    // The first letter is seldom wrong, but may be swapped with the second.
    let same_first = lengths.clone().flat_map(|length| vocabulary.candidates(length, letters[0]));
    let swapped_first = lengths
        .flat_map(|length| vocabulary.candidates(length, letters[1]))
        .filter(|candidate| letters[0] != letters[1] && candidate.word.as_bytes()[1] == letters[0]);
    let meant = same_first.chain(swapped_first).filter_map(|candidate| {
        let distance = osa_distance(word, candidate.word);
        let possible = distance <= most
            && (distance < 2 || candidate.word.len() >= CANDIDATE_OF_TWO_SLIPS)
            && !derived(word, candidate.word);
        possible.then(|| {
            let slip = if distance == 1 { Slip::of(word, candidate.word) } else { Slip::Other };
            let order = (distance, slip, !candidate.in_name, Reverse(candidate.doc_freq), candidate.word);
            (order, candidate.word)
        })
    });
    meant.min().map(|(_, word)| word)
}

/// Whether the word is another with an ending, as "slider" is "slide" with one; a letter that was
/// hit twice is no ending.
fn derived(word: &str, candidate: &str) -> bool {
    word.strip_prefix(candidate).is_some_and(|ending| ending.bytes().next() != candidate.bytes().last())
}

/// How one slip made a word of another, the likeliest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Slip {
    /// Two letters changed places.
    Swapped,
    /// A key was not hit, or hit twice, or the one beside it.
    Hit,
    /// A letter that lies far off, or one too many.
    Other,
}

impl Slip {
    fn of(word: &str, meant: &str) -> Self {
        let (written, meant) = (word.as_bytes(), meant.as_bytes());
        let differing: Vec<(u8, u8)> = written.iter().copied().zip(meant.iter().copied()).filter(|(a, b)| a != b).collect();
        match differing[..] {
            [(a, b), (c, d)] if written.len() == meant.len() && (a, b) == (d, c) => Self::Swapped,
            [(a, b)] if written.len() == meant.len() && are_neighbours(a, b) => Self::Hit,
            _ if written.len() < meant.len() || without_doubles(written) == without_doubles(meant) => Self::Hit,
            _ => Self::Other,
        }
    }
}

fn without_doubles(letters: &[u8]) -> Vec<u8> {
    let mut single = letters.to_vec();
    single.dedup();
    single
}

/// Whether two letters lie beside each other on a keyboard. QWERTY; QWERTZ and AZERTY move four keys of it.
fn are_neighbours(a: u8, b: u8) -> bool {
    const ROWS: [&[u8]; 3] = [b"qwertyuiop", b"asdfghjkl", b"zxcvbnm"];
    let key = |letter: u8| {
        let place = |(row, keys): (usize, &&[u8])| keys.iter().position(|key| *key == letter).map(|column| (row, column));
        ROWS.iter().enumerate().find_map(place)
    };
    let (Some(mut upper), Some(mut lower)) = (key(a), key(b)) else { return false };
    if upper > lower {
        (upper, lower) = (lower, upper);
    }
    match lower.0 - upper.0 {
        0 => lower.1 - upper.1 == 1,
        // A key lies under the gap between two keys of the row above.
        1 => lower.1 == upper.1 || lower.1 + 1 == upper.1,
        _ => false,
    }
}

/// Words of ASCII letters that are not part of an identifier, a number or a call, in lower case
/// throughout or except for the first letter.
fn prose_words(text: &str) -> Vec<Range<usize>> {
    let is_prose = |word: &Range<usize>| {
        let run = &text.as_bytes()[word.clone()];
        let joined_before = text[..word.start].ends_with(|c: char| is_word(c) || matches!(c, '.' | '-'));
        let mut after = text[word.end..].chars();
        let (next, second) = (after.next(), after.next());
        let joined_after =
            next.is_some_and(|c| is_word(c) || c == '(') || (matches!(next, Some('.' | '-')) && second.is_some_and(is_word));
        let cased = run.iter().skip(1).all(u8::is_ascii_lowercase);
        (SHORTEST_CANDIDATE..=LONGEST_WORD).contains(&run.len()) && cased && !joined_before && !joined_after
    };
    cut::words(text, Rule::Ascii).into_iter().filter(is_prose).collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Code, quotations, and what holds a sign of a path, an address, a tag or a mention.
fn protected(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find(['`', '"', '\'']) {
        let start = at + found;
        let rest = &text[start..];
        let end = if let Some(code) = rest.strip_prefix("```") {
            code.find("```").map_or(text.len(), |end| start + 3 + end + 3)
        } else {
            start + quotation(text, start)
        };
        if end > start + 1 {
            ranges.push(start..end);
        }
        at = end;
    }
    let base = text.as_ptr() as usize;
    let signs = |token: &&str| token.contains(['/', '\\', '@', '#']);
    let place = |token: &str| token.as_ptr() as usize - base;
    ranges.extend(text.split_whitespace().filter(signs).map(|token| place(token)..place(token) + token.len()));
    ranges
}

/// The bytes of the quotation that begins here; 1 when it is a lone quote or an apostrophe.
fn quotation(text: &str, start: usize) -> usize {
    let quote = &text[start..=start];
    let apart = quote == "'";
    if apart && text[..start].ends_with(is_word) {
        return 1;
    }
    let inside = &text[start + 1..];
    let line = inside.split('\n').next().unwrap_or("");
    let Some(length) = line.find(quote) else { return 1 };
    let too_long = quote != "`" && line[..length].chars().count() > LONGEST_QUOTATION;
    if too_long || (apart && inside[length + 1..].starts_with(is_word)) { 1 } else { length + 2 }
}

#[cfg(test)]
mod tests {
    use super::super::examples;
    use super::*;
    use crate::document::tool::{ToolDocument, ToolText};

    fn correct(text: &str) -> String {
        let tools = ["create_dashboard", "listRepositories", "search_incidents", "kubectl"].map(|tool_name| {
            let described = "Alerts of kustomize and kubeconfig.";
            ToolDocument::new(&ToolText { server_name: "grafana", tool_name, described, ..ToolText::default() })
        });
        let vocabulary = Vocabulary::build(tools.iter());
        corrected(text, &vocabulary).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn one_slip_is_corrected_and_in_a_long_word_two() {
        for (text, meant) in examples("slips").map(|line| line.split_once(" | ").expect(line)) {
            assert_eq!(correct(text), meant);
        }
    }

    #[test]
    fn of_two_words_as_near_the_one_that_a_likely_slip_makes_is_meant() {
        let tools = ["pull_it", "poll_it"].map(|name| ToolDocument::named("grafana", name));
        let vocabulary = Vocabulary::build(tools.iter());
        for (text, meant) in [("pkll it", "poll it"), ("pyll it", "pull it")] {
            assert_eq!(corrected(text, &vocabulary).as_deref(), Some(meant));
        }
        for (word, meant, slip) in [
            ("creaet", "create", Slip::Swapped),
            ("grafanna", "grafana", Slip::Hit),
            ("comit", "commit", Slip::Hit),
            ("nerge", "merge", Slip::Hit),
            ("verge", "merge", Slip::Other),
            ("merg", "merge", Slip::Hit),
            ("mergde", "merge", Slip::Other),
        ] {
            assert_eq!(Slip::of(word, meant), slip, "{word}");
        }
    }

    #[test]
    fn known_words_code_names_of_people_quotations_and_other_languages_stay_as_they_are() {
        for text in examples("no slips").chain(["run ```\ncreaet dahsboard"]) {
            assert_eq!(correct(text), text);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_taken(text in "[a-c'\"`./@ \né。]{0,60}|\\PC{0,60}") {
            let once = correct(&text);
            proptest::prop_assert_eq!(correct(&text), once);
        }
    }
}
