//! Structured content in fewer tokens that its schema still takes: clients refuse a result that does not fit.

use jsonschema::PatternOptions;
use serde_json::{Map, Value};

use crate::text::tokens;

/// Elements and characters that are left, each time fewer.
const STEPS: [(usize, usize); 5] = [(50, 1_000), (20, 300), (5, 100), (1, 40), (0, 0)];
/// A longer schema is not compared: nothing is said about what fits it.
const MAX_SCHEMA_BYTES: usize = 256 * 1024;
/// What a pattern of a schema may try.
const MAX_BACKTRACKS: usize = 10_000;

/// The content with fewer elements and shorter texts, as far as there is room and the schema takes it; `None` where no
/// shorter one fits.
pub fn shortened(content: &Value, schema: &str, most: usize) -> Option<Value> {
    if schema.len() > MAX_SCHEMA_BYTES {
        return None;
    }
    let schema: Value = serde_json::from_str(schema).ok()?;
    let options = jsonschema::options()
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(MAX_BACKTRACKS));
    let validator = options.build(&schema).ok()?;
    let shorter = STEPS.iter().map(|(elements, characters)| cut(content, &schema, *elements, *characters));
    shorter.into_iter().find(|content| {
        let text = content.to_string();
        tokens::prefix(&text, most) == text.len() && validator.is_valid(content)
    })
}

/// What a schema says about a member, or about elements; nothing where it refers elsewhere.
fn below<'s>(schema: &'s Value, key: Option<&str>) -> &'s Value {
    match key {
        Some(key) => schema.get("properties").and_then(|properties| properties.get(key)),
        None => schema.get("items"),
    }
    .unwrap_or(&Value::Null)
}

fn cut(value: &Value, schema: &Value, elements: usize, characters: usize) -> Value {
    match value {
        Value::String(text) if !schema["enum"].is_array() && schema.get("const").is_none() => {
            let least = schema["minLength"].as_u64().and_then(|least| usize::try_from(least).ok()).unwrap_or(0);
            text.chars().take(characters.max(least)).collect::<String>().into()
        }
        Value::Array(list) => {
            let least = schema["minItems"].as_u64().and_then(|least| usize::try_from(least).ok()).unwrap_or(0);
            let kept = list.iter().take(elements.max(least));
            kept.map(|value| cut(value, below(schema, None), elements, characters)).collect()
        }
        Value::Object(members) => {
            let is_required = |key: &str| schema["required"].as_array().is_some_and(|keys| keys.iter().any(|known| known == key));
            let is_named = |key: &str| !below(schema, Some(key)).is_null();
            let mut kept = Map::new();
            for (at, (key, value)) in members.iter().enumerate() {
                if is_required(key) || at < elements || (elements > 0 && is_named(key)) {
                    kept.insert(key.clone(), cut(value, below(schema, Some(key)), elements, characters));
                }
            }
            Value::Object(kept)
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fewer_elements_and_shorter_texts_still_fit_the_schema() {
        let row = |at: usize| json!({ "id": at, "state": "open", "text": "word ".repeat(200) });
        let content = json!({ "rows": (0..200).map(row).collect::<Vec<_>>(), "note": "x" });
        let schema = json!({
            "type": "object",
            "required": ["rows"],
            "properties": {
                "rows": { "type": "array", "minItems": 2, "items": {
                    "type": "object", "required": ["id", "state"],
                    "properties": { "state": { "enum": ["open", "closed"] }, "text": { "type": "string", "minLength": 10 } },
                } },
            },
        });
        let short = shortened(&content, &schema.to_string(), 300).unwrap();
        assert!(short["rows"].as_array().unwrap().len() >= 2);
        assert_eq!(short["rows"][0]["state"], "open");
        assert!(tokens::count(&short.to_string()) <= 300);
    }

    #[test]
    fn where_nothing_shorter_fits_there_is_none() {
        let content = json!({ "code": "a".repeat(9_000) });
        let schema = json!({ "required": ["code"], "properties": { "code": { "type": "string", "minLength": 9_000 } } });
        assert_eq!(shortened(&content, &schema.to_string(), 300), None);
        assert_eq!(shortened(&content, "no schema", 300), None);
    }
}
