//! Values of the JSON in a result by a `JSONPath`, as RFC 9535 has it and `serde_json_path` reads it.
//!
//! That crate walks values and paths by calling itself, so what it gets is bounded first: how deep and long the JSON is, and
//! how much of a path multiplies the work.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::ops::Range;

use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json_path::JsonPath;

use super::lines::lines;
use crate::error::Refusal;

/// Bytes of JSON that a path is followed in: values take some thirty times as much.
const MAX_JSON_BYTES: usize = 4 * 1024 * 1024;
/// Levels that the parser takes.
const MAX_LEVELS: usize = 127;
const MAX_PATH_BYTES: usize = 400;
/// How often these may stand in a path outside of its texts. Each filter is read again for every one around it, each `..` and
/// each `$` in a filter may visit all values again for each value, and each `,` may double them.
const MAX_SIGNS: [(&str, usize); 5] = [("..", 1), ("$", 1), ("?", 2), ("(", 8), (",", 4)];
/// Values that an answer may have.
const MAX_VALUES: usize = 1_000;
/// Keys that a refusal names, and characters of each.
const SHOWN_KEYS: usize = 12;
const KEY_CHARS: usize = 40;
/// Bytes of a place: keys may be of any length.
const PLACE_BYTES: usize = 400;
/// Lines that JSON may begin at.
const MAX_STARTS: usize = 8;

/// Values with their places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    /// Place and JSON of each, of at most [`MAX_VALUES`].
    pub list: Vec<(String, String)>,
    /// How many there are.
    pub count: usize,
}

/// The values that a path leads to.
/// Errors: a refusal that says what the result has, or what a path may be.
pub fn values(text: &str, path: &str, field: &str) -> Result<Values, Refusal> {
    let refused = |expected: String, got: String| Refusal::new(field.to_owned(), expected, got);
    let Some(json) = json_in(text).map(|range| &text[range]) else {
        return Err(refused("no path, as the result has no JSON; use need or range".into(), format!("{path:?}")));
    };
    if json.len() > MAX_JSON_BYTES {
        let expected = format!("no path, as one is followed in {MAX_JSON_BYTES} bytes of JSON at most; use need or range");
        return Err(refused(expected, format!("{path:?} for {} bytes", json.len())));
    }
    let Ok(root) = serde_json::from_str::<Value>(json) else {
        let expected = format!("no path, as one is followed through {MAX_LEVELS} levels at most; use need or range");
        return Err(refused(expected, format!("{path:?} for more levels")));
    };
    let Some(query) = read(path) else {
        let limits = MAX_SIGNS.map(|(sign, most)| format!("{most} {sign}")).join("  ");
        return Err(refused(
            format!(
                "a path such as $.items[3].title or $.items[?@.open == true]['a-key'], of at most {MAX_PATH_BYTES} bytes with {limits}"
            ),
            format!("{path:?}"),
        ));
    };
    let mut found: Vec<&Value> = query.query(&root).all();
    let count = found.len();
    if count == 0 {
        return Err(refused(format!("a path into the result, where $ is {}", holds(&root)), format!("{path:?}")));
    }
    found.truncate(MAX_VALUES);
    let places = places(&root, &found);
    let place = |value: &Value| places.get(&std::ptr::from_ref(value)).cloned().unwrap_or_default();
    Ok(Values { list: found.into_iter().map(|value| (place(value), value.to_string())).collect(), count })
}

/// Reads a path; models leave out its `$`. `None` for anything else, and for what is too much.
fn read(path: &str) -> Option<JsonPath> {
    let path = path.trim();
    let whole = match path.chars().next() {
        Some('$') => path.to_owned(),
        Some('[' | '.') => format!("${path}"),
        _ => format!("$.{path}"),
    };
    let signs = without_texts(&whole);
    let is_bounded = whole.len() <= MAX_PATH_BYTES && MAX_SIGNS.iter().all(|(sign, most)| signs.matches(sign).count() <= *most);
    if is_bounded { JsonPath::parse(&whole).ok() } else { None }
}

/// A path without what stands in quotation marks.
fn without_texts(path: &str) -> String {
    let (mut quoted_by, mut is_escaped) = (None, false);
    let is_outside = |c: &char| {
        if quoted_by.is_none() {
            quoted_by = Some(*c).filter(|c| matches!(c, '"' | '\''));
            return quoted_by.is_none();
        }
        if quoted_by == Some(*c) && !is_escaped {
            quoted_by = None;
        }
        is_escaped = *c == '\\' && !is_escaped;
        false
    };
    path.chars().filter(is_outside).collect()
}

/// The JSON in a text: all of it, or the longest value that begins one of the first lines that look like it.
fn json_in(text: &str) -> Option<Range<usize>> {
    let starts = lines(text).filter(|line| line.text.trim_start().starts_with(['{', '['])).take(MAX_STARTS);
    let value = |start: usize| Some(start..start + value_at_start(&text[start..])?);
    starts.filter_map(|line| value(line.range.start)).max_by_key(|range| (range.len(), usize::MAX - range.start))
}

/// Where the JSON value at the start of a text ends. What it holds is passed over in a loop, however deep it is.
fn value_at_start(text: &str) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    Some(values.byte_offset())
}

/// What a value holds, in a few words.
fn holds(value: &Value) -> String {
    match value {
        Value::Array(list) => format!("an array of {}", list.len()),
        Value::Object(members) => {
            let keys = members.keys().take(SHOWN_KEYS).map(|key| key.chars().take(KEY_CHARS).collect::<String>());
            format!("an object with the keys {}", keys.collect::<Vec<_>>().join(", "))
        }
        other => format!("{:.40}", other.to_string()),
    }
}

type Members<'v> = Box<dyn Iterator<Item = (String, &'v Value)> + 'v>;

/// The members of a value, each with its step of a path.
fn members(value: &Value) -> Members<'_> {
    let step = |key: &String| {
        let is_name = key.chars().all(|c| c.is_alphanumeric() || c == '_') && !key.starts_with(|c: char| c.is_numeric());
        if is_name && !key.is_empty() { format!(".{key}") } else { format!("[{}]", Value::from(key.as_str())) }
    };
    match value {
        Value::Array(list) => Box::new(list.iter().enumerate().map(|(at, value)| (format!("[{at}]"), value))),
        Value::Object(members) => Box::new(members.iter().map(move |(key, value)| (step(key), value))),
        _ => Box::new(std::iter::empty()),
    }
}

/// Where values stand that are part of another one: by what they are in memory, in a walk over all of it.
fn places(root: &Value, found: &[&Value]) -> HashMap<*const Value, String> {
    let wanted: HashSet<*const Value> = found.iter().map(|value| std::ptr::from_ref(*value)).collect();
    let mut places = HashMap::new();
    let mut path = String::new();
    let mut open: Vec<(usize, Members<'_>)> = vec![(0, Box::new(std::iter::once(("$".to_owned(), root))))];
    while let Some((length, rest)) = open.last_mut().filter(|_| places.len() < wanted.len()) {
        path.truncate(*length);
        let Some((step, value)) = rest.next() else {
            open.pop();
            continue;
        };
        path.push_str(&step);
        if wanted.contains(&std::ptr::from_ref(value)) {
            let mut place = path[..path.floor_char_boundary(PLACE_BYTES)].to_owned();
            if place.len() < path.len() {
                _ = place.write_char('…'); // writing to a string cannot fail
            }
            places.insert(std::ptr::from_ref(value), place);
        }
        open.push((path.len(), members(value)));
    }
    places
}

#[cfg(test)]
#[path = "path_tests.rs"]
mod tests;
