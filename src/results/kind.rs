//! What a text is: each kind is described, and cut into passages, in a way of its own.

use super::json;
use super::lines::{Line, lines};

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One JSON value.
    Json,
    /// A JSON value in each line.
    JsonLines,
    /// Rows with a separator, and perhaps a line of names first.
    Table(char),
    /// Records that begin with a time or a level.
    Log,
    /// Changes of files, with or without the commits they belong to.
    Diff,
    /// Frames of a stack.
    Trace,
    /// Markdown or HTML.
    Page,
    /// Anything else.
    Text,
}

impl Kind {
    /// The stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::JsonLines => "json-lines",
            Self::Table(_) => "table",
            Self::Log => "log",
            Self::Diff => "diff",
            Self::Trace => "trace",
            Self::Page => "page",
            Self::Text => "text",
        }
    }

    /// What a text is.
    pub fn of(text: &str) -> Self {
        let start = text.trim_start();
        if start.starts_with(['{', '[']) && json::is_value(text) {
            return Self::Json;
        }
        let sample: Vec<Line<'_>> = lines(text).filter(|line| !line.text.trim().is_empty()).take(SAMPLE).collect();
        if sample.is_empty() {
            return Self::Text;
        }
        let share = |is: fn(&str) -> bool| share_of(&sample, is);
        if start.starts_with('{') && sample.len() > 1 && share(json::is_value) >= MOST {
            return Self::JsonLines;
        }
        if is_diff(&sample) {
            return Self::Diff;
        }
        if start.starts_with('<') && text.contains("</") {
            return Self::Page;
        }
        if share(is_frame) >= SOME && sample.iter().filter(|line| is_frame(line.text)).count() > 1 {
            return Self::Trace;
        }
        if share(begins_record) >= HALF {
            return Self::Log;
        }
        if let Some(separator) = separator(&sample) {
            return Self::Table(separator);
        }
        if sample.iter().any(|line| heading(line.text).is_some()) { Self::Page } else { Self::Text }
    }
}

/// How many lines are looked at.
const SAMPLE: usize = 200;
const MOST: f64 = 0.9;
const HALF: f64 = 0.5;
/// Messages, sources and causes stand between frames.
const SOME: f64 = 0.3;
/// How much of a line says what it is.
const SHOWN_BYTES: usize = 400;
/// A line whose level stands behind so much is not known by it.
const LEVEL_BYTES: usize = 64;

#[expect(clippy::cast_precision_loss, reason = "at most as many as the sample has")]
fn share_of(sample: &[Line<'_>], is: fn(&str) -> bool) -> f64 {
    sample.iter().filter(|line| is(line.text)).count() as f64 / sample.len() as f64
}

fn head(line: &str, most: usize) -> &str {
    &line[..line.floor_char_boundary(most)]
}

fn is_diff(sample: &[Line<'_>]) -> bool {
    let has = |start: &str| sample.iter().any(|line| line.text.starts_with(start));
    has("diff --git ") || (has("--- ") && has("+++ ") && has("@@ "))
}

/// Whether a line is a frame of a stack, of one of the common runtimes.
pub fn is_frame(line: &str) -> bool {
    let line = head(line.trim_start(), SHOWN_BYTES);
    let is_numbered = || {
        let digits = line.trim_start_matches('#').find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
        let after = &line.trim_start_matches('#')[digits..];
        digits > 0 && (after.starts_with(": ") || (line.starts_with('#') && after.starts_with(' ')))
    };
    line.starts_with("at ") || line.starts_with("File \"") || line.starts_with("from ") && line.contains(":in ") || is_numbered()
}

/// The level of a record, if it says one near its beginning.
pub fn level(line: &str) -> Option<&'static str> {
    const LEVELS: [(&str, &str); 12] = [
        ("FATAL", "fatal"),
        ("CRITICAL", "fatal"),
        ("ERROR", "error"),
        ("ERR!", "error"),
        ("ERR", "error"),
        ("WARNING", "warning"),
        ("WARN", "warning"),
        ("INFO", "info"),
        ("NOTICE", "info"),
        ("DEBUG", "debug"),
        ("TRACE", "debug"),
        ("VERBOSE", "debug"),
    ];
    let head = head(line, LEVEL_BYTES);
    let words = head.split(|c: char| !(c.is_ascii_alphabetic() || c == '!')).filter(|word| word.len() > 2);
    let mut upper = words.filter(|word| word.bytes().all(|b| b.is_ascii_uppercase() || b == b'!'));
    let found = |word: &str| LEVELS.iter().find(|(name, _)| *name == word).map(|(_, level)| *level);
    let said = upper.find_map(found);
    said.or_else(|| {
        let start = head.trim_start();
        let of_compiler = |word: &str| start.starts_with(word) && start[word.len()..].starts_with([':', '[']);
        [("error", "error"), ("warning", "warning")].into_iter().find(|(word, _)| of_compiler(word)).map(|(_, level)| level)
    })
}

/// Whether a line begins a record of a log: with a time, or with a level.
pub fn begins_record(line: &str) -> bool {
    if line.starts_with(|c: char| c.is_whitespace()) {
        return false;
    }
    begins_with_time(line) || level(line).is_some()
}

/// `2024-05-01 10:00`, `[10:00:00`, `May  1 10:00:00`, `10.0.0.1 - - [01/May/2024:10:00:00`, or seconds since 1970.
fn begins_with_time(line: &str) -> bool {
    let head = head(line, LEVEL_BYTES).trim_start_matches(['[', '(', '<', '"']).as_bytes();
    let digits = head.iter().take_while(|b| b.is_ascii_digit()).count();
    let is_digit = |at: usize| head.get(at).is_some_and(u8::is_ascii_digit);
    let sign = |at: usize| head.get(at).copied().unwrap_or(0);
    let is_date = digits == 4 && matches!(sign(4), b'-' | b'/') && is_digit(5) && is_digit(6);
    let is_time = |at: usize| is_digit(at) && is_digit(at + 1) && sign(at + 2) == b':' && is_digit(at + 3) && is_digit(at + 4);
    let is_epoch = (10..=13).contains(&digits) && matches!(sign(digits), b'.' | b' ' | b']' | b':');
    is_date || is_epoch || (0..head.len().min(48)).any(|at| is_time(at) && (at == 0 || !is_digit(at - 1)))
}

/// The level and text of a heading.
pub fn heading(line: &str) -> Option<(usize, &str)> {
    let line = head(line, SHOWN_BYTES);
    let level = line.bytes().take_while(|b| *b == b'#').count();
    if (1..=6).contains(&level) {
        let text = line[level..].strip_prefix(' ')?.trim();
        return (!text.is_empty()).then_some((level, text));
    }
    // Of HTML.
    let rest = line.trim_start().strip_prefix("<h")?;
    let level = usize::from(rest.bytes().next()?.checked_sub(b'0')?);
    let text = rest.split_once('>')?.1.split('<').next()?.trim();
    ((1..=6).contains(&level) && !text.is_empty()).then_some((level, text))
}

/// The character that separates the cells of most lines.
fn separator(sample: &[Line<'_>]) -> Option<char> {
    if sample.len() < 3 {
        return None;
    }
    ['\t', '|', ';', ','].into_iter().find(|separator| {
        let first = cells(sample[0].text, *separator);
        // Prose has commas; a table has as many of them in each line, and no cell of many words.
        let least = if *separator == ',' { 3 } else { 2 };
        let is_row = |line: &&Line<'_>| cells(line.text, *separator) == first;
        first >= least && sample.iter().filter(is_row).count() * 10 >= sample.len() * 9
    })
}

/// How many cells a line has; a separator within quotation marks ends none.
fn cells(line: &str, separator: char) -> usize {
    let mut quoted = false;
    let ends = head(line, 16 * SHOWN_BYTES).chars().filter(|c| {
        quoted ^= *c == '"';
        *c == separator && !quoted
    });
    1 + ends.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_known_by_its_shape() {
        let cases = [
            ("{\"a\": [1, 2]}", "json"),
            (" [1]\n", "json"),
            ("{\"a\":1}\n{\"a\":2}\n", "json-lines"),
            ("id,name,age\n1,\"a, b\",3\n2,c,4\n", "table"),
            ("| a | b |\n| --- | --- |\n| 1 | 2 |\n", "table"),
            ("a\tb\n1\t2\n3\t4\n", "table"),
            ("2024-05-01T10:00:00Z up\n2024-05-01T10:00:01Z down\n  more\n", "log"),
            ("May  1 10:00:00 host sshd[1]: hello\nMay  1 10:00:01 host sshd[1]: bye\n", "log"),
            ("INFO start\nWARN slow\nERROR end\n", "log"),
            (
                "10.0.0.1 - - [01/May/2024:10:00:00 +0000] \"GET /\" 200\n10.0.0.1 - - [01/May/2024:10:00:01 +0000] \"GET /\" 404\n",
                "log",
            ),
            ("commit abc\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "diff"),
            ("TypeError: x\n    at f (a.js:1:2)\n    at g (a.js:3:4)\n", "trace"),
            (
                "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    x()\n  File \"b.py\", line 2, in g\n    y()\nValueError: z\n",
                "trace",
            ),
            ("<!doctype html><html><body></body></html>", "page"),
            ("# Title\n\nText, with commas, in it.\n", "page"),
            ("Just a text.\nOf two lines, not more.\nAnd a third one, at last.\n", "text"),
            ("", "text"),
            ("{\"a\": ", "text"),
        ];
        for (text, kind) in cases {
            assert_eq!(Kind::of(text).name(), kind, "{text}");
        }
    }

    #[test]
    fn levels_are_words_of_their_own_near_the_beginning() {
        assert_eq!(level("2024-05-01 10:00:00 [ERROR] no"), Some("error"));
        assert_eq!(level("npm ERR! code E404"), Some("error"));
        assert_eq!(level("warning: unused variable"), Some("warning"));
        assert_eq!(level("error[E0382]: use of moved value"), Some("error"));
        assert_eq!(level("TERRORS and an error somewhere"), None);
    }

    #[test]
    fn headings_are_those_of_markdown_and_html() {
        assert_eq!(heading("## Install it"), Some((2, "Install it")));
        assert_eq!(heading("  <h3 id=\"x\">Use</h3>"), Some((3, "Use")));
        assert_eq!((heading("#!/bin/sh"), heading("#"), heading("<hr>"), heading("####### x")), (None, None, None, None));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_of_a_kind(text in "[a#<{\\[|,;\t\"0-9:é \n-]{0,80}|\\PC{0,40}") {
            let _ = (Kind::of(&text), level(&text), heading(&text), is_frame(&text));
        }
    }
}
