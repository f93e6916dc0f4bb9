//! What each keyword of JSON Schema 2020-12 holds.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::read::{UNSAID, is_unsaid};
use crate::schema::keyword::{Kind, kind};

/// The schemas directly below one.
pub fn below(schema: &mut Map<String, Value>) -> impl Iterator<Item = &mut Value> {
    schema.iter_mut().flat_map(|(key, value)| -> Box<dyn Iterator<Item = &mut Value>> {
        match (kind(key), value) {
            (Some(Kind::Map), Value::Object(entries)) => Box::new(entries.values_mut()),
            (Some(Kind::List), Value::Array(items)) => Box::new(items.iter_mut()),
            (Some(Kind::Schema), below) => Box::new(std::iter::once(below)),
            _ => Box::new(std::iter::empty()),
        }
    })
}

/// Says nothing about which values are taken.
pub fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "title" | "description" | "default" | "examples" | "example" | "deprecated" | "readOnly" | "writeOnly" | "$comment"
    )
}

/// What a keyword of [`Kind::Value`] should hold instead of what it holds.
#[derive(Debug, PartialEq)]
pub enum Verdict {
    /// It is right.
    Fits,
    /// The keyword says nothing.
    Nothing,
    /// This.
    Instead(Value),
}

fn fits(it_does: bool) -> Verdict {
    if it_does { Verdict::Fits } else { Verdict::Nothing }
}

/// Whether a value is what its keyword holds.
pub fn value(keyword: &str, value: &Value) -> Verdict {
    match keyword {
        "type" => types(value),
        "enum" | "examples" => fits(value.is_array() && !is_unsaid(value)),
        "const" | "default" => fits(!is_unsaid(value)),
        "required" => names(value),
        "dependentRequired" => match value {
            Value::Object(map) if map.values().all(|list| names(list) == Verdict::Fits) => Verdict::Fits,
            Value::Object(map) => {
                let right = map.iter().filter(|(_, list)| list.is_array());
                let kept = |list| if let Verdict::Instead(other) = names(list) { other } else { list.clone() };
                Verdict::Instead(right.map(|(name, list)| (name.clone(), kept(list))).collect())
            }
            _ => Verdict::Nothing,
        },
        "multipleOf" => fits(value.as_f64().is_some_and(|number| number > 0.0)),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => fits(value.is_number()),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" | "minContains"
        | "maxContains" => fits(value.as_f64().is_some_and(|number| number >= 0.0 && number.fract() == 0.0)),
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => fits(value.is_boolean()),
        "$vocabulary" => fits(value.is_object()),
        "$id" => fits(value.as_str().is_some_and(|id| !id.trim_end_matches('#').contains('#'))),
        "$anchor" | "$dynamicAnchor" => fits(value.as_str().is_some_and(is_anchor)),
        "pattern" => fits(value.as_str().is_some_and(|text| !text.contains(UNSAID))),
        _ => fits(value.is_string()),
    }
}

/// A name that a reference may have behind its `#`.
pub fn is_anchor(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'.' | b'_'))
}

/// A list of names, each once; anything else is left out, which asks for less.
fn names(value: &Value) -> Verdict {
    let Value::Array(list) = value else { return Verdict::Nothing };
    let mut seen = HashSet::new();
    let mut kept: Vec<&str> = list.iter().filter_map(Value::as_str).filter(|name| !name.contains(UNSAID)).collect();
    kept.retain(|name| seen.insert(*name));
    if kept.len() == list.len() { Verdict::Fits } else { Verdict::Instead(kept.into()) }
}

const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// Types, as other languages call them too. One that is none of them may mean anything.
fn types(value: &Value) -> Verdict {
    let written: Vec<&str> = match value {
        Value::String(text) if TYPES.contains(&text.as_str()) => return Verdict::Fits,
        Value::String(text) => text.split('|').collect(),
        Value::Array(list) if !list.is_empty() && list.iter().all(Value::is_string) => {
            list.iter().filter_map(Value::as_str).collect()
        }
        _ => return Verdict::Nothing,
    };
    let Some(mut meant) = written.iter().map(|text| type_of(text)).collect::<Option<Vec<&str>>>() else {
        return Verdict::Nothing;
    };
    let mut seen = HashSet::new();
    meant.retain(|kind| seen.insert(*kind));
    if value.is_array() && meant == written {
        return Verdict::Fits;
    }
    Verdict::Instead(if let [one] = meant[..] { one.into() } else { meant.into() })
}

fn type_of(written: &str) -> Option<&'static str> {
    let folded = written.trim().to_lowercase();
    if let Some(known) = TYPES.iter().find(|known| **known == folded) {
        return Some(known);
    }
    Some(match folded.as_str() {
        "str" | "text" => "string",
        "int" | "int32" | "int64" | "long" => "integer",
        "float" | "double" => "number",
        "bool" => "boolean",
        "dict" | "map" => "object",
        "list" | "tuple" | "set" => "array",
        "none" | "nonetype" => "null",
        _ => return None,
    })
}

/// Whether a whole number that no 64 bits hold is in a value. A value is not deeper than its reader takes it.
pub fn has_number_beyond(value: &Value) -> bool {
    const BITS_63: f64 = 9_223_372_036_854_775_808.0;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            // As a host of JavaScript writes it: the largest whole number of 64 bits is one more there.
            Value::Number(number) if number.as_f64().is_none_or(|number| number.abs() >= BITS_63) => return true,
            Value::Array(items) => open.extend(items),
            Value::Object(map) => open.extend(map.values()),
            _ => {}
        }
    }
    false
}

/// Whether all engines read a pattern: besides what Python does not know, the grammars of local ones have neither a look around nor
/// a pattern that begins or ends in the middle of a text.
pub fn is_read_by_engines(pattern: &str) -> bool {
    let looks_around = ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| pattern.contains(look));
    !looks_around && pattern.starts_with('^') && pattern.ends_with('$') && is_read_by_python(pattern)
}

/// Whether Python's `re` reads a pattern: what it does not know are escapes of other languages, and their named groups.
pub fn is_read_by_python(pattern: &str) -> bool {
    let bytes = pattern.as_bytes();
    let hex =
        |from: usize, many: usize| bytes.get(from..from + many).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    let (mut at, mut in_class) = (0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => {
                let known = match bytes.get(at + 1) {
                    None => false,
                    Some(b'x') => hex(at + 2, 2),
                    Some(b'u') => hex(at + 2, 4),
                    Some(b'A' | b'B' | b'Z') => !in_class,
                    Some(c) => !c.is_ascii_alphabetic() || b"abdDsSwWfnrtv".contains(c),
                };
                if !known {
                    return false;
                }
                at += 1;
            }
            b'[' => in_class = true,
            b']' => in_class = false,
            b'(' if !in_class && pattern[at..].starts_with("(?<") && !matches!(bytes.get(at + 3), Some(b'=' | b'!')) => {
                return false;
            }
            _ => {}
        }
        at += 1;
    }
    true
}
