//! Listings of tools, and rankings of texts.

use napi_derive::napi;

use super::ranking::Degraded;
use super::small;
use crate as core;

/// A tool in scope, as {@link ToolRouter.listTools} answers it.
#[napi(object, object_from_js = false)]
pub struct ListedTool {
    pub server_name: String,
    pub tool_name: String,
    /// The name that a model's API sees.
    pub name: String,
    /// Its title for people.
    pub title: Option<String>,
    /// What the model is told.
    pub description: String,
    /// What the server sent, when `toolDescriptionOverrides` replaces it.
    pub original_description: Option<String>,
    /// Whether it only reads.
    pub read_only: bool,
    /// Whether its server says that it may destroy something.
    pub destructive: bool,
    /// Whether every dynamic selection attaches it.
    pub always_load: bool,
    /// Why the configuration keeps it off; absent when it is on.
    pub off: Option<String>,
}

impl From<core::router::ListedTool> for ListedTool {
    fn from(tool: core::router::ListedTool) -> Self {
        Self {
            server_name: tool.id.server_name,
            tool_name: tool.id.tool_name,
            name: tool.name,
            title: tool.title,
            description: tool.description,
            original_description: tool.original_description,
            read_only: tool.read_only,
            destructive: tool.destructive,
            always_load: tool.always_load,
            off: tool.off.map(|off| off.to_string()),
        }
    }
}

/// A tool as a line of TypeScript.
#[napi(object, object_from_js = false)]
pub struct ToolSignature {
    pub server_name: String,
    pub tool_name: String,
    /// The name that a model's API sees.
    pub name: String,
    /// `create_issue: {repo: string, title: string, body?: string} // Creates an issue`; `…` where something is left out.
    pub signature: String,
    /// What the line costs, in tokens.
    pub token_count: u32,
}

/// Signatures of several tools, as {@link ToolRouter.signatures} answers them.
#[napi(object, object_from_js = false)]
pub struct Signatures {
    /// An interface for each server, whose members are its tools. Parameters that several tools share stand there once.
    pub text: String,
    /// What the text costs, in tokens.
    pub token_count: u32,
    /// The tools one by one.
    pub tools: Vec<ToolSignature>,
}

impl From<core::router::Signatures> for Signatures {
    fn from(signatures: core::router::Signatures) -> Self {
        let tool = |tool: core::router::ToolSignature| ToolSignature {
            server_name: tool.id.server_name,
            tool_name: tool.id.tool_name,
            name: tool.name,
            signature: tool.text,
            token_count: small(tool.token_count),
        };
        Self {
            text: signatures.text,
            token_count: small(signatures.token_count),
            tools: signatures.tools.into_iter().map(tool).collect(),
        }
    }
}

/// One ranked text of {@link ToolRouter.rankTexts}.
#[napi(object, object_from_js = false)]
pub struct RankedText {
    /// Its name.
    pub name: String,
    /// Its place in the answer, from 1.
    pub rank: u32,
    /// What it was ordered by; higher is better. Comparable within one answer only.
    pub score: f64,
    /// Its cosine with the query, from -1 to 1; absent from a lexical answer.
    pub similarity: Option<f64>,
    /// Whether anything in the query matches it.
    pub supported: bool,
}

/// An answer of {@link ToolRouter.rankTexts}: texts, best first.
#[napi(object, object_from_js = false)]
pub struct TextRanking {
    /// The texts.
    pub texts: Vec<RankedText>,
    /// What they were ranked by.
    #[napi(ts_type = "Ranker")]
    pub ranker: String,
    /// Why they were not ranked by what was asked for.
    pub degraded: Option<Degraded>,
}

impl From<core::router::TextRanking> for TextRanking {
    fn from(ranking: core::router::TextRanking) -> Self {
        let text = |text: core::router::NamedText| RankedText {
            name: text.name,
            rank: small(text.rank),
            score: text.score,
            similarity: text.similarity,
            supported: text.supported,
        };
        Self {
            texts: ranking.texts.into_iter().map(text).collect(),
            ranker: ranking.ranker.name().into(),
            degraded: ranking.degraded.map(Into::into),
        }
    }
}
