//! Arguments of a call, checked against the tool's schema, with messages that a model can act on.

use jsonschema::PatternOptions;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value};

use super::budget;
use crate::catalogue::name;
use crate::error::shorten;

/// The most that is said about one call: a model mends a few at a time.
const MAX_ERRORS: usize = 5;
/// The longest message, in characters: it may hold a value of the call.
const MAX_ERROR_CHARS: usize = 240;
/// The longest arguments that are read, and the longest schema that they are compared with; past it the server checks.
const MAX_ARGUMENT_BYTES: usize = 1024 * 1024;
const MAX_SCHEMA_BYTES: usize = 256 * 1024;
/// Steps of one match of a pattern of a server's: a hundredth of the library's own limit, some milliseconds.
const MAX_BACKTRACKS: usize = 10_000;
/// Parameters that are listed with an error.
const MAX_LISTED: usize = 20;

/// Arguments that may be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The arguments, an object.
    pub arguments: Map<String, Value>,
    /// Whether they were compared with the schema. A schema that is too large, that is not valid, that refers to other
    /// documents, or that would take too many steps is not.
    pub validated: bool,
}

/// Checks arguments as a model wrote them: an object, or JSON text of one.
///
/// # Errors
///
/// What is wrong, one message each.
pub fn check(schema: &str, arguments: Option<Value>) -> Result<Checked, Vec<String>> {
    let arguments = object(arguments)?;
    let value = Value::Object(arguments);
    let (errors, validated) = errors(schema, &value);
    let Value::Object(arguments) = value else { return Err(Vec::new()) };
    if errors.is_empty() { Ok(Checked { arguments, validated }) } else { Err(errors) }
}

/// The object that a model means.
fn object(arguments: Option<Value>) -> Result<Map<String, Value>, Vec<String>> {
    let wrong = |got: &Value| vec![format!("arguments: expected an object, got {}", shorten(&got.to_string(), 80))];
    match arguments {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(object)) => Ok(object),
        Some(Value::String(text)) if text.len() <= MAX_ARGUMENT_BYTES => match serde_json::from_str(&text) {
            Ok(Value::Object(object)) => Ok(object),
            Ok(other) => Err(wrong(&other)),
            Err(error) => Err(vec![format!("arguments: expected an object, got text that is not JSON ({error})")]),
        },
        Some(other) => Err(wrong(&other)),
    }
}

/// What does not fit, and whether it was compared.
fn errors(schema: &str, arguments: &Value) -> (Vec<String>, bool) {
    if schema.len() > MAX_SCHEMA_BYTES {
        return (Vec::new(), false);
    }
    let Ok(schema) = serde_json::from_str::<Value>(schema) else { return (Vec::new(), false) };
    if !budget::fits(&schema, arguments) {
        return (Vec::new(), false);
    }
    let options = jsonschema::options()
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(MAX_BACKTRACKS));
    let Ok(validator) = options.build(&schema) else { return (Vec::new(), false) };
    let mut messages: Vec<String> = Vec::new();
    for error in validator.iter_errors(arguments) {
        if messages.len() == MAX_ERRORS {
            messages.push("and more".to_owned());
            break;
        }
        let hint = match error.kind() {
            // A pattern that takes too long says nothing about the value.
            ValidationErrorKind::BacktrackLimitExceeded { .. } | ValidationErrorKind::RegexEngineFailure { .. } => continue,
            ValidationErrorKind::AdditionalProperties { unexpected } => near_parameters(&schema, unexpected),
            _ => String::new(),
        };
        let place = error.instance_path().to_string();
        messages.push(format!("arguments{place}: {}{hint}", shorten(&error.to_string(), MAX_ERROR_CHARS)));
    }
    if !messages.is_empty() {
        messages.extend(parameters(&schema));
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

    #[test]
    fn an_object_that_fits_passes_as_it_is_and_as_json_text() {
        for arguments in [json!({ "title": "x" }), json!(r#"{"title":"x"}"#)] {
            let checked = check(SCHEMA, Some(arguments)).unwrap();
            assert_eq!((checked.arguments["title"].as_str(), checked.validated), (Some("x"), true));
        }
        assert!(check(r#"{"type":"object"}"#, None).unwrap().arguments.is_empty());
    }

    #[test]
    fn messages_name_the_place_what_was_expected_and_the_parameters() {
        let errors = |arguments| check(SCHEMA, Some(arguments)).unwrap_err().join("\n");
        let said = errors(json!({ "titel": 1, "labels": [5] }));
        for part in [
            "\"title\" is a required property",
            "'titel' was unexpected); near: title",
            "arguments/labels/0: 5 is not of type",
            "parameters: title (string), required; labels (array)",
        ] {
            assert!(said.contains(part), "{part} in {said}");
        }
        assert_eq!(errors(json!([1])), "arguments: expected an object, got [1]");
        assert!(errors(json!("{")).starts_with("arguments: expected an object, got text that is not JSON"));
    }

    #[test]
    fn a_schema_that_cannot_be_used_leaves_the_check_to_the_server() {
        let deep = format!("{}{}", r#"{"not":"#.repeat(500), "{}".to_owned() + &"}".repeat(500));
        for schema in [r#"{"type":"STRING"}"#, r#"{"$ref":"https://example.com/other.json"}"#, deep.as_str()] {
            assert!(!check(schema, Some(json!({ "a": 1 }))).unwrap().validated, "{}", shorten(schema, 60));
        }
    }

    #[test]
    fn what_is_said_is_bounded() {
        let schema = json!({ "type": "object", "additionalProperties": { "type": "integer" } }).to_string();
        let arguments: Map<String, Value> = (0..500).map(|at| (format!("k{at}"), json!("x".repeat(5_000)))).collect();
        let errors = check(&schema, Some(Value::Object(arguments))).unwrap_err();
        assert!(errors.len() <= MAX_ERRORS + 2 && errors.iter().all(|error| error.len() < 2 * MAX_ERROR_CHARS), "{errors:?}");
    }

    #[test]
    fn a_pattern_that_never_ends_is_not_waited_for() {
        let schema = r#"{"properties":{"a":{"pattern":"^(?=(a+)+$)b"}}}"#;
        let _ = check(schema, Some(json!({ "a": "a".repeat(50) + "!" })));
    }

    #[test]
    fn a_schema_that_takes_too_many_steps_leaves_the_check_to_the_server() {
        let next = |at: usize| format!(r##"{{"$ref":"#/$defs/d{at}"}}"##);
        let definition = |at: usize| format!(r#""d{at}":{{"anyOf":[{0},{0}]}}"#, next(at + 1));
        let definitions: Vec<String> = (0..60).map(definition).collect();
        let schema =
            format!(r#"{{"properties":{{"a":{}}},"$defs":{{{},"d60":{{"type":"integer"}}}}}}"#, next(0), definitions.join(","));
        assert!(!check(&schema, Some(json!({ "a": "x" }))).unwrap().validated);
        assert!(check(&schema, Some(json!({ "b": "x" }))).unwrap().validated);
    }

    #[test]
    fn references_in_a_row_do_not_use_up_the_stack() {
        let definition = |at: usize| format!(r##""d{at}":{{"$ref":"#/$defs/d{}"}}"##, at + 1);
        let definitions: Vec<String> = (0..5_000).map(definition).collect();
        let schema = format!(
            r##"{{"properties":{{"a":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{},"d5000":{{"type":"integer"}}}}}}"##,
            definitions.join(",")
        );
        assert!(!check(&schema, Some(json!({ "a": "x" }))).unwrap().validated);
        assert!(check(&schema, Some(json!({ "b": "x" }))).is_ok());
    }

    #[test]
    fn recursive_schemas_are_followed() {
        let schema = r##"{"type":"object","properties":{"child":{"$ref":"#"},"n":{"type":"integer"}}}"##;
        assert!(check(schema, Some(json!({ "child": { "child": { "n": "x" } } }))).is_err());
        assert!(check(schema, Some(json!({ "child": { "child": { "n": 1 } } }))).unwrap().validated);
    }
}
