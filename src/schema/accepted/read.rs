//! Reading a schema whatever its server wrote, and writing it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::rules::Change;
use crate::schema::node::Node;

/// Stands for what cannot be said: half of a surrogate pair, a part that lies too deep. No text has it.
pub const UNSAID: char = '\u{ffff}';

/// The schema as a value.
pub fn value(schema: &str, changes: &mut BTreeSet<Change>) -> Value {
    if let Ok(value) = serde_json::from_str(schema) {
        return value;
    }
    let whole = without_half_pairs(schema);
    if whole.is_some() {
        changes.insert(Change::SurrogatesRemoved);
    }
    let text = whole.as_deref().unwrap_or(schema);
    if let Ok(value) = serde_json::from_str(text) {
        return value;
    }
    let cut = Node::read(text).map(cut);
    let read = cut.and_then(|node| serde_json::from_str(&node.text()).ok());
    changes.insert(if read.is_some() { Change::DepthCut } else { Change::InvalidReplaced });
    read.unwrap_or_else(|| json!({ "type": "object", "properties": {} }))
}

/// The text of a value that was read here.
pub fn text(root: &Value, changes: &BTreeSet<Change>) -> String {
    let text = root.to_string();
    let has_gaps = [Change::SurrogatesRemoved, Change::DepthCut].iter().any(|change| changes.contains(change));
    if has_gaps { text.replace(UNSAID, "\u{fffd}") } else { text }
}

pub fn is_unsaid(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(UNSAID),
        Value::Array(items) => items.iter().any(is_unsaid),
        Value::Object(map) => map.iter().any(|(key, inner)| key.contains(UNSAID) || is_unsaid(inner)),
        _ => false,
    }
}

/// What lies too deep to be read is something that cannot be said.
fn cut(node: Node) -> Node {
    match node {
        Node::Leaf(text) if text.starts_with(['{', '[']) => Node::of_string(&UNSAID.to_string()),
        Node::Leaf(text) => Node::Leaf(text),
        Node::Array(items) => Node::Array(items.into_iter().map(cut).collect()),
        Node::Object(pairs) => Node::Object(pairs.into_iter().map(|(key, value)| (key, cut(value))).collect()),
    }
}

/// JSON text with each escaped half of a surrogate pair replaced; `None` where there is none.
fn without_half_pairs(text: &str) -> Option<String> {
    let unit = |at: usize| {
        let hex = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(hex, 16).ok().filter(|unit| (0xd800..0xe000).contains(unit))
    };
    let bytes = text.as_bytes();
    let (mut at, mut copied, mut out) = (0, 0, String::new());
    while let Some(offset) = bytes[at..].iter().position(|byte| *byte == b'\\') {
        at += offset;
        at += match unit(at) {
            None => 2,
            Some(first) if first < 0xdc00 && unit(at + 6).is_some_and(|second| second >= 0xdc00) => 12,
            Some(_) => {
                out.push_str(&text[copied..at]);
                out.push(UNSAID);
                copied = at + 6;
                6
            }
        };
        if at >= bytes.len() {
            break;
        }
    }
    (copied > 0).then(|| {
        out.push_str(&text[copied..]);
        out
    })
}
