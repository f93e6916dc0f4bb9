//! What a schema refers to, so that nothing that something refers to is changed or taken away.

use std::collections::HashSet;

use super::node::Node;

/// References of a schema, and whether it can be read with certainty.
#[derive(Debug, Default)]
pub struct References {
    /// Where `$ref` leads.
    pub targets: Vec<String>,
    /// Something is referred to that is neither the whole schema nor one of its definitions, or may be: parts have addresses
    /// of their own. Then no part may move or go.
    pub elsewhere: bool,
    /// A key is written twice, of which readers take one or the other, or a part lies too deep to be read.
    pub doubtful: bool,
}

impl References {
    /// Reads a schema. What is no schema but looks like one counts: it may only find too much.
    pub fn of(schema: &Node) -> Self {
        let mut found = Self::default();
        found.read(schema);
        found
    }

    fn read(&mut self, node: &Node) {
        match node {
            // What lies too deep to be read may refer to anything.
            Node::Leaf(text) => self.doubtful |= text.starts_with(['{', '[']),
            Node::Array(items) => items.iter().for_each(|item| self.read(item)),
            Node::Object(pairs) => {
                let mut known = HashSet::with_capacity(pairs.len());
                for (key, value) in pairs {
                    self.doubtful |= !known.insert(key.as_str());
                    match (key.as_str(), value.string()) {
                        ("$ref", Some(target)) => {
                            self.elsewhere |= target != "#" && !is_definition(&target);
                            self.targets.push(target);
                        }
                        ("$id" | "id" | "$anchor" | "$dynamicRef" | "$dynamicAnchor" | "$recursiveRef", Some(_)) => {
                            self.elsewhere = true;
                        }
                        _ => self.read(value),
                    }
                }
            }
        }
    }

    /// Those that lead to a part of a schema.
    pub fn within<'s>(&'s self, schema: &'s Node) -> impl Iterator<Item = &'s str> {
        self.targets.iter().map(String::as_str).filter(|target| leads_to(schema, target))
    }
}

/// `#/$defs/name`, and nothing below it.
fn is_definition(target: &str) -> bool {
    let name = target.strip_prefix("#/$defs/").or_else(|| target.strip_prefix("#/definitions/"));
    name.is_some_and(|name| !name.is_empty() && !name.contains(['/', '~', '%']))
}

fn leads_to(schema: &Node, target: &str) -> bool {
    (target == "#" || target.starts_with("#/")) && schema.at(target).is_some()
}
