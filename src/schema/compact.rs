//! `compact`: what neither a model nor a validator can use is left out. The schema accepts exactly what it did.

use super::node::{Node, each_below};
use super::references::References;

/// What a root's title has behind the tool's name, where generators made it.
const ROOT_TITLES: [&str; 9] = ["", "arguments", "args", "input", "inputschema", "params", "parameters", "request", "schema"];

/// Keywords that not every draft has.
const OF_SOME_DRAFTS: &str = "prefixItems additionalItems dependencies dependentSchemas dependentRequired id $id $anchor \
    $dynamicRef $dynamicAnchor $recursiveRef unevaluatedItems unevaluatedProperties minContains maxContains";

#[expect(clippy::struct_excessive_bools, reason = "each is what one rule asks")]
pub struct Whole<'t> {
    tool_name: &'t str,
    tool_description: &'t str,
    /// It means the same in every draft, so it need not say which one it is written in.
    drafts_agree: bool,
    /// `additionalProperties: true` says something here.
    evaluates: bool,
    /// Parts are referred to by their place, so that none may move or go.
    pinned: bool,
    /// What it says in words goes.
    pub is_bare: bool,
}

impl<'t> Whole<'t> {
    pub fn of(tool_name: &'t str, tool_description: &'t str, schema: &Node, references: &References) -> Self {
        let mut drafts_agree = true;
        let mut evaluates = false;
        survey(schema, &mut |pairs| {
            for (key, value) in pairs {
                let alone = pairs.len() == 1;
                // These are other keywords, or mean something else, in some draft.
                drafts_agree &= match key.as_str() {
                    "items" => !matches!(value, Node::Array(_)),
                    "$ref" => alone,
                    "exclusiveMinimum" | "exclusiveMaximum" => !value.is("true") && !value.is("false"),
                    key => !OF_SOME_DRAFTS.split(' ').any(|one| one == key),
                };
                evaluates |= key.starts_with("unevaluated");
            }
        });
        Self { tool_name, tool_description, drafts_agree, evaluates, pinned: references.elsewhere, is_bare: false }
    }
}

type Look<'l> = dyn FnMut(&[(String, Node)]) + 'l;

/// Shows every object of a value, properties named like keywords included: it may only find too much.
fn survey(node: &Node, look: &mut Look<'_>) {
    match node {
        Node::Object(pairs) => {
            look(pairs);
            for (_, value) in pairs {
                survey(value, look);
            }
        }
        Node::Array(items) => items.iter().for_each(|item| survey(item, look)),
        Node::Leaf(_) => {}
    }
}

fn folded(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Leaves out what says nothing, in a schema and below.
pub fn compact(schema: &mut Node, whole: &Whole<'_>) {
    tidy(schema, None, true, whole);
}

fn tidy(schema: &mut Node, name: Option<&str>, root: bool, whole: &Whole<'_>) {
    each_below(schema, &mut |name, below| tidy(below, name, false, whole));
    if let Node::Object(pairs) = schema {
        let values = pairs.iter().find(|(key, _)| key == "enum").map(|(_, values)| values.clone());
        pairs.retain(|(key, value)| !says_nothing(key, value, name, root, values.as_ref(), whole));
    }
    if !whole.pinned {
        join_types(schema);
    }
}

fn says_nothing(key: &str, value: &Node, name: Option<&str>, root: bool, values: Option<&Node>, whole: &Whole<'_>) -> bool {
    let repeats_name = |text: &str| name.is_some_and(|name| folded(name) == folded(text) && !folded(text).is_empty());
    match key {
        "$schema" => whole.drafts_agree,
        "$comment" => true,
        _ if key.starts_with("x-") => !whole.pinned,
        "title" | "description" | "examples" | "example" if whole.is_bare => true,
        "title" => value.string().is_some_and(|title| {
            let folded_title = folded(&title);
            let of_tool = folded_title.strip_prefix(&folded(whole.tool_name));
            title.trim().is_empty() || repeats_name(&title) || (root && of_tool.is_some_and(|rest| ROOT_TITLES.contains(&rest)))
        }),
        "description" => value.string().is_some_and(|text| {
            let repeats_tool = root && text.trim() == whole.tool_description.trim();
            text.trim().is_empty() || repeats_name(&text) || repeats_tool
        }),
        "examples" => values.is_some_and(|values| value.items().iter().all(|example| values.items().contains(example))),
        "example" => values.is_some_and(|values| values.items().contains(value)),
        "required" => value.is("[]"),
        "additionalProperties" => (value.is("true") || value.is("{}")) && !whole.evaluates && !whole.pinned,
        "deprecated" | "readOnly" | "writeOnly" | "uniqueItems" | "nullable" => value.is("false"),
        "minLength" | "minItems" | "minProperties" => value.is("0"),
        _ => false,
    }
}

/// Keywords that bind values of one type alone: they mean the same beside a list of types.
const OF_ONE_TYPE: &str = "type description title items minItems maxItems uniqueItems properties required additionalProperties \
    patternProperties propertyNames minProperties maxProperties minLength maxLength pattern format minimum maximum \
    exclusiveMinimum exclusiveMaximum multipleOf enum";

/// `anyOf` of a schema of one type and of null is that schema with two types; so is one of bare types.
fn join_types(schema: &mut Node) {
    let Node::Object(pairs) = schema else { return };
    let Some(at) = pairs.iter().position(|(key, _)| key == "anyOf") else { return };
    let branches = pairs[at].1.items().to_vec();
    let kind = |branch: &Node| branch.last("type").and_then(Node::string);
    let is_bare = |branch: &&Node| matches!(branch, Node::Object(pairs) if pairs.len() == 1) && kind(branch).is_some();
    let (bare, full): (Vec<&Node>, Vec<&Node>) = branches.iter().partition(is_bare);
    let types: Vec<String> = branches.iter().filter_map(kind).collect();
    let is_distinct = types.iter().enumerate().all(|(at, kind)| !types[..at].contains(kind));
    if types.len() != branches.len() || types.len() < 2 || !is_distinct || full.len() > 1 {
        return;
    }
    let mut joined: Vec<(String, Node)> = Vec::new();
    if let Some(Node::Object(inner)) = full.first().copied() {
        // Beside what binds values, the keywords of the branch could bind others.
        const ANNOTATIONS: [&str; 6] = ["anyOf", "description", "title", "default", "examples", "deprecated"];
        if !pairs.iter().all(|(key, _)| ANNOTATIONS.contains(&key.as_str())) {
            return;
        }
        let only_null = bare.iter().all(|branch| kind(branch).as_deref() == Some("null"));
        let taken = |key: &str| pairs.iter().any(|(known, _)| known == key);
        let fits = inner.iter().all(|(key, _)| OF_ONE_TYPE.split(' ').any(|one| one == key) && !taken(key));
        let twice = inner.iter().enumerate().any(|(at, (key, _))| inner[..at].iter().any(|(known, _)| known == key));
        if !only_null || !fits || twice {
            return;
        }
        joined.extend(inner.iter().filter(|(key, _)| key != "type").cloned());
        for (key, values) in &mut joined {
            if let ("enum", Node::Array(values)) = (key.as_str(), values)
                && !values.iter().any(|value| value.is("null"))
            {
                values.push(Node::Leaf("null".to_owned()));
            }
        }
    } else if pairs.iter().any(|(key, _)| key == "type") {
        return;
    }
    let types = Node::Array(types.iter().map(|kind| Node::of_string(kind)).collect());
    joined.insert(0, ("type".to_owned(), types));
    pairs.splice(at..=at, joined);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compacted(text: &str) -> String {
        let mut schema = Node::read(text).unwrap();
        let whole = Whole::of("find_issue", "Finds issues.", &schema, &References::of(&schema));
        compact(&mut schema, &whole);
        schema.text()
    }

    #[test]
    fn each_rule_leaves_out_what_says_nothing() {
        for (schema, expected) in [
            (r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}"#, r#"{"type":"object"}"#),
            (r#"{"$schema":"x","properties":{"a":{"items":[{}]}}}"#, r#"{"$schema":"x","properties":{"a":{"items":[{}]}}}"#),
            (r#"{"title":"find_issueArguments","description":"Finds issues. "}"#, "{}"),
            (
                r#"{"properties":{"page_size":{"title":"Page Size","type":"integer"}}}"#,
                r#"{"properties":{"page_size":{"type":"integer"}}}"#,
            ),
            (r#"{"properties":{"title":{"title":"Other"}}}"#, r#"{"properties":{"title":{"title":"Other"}}}"#),
            (r#"{"enum":["a","b"],"examples":["a"]}"#, r#"{"enum":["a","b"]}"#),
            (r#"{"enum":["a","b"],"examples":["c"]}"#, r#"{"enum":["a","b"],"examples":["c"]}"#),
            (r#"{"required":[],"additionalProperties":true,"x-order":1,"$comment":"c"}"#, "{}"),
            (r#"{"additionalProperties":false,"default":null}"#, r#"{"additionalProperties":false,"default":null}"#),
        ] {
            assert_eq!(compacted(schema), expected);
        }
    }

    #[test]
    fn a_schema_or_null_is_one_schema_of_two_types() {
        for (schema, expected) in [
            (r#"{"anyOf":[{"type":"string"},{"type":"null"}],"default":null}"#, r#"{"type":["string","null"],"default":null}"#),
            (
                r#"{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}"#,
                r#"{"type":["array","null"],"items":{"type":"string"}}"#,
            ),
            (r#"{"anyOf":[{"type":"string","enum":["a"]},{"type":"null"}]}"#, r#"{"type":["string","null"],"enum":["a",null]}"#),
            (
                r#"{"anyOf":[{"type":"string","enum":["a",null]},{"type":"null"}]}"#,
                r#"{"type":["string","null"],"enum":["a",null]}"#,
            ),
            // Two schemas of one type, or with what binds every value, stay apart.
            (
                r#"{"anyOf":[{"type":"string","pattern":"a"},{"type":"string"}]}"#,
                r#"{"anyOf":[{"type":"string","pattern":"a"},{"type":"string"}]}"#,
            ),
            (r##"{"anyOf":[{"$ref":"#"},{"type":"null"}]}"##, r##"{"anyOf":[{"$ref":"#"},{"type":"null"}]}"##),
            (
                r#"{"anyOf":[{"type":"string","const":"a"},{"type":"null"}]}"#,
                r#"{"anyOf":[{"type":"string","const":"a"},{"type":"null"}]}"#,
            ),
        ] {
            assert_eq!(compacted(schema), expected);
        }
    }
}
