//! The text of an input schema that ranking reads.

use serde_json::Value;

/// Schemas of 20 levels are real; deeper ones are read down to here.
const MAX_DEPTH: usize = 32;
/// The most text read of one schema. The largest real schemas have 23,000 tokens of repeated
/// objects; what tells tools apart stands near the top.
const MAX_TEXT_BYTES: usize = 16 * 1024;
/// The most values read of one enum: a list of all currencies says no more than its first ones.
const MAX_ENUM_VALUES: usize = 24;

const MAX_REQUIRED: usize = 16;

/// Parameter names, their descriptions and enum values, in the order of the schema.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SchemaText {
    /// Names of parameters, nested ones too.
    pub names: Vec<String>,
    /// What the schema says in prose.
    pub descriptions: Vec<String>,
    /// Text values of enums and constants.
    pub enum_values: Vec<String>,
    /// Names of the parameters that the root requires.
    pub required: Vec<String>,
    bytes: usize,
}

impl SchemaText {
    /// Reads a schema. Whatever cannot be read is left out: odd schemas are real.
    pub fn read(schema: &str) -> Self {
        let mut text = Self::default();
        if let Ok(value) = serde_json::from_str::<Value>(schema) {
            text.walk(&value, 0, true);
            let required = value.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
            text.required = required.take(MAX_REQUIRED).map(str::to_owned).collect();
        }
        text
    }

    fn take(&mut self, text: &str) -> bool {
        self.bytes += text.len();
        self.bytes <= MAX_TEXT_BYTES
    }

    fn walk(&mut self, schema: &Value, depth: usize, root: bool) {
        let Value::Object(schema) = schema else { return };
        if depth > MAX_DEPTH || self.bytes > MAX_TEXT_BYTES {
            return;
        }
        // The root's description repeats the tool's.
        if let (false, Some(Value::String(text))) = (root, schema.get("description"))
            && self.take(text)
        {
            self.descriptions.push(text.clone());
        }
        let constants = schema.get("enum").and_then(Value::as_array).into_iter().flatten().chain(schema.get("const"));
        for text in constants.filter_map(Value::as_str).take(MAX_ENUM_VALUES) {
            if self.take(text) {
                self.enum_values.push(text.to_owned());
            }
        }
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if self.take(name) {
                self.names.push(name.clone());
            }
            self.walk(property, depth + 1, false);
        }
        for key in ["items", "additionalProperties"] {
            if let Some(inner) = schema.get(key) {
                self.walk(inner, depth + 1, false);
            }
        }
        for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
            for inner in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
                self.walk(inner, depth + 1, false);
            }
        }
        for key in ["$defs", "definitions"] {
            for inner in schema.get(key).and_then(Value::as_object).into_iter().flat_map(|defs| defs.values()) {
                self.walk(inner, depth + 1, false);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_descriptions_and_enums_are_read_at_every_level() {
        let text = SchemaText::read(
            r##"{"type":["object","null"],"description":"root","properties":{
                "state":{"enum":["open","closed",1],"description":"which"},
                "tags":{"items":{"properties":{"label":{"const":"x"}}}},
                "self":{"$ref":"#"}},
              "$defs":{"extra":{"properties":{"deep":{}}}}}"##,
        );
        assert_eq!(text.names, ["state", "tags", "label", "self", "deep"]);
        assert_eq!(text.descriptions, ["which"]);
        assert_eq!(text.enum_values, ["open", "closed", "x"]);
    }

    #[test]
    fn odd_schemas_are_read_as_far_as_they_go() {
        for odd in ["{}", r#"{"properties":[]}"#, r#"{"properties":{"a":true}}"#, r#"{"enum":[]}"#, "not json"] {
            let _ = SchemaText::read(odd);
        }
        assert_eq!(SchemaText::read(r#"{"properties":{"a":true}}"#).names, ["a"]);
    }

    #[test]
    fn the_text_of_one_schema_is_bounded() {
        let huge = format!(r#"{{"properties":{{"a":{{"description":"{}"}},"b":{{}}}}}}"#, "x".repeat(MAX_TEXT_BYTES));
        assert!(SchemaText::read(&huge).descriptions.is_empty());
    }
}
