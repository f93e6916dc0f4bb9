//! Definitions in fewer tokens: the same contract for the model, a valid schema that accepts what the original accepts.
//! docs/delivery.md has every rule.

mod brief;
mod compact;
mod node;
mod share;

use node::Node;

use crate::settings::SchemaDetail;

/// Description and schema as a model is shown them. What cannot be read stays as it is, and so does what would grow.
#[must_use]
pub fn shown(tool_name: &str, description: &str, schema: &str, detail: SchemaDetail) -> (String, String) {
    let as_sent = || (description.to_owned(), schema.to_owned());
    if detail == SchemaDetail::Full {
        return as_sent();
    }
    let Some(mut tree) = Node::read(schema) else { return as_sent() };
    let whole = compact::Whole::of(tool_name, description, &tree);
    compact::compact(&mut tree, &whole);
    if detail == SchemaDetail::Brief {
        brief::brief(&mut tree);
    }
    share::share(&mut tree);
    let text = tree.text();
    let schema = if text.len() < schema.len() { text } else { schema.to_owned() };
    let description = if detail == SchemaDetail::Brief { brief::description(description) } else { description.to_owned() };
    (description, schema)
}
