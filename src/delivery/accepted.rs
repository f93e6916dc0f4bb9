//! Schemas as providers take them. One tool with a schema that a provider refuses makes it refuse every request.
//!
//! | rule | provider | source |
//! | --- | --- | --- |
//! | the root has `type: "object"` | all | types of the official packages of Anthropic and Bedrock; others refuse other roots ("schema must have type object") |
//! | the root has no `anyOf`, `oneOf`, `allOf` | all | they answer 400 (anthropics/claude-code 27337, langchain-ai/langchainjs 9804), or pass requests on to who does |
//! | names of the root's properties match `^[a-zA-Z0-9_.-]{1,64}$` | Anthropic, Bedrock, VS Code | Anthropic answers 400 with this pattern; the other two pass requests on to it |
//!
//! What is changed accepts what the original accepts, and is told. Nothing else of a schema is touched, byte by byte.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::error::shorten;
use crate::settings::Provider;

const ALTERNATIVES: [&str; 3] = ["anyOf", "oneOf", "allOf"];
/// The longest name of a property.
const MAX_NAME: usize = 64;
/// Parameters that are described in words, and how much of each is.
const MOST_DESCRIBED: usize = 10;
const DESCRIBED_CHARS: usize = 200;

/// A tool as every provider takes it, each part JSON text.
#[derive(Debug, Clone, Copy)]
pub struct Definition<'a> {
    /// The name that the model calls, plain: it has no character that JSON escapes.
    pub name: &'a str,
    /// Its description, a JSON string.
    pub description: &'a str,
    /// Its input schema, a JSON object.
    pub schema: &'a str,
}

/// What was changed in a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// `type: "object"` was added, which says nothing new: arguments are an object.
    TypeAdded,
    /// Alternatives at the root became one object, which takes more.
    AlternativesMerged,
    /// Parameters with names that the provider refuses are in the description.
    ParametersDescribed,
}

impl Change {
    /// The stable name that callers see.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TypeAdded => "type-added",
            Self::AlternativesMerged => "alternatives-merged",
            Self::ParametersDescribed => "parameters-described",
        }
    }
}

/// A definition as a provider takes it.
#[derive(Debug)]
pub struct Accepted<'a> {
    /// Its description, a JSON string.
    pub description: Cow<'a, str>,
    /// Its schema, a JSON object.
    pub schema: Cow<'a, str>,
    /// What was changed.
    pub changes: Vec<Change>,
}

/// Makes a definition one that a provider takes.
#[must_use]
pub fn accepted<'a>(provider: Provider, definition: &Definition<'a>) -> Accepted<'a> {
    let mut accepted = Accepted {
        description: Cow::Borrowed(definition.description),
        schema: Cow::Borrowed(definition.schema),
        changes: Vec::new(),
    };
    let names_matter = matches!(provider, Provider::Anthropic | Provider::Bedrock | Provider::Vscode);
    if is_taken_as_sent(definition.schema, names_matter) {
        return accepted;
    }
    let Ok(root) = serde_json::from_str::<Map<String, Value>>(definition.schema) else { return accepted };
    if ALTERNATIVES.iter().any(|key| root.contains_key(*key)) {
        accepted.schema = Cow::Owned(Value::Object(merged(&root)).to_string());
        accepted.changes.push(Change::AlternativesMerged);
    } else if let Cow::Owned(schema) = object_schema(definition.schema) {
        accepted.schema = Cow::Owned(schema);
        accepted.changes.push(Change::TypeAdded);
    }
    if names_matter {
        describe_odd_parameters(&mut accepted);
    }
    accepted
}

/// Whether nothing has to be changed: nearly always, and at the speed of reading.
fn is_taken_as_sent(schema: &str, names_matter: bool) -> bool {
    let Ok(root) = serde_json::from_str::<Root<'_>>(schema) else { return false };
    let names_fit = || {
        let properties = root.properties.map(|properties| serde_json::from_str::<HashMap<String, &RawValue>>(properties.get()));
        properties.is_none_or(|properties| properties.is_ok_and(|properties| properties.keys().all(|name| is_taken(name))))
    };
    let is_object = root.kind.is_some_and(|kind| kind.get() == "\"object\"");
    is_object && [root.any_of, root.one_of, root.all_of].iter().all(Option::is_none) && (!names_matter || names_fit())
}

fn is_taken(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'-'))
}

/// Takes parameters out that no request may name, and says in words that there are such: a model may give what a schema
/// does not list.
fn describe_odd_parameters(accepted: &mut Accepted<'_>) {
    let has_odd = |schema: &Map<String, Value>| {
        schema.get("properties").and_then(Value::as_object).is_some_and(|names| names.keys().any(|name| !is_taken(name)))
    };
    let Ok(mut schema) = serde_json::from_str::<Map<String, Value>>(&accepted.schema) else { return };
    if !has_odd(&schema) {
        return;
    }
    let mut odd: Vec<(String, Value)> = Vec::new();
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let names: Vec<String> = properties.keys().filter(|name| !is_taken(name)).cloned().collect();
        odd.extend(names.into_iter().filter_map(|name| properties.shift_remove_entry(&name)));
    }
    let is_odd = |name: &Value| name.as_str().is_some_and(|name| !is_taken(name));
    let mut needed: Vec<Value> = Vec::new();
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        needed.extend(required.iter().filter(|name| is_odd(name)).cloned());
        required.retain(|name| !is_odd(name));
    }
    schema.shift_remove("additionalProperties");
    let line = |(name, schema): &(String, Value)| {
        let need = if needed.iter().any(|needed| needed == name.as_str()) { " (required)" } else { "" };
        format!("{}{need}: {}", json!(name), shorten(&schema.to_string(), DESCRIBED_CHARS))
    };
    let lines: Vec<String> = odd.iter().take(MOST_DESCRIBED).map(line).collect();
    let said: String = serde_json::from_str(&accepted.description).unwrap_or_default();
    let text = format!("{said}\n\nIt also takes these parameters, which are not listed:\n{}", lines.join("\n"));
    accepted.description = Cow::Owned(Value::from(text.trim_start()).to_string());
    accepted.schema = Cow::Owned(Value::Object(schema).to_string());
    accepted.changes.push(Change::ParametersDescribed);
}

/// Alternatives at the root as one object: with all their properties, each as any of them has it, and required what all of
/// them require.
fn merged(root: &Map<String, Value>) -> Map<String, Value> {
    let mut schema = root.clone();
    let mut properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut required = names_of(root);
    for key in ALTERNATIVES {
        let Some(Value::Array(list)) = schema.shift_remove(key) else { continue };
        let parts: Vec<Map<String, Value>> = list.iter().map(|part| resolved(root, part)).collect();
        for (name, inner) in parts.iter().filter_map(|part| part.get("properties")?.as_object()).flatten() {
            match properties.get_mut(name) {
                None => {
                    properties.insert(name.clone(), inner.clone());
                }
                // In `allOf` each part holds: what the first says is a part of it.
                Some(known) if known == inner || key == "allOf" => {}
                Some(known) => *known = either(known.take(), inner.clone()),
            }
        }
        let is_needed = |name: &Value| key == "allOf" || parts.iter().all(|part| names_of(part).contains(name));
        for name in parts.iter().flat_map(names_of).filter(is_needed) {
            if !required.contains(&name) {
                required.push(name);
            }
        }
    }
    // What one part forbids another may take.
    for key in ["additionalProperties", "unevaluatedProperties", "properties", "required", "type"] {
        schema.shift_remove(key);
    }
    let mut merged = Map::new();
    merged.insert("type".to_owned(), "object".into());
    merged.extend(schema);
    merged.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        merged.insert("required".to_owned(), required.into());
    }
    merged
}

fn names_of(schema: &Map<String, Value>) -> Vec<Value> {
    schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default()
}

/// Either of two schemas; a third joins them.
fn either(known: Value, other: Value) -> Value {
    match known {
        Value::Object(mut known) if known.len() == 1 && known.contains_key("anyOf") => {
            if let Some(Value::Array(list)) = known.get_mut("anyOf")
                && !list.contains(&other)
            {
                list.push(other);
            }
            Value::Object(known)
        }
        known => json!({ "anyOf": [known, other] }),
    }
}

/// A part of the root, or the definition that it refers to.
fn resolved(root: &Map<String, Value>, part: &Value) -> Map<String, Value> {
    let referred = part.get("$ref").and_then(Value::as_str).and_then(|reference| {
        let (key, name) = reference.strip_prefix("#/")?.split_once('/')?;
        root.get(key)?.get(name)
    });
    referred.unwrap_or(part).as_object().cloned().unwrap_or_default()
}

/// The schema with `"type": "object"` at its root. Servers leave it out, or write a list of types; everything else stays
/// byte by byte.
fn object_schema(schema: &str) -> Cow<'_, str> {
    // Arguments are an object in any case, so saying it changes nothing that a call could contain.
    match root_type(schema) {
        Some(kind) if kind.get() == "\"object\"" => Cow::Borrowed(schema),
        Some(kind) => {
            // The slice lies in `schema`: RawValue borrows from it.
            let start = kind.get().as_ptr() as usize - schema.as_ptr() as usize;
            Cow::Owned(format!("{}\"object\"{}", &schema[..start], &schema[start + kind.get().len()..]))
        }
        None => {
            let rest = schema.trim_start().strip_prefix('{').unwrap_or("}").trim_start();
            let comma = if rest.starts_with('}') { "" } else { "," };
            Cow::Owned(format!(r#"{{"type":"object"{comma}{rest}"#))
        }
    }
}

#[derive(serde::Deserialize)]
struct Root<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow, rename = "anyOf")]
    any_of: Option<&'a RawValue>,
    #[serde(borrow, rename = "oneOf")]
    one_of: Option<&'a RawValue>,
    #[serde(borrow, rename = "allOf")]
    all_of: Option<&'a RawValue>,
    #[serde(borrow)]
    properties: Option<&'a RawValue>,
}

fn root_type(schema: &str) -> Option<&RawValue> {
    serde_json::from_str::<Root<'_>>(schema).ok()?.kind
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(provider: Provider, schema: &str) -> (String, String, Vec<Change>) {
        let definition = Definition { name: "t", description: "\"Does it.\"", schema };
        let Accepted { description, schema, changes } = accepted(provider, &definition);
        (description.into_owned(), schema.into_owned(), changes)
    }

    #[test]
    fn a_root_that_is_not_an_object_becomes_one_and_the_rest_stays() {
        for (schema, expected) in [
            ("{}", r#"{"type":"object"}"#),
            (r#"{ "properties": {} }"#, r#"{"type":"object","properties": {} }"#),
            (r#"{"a":1, "type" : ["object","null"],"z":2}"#, r#"{"a":1, "type" : "object","z":2}"#),
        ] {
            for provider in [Provider::Anthropic, Provider::OpenaiChat, Provider::Gemini, Provider::Vscode] {
                let (_, text, changes) = of(provider, schema);
                assert_eq!((text.as_str(), changes), (expected, vec![Change::TypeAdded]));
            }
        }
        let plain = r#"{"type":"object", "properties":{"a b":{}}}"#;
        assert_eq!(of(Provider::OpenaiChat, plain), ("\"Does it.\"".into(), plain.into(), vec![]));
    }

    #[test]
    fn alternatives_at_the_root_become_one_object_that_takes_what_each_takes() {
        let schema = r##"{"oneOf":[{"$ref":"#/$defs/a"},{"properties":{"id":{"type":"integer"},"by":{}},"required":["id","by"]}],
            "additionalProperties":false,"$defs":{"a":{"properties":{"id":{"type":"string"}},"required":["id"]}}}"##;
        let (_, text, changes) = of(Provider::OpenaiResponses, schema);
        assert_eq!(changes, [Change::AlternativesMerged]);
        let merged: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(merged["properties"]["id"], json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] }));
        assert_eq!((&merged["type"], &merged["required"]), (&json!("object"), &json!(["id"])));
        assert!(["oneOf", "additionalProperties"].iter().all(|key| merged.get(key).is_none()) && merged.get("$defs").is_some());
    }

    #[test]
    fn parameters_that_a_provider_refuses_by_name_are_said_in_words() {
        let schema = r#"{"type":"object","properties":{"a":{},"filter[name]":{"type":"string"}},"required":["a","filter[name]"],"additionalProperties":false}"#;
        let (description, text, changes) = of(Provider::Anthropic, schema);
        assert_eq!(changes, [Change::ParametersDescribed]);
        assert_eq!(text, r#"{"type":"object","properties":{"a":{}},"required":["a"]}"#);
        assert!(description.contains(r#"\"filter[name]\" (required): {\"type\":\"string\"}"#), "{description}");
        assert_eq!(of(Provider::OpenaiChat, schema).2, []);
    }
}
