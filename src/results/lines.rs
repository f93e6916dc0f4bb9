//! The lines of a text with their places, one after the other: a text of line ends alone has millions.

use std::ops::Range;

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

/// The lines of a text.
pub fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut at = 0;
    text.split_inclusive('\n').enumerate().map(move |(index, whole)| {
        let line = whole.strip_suffix('\n').unwrap_or(whole);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let range = at..at + line.len();
        at += whole.len();
        Line { number: index + 1, range, text: line }
    })
}

/// How many lines a text has.
pub fn count(text: &str) -> usize {
    text.split_inclusive('\n').count()
}

/// What `10-40` or `7` says: both ends are included. `None` for anything else.
#[must_use]
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
        assert_eq!(count(text), 3);
    }

    #[test]
    fn a_range_is_two_numbers_or_one() {
        assert_eq!(
            (range("10-40"), range(" 7 "), range("4-3"), range("x"), range("-1")),
            (Some((10, 40)), Some((7, 7)), None, None, None)
        );
    }
}
