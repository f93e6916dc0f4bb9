//! What texts of servers try to do to a model: orders, secrets, shadows of other tools. Deterministic checks, each finding
//! with a code, a severity and the place.
//!
//! A model reads the description of a tool as it reads the words of its user. Nothing here decides: a host shows what is
//! found, and may have such tools withheld.

mod disguise;
mod finding;
mod languages;
mod pattern;
mod payload;
mod plain;
mod schema;
mod shadow;
mod token;
mod unseen;
mod wording;
mod words;

pub use finding::{Check, Finding, Severity, ToolTexts};
pub(crate) use shadow::{Mention, mentions, shadows, tool_mentions};

use crate::text::english::mainly_english;
use finding::units;
use token::Token;

/// Longer texts together say no single thing.
const MAX_JOINED: usize = 2 * 1024;

/// A finding within one text, its place in bytes.
type Place = (Check, Severity, usize, usize);

/// The most findings of one tool or text: a person reads a few.
const MAX_FINDINGS: usize = 20;
/// How much of one text is read: far more than real texts have, and some milliseconds.
const MAX_BYTES: usize = 256 * 1024;

/// Checks a tool by itself; see `shadows` for what needs the others.
pub fn check_tool(tool: &ToolTexts<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let declared = format!("{} {}", tool.server_name, tool.tool_name).to_lowercase();
    let (mut joined, mut count) = (String::new(), 0);
    let mut check = |field: &str, text: &str| {
        let is_read = matches!(field.rsplit('/').next(), Some("title" | "description"));
        if is_read && !text.is_empty() && joined.len() < MAX_JOINED {
            joined.push_str(text);
            joined.push(' ');
            count += 1;
        }
        if findings.len() < MAX_FINDINGS {
            findings.extend(check_named(field, text, Some(&declared)));
        }
    };
    check("name", tool.tool_name);
    check("title", tool.title);
    check("description", tool.description);
    schema::each_text(tool.input_schema, &mut check);
    findings.extend(schema::greedy_parameters(tool.input_schema));
    // What texts say one after the other, where none says it by itself.
    let says_nothing = worst(&findings).is_none_or(|worst| worst == Severity::Low);
    if says_nothing && count > 1 && joined.len() < MAX_JOINED {
        let end = units(tool.description, tool.description.len());
        let found = |check| Finding { check, severity: Severity::Medium, field: "description".to_owned(), start: 0, end };
        findings.extend(payload::order(&joined).map(found));
    }
    sorted(findings)
}

/// Checks any text: instructions of a server, a prompt, a result.
pub fn check_text(field: &str, text: &str) -> Vec<Finding> {
    sorted(check_named(field, text, None))
}

/// `declared` is what a tool says it is about, where the text is a tool's.
fn check_named(field: &str, text: &str, declared: Option<&str>) -> Vec<Finding> {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    if text.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<Place> = unseen::find(text);
    let tokens = token::read(text);
    let kinds = pattern::kinds(&tokens);
    let by_pattern = as_worded(text, pattern::find(text, &tokens, &kinds));
    found.extend(by_pattern.into_iter().map(|place| as_declared(place, declared)));
    found.extend(languages::find(text, &tokens, &kinds));
    found.extend(disguised(text, declared, &found));
    // Values and results are anybody's words, results a thousand sentences of them.
    let speaks = matches!(field.rsplit('/').next(), Some("title" | "description" | "instructions" | "text"));
    found.extend(if speaks { wording::find(text) } else { None });
    found.extend(payload::find(text));
    found.extend(disguise::find(text));
    if let Some(declared) = declared {
        found.extend(beyond(&tokens, &kinds, declared));
    }
    let finding = |(check, severity, start, end)| {
        let (start, end) = (units(text, start), units(text, end));
        Finding { check, severity, field: field.to_owned(), start, end }
    };
    found.into_iter().map(finding).collect()
}

/// What a text says once nothing of its looks is left, and does not say as it stands. Its place is the whole text.
fn disguised(text: &str, declared: Option<&str>, found: &[Place]) -> Vec<Place> {
    let shown = plain::shown(text);
    let plain = plain::plain(&shown);
    let mut places = Vec::new();
    if plain != text {
        let tokens = token::read(&plain);
        places = as_worded(&plain, pattern::find(&plain, &tokens, &pattern::kinds(&tokens)));
    }
    let lines = plain::unwrapped(&shown);
    // Some words of other languages are English ones, too.
    if lines != text && !mainly_english(&lines) {
        let tokens = token::read(&lines);
        places.extend(languages::find(&lines, &tokens, &pattern::kinds(&tokens)));
    }
    let is_new = |(check, severity, ..): &Place| !found.iter().any(|known| known.0 == *check && known.1 >= *severity);
    let places = places.into_iter().map(|place| as_declared(place, declared)).filter(is_new);
    places.map(|(check, severity, ..)| (check, severity, 0, text.len())).collect()
}

/// Words of an order in an English sentence that reads as honest ones do: it quotes them, or asks for what many tools ask for, as to
/// be called first, or to show no ids. Behind the first few orders of a text none is looked at: each costs a reading.
fn as_worded(text: &str, mut places: Vec<Place>) -> Vec<Place> {
    let is_order = |check| matches!(check, Check::HidesFromUser | Check::CommandsCalls | Check::Instructs);
    // Orders of two kinds stand in no honest text.
    let first = places.iter().map(|place| place.0).find(|check| is_order(*check));
    if places.iter().any(|place| is_order(place.0) && Some(place.0) != first) {
        return places;
    }
    for (_, severity, start, end) in places.iter_mut().filter(|place| is_order(place.0)).take(MAX_FINDINGS) {
        if wording::is_honest(text, *start, *end) {
            *severity = Severity::Low;
        }
    }
    places
}

/// A tool whose name says that it sends things may send them anywhere.
fn as_declared((check, severity, start, end): Place, declared: Option<&str>) -> Place {
    const SENDS: [&str; 12] =
        ["send", "post", "mail", "message", "upload", "export", "publish", "forward", "notif", "share", "webhook", "deliver"];
    let sends = || declared.is_some_and(|declared| SENDS.iter().any(|word| declared.contains(word)));
    let severity = if check == Check::BeyondItsName && sends() { Severity::Low } else { severity };
    (check, severity, start, end)
}

/// Files with secrets that a tool reads whose name says nothing about them.
fn beyond(tokens: &[Token<'_>], kinds: &[pattern::Kinds<'_>], declared: &str) -> Option<Place> {
    const DECLARE: [&str; 9] = ["credential", "secret", "env", "key", "ssh", "dotfile", "config", "token", "auth"];
    if DECLARE.iter().any(|word| declared.contains(word)) {
        return None;
    }
    let (start, end) = pattern::secret_that_is_read(tokens, kinds)?;
    Some((Check::BeyondItsName, Severity::High, start, end))
}

/// The worst first, then in order; what lies within a worse or an equal one of the same check is left out.
fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    let rank = |field: &str| ["name", "title", "description"].iter().position(|known| *known == field).unwrap_or(3);
    findings.sort_by(|a, b| {
        let place = |finding: &Finding| (rank(&finding.field), finding.start, usize::MAX - finding.end, finding.check);
        b.severity.cmp(&a.severity).then_with(|| place(a).cmp(&place(b)))
    });
    let mut kept: Vec<Finding> = Vec::new();
    for finding in findings {
        let within = |other: &Finding| {
            other.check == finding.check
                && other.field == finding.field
                && other.start <= finding.start
                && finding.start < other.end
        };
        if kept.len() < MAX_FINDINGS && !kept.iter().any(within) {
            kept.push(finding);
        }
    }
    kept
}

/// The worst of some findings.
pub fn worst(findings: &[Finding]) -> Option<Severity> {
    findings.iter().map(|finding| finding.severity).max()
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
