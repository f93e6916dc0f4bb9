//! The identity of a tool.

use serde::{Deserialize, Serialize};

use super::lookup::key_hash;

/// What a tool is known by: never the provider name, which may be cut or carry a suffix.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolId {
    /// The server's name.
    pub server_name: String,
    /// The tool's name, as its server gave it.
    pub tool_name: String,
}

impl ToolId {
    /// Joins a server's and a tool's name.
    pub fn new(server_name: impl Into<String>, tool_name: impl Into<String>) -> Self {
        Self { server_name: server_name.into(), tool_name: tool_name.into() }
    }

    /// A hash to be found by.
    pub fn key_hash(&self) -> u64 {
        key_hash(&[&self.server_name, "\0", &self.tool_name])
    }
}
