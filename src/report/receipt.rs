//! What a selection cost, and what fills a context.

use super::ledger::Ledger;

/// What definitions of one server cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerTokens {
    pub server_name: String,
    /// Tokens of all its definitions in scope.
    pub scoped: usize,
    /// Tokens of those attached.
    pub attached: usize,
    pub attached_count: usize,
}

/// What a selection cost, and what it saved.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TokenReceipt {
    /// Tokens of all definitions in scope: what static loading costs.
    pub scoped: usize,
    /// Tokens of the definitions attached.
    pub attached: usize,
    /// Tokens of the definition of `mcp_load`, without a directory in it.
    pub mcp_load: usize,
    /// Tokens of the directory.
    pub directory: usize,
    /// `scoped` less the other three; 0 when they are more.
    pub saved: usize,
    /// The most that a dynamic first selection may cost; a whole task twice that.
    pub budget: usize,
    /// The same by server, in catalogue order, servers in scope only.
    pub servers: Vec<ServerTokens>,
    /// What the tools of the task have cost so far at a provider that caches.
    pub ledger: Ledger,
}

/// Tokens of one named part of a context.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionTokens {
    pub name: String,
    pub tokens: usize,
    /// Its share of the context window, or of the total when no window is known.
    pub share: f64,
}

/// What fills a context, for a panel.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextUsage {
    pub total: usize,
    /// What shares refer to: the window, or the total when no window is known.
    pub window: usize,
    pub sections: Vec<SectionTokens>,
    /// MCP tools by server.
    pub servers: Vec<SectionTokens>,
}

impl ContextUsage {
    /// Adds shares to counts.
    pub fn new(sections: Vec<(String, usize)>, servers: Vec<(String, usize)>, window: Option<usize>) -> Self {
        crate::fault::point("report");
        let total: usize = sections.iter().chain(&servers).map(|(_, tokens)| tokens).sum();
        let window = window.unwrap_or(total);
        #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
        let share = |tokens: usize| if window == 0 { 0.0 } else { tokens as f64 / window as f64 };
        let rows = |parts: Vec<(String, usize)>| {
            parts.into_iter().map(|(name, tokens)| SectionTokens { name, tokens, share: share(tokens) }).collect()
        };
        Self { total, window, sections: rows(sections), servers: rows(servers) }
    }
}
