//! Texts in an encoding that a model reads and a person does not: decoded, and checked again.

use once_cell::sync::Lazy;

use super::finding::{Check, Severity};
use super::words::{Words, list};
use super::{languages, pattern, token};

type Place = (Check, Severity, usize, usize);

/// Shorter runs are names and hashes; of so many letters a command can be made.
const LEAST_BASE64: usize = 16;
const LEAST_HEX: usize = 24;
/// Escapes in a row that say more than a character.
const LEAST_ESCAPES: usize = 8;
/// How much of one run is decoded.
const MAX_RUN: usize = 16 * 1024;
/// Encodings inside each other that are followed.
const MAX_DEPTH: usize = 3;

/// What commands have that data has not.
static COMMANDS: Lazy<Words> = Lazy::new(|| list("commands"));

pub(super) fn find(text: &str) -> Vec<Place> {
    find_at(text, 0)
}

fn find_at(text: &str, depth: usize) -> Vec<Place> {
    if depth == MAX_DEPTH {
        return Vec::new();
    }
    let is_run = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '_' | '-' | '=');
    let mut found = Vec::new();
    let mut at = 0;
    for run in text.split(|c: char| !is_run(c)) {
        let start = at;
        at += run.len() + text[at + run.len()..].chars().next().map_or(0, char::len_utf8);
        // `name=payload`: what stands before the sign is not of it.
        let (name, run) = match run.find('=') {
            Some(sign) if !run[sign..].bytes().all(|c| c == b'=') => run.split_at(sign + 1),
            _ => ("", run),
        };
        let start = start + name.len();
        let run = &run[..run.len().min(MAX_RUN)];
        if [hex(run), base64(run)].into_iter().flatten().any(|decoded| is_bad(&decoded, depth)) {
            found.push((Check::HiddenPayload, Severity::High, start, start + run.len()));
        }
    }
    if let Some((decoded, start, end)) = unescaped(text)
        && is_bad(&decoded, depth)
    {
        found.push((Check::HiddenPayload, Severity::High, start, end));
    }
    found
}

fn is_bad(decoded: &str, depth: usize) -> bool {
    let lower = decoded.to_lowercase();
    COMMANDS.iter().any(|command| lower.contains(command)) || has_orders(decoded) || !find_at(decoded, depth + 1).is_empty()
}

/// What a text asks a model for that no honest text asks for.
pub(super) fn order(text: &str) -> Option<Check> {
    let tokens = token::read(text);
    let kinds = pattern::kinds(&tokens);
    let mut found = pattern::find(text, &tokens, &kinds).into_iter().chain(languages::find(text, &tokens, &kinds));
    found.find(|(_, severity, ..)| *severity > Severity::Low).map(|(check, ..)| check)
}

pub(super) fn has_orders(text: &str) -> bool {
    order(text).is_some()
}

/// Readable text alone: random bytes are none.
fn readable(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    let is_text = !text.is_empty() && text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t'));
    is_text.then_some(text)
}

fn hex(run: &str) -> Option<String> {
    if run.len() < LEAST_HEX || run.len() % 2 == 1 || !run.bytes().all(|c| c.is_ascii_hexdigit()) {
        return None;
    }
    let byte = |at: usize| u8::from_str_radix(run.get(at..at + 2)?, 16).ok();
    readable((0..run.len()).step_by(2).map(byte).collect::<Option<_>>()?)
}

fn base64(run: &str) -> Option<String> {
    let run = run.trim_end_matches('=');
    if run.len() < LEAST_BASE64 || run.len() % 4 == 1 {
        return None;
    }
    let value = |c: u8| -> Option<u32> {
        Some(u32::from(match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        }))
    };
    let mut bytes = Vec::with_capacity(run.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for c in run.bytes() {
        bits = bits << 6 | value(c)?;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    readable(bytes)
}

/// The text with `%41`, `\x41`, `\u0041` and `&#65;` read, where there are many of them.
fn unescaped(text: &str) -> Option<(String, usize, usize)> {
    if !text.contains(['%', '\\', '&']) {
        return None;
    }
    let (mut bytes, mut count) = (Vec::with_capacity(text.len()), 0);
    let (mut start, mut end, mut at) = (None, 0, 0);
    while at < text.len() {
        let rest = &text[at..];
        if let Some((code, length)) = escape(rest) {
            bytes.extend(code);
            count += 1;
            start.get_or_insert(at);
            at += length;
            end = at;
        } else {
            let length = rest.chars().next().map_or(1, char::len_utf8);
            bytes.extend_from_slice(&rest.as_bytes()[..length]);
            at += length;
        }
    }
    let text = if count >= LEAST_ESCAPES { String::from_utf8(bytes).ok()? } else { return None };
    Some((text, start?, end))
}

fn escape(text: &str) -> Option<(Vec<u8>, usize)> {
    let digits = |from: usize, count: usize| text.get(from..from + count).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let utf8 = |code: u32| char::from_u32(code).map(|c| c.to_string().into_bytes());
    if text.starts_with('%') {
        return Some((vec![u8::try_from(digits(1, 2)?).ok()?], 3));
    }
    if text.starts_with("\\x") {
        return Some((utf8(digits(2, 2)?)?, 4));
    }
    if text.starts_with("\\u") {
        return Some((utf8(digits(2, 4)?)?, 6));
    }
    let number = text.strip_prefix("&#")?;
    // No further: what has no end would be looked through at each start.
    let end = number.bytes().take(8).position(|byte| !byte.is_ascii_alphanumeric())?;
    let is_closed = number[end..].starts_with(';');
    let code = match number[..end].strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => number[..end].parse().ok()?,
    };
    Some((utf8(code)?, end + 2 + usize::from(is_closed)))
}
