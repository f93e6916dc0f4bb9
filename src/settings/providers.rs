//! Model providers, and the ways in which each takes tools.

use serde::{Deserialize, Serialize};

named! {
    /// Whose requests definitions are shaped for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Provider {
        /// Chat Completions, and whatever speaks it.
        #[default]
        OpenaiChat = "openai-chat",
        /// The Responses API.
        OpenaiResponses = "openai-responses",
        /// The Messages API.
        Anthropic = "anthropic",
        /// `generateContent`.
        Gemini = "gemini",
        /// Converse.
        Bedrock = "bedrock",
        /// The language model API of VS Code.
        Vscode = "vscode",
    }
}

named! {
    /// How tools that are attached later reach the model.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Delivery {
        /// At the end of the list of tools: what stands behind the list is written to the cache again.
        #[default]
        Append = "append",
        /// Declared outside the cached prefix, and expanded where the model searched for them.
        Defer = "defer",
        /// Offered and withdrawn by blocks between the messages.
        Changes = "changes",
        /// As text, behind a pair of tools that never changes.
        Call = "call",
        /// As `Defer`, and programs that the provider runs may call them too.
        Program = "program",
    }
}

/// The setting: one of them, or by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum DeliveryChoice {
    /// What the provider has that keeps its cache; the list of `tools()` grows at its end.
    #[default]
    Auto,
    /// This one.
    Fixed(Delivery),
}

impl DeliveryChoice {
    /// Each by the name that callers use.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("auto", Self::Auto),
        ("append", Self::Fixed(Delivery::Append)),
        ("defer", Self::Fixed(Delivery::Defer)),
        ("changes", Self::Fixed(Delivery::Changes)),
        ("call", Self::Fixed(Delivery::Call)),
        ("program", Self::Fixed(Delivery::Program)),
    ];

    /// The name that callers use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Fixed(delivery) => delivery.name(),
        }
    }

    /// The delivery with a provider.
    pub fn with(self, provider: Provider) -> Delivery {
        match self {
            Self::Auto => provider.keeping(),
            Self::Fixed(delivery) => delivery,
        }
    }
}

impl From<DeliveryChoice> for String {
    fn from(choice: DeliveryChoice) -> Self {
        choice.name().to_owned()
    }
}

impl TryFrom<String> for DeliveryChoice {
    type Error = String;

    fn try_from(written: String) -> std::result::Result<Self, String> {
        let found = Self::NAMES.iter().find(|(name, _)| *name == written);
        found.map(|(_, choice)| *choice).ok_or_else(|| format!("delivery: expected a name of a delivery, got {written:?}"))
    }
}

/// What a token costs, where one that is neither written to the cache nor read from it costs 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    /// Written to the cache.
    pub write: f64,
    /// Read from it.
    pub read: f64,
}

impl Provider {
    /// Its prices. Messages, and the same models at Bedrock, write for 1.25 and read for 0.1. Others write for nothing
    /// more than the token itself and read for 0.1 (current models) to 0.5 (older ones); Chat Completions, which many
    /// speak, stands between.
    pub fn prices(self) -> Prices {
        match self {
            Self::Anthropic | Self::Bedrock => Prices { write: 1.25, read: 0.1 },
            Self::OpenaiResponses | Self::Gemini | Self::Vscode => Prices { write: 1.0, read: 0.1 },
            Self::OpenaiChat => Prices { write: 1.0, read: 0.25 },
        }
    }

    /// The deliveries that it takes: the table of valid pairs.
    pub fn deliveries(self) -> &'static [Delivery] {
        match self {
            Self::Anthropic => &[Delivery::Append, Delivery::Defer, Delivery::Changes, Delivery::Call, Delivery::Program],
            Self::OpenaiResponses => &[Delivery::Append, Delivery::Defer, Delivery::Call, Delivery::Program],
            Self::OpenaiChat | Self::Gemini | Self::Bedrock | Self::Vscode => &[Delivery::Append, Delivery::Call],
        }
    }

    /// The cheapest delivery that keeps its cache: its own deferral, where it has one.
    pub fn keeping(self) -> Delivery {
        if self.deliveries().contains(&Delivery::Defer) { Delivery::Defer } else { Delivery::Call }
    }
}

impl Delivery {
    /// Whether later tools are declared outside the cached prefix, for the model to find by a search.
    pub fn defers(self) -> bool {
        matches!(self, Self::Defer | Self::Program)
    }
}
