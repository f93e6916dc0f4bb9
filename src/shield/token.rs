//! Words of a text with their places.

use std::borrow::Cow;

use crate::text::look_alike::latin;

/// A word, a path, an address, or a mark between sentences.
#[derive(Debug, Clone)]
pub(super) struct Token<'t> {
    /// In lower case, with Latin letters for those that look so.
    pub word: Cow<'t, str>,
    pub start: usize,
    pub end: usize,
}

impl Token<'_> {
    /// Whether a sentence ends here.
    pub fn ends(&self) -> bool {
        matches!(&*self.word, "." | "!" | "?" | ";" | "\n" | "。" | "！" | "？" | "।" | "۔" | "؟")
    }
}

const MARKS: [char; 12] = ['.', '!', '?', ';', ',', '\n', '。', '！', '？', '।', '۔', '؟'];
const SCHEMES: [&str; 5] = ["http://", "https://", "ftp://", "ws://", "wss://"];

pub(super) fn read(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let end = at + if begins_word(c, rest) { length(rest) } else { c.len_utf8() };
        if begins_word(c, rest) || MARKS.contains(&c) {
            tokens.push(Token { word: folded(&text[at..end]), start: at, end });
        }
        at = end;
    }
    tokens
}

fn begins_word(c: char, rest: &str) -> bool {
    let next = || rest[c.len_utf8()..].chars().next();
    match c {
        '.' => rest.starts_with(".env") || next().is_some_and(|next| matches!(next, '/' | 's' | 'a' | 'n' | 'k' | 'g')),
        '/' | '~' | '-' => next().is_some_and(|next| next.is_alphanumeric() || matches!(next, '/' | '.' | '~')),
        c => c.is_alphanumeric() || c == '_',
    }
}

/// How long the word at the start of a text is.
fn length(text: &str) -> usize {
    let lower = text.as_bytes();
    let is_url =
        SCHEMES.iter().any(|scheme| lower.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme.as_bytes())));
    let is_part = |c: char| {
        if is_url {
            !c.is_whitespace() && !matches!(c, ')' | '"' | '\'' | '>' | '`' | ',' | ';' | ']')
        } else {
            c.is_alphanumeric() || matches!(c, '_' | '\'' | '’' | '.' | '/' | '~' | '-' | '@' | '+')
        }
    };
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    // What ends a sentence, or a quotation, is not of the word.
    let trimmed = text[..end].trim_end_matches(['.', '\'', '’', '/', '-', '+', '@', '!', '?']);
    let first = text.chars().next().map_or(1, char::len_utf8);
    trimmed.len().max(first)
}

fn folded(word: &str) -> Cow<'_, str> {
    let plain = word.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || !c.is_ascii_alphanumeric() && c.is_ascii());
    let folded: Cow<'_, str> = if plain {
        Cow::Borrowed(word)
    } else {
        let of = |c: char| if c.is_ascii() || is_latin(c) { c } else { latin(c) };
        Cow::Owned(word.chars().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { of(c) }).collect())
    };
    match folded {
        Cow::Borrowed(word) => Cow::Borrowed(word.strip_suffix("'s").unwrap_or(word)),
        Cow::Owned(word) => Cow::Owned(word.strip_suffix("'s").map_or(word.clone(), str::to_owned)),
    }
}

/// Latin letters with marks: they are what they are.
fn is_latin(c: char) -> bool {
    c < '\u{370}'
}
