use super::*;

fn of(schema: &str) -> String {
    let tree = Node::read(schema).unwrap();
    Writer::new(&tree, Bounds { depth: 2, optional: 4 }).of(&tree, 2, 0).text
}

#[test]
fn each_keyword_has_its_type() {
    for (schema, expected) in [
        (r#"{"type":"integer"}"#, "number"),
        (r#"{"type":["string","null"]}"#, "string|null"),
        (r#"{"type":"string","nullable":true}"#, "string|null"),
        (r#"{"enum":["a",1,null,true]}"#, "'a'|1|null|true"),
        (r#"{"enum":[],"type":"string"}"#, "string"),
        (r#"{"const":"a"}"#, "'a'"),
        (r#"{"type":"array","items":{"enum":["a","b"]}}"#, "('a'|'b')[]"),
        (r#"{"type":"array"}"#, "unknown[]"),
        (r#"{"prefixItems":[],"type":"array"}"#, "unknown[]/*…*/"),
        (r#"{"anyOf":[{"type":"string"},{"type":"null"},{"type":"string"}]}"#, "string|null"),
        (r#"{"allOf":[{"type":"number"}]}"#, "number"),
        (r#"{"type":"object"}"#, "object"),
        (r#"{"type":"object","additionalProperties":{"type":"number"}}"#, "{[key: string]: number}"),
        (r#"{"properties":{"a":{},"b-c":{"type":"string"}},"required":["a"]}"#, "{a: unknown, 'b-c'?: string}"),
        (r##"{"$ref":"#/nowhere"}"##, "unknown/*…*/"),
        (r#"{"type":"tuple"}"#, "unknown"),
        ("{}", "unknown"),
    ] {
        assert_eq!(of(schema), expected, "{schema}");
    }
}

#[test]
fn what_refers_to_itself_ends() {
    let tree = r##"{"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}"##;
    assert_eq!(of(tree), "{next?: unknown/*…*/}");
    assert_eq!(of(r##"{"$ref":"#"}"##), "unknown/*…*/");
    let wide = r##"{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"}]},"b":{"items":{"$ref":"#/$defs/a"}}},"$ref":"#/$defs/a"}"##;
    assert_eq!(of(wide), "unknown/*…*/[]");
}

#[test]
fn a_long_enum_is_marked() {
    let values: Vec<String> = (0..30).map(|at| format!("\"{at}\"")).collect();
    let text = of(&format!(r#"{{"enum":[{}]}}"#, values.join(",")));
    assert!(text.ends_with("|'23'|string/*…*/"), "{text}");
    assert!(of(&format!(r#"{{"type":"string","enum":["a","{}"]}}"#, "x".repeat(100))).ends_with("'a'|string/*…*/"));
}
