//! A text in passages, which words find and answers quote: lines that belong together, by blank lines and by how far they
//! are indented.

use std::ops::Range;

use super::lines::{MAX_LINE, lines};

/// Lines of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    pub range: Range<usize>,
    /// Its first line, from 1, and its last one.
    pub first: usize,
    pub last: usize,
}

impl Passage {
    /// Its place, for whoever reads it.
    pub fn place(&self) -> String {
        let Self { first, last, .. } = self;
        if first == last { format!("line {first}") } else { format!("lines {first}-{last}") }
    }
}

/// Shorter passages go on with what follows them.
const MIN_PASSAGE: usize = 120;
/// How many lines are looked at for blank ones.
const SAMPLE: usize = 400;

pub fn passages(text: &str) -> Vec<Passage> {
    let is_by_line = has_no_paragraphs(text);
    let mut found: Vec<Passage> = Vec::new();
    // Of the passage, and of the line before.
    let (mut indent, mut last_indent, mut is_after_blank) = (0, 0, false);
    for line in lines(text) {
        let said = line.text.trim_start();
        if said.is_empty() {
            is_after_blank = true;
            continue;
        }
        let own_indent = line.text.len() - said.len();
        // Of prose a heading, an item of a list or a hunk begins something; of records each line that is not indented as far.
        let is_sign = said.starts_with(|c: char| !c.is_alphanumeric());
        let is_end = said.starts_with(['}', ']', ')']);
        let is_out = own_indent <= indent || own_indent < last_indent;
        let begins = is_after_blank || (is_out && (is_by_line || is_sign) && !is_end);
        is_after_blank = false;
        if !is_end {
            last_indent = own_indent;
        }
        match found.last_mut() {
            Some(open) if line.range.end - open.range.start <= MAX_LINE && !(begins && open.range.len() >= MIN_PASSAGE) => {
                (open.range.end, open.last) = (line.range.end, line.number);
            }
            _ => {
                indent = own_indent;
                found.push(Passage { range: line.range, first: line.number, last: line.number });
            }
        }
    }
    found
}

/// Whether a text is line after line, as programs write them.
fn has_no_paragraphs(text: &str) -> bool {
    let count = |(all, blank), line: super::lines::Line<'_>| (all + 1, blank + usize::from(line.text.trim().is_empty()));
    let (all, blank) = lines(text).take(SAMPLE).fold((0, 0), count);
    blank * 20 < all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        passages(text).into_iter().map(|passage| &text[passage.range]).collect()
    }

    #[test]
    fn prose_is_cut_at_blank_lines_and_records_where_they_begin() {
        let paragraph = "Some words about one thing,\nthat go on. ".repeat(4);
        let prose = format!("# Title\n\n{paragraph}\n\n- an item: {paragraph}\n- another item");
        assert_eq!(cut(&prose).len(), 3);
        let record = |at: usize| format!("  {{\n    \"id\": {at},\n    \"note\": \"{}\"\n  }}", "word ".repeat(30));
        let json = format!("[\n{}\n]", (0..5).map(record).collect::<Vec<_>>().join(",\n"));
        assert_eq!(cut(&json).iter().filter(|text| text.contains("\"id\"") && text.contains("\"note\"")).count(), 5);
        let trace = format!("Error: one{0}\n    at a\n    at b\nError: two{0}\n    at c", " more".repeat(30));
        assert_eq!(cut(&trace).len(), 2);
    }

    proptest::proptest! {
        #[test]
        fn passages_stand_in_order_and_have_all_that_is_said(text in "([a-z{# ]{0,200}\n){0,30}|[a-z,é]{0,3000}") {
            let found = passages(&text);
            let plain = |text: &str| text.split_whitespace().collect::<String>();
            let joined: String = found.iter().map(|passage| plain(&text[passage.range.clone()])).collect();
            proptest::prop_assert_eq!(joined, plain(&text));
            proptest::prop_assert!(found.windows(2).all(|pair| pair[0].last < pair[1].first));
            proptest::prop_assert!(found.iter().all(|passage| passage.range.len() <= MAX_LINE));
        }
    }
}
