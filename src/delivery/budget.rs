//! How many steps it may take to compare arguments with a schema, counted before it is done.
//!
//! A schema of 4 kB can ask for 2^59 branches, and the validator has no bound of its own. This walks the way that it would
//! walk, takes every branch, and counts. It stops with the budget, so counting is bounded as well. What it counts too much
//! costs a check that the server does anyway.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// Steps of one check. The validator does a million in about a tenth of a second; the largest real schema of 3,522 takes
/// some hundreds for a call.
const MAX_STEPS: usize = 500_000;
/// Schemas inside each other, by reference or not. The validator recurses, and so does this: a few hundred bytes a level.
const MAX_DEPTH: usize = 400;
/// A pattern that may backtrack, in steps: it ends after 10,000 of them.
const BACKTRACKING: usize = 2_000;
/// Bytes that are compared or copied in a step.
const BYTES: usize = 64;
/// What a repetition such as `{1,64}` may multiply in a pattern, and how much of it is a step for each byte of the text.
const MAX_REPEATED: usize = 1_000_000;
const REPEATED_A_STEP: usize = 1_024;

/// Whether the steps fit the budget.
pub fn fits(schema: &Value, arguments: &Value) -> bool {
    let mut walk = Walk { root: schema, left: MAX_STEPS, sizes: HashMap::new() };
    walk.schema(schema, arguments, Depth { all: 0, retried: 0 }).is_some()
}

#[derive(Clone, Copy)]
struct Depth {
    all: usize,
    /// Parts whose outcome is asked for before their errors are: each does what is below once more.
    retried: usize,
}

struct Walk<'s> {
    root: &'s Value,
    left: usize,
    /// What comparing with a value costs, by its address.
    sizes: HashMap<usize, usize>,
}

impl<'s> Walk<'s> {
    fn spend(&mut self, steps: usize) -> Option<()> {
        self.left = self.left.checked_sub(steps)?;
        Some(())
    }

    fn schema(&mut self, schema: &'s Value, value: &Value, at: Depth) -> Option<()> {
        self.spend(1 + at.retried)?;
        let Value::Object(keywords) = schema else { return Some(()) };
        let at = Depth { all: at.all + 1, ..at };
        let is_elsewhere = at.all > 1 && names_itself(keywords);
        if at.all > MAX_DEPTH || is_elsewhere {
            return None;
        }
        let before = self.left;
        for (keyword, below) in keywords {
            self.keyword(keywords, keyword, below, value, at)?;
        }
        // These ask each part beside them which children it has looked at, once for each child.
        if keywords.contains_key("unevaluatedProperties") || keywords.contains_key("unevaluatedItems") {
            self.spend((before - self.left).saturating_mul(1 + children(value)))?;
        }
        Some(())
    }

    fn keyword(
        &mut self,
        beside: &'s Map<String, Value>,
        keyword: &str,
        below: &'s Value,
        value: &Value,
        at: Depth,
    ) -> Option<()> {
        let again = Depth { retried: at.retried + 1, ..at };
        match keyword {
            "$ref" => self.schema(self.target(below.as_str()?)?, value, at),
            // Where these lead depends on the way there.
            "$dynamicRef" | "$recursiveRef" => None,
            "allOf" => self.each(below, value, at),
            "anyOf" | "oneOf" => self.each(below, value, again),
            "not" | "if" | "then" | "else" => self.schema(below, value, again),
            "dependentSchemas" | "dependencies" => {
                let Value::Object(schemas) = below else { return Some(()) };
                schemas.values().try_for_each(|schema| self.schema(schema, value, again))
            }
            "properties" | "patternProperties" | "additionalProperties" | "unevaluatedProperties" | "propertyNames" => {
                let Value::Object(members) = value else { return Some(()) };
                self.members(beside, keyword, below, members, at)
            }
            "items" | "prefixItems" | "additionalItems" | "contains" | "unevaluatedItems" => {
                let Value::Array(items) = value else { return Some(()) };
                match below {
                    Value::Array(schemas) => {
                        items.iter().zip(schemas).try_for_each(|(item, schema)| self.schema(schema, item, again))
                    }
                    schema => items.iter().try_for_each(|item| self.schema(schema, item, again)),
                }
            }
            "enum" => {
                let values = below.as_array().map_or(1, Vec::len);
                let compared = if matches!(value, Value::Object(_) | Value::Array(_)) { self.size(value)? } else { 1 };
                let steps = self.size(below)?.saturating_add(values.saturating_mul(compared));
                self.spend(steps.saturating_mul(1 + at.retried))
            }
            "const" | "required" | "type" | "dependentRequired" => {
                let steps = self.size(below)?;
                self.spend(steps.saturating_mul(1 + at.retried))
            }
            "uniqueItems" | "minLength" | "maxLength" => {
                let steps = self.size(value)?;
                self.spend(steps.saturating_mul(1 + at.retried))
            }
            "pattern" => match (below, value) {
                (Value::String(pattern), Value::String(text)) => self.spend(match_steps(pattern, text)),
                _ => Some(()),
            },
            _ => self.spend(1),
        }
    }

    fn each(&mut self, schemas: &'s Value, value: &Value, at: Depth) -> Option<()> {
        schemas.as_array().into_iter().flatten().try_for_each(|schema| self.schema(schema, value, at))
    }

    fn members(
        &mut self,
        beside: &'s Map<String, Value>,
        keyword: &str,
        below: &'s Value,
        members: &Map<String, Value>,
        at: Depth,
    ) -> Option<()> {
        let named = |name: &str| beside.get("properties").is_some_and(|properties| properties.get(name).is_some());
        for (name, member) in members {
            match (keyword, below) {
                ("properties", below) => {
                    if let Some(schema) = below.get(name) {
                        self.schema(schema, member, at)?;
                    }
                }
                ("patternProperties", Value::Object(patterns)) => {
                    for (pattern, schema) in patterns {
                        self.spend(match_steps(pattern, name))?;
                        self.schema(schema, member, at)?;
                    }
                }
                ("propertyNames", below) => self.schema(below, &Value::String(name.clone()), at)?,
                (_, below) if !named(name) => self.schema(below, member, at)?,
                _ => {}
            }
        }
        self.spend(1)
    }

    /// What a reference means, if it is a place in this document.
    fn target(&self, reference: &str) -> Option<&'s Value> {
        let pointer = reference.strip_prefix('#')?;
        let mut at = self.root;
        for part in pointer.split('/').skip(1) {
            let part = decoded(part)?;
            at = match at {
                Value::Object(members) => members.get(&part)?,
                Value::Array(items) => items.get(part.parse::<usize>().ok()?)?,
                _ => return None,
            };
            if at.as_object().is_some_and(names_itself) {
                return None;
            }
        }
        (pointer.is_empty() || pointer.starts_with('/')).then_some(at)
    }

    /// What comparing with a value costs, or copying it into an error.
    fn size(&mut self, value: &Value) -> Option<usize> {
        let address = std::ptr::from_ref(value).addr();
        if let Some(size) = self.sizes.get(&address) {
            return Some(*size);
        }
        let size = size(value);
        self.spend(size)?;
        self.sizes.insert(address, size);
        Some(size)
    }
}

/// A part with an address of its own: references below it are read from there.
fn names_itself(keywords: &Map<String, Value>) -> bool {
    ["$id", "id"].iter().any(|key| keywords.get(*key).is_some_and(Value::is_string))
}

/// A part of a JSON pointer in a URL.
fn decoded(part: &str) -> Option<String> {
    if !part.contains(['%', '~']) {
        return Some(part.to_owned());
    }
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        bytes.push(match (*first, tail) {
            (b'%', [high, low, ..]) => {
                let digits = [*high, *low];
                rest = &tail[2..];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            (b'%', _) => return None,
            (byte, _) => byte,
        });
    }
    Some(String::from_utf8(bytes).ok()?.replace("~1", "/").replace("~0", "~"))
}

fn size(value: &Value) -> usize {
    1 + match value {
        Value::String(text) => text.len() / BYTES,
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => members.iter().map(|(name, member)| name.len() / BYTES + size(member)).sum(),
        _ => 0,
    }
}

fn children(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    }
}

/// What one match of a pattern may take.
fn match_steps(pattern: &str, text: &str) -> usize {
    let looks_around = ["(?=", "(?!", "(?<", "(?>", "(?(", "\\k", "\\G", "\\K", "++", "*+", "?+", "}+"];
    let refers_back = pattern.as_bytes().windows(2).any(|pair| pair[0] == b'\\' && pair[1].is_ascii_digit());
    let backtracks = refers_back || looks_around.iter().any(|mark| pattern.contains(mark));
    let repeated = pattern.split('{').skip(1).filter_map(|part| {
        let bounds = part.split('}').next()?;
        bounds.split(',').filter_map(|bound| bound.trim().parse::<usize>().ok()).max()
    });
    let repeated = repeated.fold(1_usize, |all, one| all.saturating_mul(one.max(1))).min(MAX_REPEATED);
    let plain = 1 + (pattern.len() + text.len()) / BYTES + text.len().saturating_mul(repeated) / REPEATED_A_STEP;
    plain + if backtracks { BACKTRACKING } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Definitions, each of the next one twice.
    fn doubling(keyword: &str, levels: usize) -> Value {
        let one = |at: usize| {
            let next = json!({ "$ref": format!("#/$defs/d{}", at + 1) });
            (format!("d{at}"), json!({ keyword: [next, next] }))
        };
        let mut definitions: Map<String, Value> = (0..levels).map(one).collect();
        definitions.insert(format!("d{levels}"), json!({ "type": "integer" }));
        json!({ "properties": { "a": { "$ref": "#/$defs/d0" } }, "$defs": definitions })
    }

    #[test]
    fn branches_that_double_at_each_level_do_not_fit() {
        for keyword in ["anyOf", "allOf", "oneOf"] {
            assert!(!fits(&doubling(keyword, 60), &json!({ "a": "x" })), "{keyword}");
            assert!(fits(&doubling(keyword, 6), &json!({ "a": "x" })), "{keyword}");
            assert!(fits(&doubling(keyword, 60), &json!({ "b": 1 })), "{keyword}");
        }
    }

    #[test]
    fn long_lists_of_values_and_items_multiply() {
        let values: Vec<Value> = (0..20_000).map(|at| json!({ "at": at })).collect();
        let schema = json!({ "properties": { "a": { "items": { "enum": values } } } });
        assert!(fits(&schema, &json!({ "a": [1, 2, 3] })));
        let items: Vec<Value> = (0..20_000).map(|at| json!({ "no": at })).collect();
        assert!(!fits(&schema, &json!({ "a": items })));
    }

    #[test]
    fn what_leads_nowhere_or_elsewhere_does_not_fit() {
        for schema in [
            json!({ "$ref": "#" }),
            json!({ "$ref": "#/$defs/none" }),
            json!({ "$ref": "https://example.com/schema" }),
            json!({ "$dynamicRef": "#node" }),
            json!({ "allOf": [{ "$id": "other", "type": "object" }] }),
        ] {
            assert!(!fits(&schema, &json!({ "a": 1 })), "{schema}");
        }
    }

    #[test]
    fn what_servers_write_fits() {
        let tree = json!({ "type": "object", "properties": { "child": { "$ref": "#" }, "a~/%": { "$ref": "#/properties/a~0~1%25/x" } } });
        assert!(fits(&tree, &json!({ "child": { "child": { "child": {} } } })));
        assert!(!fits(&tree, &json!({ "a~/%": 1 })));
        let pattern = json!({ "patternProperties": { "^(?=a)x{1,64}$": { "type": "string" } }, "additionalProperties": false });
        assert!(fits(&pattern, &json!({ "a": "x", "b": "y" })));
        let wide = json!({ "properties": { "rows": { "items": { "properties": { "id": { "type": "string", "enum": ["a", "b"] } } } } } });
        let rows: Vec<Value> = (0..5_000).map(|_| json!({ "id": "a" })).collect();
        assert!(fits(&wide, &json!({ "rows": rows })));
    }
}
