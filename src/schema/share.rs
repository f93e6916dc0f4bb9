//! Subschemas that stand several times stand once, behind `$defs`; definitions that nothing refers to go.

use std::collections::{HashMap, HashSet};

use super::node::{Node, each_below};
use super::references::References;

/// `{"$ref":"#/$defs/d1"}`, and the definition's name and comma, in bytes.
const REFERENCE_BYTES: usize = 22;
const DEFINITION_BYTES: usize = 8;
/// A saving of fewer bytes is less than a reader, or a model, loses by looking it up.
const LEAST_SAVING: usize = 80;
/// Definitions of one schema that are made.
const MOST_DEFINITIONS: usize = 32;
/// Larger schemas are left as they are: comparing all parts of them takes too long for what it saves.
const MAX_BYTES: usize = 256 * 1024;

/// Shares what repeats. Leaves a schema alone that is referred to in another way than by its definitions.
pub fn share(schema: &mut Node) {
    let references = References::of(schema);
    if references.elsewhere {
        return;
    }
    drop_unused(schema, &references.targets);
    if schema.text().len() > MAX_BYTES {
        return;
    }
    let key = if schema.last("definitions").is_some() { "definitions" } else { "$defs" };
    let mut taken: HashSet<String> = match schema.last(key) {
        Some(Node::Object(pairs)) => pairs.iter().map(|(name, _)| name.clone()).collect(),
        Some(_) => return,
        None => HashSet::new(),
    };
    for _ in 0..MOST_DEFINITIONS {
        let Some(repeated) = best(schema) else { return };
        // One of so many names is free.
        let name =
            (1..=taken.len() + 1).map(|number| format!("d{number}")).find(|name| !taken.contains(name)).unwrap_or_default();
        let reference = Node::Object(vec![("$ref".to_owned(), Node::of_string(&format!("#/{key}/{name}")))]);
        let mut definition = None;
        replace(schema, &repeated, &reference, &mut definition);
        let (Node::Object(pairs), Some(definition)) = (&mut *schema, definition) else { return };
        match pairs.iter_mut().find(|(known, _)| known == key) {
            Some((_, Node::Object(definitions))) => definitions.push((name.clone(), definition)),
            _ => pairs.push((key.to_owned(), Node::Object(vec![(name.clone(), definition)]))),
        }
        taken.insert(name);
    }
}

fn drop_unused(schema: &mut Node, used: &[String]) {
    let Node::Object(pairs) = schema else { return };
    let used: HashSet<&str> = used.iter().map(String::as_str).collect();
    // What a definition that goes refers to is kept: it costs little, and such chains are rare.
    for (key, value) in pairs.iter_mut().filter(|(key, _)| matches!(key.as_str(), "$defs" | "definitions")) {
        if let Node::Object(definitions) = value {
            definitions.retain(|(name, _)| {
                let plain = !name.contains(['/', '~', '%']);
                !plain || used.contains(format!("#/{key}/{name}").as_str())
            });
        }
    }
    pairs.retain(|(key, value)| !matches!(key.as_str(), "$defs" | "definitions") || !value.is("{}"));
}

/// The text of the subschema whose sharing saves most.
fn best(schema: &mut Node) -> Option<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    count(schema, &mut counts);
    let saving = |text: &str, count: usize| {
        let before = text.len() * count;
        let after = text.len() + DEFINITION_BYTES + REFERENCE_BYTES * count;
        before.saturating_sub(after)
    };
    let repeated = counts.into_iter().filter(|(_, count)| *count > 1).map(|(text, count)| (saving(&text, count), text));
    // The text decides between equal savings, so that the same schema gives the same bytes.
    repeated.filter(|(saving, _)| *saving >= LEAST_SAVING).max().map(|(_, text)| text)
}

fn count(schema: &mut Node, counts: &mut HashMap<String, usize>) {
    each_below(schema, &mut |_, below| {
        let text = below.text();
        if text.len() > REFERENCE_BYTES {
            *counts.entry(text).or_insert(0) += 1;
        }
        count(below, counts);
    });
}

fn replace(schema: &mut Node, repeated: &str, reference: &Node, definition: &mut Option<Node>) {
    each_below(schema, &mut |_, below| {
        if below.text() == repeated {
            let found = std::mem::replace(below, reference.clone());
            definition.get_or_insert(found);
        } else {
            replace(below, repeated, reference, definition);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(text: &str) -> String {
        let mut schema = Node::read(text).unwrap();
        share(&mut schema);
        schema.text()
    }

    #[test]
    fn what_stands_three_times_stands_once() {
        let part = r#"{"type":"object","properties":{"a":{"type":"string","description":"A long description"}}}"#;
        let schema = format!(r#"{{"properties":{{"x":{part},"y":{part},"z":{{"items":{part}}}}}}}"#);
        let reference = r##"{"$ref":"#/$defs/d1"}"##;
        assert_eq!(
            shared(&schema),
            format!(
                r#"{{"properties":{{"x":{reference},"y":{reference},"z":{{"items":{reference}}}}},"$defs":{{"d1":{part}}}}}"#
            )
        );
    }

    #[test]
    fn definitions_that_nothing_refers_to_go() {
        let schema = r##"{"properties":{"a":{"$ref":"#/$defs/used"}},"$defs":{"used":{"type":"string"},"other":{}}}"##;
        assert!(!shared(schema).contains("other") && shared(schema).contains(r#""used":{"type":"string"}"#));
    }

    #[test]
    fn what_is_referred_to_by_its_place_and_values_stay() {
        let part = r#"{"type":"object","properties":{"a":{"type":"string","description":"A long description"}}}"#;
        let schema = format!(r##"{{"properties":{{"x":{part},"y":{part},"z":{{"$ref":"#/properties/x"}}}}}}"##);
        assert_eq!(shared(&schema), schema);
        let value = format!(r#"{{"a":"{}"}}"#, "x".repeat(200));
        let schema = format!(r#"{{"properties":{{"x":{{"enum":[{value}]}},"y":{{"default":{value}}}}}}}"#);
        assert_eq!(shared(&schema), schema);
    }
}
