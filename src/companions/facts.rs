//! What a tool's name and schema say about what it answers with and what it must be given.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::text::names::{Mark, Verb, pieces, split_at_verb, things_of, verbs, words};
use crate::text::terms::{stem, words as split};

/// The most parameters that are read of a tool: real ones require fewer.
const MAX_PARAMETERS: usize = 16;
/// A word that this share of a server's tools begin with is its prefix, not a thing.
const PREFIX_SHARE: f64 = 0.5;
/// Fewer tools than this have no common prefix.
const FEWEST_OF_PREFIX: usize = 4;
/// The most bytes of a description that are read: its head says what comes first.
pub const MAX_DESCRIPTION_BYTES: usize = 4_096;

/// A tool as its server described it.
#[derive(Debug, Clone, Copy)]
pub struct ToolText<'t> {
    /// Its name.
    pub name: &'t str,
    /// What it does.
    pub description: &'t str,
    /// Its input schema as JSON text.
    pub schema: &'t str,
}

/// How a parameter asks for a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// By an id, key or number, which nobody knows by heart.
    ById,
    /// By a name, which people write.
    ByName,
    /// By a word that may be the thing itself.
    Plainly,
}

/// A parameter that a tool requires.
#[derive(Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// What the schema says about it, in lower case.
    pub described: String,
    /// The stems of what it asks for.
    pub thing: Vec<String>,
    /// How it asks.
    pub asks: Asks,
}

/// A tool, read.
#[derive(Debug, Default)]
pub struct Facts {
    /// The verb of its name, and what that does.
    pub verb: Option<(String, Verb)>,
    /// Stems of the words before the verb, where things come after it.
    pub group: Vec<String>,
    /// Stems of the things that its name names, the last one being what it answers with.
    pub nouns: Vec<String>,
    /// Whether the last one is a plural.
    pub plural: bool,
    /// What it requires.
    pub parameters: Vec<Parameter>,
    /// What it does, in lower case, cut.
    pub described: String,
}

impl Facts {
    /// Whether it requires an id of a thing.
    pub fn requires(&self, thing: &[String]) -> bool {
        self.parameters.iter().any(|parameter| parameter.thing.last() == thing.last() && parameter.asks != Asks::Plainly)
    }

    /// Whether this is said about its verb.
    pub fn verb_is(&self, mark: Mark) -> bool {
        self.verb.as_ref().is_some_and(|(verb, _)| verbs::is(mark, verb))
    }

    /// What its verb does.
    pub fn does(&self) -> Option<Verb> {
        self.verb.as_ref().map(|(_, verb)| *verb)
    }
}

/// Reads all tools of a server.
pub fn read(server_name: &str, tools: &[ToolText<'_>]) -> Vec<Facts> {
    let names: Vec<Vec<String>> = tools.iter().map(|tool| pieces(tool.name)).collect();
    let mut first: HashMap<&str, usize> = HashMap::new();
    for word in names.iter().filter_map(|name| name.first()) {
        *first.entry(word).or_default() += 1;
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of tools are far below 2^52")]
    let is_common = |count: usize| tools.len() >= FEWEST_OF_PREFIX && count as f64 >= PREFIX_SHARE * tools.len() as f64;
    let of_server = pieces(server_name);
    let is_prefix = |word: &String| {
        verbs::does(word).is_none() && (of_server.contains(word) || first.get(word.as_str()).is_some_and(|n| is_common(*n)))
    };
    let read = |(tool, name): (&ToolText<'_>, &Vec<String>)| {
        let prefix = name.iter().take_while(|word| is_prefix(word)).count().min(name.len().saturating_sub(1));
        let mut facts = named(&name[prefix..]);
        facts.described = head(tool.description).to_lowercase();
        facts.parameters = parameters(tool.schema, &facts.nouns);
        facts
    };
    tools.iter().zip(&names).map(read).collect()
}

/// Names of the tool that says who is asking, by their last words.
const WHOAMI: [&[&str]; 11] = [
    &["whoami"],
    &["who", "am", "i"],
    &["viewer"],
    &["me"],
    &["self"],
    &["myself"],
    &["current", "user"],
    &["authenticated", "user"],
    &["my", "user"],
    &["my", "profile"],
    &["user", "details"],
];

/// The first tool of a server that says who is asking: nothing tells it who.
pub fn whoami(tools: &[ToolText<'_>]) -> Option<usize> {
    let says = |tool: &ToolText<'_>| {
        let name = pieces(tool.name);
        let ends = |last: &[&str]| name.len() >= last.len() && name[name.len() - last.len()..].iter().eq(last.iter());
        let reads = name.iter().find_map(|word| verbs::does(word)).is_none_or(|does| matches!(does, Verb::Gets | Verb::Finds));
        reads && WHOAMI.iter().any(|last| ends(last)) && parameters(tool.schema, &[]).is_empty()
    };
    tools.iter().position(says)
}

fn head(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_DESCRIPTION_BYTES)]
}

/// Reads the words of a name: what comes before the verb, the verb, and the things.
fn named(name: &[String]) -> Facts {
    let (verb, group, things) = split_at_verb(name, true);
    let nouns = things_of(things);
    Facts {
        plural: nouns.last().is_some_and(|last| words::is_plural(last)),
        nouns: nouns.iter().map(|noun| stem(noun)).collect(),
        group: group.iter().map(|word| stem(word)).collect(),
        verb,
        ..Facts::default()
    }
}

/// The parameters that a schema requires, those of a required object too.
fn parameters(schema: &str, own: &[String]) -> Vec<Parameter> {
    let Ok(Value::Object(schema)) = serde_json::from_str::<Value>(schema) else { return Vec::new() };
    let mut parameters = Vec::new();
    for (name, property) in required(&schema) {
        let inner = property.and_then(|property| property.get("properties")).and_then(Value::as_object);
        match inner {
            Some(inner) => {
                let ids = inner.iter().map(|(name, property)| parameter(name, Some(property), own));
                parameters.extend(ids.filter(|parameter| parameter.asks == Asks::ById));
            }
            None => parameters.push(parameter(name, property, own)),
        }
    }
    parameters.truncate(MAX_PARAMETERS);
    parameters
}

fn required(schema: &Map<String, Value>) -> impl Iterator<Item = (&str, Option<&Value>)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    names.take(MAX_PARAMETERS).map(move |name| (name, properties.and_then(|properties| properties.get(name))))
}

fn parameter(name: &str, property: Option<&Value>, own: &[String]) -> Parameter {
    let text = |key: &str| property.and_then(|property| property.get(key)).and_then(Value::as_str);
    let described = text("description").map_or_else(String::new, |text| head(text).to_lowercase());
    let words = pieces(name);
    let is_id = words.iter().any(|word| words::is("identifies", word) && !words::is("written", word));
    let is_name = words.len() > 1 && words.iter().any(|word| words::is("written", word));
    let mut thing: Vec<String> = words.iter().filter(|word| !words::is("identifies", word)).map(|word| stem(word)).collect();
    thing.retain(|word| !words::is("empty", word));
    if thing.is_empty() && is_id {
        thing = said_thing(&described).unwrap_or_else(|| own.to_vec());
        thing.retain(|word| !words::is("identifies", word));
    }
    let asks = if is_id {
        Asks::ById
    } else if is_name {
        Asks::ByName
    } else {
        Asks::Plainly
    };
    Parameter { name: name.to_owned(), described, thing, asks }
}

/// The thing of "the id of the pipeline".
fn said_thing(described: &str) -> Option<Vec<String>> {
    let (_, rest) = described.split_once(" of ")?;
    let end = rest.find(['.', ',', '(', ';', ':']).unwrap_or(rest.len());
    let words: Vec<String> = split(&rest[..end]).into_iter().flat_map(|word| word.pieces).take(4).collect();
    let things: Vec<String> = things_of(&words).into_iter().take(2).map(|word| stem(word)).collect();
    (!things.is_empty()).then_some(things)
}
