//! A schema as a tree that keeps what its server wrote: order of keys, numbers as text, keys that stand twice.

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::keyword::{Kind, kind};

/// Real schemas have 20 levels. What lies deeper stays as it is.
const MAX_DEPTH: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    Object(Vec<(String, Node)>),
    Array(Vec<Node>),
    /// JSON text.
    Leaf(String),
}

struct Pairs;

impl<'de> Visitor<'de> for Pairs {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(pairs)
    }
}

impl Node {
    /// Reads JSON text; `None` for any other.
    pub fn read(text: &str) -> Option<Self> {
        Self::read_at(text, 0)
    }

    fn read_at(text: &str, depth: usize) -> Option<Self> {
        let text = text.trim();
        match text.as_bytes().first()? {
            _ if depth >= MAX_DEPTH => Some(Self::Leaf(text.to_owned())),
            b'{' => {
                let mut reader = serde_json::Deserializer::from_str(text);
                let pairs = reader.deserialize_map(Pairs).ok()?;
                reader.end().ok()?;
                let read = |(key, value): (String, &RawValue)| Some((key, Self::read_at(value.get(), depth + 1)?));
                pairs.into_iter().map(read).collect::<Option<_>>().map(Self::Object)
            }
            b'[' => {
                let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
                items.into_iter().map(|item| Self::read_at(item.get(), depth + 1)).collect::<Option<_>>().map(Self::Array)
            }
            b'"' => {
                // Written again, so that escapes of plain letters cost nothing; a lone surrogate stays as it is.
                let plain = serde_json::from_str::<String>(text).ok();
                Some(Self::Leaf(plain.map_or_else(|| text.to_owned(), |plain| quoted(&plain))))
            }
            _ => Some(Self::Leaf(text.to_owned())),
        }
    }

    /// Appends the value as JSON text without white space.
    pub fn write(&self, out: &mut String) {
        match self {
            Self::Leaf(text) => out.push_str(text),
            Self::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(pairs) => {
                out.push('{');
                for (at, (key, value)) in pairs.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    out.push_str(&quoted(key));
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    pub fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    /// The text of a string.
    pub fn string(&self) -> Option<String> {
        match self {
            Self::Leaf(text) if text.starts_with('"') => serde_json::from_str(text).ok(),
            _ => None,
        }
    }

    pub fn of_string(text: &str) -> Self {
        Self::Leaf(quoted(text))
    }

    /// Whether it is this JSON text.
    pub fn is(&self, text: &str) -> bool {
        match self {
            Self::Leaf(leaf) => leaf == text,
            Self::Array(items) => items.is_empty() && text == "[]",
            Self::Object(pairs) => pairs.is_empty() && text == "{}",
        }
    }

    /// A property; of a key that is written twice, the last.
    pub fn last(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(pairs) => pairs.iter().rfind(|(known, _)| known == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The part that a reference such as `#/$defs/name` leads to.
    pub fn at(&self, target: &str) -> Option<&Self> {
        target.strip_prefix('#')?.split('/').skip(1).try_fold(self, |node, step| {
            let step = step.replace("~1", "/").replace("~0", "~");
            match node {
                Self::Array(items) => items.get(step.parse::<usize>().ok()?),
                node => node.last(&step),
            }
        })
    }

    pub fn items(&self) -> &[Self] {
        match self {
            Self::Array(items) => items,
            _ => &[],
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Visits the schemas directly below one, with the names of properties and definitions. What stands in `enum`, `default` and the like is no schema.
pub fn each_below(schema: &mut Node, visit: &mut dyn FnMut(Option<&str>, &mut Node)) {
    let Node::Object(pairs) = schema else { return };
    for (keyword, value) in pairs {
        match (kind(keyword), value) {
            (Some(Kind::Map), Node::Object(entries)) => {
                for (name, below) in entries {
                    visit(Some(name), below);
                }
            }
            (Some(Kind::List), Node::Array(items)) => items.iter_mut().for_each(|below| visit(None, below)),
            // Of older drafts.
            (_, Node::Array(items)) if keyword == "items" => items.iter_mut().for_each(|below| visit(None, below)),
            (_, below @ Node::Object(_)) if keyword == "additionalItems" => visit(None, below),
            (Some(Kind::Schema), below @ Node::Object(_)) => visit(None, below),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_gives_back_what_was_written_without_white_space() {
        for (text, expected) in [
            (
                r#"{ "b": 1.0e3, "a": [ true , null ], "b": 12345678901234567890123 }"#,
                r#"{"b":1.0e3,"a":[true,null],"b":12345678901234567890123}"#,
            ),
            (r#""caf\u00e9 \ud800""#, r#""caf\u00e9 \ud800""#),
            (r#""caf\u00e9 \/""#, r#""café /""#),
        ] {
            assert_eq!(Node::read(text).unwrap().text(), expected);
        }
        let deep = format!("{}{}", r#"{"a":"#.repeat(10_000), "1".to_owned() + &"}".repeat(10_000));
        assert_eq!(Node::read(&deep).unwrap().text(), deep);
    }
}
