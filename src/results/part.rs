//! The texts of a result, each of one kind: a line of prose before a JSON value is a text of its own.

use std::ops::Range;
use std::sync::Arc;

use super::json;
use super::kind::Kind;
use super::lines;

/// A text of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What it says.
    pub text: Arc<str>,
    /// What it is.
    pub kind: Kind,
    /// The number of its first line in the whole result, from 1.
    pub first_line: usize,
}

/// Prose before a JSON value: a sentence or two.
const MOST_BEFORE: usize = 2_048;
/// What stands behind it.
const FENCE: &str = "```";

impl Part {
    /// The texts of a result, in which JSON stands apart from what is said about it.
    pub fn all(texts: Vec<String>) -> Vec<Self> {
        let mut parts: Vec<Self> = Vec::new();
        let mut first_line = 1;
        for text in as_one_array(texts).into_iter().flat_map(apart) {
            let count = lines::count(&text);
            parts.push(Self { kind: Kind::of(&text), text: text.into(), first_line });
            first_line += count;
        }
        parts
    }

    /// The bytes of its JSON value, without white space around it.
    pub fn value(&self) -> Range<usize> {
        let start = self.text.len() - self.text.trim_start().len();
        start..self.text.trim_end().len().max(start)
    }
}

/// Some servers answer a list as a text per element: together they are an array.
fn as_one_array(texts: Vec<String>) -> Vec<String> {
    let is_element = |text: &String| text.trim_start().starts_with(['{', '[']) && json::is_value(text);
    if texts.len() < 2 || !texts.iter().all(is_element) {
        return texts;
    }
    vec![format!("[\n{}\n]", texts.join(",\n"))]
}

/// A text, or what stands before, in and behind the JSON value in it.
fn apart(text: String) -> Vec<String> {
    let Some(range) = value_within(&text) else { return vec![text] };
    let pieces = [&text[..range.start], &text[range.clone()], &text[range.end..]];
    let says_something = |piece: &&str| !piece.trim().trim_matches('`').trim().is_empty();
    pieces.into_iter().filter(says_something).map(str::to_owned).collect()
}

/// A large JSON value that begins a line near the start and has most of the text.
fn value_within(text: &str) -> Option<Range<usize>> {
    let head = &text[..text.floor_char_boundary(MOST_BEFORE)];
    let starts = lines::lines(head).filter(|line| line.text.starts_with(['{', '[']) && line.range.start > 0);
    for start in starts.map(|line| line.range.start).take(8) {
        let Some(length) = json::value_at_start(&text[start..]) else { continue };
        let rest = text[start + length..].trim_start().trim_start_matches(FENCE);
        if length > text.len() / 2 && rest.len() < MOST_BEFORE {
            return Some(start..start + length);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(texts: &[&str]) -> Vec<(&'static str, usize)> {
        let parts = Part::all(texts.iter().map(|text| (*text).to_owned()).collect());
        parts.iter().map(|part| (part.kind.name(), part.first_line)).collect()
    }

    #[test]
    fn what_is_said_about_json_is_a_text_of_its_own() {
        let list = format!("Found 2 issues:\n[{}]", vec!["{\"id\": 1}"; 20].join(","));
        assert_eq!(kinds(&[&list]), [("text", 1), ("json", 2)]);
        let fenced = format!("Here:\n\n```json\n{{\"a\": \"{}\"}}\n```\nDone.", "x".repeat(200));
        assert_eq!(kinds(&[&fenced]), [("text", 1), ("json", 4), ("text", 5)]);
        assert_eq!(kinds(&["see [1]\n[1] a note, and much more than that is said here"]), [("text", 1)]);
    }

    #[test]
    fn a_json_value_per_text_is_one_array() {
        let parts = Part::all(vec!["{\"a\":1}".into(), "{\"a\":2}".into()]);
        assert_eq!((parts.len(), parts[0].kind), (1, Kind::Json));
        assert_eq!(&parts[0].text[parts[0].value()], "[\n{\"a\":1},\n{\"a\":2}\n]");
        assert_eq!(kinds(&["{\"a\":1}", "text"]), [("json", 1), ("text", 2)]);
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_lost(text in "([a-z:` ]{0,12}\n)?[\\[{]?[\\[{}\\]0-9,\": \n]{0,40}[a-z`\n]{0,9}") {
            let parts = Part::all(vec![text.clone()]);
            let joined: String = parts.iter().map(|part| part.text.as_ref()).collect();
            let plain = |text: &str| text.replace(['`', '\n', ' '], "");
            proptest::prop_assert_eq!(plain(&joined), plain(&text));
        }
    }
}
