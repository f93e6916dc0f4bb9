//! Servers and tools: as a host hands them in, and as the catalogue keeps them.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{name, schema};
use crate::error::shorten;
use crate::ranking::document::ToolDocument;
use crate::report::tokens;

/// The longest server or tool name. Real names stay under 100 bytes.
pub const MAX_NAME_BYTES: usize = 512;
/// The longest description. The longest real one has 6,500 characters.
pub const MAX_DESCRIPTION_BYTES: usize = 256 * 1024;
/// The longest input schema. The largest real one is 100 KB.
pub const MAX_SCHEMA_BYTES: usize = 4 * 1024 * 1024;

/// A description of fewer words says next to nothing ("Azure storage operations"); what its server
/// says of itself is indexed with it.
const THIN_WORDS: usize = 8;
/// How much of that: what a server is for stands at the start.
const HINT_WORDS: usize = 60;
/// And no more bytes: it is kept with each such tool.
const HINT_BYTES: usize = 1_000;

/// What a tool is known by: never the provider name, which may be cut or carry a suffix.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolId {
    /// The server's name.
    pub server_name: String,
    /// The tool's name, as its server gave it.
    pub tool_name: String,
}

impl ToolId {
    /// Joins a server's and a tool's name.
    #[must_use]
    pub fn new(server_name: impl Into<String>, tool_name: impl Into<String>) -> Self {
        Self { server_name: server_name.into(), tool_name: tool_name.into() }
    }
}

/// Where a server was configured. A project's server hides a global one of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Source {
    /// In the project.
    Project,
    /// For all projects.
    #[default]
    Global,
}

/// Which tools of a server are attached to every dynamic selection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AlwaysLoad {
    /// Only those that say so themselves.
    #[default]
    None,
    /// All of the server's tools.
    All,
    /// These, by name.
    Tools(Vec<String>),
}

/// One server with its tools, as a host hands it in.
#[derive(Debug, Clone, Default)]
pub struct McpServer {
    /// The server's name, not empty.
    pub name: String,
    /// Where it was configured.
    pub source: Source,
    /// Whether all of its tools are off.
    pub disabled: bool,
    /// What the server says about itself in `initialize`.
    pub instructions: Option<String>,
    /// When not empty, exactly these tools are on, and `disabled_tools` is ignored.
    pub only_allow: Vec<String>,
    /// These tools are off.
    pub disabled_tools: Vec<String>,
    /// Tools attached to every dynamic selection.
    pub always_load: AlwaysLoad,
    /// Descriptions by tool name that replace what the model sees and what is indexed.
    pub tool_description_overrides: BTreeMap<String, String>,
    /// Descriptions by tool name that are indexed and never shown.
    pub search_descriptions: BTreeMap<String, String>,
    /// What a registry says of it; `None` keeps the entry that is there.
    pub registry: Option<super::entry::ServerEntry>,
    /// What `tools/list` answered.
    pub tools: Vec<McpTool>,
    /// Tools that could not even be read, with the reason.
    pub refused: Vec<RefusedTool>,
}

/// One tool, as its server sent it.
#[derive(Debug, Clone)]
pub struct McpTool {
    /// Its name, not empty.
    pub name: String,
    /// Its title for people.
    pub title: Option<String>,
    /// What it does.
    pub description: Option<String>,
    /// Its input schema as JSON text, kept byte by byte. `None` means no input.
    pub input_schema: Option<String>,
    /// Whether it only reads.
    pub read_only: bool,
    /// Whether it asks to be attached always.
    pub always_load: bool,
    /// Whether the host lets models see it.
    pub enabled_for_prompt: bool,
    /// Text that is indexed and never shown.
    pub search_description: Option<String>,
    /// Its place in what `tools/list` answered, where that differs from its place here.
    pub position: Option<usize>,
}

impl McpTool {
    /// A tool with a name and nothing else.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            input_schema: None,
            read_only: false,
            always_load: false,
            enabled_for_prompt: true,
            search_description: None,
            position: None,
        }
    }
}

/// A tool that was left out, and why; its siblings are in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedTool {
    /// Its server.
    pub server_name: String,
    /// Its name, empty when it has none that can be read.
    pub tool_name: String,
    /// Its place in the server's list, from 0.
    pub position: usize,
    /// Why, naming the field and both values.
    pub reason: String,
}

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
    /// What its server says of itself, for a tool that says next to nothing. No part of the hash: a
    /// server may say it anew at each start, and its tools are the same.
    pub server_hint: Option<Box<str>>,
    /// Its input schema as sent.
    pub input_schema: Box<str>,
    /// Whether it only reads.
    pub read_only: bool,
    /// Its provider name, before collisions are told apart.
    pub base_name: String,
    /// Hash of what the tool itself says.
    pub content_hash: [u8; 32],
    document: OnceLock<ToolDocument>,
    token_count: OnceLock<usize>,
    /// The definition behind its name: quoting descriptions again for each request would cost the
    /// JavaScript thread 20 ms for a large catalogue.
    definition_tail: OnceLock<Box<str>>,
}

/// What a definition begins with, up to its name.
const DEFINITION_HEAD: &str = r#"{"type":"function","function":{"name":""#;

/// What stands in for a schema that a server left out.
const NO_INPUT: &str = r#"{"type":"object","properties":{}}"#;

fn first_words(text: &str, most: usize) -> String {
    // Bounded by length too: a text without white space is one word.
    let text = &text[..text.floor_char_boundary(HINT_BYTES)];
    text.split_whitespace().take(most).collect::<Vec<_>>().join(" ")
}

impl Tool {
    /// Checks a tool and takes it in.
    ///
    /// # Errors
    ///
    /// The reason why it cannot be used at all.
    pub(crate) fn new(server: &McpServer, tool: McpTool, path: &str) -> Result<Self, String> {
        let at = |field: &str| format!("{path}.{field}");
        check_name(&tool.name).map_err(|why| format!("{}: {why}", at("name")))?;
        let shown = server.tool_description_overrides.get(&tool.name).cloned();
        let sent = tool.description.unwrap_or_default();
        for text in [Some(&sent), shown.as_ref()].into_iter().flatten() {
            if text.len() > MAX_DESCRIPTION_BYTES {
                return Err(format!("{}: expected at most {MAX_DESCRIPTION_BYTES} bytes, got {}", at("description"), text.len()));
            }
        }
        let input_schema = check_schema(tool.input_schema.as_deref()).map_err(|why| format!("{}: {why}", at("inputSchema")))?;
        let search_description = server.search_descriptions.get(&tool.name).cloned().or(tool.search_description);
        let (description, original_description) = match shown {
            Some(shown) => (shown, Some(sent)),
            None => (sent, None),
        };
        let described = search_description.as_deref().unwrap_or(&description);
        let thin = described.split_whitespace().count() < THIN_WORDS;
        let server_hint: Option<Box<str>> =
            if thin { server.instructions.as_deref().map(|text| first_words(text, HINT_WORDS).into()) } else { None };
        let mut hasher = blake3::Hasher::new();
        for part in [
            server.name.as_str(),
            &tool.name,
            tool.title.as_deref().unwrap_or("\u{0}"),
            &description,
            search_description.as_deref().unwrap_or("\u{0}"),
            input_schema,
            if tool.read_only { "r" } else { "w" },
        ] {
            // A length before each part: no two lists of parts give the same bytes.
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        Ok(Self {
            base_name: name::provider_name(&server.name, &tool.name),
            id: ToolId::new(&server.name, tool.name),
            title: tool.title,
            description,
            original_description,
            search_description,
            server_hint,
            input_schema: input_schema.into(),
            read_only: tool.read_only,
            content_hash: *hasher.finalize().as_bytes(),
            document: OnceLock::new(),
            token_count: OnceLock::new(),
            definition_tail: OnceLock::new(),
        })
    }

    /// What ranking reads of this tool, worked out at the first call.
    pub fn document(&self) -> &ToolDocument {
        self.document.get_or_init(|| ToolDocument::new(self))
    }

    /// The function definition as the model's API takes it, under the given provider name.
    #[must_use]
    pub fn definition(&self, name: &str) -> String {
        let mut text = String::with_capacity(self.definition_bytes(name));
        self.push_definition(name, &mut text);
        text
    }

    /// Appends the definition to a text.
    pub fn push_definition(&self, name: &str, text: &mut String) {
        text.push_str(DEFINITION_HEAD);
        text.push_str(name); // a provider name has no character that JSON escapes
        text.push_str(self.definition_tail());
    }

    /// How long the definition is.
    #[must_use]
    pub fn definition_bytes(&self, name: &str) -> usize {
        DEFINITION_HEAD.len() + name.len() + self.definition_tail().len()
    }

    fn definition_tail(&self) -> &str {
        self.definition_tail.get_or_init(|| {
            let description = serde_json::Value::from(self.description.as_str());
            format!(r#"","description":{description},"parameters":{}}}}}"#, self.input_schema).into()
        })
    }

    /// Tokens of the definition under its base name, counted at the first call.
    pub fn token_count(&self) -> usize {
        *self.token_count.get_or_init(|| tokens::count(&self.definition(&self.base_name)))
    }

    /// Tokens of the definition under a name: counted each time for a name with a suffix.
    #[must_use]
    pub fn token_count_as(&self, name: &str) -> usize {
        if name == self.base_name { self.token_count() } else { tokens::count(&self.definition(name)) }
    }

    /// The first line of the description, for answers to a model.
    #[must_use]
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

pub(crate) fn check_name(name: &str) -> Result<(), String> {
    if name.trim().is_empty() {
        return Err(format!("expected a name, got {name:?}"));
    }
    if name.len() > MAX_NAME_BYTES {
        return Err(format!("expected at most {MAX_NAME_BYTES} bytes, got {}", name.len()));
    }
    Ok(())
}

/// A JSON object is used as it stands. Absent, `null` and `true` all mean "no input described".
fn check_schema(text: Option<&str>) -> Result<&str, String> {
    let Some(text) = text else { return Ok(NO_INPUT) };
    if text.len() > MAX_SCHEMA_BYTES {
        return Err(format!("expected at most {MAX_SCHEMA_BYTES} bytes, got {}", text.len()));
    }
    // RawValue checks the grammar without building anything and without a limit of depth.
    if let Err(error) = serde_json::from_str::<&RawValue>(text) {
        return Err(format!("expected JSON text, got {} ({error})", shorten(text, 60)));
    }
    match text.trim() {
        "null" | "true" => Ok(NO_INPUT),
        object if object.starts_with('{') => Ok(object),
        other => Err(format!("expected a JSON object, got {}", shorten(other, 60))),
    }
}

/// Text of the input schema that ranking reads.
pub(crate) fn schema_text(tool: &Tool) -> schema::SchemaText {
    schema::SchemaText::read(&tool.input_schema)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(schema: Option<&str>) -> Result<Tool, String> {
        let mut tool = McpTool::new("read");
        tool.input_schema = schema.map(str::to_owned);
        tool.description = Some("Reads. Then stops.".into());
        Tool::new(&McpServer { name: "files".into(), ..McpServer::default() }, tool, "tools[3]")
    }

    #[test]
    fn a_schema_is_kept_byte_by_byte() {
        let text = r##"{"z":1,  "a":{"$ref":"#"}, "n": 1.0e3}"##;
        assert_eq!(&*tool(Some(text)).unwrap().input_schema, text);
        assert!(tool(Some(text)).unwrap().definition("n").contains(text));
    }

    #[test]
    fn a_schema_that_is_not_an_object_is_refused_naming_its_place() {
        for (text, reason) in [
            ("{", "tools[3].inputSchema: expected JSON text, got { (EOF while parsing an object at line 1 column 1)"),
            ("[]", "tools[3].inputSchema: expected a JSON object, got []"),
        ] {
            assert_eq!(tool(Some(text)).unwrap_err(), reason);
        }
        assert_eq!(&*tool(None).unwrap().input_schema, NO_INPUT);
        assert_eq!(&*tool(Some("true")).unwrap().input_schema, NO_INPUT);
    }

    #[test]
    fn a_schema_of_ten_thousand_levels_is_kept() {
        let deep = format!("{}{}", r#"{"a":"#.repeat(10_000), "1".to_owned() + &"}".repeat(10_000));
        assert_eq!(tool(Some(&deep)).unwrap().input_schema.len(), deep.len());
        tool(Some(&deep)).unwrap().document();
    }

    #[test]
    fn a_summary_is_the_first_sentence() {
        assert_eq!(tool(None).unwrap().summary(), "Reads.");
    }

    #[test]
    fn a_definition_is_json_with_the_fields_of_a_function() {
        let definition = tool(None).unwrap().definition("mcp--files--read");
        let value: serde_json::Value = serde_json::from_str(&definition).unwrap();
        assert_eq!(value["function"]["name"], "mcp--files--read");
        assert_eq!(value["function"]["parameters"]["type"], "object");
    }
}
