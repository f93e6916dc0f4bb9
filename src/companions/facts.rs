//! What a tool's name and schema say about what it answers with and what it must be given.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::text::names::{Mark, Verb, pieces, split_at_verb, things_of, verbs, words};
use crate::text::terms::{stem, words as split};

/// The most parameters that are read of a tool: real ones require fewer.
const MAX_PARAMETERS: usize = 16;
/// The most properties of a schema that are looked at.
const MAX_PROPERTIES: usize = 64;
/// A description that begins as a finder's has the verb among so many words.
const WORDS_OF_BEGIN: usize = 3;
/// What says in a parameter's description that it is an id is among its first bytes.
const HEAD_OF_PARAMETER: usize = 60;
/// A word that this share of a server's tools begin with is its prefix, not a thing.
const PREFIX_SHARE: f64 = 0.5;
/// Fewer tools than this have no common prefix.
const FEWEST_OF_PREFIX: usize = 4;
/// The most bytes of a description that are read: its head says what comes first.
pub const MAX_DESCRIPTION_BYTES: usize = 4_096;

/// A tool as its server described it.
#[derive(Debug, Clone, Copy)]
pub struct ToolText<'t> {
    pub name: &'t str,
    pub description: &'t str,
    pub schema: &'t str,
    /// Whether its annotations say that it only reads.
    pub read_only: bool,
}

/// How a parameter asks for a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// By an id, key or number, which nobody knows by heart.
    ById,
    /// By a number, which is an id where the server lists such things.
    ByNumber,
    /// By a name, which people write.
    ByName,
    /// By a word that may be the thing itself.
    Plainly,
}

/// A parameter that a tool requires.
#[derive(Debug)]
pub struct Parameter {
    pub name: String,
    /// What the schema says about it, in lower case.
    pub described: String,
    /// The stems of what it asks for.
    pub thing: Vec<String>,
    pub asks: Asks,
}

/// What a tool asks for, and whether it reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asked {
    /// How many parameters it requires.
    pub required: usize,
    /// Whether it reads, by its name or its description, and asks for no id.
    pub reads: bool,
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
    pub parameters: Vec<Parameter>,
    /// What else it takes by an id.
    pub optional: Vec<Parameter>,
    /// What it does, in lower case, cut.
    pub described: String,
    /// Whether its description begins as that of a finder does, where its name has no verb.
    pub said_to_find: bool,
    /// Whether its name says that it tells what there is altogether.
    pub survey: bool,
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

    /// What it asks for, as others see it.
    pub fn asked(&self) -> Asked {
        let reads = matches!(self.does(), Some(Verb::Finds | Verb::Gets)) || self.said_to_find || self.survey;
        Asked { required: self.parameters.len(), reads: reads && !self.requires_id() }
    }

    /// Whether it must be given an id of anything.
    pub fn requires_id(&self) -> bool {
        self.parameters.iter().any(|parameter| matches!(parameter.asks, Asks::ById | Asks::ByNumber))
    }

    pub fn does(&self) -> Option<Verb> {
        self.verb.as_ref().map(|(_, verb)| *verb)
    }
}

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
        facts.survey = name[prefix..].iter().any(|word| words::is("surveys", word));
        facts.described = head(tool.description).to_lowercase();
        (facts.parameters, facts.optional) = parameters(tool.schema, &facts.nouns);
        facts.said_to_find = facts.verb.is_none() && begins_with(&facts.described, |word| verbs::does(word) == Some(Verb::Finds));
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
        reads && WHOAMI.iter().any(|last| ends(last)) && parameters(tool.schema, &[]).0.is_empty()
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

/// Whether a description begins with such a verb, in either of its forms: "List all projects", "Lists".
pub fn begins_with(described: &str, is_meant: impl Fn(&str) -> bool) -> bool {
    let mut words = split(described).into_iter().flat_map(|word| word.pieces).take(WORDS_OF_BEGIN);
    words.any(|word| is_meant(&word) || word.strip_suffix('s').is_some_and(&is_meant))
}

/// The parameters that a schema requires, and others that ask for something by an id; those of objects and of lists of objects
/// too, by their ids alone.
fn parameters(schema: &str, own: &[String]) -> (Vec<Parameter>, Vec<Parameter>) {
    let Ok(Value::Object(schema)) = serde_json::from_str::<Value>(schema) else { return Default::default() };
    let (mut required, mut optional) = (Vec::new(), Vec::new());
    for (name, property, is_required) in properties(&schema) {
        let Some(inner) = property.and_then(inner) else {
            let parameter = parameter(name, property, own);
            if is_required {
                required.push(parameter);
            } else if matches!(parameter.asks, Asks::ById | Asks::ByNumber) {
                optional.push(parameter);
            }
            continue;
        };
        for (name, property, is_needed) in properties(inner) {
            let parameter = parameter(name, property, own);
            if parameter.asks == Asks::ById {
                if is_required && is_needed { required.push(parameter) } else { optional.push(parameter) }
            }
        }
    }
    required.truncate(MAX_PARAMETERS);
    optional.retain(|parameter| !required.iter().any(|other| other.thing == parameter.thing));
    optional.truncate(MAX_PARAMETERS);
    (required, optional)
}

/// The object that a property is or lists, if it says what that has.
fn inner(property: &Value) -> Option<&Map<String, Value>> {
    let object = property.get("items").unwrap_or(property).as_object()?;
    object.contains_key("properties").then_some(object)
}

/// The properties of an object, those that it requires first.
fn properties(schema: &Map<String, Value>) -> impl Iterator<Item = (&str, Option<&Value>, bool)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .take(MAX_PARAMETERS)
        .collect();
    let others = properties.into_iter().flatten().map(|(name, _)| name.as_str()).take(MAX_PROPERTIES);
    let others: Vec<&str> = others.filter(|name| !required.contains(name)).collect();
    let is_required = required.into_iter().map(|name| (name, true)).chain(others.into_iter().map(|name| (name, false)));
    is_required.map(move |(name, is_required)| (name, properties.and_then(|properties| properties.get(name)), is_required))
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
    let says_id = || {
        let head = &described[..described.floor_char_boundary(HEAD_OF_PARAMETER)];
        split(head)
            .into_iter()
            .flat_map(|word| word.pieces)
            .any(|word| ["id", "ids", "uuid", "identifier"].contains(&word.as_str()))
    };
    let is_number = || {
        let of = |value: &Value| matches!(value.get("type").and_then(Value::as_str), Some("integer" | "number"));
        let many = property.and_then(|property| property.get("items"));
        property.is_some_and(of) || many.is_some_and(of)
    };
    let is_counted = words.iter().any(|word| words::is("counts", word));
    let asks = if is_id || (!thing.is_empty() && says_id()) {
        Asks::ById
    } else if !thing.is_empty() && !is_counted && is_number() {
        Asks::ByNumber
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
