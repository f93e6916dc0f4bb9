//! Names of other servers' tools in a text, in all the spellings that hosts use.

use once_cell::sync::Lazy;

use super::finding::{Check, Finding, Severity, ToolTexts, units};
use super::schema::each_text;
use super::words::{Words, list};
use crate::document::lookup::key_hash;
use crate::text::terms::words;

/// How much of a text is searched.
const SEARCHED_BYTES: usize = 256 * 1024;
/// Shorter names of tools are words.
const MIN_NAME_BYTES: usize = 8;
/// Names in one text that are remembered: real texts name a few.
const MAX_MENTIONS: usize = 200;
/// Words before a name that say how it is to be used, so many before it or in the same sentence behind it.
static CALLS: Lazy<Words> = Lazy::new(|| list("calls"));
/// What says right behind a name how it is to be used.
static BEHIND: Lazy<Words> = Lazy::new(|| list("behind"));
/// Words that are near a name.
const NEAR: usize = 2;
static DIRECTS: Lazy<Words> = Lazy::new(|| list("directs"));

/// Something in a text that is written as a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mention {
    /// As it is written.
    pub word: String,
    /// Hash of it folded: in lower case, without separators, without `mcp` before it.
    pub key: u64,
    /// How its sentence says that it is to be used.
    pub directs: Directs,
    pub field: &'static str,
    pub start: usize,
    pub end: usize,
}

/// How a sentence speaks of using what it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Directs {
    /// Not at all.
    Not,
    /// Somewhere in it.
    Loosely,
    /// Right beside the name: "call it", "when it is called", "it must".
    Directly,
}

pub(crate) fn mentions(field: &'static str, text: &str) -> Vec<Mention> {
    let text = &text[..text.floor_char_boundary(SEARCHED_BYTES)];
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':');
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split(|c: char| !is_part(c)) {
        let start = at + (word.len() - word.trim_start_matches(['.', '/', ':', '-']).len());
        at += word.len() + text[at + word.len()..].chars().next().map_or(0, char::len_utf8);
        let word = word.trim_matches(['.', '/', ':', '-']);
        if found.len() == MAX_MENTIONS {
            break;
        }
        if word.len() < MIN_NAME_BYTES || !is_written_as_name(word) {
            continue;
        }
        let key: String = words(word).iter().map(crate::text::terms::Word::joined).collect();
        let key = key_hash(&[key.strip_prefix("mcp").unwrap_or(&key)]);
        let directs = directs(text, start, start + word.len());
        let (from, to) = (units(text, start), units(text, start + word.len()));
        found.push(Mention { word: word.to_owned(), key, directs, field, start: from, end: to });
    }
    found
}

/// The names in the texts of a tool: title, description, and descriptions in its schema.
pub(crate) fn tool_mentions(tool: &ToolTexts<'_>) -> Vec<Mention> {
    let mut found = mentions("title", tool.title);
    found.extend(mentions("description", tool.description));
    each_text(tool.input_schema, &mut |path, text| {
        if path.ends_with("/description") && found.len() < MAX_MENTIONS {
            found.extend(mentions("inputSchema", text));
        }
    });
    found
}

/// With a separator or a capital inside.
fn is_written_as_name(word: &str) -> bool {
    let inner_capital = word.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    inner_capital || word.contains(['_', '-', '.', '/', ':'])
}

fn directs(text: &str, start: usize, end: usize) -> Directs {
    let stops = |c: char| matches!(c, '!' | '?' | ';' | '\n');
    let before = &text[..start];
    let from = before.rfind(|c: char| stops(c)).map_or(0, |at| at + 1).max(before.rfind(". ").map_or(0, |at| at + 2));
    let to = text[end..].find(|c: char| stops(c) || c == '.').map_or(text.len(), |at| end + at);
    let words = |part: &str| -> Vec<String> {
        part.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    let (before, behind) = (words(&text[from..start]), words(&text[end..to]));
    let has = |words: &[String], known: &Words| words.iter().any(|word| known.contains(&word.as_str()));
    // A name in quotation marks is a value more often than a call.
    let is_quoted = text[..start].ends_with(['\'', '"', '`', '(', '[']);
    let near = &before[before.len().saturating_sub(NEAR)..];
    let directly = (!is_quoted && has(near, &CALLS)) || has(&behind[..behind.len().min(NEAR)], &BEHIND);
    if directly {
        Directs::Directly
    } else if has(&before, &DIRECTS) || has(&behind, &BEHIND) {
        Directs::Loosely
    } else {
        Directs::Not
    }
}

/// Findings for mentions of tools of other servers. `foreign` says whether one is, and then whether its server is named as
/// well: a name alone may be a value of the tool's own, or a tool of the host's.
pub(crate) fn shadows(mentions: &[Mention], foreign: impl Fn(&Mention) -> Option<bool>) -> Vec<Finding> {
    let is_shadow = |mention: &&Mention| match foreign(mention) {
        Some(true) => mention.directs >= Directs::Loosely,
        Some(false) => mention.directs == Directs::Directly && mention.field != "inputSchema",
        None => false,
    };
    let found = mentions.iter().filter(is_shadow);
    let finding = |mention: &Mention| Finding {
        check: Check::ShadowsTools,
        severity: Severity::High,
        field: mention.field.to_owned(),
        start: mention.start,
        end: mention.end,
    };
    found.map(finding).collect()
}
