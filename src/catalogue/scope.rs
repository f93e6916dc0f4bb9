//! Which tools a task may use. Scope comes before ranking: what is out of scope is never ranked.

use std::collections::{BTreeSet, HashSet};
use std::fmt;

use super::mcp::{McpServer, McpTool, OnlyAllow};
use crate::settings::ModeScope;

/// Why the configuration keeps a tool off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Off {
    /// Its server is disabled.
    ServerDisabled,
    /// Its server's `onlyAllow` is a list without it, or `'none'`.
    NotAllowed,
    /// Its server's `disabledTools` names it.
    ToolDisabled,
    /// The host set `enabledForPrompt: false`.
    NotForPrompt,
    /// It has changed, and the host has not looked at it since.
    Changed,
    /// Its texts try to do something to a model, and the host has not looked at it.
    Flagged,
}

impl fmt::Display for Off {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ServerDisabled => "its server is disabled",
            Self::NotAllowed => "its server's onlyAllow leaves it out",
            Self::ToolDisabled => "its server's disabledTools list names it",
            Self::NotForPrompt => "it has enabledForPrompt: false",
            Self::Changed => "its definition has changed and was not acknowledged",
            Self::Flagged => "its texts are suspicious and were not acknowledged",
        })
    }
}

/// What a server's configuration says about one of its tools.
pub(crate) fn off(server: &McpServer, tool: &McpTool) -> Option<Off> {
    if server.disabled {
        Some(Off::ServerDisabled)
    } else if !tool.enabled_for_prompt {
        Some(Off::NotForPrompt)
    } else {
        match &server.only_allow {
            OnlyAllow::Any => server.disabled_tools.contains(&tool.name).then_some(Off::ToolDisabled),
            OnlyAllow::None => Some(Off::NotAllowed),
            OnlyAllow::Tools(names) => (!names.contains(&tool.name)).then_some(Off::NotAllowed),
        }
    }
}

/// Which servers a task may use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    #[default]
    All,
    /// Exactly these.
    Only(HashSet<String>),
    /// All but these.
    Except(HashSet<String>),
}

impl Scope {
    /// Reads a mode's rule: an allow list wins over a block list, even when it is empty.
    #[must_use]
    pub fn of_mode(mode: &ModeScope) -> Self {
        match (&mode.allowed_mcp_servers, &mode.blocked_mcp_servers) {
            (Some(allowed), _) => Self::Only(allowed.iter().cloned().collect()),
            (None, Some(blocked)) => Self::Except(blocked.iter().cloned().collect()),
            (None, None) => Self::All,
        }
    }

    /// What of it is among these servers.
    #[must_use]
    pub fn within(&self, servers: &BTreeSet<String>) -> Self {
        Self::Only(servers.iter().filter(|server| self.allows(server)).cloned().collect())
    }

    /// Whether a server's tools may be used.
    #[must_use]
    pub fn allows(&self, server_name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(allowed) => allowed.contains(server_name),
            Self::Except(blocked) => !blocked.contains(server_name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(only_allow: &[&str], disabled_tools: &[&str], disabled: bool, for_prompt: bool) -> Option<Off> {
        let list = |names: &[&str]| -> Vec<String> { names.iter().map(|name| (*name).to_owned()).collect() };
        let only_allow = OnlyAllow::from(list(only_allow));
        let server = McpServer { only_allow, disabled_tools: list(disabled_tools), disabled, ..McpServer::default() };
        off(&server, &McpTool { enabled_for_prompt: for_prompt, ..McpTool::new("a") })
    }

    #[test]
    fn only_allow_wins_over_disabled_tools() {
        assert_eq!(verdict(&["a"], &["a"], false, true), None);
        assert_eq!(verdict(&["b"], &[], false, true), Some(Off::NotAllowed));
    }

    #[test]
    fn an_empty_only_allow_leaves_disabled_tools_in_force() {
        assert_eq!(verdict(&[], &["a"], false, true), Some(Off::ToolDisabled));
        assert_eq!(verdict(&[], &["b"], false, true), None);
    }

    #[test]
    fn only_allow_none_turns_all_off() {
        let server = McpServer { only_allow: OnlyAllow::None, ..McpServer::default() };
        assert_eq!(off(&server, &McpTool::new("a")), Some(Off::NotAllowed));
    }

    #[test]
    fn a_disabled_server_and_a_tool_not_for_prompts_are_off_whatever_is_allowed() {
        assert_eq!(verdict(&["a"], &[], true, true), Some(Off::ServerDisabled));
        assert_eq!(verdict(&["a"], &[], false, false), Some(Off::NotForPrompt));
    }

    #[test]
    fn an_allow_list_wins_over_a_block_list_even_when_empty() {
        let names = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect());
        let scope = |allowed, blocked| Scope::of_mode(&ModeScope { allowed_mcp_servers: allowed, blocked_mcp_servers: blocked });
        assert!(!scope(names(&[]), None).allows("a"));
        assert!(scope(names(&["a"]), names(&["a"])).allows("a"));
        assert!(!scope(None, names(&["a"])).allows("a"));
        assert!(scope(None, names(&["a"])).allows("b"));
        assert!(scope(None, None).allows("a"));
    }

    #[test]
    fn servers_narrow_a_scope_and_never_widen_it() {
        let servers = ["a", "b"].map(str::to_owned).into();
        let verdicts = |scope: Scope| ["a", "b", "c"].map(|server| scope.within(&servers).allows(server));
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(verdicts(Scope::All), [true, true, false]);
        assert_eq!(verdicts(Scope::Only(set(&["b", "c"]))), [false, true, false]);
        assert_eq!(verdicts(Scope::Except(set(&["b"]))), [true, false, false]);
    }
}
