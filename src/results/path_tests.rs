use super::*;

const TEXT: &str = r#"{"items": [{"id": 1, "a b": {"c": null}}, {"id": 2}, {"id": 3}], "total": 3}"#;

fn found(text: &str, path: &str) -> Vec<(String, String)> {
    values(text, path, "readResult.path").unwrap().list
}

fn joined(path: &str) -> String {
    found(TEXT, path).into_iter().map(|(_, value)| value).collect()
}

fn refused(text: &str, path: &str) -> String {
    values(text, path, "readResult.path").unwrap_err().to_string()
}

#[test]
fn a_path_leads_to_values_with_their_own_paths() {
    let one = |place: &str, value: &str| [(place.to_owned(), value.to_owned())];
    assert_eq!(found(TEXT, "$.total"), one("$.total", "3"));
    assert_eq!(found(TEXT, "items[1].id"), one("$.items[1].id", "2"));
    assert_eq!(found(TEXT, "$.items[0]['a b'].c"), one("$.items[0][\"a b\"].c", "null"));
    assert_eq!(found(TEXT, "$")[0].0, "$");
    assert_eq!(
        (joined("$.items[*].id"), joined("$['items'][1:].id"), joined("$..id")),
        ("123".into(), "23".into(), "123".into())
    );
    assert_eq!((joined("$.items[?@.id > 1].id"), joined("$.items[?(@['a b'])].id")), ("23".into(), "1".into()));
    assert_eq!(joined("$.items[?@.id == 1 || @.id == 3].id"), "13");
}

#[test]
fn json_is_found_behind_what_is_said_about_it() {
    for text in ["Found it:\n\n```json\n{\"a\": 1}\n```\nDone.", "[1] a note\n{\"a\": 1}", "\n {\"a\": 1}\n{\"b\": 2}"] {
        assert_eq!(found(text, "$.a"), [("$.a".to_owned(), "1".to_owned())], "{text}");
    }
    assert!(refused("no JSON here", "$.a").contains("the result has no JSON"));
}

#[test]
fn a_path_that_leads_nowhere_says_what_there_is() {
    assert_eq!(
        refused(TEXT, "$.itemz"),
        "readResult.path: expected a path into the result, where $ is an object with the keys items, total, got \"$.itemz\""
    );
    assert!(refused("[1, 2]", "$.a").contains("where $ is an array of 2"));
    for wrong in ["$[", "[x]", "$[\"a]", "[1:2:3:4]", "$[?@.a=1]", "$.a-b"] {
        assert!(refused(TEXT, wrong).contains("a path such as"), "{wrong}");
    }
}

#[test]
fn what_would_multiply_the_work_is_refused_before_it_is_read() {
    let many = |part: &str| format!("$.items{}", part.repeat(10));
    for path in [
        many("..*"),
        many("[*,*]"),
        many("[?@[?@.a]]"),
        "$[?$..a]".into(),
        format!("$[?{}@.a", "(".repeat(90)),
        many(&".a".repeat(30)),
    ] {
        assert!(refused(TEXT, &path).contains("of at most 400 bytes with 1 ..  1 $"), "{path}");
    }
    assert_eq!(joined("$.items[?@.id == 2 && @['a b'] != '$,?..(' ].id"), "2", "texts are no signs");
    let (list, count) = (format!("[{}1]", "1,".repeat(4_999)), 5_000);
    let read = values(&list, "$[*]", "path").unwrap();
    assert_eq!((read.count, read.list.len()), (count, MAX_VALUES));
}

#[test]
fn json_that_is_too_deep_or_too_long_is_refused() {
    for levels in [100, 128, 4_000, 200_000] {
        let deep = format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        for path in ["$", "$[*]", "$..[0]"] {
            assert_eq!(values(&deep, path, "path").is_ok(), levels < 128, "{levels}");
        }
        let objects = format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
        assert_eq!(values(&objects, "$.a", "path").is_ok(), levels < 128, "{levels}");
        assert!(values(&"[".repeat(levels), "$", "path").unwrap_err().to_string().contains("no JSON"));
    }
    let long = format!("[{}1]", "1,".repeat(MAX_JSON_BYTES / 2));
    assert!(refused(&long, "$[0]").contains("4194304 bytes of JSON at most"));
}

proptest::proptest! {
    #[test]
    fn any_path_is_read_or_refused(path in "[$.\\[\\]*:0-9a-c\"' é?@()=<&|!,]{0,24}") {
        let _ = values(TEXT, &path, "readResult.path");
    }
}
