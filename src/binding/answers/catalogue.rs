//! What changed in the catalogue.

use napi_derive::napi;

use crate as core;

/// A tool, identified by its server's name and its own name.
#[napi(object, object_from_js = false, js_name = "ToolRef")]
pub struct ToolRef {
    pub server_name: String,
    /// The tool's name, as its server gave it.
    pub tool_name: String,
}

/// A tool that the catalogue did not accept, and why. The other tools of its server were accepted.
#[napi(object, object_from_js = false)]
pub struct RefusedTool {
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
    /// What was found; docs/inside/faults.md has what each means.
    #[napi(
        ts_type = "'hidden-characters' | 'look-alike-server' | 'names-other-tools' | 'stuffing' | 'definition-changed' | 'unknown-key' | 'unknown-tool' | 'replaces-global-server' | 'common-name' | 'adapted-schema'"
    )]
    pub code: String,
    pub server_name: String,
    /// The tool's name; absent when the warning is about the server.
    pub tool_name: Option<String>,
    /// What was found, in one line for a person. It holds no text of a tool except names.
    pub detail: String,
}

/// What a text of a server tries to do to a model. It changes no ranking.
#[napi(object, object_from_js = false)]
pub struct Finding {
    /// What the text tries to do to a model; docs/security.md has what each means.
    #[napi(
        ts_type = "'instructs' | 'hides-from-user' | 'takes-secrets' | 'commands-calls' | 'runs-commands' | 'hidden-payload' | 'hidden-characters' | 'look-alike-letters' | 'beyond-its-name' | 'shadows-tools' | 'copies-tool' | 'asks-for-context' | 'manipulates'"
    )]
    pub code: String,
    /// `high`: honest texts hardly ever say it; `medium`: rarely; `low`: they say it too.
    #[napi(ts_type = "'high' | 'medium' | 'low'")]
    pub severity: String,
    /// `name`, `title`, `description`, `instructions`, or a path such as `inputSchema/properties/path/description`.
    pub field: String,
    /// Where it begins in that text.
    pub start: u32,
    /// Where it ends, so that `text.slice(start, end)` is what was found.
    pub end: u32,
}

/// A finding in a text of a server.
#[napi(object, object_from_js = false)]
pub struct CatalogueFinding {
    pub server_name: String,
    /// The tool's name; absent when it is in a text of the server.
    pub tool_name: Option<String>,
    /// What was found, and where.
    pub finding: Finding,
}

/// What setting or removing servers changed.
#[napi(object, object_from_js = false)]
pub struct CatalogueChange {
    /// Tools that are new.
    pub added: Vec<ToolRef>,
    /// Tools whose text or schema differs from before.
    pub changed: Vec<ToolRef>,
    /// Tools that are gone.
    pub removed: Vec<ToolRef>,
    /// How many tools stayed as they were and kept their terms, vectors and token counts.
    pub unchanged: u32,
    /// Tools that were not accepted.
    pub refused: Vec<RefusedTool>,
    /// What is suspicious about new and changed tools and about names of servers, at most 100.
    pub warnings: Vec<CatalogueWarning>,
    /// What texts of new and changed tools and of servers try to do to a model, the worst first, at most 100.
    pub findings: Vec<CatalogueFinding>,
    /// How many tools pinned themselves: of servers with `ownPins`, at most 10 each.
    pub server_pins: u32,
    /// How many more wished to.
    pub ignored_pins: u32,
}

answers! {
    core::document::id::ToolId => ToolRef { server_name, tool_name };
    core::shield::Finding => Finding { code: check, severity, field, start, end };
    core::catalogue::change::CatalogueChange => CatalogueChange {
        added, changed, removed, unchanged, refused, warnings, findings, server_pins, ignored_pins
    };
    core::catalogue::mcp::RefusedTool => RefusedTool { server_name, tool_name, position } with |it| { reason: it.reason.to_string() };
    core::catalogue::warning::Warning => CatalogueWarning { code, server_name, tool_name, detail };
    core::catalogue::change::Found => CatalogueFinding { server_name, tool_name, finding };
}
