//! What our own tools are called where a model reads of them.

use super::pair::Pair;
use crate::settings::Provider;

/// The tool that reads more of a result that was too long.
pub const READ_RESULT: &str = "read_result";
/// What the Responses API calls the tool that searches.
const TOOL_SEARCH: &str = "tool_search";

impl Pair {
    /// The tool that a model calls to load others: at the Responses API an entry of its own kind, where tools are deferred.
    pub fn loader(self) -> &'static str {
        if self.provider == Provider::OpenaiResponses && self.delivery.defers() { TOOL_SEARCH } else { self.names.load() }
    }
}
