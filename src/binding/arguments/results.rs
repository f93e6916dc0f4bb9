//! What results of tools are held and read with.

use super::input::Input;
use crate::error::{Error, Result};
use crate::results::{Asked, Bounds, Content, Wanted, range};
use crate::router::HoldOptions;

/// 4,000 tokens: results of most tools have fewer, and twice as many fill a twentieth of a window.
const DEFAULT_TOKENS: usize = 4_000;
/// 600: a first record or two, or the first paragraphs.
const PREVIEW_TOKENS: usize = 600;
/// The least that a description and how to go on need.
const LEAST_TOKENS: usize = 200;
const MOST_TOKENS: usize = 1_000_000;
/// 2,000: ten passages.
const READ_TOKENS: usize = 2_000;
const LEAST_READ: usize = 100;

/// A result as a tool answered it.
pub fn content(input: &Input<'_, '_>) -> Result<Content> {
    Ok(if input.is_text() { Content::of_text(input.text()?) } else { Content::of_json(input.json()?) })
}

/// How a result is held.
pub fn hold_options(input: &Input<'_, '_>) -> Result<HoldOptions> {
    input.only_options(&["maxTokens", "previewTokens", "outputSchema", "client"])?;
    let bounds = Bounds {
        max_tokens: input.field("maxTokens", |value| value.count(LEAST_TOKENS, MOST_TOKENS))?.unwrap_or(DEFAULT_TOKENS),
        preview_tokens: input.field("previewTokens", |value| value.count(LEAST_READ, MOST_TOKENS))?.unwrap_or(PREVIEW_TOKENS),
    };
    let output_schema = input.field("outputSchema", |schema| schema.json())?;
    Ok(HoldOptions { bounds, output_schema, client: input.field("client", |client| client.name())? })
}

/// What of a held result is read.
pub fn wanted(input: &Input<'_, '_>) -> Result<Wanted> {
    input.only_options(&["need", "path", "range", "maxTokens"])?;
    let text = |key| input.field(key, |value| value.text()).map(|text| text.filter(|text| !text.trim().is_empty()));
    let range = input.field("range", |value| {
        let text = value.text()?;
        range(&text).ok_or_else(|| value.wrong("a range such as \"10-40\""))
    })?;
    let asked = match (text("need")?, text("path")?, range) {
        (None, None, None) => Asked::Beginning,
        (Some(need), None, None) => Asked::Need(need),
        (None, Some(path), None) => Asked::Path(path),
        (None, None, Some((first, last))) => Asked::Range(first, last),
        _ => return Err(Error::invalid("readResult", "one of need, path and range", "several")),
    };
    let max_tokens = input.field("maxTokens", |value| value.count(LEAST_READ, MOST_TOKENS))?.unwrap_or(READ_TOKENS);
    Ok(Wanted { asked, max_tokens })
}
