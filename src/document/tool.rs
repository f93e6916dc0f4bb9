//! What ranking reads of a tool.

use std::collections::HashSet;
use std::sync::Arc;

use super::counts::{Counter, TermCounts};
use super::destructive::{Act, act};
use super::lookup::key_hash;
use super::purpose::{self, Serves};
use super::schema::SchemaText;
use crate::text::english::mainly_english;
use crate::text::terms::{Word, words};
use crate::text::translation::gloss;

/// The most words of title, description and parameters that are known: past it a description is a manual.
const MAX_WORDS: usize = 4_000;
/// The most text that is embedded, except for a longer head: as good as 1,500 bytes, and a tenth fewer tokens; with 400,
/// parameters drown the rest.
const MAX_EMBEDDED_BYTES: usize = 700;
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

/// A text that is embedded.
#[derive(Debug)]
pub struct EmbeddedText {
    /// Hash of all that its vector is made from, except for the model.
    pub hash: [u8; 32],
    /// The text, shared with the queue that it is embedded from.
    pub text: Arc<str>,
    /// How many bytes at its start are a name, which counts more than the rest; 0 for a text without one.
    pub name_bytes: usize,
}

/// How a name and its text become one vector; a rule of another name has other hashes.
const NAMED_RULE: &[u8] = b"name 0.5";

impl EmbeddedText {
    pub(crate) fn new(text: String) -> Self {
        Self { hash: *blake3::hash(text.as_bytes()).as_bytes(), text: text.into(), name_bytes: 0 }
    }

    /// A text that begins with a name.
    fn named(text: String, name_bytes: usize) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("zoo-tool-router embedded text with a name");
        hasher.update(NAMED_RULE).update(&(name_bytes as u64).to_le_bytes()).update(text.as_bytes());
        Self { hash: *hasher.finalize().as_bytes(), text: text.into(), name_bytes }
    }
}

/// The indexed text of one tool.
#[derive(Debug)]
pub struct ToolDocument {
    /// Its terms.
    pub(crate) terms: TermCounts,
    /// The words of the server's name.
    pub(crate) server_words: String,
    /// The words of server and name, once each, as they are written except for case and marks.
    pub(crate) name_words: String,
    /// Further words of title, description and parameter names.
    pub(crate) other_words: String,
    /// What it does to what.
    pub act: Act,
    /// What it is for, as far as its name says.
    pub serves: Vec<Serves>,
    /// The text that is embedded; only what is no tool's has none.
    pub embedded: Option<EmbeddedText>,
    /// The tool's name folded, for exact names.
    pub tool_key: String,
    /// The server's name folded.
    pub server_key: String,
    /// Hashes of the tool's key, and of the server's and the tool's joined: to be found by.
    pub key_hashes: [u64; 2],
}

impl ToolDocument {
    /// Analyses the texts of a tool.
    pub fn new(tool: &ToolText<'_>) -> Self {
        crate::fault::point("document");
        let schema = SchemaText::read(tool.input_schema);
        // A tool in another language is asked for in English too.
        let said = glossed(tool);
        let gloss = said.as_deref().unwrap_or_default();
        // Each text is split once, for its terms, its words and its key.
        let [server, name, title, described] = [tool.server_name, tool.tool_name, tool.title, tool.described].map(words);
        let translated = words(gloss);
        let parameters: Vec<Vec<Word>> = schema.names.iter().map(|name| words(name)).collect();
        let mut counter = Counter::default();
        for field in [&server, &name, &title] {
            counter.add(field);
        }
        counter.end_head();
        for field in [&described, &translated].into_iter().chain(&parameters) {
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
        let other_words = distinct_words([&title, &described, &translated].into_iter().chain(&parameters), &mut seen);
        Self {
            act: act(tool.server_name, tool.tool_name, tool.destructive),
            serves: served(&server, &name, &schema.required),
            server_words: distinct_words([&server].into_iter(), &mut HashSet::new()),
            name_words,
            other_words,
            terms: counter.finish(),
            embedded: Some(embedded_text(&spaced(&server), &spaced(&name), &format!("{gloss} {}", tool.described), &parameters)),
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
            embedded: None,
            tool_key: String::new(),
            server_key: String::new(),
            key_hashes: [key_hash(&[]); 2],
        }
    }
}

impl ToolDocument {
    /// Whether a folded name is the tool's, alone or behind its server's.
    pub fn has_key(&self, key: &str) -> bool {
        key == self.tool_key || key.strip_prefix(&*self.server_key).is_some_and(|rest| rest == self.tool_key)
    }
}

/// What a tool in another language says in English, by its name, title and the beginning of its description.
fn glossed(tool: &ToolText<'_>) -> Option<String> {
    let beginning = cut(tool.described, MAX_EMBEDDED_BYTES);
    // Most tools are in English, which a look at their letters and a few words tells.
    if mainly_english(beginning) {
        return None;
    }
    let name: String = tool.tool_name.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    gloss(&format!("{name} {} {beginning}", tool.title), &|_| false)
}

/// A name folded, as [`crate::text::terms::name_key`] does it.
fn key(name: &[Word]) -> String {
    name.iter().map(Word::joined).collect()
}

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

/// The words of texts that were not seen before, one per line.
fn distinct_words<'w>(texts: impl Iterator<Item = &'w Vec<Word>>, seen: &mut HashSet<&'w str>) -> String {
    let words = texts.flatten().filter(|word| !word.cjk).flat_map(|word| word.pieces.iter().map(String::as_str));
    words.take(MAX_WORDS).filter(|word| seen.insert(*word)).collect::<Vec<_>>().join("\n")
}

/// One text for one run of the model: names, what the tool is for in a sentence, its parameters, the rest of the
/// description. Parameters stand before the rest, which the model may not read to its end. `docs/inside/ranking.md` compares it
/// with three texts in three runs.
fn embedded_text(server: &str, name: &str, description: &str, parameters: &[Vec<Word>]) -> EmbeddedText {
    let name = format!("{server} {name}").trim().to_owned();
    let mut seen = HashSet::new();
    let named: Vec<String> =
        parameters.iter().map(|name| spaced(name)).filter(|name| seen.insert(name.clone())).take(EMBEDDED_PARAMETERS).collect();
    let listed = if named.is_empty() { String::new() } else { format!(" ({})", named.join(", ")) };
    let description = description.split_whitespace().collect::<Vec<_>>().join(" ");
    let first = first_sentence(&description);
    let rest = description[first.len()..].trim();
    let head = format!("{name}: {first}{listed}");
    let text = format!("{} {}", head.trim(), cut(rest, MAX_EMBEDDED_BYTES.saturating_sub(head.len())));
    EmbeddedText::named(text.trim().to_owned(), name.len())
}

fn first_sentence(text: &str) -> &str {
    let chars: Vec<(usize, char)> = text.char_indices().take(MAX_SENTENCE_CHARS + 1).collect();
    let ends = |at: usize| {
        let spaced = matches!(chars[at].1, '.' | '!' | '?')
            && chars.get(at + 1).is_none_or(|(_, next)| *next == ' ')
            && at > 0
            && (chars[at - 1].1.is_ascii_lowercase()
                || chars[at - 1].1.is_ascii_digit()
                || matches!(chars[at - 1].1, ')' | '"' | '\'' | '`'));
        spaced || matches!(chars[at].1, '。' | '！' | '？')
    };
    let most = chars.len().min(MAX_SENTENCE_CHARS);
    let end = (MIN_SENTENCE_CHARS..most).find(|at| ends(*at)).map_or(most, |at| at + 1);
    chars.get(end).map_or(text, |(byte, _)| &text[..*byte])
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
        for term in "workshop make thing makething maker produc object colour shade crimson readonly carpent joineri".split(' ') {
            assert!(document.terms.of(term) > 0, "{term}");
        }
        assert_eq!(document.name_words, "workshop\nmake\nthing");
        assert_eq!(document.other_words, "maker\nproduces\nobjects\ncolour");
        let embedded = document.embedded.unwrap();
        assert_eq!(&*embedded.text, "workshop make thing: Produces objects (colour)");
        assert_eq!(&embedded.text[..embedded.name_bytes], "workshop make thing");
    }

    #[test]
    fn a_tool_in_another_language_is_found_in_english() {
        for (tool_name, described, term) in [
            ("发送邮件", "发送电子邮件给收件人", "send"),
            ("termin_anlegen", "Legt einen Termin im Kalender an", "calendar"),
            ("чтение", "Читает файл с диска и возвращает текст", "file"),
        ] {
            let document = ToolDocument::new(&ToolText { server_name: "local", tool_name, described, ..ToolText::default() });
            assert!(document.terms.of(term) > 0, "{tool_name}");
            assert!(document.embedded.unwrap().text.contains(term), "{tool_name}");
        }
        let english =
            ToolText { server_name: "s", tool_name: "t", described: "Reads a file from the disk.", ..ToolText::default() };
        assert_eq!(&*ToolDocument::new(&english).embedded.unwrap().text, "s t: Reads a file from the disk.");
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

    #[test]
    fn a_description_is_embedded_once_with_the_parameters_behind_its_first_sentence() {
        let text = |described: &str| {
            let tool = ToolText {
                server_name: "s",
                tool_name: "t",
                described,
                input_schema: r#"{"properties":{"id":{}}}"#,
                ..ToolText::default()
            };
            ToolDocument::new(&tool).embedded.unwrap()
        };
        assert_eq!(
            &*text("Lists all the files there are.  Then\nmore.").text,
            "s t: Lists all the files there are. (id) Then more."
        );
        assert_eq!(&*text("").text, "s t:  (id)");
        let long = text(&format!("{} {}", "é".repeat(300), "é ".repeat(2_000)));
        assert!(long.text.len() <= MAX_EMBEDDED_BYTES + 1 && long.text.len() > MAX_EMBEDDED_BYTES - 4);
        assert_ne!(EmbeddedText::named("a b".into(), 1).hash, EmbeddedText::named("a b".into(), 2).hash);
    }
}
