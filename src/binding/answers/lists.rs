//! Listings of tools, and rankings of texts.

use napi_derive::napi;

use super::ranking::Degraded;
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

answers! {
    core::router::ListedTool => ListedTool {
        server_name: id.server_name, tool_name: id.tool_name, name, title, description, original_description, read_only, destructive, always_load
    } with |it| { off: it.off.as_ref().map(ToString::to_string) };
    core::router::Signatures => Signatures { text, token_count, tools };
    core::router::ToolSignature => ToolSignature {
        server_name: id.server_name, tool_name: id.tool_name, name, signature: text, token_count
    };
    core::router::TextRanking => TextRanking { texts, ranker, degraded };
    core::router::NamedText => RankedText { name, rank, score, similarity, supported };
}
