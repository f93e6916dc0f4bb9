//! Arguments of a call, checked against the tool's schema, with messages that a model can act on.

use jsonschema::PatternOptions;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value};

use super::budget;
use crate::catalogue::name;
use crate::error::shorten;
use crate::tool_call::{Call, Parameters};

/// The most that is said about one call: a model mends a few at a time.
const MAX_ERRORS: usize = 5;
/// The longest message, in characters: it may hold a value of the call.
const MAX_ERROR_CHARS: usize = 240;
/// The longest arguments that are read, and the longest schema that they are compared with; past it the server checks.
const MAX_ARGUMENT_BYTES: usize = 4 * 1024 * 1024;
const MAX_SCHEMA_BYTES: usize = 256 * 1024;
/// Steps of one match of a pattern of a server's: a hundredth of the library's own limit, some milliseconds.
const MAX_BACKTRACKS: usize = 10_000;
/// Key words by which a schema takes members that its `properties` do not name, or may.
const OPEN: &str = "additionalProperties patternProperties unevaluatedProperties $ref $dynamicRef allOf anyOf oneOf if \
    dependentSchemas";
/// Parameters that are listed with an error.
const MAX_LISTED: usize = 20;

/// Arguments that may be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The arguments, JSON text of an object, each value as it was written.
    pub arguments: String,
    /// Whether they were compared with the schema. A schema that is too large, that is not valid, that refers to other
    /// documents, or that would take too many steps is not.
    pub validated: bool,
}

/// Checks the arguments of a call as a model wrote it.
///
/// # Errors
///
/// What is wrong, one message each.
pub fn check(schema: &str, call: &Call) -> Result<Checked, Vec<String>> {
    let own = (schema.len() <= MAX_SCHEMA_BYTES).then(|| serde_json::from_str::<Value>(schema).ok()).flatten();
    let known = own.as_ref().map_or(Parameters { is_open: true, ..Parameters::default() }, parameters_of);
    let arguments = call.arguments(&known).map_err(|mut errors| {
        errors.extend(own.as_ref().and_then(parameters));
        errors
    })?;
    let (errors, validated) = match own.zip(serde_json::from_str(&arguments).ok()) {
        Some((schema, value)) if arguments.len() <= MAX_ARGUMENT_BYTES => errors(&schema, &value),
        _ => (Vec::new(), false),
    };
    if errors.is_empty() { Ok(Checked { arguments, validated }) } else { Err(errors) }
}

fn parameters_of(schema: &Value) -> Parameters {
    let names = schema["properties"].as_object().into_iter().flat_map(Map::keys).cloned().collect();
    let says_more = OPEN.split(' ').any(|key| schema.get(key).is_some_and(|value| *value != Value::Bool(false)));
    Parameters { names, is_open: says_more }
}

/// What does not fit, and whether it was compared.
fn errors(schema: &Value, arguments: &Value) -> (Vec<String>, bool) {
    if !budget::fits(schema, arguments) {
        return (Vec::new(), false);
    }
    let options = jsonschema::options()
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(MAX_BACKTRACKS));
    let Ok(validator) = options.build(schema) else { return (Vec::new(), false) };
    let mut messages: Vec<String> = Vec::new();
    for error in validator.iter_errors(arguments) {
        if messages.len() == MAX_ERRORS {
            messages.push("and more".to_owned());
            break;
        }
        let hint = match error.kind() {
            // A pattern that takes too long says nothing about the value.
            ValidationErrorKind::BacktrackLimitExceeded { .. } | ValidationErrorKind::RegexEngineFailure { .. } => continue,
            ValidationErrorKind::AdditionalProperties { unexpected } => near_parameters(schema, unexpected),
            _ => String::new(),
        };
        let place = error.instance_path().to_string();
        messages.push(format!("arguments{place}: {}{hint}", shorten(&error.to_string(), MAX_ERROR_CHARS)));
    }
    if !messages.is_empty() {
        messages.extend(parameters(schema));
    }
    (messages, true)
}

/// Parameters whose names are near to those that nothing takes.
fn near_parameters(schema: &Value, unexpected: &[String]) -> String {
    let known: Vec<&str> = schema["properties"].as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect();
    let near: Vec<String> =
        unexpected.iter().take(MAX_ERRORS).flat_map(|name| name::near(name, known.iter().copied(), 1)).collect();
    if near.is_empty() { String::new() } else { format!("; near: {}", near.join(", ")) }
}

/// The parameters in a line, required ones marked, so that a model mends a call without the definition.
fn parameters(schema: &Value) -> Option<String> {
    let properties = schema["properties"].as_object().filter(|properties| !properties.is_empty())?;
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let describe = |(name, property): (&String, &Value)| {
        let kind = property["type"].as_str().map_or(String::new(), |kind| format!(" ({kind})"));
        let mark = if required.contains(&name.as_str()) { ", required" } else { "" };
        format!("{}{kind}{mark}", shorten(name, 80))
    };
    let more = if properties.len() > MAX_LISTED { "; and others" } else { "" };
    let listed: Vec<String> = properties.iter().take(MAX_LISTED).map(describe).collect();
    Some(format!("parameters: {}{more}", listed.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const SCHEMA: &str = r#"{"type":"object","properties":{"title":{"type":"string"},"labels":{"type":"array",
        "items":{"type":"string"}}},"required":["title"],"additionalProperties":false}"#;

    fn checked(schema: &str, arguments: Option<Value>) -> Result<Checked, Vec<String>> {
        let call = arguments.map_or_else(|| json!({ "name": "t" }), |arguments| json!({ "name": "t", "arguments": arguments }));
        check(schema, &Call::read(&call.to_string(), "mcp_call").unwrap())
    }

    #[test]
    fn numbers_of_any_size_are_sent_as_they_were_written() {
        let schema = r#"{"type":"object","properties":{"id":{"type":"integer"},"x":{"type":"number"}}}"#;
        for numbers in [
            r#"{"id":9223372036854775808}"#,
            r#"{"id":123456789012345678901234567890}"#,
            r#"{"id":1e3}"#,
            r#"{"x":1.10}"#,
            r#"{"x":1e400}"#,
        ] {
            let call = Call::read(&format!(r#"{{"name":"t","arguments":{numbers}}}"#), "mcp_call").unwrap();
            assert_eq!(check(schema, &call).unwrap().arguments, numbers);
        }
    }

    #[test]
    fn messages_name_the_place_what_was_expected_and_the_parameters() {
        let errors = |arguments| checked(SCHEMA, Some(arguments)).unwrap_err().join("\n");
        let said = errors(json!({ "titel": 1, "labels": [5] }));
        for part in [
            "\"title\" is a required property",
            "'titel' was unexpected); near: title",
            "arguments/labels/0: 5 is not of type",
            "parameters: title (string), required; labels (array)",
        ] {
            assert!(said.contains(part), "{part} in {said}");
        }
        assert!(errors(json!([1])).starts_with("arguments: expected an object, got [1]"));
        assert!(errors(json!("{")).starts_with("arguments: expected an object, got text that is not JSON"));
    }

    #[test]
    fn a_schema_that_cannot_be_used_leaves_the_check_to_the_server() {
        let deep = format!("{}{}", r#"{"not":"#.repeat(500), "{}".to_owned() + &"}".repeat(500));
        for schema in [r#"{"type":"STRING"}"#, r#"{"$ref":"https://example.com/other.json"}"#, deep.as_str()] {
            assert!(!checked(schema, Some(json!({ "a": 1 }))).unwrap().validated, "{}", shorten(schema, 60));
        }
    }

    #[test]
    fn what_is_said_is_bounded() {
        let schema = json!({ "type": "object", "additionalProperties": { "type": "integer" } }).to_string();
        let arguments: Map<String, Value> = (0..500).map(|at| (format!("k{at}"), json!("x".repeat(5_000)))).collect();
        let errors = checked(&schema, Some(Value::Object(arguments))).unwrap_err();
        assert!(errors.len() <= MAX_ERRORS + 2 && errors.iter().all(|error| error.len() < 2 * MAX_ERROR_CHARS), "{errors:?}");
    }

    #[test]
    fn a_pattern_that_never_ends_is_not_waited_for() {
        let schema = r#"{"properties":{"a":{"pattern":"^(?=(a+)+$)b"}}}"#;
        let _ = checked(schema, Some(json!({ "a": "a".repeat(50) + "!" })));
    }

    #[test]
    fn references_in_a_row_do_not_use_up_the_stack() {
        let definition = |at: usize| format!(r##""d{at}":{{"$ref":"#/$defs/d{}"}}"##, at + 1);
        let definitions: Vec<String> = (0..5_000).map(definition).collect();
        let schema = format!(
            r##"{{"properties":{{"a":{{"$ref":"#/$defs/d0"}},"b":{{}}}},"$defs":{{{},"d5000":{{"type":"integer"}}}}}}"##,
            definitions.join(",")
        );
        assert!(!checked(&schema, Some(json!({ "a": "x" }))).unwrap().validated);
        assert!(checked(&schema, Some(json!({ "b": "x" }))).is_ok());
    }

    #[test]
    fn recursive_schemas_are_followed() {
        let schema = r##"{"type":"object","properties":{"child":{"$ref":"#"},"n":{"type":"integer"}}}"##;
        assert!(checked(schema, Some(json!({ "child": { "child": { "n": "x" } } }))).is_err());
        assert!(checked(schema, Some(json!({ "child": { "child": { "n": 1 } } }))).unwrap().validated);
    }
}
