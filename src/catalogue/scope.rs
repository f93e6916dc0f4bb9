//! Which tools a task may use. Scope comes before ranking: what is out of scope is never ranked.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::mcp::{McpServer, McpTool, OnlyAllow};
use crate::document::id::ToolId;
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
    } else if server.disabled_tools.contains(&tool.name) {
        Some(Off::ToolDisabled)
    } else {
        let allows = match &server.only_allow {
            OnlyAllow::Any => true,
            OnlyAllow::None => false,
            OnlyAllow::Tools(names) => names.contains(&tool.name),
        };
        (!allows).then_some(Off::NotAllowed)
    }
}

/// The servers that somebody may use, by name, and of some of them only these tools.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<ServerScope>", into = "Vec<ServerScope>")]
pub struct Servers(BTreeMap<String, Option<BTreeSet<String>>>);

/// One of [`Servers`], as a host writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ServerScope {
    /// All of its tools.
    Whole(String),
    /// These tools of it.
    Part {
        /// Its name.
        name: String,
        /// Names of tools.
        tools: BTreeSet<String>,
    },
}

impl From<String> for ServerScope {
    fn from(name: String) -> Self {
        Self::Whole(name)
    }
}

impl<S: Into<ServerScope>> FromIterator<S> for Servers {
    /// A server that stands in it twice has all that either gives it.
    fn from_iter<I: IntoIterator<Item = S>>(scopes: I) -> Self {
        let mut servers: BTreeMap<String, Option<BTreeSet<String>>> = BTreeMap::new();
        for scope in scopes {
            match scope.into() {
                ServerScope::Whole(name) => drop(servers.insert(name, None)),
                ServerScope::Part { name, tools } => {
                    if let Some(known) = servers.entry(name).or_insert_with(|| Some(BTreeSet::new())) {
                        known.extend(tools);
                    }
                }
            }
        }
        Self(servers)
    }
}

impl From<Vec<ServerScope>> for Servers {
    fn from(scopes: Vec<ServerScope>) -> Self {
        scopes.into_iter().collect()
    }
}

impl From<Servers> for Vec<ServerScope> {
    fn from(servers: Servers) -> Self {
        let written = |(name, tools)| match tools {
            None => ServerScope::Whole(name),
            Some(tools) => ServerScope::Part { name, tools },
        };
        servers.0.into_iter().map(written).collect()
    }
}

/// Which servers a task may use, and which of their tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    #[default]
    All,
    /// Exactly these.
    Only(Servers),
    /// All but these.
    Except(HashSet<String>),
}

impl Scope {
    /// Reads a mode's rule: an allow list wins over a block list, even when it is empty.
    pub fn of_mode(mode: &ModeScope) -> Self {
        match (&mode.allowed_mcp_servers, &mode.blocked_mcp_servers) {
            (Some(allowed), _) => Self::Only(allowed.iter().cloned().collect()),
            (None, Some(blocked)) => Self::Except(blocked.iter().cloned().collect()),
            (None, None) => Self::All,
        }
    }

    /// What of it is among these. A mode of the host allows servers as a whole.
    #[must_use]
    pub fn within(&self, servers: &Servers) -> Self {
        let allowed = servers.0.iter().filter(|(name, _)| self.allows(name));
        Self::Only(Servers(allowed.map(|(name, tools)| (name.clone(), tools.clone())).collect()))
    }

    /// Whether a server may be used, or some of its tools.
    pub fn allows(&self, server_name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(allowed) => allowed.0.contains_key(server_name),
            Self::Except(blocked) => !blocked.contains(server_name),
        }
    }

    /// Whether only some tools of a server may be used.
    pub fn has_part_of(&self, server_name: &str) -> bool {
        matches!(self, Self::Only(Servers(allowed)) if matches!(allowed.get(server_name), Some(Some(_))))
    }

    /// Whether a tool may be used.
    pub fn allows_tool(&self, ToolId { server_name, tool_name }: &ToolId) -> bool {
        match self {
            Self::Only(Servers(allowed)) => {
                allowed.get(server_name).is_some_and(|tools| tools.as_ref().is_none_or(|tools| tools.contains(tool_name)))
            }
            Self::All | Self::Except(_) => self.allows(server_name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_narrow_a_scope_and_never_widen_it() {
        let servers = ["a", "b"].map(str::to_owned).into_iter().collect();
        let verdicts = |scope: Scope| ["a", "b", "c"].map(|server| scope.within(&servers).allows(server));
        let names = |names: &[&str]| -> Vec<String> { names.iter().map(|name| (*name).to_owned()).collect() };
        assert_eq!(verdicts(Scope::All), [true, true, false]);
        assert_eq!(verdicts(Scope::Only(names(&["b", "c"]).into_iter().collect())), [false, true, false]);
        assert_eq!(verdicts(Scope::Except(names(&["b"]).into_iter().collect())), [true, false, false]);
    }

    #[test]
    fn a_part_of_a_server_is_those_tools_and_the_union_with_another_part() {
        let part = |tools: &[&str]| ServerScope::Part {
            name: "a".to_owned(),
            tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        };
        let verdicts = |scopes: Vec<ServerScope>| {
            let scope = Scope::All.within(&scopes.into());
            ["x", "y", "z"].map(|tool| scope.allows_tool(&ToolId::new("a", tool)))
        };
        assert_eq!(verdicts(vec![part(&["x"])]), [true, false, false]);
        assert_eq!(verdicts(vec![part(&["x"]), part(&["y"])]), [true, true, false]);
        assert_eq!(verdicts(vec![part(&[]), "a".to_owned().into(), part(&["x"])]), [true, true, true]);
        assert_eq!(verdicts(vec!["b".to_owned().into()]), [false, false, false]);
    }

    #[test]
    fn servers_are_written_as_they_are_read() {
        let text = r#"["a",{"name":"b","tools":["x","y"]}]"#;
        let read: Servers = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }
}
