//! What was learned from calls, and is forgotten: because the host says so, or because the definition that it is about has gone.

use std::collections::HashSet;

use super::facade::ToolRouter;
use crate::catalogue::change::CatalogueChange;
use crate::catalogue::name::{provider_name, underscored};
use crate::document::id::ToolId;

/// What to forget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forget {
    /// Everything.
    All,
    /// What was learned about the tools of a server.
    Server(String),
    /// What was learned about a tool.
    Tool(ToolId),
    /// A tool by its provider name, or a server by its name.
    Named(String),
}

impl Forget {
    fn covers(&self, id: &ToolId) -> bool {
        match self {
            Self::All => true,
            Self::Server(name) => id.server_name == *name,
            Self::Tool(tool) => id == tool,
            Self::Named(name) => {
                id.server_name == *name || underscored(&provider_name(&id.server_name, &id.tool_name)) == underscored(name)
            }
        }
    }
}

impl ToolRouter {
    /// Forgets what calls taught: which tools are used, what requests led to, and what was called before what; a file of uses is
    /// written. The answer is how many tools something was known about. They need not be in the catalogue any more.
    pub fn forget(&self, what: &Forget) -> usize {
        let gone = self.forget_those(&|id| what.covers(id));
        // A file that cannot be written is told by `persistUses`.
        let _ = self.uses.lock().save();
        gone
    }

    /// What was learned about a definition goes with it. A file of uses keeps what it has until the next use is written: a host
    /// that removes its servers before it ends finds its uses again.
    pub(super) fn forget_gone(&self, change: &CatalogueChange) {
        let gone: HashSet<&ToolId> = change.removed.iter().chain(&change.changed).collect();
        if !gone.is_empty() {
            self.forget_those(&|id| gone.contains(id));
        }
    }

    fn forget_those(&self, is_gone: &dyn Fn(&ToolId) -> bool) -> usize {
        let mut gone = self.uses.lock().forget(is_gone);
        gone.extend(self.sessions.lock().used.forget(is_gone));
        gone.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::ServerPath;
    use crate::catalogue::mcp::{McpServer, McpTool};
    use crate::session::selection::Selection;
    use crate::settings::Settings;

    fn server(name: &str, said: &str) -> McpServer {
        let tool = |tool: &str| McpTool { description: Some(said.into()), ..McpTool::new(format!("{tool}_{name}")) };
        McpServer { name: name.into(), tools: ["read", "post"].map(tool).to_vec(), ..McpServer::default() }
    }

    fn router() -> ToolRouter {
        let router = ToolRouter::new();
        let servers = ["chat", "greedy", "notes"].map(|name| server(name, name)).to_vec();
        router.set_servers(servers, false, ServerPath::List("servers")).unwrap();
        router
    }

    fn start(router: &ToolRouter) -> Selection {
        let settings = Settings { threshold: 0, ..Settings::default() };
        let session = router.open_session(None, None, settings).unwrap();
        router.advance(&session, "post_chat in the chat")
    }

    /// A task that calls a tool of another server first.
    fn teach(router: &ToolRouter) {
        let session = router.open_session(None, None, Settings::default()).unwrap();
        router.advance(&session, "post something in the chat");
        for id in [ToolId::new("greedy", "read_greedy"), ToolId::new("chat", "post_chat")] {
            router.record_use_after(&id, "post something in the chat", session.lock().has_called_nothing()).unwrap();
            session.lock().note_use(id);
        }
    }

    fn comes_along(router: &ToolRouter) -> bool {
        start(router).companions.iter().any(|companion| companion.name.contains("greedy"))
    }

    #[test]
    fn what_was_learned_goes_with_the_definition_of_the_tool() {
        let change: [fn(&ToolRouter); 3] = [
            |router| {
                router.remove_server("greedy", None);
                router.set_servers(vec![server("greedy", "greedy")], false, ServerPath::List("servers")).unwrap();
            },
            |router| {
                router.set_servers(vec![server("greedy", "another text")], false, ServerPath::List("servers")).unwrap();
            },
            |router| {
                let kept = ["chat", "notes"].map(|name| server(name, name)).to_vec();
                router.set_servers(kept, true, ServerPath::List("servers")).unwrap();
                router.set_servers(vec![server("greedy", "greedy")], false, ServerPath::List("servers")).unwrap();
            },
        ];
        for change in change {
            let router = router();
            assert!(!comes_along(&router));
            teach(&router);
            assert!(comes_along(&router));
            router.set_servers(vec![server("greedy", "greedy")], false, ServerPath::List("servers")).unwrap();
            assert!(comes_along(&router), "the same definition again");
            change(&router);
            assert!(!comes_along(&router));
            assert_eq!(router.forget(&Forget::All), 1, "what was learned about chat stays");
        }
    }

    #[test]
    fn what_a_host_names_is_forgotten_and_nothing_else() {
        let id = |server: &str, tool: &str| ToolId::new(server, tool);
        let cases = [
            (Forget::Named("greedy".into()), 1, false),
            (Forget::Named("mcp__greedy__read-greedy".into()), 1, false),
            (Forget::Server("greedy".into()), 1, false),
            (Forget::Tool(id("greedy", "read_greedy")), 1, false),
            (Forget::Tool(id("greedy", "post_greedy")), 0, true),
            (Forget::Server("absent".into()), 0, true),
            (Forget::All, 2, false),
        ];
        for (what, count, comes) in cases {
            let router = router();
            teach(&router);
            assert_eq!((router.forget(&what), comes_along(&router)), (count, comes), "{what:?}");
            let left = router.uses.lock().preference().tools().count();
            assert_eq!(left, 2 - count, "{what:?}");
        }
    }
}
