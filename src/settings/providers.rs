//! Model providers, and the ways in which each takes tools.

use serde::{Deserialize, Serialize};

/// Whose requests definitions are shaped for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provider {
    /// Chat Completions, and whatever speaks it.
    #[default]
    OpenaiChat,
    /// The Responses API.
    OpenaiResponses,
    /// The Messages API.
    Anthropic,
    /// `generateContent`.
    Gemini,
    /// Converse.
    Bedrock,
    /// The language model API of VS Code.
    Vscode,
}

/// How tools that are attached later reach the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Delivery {
    /// At the end of the list of tools: what stands behind the list is written to the cache again.
    #[default]
    Append,
    /// Declared outside the cached prefix, and expanded where the model searched for them.
    Defer,
    /// Offered and withdrawn by blocks between the messages.
    Changes,
    /// As text, behind a pair of tools that never changes.
    Call,
}

impl Provider {
    /// All by the name that callers use.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("openai-chat", Self::OpenaiChat),
        ("openai-responses", Self::OpenaiResponses),
        ("anthropic", Self::Anthropic),
        ("gemini", Self::Gemini),
        ("bedrock", Self::Bedrock),
        ("vscode", Self::Vscode),
    ];

    /// The name that callers use.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }

    /// The deliveries that it takes: the table of valid pairs.
    #[must_use]
    pub fn deliveries(self) -> &'static [Delivery] {
        match self {
            Self::Anthropic => &[Delivery::Append, Delivery::Defer, Delivery::Changes, Delivery::Call],
            Self::OpenaiResponses => &[Delivery::Append, Delivery::Defer, Delivery::Call],
            Self::OpenaiChat | Self::Gemini | Self::Bedrock | Self::Vscode => &[Delivery::Append, Delivery::Call],
        }
    }
}

impl Delivery {
    /// All by the name that callers use.
    pub const NAMES: [(&'static str, Self); 4] =
        [("append", Self::Append), ("defer", Self::Defer), ("changes", Self::Changes), ("call", Self::Call)];

    /// The name that callers use.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_the_order_of_the_variants() {
        assert!(Provider::NAMES.iter().all(|(name, provider)| provider.name() == *name));
        assert!(Delivery::NAMES.iter().all(|(name, delivery)| delivery.name() == *name));
    }

    #[test]
    fn every_provider_takes_append_and_call_and_each_delivery_once() {
        for (_, provider) in Provider::NAMES {
            let deliveries = provider.deliveries();
            assert!(deliveries.contains(&Delivery::Append) && deliveries.contains(&Delivery::Call));
            assert!(deliveries.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}
