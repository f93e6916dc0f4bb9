//! Results that are held, and what is read of them.

use napi_derive::napi;
use serde_json::Value;

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
    /// Bytes of the text that is held.
    pub bytes: u32,
    /// What it would cost, in tokens; an estimate where it is longer than 256 KB.
    pub token_count: u32,
    /// Codes of {@link Finding}s in it: it may try to give orders to the model.
    pub flagged: Vec<String>,
}

/// A passage of a held result.
#[napi(object, object_from_js = false)]
pub struct ResultPassage {
    /// Its place: a JSON path, or lines.
    pub place: String,
    /// What it says; of a value at a path its JSON.
    pub text: String,
}

/// What {@link Session.readResult} answers.
#[napi(object, object_from_js = false)]
pub struct ResultReading {
    /// For the model: passages, values or lines with their places, in the order of the result.
    pub text: String,
    /// What the text quotes for a need, best first, or at a path.
    pub passages: Vec<ResultPassage>,
    /// What the text costs, in tokens; never more than `maxTokens`.
    pub token_count: u32,
    /// Whether there was more than `maxTokens` has room for.
    pub truncated: bool,
    /// As of {@link HeldResult.flagged}; the text says so itself.
    pub flagged: Vec<String>,
}

answers! {
    core::router::HeldResult => HeldResult { handle, result, text, bytes, token_count, flagged };
    core::results::Answer => ResultReading { text, passages, token_count, truncated: is_cut, flagged };
    core::results::Quoted => ResultPassage { place, text };
}
