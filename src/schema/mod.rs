//! Definitions in fewer tokens: the same contract for the model, a valid schema that accepts what the original accepts.
//! docs/delivery.md has every rule.

pub mod accepted;
mod compact;
mod keyword;
mod node;
mod references;
mod share;
mod signature;

pub use signature::{Groups, LOST, ShownParameters, Signature};

use node::Node;
use references::References;

/// References of a schema whose parts have addresses, beyond which it stays as it is.
const MOST_PLACES: usize = 500;

/// A compact schema of a tool, without what neither a model nor a validator can use; a bare one is without descriptions too. What cannot be read with certainty stays
/// as it is, and so does what would grow.
pub fn compact(tool_name: &str, description: &str, schema: &str, is_bare: bool) -> String {
    let as_sent = || schema.to_owned();
    let Some(mut tree) = Node::read(schema) else { return as_sent() };
    let references = References::of(&tree);
    // Where parts are referred to by their place, each is looked up: so many that it would take long are no schema of a person's.
    if references.doubtful || (references.elsewhere && references.targets.len() > MOST_PLACES) {
        return as_sent();
    }
    let meant = if references.elsewhere { references.within(&tree).count() } else { 0 };
    let mut whole = compact::Whole::of(tool_name, description, &tree, &references);
    whole.is_bare = is_bare;
    compact::compact(&mut tree, &whole);
    share::share(&mut tree);
    if references.elsewhere && references.within(&tree).count() < meant {
        return as_sent();
    }
    let text = tree.text();
    if text.len() < schema.len() { text } else { as_sent() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(schema: &str) -> String {
        compact("tool", "", schema, false)
    }

    #[test]
    fn what_something_refers_to_by_its_place_stays() {
        let part = r#"{"anyOf":[{"type":"object","properties":{"email":{"type":"string"}}},{"type":"null"}]}"#;
        for (place, other) in [
            ("#/properties/from/anyOf/0", ""),
            ("#/properties/extra/additionalProperties", r#","extra":{"additionalProperties":{}}"#),
            ("#/properties/meta/x-shape", r#","meta":{"x-shape":{"type":"string"}}"#),
        ] {
            let schema = format!(
                r#"{{"properties":{{"from":{part}{other},"to":{{"$ref":"{place}","title":"To"}}}},"$schema":"http://json-schema.org/draft-07/schema#"}}"#
            );
            let text = of(&schema);
            assert!(text.contains(part) && text.contains(&other[other.len().min(9)..]) && !text.contains("title"), "{text}");
        }
    }

    #[test]
    fn a_key_that_is_written_twice_leaves_the_schema_as_it_is() {
        for schema in [
            r#"{"title":"","properties":{"a":{"minLength":0,"minLength":2}}}"#,
            r#"{"title":"","additionalProperties":true,"additionalProperties":false}"#,
        ] {
            assert_eq!(of(schema), schema);
        }
    }
}
