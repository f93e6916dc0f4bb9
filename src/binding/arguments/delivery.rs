//! What the requests of a provider are asked with.

use super::input::Input;
use crate::catalogue::mcp::MAX_SCHEMA_BYTES;
use crate::delivery::Pair;
use crate::error::Result;
use crate::schema::accepted::Rules;
use crate::settings::Provider;

/// The longest id of a call that a provider gives.
const MAX_CALL_ID_BYTES: usize = 1_024;

fn read_pair(input: &Input<'_, '_>, path: &str, own: impl Fn(Option<Provider>) -> Pair) -> Result<Pair> {
    let provider = input.field("provider", |name| name.text())?;
    let delivery = input.field("delivery", |name| name.text())?;
    Pair::read(path, provider.as_deref(), delivery.as_deref(), own)
}

/// Provider and delivery; what is left out is the session's own.
pub fn pair(input: &Input<'_, '_>, own: impl Fn(Option<Provider>) -> Pair) -> Result<Pair> {
    input.only_options(&["provider", "delivery"])?;
    read_pair(input, "render", own)
}

/// A schema as JSON text.
pub fn schema(input: &Input<'_, '_>) -> Result<String> {
    let text = input.json()?;
    if text.len() > MAX_SCHEMA_BYTES || serde_json::from_str::<serde::de::IgnoredAny>(&text).is_err() {
        return Err(input.wrong(format!("JSON of at most {MAX_SCHEMA_BYTES} bytes")));
    }
    Ok(text)
}

/// Whose rules bind, and the description that a schema goes with.
pub fn schema_options(input: &Input<'_, '_>) -> Result<(Rules, Option<String>)> {
    input.only_options(&["provider", "description", "keepComposition"])?;
    let provider = input.field("provider", |name| name.one_of(&Provider::NAMES))?;
    let composition = !input.field("keepComposition", |flag| flag.boolean())?.unwrap_or(false);
    let rules = Rules { composition, ..provider.map_or(Rules::ALL, Rules::of) };
    Ok((rules, input.field("description", |text| text.text())?))
}

/// Name and description of the tool that a schema is of, and whether it goes without descriptions of its own.
pub fn compact_options(input: &Input<'_, '_>) -> Result<(String, String, bool)> {
    input.only_options(&["name", "description", "descriptions"])?;
    let text = |key| input.field(key, |text| text.text()).map(Option::unwrap_or_default);
    let is_bare = !input.field("descriptions", |flag| flag.boolean())?.unwrap_or(true);
    Ok((text("name")?, text("description")?, is_bare))
}

/// Provider, delivery and the id of the call that is answered.
pub fn answer_options(input: &Input<'_, '_>, own: impl Fn(Option<Provider>) -> Pair) -> Result<(Pair, String)> {
    input.only_keys(&["provider", "delivery", "callId"])?;
    let pair = read_pair(input, &input.path.to_string(), own)?;
    let id = input.required("callId", |id| {
        let text = id.name()?;
        if text.len() > MAX_CALL_ID_BYTES { Err(id.wrong(format!("at most {MAX_CALL_ID_BYTES} bytes"))) } else { Ok(text) }
    })?;
    Ok((pair, id))
}
