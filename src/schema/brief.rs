//! `brief`: descriptions are shortened, and long lists of values are cut. The schema accepts what it did, and more only
//! where a list was cut.

use super::node::{Node, Position, each_below};
use super::references::References;

/// How much of a tool's description is kept: two or three sentences say what it is for.
const TOOL_CHARS: usize = 400;
/// Of a parameter's: one sentence.
const PARAMETER_CHARS: usize = 120;
/// A cut inside a sentence is a last resort: it ends at a full stop behind this share.
const LEAST_SHARE: usize = 3;
/// Lists of more values are cut to the first few, which show their form.
const LISTED_VALUES: usize = 12;
const SHOWN_VALUES: usize = 5;

/// What a model is told about the tool.
pub fn description(text: &str) -> String {
    shorten(text, TOOL_CHARS)
}

/// Shortens what a schema says, and below; lists of values too, if they are to be cut.
pub fn brief(schema: &mut Node, references: &References, cuts_values: bool) {
    let exact = counts_matches(schema);
    if !cuts_values {
        return cut(schema, None, true, true);
    }
    // Any part may then be referred to from where matches are counted.
    let everywhere = exact && (references.elsewhere || references.targets.iter().any(|target| target == "#"));
    cut(schema, None, everywhere, exact);
}

/// Whether some part counts what matches, so that a definition may not accept more.
fn counts_matches(node: &Node) -> bool {
    match node {
        Node::Object(pairs) => pairs.iter().any(|(key, value)| is_exact(key) || counts_matches(value)),
        Node::Array(items) => items.iter().any(counts_matches),
        Node::Leaf(_) => false,
    }
}

/// Below these, accepting more could mean accepting less.
fn is_exact(keyword: &str) -> bool {
    matches!(keyword, "oneOf" | "not" | "if" | "contains" | "dependentSchemas")
}

fn cut(schema: &mut Node, at: Option<Position<'_>>, below_exact: bool, exact: bool) {
    let keyword = at.map_or("", |position| position.keyword);
    let below_exact = below_exact || is_exact(keyword) || (exact && matches!(keyword, "$defs" | "definitions"));
    each_below(schema, &mut |position, below| cut(below, Some(position), below_exact, exact));
    let Node::Object(pairs) = schema else { return };
    pairs.retain(|(key, _)| !matches!(key.as_str(), "title" | "examples" | "example"));
    if let Some((_, value)) = pairs.iter_mut().find(|(key, _)| key == "description")
        && let Some(text) = value.string()
    {
        *value = Node::of_string(&shorten(&text, PARAMETER_CHARS));
    }
    if !below_exact {
        cut_values(pairs);
    }
}

/// Replaces a long `enum` of texts by their type and the first few in the description.
fn cut_values(pairs: &mut Vec<(String, Node)>) {
    let Some(at) = pairs.iter().position(|(key, _)| key == "enum") else { return };
    let values: Vec<Option<String>> = pairs[at].1.items().iter().map(Node::string).collect();
    let is_texts = values.iter().all(Option::is_some);
    if values.len() <= LISTED_VALUES || !is_texts || pairs.iter().filter(|(key, _)| key == "enum").count() > 1 {
        return;
    }
    let shown: Vec<String> = values.iter().flatten().take(SHOWN_VALUES).cloned().collect();
    let note = format!("One of {} values, as {}.", values.len(), shown.join(", "));
    pairs.remove(at);
    if !pairs.iter().any(|(key, _)| key == "type") {
        pairs.insert(at, ("type".to_owned(), Node::of_string("string")));
    }
    match pairs.iter_mut().find(|(key, _)| key == "description") {
        Some((_, value)) => {
            let text = value.string().unwrap_or_default();
            *value = Node::of_string(&format!("{text} {note}"));
        }
        None => pairs.push(("description".to_owned(), Node::of_string(&note))),
    }
}

/// The sentences that fit, or else the words.
fn shorten(text: &str, most: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= most {
        return text;
    }
    let end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    let head = &text[..end];
    let stops = head.char_indices().filter(|(at, c)| {
        let rest = &text[at + c.len_utf8()..];
        matches!(c, '。' | '！' | '？')
            || (matches!(c, '.' | '!' | '?')
                && rest.starts_with(' ')
                && !head[..*at].ends_with("e.g")
                && !head[..*at].ends_with("i.e"))
    });
    let last = stops.map(|(at, c)| at + c.len_utf8()).rfind(|at| *at * LEAST_SHARE >= end);
    if let Some(at) = last {
        return text[..at].to_owned();
    }
    let words = head.rfind(' ').filter(|at| *at * 2 >= end).unwrap_or(end);
    format!("{}…", text[..words].trim_end_matches([',', ';', ':', ' ', '(']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_ends_with_a_sentence_or_else_with_a_word() {
        assert_eq!(shorten("One sentence here. Another one that is long.", 30), "One sentence here.");
        assert_eq!(shorten("words and words and words without an end", 20), "words and words and…");
        assert_eq!(shorten("short\n  text", 20), "short text");
        assert_eq!(shorten(&"x".repeat(40), 10), format!("{}…", "x".repeat(10)));
        assert_eq!(shorten("列出所有的文件。然后删除它们", 10), "列出所有的文件。");
    }

    #[test]
    fn a_long_list_of_values_shows_its_first_ones() {
        let values: Vec<String> = (0..13).map(|at| format!("\"v{at}\"")).collect();
        let mut schema = Node::read(&format!(r#"{{"enum":[{}],"description":"Which"}}"#, values.join(","))).unwrap();
        let references = References::of(&schema);
        brief(&mut schema, &references, true);
        assert_eq!(schema.text(), r#"{"type":"string","description":"Which One of 13 values, as v0, v1, v2, v3, v4."}"#);
    }

    #[test]
    fn what_counts_matches_keeps_its_values() {
        let values: Vec<String> = (0..13).map(|at| format!("\"v{at}\"")).collect();
        let list = format!(r#"{{"enum":[{}]}}"#, values.join(","));
        for schema in [
            format!(r#"{{"oneOf":[{list}]}}"#),
            format!(r##"{{"not":{{"$ref":"#/$defs/a"}},"$defs":{{"a":{list}}}}}"##),
            format!(r##"{{"properties":{{"a":{list},"b":{{"not":{{"$ref":"#/properties/a"}}}}}}}}"##),
            format!(r##"{{"properties":{{"a":{list}}},"if":{{"$ref":"#"}}}}"##),
        ] {
            let mut node = Node::read(&schema).unwrap();
            let references = References::of(&node);
            brief(&mut node, &references, true);
            assert_eq!(node.text(), schema);
        }
    }
}
