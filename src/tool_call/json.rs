//! JSON as it was written: one level at a time, each value as its own text.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// How deep a value may be: as deep as every reader of JSON goes.
const MAX_DEPTH: usize = 120;
/// JSON text inside of JSON text, so often.
const MAX_WRAPPED: usize = 3;

/// The members of an object in their order, each value as its text.
pub type Members<'a> = Vec<(String, &'a RawValue)>;

/// A value, one level of it.
#[derive(Debug)]
pub enum Written<'a> {
    /// Nothing: `null`, or blank text.
    Nothing,
    /// An object.
    Object(Members<'a>),
    /// A list.
    List(Vec<&'a RawValue>),
    /// Text that is not JSON.
    Text(Cow<'a, str>),
    /// A number, `true` or `false`.
    Other,
}

/// The text of a value: JSON, or JSON text of JSON, perhaps in a fence of Markdown.
pub fn unwrapped(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(without_fence(text));
    for _ in 0..MAX_WRAPPED {
        let Ok(inner) = serde_json::from_str::<String>(&text) else { break };
        text = Cow::Owned(without_fence(&inner).to_owned());
    }
    text
}

fn without_fence(text: &str) -> &str {
    let text = text.trim();
    let Some(inner) = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else { return text };
    inner.strip_prefix("json").unwrap_or(inner).trim()
}

/// Reads one level of an unwrapped text.
pub fn read(text: &str) -> Written<'_> {
    if text.is_empty() || text == "null" {
        return Written::Nothing;
    }
    if !is_flat_enough(text) {
        return Written::Text(Cow::Borrowed(text));
    }
    match text.as_bytes()[0] {
        b'{' => members(text).map_or(Written::Text(Cow::Borrowed(text)), Written::Object),
        b'[' => serde_json::from_str(text).map_or(Written::Text(Cow::Borrowed(text)), Written::List),
        _ if serde_json::from_str::<IgnoredAny>(text).is_ok() => Written::Other,
        _ => Written::Text(Cow::Borrowed(text)),
    }
}

/// The members of an object, each name once.
pub fn members(text: &str) -> Option<Members<'_>> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let members = reader.deserialize_map(AllMembers).ok()?;
    reader.end().ok()?;
    let mut names = HashSet::new();
    let once = members.iter().all(|(name, _)| names.insert(name.as_str()));
    once.then_some(members)
}

/// The name of a member that stands twice anywhere in a value: readers do not agree on which of the two counts.
pub fn twice(text: &str) -> Option<String> {
    let mut found = None;
    let mut reader = serde_json::Deserializer::from_str(text);
    let _ = reader.deserialize_any(Once(&mut found));
    found
}

/// Whether no value is deeper than what is read. Counted in a loop: a text may be nothing but brackets.
pub fn is_flat_enough(text: &str) -> bool {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return false;
                }
            }
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    true
}

struct AllMembers;

impl<'de> Visitor<'de> for AllMembers {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}

/// Looks for a name that an object has twice. As deep as `serde_json` goes.
struct Once<'f>(&'f mut Option<String>);

impl<'de> serde::de::DeserializeSeed<'de> for Once<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Once<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut names = HashSet::new();
        while let Some(name) = map.next_key::<String>()? {
            if names.contains(&name) {
                *self.0 = Some(name.clone());
            }
            names.insert(name);
            map.next_value_seed(Once(&mut *self.0))?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Once(&mut *self.0))?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_counted_outside_of_texts() {
        assert!(is_flat_enough(&format!("\"{}\"", "[".repeat(100_000))));
        assert!(!is_flat_enough(&"[".repeat(MAX_DEPTH + 1)));
        assert!(matches!(read(&"[".repeat(1_000_000)), Written::Text(_)));
    }

    #[test]
    fn a_name_that_stands_twice_is_found() {
        assert_eq!(twice(r#"{"a":{"b":1,"b":2}}"#).as_deref(), Some("b"));
        assert_eq!(twice(r#"[{"a":1},{"a":1}]"#), None);
        assert!(members(r#"{"a":1,"a":2}"#).is_none());
    }
}
