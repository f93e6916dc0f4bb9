//! A schema as a value: two texts of one value have one form. Servers write keys in another order at each start.

use serde_json::{Map, Value};

/// Up to here all whole numbers are one of their kind.
const SAFE_INTEGER: f64 = 9_007_199_254_740_992.0;
/// What stands below is a value, and no schema.
const VALUES: [&str; 5] = ["default", "const", "enum", "examples", "example"];

/// The form of a schema. What cannot be read is its own.
pub fn form(schema: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(schema) else { return schema.to_owned() };
    let mut out = String::with_capacity(schema.len());
    push(&value, Below::Schema, &mut out);
    out
}

/// Whether two schemas are one value.
pub fn is_same(one: &str, other: &str) -> bool {
    one == other || form(one) == form(other)
}

#[derive(Clone, Copy, PartialEq)]
enum Below {
    Schema,
    /// Schemas by names, which may be called as keywords are.
    Names,
    Value,
}

fn push(value: &Value, below: Below, out: &mut String) {
    match value {
        Value::Object(map) => push_map(map, below, out),
        Value::Array(items) => {
            out.push('[');
            for item in items {
                push(item, below, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Number(number) => match number.as_f64() {
            // 1.0 and 1e0 are 1.
            Some(real) if number.is_f64() && real.fract() == 0.0 && real.abs() < SAFE_INTEGER => {
                out.push_str(&format!("{real:.0}").replace("-0", "0"));
            }
            _ => out.push_str(&number.to_string()),
        },
        other => out.push_str(&other.to_string()),
    }
}

fn push_map(map: &Map<String, Value>, below: Below, out: &mut String) {
    let mut pairs: Vec<(&String, &Value)> = map.iter().collect();
    pairs.sort_unstable_by_key(|(key, _)| *key);
    out.push('{');
    for (key, value) in pairs {
        out.push_str(&Value::from(key.as_str()).to_string());
        out.push(':');
        let inner = match (below, key.as_str()) {
            (Below::Value, _) => Below::Value,
            (Below::Schema, "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas") => Below::Names,
            (Below::Schema, key) if VALUES.contains(&key) => Below::Value,
            _ => Below::Schema,
        };
        match value {
            // What is required, and of which types, is a set.
            Value::Array(list) if below == Below::Schema && matches!(key.as_str(), "required" | "type") => {
                let mut texts: Vec<String> = list.iter().map(Value::to_string).collect();
                texts.sort_unstable();
                texts.dedup();
                out.push('[');
                out.push_str(&texts.join(","));
                out.push(']');
            }
            value => push(value, inner, out),
        }
        out.push(',');
    }
    out.push('}');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_a_value_counts_and_a_property_is_no_keyword() {
        assert!(!is_same(r#"{"default":{"required":["a","b"]}}"#, r#"{"default":{"required":["b","a"]}}"#));
        assert!(!is_same(r#"{"enum":[["a","b"]]}"#, r#"{"enum":[["b","a"]]}"#));
        assert!(is_same(
            r#"{"properties":{"default":{"required":["a","b"]}}}"#,
            r#"{"properties":{"default":{"required":["b","a"]}}}"#
        ));
        assert!(!is_same("{\"a\":\"\\ud800\"}", "{\"a\":\"\\ud801\"}"));
    }
}
