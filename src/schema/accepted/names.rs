//! Parameters that no request may name.

use serde_json::{Map, Value, json};

use crate::error::shorten;

const MAX_NAME: usize = 64;
/// Parameters that are described in words, and how much of each is.
const MOST_DESCRIBED: usize = 10;
const DESCRIBED_CHARS: usize = 200;

fn is_taken(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'-'))
}

/// Takes parameters out that no request may name, and gives a description that says in words that there are such: a model
/// may give what a schema does not list.
pub fn describe_odd(root: &mut Value, said: &str) -> Option<String> {
    let schema = root.as_object_mut()?;
    let properties = schema.get_mut("properties")?.as_object_mut()?;
    if properties.keys().all(|name| is_taken(name)) {
        return None;
    }
    let all = std::mem::take(properties).into_iter();
    let (listed, odd): (Vec<_>, Vec<_>) = all.partition(|(name, _)| is_taken(name));
    properties.extend(listed);
    let needed = take_needed(schema);
    schema.shift_remove("additionalProperties");
    schema.shift_remove("unevaluatedProperties");
    let line = |(name, schema): &(String, Value)| {
        let need = if needed.contains(name) { " (required)" } else { "" };
        format!("{}{need}: {}", json!(name), shorten(&schema.to_string(), DESCRIBED_CHARS))
    };
    let lines: Vec<String> = odd.iter().take(MOST_DESCRIBED).map(line).collect();
    let text = format!("{said}\n\nIt also takes these parameters, which are not listed:\n{}", lines.join("\n"));
    Some(text.trim_start().to_owned())
}

/// The odd names among those that are required, which none may be.
fn take_needed(schema: &mut Map<String, Value>) -> Vec<String> {
    let Some(Value::Array(required)) = schema.get_mut("required") else { return Vec::new() };
    let is_odd = |name: &Value| name.as_str().is_some_and(|name| !is_taken(name));
    let needed = required.iter().filter(|name| is_odd(name)).filter_map(Value::as_str).map(str::to_owned).collect();
    required.retain(|name| !is_odd(name));
    needed
}
