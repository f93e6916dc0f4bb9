//! References that lead to nothing.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

/// Keywords that refer.
pub const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Keywords that make a part known by a name.
const NAMES: [&str; 4] = ["$id", "id", "$anchor", "$dynamicAnchor"];

/// What a schema refers to, and does not have.
pub fn lost(root: &Value) -> HashSet<String> {
    let mut found = Found::default();
    found.read(root);
    let mut verdicts: HashMap<String, bool> = HashMap::new();
    for target in &found.targets {
        follow(root, target, &found.names, &mut verdicts);
    }
    verdicts.into_iter().filter(|(_, leads)| !leads).map(|(target, _)| target).collect()
}

#[derive(Default)]
struct Found {
    targets: Vec<String>,
    names: HashSet<String>,
}

impl Found {
    fn read(&mut self, node: &Value) {
        match node {
            Value::Array(items) => items.iter().for_each(|item| self.read(item)),
            Value::Object(map) => {
                for (key, value) in map {
                    match value {
                        Value::String(text) if REFERENCES.contains(&key.as_str()) => self.targets.push(text.clone()),
                        Value::String(text) if NAMES.contains(&key.as_str()) => {
                            self.names.insert(text.trim_matches('#').to_owned());
                        }
                        value => self.read(value),
                    }
                }
            }
            _ => {}
        }
    }
}

/// Whether a reference leads to a schema. Chains of bare references are followed once: one that comes back to itself leads
/// nowhere.
fn follow(root: &Value, first: &str, names: &HashSet<String>, verdicts: &mut HashMap<String, bool>) {
    let mut path: Vec<String> = Vec::new();
    let mut on_path: HashSet<String> = HashSet::new();
    let mut target = first.to_owned();
    let leads = loop {
        if let Some(known) = verdicts.get(&target) {
            break *known;
        }
        if !on_path.insert(target.clone()) {
            break false;
        }
        path.push(target.clone());
        if !target.starts_with('#') {
            let document = target.split('#').next().unwrap_or_default();
            break names.contains(document);
        }
        if target.len() > 1 && !target.starts_with("#/") {
            break names.contains(&target[1..]);
        }
        match at(root, &target) {
            Some(Value::Object(map)) => match map.get("$ref").and_then(Value::as_str) {
                Some(next) => next.clone_into(&mut target),
                None => break true,
            },
            found => break found.is_some_and(Value::is_boolean),
        }
    };
    verdicts.extend(path.into_iter().map(|target| (target, leads)));
}

/// The part that `#/…` names.
pub fn at<'v>(root: &'v Value, target: &str) -> Option<&'v Value> {
    let pointer = target.strip_prefix('#')?;
    if pointer.contains('%') { root.pointer(&decoded(pointer)) } else { root.pointer(pointer) }
}

/// A pointer stands in an address, where some characters are written as `%20`.
fn decoded(pointer: &str) -> String {
    let bytes = pointer.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = (bytes[at] == b'%').then(|| pointer.get(at + 1..at + 3)).flatten();
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}
