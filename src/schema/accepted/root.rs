//! The root of a schema, which providers want to be a plain object.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::keywords::{self, is_annotation};
use super::references::at;
use super::rules::Change;
use super::walk::Walk;

const ALTERNATIVES: [&str; 3] = ["anyOf", "oneOf", "allOf"];
/// What a root that refers keeps of its own.
const OF_THE_ROOT: [&str; 8] = ["$schema", "$id", "$anchor", "$defs", "definitions", "title", "description", "$comment"];
/// Alternatives that are merged, and their properties; of more nothing is said.
const MOST_PARTS: usize = 64;
const MOST_PROPERTIES: usize = 5_000;
/// References that are followed from one to the next.
const MOST_HOPS: usize = 32;

/// Mends the root.
pub fn mend(root: &mut Value, walk: &mut Walk) {
    let was_object = root.get("type").is_some_and(|kind| kind == "object");
    if root.get("$ref").is_some() {
        *root = referred(root);
        walk.widen(Change::ReferenceResolved);
    }
    if walk.rules.composition && ALTERNATIVES.iter().any(|key| root.get(key).is_some()) {
        *root = merged(root);
        walk.widen(Change::AlternativesMerged);
    }
    let Value::Object(map) = root else { return };
    for key in ["not", "enum"] {
        if walk.rules.composition && walk.rules.shape && map.shift_remove(key).is_some() {
            walk.widen(Change::ConditionsRemoved);
        }
    }
    if map.get("type").is_none_or(|kind| kind != "object") {
        match map.get_mut("type") {
            Some(kind) => *kind = "object".into(),
            None => drop(map.shift_insert(0, "type".to_owned(), "object".into())),
        }
        // What became an object says so by that.
        if !walk.changes.contains(&Change::AlternativesMerged) && !walk.changes.contains(&Change::ReferenceResolved) {
            walk.changes.insert(Change::TypeAdded);
        }
    }
    if walk.rules.shape && !map.contains_key("properties") {
        map.insert("properties".to_owned(), json!({}));
        walk.changes.insert(Change::PropertiesAdded);
    }
    // Where the root took other values too, so did the parts that refer to it.
    if !was_object && open(map) {
        walk.is_wider = true;
    }
}

/// Lets parts that refer to the root take whatever else it took. Whether there were any.
fn open(schema: &mut Map<String, Value>) -> bool {
    let below = keywords::below(schema).filter_map(Value::as_object_mut);
    let mut any = false;
    for schema in below {
        any |= open(schema);
    }
    if schema.get("$ref").is_some_and(|target| target == "#") && !schema.contains_key("anyOf") {
        schema.shift_remove("$ref");
        schema.insert("anyOf".to_owned(), json!([{ "$ref": "#" }, {}]));
        any = true;
    }
    any
}

fn resolved<'v>(root: &'v Value, part: &'v Value) -> &'v Value {
    let mut found = part;
    for _ in 0..MOST_HOPS {
        match found.get("$ref").and_then(Value::as_str).and_then(|target| at(root, target)) {
            Some(next) => found = next,
            None => return found,
        }
    }
    &Value::Bool(true)
}

/// The root as what it refers to. What stands beside a reference binds too, but in drafts before 2019.
fn referred(root: &Value) -> Value {
    let Value::Object(map) = root else { return root.clone() };
    let target = resolved(root, root);
    let is_own = |key: &str| OF_THE_ROOT.contains(&key) || is_annotation(key);
    let is_early = map.get("$schema").and_then(Value::as_str).is_some_and(|draft| draft.contains("draft-0"));
    let binds = map.iter().any(|(key, value)| !is_own(key) && key != "$ref" && !(key == "type" && value == "object"));
    let mut whole: Map<String, Value> = map.clone();
    whole.shift_remove("$ref");
    if binds && !is_early {
        match whole.get_mut("allOf") {
            Some(Value::Array(all)) => all.push(target.clone()),
            _ => drop(whole.insert("allOf".to_owned(), json!([target]))),
        }
        return Value::Object(whole);
    }
    whole.retain(|key, _| is_own(key));
    for (key, value) in target.as_object().into_iter().flatten() {
        if key != "$ref" {
            whole.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
    Value::Object(whole)
}

enum View<'v> {
    Takes(&'v Value),
    /// Anything.
    Open,
    /// There is none.
    Never,
}

fn view<'v>(part: &'v Value, name: &str) -> View<'v> {
    match part.get("properties").and_then(|properties| properties.get(name)) {
        Some(schema) if says_nothing(schema) => View::Open,
        Some(schema) => View::Takes(schema),
        None if part == &Value::Bool(false) => View::Never,
        None => {
            let is_closed = part.get("additionalProperties") == Some(&Value::Bool(false));
            if is_closed && part.get("patternProperties").is_none() { View::Never } else { View::Open }
        }
    }
}

fn says_nothing(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => map.keys().all(|key| is_annotation(key)),
        other => other == &Value::Bool(true),
    }
}

/// Alternatives at the root as one object that takes what each takes: with all their properties, each as any of them has
/// it, and required what all of them require.
fn merged(root: &Value) -> Value {
    let mut schema = root.as_object().cloned().unwrap_or_default();
    let own = properties_of(root).cloned().unwrap_or_default();
    let mut properties = own.clone();
    let mut known: HashSet<&str> = required_of(root).collect();
    let mut required: Vec<Value> = required_of(root).map(Value::from).collect();
    for key in ALTERNATIVES {
        schema.shift_remove(key);
        let Some(Value::Array(list)) = root.get(key) else { continue };
        let parts: Vec<&Value> =
            list.iter().map(|part| resolved(root, part)).filter(|part| *part != &Value::Bool(false)).collect();
        let is_all = key == "allOf";
        let count: usize = parts.iter().filter_map(|part| properties_of(part)).map(Map::len).sum();
        if parts.len() > MOST_PARTS || count > MOST_PROPERTIES {
            schema.shift_remove("additionalProperties");
            continue;
        }
        for (name, first) in parts.iter().filter_map(|part| properties_of(part)).flatten() {
            // What is known already binds in any case.
            if properties.get(name).is_none_or(says_nothing) {
                let views = parts.iter().map(|part| view(part, name)).collect();
                properties.insert(name.clone(), if is_all { all_of(views, first) } else { any_of(views, first) });
            }
        }
        let needed: Vec<HashSet<&str>> = parts.iter().map(|part| required_of(part).collect()).collect();
        let is_needed = |name: &&str| is_all || needed.iter().all(|names| names.contains(name));
        for name in parts.iter().flat_map(|part| required_of(part)).filter(is_needed) {
            if known.insert(name) {
                required.push(name.into());
            }
        }
    }
    // What the root closes, a part may have opened.
    if properties.len() > own.len() {
        schema.shift_remove("additionalProperties");
    }
    if !properties.is_empty() {
        schema.insert("properties".to_owned(), properties.into());
    }
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    Value::Object(schema)
}

fn properties_of(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}

fn required_of(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Of parts that all hold, the first that says something.
fn all_of(views: Vec<View<'_>>, first: &Value) -> Value {
    let said = views.into_iter().find_map(|view| if let View::Takes(schema) = view { Some(schema) } else { None });
    said.unwrap_or(first).clone()
}

/// What any of the parts takes. Where one says nothing, anything goes, and the others are still worth reading.
fn any_of(views: Vec<View<'_>>, first: &Value) -> Value {
    let is_open = views.iter().any(|view| matches!(view, View::Open));
    let mut schemas: Vec<&Value> = Vec::new();
    for view in views {
        if let View::Takes(schema) = view
            && !schemas.contains(&schema)
        {
            schemas.push(schema);
        }
    }
    match (&schemas[..], is_open) {
        ([], _) => first.clone(),
        ([one], false) => (*one).clone(),
        (many, is_open) => {
            let mut list: Vec<Value> = many.iter().map(|schema| (*schema).clone()).collect();
            if is_open {
                list.push(json!({}));
            }
            json!({ "anyOf": list })
        }
    }
}
