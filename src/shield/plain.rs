//! A text as a model reads it, whatever it looks like: without markup and marks over letters, letters of other forms as the plain ones
//! that they stand for, and words apart where a text has them in one, or in a column.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Bytes of a tag and of a reference to a character: what is longer is none.
const LONGEST_TAG: usize = 64;
const LONGEST_REFERENCE: usize = 10;
/// So many parts of one word are a sentence: few names have as many.
const LEAST_PARTS: usize = 5;
/// So many single letters with a sign between them are a word.
const LEAST_LETTERS: usize = 3;
/// So many lines of so few words are one sentence in a column.
const LEAST_LINES: usize = 6;
const WORDS_OF_LINE: usize = 2;

/// `None` where the text is plain.
pub(super) fn plain(text: &str) -> Option<String> {
    let shown = without_tags(text);
    let letters = shown.nfkd().filter(|c| !is_combining_mark(*c) && !matches!(c, '*' | '`' | '~'));
    let letters: String = letters.collect();
    let lines = column(&letters);
    let words: Vec<Cow<'_, str>> = lines.split(' ').map(parted).collect();
    let plain = words.join(" ");
    (plain != text).then_some(plain)
}

/// Tags go, and references become the characters that they name.
fn without_tags(text: &str) -> Cow<'_, str> {
    if !text.contains(['<', '&']) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '&']) {
        shown.push_str(&rest[..at]);
        rest = &rest[at..];
        let is_tag = rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        let tag = if is_tag { end(rest, '>', LONGEST_TAG) } else { None };
        let reference = end(rest, ';', LONGEST_REFERENCE).and_then(|end| Some((referred(&rest[1..end - 1])?, end)));
        if let Some((c, end)) = reference.filter(|_| rest.starts_with('&')) {
            shown.push(c);
            rest = &rest[end..];
        } else if let Some(end) = tag {
            rest = &rest[end..];
        } else {
            shown.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

/// Behind the first such character within so many bytes.
fn end(text: &str, c: char, most: usize) -> Option<usize> {
    text.bytes().take(most).position(|byte| char::from(byte) == c).map(|at| at + 1)
}

fn referred(name: &str) -> Option<char> {
    let code = name.strip_prefix('#').map(|number| match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    });
    match (code, name) {
        (Some(code), _) => char::from_u32(code.ok()?),
        (None, "nbsp") => Some(' '),
        (None, "amp") => Some('&'),
        (None, "lt") => Some('<'),
        (None, "gt") => Some('>'),
        (None, "quot") => Some('"'),
        (None, "apos") => Some('\''),
        _ => None,
    }
}

/// A sentence in a column becomes a line.
fn column(text: &str) -> Cow<'_, str> {
    let bare = |line: &'_ str| line.trim().trim_start_matches(['-', '+', '#', '>', '•']).trim_start().to_owned();
    let lines: Vec<String> = text.lines().map(bare).filter(|line| !line.is_empty()).collect();
    let words: usize = lines.iter().map(|line| line.split_whitespace().count()).sum();
    let is_column = lines.len() >= LEAST_LINES && words <= WORDS_OF_LINE * lines.len();
    if is_column { Cow::Owned(lines.join(" ")) } else { Cow::Borrowed(text) }
}

/// Words that stand in one, apart.
fn parted(word: &str) -> Cow<'_, str> {
    let trimmed = word.trim_matches('_');
    if trimmed.contains(['/', ':', '@', '\\']) {
        return Cow::Borrowed(word);
    }
    let parts: Vec<&str> = trimmed.split(['_', '-', '.']).filter(|part| !part.is_empty()).collect();
    if parts.len() >= LEAST_LETTERS && parts.iter().all(|part| part.chars().count() == 1) {
        return Cow::Owned(parts.concat());
    }
    if parts.len() >= LEAST_PARTS {
        return Cow::Owned(parts.join(" "));
    }
    let is_hump = |(before, c): (char, char)| before.is_lowercase() && c.is_uppercase();
    let pairs = || trimmed.chars().zip(trimmed.chars().skip(1));
    if pairs().filter(|pair| is_hump(*pair)).count() + 1 < LEAST_PARTS {
        return Cow::Borrowed(trimmed);
    }
    let mut apart = String::with_capacity(2 * trimmed.len());
    apart.extend(trimmed.chars().next());
    for (before, c) in pairs() {
        if is_hump((before, c)) {
            apart.push(' ');
        }
        apart.push(c);
    }
    Cow::Owned(apart)
}
