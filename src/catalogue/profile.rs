//! A server as rankings of servers see it.

use std::sync::OnceLock;

use crate::document::entry::ServerEntry;
use crate::document::server::ServerDocument;

/// What ranking of servers reads of one server. Built when the server or its entry is set; its
/// terms are counted at the first call.
#[derive(Debug)]
pub struct ServerProfile {
    /// The server's name.
    pub name: String,
    /// What the registry says of it, if anything.
    pub entry: Option<ServerEntry>,
    instructions: Option<String>,
    tool_names: Vec<String>,
    document: OnceLock<ServerDocument>,
}

impl ServerProfile {
    pub(crate) fn new(name: &str, entry: Option<ServerEntry>, instructions: Option<String>, tool_names: Vec<String>) -> Self {
        Self { name: name.to_owned(), entry, instructions, tool_names, document: OnceLock::new() }
    }

    /// The same server with another entry.
    pub(crate) fn with_entry(&self, entry: Option<ServerEntry>) -> Self {
        Self::new(&self.name, entry, self.instructions.clone(), self.tool_names.clone())
    }

    /// What the server says about itself.
    #[must_use]
    pub fn instructions(&self) -> Option<&str> {
        self.instructions.as_deref()
    }

    /// What ranking reads of it, worked out at the first call.
    pub fn document(&self) -> &ServerDocument {
        self.document
            .get_or_init(|| ServerDocument::new(&self.name, self.entry.as_ref(), self.instructions.as_deref(), &self.tool_names))
    }
}
