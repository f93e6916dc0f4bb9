//! Names in text for a model.

use crate::text::hidden;

/// A server's name is foreign text in a prompt: one line, of bounded length.
pub(super) fn printable(name: &str) -> String {
    hidden::strip(name).chars().filter(|c| !c.is_control()).take(64).collect()
}
