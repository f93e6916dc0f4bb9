//! Characters that a person does not see, and letters that imitate others.

use super::finding::{Check, Severity};
use crate::text::hidden::Eye;
use crate::text::look_alike::latin;

type Place = (Check, Severity, usize, usize);

/// More of them than slip in by mistake.
const MANY: usize = 3;

pub(super) fn find(text: &str) -> Vec<Place> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r')) {
        return Vec::new();
    }
    let mut eye = Eye::default();
    let mut places = Vec::new();
    let mut is_carrier = false;
    let mut letters = text.chars().skip(1);
    let (mut before, mut hyphens) = (' ', 0);
    for (at, c) in text.char_indices() {
        let after = letters.next().unwrap_or(' ');
        // Where a word may be parted, as texts of many languages have it; what it parts is read without it.
        let is_hyphen = c == '\u{ad}' && before.is_alphabetic() && after.is_alphabetic();
        before = c;
        let is_private = matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}');
        if eye.is_hidden(c) || is_private {
            hyphens += usize::from(is_hyphen);
            places.push((at, at + c.len_utf8()));
            // These carry text or turn it round; others are often left over from a copy.
            is_carrier |=
                is_private || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e0fff}');
        }
    }
    let severity = match places.len() - hyphens {
        0 => Severity::Low,
        count if is_carrier || count >= MANY => Severity::High,
        _ => Severity::Medium,
    };
    let hidden = places.first().map(|(start, end)| (Check::HiddenCharacters, severity, *start, *end));
    hidden.into_iter().chain(mixed(text)).collect()
}

/// The first word in which a letter of another script stands for a Latin one.
fn mixed(text: &str) -> Option<Place> {
    let mut start = 0;
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        start = start.max(at);
        let letters: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
        let imitates = |c: char| c >= '\u{370}' && latin(c).is_ascii();
        let beside = letters.windows(2).any(|pair| {
            (pair[0].is_ascii_alphabetic() && imitates(pair[1])) || (imitates(pair[0]) && pair[1].is_ascii_alphabetic())
        });
        if beside && letters.len() > MANY && letters.iter().all(|c| c.is_ascii_alphanumeric() || imitates(*c)) {
            return Some((Check::LookAlikeLetters, Severity::Medium, start, start + word.len()));
        }
    }
    None
}
