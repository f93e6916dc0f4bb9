//! Cuts a text into the pieces that tokens never cross.
//!
//! What the expression of `o200k_base` says, by hand: three times faster than an engine for it, which would also have to
//! emulate its look-ahead. Its alternatives in their order are the branches of [`end_of_piece`].

use std::cmp::Ordering;

use once_cell::sync::Lazy;
use regex_syntax::hir::{Class as HirClass, HirKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Upper and title case (Lu, Lt).
    Upper,
    /// Lower case (Ll).
    Lower,
    /// Other letters (Lm, Lo), which stand for both cases.
    Letter,
    /// Marks (M), which do so too and are no letters.
    Mark,
    /// Numbers (N).
    Number,
    /// `\r` and `\n`.
    LineEnd,
    /// Other white space.
    Space,
    /// The rest.
    Other,
}

use Class::{Letter, LineEnd, Lower, Mark, Number, Other, Space, Upper};

impl Class {
    /// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
    fn begins_word(self) -> bool {
        matches!(self, Upper | Letter | Mark)
    }

    /// `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
    fn goes_on(self) -> bool {
        matches!(self, Lower | Letter | Mark)
    }

    /// `[^\s\p{L}\p{N}]`
    fn is_sign(self) -> bool {
        matches!(self, Mark | Other)
    }

    /// `[^\r\n\p{L}\p{N}]`
    fn may_lead(self) -> bool {
        matches!(self, Mark | Other | Space)
    }

    fn is_white(self) -> bool {
        matches!(self, Space | LineEnd)
    }

    fn of(c: char) -> Self {
        match c {
            'a'..='z' => Lower,
            'A'..='Z' => Upper,
            '0'..='9' => Number,
            '\r' | '\n' => LineEnd,
            _ if c.is_whitespace() => Space,
            _ if c.is_ascii() => Other,
            _ => {
                let find = |(start, end, _): &(char, char, Self)| {
                    if *end < c {
                        Ordering::Less
                    } else if *start > c {
                        Ordering::Greater
                    } else {
                        Ordering::Equal
                    }
                };
                CLASSES.binary_search_by(find).map_or(Other, |at| CLASSES[at].2)
            }
        }
    }
}

/// Ranges of characters in order.
static CLASSES: Lazy<Vec<(char, char, Class)>> = Lazy::new(|| {
    let expressions =
        [(r"[\p{Lu}\p{Lt}]", Upper), (r"\p{Ll}", Lower), (r"[\p{Lm}\p{Lo}]", Letter), (r"\p{M}", Mark), (r"\p{N}", Number)];
    let mut classes = Vec::new();
    for (expression, class) in expressions {
        if let Ok(hir) = regex_syntax::parse(expression)
            && let HirKind::Class(HirClass::Unicode(ranges)) = hir.kind()
        {
            classes.extend(ranges.iter().map(|range| (range.start(), range.end(), class)));
        }
    }
    classes.sort_unstable_by_key(|(start, _, _)| *start);
    classes
});

#[derive(Clone, Copy)]
struct Rest<'t>(&'t str);

impl<'t> Rest<'t> {
    fn first(self) -> Option<(char, Class)> {
        self.0.chars().next().map(|c| (c, Class::of(c)))
    }

    fn skip(self, bytes: usize) -> Self {
        Self(&self.0[bytes..])
    }

    /// How many bytes have such classes, of at most so many characters.
    fn run(self, most: usize, holds: impl Fn(char, Class) -> bool) -> usize {
        let ends = |(_, c): &(usize, char)| !holds(*c, Class::of(*c));
        let mut chars = self.0.char_indices();
        chars.by_ref().take(most).find(ends).map_or_else(|| chars.next().map_or(self.0.len(), |(at, _)| at), |(at, _)| at)
    }

    fn chars(self) -> std::str::Chars<'t> {
        self.0.chars()
    }
}

/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`
fn contraction(rest: Rest<'_>) -> usize {
    let mut chars = rest.chars();
    if chars.next() != Some('\'') {
        return 0;
    }
    // The long s is an s in another case.
    let next = |chars: &mut std::str::Chars<'_>| chars.next().map(|c| if c == 'ſ' { 's' } else { c.to_ascii_lowercase() });
    let first = rest.chars().nth(1).map_or(0, char::len_utf8);
    match (next(&mut chars), next(&mut chars)) {
        (Some('r' | 'v'), Some('e')) | (Some('l'), Some('l')) => 3,
        (Some('s' | 't' | 'm' | 'd'), _) => 1 + first,
        _ => 0,
    }
}

/// The first alternative after what may lead it: capitals and then small letters.
fn word(rest: Rest<'_>) -> Option<usize> {
    let capitals = rest.run(usize::MAX, |_, class| class.begins_word());
    let small = rest.skip(capitals).run(usize::MAX, |_, class| class.goes_on());
    if small > 0 {
        return Some(capitals + small);
    }
    // Small letters have to be taken from the capitals: the last one that may be small ends the word.
    let last = rest.0[..capitals].char_indices().rev().find(|(_, c)| Class::of(*c).goes_on());
    last.map(|(at, c)| at + c.len_utf8())
}

/// The second one, where the first one failed: capitals alone.
fn capitals(rest: Rest<'_>) -> Option<usize> {
    Some(rest.run(usize::MAX, |_, class| class.begins_word())).filter(|length| *length > 0)
}

fn end_of_piece(text: &str) -> usize {
    let rest = Rest(text);
    let Some((first, class)) = rest.first() else { return 0 };
    let led = if class.may_lead() { first.len_utf8() } else { 0 };
    let after = |found: fn(Rest<'_>) -> Option<usize>| found(rest.skip(led)).map(|length| led + length);
    // A mark leads a word or begins one.
    let begun = || if class == Mark { word(rest) } else { None };
    if let Some(length) = after(word).or_else(begun).or_else(|| after(capitals)) {
        return length + contraction(rest.skip(length));
    }
    if class == Number {
        return rest.run(3, |_, class| class == Number);
    }
    let space = usize::from(first == ' ');
    let signs = rest.skip(space).run(usize::MAX, |_, class| class.is_sign());
    if signs > 0 {
        let length = space + signs;
        return length + rest.skip(length).run(usize::MAX, |c, _| matches!(c, '\r' | '\n' | '/'));
    }
    let white = rest.run(usize::MAX, |_, class| class.is_white());
    let run = &text[..white];
    if let Some(last) = run.rfind(['\r', '\n']) {
        return last + 1;
    }
    // All of the white space at the end; elsewhere the last of it leads what follows.
    let last = run.chars().next_back().map_or(0, char::len_utf8);
    if white == text.len() || white == last { white } else { white - last }
}

/// The pieces of a text, in order.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, following) = rest.split_at(end_of_piece(rest));
        rest = following;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_words_with_what_leads_them_numbers_signs_and_white_space() {
        for (text, expected) in [
            ("Hello world, it's 12345", &["Hello", " world", ",", " it's", " ", "123", "45"][..]),
            ("parseHTTPUrl getIssue", &["parse", "HTTPUrl", " get", "Issue"]),
            ("a  b\n\n  c   ", &["a", " ", " b", "\n\n", " ", " c", "   "]),
            ("x = {\"a\": [1]}\n", &["x", " =", " {\"", "a", "\":", " [", "1", "]}\n"]),
            ("I'LL we'RE", &["I'LL", " we'RE"]),
            ("", &[]),
        ] {
            assert_eq!(pieces(text).collect::<Vec<_>>(), expected, "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn pieces_are_the_text_and_none_is_empty(text in "[A-Ca-c'ªƻ\u{300} 1\n/.]{0,40}|\\PC{0,40}") {
            proptest::prop_assert_eq!(pieces(&text).collect::<String>(), text.as_str());
            proptest::prop_assert!(pieces(&text).all(|piece| !piece.is_empty()));
        }
    }
}
