//! Functions of the host, for curation.

use super::input::Input;
use crate::error::Result;
use crate::router::CuratedFunction;

/// A function as OpenAI's API takes it, or with name and description at the top, or a bare name.
pub fn function(input: &Input<'_, '_>) -> Result<CuratedFunction> {
    if input.is_text() {
        return Ok(CuratedFunction { name: input.name()?, description: None });
    }
    let named = |input: &Input<'_, '_>| {
        let description = input.field("description", |text| text.text())?;
        Ok(CuratedFunction { name: input.required("name", |name| name.name())?, description })
    };
    match input.field("function", |function| named(&function))? {
        Some(function) => Ok(function),
        None => named(input),
    }
}
