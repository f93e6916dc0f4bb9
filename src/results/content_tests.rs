use proptest::prelude::*;

use super::*;

const BOUNDS: Bounds = Bounds { max_tokens: 500, preview_tokens: 300 };

fn content(result: &Value) -> Content {
    Content::of_json(result.to_string())
}

fn shown(result: &Value, schema: Option<&str>) -> Shown {
    let content = content(result).settled(BOUNDS);
    let (held, _) = content.text(1 << 20);
    content.shown(&held, "9,000 tokens", "res_x", BOUNDS, schema)
}

fn long() -> String {
    (0..400).map(|at| format!("line {at} of a long text")).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_same_said_twice_counts_once() {
    let both = json!({ "content": [{ "type": "text", "text": "{\"a\": [1, 2, 3]}" }], "structuredContent": { "a": [1, 2, 3] } });
    assert!(!content(&both).exceeds(12));
}

#[test]
fn all_that_reaches_a_client_counts_and_none_of_it_is_above_the_bound() {
    let words = "word ".repeat(2_000);
    let base64 = "d29yZCB3b3Jk".repeat(900);
    let text = json!({ "type": "text", "text": "ok" });
    let with = |key: &str, block: Value| {
        let mut block = block;
        block[key] = words.clone().into();
        json!({ "content": [text, block] })
    };
    let resource = |inner: Value| json!({ "content": [{ "type": "resource", "resource": inner }] });
    let cases = [
        with("_meta", text.clone()),
        with("annotations", text.clone()),
        with("odd", text.clone()),
        with("mimeType", json!({ "type": "image", "data": "AAAA" })),
        with("_meta", json!({ "type": "audio", "data": "AAAA", "mimeType": "audio/wav" })),
        with("uri", json!({ "type": "resource_link", "name": "n" })),
        with("data", json!({ "type": "image", "mimeType": "image/png" })),
        resource(json!({ "uri": words, "text": "ok" })),
        resource(json!({ "uri": words, "blob": "AAAA" })),
        resource(json!({ "uri": "a:b", "mimeType": words, "blob": "AAAA" })),
        resource(json!({ "uri": "a:b", "mimeType": "text/plain", "blob": base64 })),
        resource(json!({ "uri": "a:b", "text": "ok", "blob": base64 })),
        json!({ "content": [text], "_meta": { "note": words } }),
        json!({ "content": [text], words.as_str(): true }),
        json!({ "content": [text], "isError": words }),
        json!({ "content": words, "structuredContent": {} }),
        json!({ "content": vec![json!({ "type": "image", "data": "AAAA", "mimeType": "image/png" }); 900] }),
        json!({ "content": [], "_meta": (0..90).map(|at| (at.to_string(), "a few words more".into())).collect::<Map<_, _>>() }),
    ];
    for result in cases {
        assert!(content(&result).exceeds(BOUNDS.max_tokens), "{result:.80}");
        let settled = content(&result).settled(BOUNDS);
        let (held, _) = settled.text(1 << 20);
        let result = settled.shown(&held, "many tokens", "res_x", BOUNDS, None).result;
        assert!(!content(&result).exceeds(BOUNDS.max_tokens), "{result:.80}");
        assert!(held.contains("word") || held.contains("left out"), "{result:.80}");
    }
}

#[test]
fn images_stay_and_texts_are_replaced() {
    let image = json!({ "type": "image", "data": "AAAA", "mimeType": "image/png" });
    let result = json!({ "content": [{ "type": "text", "text": long() }, image], "_meta": { "trace": 1 } });
    let shown = shown(&result, None);
    assert_eq!(shown.result["content"][1], image);
    assert_eq!(shown.result["_meta"], json!({ "trace": 1 }));
    assert!(shown.result["content"][0]["text"].as_str().unwrap().contains("res_x"));
    assert_eq!(shown.result.get("isError"), None);
    assert!(tokens::count(&shown.text) <= BOUNDS.preview_tokens);
}

#[test]
fn a_text_is_replaced_by_a_text_and_other_json_is_one() {
    let shown = Content::of_text(long());
    let (held, _) = shown.text(1 << 20);
    assert!(shown.shown(&held, "", "res_x", BOUNDS, None).result.is_string());
    assert_eq!(content(&json!([1, 2])), Content::of_text("[1,2]".into()));
}

#[test]
fn what_is_held_is_the_texts_and_the_structured_content_that_they_do_not_say() {
    let held = |texts: &[&str], structured: Value| {
        let texts: Vec<Value> = texts.iter().map(|text| json!({ "type": "text", "text": text })).collect();
        content(&json!({ "content": texts, "structuredContent": structured })).text(1 << 20).0
    };
    assert_eq!(held(&["said", "more"], json!({ "a": 1 })), "{\"a\":1}\nsaid\nmore");
    assert_eq!(held(&["{\"a\": 1}"], json!({ "a": 1 })), "{\"a\": 1}");
    assert_eq!(held(&["{\"a\":1}", "[2]"], Value::Null), "[\n{\"a\":1},\n[2]\n]");
}

#[test]
fn what_is_longer_than_may_be_held_is_cut_and_says_so() {
    let content =
        content(&json!({ "content": [{ "type": "text", "text": "é".repeat(600) }, { "type": "text", "text": "more" }] }));
    let (held, is_cut) = content.text(1_001);
    assert_eq!((held.len(), is_cut, content.text(2_000).1), (1_000, true, false));
}

#[test]
fn what_is_nested_too_deeply_is_a_text_and_stays_an_error() {
    let deep = format!("{{\"structuredContent\":{}1{},\"isError\":true}}", "[".repeat(900), "]".repeat(900));
    let content = Content::of_json(deep.clone());
    assert!(content.is_error && content.exceeds(100) && !content.exceeds(2_000));
    let (held, _) = content.text(1 << 20);
    assert_eq!(held, deep);
    assert_eq!(content.shown(&held, "", "res_x", BOUNDS, None).result["isError"], true);
}

fn block() -> impl Strategy<Value = Value> {
    prop_oneof![
        "\\PC{0,300}".prop_map(|text| json!({ "type": "text", "text": text })),
        "[a-z{}\\[\\]\",:0-9\n ]{0,300}".prop_map(|text| json!({ "type": "text", "text": text })),
        "[a-z]{0,600}".prop_map(|uri| json!({ "type": "resource_link", "uri": uri, "name": uri })),
        "[a-z ]{0,200}".prop_map(|text| json!({ "type": "resource", "resource": { "uri": "x:y", "text": text } })),
        Just(json!({ "type": "odd", "text": 5 })),
        Just(json!(null)),
    ]
}

proptest! {
    #[test]
    fn what_is_shown_never_costs_more_than_the_bound(blocks in prop::collection::vec(block(), 0..30), is_error in any::<bool>()) {
        let result = json!({ "content": blocks, "isError": is_error });
        let shown = shown(&result, None);
        prop_assert!(tokens::count(&shown.text) <= BOUNDS.max_tokens);
        prop_assert_eq!(shown.result.get("isError").is_some(), is_error);
    }
}
