//! Every part of a schema, made a valid one that accepts what it did.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value, json};

use super::keywords::{self, Verdict, is_read_by_engines, is_read_by_python};
use super::read::UNSAID;
use super::references::{self, REFERENCES};
use super::rules::{Change, Rules};
use crate::schema::keyword::{Kind, kind};

/// Keywords that take less where what stands below them takes more.
const EXACT: [&str; 4] = ["not", "if", "oneOf", "contains"];

/// These allow further properties or not, by `true` or `false`.
const FURTHER: [&str; 2] = ["additionalProperties", "unevaluatedProperties"];

/// One pass.
pub struct Walk {
    pub rules: Rules,
    pub changes: BTreeSet<Change>,
    /// Something takes more than it did.
    pub is_wider: bool,
    lost: HashSet<String>,
}

impl Walk {
    pub fn new(root: &Value, rules: Rules) -> Self {
        Self { rules, changes: BTreeSet::new(), is_wider: false, lost: references::lost(root) }
    }

    /// Notes a change after which a part takes more.
    pub fn widen(&mut self, change: Change) -> bool {
        self.changes.insert(change);
        self.is_wider = true;
        true
    }

    /// Mends a schema and what is below it. Whether it takes more than before.
    pub fn schema(&mut self, node: &mut Value) -> bool {
        let Value::Object(map) = node else {
            if let Value::Bool(takes_all) = node {
                *node = if *takes_all { json!({}) } else { json!({ "not": {} }) };
                self.changes.insert(Change::BooleansReplaced);
                return false;
            }
            *node = json!({});
            return self.widen(Change::InvalidReplaced);
        };
        let mut wider = false;
        let keys: Vec<String> = map.keys().filter(|key| kind(key).is_some()).cloned().collect();
        for key in keys {
            let is_wider = match kind(&key) {
                Some(Kind::Map) => self.map(map, &key),
                Some(Kind::List) => self.list(map, &key),
                Some(Kind::Schema) => self.below(map, &key),
                _ => self.value(map, &key),
            };
            if is_wider && EXACT.contains(&key.as_str()) {
                loosen(map, &key);
            }
            wider |= is_wider;
        }
        let is_list = |kind: &Value| kind == "array" || kind.as_array().is_some_and(|all| all.iter().any(|kind| kind == "array"));
        if self.rules.shape && !map.contains_key("items") && map.get("type").is_some_and(is_list) {
            map.insert("items".to_owned(), json!({}));
            self.changes.insert(Change::ItemsAdded);
        }
        wider
    }

    fn map(&mut self, map: &mut Map<String, Value>, key: &str) -> bool {
        if key == "properties"
            && let Some(named) = map.get(key).and_then(by_name)
        {
            map.insert(key.to_owned(), named);
            self.widen(Change::InvalidReplaced);
        }
        let Some(Value::Object(entries)) = map.get_mut(key) else { return self.without(map, key) };
        let reads_patterns = self.rules.shape && key == "patternProperties";
        let is_odd = |name: &String| name.contains(UNSAID) || (reads_patterns && !is_read_by_python(name));
        let mut wider = false;
        let mut odd = Vec::new();
        entries.retain(|name, _| {
            let is_odd = is_odd(name);
            odd.extend(is_odd.then(|| name.contains(UNSAID)));
            !is_odd
        });
        for is_unsaid in &odd {
            let change = if *is_unsaid { Change::SurrogatesRemoved } else { Change::PatternsRemoved };
            wider |= self.widen(change);
        }
        wider |= self.each(entries.values_mut());
        if !odd.is_empty() {
            without_the_rest(map, key);
        }
        wider
    }

    fn each<'v>(&mut self, schemas: impl Iterator<Item = &'v mut Value>) -> bool {
        let mut wider = false;
        for schema in schemas {
            wider |= self.schema(schema);
        }
        wider
    }

    fn list(&mut self, map: &mut Map<String, Value>, key: &str) -> bool {
        match map.get_mut(key) {
            Some(Value::Array(items)) if !items.is_empty() => self.each(items.iter_mut()),
            _ => self.without(map, key),
        }
    }

    fn below(&mut self, map: &mut Map<String, Value>, key: &str) -> bool {
        match map.get_mut(key) {
            // As earlier drafts write what is `prefixItems` now.
            Some(Value::Array(_)) if key == "items" => {
                let items = map.shift_remove(key);
                let rest = map.shift_remove("additionalItems");
                if !map.contains_key("prefixItems")
                    && let Some(items) = items.filter(|items| items.as_array().is_some_and(|items| !items.is_empty()))
                {
                    map.insert("prefixItems".to_owned(), items);
                }
                map.insert(
                    key.to_owned(),
                    rest.filter(|rest| rest.is_object() || rest.is_boolean()).unwrap_or_else(|| json!({})),
                );
                self.changes.insert(Change::InvalidReplaced);
                let first = map.contains_key("prefixItems") && self.list(map, "prefixItems");
                self.below(map, key) || first
            }
            // Whether anything may stand beside what is named: every provider knows these two.
            Some(Value::Bool(_)) if FURTHER.contains(&key) => false,
            Some(below @ (Value::Object(_) | Value::Bool(_))) => self.schema(below),
            _ => self.without(map, key),
        }
    }

    fn value(&mut self, map: &mut Map<String, Value>, key: &str) -> bool {
        let Some(value) = map.get_mut(key) else { return false };
        if key == "dependencies" {
            return self.dependencies(map);
        }
        if key == "$id"
            && let Some(anchor) = value.as_str().and_then(|id| id.strip_prefix('#')).filter(|name| keywords::is_anchor(name))
        {
            let anchor = anchor.to_owned();
            map.shift_remove(key);
            map.insert("$anchor".to_owned(), anchor.into());
            self.changes.insert(Change::InvalidReplaced);
            return false;
        }
        let is_lost = REFERENCES.contains(&key) && value.as_str().is_some_and(|target| self.lost.contains(target));
        let is_unread = self.rules.shape && key == "pattern" && value.as_str().is_some_and(|text| !is_read_by_engines(text));
        let is_beyond = self.rules.numbers && keywords::has_number_beyond(value);
        match keywords::value(key, value) {
            Verdict::Fits if is_beyond => {
                map.shift_remove(key);
                self.changes.insert(Change::NumbersRemoved);
                !keywords::is_annotation(key) && self.widen(Change::NumbersRemoved)
            }
            Verdict::Fits if !is_lost && !is_unread => false,
            Verdict::Instead(other) => {
                *value = other;
                self.widen(Change::InvalidReplaced)
            }
            Verdict::Fits => {
                map.shift_remove(key);
                self.widen(if is_lost { Change::ReferencesRemoved } else { Change::PatternsRemoved })
            }
            Verdict::Nothing => self.without(map, key),
        }
    }

    /// A keyword of earlier drafts: names or a schema by each name.
    fn dependencies(&mut self, map: &mut Map<String, Value>) -> bool {
        let Some(Value::Object(entries)) = map.get_mut("dependencies") else { return self.without(map, "dependencies") };
        entries.values_mut().fold(false, |wider, entry| match keywords::value("required", entry) {
            Verdict::Fits => wider,
            Verdict::Instead(other) => {
                *entry = other;
                self.widen(Change::InvalidReplaced)
            }
            Verdict::Nothing => self.schema(entry) || wider,
        })
    }

    /// Takes a keyword away whose value is none of its own.
    fn without(&mut self, map: &mut Map<String, Value>, key: &str) -> bool {
        map.shift_remove(key);
        without_the_rest(map, key);
        self.changes.insert(Change::InvalidReplaced);
        !keywords::is_annotation(key) && self.widen(Change::InvalidReplaced)
    }

    /// Where something takes more now, what counts matches may have referred to it, and what counts as evaluated may be
    /// less: neither may take less than before.
    pub fn loosen(&mut self, node: &mut Value) {
        if self.is_wider {
            loosen_all(node);
        }
    }
}

/// Keywords about everything that another keyword leaves: without that keyword they would be about more.
fn without_the_rest(map: &mut Map<String, Value>, key: &str) {
    match key {
        "properties" | "patternProperties" => drop(map.shift_remove("additionalProperties")),
        "prefixItems" => drop(map.shift_remove("items")),
        _ => {}
    }
}

/// Properties that are a list of schemas with names.
fn by_name(list: &Value) -> Option<Value> {
    let mut properties = Map::new();
    for entry in list.as_array()? {
        let mut schema = entry.as_object()?.clone();
        let Some(Value::String(name)) = schema.shift_remove("name") else { return None };
        properties.insert(name, Value::Object(schema));
    }
    Some(Value::Object(properties))
}

/// Makes a keyword take all that it took, where what stands below takes more.
fn loosen(map: &mut Map<String, Value>, key: &str) {
    match key {
        "if" => ["if", "then", "else"].iter().for_each(|key| drop(map.shift_remove(*key))),
        "contains" => drop(map.shift_remove("maxContains")),
        "oneOf" => {
            let Some(list) = map.shift_remove(key) else { return };
            if !map.contains_key("anyOf") {
                map.insert("anyOf".to_owned(), list);
                return;
            }
            match map.get_mut("allOf") {
                Some(Value::Array(all)) => all.push(json!({ "anyOf": list })),
                _ => drop(map.insert("allOf".to_owned(), json!([{ "anyOf": list }]))),
            }
        }
        key => drop(map.shift_remove(key)),
    }
}

fn each_loosened<'v>(below: impl Iterator<Item = &'v mut Value>) -> bool {
    let mut refers = false;
    for schema in below {
        refers |= loosen_all(schema);
    }
    refers
}

/// Says whether something below refers, or takes more now.
fn loosen_all(node: &mut Value) -> bool {
    let Value::Object(map) = node else { return false };
    let mut refers = REFERENCES.iter().any(|key| map.contains_key(*key));
    let mut exact: Vec<&str> = Vec::new();
    for (key, value) in map.iter_mut() {
        let below = match (kind(key), value) {
            (Some(Kind::Map), Value::Object(entries)) => each_loosened(entries.values_mut()),
            (Some(Kind::List), Value::Array(items)) => each_loosened(items.iter_mut()),
            (Some(Kind::Schema), below) => loosen_all(below),
            _ => false,
        };
        exact.extend(EXACT.iter().filter(|exact| below && **exact == key.as_str()));
        refers |= below;
    }
    for key in exact {
        loosen(map, key);
    }
    for key in ["unevaluatedProperties", "unevaluatedItems"] {
        refers |= map.shift_remove(key).is_some();
    }
    refers
}
