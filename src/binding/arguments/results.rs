//! What results of tools are held and read with.

use super::input::Input;
use crate::error::{Error, Result};
use crate::results::{Bounds, Content, Wanted, range};
use crate::router::HoldOptions;

/// 4,000 tokens: results of most tools have fewer, and twice as many fill a twentieth of a window.
const MAX_TOKENS: usize = 4_000;
/// 600: an outline of keys and a first element, or the ends of a log.
const PREVIEW_TOKENS: usize = 600;
/// The least that a description and how to go on need.
const LEAST_TOKENS: usize = 200;
const MOST_TOKENS: usize = 1_000_000;
/// 2,000: ten passages.
const READ_TOKENS: usize = 2_000;
const LEAST_READ: usize = 100;
/// Needs of one call: more of them have no room each.
const MAX_NEEDS: usize = 10;

/// A result as a tool answered it.
pub fn content(input: &Input<'_, '_>) -> Result<Content> {
    Ok(if input.is_text() { Content::of_text(input.text()?) } else { Content::of_json(input.json()?) })
}

/// How a result is held.
pub fn hold_options(input: &Input<'_, '_>) -> Result<HoldOptions> {
    if input.is_undefined() {
        let bounds = Bounds { max_tokens: MAX_TOKENS, preview_tokens: PREVIEW_TOKENS };
        return Ok(HoldOptions { bounds, output_schema: None, client: None });
    }
    input.only_keys(&["maxTokens", "previewTokens", "outputSchema", "client"])?;
    let bounds = Bounds {
        max_tokens: input.field("maxTokens", |value| value.count(LEAST_TOKENS, MOST_TOKENS))?.unwrap_or(MAX_TOKENS),
        preview_tokens: input.field("previewTokens", |value| value.count(LEAST_READ, MOST_TOKENS))?.unwrap_or(PREVIEW_TOKENS),
    };
    let output_schema = input.field("outputSchema", |schema| schema.json())?;
    Ok(HoldOptions { bounds, output_schema, client: input.field("client", |client| client.name())? })
}

/// What of a held result is read.
pub fn wanted(input: &Input<'_, '_>) -> Result<Wanted> {
    if input.is_undefined() {
        return Ok(Wanted { max_tokens: READ_TOKENS, ..Wanted::default() });
    }
    input.only_keys(&["need", "needs", "path", "range", "maxTokens"])?;
    let mut needs = input.field("needs", |needs| needs.texts(MAX_NEEDS))?.unwrap_or_default();
    needs.extend(input.field("need", |need| need.text())?);
    needs.retain(|need| !need.trim().is_empty());
    let range = input.field("range", |value| {
        let text = value.text()?;
        range(&text).ok_or_else(|| value.wrong("a range such as \"10-40\""))
    })?;
    if range.is_some() && !needs.is_empty() {
        return Err(Error::invalid("readResult.range", "no range beside a need", "both"));
    }
    Ok(Wanted {
        needs,
        path: input.field("path", |path| path.text())?.filter(|path| !path.trim().is_empty()),
        range,
        max_tokens: input.field("maxTokens", |value| value.count(LEAST_READ, MOST_TOKENS))?.unwrap_or(READ_TOKENS),
    })
}
