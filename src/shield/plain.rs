//! A text as a model reads it, whatever it looks like: without markup and marks over letters, letters of other forms as the plain ones
//! that they stand for, and words apart where a text has them in one, or in a column.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::text::hidden;
use crate::text::look_alike::latin;

/// Bytes of a tag and of a reference to a character: what is longer is none.
const LONGEST_TAG: usize = 256;
const LONGEST_REFERENCE: usize = 17;
/// So many parts of one word are a sentence: few names have as many.
const LEAST_PARTS: usize = 5;
/// So many single letters with a sign between them are a word.
const LEAST_LETTERS: usize = 3;
/// No text is wrapped at so few characters for a person's sake.
const NARROW: usize = 30;
/// So many lines of so few words are one sentence in a column.
const LEAST_LINES: usize = 6;
const WORDS_OF_LINE: usize = 2;

/// The text as it is shown: without tags, marks of markup, frames of letters and what nobody sees.
pub(super) fn shown(text: &str) -> String {
    let is_lost =
        |c| matches!(c, '*' | '`' | '~' | '\\' | '\u{200c}' | '\u{200d}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}');
    hidden::strip(&without_tags(text)).chars().filter(|c| !is_lost(*c)).map(unframed).collect()
}

/// With lines in one that were only wrapped.
pub(super) fn unwrapped(shown: &str) -> String {
    let bare = |line: &'_ str| line.trim_start_matches(['>', '#', ' ', '\t']).trim_end().to_owned();
    let mut joined = String::with_capacity(shown.len());
    for line in shown.lines().map(bare).filter(|line| !line.is_empty()) {
        let goes_on = line.starts_with(|c: char| c.is_alphabetic() && !c.is_uppercase());
        match joined.chars().next_back() {
            Some('-') if goes_on => joined.truncate(joined.len() - 1),
            // Between signs that are words, nothing stands.
            Some(last) if goes_on && last.is_alphabetic() && last >= '\u{2e80}' => {}
            Some(last) if goes_on && (last.is_alphanumeric() || matches!(last, ',' | '\'' | '’')) => joined.push(' '),
            Some(_) => joined.push('\n'),
            None => {}
        }
        joined.push_str(&line);
    }
    joined
}

/// What is shown, in plain letters and words; in one line where all lines are short.
pub(super) fn plain(shown: &str) -> String {
    let letters: String = shown.nfkd().filter(|c| !is_combining_mark(*c)).map(imitated).collect();
    let is_narrow = letters.lines().count() > 1 && letters.lines().all(|line| line.chars().count() <= NARROW);
    let lines = if is_narrow { unwrapped(&letters) } else { letters };
    let lines = column(&lines);
    let words: Vec<Cow<'_, str>> = lines.split(' ').map(parted).collect();
    words.join(" ")
}

/// A letter in a frame, as one without.
fn unframed(c: char) -> char {
    let letter = |first: u32| char::from_u32(u32::from('a') + u32::from(c) - first).unwrap_or(c);
    match c {
        '\u{249c}'..='\u{24b5}' => letter(0x249c),
        '\u{1f130}'..='\u{1f149}' => letter(0x1f130),
        '\u{1f150}'..='\u{1f169}' => letter(0x1f150),
        '\u{1f170}'..='\u{1f189}' => letter(0x1f170),
        '\u{1f1e6}'..='\u{1f1ff}' => letter(0x1f1e6),
        _ => c,
    }
}

/// A letter of another script or shape that looks like a Latin one, as that.
fn imitated(c: char) -> char {
    match c {
        'і' | 'ι' | 'ı' | 'ɩ' | 'ɪ' => 'i',
        'ʟ' => 'l',
        _ if c.is_ascii() => c,
        _ => latin(c),
    }
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
        let is_tag = rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!'));
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
        (None, "nbsp" | "ensp" | "emsp" | "thinsp" | "Tab" | "NewLine") => Some(' '),
        (None, "shy" | "zwj" | "zwnj" | "ZeroWidthSpace" | "NoBreak") => Some('\u{ad}'),
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
