//! What a tool's name and schema say about what it answers with and what it must be given.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::words::{self, Verb};
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

    /// Whether its verb is of a group of words.
    pub fn verb_is(&self, group: &str) -> bool {
        self.verb.as_ref().is_some_and(|(verb, _)| words::is(group, verb))
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
        words::verb(word).is_none() && (of_server.contains(word) || first.get(word.as_str()).is_some_and(|n| is_common(*n)))
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
        let reads = name.iter().find_map(|word| words::verb(word)).is_none_or(|does| matches!(does, Verb::Gets | Verb::Finds));
        reads && WHOAMI.iter().any(|last| ends(last)) && parameters(tool.schema, &[]).is_empty()
    };
    tools.iter().position(says)
}

/// Reads a name by itself.
pub fn one(server_name: &str, tool_name: &str) -> Facts {
    let (name, of_server) = (pieces(tool_name), pieces(server_name));
    named(without_server(&name, &of_server))
}

/// A tool's name, read by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameParts {
    /// What its verb does.
    pub does: Option<Verb>,
    /// The words of the things that it is about, as written, in order: what they stand in, then they themselves.
    pub words: Vec<String>,
    /// Whether the last one is a plural.
    pub plural: bool,
}

/// Reads a name by itself, with its words as they are written.
#[must_use]
pub fn name_parts(server_name: &str, tool_name: &str) -> NameParts {
    let (name, of_server) = (whole_words(tool_name), pieces(server_name));
    let name = without_server(&name, &of_server);
    let (verb, group, things) = split_at_verb(name, false);
    let words: Vec<String> = things_of(group).into_iter().chain(things_of(things)).cloned().collect();
    let plural = words.last().is_some_and(|last| words::is_plural(last));
    NameParts { does: verb.map(|(_, does)| does), words, plural }
}

/// The words of a name as people say them: `d1` and `pull-request` are one word each.
fn whole_words(name: &str) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    for piece in split(name).into_iter().flat_map(|word| word.pieces) {
        let is_number = piece.chars().all(|c| c.is_ascii_digit());
        match whole.last_mut() {
            Some(last) if is_number && last.chars().count() == 1 => last.push_str(&piece),
            Some(last) if COMPOUNDS.contains(&(last.as_str(), piece.as_str())) => *last = format!("{last}-{piece}"),
            _ if is_number => {}
            _ => whole.push(piece),
        }
    }
    whole
}

/// Two words that are one thing, of which the first alone says something else.
const COMPOUNDS: [(&str, &str); 8] = [
    ("pull", "request"),
    ("pull", "requests"),
    ("merge", "request"),
    ("merge", "requests"),
    ("work", "item"),
    ("work", "items"),
    ("web", "hook"),
    ("web", "hooks"),
];

/// A name without the words of its server that it begins with.
fn without_server<'n>(name: &'n [String], of_server: &[String]) -> &'n [String] {
    let is_prefix = |word: &&String| words::verb(word).is_none() && of_server.contains(word);
    &name[name.iter().take_while(is_prefix).count().min(name.len().saturating_sub(1))..]
}

fn head(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_DESCRIPTION_BYTES)]
}

/// The words of a name, without numbers and versions.
fn pieces(name: &str) -> Vec<String> {
    let mut pieces: Vec<String> = split(name).into_iter().flat_map(|word| word.pieces).collect();
    pieces.retain(|piece| !piece.chars().all(|c| c.is_ascii_digit()));
    if pieces.len() > 1 && pieces.last().is_some_and(|last| last == "v") {
        pieces.pop();
    }
    pieces
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

/// The verb of a name, what comes before it, and the things. With `by_http`, a name may begin with the method of an address.
fn split_at_verb(name: &[String], by_http: bool) -> (Option<(String, Verb)>, &[String], &[String]) {
    let is_verb = |at: usize| name.get(at).is_some_and(|word| words::verb(word).is_some());
    let mut at = (0..name.len()).find(|at| is_verb(*at));
    let mut start = 0;
    // `post-search` is a search that an HTTP API calls by POST.
    if let Some(first) = at.filter(|_| by_http)
        && ["post", "get", "patch", "put", "delete"].contains(&name[first].as_str())
        && is_verb(first + 1)
    {
        (at, start) = (Some(first + 1), first + 1);
    }
    let verb = at.and_then(|at| Some((name[at].clone(), words::verb(&name[at])?)));
    let after = at.map_or(name, |at| &name[at + 1..]);
    let (group, things) = match at {
        Some(at) if things_of(after).is_empty() => (&[][..], &name[start..at]),
        Some(at) => (&name[start..at], after),
        None => (&[][..], after),
    };
    (verb, group, things)
}

/// The words of things: up to a preposition, without what says nothing; ids are no things of their own.
fn things_of(words: &[String]) -> Vec<&String> {
    let things = words.iter().take_while(|word| !words::is("until", word));
    let things: Vec<&String> = things.filter(|word| !words::is("empty", word)).collect();
    let without_ids: Vec<&String> = things.iter().copied().filter(|word| !words::is("identifies", word)).collect();
    if without_ids.is_empty() { things } else { without_ids }
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
