//! Texts that a model reads and a person overlooks: letters in another place of the alphabet, digits for letters, letters with
//! blanks between them, comments of markup, and pictures whose address takes something along.

use super::finding::{Check, Severity};
use super::payload::has_orders;
use crate::text::hidden;

type Place = (Check, Severity, usize, usize);

/// Frequent words, 13 letters on: a text with several of them was shifted.
const SHIFTED: [&str; 10] = ["gur", "naq", "lbhe", "nyy", "guvf", "hfre", "gb", "bs", "vta", "va"];
const LEAST_SHIFTED: usize = 2;
/// Words with digits between letters: fewer are names.
const LEAST_DIGITS: usize = 2;
/// Single letters in a row that spell something.
const LEAST_LETTERS: usize = 8;
/// Words of a comment that say more than a label.
const LEAST_COMMENT: usize = 4;
/// Bytes of a picture's text and of its address that are looked at.
const LONGEST_PICTURE: usize = 1024;

pub(super) fn find(text: &str) -> Vec<Place> {
    let readings = [shifted(text), digits(text), spelled(text), bare(text)];
    let hidden = readings.iter().flatten().any(|reading| has_orders(reading)) && !has_orders(text);
    let hidden = hidden.then_some((Check::HiddenPayload, Severity::High, 0, text.len()));
    hidden.into_iter().chain(comment(text)).chain(picture(text)).collect()
}

/// Each letter 13 places on, which is how it is read and written.
fn shifted(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_ascii_alphabetic());
    let count = words.filter(|word| SHIFTED.iter().any(|known| known.eq_ignore_ascii_case(word))).count();
    let turned = |c: char, first: u8| char::from((u8::try_from(c).unwrap_or(first) - first + 13) % 26 + first);
    let letter = |c: char| match c {
        'a'..='z' => turned(c, b'a'),
        'A'..='Z' => turned(c, b'A'),
        other => other,
    };
    (count >= LEAST_SHIFTED).then(|| text.chars().map(letter).collect())
}

/// Digits and signs read as the letters that they stand for.
fn digits(text: &str) -> Option<String> {
    let letter = |c: char| match c {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        other => other,
    };
    let mixes = |word: &str| {
        let has = |is: fn(char) -> bool| word.contains(is);
        has(|c| c.is_ascii_alphabetic()) && word.chars().any(|c| c.is_ascii_digit()) && word.len() > 3
    };
    let count = text.split_whitespace().filter(|word| mixes(word)).count();
    (count >= LEAST_DIGITS).then(|| text.chars().map(letter).collect())
}

/// Without the characters that nobody sees: they part words.
fn bare(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let bare = hidden::strip(text);
    (bare.len() < text.len()).then_some(bare)
}

/// Letters with one blank between them as words; two blanks end a word.
fn spelled(text: &str) -> Option<String> {
    let (mut words, mut run, mut longest) = (String::new(), 0, 0);
    for word in text.split(' ') {
        let is_letter = word.trim_end_matches(['.', ',']).chars().count() == 1;
        run = if is_letter || word.is_empty() { run + usize::from(is_letter) } else { 0 };
        longest = longest.max(run);
        if !is_letter && !words.ends_with(' ') {
            words.push(' ');
        }
        words.push_str(word);
        if !is_letter {
            words.push(' ');
        }
    }
    (longest >= LEAST_LETTERS).then_some(words)
}

/// A comment of markup that says more than a label: a page does not show it.
fn comment(text: &str) -> Option<Place> {
    let (open, close) = ("<!--", "-->");
    let start = text.find(open)?;
    let length = text[start..].find(close).map_or(text.len() - start, |at| at + close.len());
    let words = text[start..start + length].split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count();
    (words >= LEAST_COMMENT).then_some((Check::HiddenPayload, Severity::Medium, start, start + length))
}

/// A picture whose address has a place for something: whoever shows it sends that.
fn picture(text: &str) -> Option<Place> {
    text.match_indices("](http").find_map(|(at, _)| {
        let from = text.floor_char_boundary(at.saturating_sub(LONGEST_PICTURE));
        let start = from + text[from..at].rfind("![")?;
        let rest = &text[at + 2..text.floor_char_boundary(at + LONGEST_PICTURE)];
        let address = &rest[..rest.find(')')?];
        let takes = address.contains('?') && address.contains(['{', '<', '[']);
        takes.then_some((Check::TakesSecrets, Severity::High, start, at + 2 + address.len() + 1))
    })
}
