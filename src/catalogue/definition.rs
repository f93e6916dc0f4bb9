//! What is kept of the definitions of a tool: each is made once.

use once_cell::sync::OnceCell;
use serde_json::Value;

use crate::schema::accepted::{Change, Rules};
use crate::settings::SchemaDetail;

/// What a definition begins with, up to its name.
pub(super) const DEFINITION_HEAD: &str = r#"{"type":"function","function":{"name":""#;

/// What stands between its parts.
const DESCRIPTION_KEY: &str = r#"","description":"#;
const PARAMETERS_KEY: &str = r#","parameters":"#;
const DEFINITION_END: &str = "}}";

/// What is known of the definitions of a tool; each part by [`SchemaDetail`].
#[derive(Debug, Default)]
pub struct Definitions {
    pub(super) shown: [OnceCell<Shown>; SchemaDetail::NAMES.len()],
    /// What providers take instead of what is shown; `None` where all take it, as nearly always.
    pub(super) accepted: [OnceCell<Option<Box<ByRules>>>; SchemaDetail::NAMES.len()],
    /// Tokens.
    pub(super) token_counts: [OnceCell<u32>; SchemaDetail::NAMES.len()],
}

/// By the number of the rules; `None` where those take it as it is shown.
pub(super) type ByRules = [OnceCell<Option<(Shown, Vec<Change>)>>; Rules::SETS];

/// A definition at one detail.
#[derive(Debug)]
pub(super) struct Shown {
    /// The definition behind its name: quoting descriptions again for each request would cost the
    /// JavaScript thread 20 ms for a large catalogue.
    pub(super) tail: Box<str>,
    schema_bytes: usize,
}

impl Shown {
    pub(super) fn new(description: Option<&str>, schema: &str) -> Self {
        let tail = match description {
            Some(text) => format!("{DESCRIPTION_KEY}{}{PARAMETERS_KEY}{schema}{DEFINITION_END}", Value::from(text)),
            None => format!("\"{PARAMETERS_KEY}{schema}{DEFINITION_END}"),
        };
        Self { tail: tail.into(), schema_bytes: schema.len() }
    }

    pub(super) fn parts(&self) -> (&str, &str) {
        let schema = self.tail.len() - DEFINITION_END.len() - self.schema_bytes;
        let description = self.tail.get(DESCRIPTION_KEY.len()..schema - PARAMETERS_KEY.len());
        (description.filter(|text| !text.is_empty()).unwrap_or("\"\""), &self.tail[schema..schema + self.schema_bytes])
    }
}
