//! What the requests of a provider are asked with.

use super::input::Input;
use crate::delivery::Pair;
use crate::error::Result;

/// The longest id of a call that a provider gives.
const MAX_CALL_ID_BYTES: usize = 1_024;

fn read_pair(input: &Input<'_, '_>, path: &str, base: Pair) -> Result<Pair> {
    let provider = input.field("provider", |name| name.text())?;
    let delivery = input.field("delivery", |name| name.text())?;
    Pair::read(path, provider.as_deref(), delivery.as_deref(), base)
}

/// Provider and delivery; what is left out is the session's own.
pub fn pair(input: &Input<'_, '_>, base: Pair) -> Result<Pair> {
    if input.is_undefined() {
        return base.checked("render");
    }
    input.only_keys(&["provider", "delivery"])?;
    read_pair(input, "render", base)
}

/// The same with the id of the call that is answered.
pub fn answer_options(input: &Input<'_, '_>, base: Pair) -> Result<(Pair, String)> {
    input.only_keys(&["provider", "delivery", "callId"])?;
    let pair = read_pair(input, &input.path.to_string(), base)?;
    let id = input.required("callId", |id| {
        let text = id.name()?;
        if text.len() > MAX_CALL_ID_BYTES { Err(id.wrong(format!("at most {MAX_CALL_ID_BYTES} bytes"))) } else { Ok(text) }
    })?;
    Ok((pair, id))
}
