//! The texts of an input schema, by their paths.

use once_cell::sync::Lazy;
use serde_json::Value;

use super::finding::{Check, Finding, Severity};
use super::words::{Words, list};

/// Larger schemas are read no further: the largest real one has 100 kB.
const MAX_BYTES: usize = 1024 * 1024;

/// Names of parameters that ask for what was said or thought; no real tool of 3,522 has one.
static GREEDY: Lazy<Words> = Lazy::new(|| list("greedy"));

/// Visits every text of a schema with its path, and every name of a property as a text of its own.
pub(super) fn each_text(schema: &str, visit: &mut dyn FnMut(&str, &str)) {
    if schema.len() > MAX_BYTES {
        return;
    }
    if let Ok(schema) = serde_json::from_str::<Value>(schema) {
        walk(&schema, &mut "inputSchema".to_owned(), visit);
    }
}

fn walk(value: &Value, path: &mut String, visit: &mut dyn FnMut(&str, &str)) {
    let length = path.len();
    match value {
        Value::String(text) => visit(path, text),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                path.push('/');
                path.push_str(&at.to_string());
                walk(item, path, visit);
                path.truncate(length);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                path.push('/');
                path.push_str(name);
                // A name of many words is a text.
                if name.contains(' ') || !name.is_ascii() || name.split('_').nth(3).is_some() {
                    visit(path, &name.replace('_', " "));
                }
                walk(member, path, visit);
                path.truncate(length);
            }
        }
        _ => {}
    }
}

/// Parameters that ask for the conversation.
pub(super) fn greedy_parameters(schema: &str) -> Vec<Finding> {
    if schema.len() > MAX_BYTES || !GREEDY.iter().any(|name| schema.contains(name)) {
        return Vec::new();
    }
    let schema: Value = serde_json::from_str(schema).unwrap_or_default();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let greedy = properties.filter(|(name, _)| GREEDY.contains(&name.to_lowercase().replace('-', "_").as_str()));
    let finding = |(name, _): (&String, &Value)| Finding {
        check: Check::AsksForContext,
        severity: Severity::Medium,
        field: format!("inputSchema/properties/{name}"),
        start: 0,
        end: name.len(),
    };
    greedy.map(finding).collect()
}
