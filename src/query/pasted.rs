//! Text pasted into a request: code, logs, stack traces, data, diffs.
//!
//! A person asks in two lines and pastes eighty; the words of the eighty decide the ranking. So the
//! lines that read as code or output are left out of what is ranked. Requests of four labelled sets
//! with a block pasted before or after them: 83 of 100 tools in the first ten before, 90 now, 91
//! without the block; 2 of 7,300 requests without one change.
//!
//! It is a matter of lines, so a request of fewer than four lines and without a fence stays whole.

use once_cell::sync::Lazy;

use super::request::Query;
use super::rows;
use super::vocabulary::Vocabulary;
use crate::text::pattern::Pattern;
use crate::text::terms::{is_cjk, is_stop_word, words};

/// Fewer lines are a request with a line break, not a pasted block.
const FEWEST_LINES: usize = 4;
/// A request that has fewer words left was all code, and the code is what is asked.
const FEWEST_WORDS: usize = 3;
/// The shortest run of lines that is judged together.
const SHORTEST_RUN: usize = 3;
/// The shortest line that its marks alone give away.
const SHORTEST_MARKED_LINE: usize = 8;

/// What a line of code, output or data looks like.
static CODE_LINE: Lazy<Option<Pattern>> = Lazy::new(|| Pattern::any(&rows(include_str!("data/pasted.txt")).collect::<Vec<_>>()));
static SENTENCE: Lazy<Option<Pattern>> = Lazy::new(|| Pattern::new(r"^[A-Z][^;{}<>=]*(?:\s+\S+){4,}[.?!:]$"));

/// The step: begins again with what a person wrote, text and names, and counts the bytes that it
/// leaves out. What is left must say something about the tools, unless nothing does: what looks like
/// code may be the request.
pub(super) fn leave_out(query: &mut Query, vocabulary: &Vocabulary) {
    let says_something = |text: &str| {
        let mut pieces = words(text).into_iter().flat_map(|word| word.pieces);
        pieces.any(|word| !is_stop_word(&word) && vocabulary.contains_form(&word))
    };
    let asked = prose(&query.text).filter(|asked| says_something(asked) || !says_something(&query.text));
    if let Some(asked) = asked {
        let pasted_bytes = query.text.len().saturating_sub(asked.len());
        *query = Query { cut: query.cut, pasted_bytes, ..Query::new(&asked) };
    }
}

/// What a person wrote of a request, without what was pasted into it; `None` when nothing was.
pub fn prose(text: &str) -> Option<String> {
    let marked = text.contains("```") || text.contains("<environment_details>");
    if !marked && text.lines().count() < FEWEST_LINES {
        return None;
    }
    let outside = without_fences(&without_wrapping(text));
    let lines: Vec<&str> = outside.lines().collect();
    let mut kept: Vec<&str> = if lines.len() < FEWEST_LINES {
        lines
    } else {
        lines.iter().zip(judged(&lines)).filter(|(_, judged)| *judged != Some(true)).map(|(line, _)| *line).collect()
    };
    kept.retain(|line| !line.trim().is_empty());
    let word_count: usize =
        kept.iter().map(|line| line.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).count()).sum();
    let wide = kept.iter().flat_map(|line| line.chars()).filter(|c| is_cjk(*c)).count();
    let whole = text.lines().filter(|line| !line.trim().is_empty()).count();
    (word_count + wide / 3 >= FEWEST_WORDS && kept.len() < whole).then(|| kept.join("\n"))
}

/// What hosts add to a request: a list of open files and the like.
static HOST_CONTEXT: Lazy<Option<Pattern>> =
    Lazy::new(|| Pattern::new(r"(?s)<environment_details>.*?(?:</environment_details>|\z)"));
/// What hosts put around a request.
static HOST_TAGS: Lazy<Option<Pattern>> = Lazy::new(|| Pattern::new(r"</?(?:task|feedback|user_message|answer)>"));

/// The text without what a host wraps it in.
fn without_wrapping(text: &str) -> String {
    let mut text = text.to_owned();
    for pattern in [&HOST_CONTEXT, &HOST_TAGS].into_iter().filter_map(|pattern| pattern.as_ref()) {
        text = pattern.replaced(&text, "");
    }
    text
}

/// The text without what stands between fences; a fence that is not closed goes to the end.
fn without_fences(text: &str) -> String {
    let mut outside = String::with_capacity(text.len());
    for (at, part) in text.split("```").enumerate() {
        if at % 2 == 0 {
            outside.push_str(part);
            outside.push('\n');
        }
    }
    outside
}

/// Whether each line is code; `None` for an empty one.
fn judged(lines: &[&str]) -> Vec<Option<bool>> {
    let mut judged: Vec<Option<bool>> = lines.iter().map(|line| is_code(line)).collect();
    let indented = |line: &str| line.starts_with('\t') || line.starts_with("  ");
    // An indented line beside code is code.
    for at in 1..lines.len() {
        if judged[at] == Some(false) && judged[at - 1] == Some(true) && indented(lines[at]) {
            judged[at] = Some(true);
        }
    }
    for at in (0..lines.len().saturating_sub(1)).rev() {
        if judged[at] == Some(false) && judged[at + 1] == Some(true) && indented(lines[at]) {
            judged[at] = Some(true);
        }
    }
    // A paragraph that is half code is code, except for its sentences.
    let mut start = 0;
    while start < lines.len() {
        let run = judged[start..].iter().take_while(|line| line.is_some()).count();
        let code = judged[start..start + run].iter().filter(|line| **line == Some(true)).count();
        if run >= SHORTEST_RUN && code * 2 >= run {
            for at in start..start + run {
                if !SENTENCE.as_ref().is_some_and(|sentence| sentence.is_in(lines[at].trim())) {
                    judged[at] = Some(true);
                }
            }
        }
        start += run + 1;
    }
    judged
}

fn is_code(line: &str) -> Option<bool> {
    let trimmed = line.trim();
    if trimmed.is_empty() {
        return None;
    }
    if CODE_LINE.as_ref().is_some_and(|code| code.is_in(line)) {
        return Some(true);
    }
    let prose_mark = |c: char| matches!(c, '.' | ',' | '!' | '?' | '\'' | '"' | '-' | '’' | '。' | '，' | '、' | '？' | '！');
    let marks = trimmed.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace() && !prose_mark(*c)).count();
    let length = trimmed.chars().count();
    Some(length >= SHORTEST_MARKED_LINE && marks * 4 > length)
}

#[cfg(test)]
mod tests {
    use super::super::examples;
    use super::*;

    #[test]
    fn patterns_are_valid() {
        assert!(CODE_LINE.is_some() && SENTENCE.is_some());
    }

    #[test]
    fn pasted_blocks_are_left_out_and_what_was_asked_stays() {
        let asked = "Find out since when this happens and open a ticket for the team.";
        for block in [
            "panic: index out of range [3] with length 3\n\ngoroutine 1 [running]:\nmain.main()\n\t/app/main.go:14 +0x1d\nexit status 2",
            "```\nanything at all\nin a fence\n```",
            "total = 0\nfor row in rows:\n    total += row.amount\nprint(total)",
            "server:\n  port: 8080\n  host: \"0.0.0.0\"\n  tls: true",
            "2026-03-01T10:00:00Z ERROR db timed out\n2026-03-01T10:00:01Z WARN retry\n2026-03-01T10:00:02Z INFO done",
            "--- a/x.rs\n+++ b/x.rs\n@@ -1,2 +1,2 @@\n-let a = 1;\n+let a = 2;",
            "SELECT id, name\nFROM users\nWHERE age > 30\nORDER BY name;",
            "<ul>\n  <li>one</li>\n  <li>two</li>\n</ul>",
        ] {
            for request in [format!("{asked}\n\n{block}"), format!("{block}\n\n{asked}")] {
                assert_eq!(prose(&request).as_deref(), Some(asked), "{request}");
            }
        }
    }

    #[test]
    fn what_a_host_wraps_around_a_request_is_left_out() {
        let request = "<task>\ncreate an issue on github about the crash\n</task>\n\n<environment_details>\n# VSCode Open Tabs\nsrc/calendar/attendees.ts, README.md\n</environment_details>";
        assert_eq!(prose(request).as_deref(), Some("create an issue on github about the crash"));
        let short = "<user_message>post it to slack please</user_message> <environment_details>\n# Tabs\n</environment_details>";
        assert_eq!(prose(short).as_deref(), Some("post it to slack please "));
    }

    #[test]
    fn prose_that_looks_a_little_like_code_stays() {
        for line in examples("prose") {
            assert_eq!(is_code(line), Some(false), "{line}");
        }
    }

    #[test]
    fn a_request_without_pasted_text_stays_whole() {
        for request in [
            "list the open issues",
            "Do three things:\n- find the newest incident\n- write a summary of it\n- mail it to Ana",
            "Hello,\n\nplease set up the project.\nThen run the tests.\nTell me what fails.\n\nThanks, Kim",
            "```\nonly code here\n```",
            "const a = 1;\nconst b = 2;\nconst c = a + b;\nconsole.log(c);",
            "",
        ] {
            assert_eq!(prose(request), None, "{request}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_left_are_lines_of_the_text_in_order(lines in proptest::collection::vec("[a-z ={};:\"]{0,20}", 0..12)) {
            let text = lines.join("\n");
            if let Some(left) = prose(&text) {
                let mut all = text.lines();
                proptest::prop_assert!(left.lines().all(|line| all.any(|other| other == line)));
            }
        }
    }
}
