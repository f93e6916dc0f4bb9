//! The types of settings that are no plain numbers.

use serde::{Deserialize, Serialize};

/// The largest `k` of any list: no model takes a thousand tools.
pub const MAX_K: usize = 1000;
/// The largest count of tools or tokens: what a JavaScript number holds exactly.
pub const MAX_COUNT: usize = 9_007_199_254_740_991;

named! {
    /// What a ranking uses: asked for, and answered.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Ranker {
        /// Terms alone.
        Lexical = "lexical",
        /// Vectors alone; terms, and saying so, while there are none.
        Semantic = "semantic",
        /// Both; terms alone, and saying so, while there are no vectors.
        #[default]
        Hybrid = "hybrid",
    }
}

/// How many tools the first selection attaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "WrittenK", try_from = "WrittenK")]
pub enum InitialK {
    /// This many.
    Fixed(usize),
    /// As many as are worth their tokens.
    Auto,
}

/// So many definitions has a first selection by `auto` on average, of our tasks and of strangers' (2026-11-27).
const AUTO_MEAN: usize = 13;

impl InitialK {
    /// How many tools it attaches on average.
    pub fn mean(self) -> usize {
        match self {
            Self::Fixed(count) => count,
            Self::Auto => AUTO_MEAN,
        }
    }
}

/// [`InitialK`] as it is written: a number or a word.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenK {
    Number(usize),
    Word(String),
}

impl From<InitialK> for WrittenK {
    fn from(k: InitialK) -> Self {
        match k {
            InitialK::Fixed(count) => Self::Number(count),
            InitialK::Auto => Self::Word(AUTO.to_owned()),
        }
    }
}

impl TryFrom<WrittenK> for InitialK {
    type Error = String;

    fn try_from(written: WrittenK) -> std::result::Result<Self, String> {
        match written {
            WrittenK::Number(count) => Ok(Self::Fixed(count)),
            WrittenK::Word(word) if word == AUTO => Ok(Self::Auto),
            WrittenK::Word(word) => Err(format!("initialK: expected a number or {AUTO:?}, got {word:?}")),
        }
    }
}

/// What a number may be instead, for `initialK`.
pub const AUTO: &str = "auto";

named! {
    /// What happens to characters of tools' texts that nobody sees and a model reads.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum HiddenCharacters {
        /// They stay; the answer of `setServer` warns of them.
        #[default]
        Keep = "keep",
        /// They are taken out.
        Strip = "strip",
        /// The tool is refused.
        Refuse = "refuse",
    }
}

named! {
    /// What happens to a tool that says something else than before.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum ChangedTools {
        /// The answer of `setServer` and the next selection tell.
        #[default]
        Tell = "tell",
        /// It is off as well, until the host acknowledges it.
        Withhold = "withhold",
    }
}

named! {
    /// From which severity of findings on a tool is off until the host acknowledges it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum WithholdTools {
        /// Findings are told.
        #[default]
        Never = "never",
        /// Those of `high` take a tool away.
        High = "high",
        /// Those of `medium` too.
        Medium = "medium",
    }
}

named! {
    /// How a definition shows its input schema.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum SchemaStyle {
        /// Byte by byte as the server sent it.
        #[default]
        Sent = "sent",
        /// As hosts with strict function calling send it.
        Host = "host",
    }
}

named! {
    /// How much of a definition a model is shown.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum SchemaDetail {
        /// As its server sent it, byte by byte.
        #[default]
        Full = "full",
        /// Without what neither a model nor a validator can use.
        Compact = "compact",
    }
}

named! {
    /// What the router's own tools are called.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum OwnNames {
        /// `mcp_load` and `mcp_call`.
        #[default]
        Mcp = "mcp",
        /// `load_tools` and `call_tool`.
        Plain = "plain",
    }
}

impl OwnNames {
    /// The tool that loads others.
    pub fn load(self) -> &'static str {
        match self {
            Self::Mcp => "mcp_load",
            Self::Plain => "load_tools",
        }
    }

    /// The tool that calls another one by its name.
    pub fn call(self) -> &'static str {
        match self {
            Self::Mcp => "mcp_call",
            Self::Plain => "call_tool",
        }
    }
}

named! {
    /// What is chosen first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum ScopeBy {
        /// Tools, of whichever servers.
        #[default]
        Tool = "tool",
        /// Servers, and then their tools.
        Server = "server",
    }
}

/// Which servers a mode of the host may use.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ModeScope {
    /// Only these servers, even when the list is empty. Wins over `blocked_mcp_servers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_mcp_servers: Option<Vec<String>>,
    /// All servers but these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_mcp_servers: Option<Vec<String>>,
}
