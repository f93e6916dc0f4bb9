//! Servers and tools as a host hands them in.

use std::collections::BTreeMap;

use super::name;
use crate::document::entry::ServerEntry;
use crate::error::Refusal;

/// The longest server or tool name. Real names stay under 100 bytes.
pub const MAX_NAME_BYTES: usize = 512;
/// The longest description. The longest real one has 6,500 characters.
pub const MAX_DESCRIPTION_BYTES: usize = 256 * 1024;
/// The longest input schema. The largest real one is 100 KB.
pub const MAX_SCHEMA_BYTES: usize = 4 * 1024 * 1024;

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

/// Which tools of a server are on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum OnlyAllow {
    /// All but those that are switched off.
    #[default]
    Any,
    /// None of them.
    None,
    /// Exactly these, by name, whatever is switched off.
    Tools(Vec<String>),
}

impl From<Vec<String>> for OnlyAllow {
    /// An empty list allows any tool: hosts write one for what the user has not set.
    fn from(names: Vec<String>) -> Self {
        if names.is_empty() { Self::Any } else { Self::Tools(names) }
    }
}

/// One server with its tools, as a host hands it in.
#[derive(Debug, Clone, Default)]
pub struct McpServer {
    /// The server's name, not empty.
    pub name: String,
    /// Where it was configured.
    pub source: Source,
    /// Its place among the host's servers; those without one come after them.
    pub position: Option<usize>,
    /// Whether all of its tools are off.
    pub disabled: bool,
    /// What the server says about itself in `initialize`.
    pub instructions: Option<String>,
    /// Which tools are on.
    pub only_allow: OnlyAllow,
    /// These tools are off.
    pub disabled_tools: Vec<String>,
    /// Tools attached to every dynamic selection.
    pub always_load: AlwaysLoad,
    /// Whether tools may pin themselves, as many as the settings allow.
    pub own_pins: bool,
    /// Descriptions by tool name that replace what the model sees and what is indexed.
    pub tool_description_overrides: BTreeMap<String, String>,
    /// Descriptions by tool name that are indexed and never shown.
    pub search_descriptions: BTreeMap<String, String>,
    /// What a registry says about it; `None` keeps the present entry.
    pub entry: Option<ServerEntry>,
    /// What `tools/list` answered.
    pub tools: Vec<McpTool>,
    /// Tools that could not even be read, with the reason.
    pub refused: Vec<RefusedTool>,
    /// Keys that are not read, near ones that are.
    pub misspelt: Vec<MisspeltKey>,
}

/// One tool, as its server sent it.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a hint of its own, as servers send them")]
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
    /// Whether it may destroy, as its server says; whoever only reads does not.
    pub destructive: bool,
    /// Text of its server that it is found by beside its description (`_meta["anthropic/searchHint"]`).
    pub search_hint: Option<String>,
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
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            input_schema: None,
            read_only: false,
            destructive: false,
            search_hint: None,
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
    pub reason: Refusal,
}

/// Refuses an empty or too long name of a server or tool.
pub(crate) fn check_name(name: &str, field: &str) -> Result<(), Refusal> {
    if name.trim().is_empty() {
        return Err(Refusal::new(field, "a name", format!("{name:?}")));
    }
    if name.len() > MAX_NAME_BYTES {
        return Err(Refusal::new(field, format!("at most {MAX_NAME_BYTES} bytes"), name.len()));
    }
    Ok(())
}

/// A key that nobody reads, near one that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MisspeltKey {
    /// The tool that has it, unless the server has.
    pub tool_name: Option<String>,
    /// The key.
    pub key: String,
    /// The one that it is near.
    pub near: String,
}

impl MisspeltKey {
    /// The keys that are near a known one. Others are a host's own, and nobody's concern.
    pub fn find(keys: &[String], known: &[&str], tool_name: Option<&str>) -> Vec<Self> {
        let unknown = keys.iter().filter(|key| !known.contains(&key.as_str()));
        let near = unknown.filter_map(|key| Some((key, name::near(key, known.iter().copied(), 1).pop()?)));
        near.map(|(key, near)| Self { tool_name: tool_name.map(str::to_owned), key: key.clone(), near }).collect()
    }
}
