//! What ranking reads of a tool.

use std::collections::HashSet;
use std::sync::Arc;

use super::counts::{Counter, TermCounts};
use super::destructive::{Act, act};
use super::lookup::key_hash;
use super::purpose::{self, Serves};
use super::schema::SchemaText;
use crate::text::terms::{Word, words};

/// The most words of title, description and parameters that are known: past it a description is a manual.
const MAX_WORDS: usize = 4_000;
/// The most text of a description that is embedded: the model reads 256 tokens, about 1,200
/// characters.
const MAX_EMBEDDED_BYTES: usize = 1_500;
/// A first sentence ends here at the latest.
const MAX_SENTENCE_CHARS: usize = 200;
/// A sentence shorter than this is a heading, not yet what the tool does.
const MIN_SENTENCE_CHARS: usize = 20;
/// How many parameter names stand in the embedded text.
const EMBEDDED_PARAMETERS: usize = 12;

/// The texts of a tool that are indexed.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToolText<'t> {
    /// Its server's name.
    pub server_name: &'t str,
    /// Its name.
    pub tool_name: &'t str,
    /// Its title for people.
    pub title: &'t str,
    /// What it does.
    pub described: &'t str,
    /// Its input schema as JSON text.
    pub input_schema: &'t str,
    /// Whether it only reads.
    pub read_only: bool,
    /// Whether its server says that it may destroy.
    pub destructive: bool,
    /// What its server says about itself, for a tool that says next to nothing.
    pub server_hint: &'t str,
    /// What its server wants it to be found by.
    pub search_hint: &'t str,
}

/// A text whose vector is part of a tool's vector.
#[derive(Debug)]
pub struct EmbeddedText {
    /// Hash of the text.
    pub hash: [u8; 32],
    /// The text, shared with the queue that it is embedded from.
    pub text: Arc<str>,
    /// Its weight in the sum.
    pub weight: f32,
}

impl EmbeddedText {
    pub(crate) fn new(text: String, weight: f32) -> Self {
        Self { hash: *blake3::hash(text.as_bytes()).as_bytes(), text: text.into(), weight }
    }
}

/// The indexed text of one tool.
#[derive(Debug)]
pub struct ToolDocument {
    /// Its terms.
    pub(crate) terms: TermCounts,
    /// The words of the server's name.
    pub(crate) server_words: String,
    /// The words of server and name, once each, as they are written but for case and marks.
    pub(crate) name_words: String,
    /// Further words of title, description and parameter names.
    pub(crate) other_words: String,
    /// What it does to what.
    pub act: Act,
    /// What it is for, as far as its name says.
    pub serves: Vec<Serves>,
    /// The texts that are embedded. The tool's vector is the unit vector of their weighted sum.
    pub embedded: Vec<EmbeddedText>,
    /// The tool's name folded, for exact names.
    pub tool_key: String,
    /// The server's name folded.
    pub server_key: String,
    /// Hashes of the tool's key, and of the server's and the tool's joined: to be found by.
    pub key_hashes: [u64; 2],
}

impl ToolDocument {
    /// Analyses the texts of a tool.
    #[must_use]
    pub fn new(tool: &ToolText<'_>) -> Self {
        let schema = SchemaText::read(tool.input_schema);
        // Each text is split once, for its terms, its words and its key.
        let [server, name, title, described] = [tool.server_name, tool.tool_name, tool.title, tool.described].map(words);
        let parameters: Vec<Vec<Word>> = schema.names.iter().map(|name| words(name)).collect();
        let mut counter = Counter::default();
        for field in [&server, &name, &title] {
            counter.add(field);
        }
        counter.end_head();
        for field in [&described].into_iter().chain(&parameters) {
            if !counter.is_full() {
                counter.add(field);
            }
        }
        let hint = if tool.read_only { "read-only" } else { "" };
        let texts = schema.descriptions.iter().chain(&schema.enum_values).map(String::as_str);
        for field in texts.chain([hint, tool.server_hint, tool.search_hint]) {
            if !counter.is_full() {
                counter.add(&words(field));
            }
        }
        let (tool_key, server_key) = (key(&name), key(&server));
        let mut seen = HashSet::new();
        let name_words = distinct_words([&server, &name].into_iter(), &mut seen);
        let other_words = distinct_words([&title, &described].into_iter().chain(&parameters), &mut seen);
        Self {
            act: act(tool.server_name, tool.tool_name, tool.destructive),
            serves: served(&server, &name, &schema.required),
            server_words: distinct_words([&server].into_iter(), &mut HashSet::new()),
            name_words,
            other_words,
            terms: counter.finish(),
            embedded: embedded_texts(&spaced(&server), &spaced(&name), tool.described, &parameters),
            key_hashes: [key_hash(&[&tool_key]), key_hash(&[&server_key, &tool_key])],
            tool_key,
            server_key,
        }
    }
}

impl ToolDocument {
    /// Indexes texts that are no tool's: terms alone, no vectors and no exact names.
    pub(crate) fn of_texts<'t>(head: impl Iterator<Item = &'t str>, body: impl Iterator<Item = &'t str>) -> Self {
        let mut counter = Counter::default();
        head.for_each(|text| counter.add(&words(text)));
        counter.end_head();
        body.for_each(|text| counter.add(&words(text)));
        Self {
            terms: counter.finish(),
            act: Act::default(),
            serves: Vec::new(),
            server_words: String::new(),
            name_words: String::new(),
            other_words: String::new(),
            embedded: Vec::new(),
            tool_key: String::new(),
            server_key: String::new(),
            key_hashes: [key_hash(&[]); 2],
        }
    }
}

impl ToolDocument {
    /// Whether a folded name is the tool's, alone or behind its server's.
    #[must_use]
    pub fn has_key(&self, key: &str) -> bool {
        key == self.tool_key || key.strip_prefix(&*self.server_key).is_some_and(|rest| rest == self.tool_key)
    }
}

/// A name folded, as [`crate::text::terms::name_key`] does it.
fn key(name: &[Word]) -> String {
    name.iter().map(Word::joined).collect()
}

/// The pieces of a name with spaces between them.
fn spaced(name: &[Word]) -> String {
    name.iter().flat_map(|word| word.pieces.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
}

/// What a tool is for: by the words of its name without its server's, and by what it requires.
fn served(server: &[Word], name: &[Word], required: &[String]) -> Vec<Serves> {
    let pieces = |words: &[Word]| words.iter().flat_map(|word| word.pieces.clone()).collect::<Vec<String>>();
    let (of_server, of_tool) = (pieces(server), pieces(name));
    let own: Vec<&str> = of_tool.iter().filter(|word| !of_server.contains(word)).map(String::as_str).collect();
    purpose::served(&own, &required.iter().map(|name| pieces(&words(name))).collect::<Vec<_>>())
}

/// The words of texts that were not seen before, one a line.
fn distinct_words<'w>(texts: impl Iterator<Item = &'w Vec<Word>>, seen: &mut HashSet<&'w str>) -> String {
    let words = texts.flatten().filter(|word| !word.cjk).flat_map(|word| word.pieces.iter().map(String::as_str));
    words.take(MAX_WORDS).filter(|word| seen.insert(*word)).collect::<Vec<_>>().join("\n")
}

/// Three texts: what the tool is for in a sentence with its parameters, the whole description, the
/// bare name. Their sum finds four points more (recall at 10 of the semantic arm, eight labelled
/// sets) than one text of name and description, where long descriptions drown the name.
fn embedded_texts(server: &str, name: &str, description: &str, parameters: &[Vec<Word>]) -> Vec<EmbeddedText> {
    let name = format!("{server} {name}").trim().to_owned();
    let mut seen = HashSet::new();
    let named: Vec<String> =
        parameters.iter().map(|name| spaced(name)).filter(|name| seen.insert(name.clone())).take(EMBEDDED_PARAMETERS).collect();
    let listed = if named.is_empty() { String::new() } else { format!(" ({})", named.join(", ")) };
    let description = description.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut texts = vec![EmbeddedText::new(format!("{name}: {}{listed}", first_sentence(&description)).trim().to_owned(), 1.0)];
    if !description.is_empty() {
        texts.push(EmbeddedText::new(cut(&description, MAX_EMBEDDED_BYTES).to_owned(), 0.5));
    }
    texts.push(EmbeddedText::new(name, 0.5));
    texts
}

/// The first sentence of a text whose white space is folded.
fn first_sentence(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let ends = |at: usize| {
        let spaced = matches!(chars[at], '.' | '!' | '?')
            && chars.get(at + 1).is_none_or(|next| *next == ' ')
            && at > 0
            && (chars[at - 1].is_ascii_lowercase()
                || chars[at - 1].is_ascii_digit()
                || matches!(chars[at - 1], ')' | '"' | '\'' | '`'));
        spaced || matches!(chars[at], '。' | '！' | '？')
    };
    let end = (MIN_SENTENCE_CHARS..chars.len()).find(|at| ends(*at)).map_or(chars.len(), |at| at + 1);
    chars[..end.min(MAX_SENTENCE_CHARS)].iter().collect()
}

fn cut(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
impl ToolDocument {
    /// A tool of two names, as tests of later stages need it.
    pub(crate) fn named(server_name: &str, tool_name: &str) -> Self {
        Self::new(&ToolText { server_name, tool_name, ..ToolText::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_a_tool_is_indexed() {
        let document = ToolDocument::new(&ToolText {
            server_name: "workshop",
            tool_name: "make_thing",
            title: "Maker",
            described: "Produces objects",
            input_schema: r#"{"properties":{"colour":{"description":"shade","enum":["crimson"]}}}"#,
            read_only: true,
            destructive: false,
            server_hint: "A place for carpenters",
            search_hint: "joinery",
        });
        for term in [
            "workshop",
            "make",
            "thing",
            "makething",
            "maker",
            "produc",
            "object",
            "colour",
            "shade",
            "crimson",
            "readonly",
            "carpent",
            "joineri",
        ] {
            assert!(document.terms.of(term) > 0, "{term}");
        }
        assert_eq!(document.name_words, "workshop\nmake\nthing");
        assert_eq!(document.other_words, "maker\nproduces\nobjects\ncolour");
        let embedded: Vec<&str> = document.embedded.iter().map(|text| &*text.text).collect();
        assert_eq!(embedded, ["workshop make thing: Produces objects (colour)", "Produces objects", "workshop make thing"]);
    }

    #[test]
    fn a_first_sentence_ends_at_a_full_stop_that_ends_one() {
        assert_eq!(first_sentence("Lists files, e.g. in src. Then more."), "Lists files, e.g. in src.");
        assert_eq!(first_sentence("Search.  Finds issues in a repository. Then more."), "Search.  Finds issues in a repository.");
        assert_eq!(
            first_sentence("列出所有的文件和文件夹以及它们的大小和修改时间。然后"),
            "列出所有的文件和文件夹以及它们的大小和修改时间。"
        );
        assert_eq!(first_sentence(&"x".repeat(500)).len(), MAX_SENTENCE_CHARS);
    }
}
