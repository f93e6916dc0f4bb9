//! Results that are held, and what is read of them.

use napi_derive::napi;
use serde_json::Value;

use super::small;
use crate as core;

/// A result that a session holds, as {@link Session.holdResult} answers it.
#[napi(object, object_from_js = false)]
pub struct HeldResult {
    /// What {@link Session.readResult} takes. Whoever has it and the session can read the result: do not log it.
    pub handle: String,
    /// What to give to the model instead, in the same form. Images, audio and links are unchanged, and an error stays one.
    #[napi(ts_type = "ToolResult")]
    pub result: Value,
    /// The text of it.
    pub text: String,
    /// What kinds of text the result has.
    #[napi(ts_type = "('json' | 'json-lines' | 'table' | 'log' | 'diff' | 'trace' | 'page' | 'text')[]")]
    pub kinds: Vec<String>,
    /// Bytes of the texts that are held.
    pub bytes: u32,
    /// What they would cost, in tokens; an estimate where they are longer than 256 KB.
    pub token_count: u32,
    /// Codes of {@link Finding}s in it: it may try to give orders to the model.
    pub flagged: Vec<String>,
}

impl From<core::router::HeldResult> for HeldResult {
    fn from(held: core::router::HeldResult) -> Self {
        Self {
            handle: held.handle,
            result: held.result,
            text: held.text,
            kinds: held.kinds.into_iter().map(Into::into).collect(),
            bytes: small(held.bytes),
            token_count: small(held.token_count),
            flagged: held.flagged.into_iter().map(Into::into).collect(),
        }
    }
}

/// A passage of a held result.
#[napi(object, object_from_js = false)]
pub struct ResultPassage {
    /// Its place: a JSON path, or lines.
    pub place: String,
    /// What it says; JSON without white space.
    pub text: String,
    /// Which of the needs it answers, from 0.
    pub need: u32,
    /// What it was ordered by; comparable within one need only, and 0 of what no need was given for.
    pub score: f64,
}

/// What {@link Session.readResult} answers.
#[napi(object, object_from_js = false)]
pub struct ResultReading {
    /// For the model: passages with their places, in the order of the result.
    pub text: String,
    /// What the text quotes of JSON or for needs, best first for each need.
    pub passages: Vec<ResultPassage>,
    /// What the text costs, in tokens; never more than `maxTokens`.
    pub token_count: u32,
    /// Whether there was more than `maxTokens` has room for.
    pub truncated: bool,
    /// As of {@link HeldResult.flagged}; the text says so itself.
    pub flagged: Vec<String>,
}

impl From<core::results::Answer> for ResultReading {
    fn from(answer: core::results::Answer) -> Self {
        let passage = |quoted: core::results::Quoted| ResultPassage {
            place: quoted.place,
            text: quoted.text,
            need: small(quoted.need),
            score: quoted.score,
        };
        Self {
            text: answer.text,
            passages: answer.passages.into_iter().map(passage).collect(),
            token_count: small(answer.token_count),
            truncated: answer.is_cut,
            flagged: answer.flagged.into_iter().map(Into::into).collect(),
        }
    }
}
