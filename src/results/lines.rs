//! The lines of a text with their places, one after the other: a text of line ends alone has millions. A line that is too
//! long to quote is several, so that each place of JSON without line ends has a number too.

use std::ops::Range;

/// Bytes of one line, about 200 tokens.
pub const MAX_LINE: usize = 800;
/// A piece of a longer line ends behind an object or a list that ends behind so many bytes.
const MIN_PIECE: usize = 200;

/// A line without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<'t> {
    /// From 1.
    pub number: usize,
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// What it says.
    pub text: &'t str,
}

pub fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut places = (1.., 0);
    std::iter::from_fn(move || {
        let (numbers, at) = &mut places;
        let (start, rest) = (*at, &text[*at..]);
        let head = &rest[..rest.floor_char_boundary(MAX_LINE + "\r\n".len())];
        let mut end = head.find('\n').map_or(head.len(), |at| at + 1);
        let mut line = without_end(&head[..end]);
        if line.len() > MAX_LINE {
            end = piece(head);
            line = &head[..end];
        }
        *at += end;
        (!rest.is_empty()).then(|| Line { number: numbers.next().unwrap_or(0), range: start..start + line.len(), text: line })
    })
}

fn without_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// Where a piece of a long line ends: behind an object or a list, or else between words.
fn piece(head: &str) -> usize {
    let head = &head[..head.floor_char_boundary(MAX_LINE)];
    let from = head.ceil_char_boundary(MIN_PIECE);
    let behind = |end: &str| head[from..].find(end).map(|at| from + at + end.len());
    let between = |c: char| c.is_whitespace() || matches!(c, '>' | ',' | ';');
    let word = || head.char_indices().rev().find(|(_, c)| between(*c)).map(|(at, c)| at + c.len_utf8());
    let record = behind("},").into_iter().chain(behind("],")).min();
    record.or_else(|| word().filter(|end| *end > MAX_LINE / 2)).unwrap_or(head.len())
}

pub fn count(text: &str) -> usize {
    lines(text).count()
}

/// What `10-40` or `7` says: both ends are included. `None` for anything else.
pub fn range(text: &str) -> Option<(usize, usize)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first <= last).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_numbers_and_places() {
        let text = "a\r\n\né";
        let found: Vec<(usize, &str)> = lines(text).map(|line| (line.number, line.text)).collect();
        assert_eq!(found, [(1, "a"), (2, ""), (3, "é")]);
        assert!(lines(text).all(|line| &text[line.range.clone()] == line.text));
        assert_eq!((count(text), count("")), (3, 0));
    }

    #[test]
    fn a_long_line_is_several_that_end_behind_records_or_words() {
        let record = format!("{{\"text\":\"{}\"}}", "word ".repeat(50));
        let rows = format!("[{}]", [record.as_str(); 9].join(","));
        assert_eq!(count(&rows), 7, "the last three are short enough for one");
        assert!(lines(&rows).all(|line| line.text.contains("{\"text\"")));
        let words = "a few words, ".repeat(200);
        assert!(lines(&words).all(|line| line.text.len() <= MAX_LINE && line.text.ends_with([' ', ','])));
        let unbroken = "é".repeat(MAX_LINE);
        assert_eq!(lines(&unbroken).map(|line| line.text).collect::<String>(), unbroken);
    }

    #[test]
    fn a_range_is_two_numbers_or_one() {
        assert_eq!(
            (range("10-40"), range(" 7 "), range("4-3"), range("x"), range("-1")),
            (Some((10, 40)), Some((7, 7)), None, None, None)
        );
    }

    proptest::proptest! {
        #[test]
        fn lines_have_all_of_a_text_but_its_line_ends(text in "([a-z{}\\[\\], é]{0,900}\r?\n?){0,4}") {
            let joined: String = lines(&text).map(|line| line.text).collect();
            proptest::prop_assert_eq!(joined.replace('\r', ""), text.replace(['\r', '\n'], ""));
        }
    }
}
