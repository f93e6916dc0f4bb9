//! An input schema as hosts with strict function calling send it, so that a prompt of such a host stays as it was.
//!
//! The rules were found by trying them against hashes of what a real host sends for 3,522 real tools: all are equal. Only the last
//! one has no case there:
//!
//! 1. A list of types becomes `anyOf` of single types; what is about an array ([`OF_ARRAYS`]) goes to its alternative.
//! 2. An object has `properties` and `additionalProperties: false`, whatever it had; `required` names its properties.
//! 3. `format` stays where strict APIs know it; [`OF_ARRAYS`] stay at arrays alone, in that order.
//! 4. Keywords stand in one order: see [`FIRST`], then unknown ones as sent, then what makes the shape.
//! 5. Properties, items and alternatives are schemas; `$defs` and everything else stay as sent.
//! 6. Alternatives at the top become one object: strict APIs refuse them there.

use serde_json::{Map, Value};

/// Formats that strict function calling knows.
const FORMATS: [&str; 9] = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
/// Keywords that come first, in this order.
const FIRST: &str = "description default enum const anyOf oneOf allOf $ref minimum maximum minLength maxLength pattern";
/// Keywords that make the shape: they come last, each by its own rule.
const SHAPE: [&str; 5] = ["type", "properties", "required", "additionalProperties", "format"];
/// Keywords of arrays: they come behind the type.
const OF_ARRAYS: [&str; 4] = ["items", "minItems", "maxItems", "uniqueItems"];
const ALTERNATIVES: [&str; 3] = ["anyOf", "oneOf", "allOf"];

/// The schema as a strict host sends it; `None` for one that cannot be read, which stays as sent.
pub fn normalised(schema: &str) -> Option<String> {
    let Value::Object(schema) = serde_json::from_str(schema).ok()? else { return None };
    Some(text(&object(&flattened(schema))))
}

/// What a host sends for a tool without a schema.
pub const NO_INPUT: &str = r#"{"type":"object","additionalProperties":false}"#;

fn value(schema: &Value) -> Value {
    match schema {
        Value::Object(schema) => object(schema),
        other => plain(other),
    }
}

fn object(schema: &Map<String, Value>) -> Value {
    let mut shaped = Map::new();
    let first = FIRST.split(' ').filter_map(|key| schema.get_key_value(key));
    let is_other = |key: &str| FIRST.split(' ').all(|first| first != key) && !SHAPE.contains(&key) && !OF_ARRAYS.contains(&key);
    for (key, inner) in first.chain(schema.iter().filter(|(key, _)| is_other(key))) {
        let inner = match inner {
            Value::Array(list) if ALTERNATIVES.contains(&key.as_str()) => list.iter().map(value).collect(),
            inner => plain(inner),
        };
        shaped.insert(key.clone(), inner);
    }
    let kinds = match schema.get("type") {
        Some(Value::Array(kinds)) => {
            shaped.insert("anyOf".into(), kinds.iter().map(|kind| Value::Object(of_kind(kind, schema))).collect());
            kinds.as_slice()
        }
        Some(kind) => {
            shaped.extend(of_kind(kind, schema));
            std::slice::from_ref(kind)
        }
        None => &[],
    };
    if let Some(format) = schema.get("format").filter(|format| format.as_str().is_some_and(|name| FORMATS.contains(&name))) {
        shaped.insert("format".into(), format.clone());
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let is_object = properties.is_some() || kinds.iter().any(|kind| kind == "object");
    if is_object {
        let inner = properties.into_iter().flatten().map(|(name, inner)| (name.clone(), value(inner)));
        shaped.insert("properties".into(), Value::Object(inner.collect()));
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let is_there = |name: &&Value| name.as_str().is_some_and(|name| properties.is_some_and(|map| map.contains_key(name)));
    let required: Vec<Value> = required.filter(is_there).cloned().collect();
    if !required.is_empty() {
        shaped.insert("required".into(), required.into());
    }
    if is_object {
        shaped.insert("additionalProperties".into(), false.into());
    }
    Value::Object(shaped)
}

/// A type, with what is about arrays where it is one.
fn of_kind(kind: &Value, schema: &Map<String, Value>) -> Map<String, Value> {
    let keywords = OF_ARRAYS.iter().filter(|_| kind == "array").filter_map(|key| schema.get_key_value(*key));
    let shaped = keywords.map(|(key, inner)| {
        let inner = match inner {
            Value::Array(list) if key == "items" => list.iter().map(value).collect(),
            inner if key == "items" => value(inner),
            inner => plain(inner),
        };
        (key.clone(), inner)
    });
    std::iter::once(("type".to_owned(), kind.clone())).chain(shaped).collect()
}

/// Alternatives at the top as one object with all their properties; required is what each alternative requires, and
/// all that any part of `allOf` requires. It accepts what the original accepts.
fn flattened(mut schema: Map<String, Value>) -> Map<String, Value> {
    for key in ALTERNATIVES {
        let Some(Value::Array(list)) = schema.get(key) else { continue };
        let parts: Vec<Map<String, Value>> = list.iter().filter_map(Value::as_object).cloned().collect();
        schema.shift_remove(key);
        schema.insert("type".into(), "object".into());
        let mut properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        for (name, inner) in parts.iter().filter_map(|part| part.get("properties")?.as_object()).flatten() {
            properties.entry(name.clone()).or_insert_with(|| inner.clone());
        }
        let names = |map: &Map<String, Value>| -> Vec<Value> {
            map.get("required").and_then(Value::as_array).cloned().unwrap_or_default()
        };
        let mut required = names(&schema);
        let is_needed = |name: &Value| key == "allOf" || parts.iter().all(|part| names(part).contains(name));
        for name in parts.iter().flat_map(names).filter(is_needed) {
            if !required.contains(&name) {
                required.push(name);
            }
        }
        schema.insert("properties".into(), properties.into());
        schema.insert("required".into(), required.into());
    }
    schema
}

/// A value as JavaScript writes it: a whole number has no fraction.
fn plain(given: &Value) -> Value {
    match given {
        #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
        Value::Number(number) => match number.as_f64() {
            Some(real) if number.is_f64() && real.fract() == 0.0 && real.abs() < 9_007_199_254_740_992.0 => (real as i64).into(),
            _ => given.clone(),
        },
        Value::Array(list) => list.iter().map(plain).collect(),
        Value::Object(map) => Value::Object(map.iter().map(|(key, inner)| (key.clone(), plain(inner))).collect()),
        other => other.clone(),
    }
}

/// JSON text with numbers as JavaScript writes them: `0.000001` and not `1e-6`, `100` and not `100.0`.
fn text(value: &Value) -> String {
    let mut bytes = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, NumbersOfJavaScript);
    // Neither a value nor a vector can fail.
    let _ = serde::Serialize::serialize(value, &mut serializer);
    String::from_utf8(bytes).unwrap_or_default()
}

/// Whole numbers beyond this are rounded by JavaScript.
const SAFE_INTEGER: u64 = 1 << 53;

struct NumbersOfJavaScript;

impl serde_json::ser::Formatter for NumbersOfJavaScript {
    fn write_f64<W: ?Sized + std::io::Write>(&mut self, writer: &mut W, value: f64) -> std::io::Result<()> {
        // JSON of JavaScript knows no negative zero.
        let value = if value == 0.0 { 0.0 } else { value };
        writer.write_all(ryu_js::Buffer::new().format(value).as_bytes())
    }

    #[expect(clippy::cast_precision_loss, reason = "what JavaScript loses too")]
    fn write_u64<W: ?Sized + std::io::Write>(&mut self, writer: &mut W, value: u64) -> std::io::Result<()> {
        if value > SAFE_INTEGER { self.write_f64(writer, value as f64) } else { write!(writer, "{value}") }
    }

    #[expect(clippy::cast_precision_loss, reason = "what JavaScript loses too")]
    fn write_i64<W: ?Sized + std::io::Write>(&mut self, writer: &mut W, value: i64) -> std::io::Result<()> {
        if value.unsigned_abs() > SAFE_INTEGER { self.write_f64(writer, value as f64) } else { write!(writer, "{value}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_stay_lists_of_items_are_shown_each_and_twice_is_once() {
        for (sent, expected) in [
            (
                r#"{"properties":{"a":{"type":"string","format":"uri"}},"$defs":{"e":{"format":"uri"}}}"#,
                r#"{"$defs":{"e":{"format":"uri"}},"properties":{"a":{"type":"string"}},"additionalProperties":false}"#,
            ),
            (
                r#"{"properties":{"a":{"type":"array","items":[{"type":"object"},true]}}}"#,
                r#"{"properties":{"a":{"type":"array","items":[{"type":"object","properties":{},"additionalProperties":false},true]}},"additionalProperties":false}"#,
            ),
        ] {
            assert_eq!(normalised(sent).unwrap(), expected, "{sent}");
            assert_eq!(normalised(expected).unwrap(), expected, "twice is once: {sent}");
        }
        let list = r#"{"properties":{"a":{"type":["array","null"],"items":{"type":["object"]}}}}"#;
        let text = normalised(list).unwrap();
        assert!(text.contains(r#""anyOf":[{"type":"array","items":{"anyOf":[{"type":"object"}],"properties":{}"#), "{text}");
    }

    #[test]
    fn what_cannot_be_read_stays_as_sent() {
        assert_eq!(normalised(&("{\"a\":".repeat(500) + "1" + &"}".repeat(500))), None);
        assert_eq!(normalised("[]"), None);
    }
}
