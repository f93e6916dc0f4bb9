//! The tables of words and patterns that a first ranking makes, 45 ms of CPU time: made beside the first servers being set,
//! so that the first ranking finds most of them there.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Builder;

use super::{RankOptions, ToolRouter};
use crate::catalogue::ServerPath;
use crate::catalogue::mcp::{McpServer, McpTool};

/// Reads the tables of every text; others belong to languages, and are made when one comes.
const TEXT: &str = "list the open issues of the repository, then send them to the team";

static HAVE_BEGUN: AtomicBool = AtomicBool::new(false);

/// Begins to make them, once in a process. Without a thread, they are made when they are needed.
pub fn begin() {
    if !HAVE_BEGUN.swap(true, Ordering::Relaxed) {
        let _ = Builder::new().name("tool-router-tables".into()).spawn(make);
    }
}

/// Ranks one tool by a router of its own.
fn make() {
    let router = ToolRouter::new();
    let server = McpServer { name: "issues".into(), tools: vec![McpTool::new("list_issues")], ..McpServer::default() };
    if router.set_servers(vec![server], false, ServerPath::List("servers")).is_ok() {
        let _ = router.rank(TEXT, &RankOptions::default());
    }
}
