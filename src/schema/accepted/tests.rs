//! Each rule by example, and all of them over random schemas: what the original accepts is accepted.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use super::{Accepted, Change, Rules, accepted};
use crate::settings::Provider;

fn of(provider: Provider, schema: &Value) -> (Value, Vec<Change>) {
    match accepted(Rules::of(provider), "Does it.", &schema.to_string()) {
        Some(Accepted { schema, changes, .. }) => (serde_json::from_str(&schema).unwrap(), changes),
        None => (schema.clone(), Vec::new()),
    }
}

fn of_openai(schema: &Value) -> (Value, Vec<Change>) {
    of(Provider::OpenaiChat, schema)
}

fn below(inner: &Value) -> Value {
    of_openai(&json!({ "type": "object", "properties": { "a": inner } })).0["properties"]["a"].take()
}

#[test]
fn what_is_right_is_not_touched() {
    for schema in [
        json!({ "type": "object", "properties": {} }),
        json!({ "type": "object", "properties": { "a": { "type": "array", "items": {} }, "b": {} }, "required": ["a"] }),
        json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/a" } }, "$defs": { "a": { "enum": [1] } }, "x-own": [1] }),
        json!({ "type": "object", "properties": { "a": { "type": "object" }, "enum": { "not": {} } }, "additionalProperties": false }),
        json!({ "type": "object", "properties": { "a": { "$ref": "#" }, "b": { "pattern": "^\\d+$" } } }),
    ] {
        assert_eq!(accepted(Rules::ALL, "", &schema.to_string()), None, "{schema}");
    }
}

#[test]
fn a_root_is_a_plain_object() {
    let object = json!({ "type": "object", "properties": {} });
    for schema in
        [json!({}), json!({ "type": "object" }), json!({ "type": ["object", "null"] }), json!({ "enum": [{}], "not": {} })]
    {
        assert_eq!(of_openai(&schema).0, object);
    }
    assert_eq!(of(Provider::Anthropic, &json!({ "type": "object" })).1, []);
    assert_eq!(of(Provider::Anthropic, &json!({})), (json!({ "type": "object" }), vec![Change::TypeAdded]));
}

#[test]
fn a_root_that_refers_is_what_it_refers_to() {
    let input = json!({ "type": "object", "properties": { "q": {} }, "required": ["q"] });
    let (schema, changes) = of_openai(&json!({ "$ref": "#/$defs/In", "$defs": { "In": input } }));
    assert_eq!(
        (&schema["properties"], &schema["required"], &schema["type"]),
        (&json!({ "q": {} }), &json!(["q"]), &json!("object"))
    );
    assert_eq!(changes, [Change::ReferenceResolved]);
    let (schema, changes) = of_openai(&json!({ "$ref": "#/$defs/A", "$defs": {
        "A": { "$ref": "#/$defs/B" }, "B": { "oneOf": [{ "properties": { "x": {} } }, { "properties": { "y": {} } }] } } }));
    assert_eq!(schema["properties"], json!({ "x": {}, "y": {} }));
    assert_eq!(changes, [Change::AlternativesMerged, Change::ReferenceResolved]);
    // One that leads back to itself leads nowhere.
    let loops = json!({ "$ref": "#/$defs/A", "$defs": { "A": { "$ref": "#/$defs/B" }, "B": { "$ref": "#/$defs/A" } } });
    assert_eq!(of_openai(&loops).0, json!({ "type": "object", "$defs": { "A": {}, "B": {} }, "properties": {} }));
}

#[test]
fn alternatives_at_the_root_become_one_object_that_takes_what_each_takes() {
    let schema = json!({ "oneOf": [{ "$ref": "#/$defs/a" },
        { "properties": { "id": { "type": "integer" }, "by": {} }, "required": ["id", "by"], "additionalProperties": false }],
        "additionalProperties": false, "$defs": { "a": { "properties": { "id": { "type": "string" } }, "required": ["id"] } } });
    let (merged, changes) = of(Provider::OpenaiResponses, &schema);
    assert_eq!(changes, [Change::AlternativesMerged]);
    assert_eq!(merged["properties"], json!({ "id": { "anyOf": [{ "type": "string" }, { "type": "integer" }] }, "by": {} }));
    assert_eq!((&merged["type"], &merged["required"]), (&json!("object"), &json!(["id"])));
    assert!(["oneOf", "additionalProperties"].iter().all(|key| merged.get(key).is_none()) && merged.get("$defs").is_some());
    // What only one of two open alternatives speaks of may be anything in the other.
    let open = json!({ "type": "object", "anyOf": [{ "properties": { "a": { "type": "string" } } }, { "required": ["b"] }] });
    assert_eq!(of_openai(&open).0["properties"]["a"], json!({ "anyOf": [{ "type": "string" }, {}] }));
    // Where parts add nothing, what the root closes stays closed.
    let closed = json!({ "type": "object", "properties": { "a": {}, "b": {} }, "anyOf": [{ "required": ["a"] }], "additionalProperties": false });
    assert_eq!(of_openai(&closed).0["additionalProperties"], false);
}

#[test]
fn booleans_are_written_as_schemas_except_for_further_properties() {
    let inner = json!({ "properties": { "a": true, "b": false, "c": { "additionalProperties": false } }, "anyOf": [true, {}] });
    let expected =
        json!({ "properties": { "a": {}, "b": { "not": {} }, "c": { "additionalProperties": false } }, "anyOf": [{}, {}] });
    assert_eq!(below(&inner), expected);
}

#[test]
fn whole_numbers_that_no_64_bits_hold_are_gone_where_they_are_refused() {
    let big = 9_223_372_036_854_776_000_u64;
    let rules = Rules { shape: false, names: true, numbers: true, composition: true };
    let own = json!({ "minimum": -(1_i64 << 62), "maximum": 1_i64 << 62, "default": 1.5e300_f64.recip() });
    for (key, value) in [
        ("maximum", json!(big)),
        ("maximum", json!(i64::MAX)),
        ("minimum", json!(-1e25)),
        ("const", json!({ "a": [big] })),
        ("default", json!(big)),
    ] {
        let mut inner = own.clone();
        inner[key] = value;
        let text = json!({ "type": "object", "properties": { "a": inner } }).to_string();
        let mended = accepted(rules, "", &text).unwrap();
        let schema: Value = serde_json::from_str(&mended.schema).unwrap();
        assert!(schema["properties"]["a"].get(key).is_none() && mended.changes == [Change::NumbersRemoved], "{key}");
        assert_eq!(accepted(Rules { numbers: false, ..rules }, "", &text), None);
    }
    assert_eq!(accepted(rules, "", &json!({ "type": "object", "properties": { "a": own } }).to_string()), None);
}

#[test]
fn patterns_of_local_engines_neither_look_around_nor_begin_in_the_middle() {
    for pattern in ["^(?!x)a+$", "^a(?<=1)$", "\\d+", "^a", "a$"] {
        assert_eq!(below(&json!({ "pattern": pattern })), json!({}), "{pattern}");
    }
}

#[test]
fn a_list_has_items() {
    for (schema, expected) in [
        (json!({ "type": "array" }), json!({ "type": "array", "items": {} })),
        (json!({ "type": ["string", "array"] }), json!({ "type": ["string", "array"], "items": {} })),
        (json!({ "anyOf": [{ "type": "array" }] }), json!({ "anyOf": [{ "type": "array", "items": {} }] })),
        (json!({ "type": "array", "prefixItems": [{}] }), json!({ "type": "array", "prefixItems": [{}], "items": {} })),
        (
            json!({ "type": "array", "items": [{}], "additionalItems": false }),
            json!({ "type": "array", "prefixItems": [{}], "items": { "not": {} } }),
        ),
        (json!({ "type": "array", "items": [] }), json!({ "type": "array", "items": {} })),
    ] {
        assert_eq!(below(&schema), expected, "{schema}");
    }
}

#[test]
fn what_is_no_schema_says_nothing() {
    for (schema, expected) in [
        (json!(null), json!({})),
        (json!("object"), json!({})),
        (json!({ "type": "string", "required": true }), json!({ "type": "string" })),
        (json!({ "type": "any" }), json!({})),
        (json!({ "type": "str" }), json!({ "type": "string" })),
        (json!({ "type": ["int", "None", "integer"] }), json!({ "type": ["integer", "null"] })),
        (json!({ "type": "OBJECT" }), json!({ "type": "object" })),
        (json!({ "minimum": 0, "exclusiveMinimum": true }), json!({ "minimum": 0 })),
        (json!({ "enum": "a" }), json!({})),
        (json!({ "required": null, "minLength": "1", "description": null }), json!({})),
        (json!({ "required": ["a", "a", 1] }), json!({ "required": ["a"] })),
        (json!({ "properties": [{ "name": "b", "type": "string" }] }), json!({ "properties": { "b": { "type": "string" } } })),
        (json!({ "properties": ["b"], "additionalProperties": false }), json!({})),
        (json!({ "anyOf": [], "allOf": {} }), json!({})),
        (json!({ "not": null, "if": 1, "then": false }), json!({})),
        (json!({ "additionalProperties": "false" }), json!({})),
        (json!({ "$ref": "#/$defs/Lost" }), json!({})),
        (json!({ "$ref": "other.json#/a", "description": "d" }), json!({ "description": "d" })),
        (json!({ "pattern": "^\\p{L}+$" }), json!({})),
    ] {
        assert_eq!(below(&schema), expected, "{schema}");
    }
}

#[test]
fn what_takes_more_below_not_or_one_of_takes_no_less_above() {
    for (schema, expected) in [
        (json!({ "not": { "type": "any" } }), json!({})),
        (json!({ "oneOf": [{ "minimum": "1" }, { "type": "string" }] }), json!({ "anyOf": [{}, { "type": "string" }] })),
        (json!({ "if": { "enum": 1 }, "then": false }), json!({})),
        (json!({ "properties": { "not": { "$ref": "#/$defs/Lost" } } }), json!({ "properties": { "not": {} } })),
    ] {
        assert_eq!(below(&schema), expected, "{schema}");
    }
}

#[test]
fn a_part_that_refers_to_the_root_takes_what_the_root_took() {
    let (schema, _) = of_openai(&json!({ "properties": { "next": { "$ref": "#" } } }));
    assert_eq!(schema["properties"]["next"], json!({ "anyOf": [{ "$ref": "#" }, {}] }));
}

#[test]
fn parameters_that_a_provider_refuses_by_name_are_said_in_words() {
    let schema = json!({ "type": "object", "properties": { "a": {}, "filter[name]": { "type": "string" } },
        "required": ["a", "filter[name]"], "additionalProperties": false });
    let Accepted { description, schema: text, changes } =
        accepted(Rules::of(Provider::Anthropic), "Does it.", &schema.to_string()).unwrap();
    assert_eq!(changes, [Change::ParametersDescribed]);
    assert_eq!(text, r#"{"type":"object","properties":{"a":{}},"required":["a"]}"#);
    assert!(description.contains(r#""filter[name]" (required): {"type":"string"}"#), "{description}");
    assert_eq!(of_openai(&schema).1, []);
}

#[test]
fn what_no_text_can_say_reaches_nobody() {
    let schema = r#"{"type":"object","properties":{"a\ud800":{},"b":{"description":"x\udc00y","const":"\ud800"},"c":{"enum":["😀"]}},"required":["a\ud800","b"],"additionalProperties":false}"#;
    let Accepted { schema, changes, .. } = accepted(Rules::of(Provider::Gemini), "", schema).unwrap();
    assert_eq!(schema, r#"{"type":"object","properties":{"b":{"description":"x�y"},"c":{"enum":["😀"]}},"required":["b"]}"#);
    assert!(changes.contains(&Change::SurrogatesRemoved));
    let deep = format!("{}1{}", r#"{"type":"object","properties":{"a":"#.repeat(50_000), "}}".repeat(50_000));
    let Accepted { schema, changes, .. } = accepted(Rules::ALL, "", &deep).unwrap();
    assert!(changes.contains(&Change::DepthCut) && serde_json::from_str::<Value>(&schema).is_ok());
}

#[test]
fn the_documentation_names_every_change() {
    let page = include_str!("../../../docs/delivery.md");
    for (name, _) in Change::NAMES {
        assert!(page.contains(&format!("| `{name}` |")), "{name}");
    }
}

fn schema(targets: Vec<&'static str>) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        select(vec!["string", "integer", "array", "object", "null", "any", "int"]).prop_map(|kind| json!({ "type": kind })),
        select(vec![json!(null), json!("x"), json!(true), json!(false), json!({}), json!([1])]),
        select(targets).prop_map(|target| json!({ "$ref": target })),
        (0..3).prop_map(|least| json!({ "minimum": least, "exclusiveMinimum": true })),
        (0..3).prop_map(|value| json!({ "enum": [value, "x"] })),
    ];
    leaf.prop_recursive(3, 24, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            (select(vec!["anyOf", "oneOf", "allOf", "items"]), list).prop_map(|(key, list)| json!({ key: list })),
            (
                select(vec!["not", "if", "then", "items", "contains", "additionalProperties", "unevaluatedProperties"]),
                inner.clone()
            )
                .prop_map(|(key, inner)| json!({ key: inner, "maxContains": 1 })),
            (prop::collection::btree_map("[ab]", inner, 0..3), any::<bool>(), prop::collection::vec("[ab]", 0..2)).prop_map(
                |(properties, closed, required)| {
                    let mut schema = json!({ "properties": properties, "required": required });
                    if closed {
                        schema["additionalProperties"] = false.into();
                    }
                    schema
                }
            ),
        ]
    })
}

fn root() -> impl Strategy<Value = Value> {
    // What is referred to refers to nothing: no validator answers where references go round.
    let defs = schema(vec!["#/$defs/lost"]).prop_map(|a| json!({ "$defs": { "a": a } }));
    (prop::collection::vec(schema(vec!["#/$defs/a", "#/$defs/lost"]), 1..4), defs, any::<bool>()).prop_map(
        |(parts, defs, typed)| {
            let mut root: Map<String, Value> = Map::new();
            for part in parts.into_iter().chain([defs]) {
                root.extend(part.as_object().cloned().unwrap_or_default());
            }
            if typed {
                root.insert("type".to_owned(), "object".into());
            }
            Value::Object(root)
        },
    )
}

#[test]
fn who_may_have_composition_at_the_root_has_it_as_it_was() {
    let schema = json!({ "type": "object", "properties": { "list": { "type": "array" } }, "allOf": [{ "required": ["a"] }] });
    let composed = Rules { composition: false, ..Rules::ALL };
    let Accepted { schema: text, changes, .. } = accepted(composed, "", &schema.to_string()).unwrap();
    let made: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((changes, &made["allOf"]), (vec![Change::ItemsAdded], &schema["allOf"]));
    assert!(accepted(Rules::ALL, "", &schema.to_string()).unwrap().changes.contains(&Change::AlternativesMerged));
}

fn instance() -> impl Strategy<Value = Value> {
    let leaf =
        select(vec![json!(null), json!(0), json!(1), json!(2), json!("x"), json!("y"), json!([]), json!({}), json!([1, "x"])]);
    let value = leaf.prop_recursive(2, 8, 2, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[abc]", inner, 0..3).prop_map(|map| json!(map)),
        ]
    });
    prop::collection::btree_map("[abc]", value, 0..4).prop_map(|map| json!(map))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn every_schema_becomes_a_valid_one_that_takes_what_it_took(schema in root(), instances in prop::collection::vec(instance(), 12)) {
        let composed = Rules { composition: false, ..Rules::ALL };
        for rules in [Rules::ALL, Rules { shape: false, names: false, numbers: true, composition: true }, composed] {
            let Some(Accepted { schema: text, .. }) = accepted(rules, "", &schema.to_string()) else { continue };
            let mended: Value = serde_json::from_str(&text).unwrap();
            prop_assert!(jsonschema::draft202012::meta::is_valid(&mended), "{mended}");
            prop_assert_eq!(accepted(rules, "", &text), None, "once is enough: {} {}", schema, text);
            let now = jsonschema::options().offline().build(&mended);
            prop_assert!(now.is_ok(), "{mended} {:?}", now.err());
            let (Ok(now), Ok(before)) = (now, jsonschema::options().offline().build(&schema)) else { continue };
            for instance in &instances {
                prop_assert!(!before.is_valid(instance) || now.is_valid(instance), "{schema}\n{mended}\n{instance}");
            }
        }
    }
}
