//! Tools and servers of a generation.

use std::sync::Arc;

use crate::catalogue::profile::ServerProfile;
use crate::catalogue::scope::Off;
use crate::catalogue::tool::Tool;

/// A tool at its position.
#[derive(Debug)]
pub struct IndexedTool {
    pub tool: Arc<Tool>,
    pub name: String,
    /// Why the configuration keeps it off, if it does.
    pub off: Option<Off>,
    /// Whether it is attached to every dynamic selection.
    pub always_load: bool,
}

/// A server of this generation.
#[derive(Debug)]
pub struct IndexedServer {
    pub name: String,
    pub tools: std::ops::Range<usize>,
    /// Whether the configuration leaves it on.
    pub on: bool,
    /// What ranking of servers reads of it.
    pub profile: Arc<ServerProfile>,
}
