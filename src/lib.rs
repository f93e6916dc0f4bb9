//! Decides, natively and locally, which MCP tools a coding task gets.
//!
//! # Terminology
//!
//! - **tool**: what an MCP server offers; known by its server's and its own name.
//! - **catalogue**: all tools of all servers. **Scope**: those that a task may use.
//! - **query**: what a user or model asks with. **Term**: a unit of text for BM25.
//!   **Token**: a unit of text that the language model is billed in.
//! - **lexical**, **semantic**, **hybrid**: ranking by terms, by vectors, by both.
//! - **attach**: give the model a tool's definition. **Load**: attach at the model's own request.
//! - **session**: the state of one task. **Selection**: what a turn of it attached.
//!
//! # Example
//!
//! ```
//! use tool_router::catalogue::ServerPath;
//! use tool_router::catalogue::mcp::{McpServer, McpTool};
//! use tool_router::router::{RankOptions, ToolRouter};
//!
//! let mut tool = McpTool::new("create_issue");
//! tool.description = Some("Create a new issue in a repository".into());
//! let server = McpServer { name: "github".into(), tools: vec![tool], ..McpServer::default() };
//!
//! let router = ToolRouter::new();
//! router.set_servers(vec![server], false, ServerPath::List("servers"))?;
//! let ranking = router.rank("file a bug report issue", &RankOptions::default())?;
//! assert_eq!(ranking.tools[0].name, "mcp--github--create_issue");
//! # Ok::<(), tool_router::error::Error>(())
//! ```
//!
//! The folders are the stages of the pipeline, in the order in which data passes them; see
//! `DESIGN.md`. Nothing here knows of Node.js but `binding`, behind the feature `node`.

#![cfg_attr(not(feature = "node"), forbid(unsafe_code))]

/// An enumeration of values that callers know by a name, which stands beside each.
macro_rules! named {
    ($(#[$on:meta])* pub enum $kind:ident { $($(#[$of:meta])* $value:ident = $name:literal,)+ }) => {
        $(#[$on])*
        pub enum $kind {
            $($(#[$of])* $value,)+
        }

        impl $kind {
            /// All of them, each behind the name that callers see.
            pub const NAMES: [(&'static str, Self); [$($name),+].len()] = [$(($name, Self::$value)),+];

            /// The name that callers see.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }
        }
    };
}

pub mod ablation;
#[cfg(feature = "node")]
mod binding;
pub mod catalogue;
pub(crate) mod companions;
mod config_file;
pub mod curation;
pub mod degraded;
pub mod delivery;
pub mod document;
pub mod embedding;
pub mod error;
pub(crate) mod evidence;
pub mod fault;
pub(crate) mod index;
pub(crate) mod knowledge;
pub(crate) mod modules;
pub(crate) mod order;
pub(crate) mod query;
pub(crate) mod ranking;
pub(crate) mod regular_file;
pub(crate) mod report;
pub mod results;
pub mod router;
pub mod schema;
pub mod session;
pub mod settings;
pub mod shield;
pub mod text;
pub(crate) mod tool_call;
pub(crate) mod uses;
