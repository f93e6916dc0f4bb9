//! From a JSON schema to a type of TypeScript.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::super::node::Node;
use super::literal::{LOST, OTHERS, key, value};

const MOST_VALUES: usize = 24;
const MOST_TYPES: usize = 6;
/// Arrays of unions of arrays are followed so deep.
const MAX_LEVEL: usize = 16;
/// So many parts of a schema are read: a few that refer to each other could grow without end.
const MAX_STEPS: usize = 4_000;

/// How much is shown.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// How many objects inside another.
    pub depth: usize,
    /// How many optional parameters; of a nested object, half as many.
    pub optional: usize,
}

/// A type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Type {
    text: String,
    is_union: bool,
}

impl Type {
    fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), is_union: false }
    }

    /// Of which something is left out.
    fn cut(text: &str) -> Self {
        Self::plain(&format!("{text}{LOST}"))
    }

    fn union(mut parts: Vec<String>) -> Self {
        let mut seen = HashSet::new();
        parts.retain(|part| seen.insert(part.clone()));
        Self { is_union: parts.len() > 1, text: if parts.is_empty() { "never".to_owned() } else { parts.join("|") } }
    }

    fn array(&self) -> Self {
        Self::plain(&if self.is_union { format!("({})[]", self.text) } else { format!("{}[]", self.text) })
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Writes the types of a schema.
pub struct Writer<'a> {
    root: &'a Node,
    bounds: Bounds,
    steps: usize,
    following: Vec<&'a Node>,
}

impl<'a> Writer<'a> {
    pub fn new(root: &'a Node, bounds: Bounds) -> Self {
        Self { root, bounds, steps: 0, following: Vec::new() }
    }

    pub fn parameters(&mut self) -> Parameters {
        let mut gathered = Gathered::default();
        gathered.read(self, self.root, 0);
        gathered.shown(self, self.bounds.depth, 0)
    }

    /// Counts a part that is read; `false` when there were too many.
    fn steps(&mut self) -> bool {
        self.steps += 1;
        self.steps <= MAX_STEPS
    }

    /// How many optional parameters of an object are shown.
    fn optional(&self, depth: usize) -> usize {
        if depth == self.bounds.depth { self.bounds.optional } else { self.bounds.optional / 2 }
    }

    fn resolved(&self, reference: &Node) -> Option<&'a Node> {
        self.root.at(&reference.string()?)
    }

    /// The type of a schema. `depth` is how many objects may still be opened.
    fn of(&mut self, schema: &'a Node, depth: usize, level: usize) -> Type {
        if level > MAX_LEVEL || !self.steps() {
            return Type::cut("unknown");
        }
        if let Some(reference) = schema.last("$ref") {
            return self.of_reference(reference, depth, level);
        }
        if let Some(constant) = schema.last("const") {
            return values(std::slice::from_ref(constant), "unknown");
        }
        if let Some(Node::Array(listed)) = schema.last("enum").filter(|listed| !listed.items().is_empty()) {
            return values(listed, type_name(schema).as_deref().unwrap_or("unknown"));
        }
        let typed = self.of_types(schema, depth, level);
        let may_be_null = schema.last("nullable").is_some_and(|value| value.is("true"));
        if may_be_null { Type::union(vec![typed.text, "null".to_owned()]) } else { typed }
    }

    fn of_reference(&mut self, reference: &Node, depth: usize, level: usize) -> Type {
        let Some(target) = self.resolved(reference) else { return Type::cut("unknown") };
        if self.following.iter().any(|known| std::ptr::eq(*known, target)) {
            return Type::cut("unknown");
        }
        self.following.push(target);
        let found = self.of(target, depth, level + 1);
        self.following.pop();
        found
    }

    fn of_types(&mut self, schema: &'a Node, depth: usize, level: usize) -> Type {
        let has = |keyword: &str| schema.last(keyword).is_some();
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Node::Array(ways)) = schema.last(keyword).filter(|_| !has("properties")) {
                return self.any(ways, depth, level);
            }
        }
        if let Some(Node::Array(parts)) = schema.last("allOf").filter(|_| !has("properties")) {
            if let [one] = parts.as_slice() {
                return self.of(one, depth, level + 1);
            }
            return self.object(schema, depth, level).unwrap_or_else(|| Type::cut("unknown"));
        }
        match schema.last("type") {
            Some(Node::Array(names)) => {
                let names: Vec<String> = names.iter().filter_map(Node::string).collect();
                Type::union(names.iter().map(|name| self.named(schema, name, depth, level).text).collect())
            }
            Some(name) => self.named(schema, name.string().as_deref().unwrap_or(""), depth, level),
            None if has("properties") => self.named(schema, "object", depth, level),
            None if has("items") => self.named(schema, "array", depth, level),
            None => Type::plain("unknown"),
        }
    }

    /// Any of several types.
    fn any(&mut self, ways: &'a [Node], depth: usize, level: usize) -> Type {
        let mut types: Vec<String> = ways.iter().take(MOST_TYPES).map(|way| self.of(way, depth, level + 1).text).collect();
        if ways.len() > MOST_TYPES {
            types.push(Type::cut("unknown").text);
        }
        Type::union(types)
    }

    fn named(&mut self, schema: &'a Node, name: &str, depth: usize, level: usize) -> Type {
        match name {
            "string" | "boolean" | "null" | "number" => Type::plain(name),
            "integer" => Type::plain("number"),
            "array" => match schema.last("items") {
                Some(items @ Node::Object(_)) => self.of(items, depth, level + 1).array(),
                _ if schema.last("prefixItems").is_some() || schema.last("items").is_some() => Type::cut("unknown[]"),
                _ => Type::plain("unknown[]"),
            },
            "object" => self.object(schema, depth, level).unwrap_or_else(|| Type::plain("object")),
            _ => Type::plain("unknown"),
        }
    }

    /// An object; `None` where nothing says what it holds.
    fn object(&mut self, schema: &'a Node, depth: usize, level: usize) -> Option<Type> {
        let mut gathered = Gathered::default();
        gathered.read(self, schema, 0);
        if gathered.is_empty() {
            return None;
        }
        if depth == 0 {
            return Some(Type::cut("object"));
        }
        let Parameters { mut texts, is_cut, .. } = gathered.shown(self, depth - 1, level + 1);
        texts.extend(is_cut.then(|| LOST.to_owned()));
        Some(Type::plain(&format!("{{{}}}", texts.join(", "))))
    }

    /// The type of what would take too much room: its outside.
    fn brief(&mut self, schema: &'a Node, level: usize) -> String {
        let text = self.of(schema, 0, level).text;
        if text.len() <= MOST_OF_BRIEF {
            return text;
        }
        let outside = match type_name(schema).as_deref() {
            Some("array") => "unknown[]",
            Some(name @ ("string" | "number" | "object")) => return Type::cut(name).text,
            _ => "unknown",
        };
        Type::cut(outside).text
    }
}

/// The longest text of a type whose objects are closed.
const MOST_OF_BRIEF: usize = 240;

fn type_name(schema: &Node) -> Option<String> {
    let name = schema.last("type")?.string()?;
    match name.as_str() {
        "integer" => Some("number".to_owned()),
        "string" | "number" | "boolean" | "object" | "array" => Some(name),
        _ => None,
    }
}

/// The values of an enum. What is too long or no plain value makes it one of which something is left out.
fn values(listed: &[Node], named: &str) -> Type {
    let mut shown: Vec<String> = listed.iter().take(MOST_VALUES).filter_map(literal).collect();
    if shown.len() < listed.len() {
        let is_text = listed.iter().all(|value| value.string().is_some());
        let base = match named {
            "array" => "unknown[]",
            "unknown" if is_text => "string",
            named => named,
        };
        shown.push(Type::cut(base).text);
    }
    Type::union(shown)
}

fn literal(node: &Node) -> Option<String> {
    match (node, node.string()) {
        (_, Some(text)) => value(&text),
        (Node::Leaf(text), None) if !text.starts_with(['"', '{', '[']) => Some(text.clone()),
        _ => None,
    }
}

/// Conditions, which the type of an object cannot say.
const CONDITIONS: [&str; 7] =
    ["not", "if", "dependentRequired", "dependentSchemas", "dependencies", "patternProperties", "unevaluatedProperties"];
/// Parts of parts are read so deep.
const MAX_PARTS: usize = 8;
/// An optional parameter takes at most so many bytes of a signature; a required one is shown to the end.
const MOST_OF_OPTIONAL: usize = 160;

/// Parameters as they are written.
#[derive(Debug)]
pub struct Parameters {
    /// `name: type` or `name?: type`, in the order of the schema.
    pub texts: Vec<String>,
    /// Those of them that a call has to have.
    pub required: Vec<String>,
    /// Whether something is left out.
    pub is_cut: bool,
}

impl Parameters {
    pub fn bytes(&self) -> usize {
        self.texts.iter().map(|text| text.len() + 2).sum()
    }
}

/// What is known of an object from its schema, and from those that it refers to.
#[derive(Debug, Default)]
struct Gathered<'a> {
    properties: Vec<(&'a str, &'a Node)>,
    places: HashMap<&'a str, usize>,
    required: HashSet<String>,
    /// In the order of the schema: some have no property.
    required_order: Vec<String>,
    others: Option<&'a Node>,
    is_cut: bool,
}

impl<'a> Gathered<'a> {
    fn is_empty(&self) -> bool {
        self.properties.is_empty() && self.required.is_empty() && self.others.is_none()
    }

    fn property(&mut self, name: &'a str, schema: &'a Node) {
        if let Some(at) = self.places.get(name) {
            // Of a key that is written twice, readers take the last.
            self.properties[*at].1 = schema;
        } else {
            self.places.insert(name, self.properties.len());
            self.properties.push((name, schema));
        }
    }

    fn require(&mut self, name: String) {
        if self.required.insert(name.clone()) {
            self.required_order.push(name);
        }
    }

    fn read(&mut self, writer: &mut Writer<'a>, schema: &'a Node, level: usize) {
        let Node::Object(pairs) = schema else { return };
        if level > MAX_PARTS || !writer.steps() {
            self.is_cut = true;
            return;
        }
        for (keyword, value) in pairs {
            match (keyword.as_str(), value) {
                ("properties", Node::Object(entries)) => {
                    for (name, schema) in entries {
                        self.property(name, schema);
                    }
                }
                ("required", Node::Array(names)) => names.iter().filter_map(Node::string).for_each(|name| self.require(name)),
                ("additionalProperties", Node::Object(pairs)) if !pairs.is_empty() => self.others = Some(value),
                ("$ref", _) => match writer.resolved(value) {
                    Some(target) => self.read(writer, target, level + 1),
                    None => self.is_cut = true,
                },
                ("allOf", Node::Array(parts)) => parts.iter().for_each(|part| self.read(writer, part, level + 1)),
                ("anyOf" | "oneOf", Node::Array(parts)) => self.read_one_of(writer, parts, level),
                (condition, _) if CONDITIONS.contains(&condition) => self.is_cut = true,
                _ => {}
            }
        }
    }

    /// Of several ways to be right, what is in any of them; what all require is required.
    fn read_one_of(&mut self, writer: &mut Writer<'a>, parts: &'a [Node], level: usize) {
        self.is_cut = true;
        let mut in_all: Option<Vec<String>> = None;
        for part in parts {
            let mut way = Gathered::default();
            way.read(writer, part, level + 1);
            for (name, schema) in &way.properties {
                if !self.places.contains_key(name) {
                    self.property(name, schema);
                }
            }
            in_all = Some(match in_all {
                None => way.required_order,
                Some(names) => names.into_iter().filter(|name| way.required.contains(name)).collect(),
            });
        }
        in_all.into_iter().flatten().for_each(|name| self.require(name));
    }

    /// What is shown of it: every required parameter, and the first of the optional ones.
    fn shown(self, writer: &mut Writer<'a>, depth: usize, level: usize) -> Parameters {
        let mut is_cut = self.is_cut;
        let (mut texts, mut required) = (Vec::new(), Vec::new());
        let mut optional = 0;
        for (name, schema) in &self.properties {
            if self.required.contains(*name) {
                texts.push(format!("{}: {}", key(name), writer.of(schema, depth, level)));
                required.extend(texts.last().cloned());
                continue;
            }
            optional += 1;
            let text = (optional <= writer.optional(depth)).then(|| {
                let text = writer.of(schema, depth, level).to_string();
                let shown = if text.len() > MOST_OF_OPTIONAL { writer.brief(schema, level) } else { text };
                format!("{}?: {shown}", key(name))
            });
            is_cut |= text.is_none();
            texts.extend(text);
        }
        let is_known = |name: &&String| !self.places.contains_key(name.as_str());
        for name in self.required_order.iter().filter(is_known) {
            texts.push(format!("{}: unknown", key(name)));
            required.extend(texts.last().cloned());
        }
        match self.others {
            Some(others) if texts.is_empty() => texts.push(format!("{OTHERS}{}", writer.of(others, depth, level))),
            others => is_cut |= others.is_some(),
        }
        Parameters { texts, required, is_cut }
    }
}

#[cfg(test)]
#[path = "types_tests.rs"]
mod tests;
