use proptest::prelude::*;

use super::*;

#[test]
fn no_required_parameter_is_left_out_and_what_is_left_out_is_marked() {
    let names: Vec<String> = (0..60).map(|at| format!("p{at}")).collect();
    let properties: Vec<String> = names.iter().map(|name| format!(r#""{name}":{{"type":"string"}}"#)).collect();
    let required = r#"["p50","p59","elsewhere"]"#;
    let text = Signature::of("t", "", &format!(r#"{{"properties":{{{}}},"required":{required}}}"#, properties.join(","))).text();
    assert!(text.contains("p50: string") && text.contains("p59: string") && text.contains("elsewhere: unknown"), "{text}");
    assert!(text.ends_with(", /*…*/}") && text.contains("p0?: string") && !text.contains("p40"), "{text}");
}

#[test]
fn of_several_ways_what_all_require_is_required() {
    let schema =
        r#"{"oneOf":[{"properties":{"a":{},"b":{}},"required":["a"]},{"properties":{"a":{},"c":{}},"required":["a","c"]}]}"#;
    assert_eq!(Signature::of("t", "", schema).text(), "t: {a: unknown, b?: unknown, c?: unknown, /*…*/}");
}

#[test]
fn what_cannot_be_read_is_marked() {
    assert_eq!(Signature::of("t", "", r#"{"\ud800":1}"#).text(), "t: {/*…*/}");
}

#[test]
fn optional_parameters_stand_by_name_in_a_comment_that_none_of_them_ends() {
    let named = |schema| Signature::of("t", "", schema).of_named().text();
    let schema = r#"{"properties":{"a":{"type":"string"},"b":{"type":"number"},"*/ c":{}},"required":["a"]}"#;
    assert_eq!(named(schema), "t: {a: string, /*b, …*/}");
    assert_eq!(named(r#"{"properties":{"a":{"type":"string"}},"required":["a"]}"#), "t: {a: string}");
    assert_eq!(named(r#"{"properties":{"a":{"enum":["?: "]}}}"#), "t: {/*a*/}");
    assert_eq!(named(r#"{"additionalProperties":{"type":"number"}}"#), "t: {[key: string]: number}");
}

proptest! {
    /// Whatever a server says, a signature is one line whose comment holds the text.
    #[test]
    fn texts_stay_on_their_line(name in "\\PC{1,12}|[\\x00-\\x7f]{1,8}", description in "\\PC{0,40}|[\\x00-\\x7f\u{2028}\u{2029}\u{85}]{0,30}", parameter in "\\PC{1,8}|[\\x00-\\x7f\u{2028}]{1,8}") {
        let quoted = serde_json::Value::from(parameter.as_str());
        let schema = format!(r#"{{"properties":{{{quoted}:{{"enum":[{quoted}]}}}},"required":[{quoted}]}}"#);
        let text = Signature::of(&name, &description, &schema).text();
        prop_assert!(!text.contains(['\n', '\r', '\u{2028}', '\u{2029}', '\u{85}', '\u{b}', '\u{c}']), "{text}");
        prop_assert!(text.contains(&key(&parameter)), "{text}");
        let named = Signature::of("t", "", &schema.replace("\"required\"", "\"x\"")).of_named().text();
        prop_assert!(named.matches("*/").count() == 1 && named.ends_with("*/}"), "{named}");
    }
}
