//! Foreign text inside TypeScript: names, literals and comments that nothing breaks out of.

use std::fmt::Write as _;

use crate::text::hidden;

/// What stands for something that is left out: a comment wherever it stands.
pub const LOST: &str = "/*…*/";
/// What stands before the type of any other parameter.
pub const OTHERS: &str = "[key: string]: ";
/// The longest string of an enum that is shown.
const MOST_OF_VALUE: usize = 80;
const MOST_OF_SENTENCE: usize = 140;
/// So many lines of a description are looked at for one that says something.
const MOST_LINES: usize = 8;
/// A line that says something has so many words, or no other does.
const WORDS_THAT_SAY: usize = 3;
/// What a dot ends no sentence behind.
const ABBREVIATIONS: [&str; 7] = ["e.g", "i.e", "etc", "vs", "incl", "approx", "resp"];
/// Ends of lines to TypeScript, beside those that are control characters.
const LINE_ENDS: [char; 2] = ['\u{2028}', '\u{2029}'];

/// A string literal whose value is this text, in characters that a reader sees. Signatures travel in JSON, which would
/// escape other quotes.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    let mut eye = hidden::Eye::default();
    out.push('\'');
    for c in text.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            _ if eye.is_hidden(c) || c.is_control() || LINE_ENDS.contains(&c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push('\'');
    out
}

/// Whether a name needs no quotes as a key.
pub fn is_plain(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    name.chars().next().is_some_and(|first| !first.is_ascii_digit()) && name.chars().all(is_part)
}

/// A name as a key of an object type.
pub fn key(name: &str) -> String {
    if is_plain(name) { name.to_owned() } else { quoted(name) }
}

/// A string as a value of an enum; `None` for one that is too long.
pub fn value(text: &str) -> Option<String> {
    (text.len() <= MOST_OF_VALUE).then(|| quoted(text))
}

/// Text behind `//`: one line of visible characters.
pub fn comment(text: &str) -> String {
    let visible = hidden::strip(text);
    let spaced = visible.chars().map(|c| if c.is_control() || LINE_ENDS.contains(&c) { ' ' } else { c }).collect::<String>();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first sentence of a description, without the marks of a heading or a list. A heading, and a label such as `Purpose:`, gives way
/// to what it stands over.
pub fn sentence(description: &str) -> String {
    // Some servers escape their line ends twice.
    let lines = description.split("\\n").flat_map(str::lines);
    let bare = |line: &str| {
        let line = line.trim();
        (
            line.starts_with('#'),
            without_label(&comment(&line.trim_start_matches(['#', '*', '-', '>', ' ', '\t']).replace("**", ""))),
        )
    };
    let lines: Vec<(bool, String)> = lines.map(bare).filter(|(_, line)| !line.is_empty()).take(MOST_LINES).collect();
    let is_title = |(is_heading, line): &&(bool, String)| *is_heading || line.ends_with(':');
    let says = |(_, line): &&(bool, String)| line.split(' ').count() >= WORDS_THAT_SAY;
    let Some(first) = lines.first() else { return String::new() };
    let behind = || lines.iter().skip(1).find(|line| !is_title(line) && says(line));
    let (_, line) = Some(first).filter(|line| !is_title(line)).or_else(behind).unwrap_or(first);
    let whole = &line[..end_of_sentence(line)];
    if whole.chars().count() <= MOST_OF_SENTENCE {
        return whole.to_owned();
    }
    let cut: String = whole.chars().take(MOST_OF_SENTENCE).collect();
    let words = cut.rfind(' ').filter(|at| *at > MOST_OF_SENTENCE / 2).map_or(cut.as_str(), |at| &cut[..at]);
    format!("{words}…")
}

/// A line without a label of one or two words in front of what it says.
fn without_label(line: &str) -> String {
    let labelled = line.split_once(": ").filter(|(label, rest)| {
        let is_word = |word: &str| word.chars().all(char::is_alphabetic);
        label.split(' ').count() <= 2 && label.split(' ').all(is_word) && rest.split(' ').count() >= WORDS_THAT_SAY
    });
    labelled.map_or(line, |(_, rest)| rest.trim_start()).to_owned()
}

fn end_of_sentence(line: &str) -> usize {
    let ends = line.match_indices(['.', '!', '?', '。', '！', '？']).find(|(at, mark)| {
        let (before, behind) = (&line[..*at], &line[at + mark.len()..]);
        let word = before.rsplit([' ', '(']).next().unwrap_or("").to_lowercase();
        let is_short = word.chars().count() < 2 || ABBREVIATIONS.contains(&word.as_str());
        !mark.is_ascii() || behind.is_empty() || (behind.starts_with(' ') && !is_short)
    });
    ends.map_or(line.len(), |(at, mark)| if mark == "." { at } else { at + mark.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_stay_inside_their_quotes() {
        for (text, expected) in [
            ("a", "'a'"),
            ("a': never} //", r"'a\': never} //'"),
            ("a\nb\u{2028}c\\", r"'a\u{a}b\u{2028}c\\'"),
            ("zero\u{200b}width", r"'zero\u{200b}width'"),
            ("日本", "'日本'"),
        ] {
            assert_eq!(quoted(text), expected);
        }
        assert_eq!([key("a_$1"), key("1a"), key("a-b"), key("")], ["a_$1", "'1a'", "'a-b'", "''"]);
    }

    #[test]
    fn the_first_sentence_is_one_visible_line() {
        for (text, expected) in [
            ("Lists issues. Call it first.", "Lists issues"),
            ("\n## Lists issues\nMore", "Lists issues"),
            ("# Notes\n\nLists the notes of a page. More", "Lists the notes of a page"),
            ("**Purpose:** Writes a file", "Writes a file"),
            ("Example cURL request:\\nSends a mail to somebody.", "Sends a mail to somebody"),
            ("Purpose:", "Purpose:"),
            ("list: of", "list: of"),
            ("Reads a file (e.g. a.txt) of v1.2 now. More", "Reads a file (e.g. a.txt) of v1.2 now"),
            ("Is it there? Yes", "Is it there?"),
            ("列出问题。然后", "列出问题。"),
            ("One\u{2028}two\u{202e}", "One two"),
            ("", ""),
        ] {
            assert_eq!(sentence(text), expected);
        }
        let long = sentence(&"word ".repeat(100));
        assert!(long.ends_with("word…") && long.chars().count() <= MOST_OF_SENTENCE + 1);
    }
}
