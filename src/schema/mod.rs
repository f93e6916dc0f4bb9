//! Definitions in fewer tokens: the same contract for the model, a valid schema that accepts what the original accepts.
//! docs/delivery.md has every rule.

pub mod accepted;
mod brief;
mod compact;
mod node;
mod references;
mod share;
mod signature;

pub use signature::{Groups, LOST, ShownParameters, Signature};

use node::Node;
use references::References;

use crate::settings::SchemaDetail;

/// References of a schema whose parts have addresses, beyond which it stays as it is.
const MOST_PLACES: usize = 500;

/// Description and schema as a model is shown them. What cannot be read with certainty stays as it is,
/// and so does what would grow.
#[must_use]
pub fn shown(tool_name: &str, description: &str, schema: &str, detail: SchemaDetail) -> (String, String) {
    let as_sent = || (description.to_owned(), schema.to_owned());
    if detail == SchemaDetail::Full {
        return as_sent();
    }
    let Some(mut tree) = Node::read(schema) else { return as_sent() };
    let is_brief = matches!(detail, SchemaDetail::Brief | SchemaDetail::Auto);
    let said = if is_brief { brief::description(description) } else { description.to_owned() };
    let references = References::of(&tree);
    // Where parts are referred to by their place, each is looked up: so many that it would take long are no schema of a person's.
    if references.doubtful || (references.elsewhere && references.targets.len() > MOST_PLACES) {
        return (said, schema.to_owned());
    }
    let meant = if references.elsewhere { references.within(&tree).count() } else { 0 };
    let whole = compact::Whole::of(tool_name, description, &tree, &references);
    compact::compact(&mut tree, &whole);
    if is_brief {
        brief::brief(&mut tree, &references, detail == SchemaDetail::Brief);
    }
    share::share(&mut tree);
    if references.elsewhere && references.within(&tree).count() < meant {
        return (said, schema.to_owned());
    }
    let text = tree.text();
    let schema = if text.len() < schema.len() { text } else { schema.to_owned() };
    (said, schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(schema: &str, detail: SchemaDetail) -> String {
        shown("tool", "", schema, detail).1
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
            for detail in [SchemaDetail::Compact, SchemaDetail::Brief, SchemaDetail::Auto] {
                let text = of(&schema, detail);
                assert!(text.contains(part) && text.contains(&other[other.len().min(9)..]) && !text.contains("title"), "{text}");
            }
        }
    }

    #[test]
    fn a_key_that_is_written_twice_leaves_the_schema_as_it_is() {
        for schema in [
            r#"{"title":"","properties":{"a":{"minLength":0,"minLength":2}}}"#,
            r#"{"title":"","additionalProperties":true,"additionalProperties":false}"#,
        ] {
            assert_eq!(of(schema, SchemaDetail::Compact), schema);
        }
    }
}
