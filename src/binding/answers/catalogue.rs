//! What changed in the catalogue.

use napi_derive::napi;

use super::small;
use crate as core;

/// A tool, identified by its server's name and its own name.
#[napi(object, object_from_js = false, js_name = "ToolId")]
pub struct ToolId {
    /// The server's name.
    pub server_name: String,
    /// The tool's name, as its server gave it.
    pub tool_name: String,
}

impl From<core::document::id::ToolId> for ToolId {
    fn from(id: core::document::id::ToolId) -> Self {
        Self { server_name: id.server_name, tool_name: id.tool_name }
    }
}

/// A tool that the catalogue did not accept, and why. The other tools of its server were accepted.
#[napi(object, object_from_js = false)]
pub struct RefusedTool {
    /// The server's name.
    pub server_name: String,
    /// The tool's name; empty if it has no readable name.
    pub tool_name: String,
    /// Its place in the server's list, from 0.
    pub position: u32,
    /// Why it was refused, with the field, what was expected and what was received.
    pub reason: String,
}

/// What a host should know about a server or one of its tools. It changes no ranking.
#[napi(object, object_from_js = false)]
pub struct CatalogueWarning {
    /// `hidden-characters`: a text has characters that nobody sees. `look-alike-server`: the server's name looks like
    /// another one's, or is the same to a model. `names-other-tools`: the tool's description names a tool of another
    /// server. `stuffing`: the description is a heap of keywords, which is shown and not ranked.
    /// `definition-changed`: a tool that was known says something else now. `unknown-key`: a key of the server, or of
    /// its first tool without a description, is not read and nearly spelt as one that is. `unknown-tool`: `onlyAllow`,
    /// `disabledTools`, `alwaysLoad` or an override names a tool that the server does not have.
    #[napi(
        ts_type = "'hidden-characters' | 'look-alike-server' | 'names-other-tools' | 'stuffing' | 'definition-changed' | 'unknown-key' | 'unknown-tool'"
    )]
    pub code: String,
    /// The server's name.
    pub server_name: String,
    /// The tool's name; absent when the warning is about the server.
    pub tool_name: Option<String>,
    /// What was found, in one line for a person. It holds no text of a tool except names.
    pub detail: String,
}

/// What setting or removing servers changed.
#[napi(object, object_from_js = false)]
pub struct CatalogueChange {
    /// Tools that are new.
    pub added: Vec<ToolId>,
    /// Tools whose text or schema differs from before.
    pub changed: Vec<ToolId>,
    /// Tools that are gone.
    pub removed: Vec<ToolId>,
    /// How many tools stayed as they were and kept their terms, vectors and token counts.
    pub unchanged: u32,
    /// Tools that were not accepted.
    pub refused: Vec<RefusedTool>,
    /// What is suspicious about new and changed tools and about names of servers, at most 100.
    pub warnings: Vec<CatalogueWarning>,
    /// How many tools pinned themselves, at most `settings.serverPins` per server.
    pub server_pins: u32,
    /// How many more wished to.
    pub ignored_pins: u32,
}

fn ids(ids: Vec<core::document::id::ToolId>) -> Vec<ToolId> {
    ids.into_iter().map(Into::into).collect()
}

impl From<core::catalogue::change::CatalogueChange> for CatalogueChange {
    fn from(change: core::catalogue::change::CatalogueChange) -> Self {
        let refused = |tool: core::catalogue::mcp::RefusedTool| RefusedTool {
            server_name: tool.server_name,
            tool_name: tool.tool_name,
            position: small(tool.position),
            reason: tool.reason.to_string(),
        };
        let warning = |warning: core::catalogue::warning::Warning| CatalogueWarning {
            code: warning.code.name().into(),
            server_name: warning.server_name,
            tool_name: warning.tool_name,
            detail: warning.detail,
        };
        Self {
            added: ids(change.added),
            changed: ids(change.changed),
            removed: ids(change.removed),
            unchanged: small(change.unchanged),
            refused: change.refused.into_iter().map(refused).collect(),
            warnings: change.warnings.into_iter().map(warning).collect(),
            server_pins: small(change.server_pins),
            ignored_pins: small(change.ignored_pins),
        }
    }
}
