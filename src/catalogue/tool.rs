//! A tool as the catalogue keeps it: checked, hashed, with what is costly to know worked out once.

use std::sync::Arc;

use once_cell::sync::OnceCell;
use serde_json::value::RawValue;

use super::canonical;
use super::definition::Definitions;
use super::mcp::{MAX_DESCRIPTION_BYTES, MAX_SCHEMA_BYTES, McpServer, McpTool, check_name};
use super::name;
use super::stuffing::is_stuffed;
use crate::document::id::ToolId;
use crate::document::lookup::key_hash;
use crate::document::tool::{ToolDocument, ToolText};
use crate::error::{Refusal, shorten};
use crate::schema::Signature;
use crate::settings::SchemaStyle;
use crate::shield::{Finding, Mention, ToolTexts, check_tool, tool_mentions};
use crate::text::terms::name_key;

/// A description of fewer words says next to nothing ("Azure storage operations"); what its server
/// says about itself is indexed with it.
const THIN_WORDS: usize = 8;
/// How much of that: what a server is for stands at the start.
const HINT_WORDS: usize = 60;
/// And no more bytes: it is kept with each such tool.
const HINT_BYTES: usize = 1_000;

/// One tool of the catalogue. Immutable; what is costly to know is worked out once and kept.
#[derive(Debug)]
pub struct Tool {
    /// What it is known by.
    pub id: ToolId,
    /// Its title for people.
    pub title: Option<String>,
    /// What the model is told: an override, or what the server sent.
    pub description: String,
    /// What the server sent, where an override replaces it.
    pub original_description: Option<String>,
    /// Text that is indexed instead of the description and never shown.
    pub search_description: Option<String>,
    /// What its server says about itself, for a tool that says next to nothing. No part of the hash: a
    /// server may word it differently at each start, and its tools are the same.
    pub server_hint: Option<Box<str>>,
    /// Its input schema as sent.
    pub input_schema: Box<str>,
    /// What it does to the world, as its server says.
    pub effects: Effects,
    /// What its server wants it to be found by, cut.
    pub search_hint: Option<Box<str>>,
    /// Its provider name, before collisions are told apart.
    pub base_name: String,
    /// Whether its description is a heap of keywords, which is shown and not ranked.
    pub is_stuffed: bool,
    /// What tells it and its definition from others.
    pub hashes: Hashes,
    /// Whether its server sent no schema at all.
    pub(super) is_without_schema: bool,
    pub(super) schema_style: SchemaStyle,
    pub(super) read: Read,
}

/// What a tool does to the world, as its server says.
#[derive(Debug, Clone, Copy)]
pub struct Effects {
    /// Whether it only reads.
    pub read_only: bool,
    /// Whether it may destroy.
    pub destructive: bool,
}

/// What tells a tool and its definition from others.
#[derive(Debug, Clone, Copy)]
pub struct Hashes {
    /// Of what the tool itself says, its schema as a value.
    pub content: [u8; 32],
    /// Of what it is known by.
    pub id: u64,
}

/// What is read in a tool, each at the first call.
#[derive(Debug, Default)]
pub(super) struct Read {
    findings: OnceCell<Box<[Finding]>>,
    mentions: OnceCell<Box<[Mention]>>,
    name_hashes: OnceCell<[u64; 2]>,
    document: OnceCell<ToolDocument>,
    /// By [`ShownParameters`](crate::schema::ShownParameters); few tools are ever read so, and it takes a fifth of a tool.
    pub(super) signatures: [OnceCell<Box<Signature>>; 3],
    pub(super) definitions: Definitions,
}

/// What stands in for a schema that a server left out.
const NO_INPUT: &str = r#"{"type":"object","properties":{}}"#;

fn first_words(text: &str, most: usize) -> String {
    // Bounded by length too: a text without white space is one word.
    let text = &text[..text.floor_char_boundary(HINT_BYTES)];
    text.split_whitespace().take(most).collect::<Vec<_>>().join(" ")
}

fn hash_of(parts: &[&str]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        // A length before each part: no two lists of parts give the same bytes.
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    *hasher.finalize().as_bytes()
}

impl Tool {
    /// Checks a tool and takes it in.
    /// Errors: the reason why it cannot be used at all.
    pub(crate) fn new(server: &McpServer, tool: McpTool, path: &str) -> Result<Self, Refusal> {
        let at = |field: &str| format!("{path}.{field}");
        check_name(&tool.name, &at("name"))?;
        let shown = server.tool_description_overrides.get(&tool.name).cloned();
        let sent = tool.description.unwrap_or_default();
        for text in [Some(&sent), shown.as_ref()].into_iter().flatten() {
            if text.len() > MAX_DESCRIPTION_BYTES {
                return Err(Refusal::new(at("description"), format!("at most {MAX_DESCRIPTION_BYTES} bytes"), text.len()));
            }
        }
        let input_schema = check_schema(tool.input_schema.as_deref(), &at("inputSchema"))?;
        let search_description = server.search_descriptions.get(&tool.name).cloned().or(tool.search_description);
        let (description, original_description) = match shown {
            Some(shown) => (shown, Some(sent)),
            None => (sent, None),
        };
        let described = search_description.as_deref().unwrap_or(&description);
        let thin = described.split_whitespace().count() < THIN_WORDS;
        let server_hint: Option<Box<str>> =
            if thin { server.instructions.as_deref().map(|text| first_words(text, HINT_WORDS).into()) } else { None };
        let destructive = tool.destructive && !tool.read_only;
        let search_hint = tool.search_hint.as_deref().filter(|hint| !is_stuffed(hint)).map(|hint| first_words(hint, HINT_WORDS));
        let content_hash = hash_of(&[
            server.name.as_str(),
            &tool.name,
            tool.title.as_deref().unwrap_or("\u{0}"),
            &description,
            search_description.as_deref().unwrap_or("\u{0}"),
            &canonical::form(input_schema),
            if tool.read_only { "r" } else { "w" },
            if destructive { "d" } else { "" },
            search_hint.as_deref().unwrap_or("\u{0}"),
        ]);
        let id = ToolId::new(&server.name, tool.name);
        Ok(Self {
            base_name: name::provider_name(&id.server_name, &id.tool_name),
            hashes: Hashes { content: content_hash, id: id.key_hash() },
            id,
            title: tool.title,
            is_stuffed: is_stuffed(described),
            description,
            original_description,
            search_description,
            server_hint,
            input_schema: input_schema.into(),
            effects: Effects { read_only: tool.read_only, destructive },
            search_hint: search_hint.map(Into::into),
            is_without_schema: tool.input_schema.is_none(),
            schema_style: SchemaStyle::Sent,
            read: Read::default(),
        })
    }

    /// The first part of the hash of what it says: enough to tell two definitions apart, and short in a saved state.
    pub fn short_hash(&self) -> u64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.hashes.content[..8]);
        u64::from_le_bytes(bytes)
    }

    /// The same tool, whose definition shows its schema in another style: a changed one for whoever has it.
    pub(super) fn styled(mut self, style: SchemaStyle) -> Self {
        if style != self.schema_style {
            self.schema_style = style;
            self.hashes.content = *blake3::keyed_hash(&self.hashes.content, b"host").as_bytes();
        }
        self
    }

    /// What ranking reads of this tool, worked out at the first call.
    pub fn document(&self) -> &ToolDocument {
        self.read.document.get_or_init(|| {
            ToolDocument::new(&ToolText {
                server_name: &self.id.server_name,
                tool_name: &self.id.tool_name,
                title: self.title.as_deref().unwrap_or(""),
                described: self.described(),
                input_schema: &self.input_schema,
                read_only: self.effects.read_only,
                destructive: self.effects.destructive,
                server_hint: self.server_hint.as_deref().unwrap_or(""),
                search_hint: self.search_hint.as_deref().unwrap_or(""),
            })
        })
    }

    /// The same where it has been worked out.
    pub fn known_document(&self) -> Option<&ToolDocument> {
        self.read.document.get()
    }

    /// What it is ranked by of its description: all of it, or nothing of a heap of keywords.
    pub fn described(&self) -> &str {
        if self.is_stuffed { "" } else { self.search_description.as_deref().unwrap_or(&self.description) }
    }

    /// What its texts try to do to a model, worked out at the first call.
    pub fn findings(&self) -> &[Finding] {
        self.read.findings.get_or_init(|| check_tool(&self.texts()).into())
    }

    /// What in its texts is written as a name, worked out at the first call.
    pub(super) fn mentions(&self) -> &[Mention] {
        self.read.mentions.get_or_init(|| tool_mentions(&self.texts()).into())
    }

    fn texts(&self) -> ToolTexts<'_> {
        ToolTexts {
            server_name: &self.id.server_name,
            tool_name: &self.id.tool_name,
            title: self.title.as_deref().unwrap_or(""),
            description: &self.description,
            input_schema: &self.input_schema,
        }
    }

    /// Hashes of its folded name, alone and behind its server's: names in texts are found by them.
    pub(super) fn name_hashes(&self) -> [u64; 2] {
        *self.read.name_hashes.get_or_init(|| {
            let (server, tool) = (name_key(&self.id.server_name), name_key(&self.id.tool_name));
            [key_hash(&[&tool]), key_hash(&[&server, &tool])]
        })
    }

    /// What differs from an earlier definition of the tool, for a person.
    pub fn difference(&self, earlier: &Self) -> String {
        let parts = [
            ("its description", self.description != earlier.description),
            ("its input schema", !canonical::is_same(&self.input_schema, &earlier.input_schema)),
            ("how its schema is shown", self.schema_style != earlier.schema_style),
            ("its title", self.title != earlier.title),
            ("whether it only reads", self.effects.read_only != earlier.effects.read_only),
            ("whether it may destroy", self.effects.destructive != earlier.effects.destructive),
            (
                "what it is found by",
                self.search_description != earlier.search_description || self.search_hint != earlier.search_hint,
            ),
        ];
        let changed: Vec<&str> = parts.into_iter().filter(|(_, differs)| *differs).map(|(part, _)| part).collect();
        format!("changed: {}", changed.join(", "))
    }

    /// The first line of the description, for answers to a model.
    pub fn summary(&self) -> String {
        let line = self.description.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
        let end = line.find(". ").map_or(line.len(), |dot| dot + 1);
        let mut text: String = line[..end].chars().filter(|c| !c.is_control()).take(160).collect();
        if text.len() < end {
            text.push('…');
        }
        text
    }
}

/// A JSON object is used as it stands. Absent, `null` and `true` all mean "no input described".
fn check_schema<'t>(text: Option<&'t str>, field: &str) -> Result<&'t str, Refusal> {
    let Some(text) = text else { return Ok(NO_INPUT) };
    if text.len() > MAX_SCHEMA_BYTES {
        return Err(Refusal::new(field, format!("at most {MAX_SCHEMA_BYTES} bytes"), text.len()));
    }
    // RawValue checks the grammar without building anything and without a limit of depth.
    if let Err(error) = serde_json::from_str::<&RawValue>(text) {
        return Err(Refusal::new(field, "JSON text", format!("{} ({error})", shorten(text, 60))));
    }
    match text.trim() {
        "null" | "true" => Ok(NO_INPUT),
        object if object.starts_with('{') => Ok(object),
        other => Err(Refusal::new(field, "a JSON object", shorten(other, 60))),
    }
}

/// A tool in its server, with what the host's configuration makes of it.
#[derive(Debug, Clone)]
pub struct ToolEntry {
    /// The tool.
    pub tool: Arc<Tool>,
    /// Why the configuration keeps it off, if it does.
    pub off: Option<super::scope::Off>,
    /// Whether it is attached to every dynamic selection.
    pub always_load: bool,
}
