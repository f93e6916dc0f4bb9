//! Places in a JSON text, found without building values: a result of 30 MB would become ten times as much.
//!
//! All of it reads text that a parser has accepted; of other text it gives places that mean nothing, and it never panics.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::IgnoredAny;

/// Where the JSON value at the start of a text ends; `None` where there is none, or it is nested too deeply to be read.
pub fn value_at_start(text: &str) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    Some(values.byte_offset())
}

/// Whether a text is one JSON value.
pub fn is_value(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// What a value is, by its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    Object,
    Array,
    Text,
    Number,
    Boolean,
    Null,
}

impl Type {
    pub fn of(text: &str, value: &Range<usize>) -> Self {
        match text.as_bytes().get(value.start) {
            Some(b'{') => Self::Object,
            Some(b'[') => Self::Array,
            Some(b'"') => Self::Text,
            Some(b't' | b'f') => Self::Boolean,
            Some(b'n') => Self::Null,
            _ => Self::Number,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::Text => "string",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Null => "null",
        }
    }
}

/// A member of an object, or an element of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its key with the quotation marks; `None` of an element.
    pub key: Option<Range<usize>>,
    /// Its value.
    pub value: Range<usize>,
}

impl Member {
    /// From its key, or its value, to the end of its value.
    pub fn whole(&self) -> Range<usize> {
        self.key.as_ref().map_or(self.value.start, |key| key.start)..self.value.end
    }
}

/// The members of an object or the elements of an array, in order.
pub struct Members<'t> {
    bytes: &'t [u8],
    at: usize,
    end: usize,
    is_object: bool,
}

impl<'t> Members<'t> {
    /// Of a value; of one that is neither there are none.
    pub fn of(text: &'t str, value: &Range<usize>) -> Self {
        let kind = Type::of(text, value);
        let holds = matches!(kind, Type::Object | Type::Array);
        let end = value.end.min(text.len());
        let at = if holds { (value.start + 1).min(end) } else { end };
        Self { bytes: text.as_bytes(), at, end, is_object: kind == Type::Object }
    }

    fn skip_between(&mut self) {
        while self.at < self.end && matches!(self.bytes[self.at], b' ' | b'\t' | b'\n' | b'\r' | b',' | b':') {
            self.at += 1;
        }
    }

    fn value(&mut self) -> Option<Range<usize>> {
        self.skip_between();
        let start = self.at;
        if start >= self.end || matches!(self.bytes[start], b'}' | b']') {
            return None;
        }
        self.at = end_of_value(self.bytes, start, self.end);
        Some(start..self.at)
    }
}

impl Iterator for Members<'_> {
    type Item = Member;

    fn next(&mut self) -> Option<Member> {
        let first = self.value()?;
        if !self.is_object {
            return Some(Member { key: None, value: first });
        }
        Some(Member { key: Some(first), value: self.value()? })
    }
}

/// Where a value ends that begins here: at least one byte later.
fn end_of_value(bytes: &[u8], start: usize, end: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while at < end {
        match bytes[at] {
            b'"' => {
                at = end_of_text(bytes, at, end);
                if depth == 0 {
                    return at;
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                if depth <= 1 {
                    // A number, or the like, ends before the bracket of what holds it.
                    return if depth == 0 && at > start { at } else { at + 1 };
                }
                depth -= 1;
            }
            b',' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 && at > start => return at,
            _ => {}
        }
        at += 1;
    }
    end
}

fn end_of_text(bytes: &[u8], start: usize, end: usize) -> usize {
    let mut at = start + 1;
    while at < end {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    end
}

/// The text between quotation marks, with its escapes read.
pub fn unescaped<'t>(text: &'t str, value: &Range<usize>) -> Cow<'t, str> {
    let inside = text.get(value.start + 1..value.end.saturating_sub(1)).unwrap_or("");
    if !inside.contains('\\') {
        return Cow::Borrowed(inside);
    }
    let whole = text.get(value.clone()).unwrap_or("");
    serde_json::from_str(whole).map_or_else(|_| Cow::Owned(readable(inside).into_owned()), Cow::Owned)
}

/// A piece of JSON with the escapes of its texts read, for ranking: no JSON any more.
pub fn readable(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        made.push_str(&rest[..at]);
        let escape = rest[at + 1..].chars().next();
        let read = match escape {
            Some('u') => unicode(&rest[at..]),
            Some(c @ ('"' | '\\' | '/')) => Some((c, 2)),
            _ => None,
        };
        let (c, length) = read.unwrap_or((' ', 1 + escape.map_or(0, char::len_utf8)));
        made.push(c);
        rest = &rest[at + length..];
    }
    made.push_str(rest);
    Cow::Owned(made)
}

/// The character of `\uXXXX`, or of a pair of them, and how long that is.
fn unicode(text: &str) -> Option<(char, usize)> {
    let unit = |at: usize| u16::from_str_radix(text.get(at + 2..at + 6)?, 16).ok();
    let first = unit(0)?;
    let second = if text.get(6..8) == Some("\\u") { unit(6) } else { None };
    let mut units = char::decode_utf16([Some(first), second].into_iter().flatten());
    let c = units.next()?.ok()?;
    Some((c, 6 * c.len_utf16()))
}

/// A piece of JSON without white space between its tokens, at most so many bytes of it.
pub fn compact(text: &str, most: usize) -> String {
    let bytes = text.as_bytes();
    let mut made = String::with_capacity(text.len().min(most));
    let mut at = 0;
    while at < bytes.len() && made.len() < most {
        let start = at;
        if bytes[at] == b'"' {
            at = end_of_text(bytes, at, bytes.len()).min(bytes.len());
            made.push_str(text.get(start..at).unwrap_or(""));
            continue;
        }
        while at < bytes.len() && bytes[at] != b'"' && !bytes[at].is_ascii_whitespace() {
            at += 1;
        }
        made.push_str(text.get(start..at).unwrap_or(""));
        while at < bytes.len() && bytes[at].is_ascii_whitespace() {
            at += 1;
        }
    }
    made.truncate(made.floor_char_boundary(most));
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn values<'t>(text: &'t str, value: &Range<usize>) -> Vec<&'t str> {
        Members::of(text, value).map(|member| &text[member.value]).collect()
    }

    #[test]
    fn members_stand_in_order_with_their_keys() {
        let text = "{ \"a\" : 1 , \"b\\\"}\":[ {\"c\":\"]\"}, 2 ,\"x\"] }";
        let members: Vec<Member> = Members::of(text, &(0..text.len())).collect();
        let keys: Vec<_> = members.iter().map(|member| &text[member.key.clone().unwrap()]).collect();
        assert_eq!(keys, ["\"a\"", "\"b\\\"}\""]);
        assert_eq!(&text[members[0].value.clone()], "1");
        assert_eq!(values(text, &members[1].value), ["{\"c\":\"]\"}", "2", "\"x\""]);
        assert!(values("[ ]", &(0..3)).is_empty() && values("17", &(0..2)).is_empty());
    }

    #[test]
    fn escapes_are_read() {
        let text = r#""a\nb \u00e9 \ud83d\ude00 \"q\"""#;
        assert_eq!(unescaped(text, &(0..text.len())), "a\nb é 😀 \"q\"");
        assert_eq!(readable(r#"{"a":"x\ny \u00e9 \ud83d\ude00"}"#), "{\"a\":\"x y é 😀\"}");
        assert_eq!(readable(r"\ud83d \u12"), " d83d  12");
    }

    #[test]
    fn white_space_between_tokens_goes_and_within_texts_stays() {
        assert_eq!(compact("{ \"a b\" : [ 1,\n 2 ] }", 100), "{\"a b\":[1,2]}");
        assert_eq!(compact("{\"é\": 1}", 3), "{\"");
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-z\"\\\\\n{}\\[\\],: é]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec(("[a-z\"\\\\{]{0,4}", inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// The value again from its places.
    fn rebuilt(text: &str, value: &Range<usize>) -> Value {
        match Type::of(text, value) {
            Type::Array => Members::of(text, value).map(|member| rebuilt(text, &member.value)).collect(),
            Type::Object => Value::Object(
                Members::of(text, value)
                    .map(|member| (unescaped(text, &member.key.clone().unwrap()).into_owned(), rebuilt(text, &member.value)))
                    .collect(),
            ),
            _ => serde_json::from_str(&text[value.clone()]).unwrap(),
        }
    }

    proptest! {
        #[test]
        fn places_give_the_value_that_a_parser_gives(value in json()) {
            for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                prop_assert_eq!(&rebuilt(&text, &(0..text.len())), &value);
                prop_assert_eq!(compact(&text, usize::MAX), value.to_string());
            }
        }

        #[test]
        fn text_that_is_no_json_does_no_harm(text in "[\\[\\]{}\",:\\\\ua1 é\n]{0,40}", start in 0..40_usize) {
            let value = text.floor_char_boundary(start)..text.len();
            for member in Members::of(&text, &value) {
                prop_assert!(member.value.start < member.value.end && member.value.end <= text.len());
            }
            let _ = (unescaped(&text, &value), readable(&text), compact(&text, 7), value_at_start(&text));
        }
    }
}
