//! Definitions that the host has accepted: with `changedTools: 'withhold'` a tool that says something else is off until
//! the host has looked at it.

use std::collections::{HashMap, HashSet};

use super::mcp::Source;
use super::scope::Off;
use super::tool::{Tool, ToolEntry};

/// Tools that are remembered after they have gone: fifty servers of the largest size. Beyond that all of them count as
/// new, once, rather than that memory grows with each name that a server thinks of.
const MAX_TOOLS: usize = 250_000;

type Key = (Source, String);

/// Hashes by server and tool. They outlive their servers: one that disconnects and comes back changed is no new one.
#[derive(Debug, Default)]
pub struct Accepted {
    hashes: HashMap<Key, HashMap<String, [u8; 32]>>,
    count: usize,
    /// Definitions with findings that the host has looked at.
    cleared: HashSet<[u8; 32]>,
}

impl Accepted {
    /// What becomes of a tool that is set. `before` is what it was until now.
    pub(super) fn judge(&mut self, key: &Key, tool: &Tool, before: Option<[u8; 32]>, withholds: bool) -> Option<Off> {
        let name = &tool.id.tool_name;
        if !withholds {
            if let Some(tools) = self.hashes.get_mut(key)
                && tools.remove(name).is_some()
            {
                self.count -= 1;
            }
            return None;
        }
        if let Some(accepted) = self.hashes.get(key).and_then(|tools| tools.get(name)) {
            return (*accepted != tool.hashes.content).then_some(Off::Changed);
        }
        let accepted = before.unwrap_or(tool.hashes.content);
        self.insert(key, name, accepted);
        (accepted != tool.hashes.content).then_some(Off::Changed)
    }

    fn insert(&mut self, key: &Key, name: &str, hash: [u8; 32]) {
        if self.count >= MAX_TOOLS {
            self.hashes.clear();
            self.count = 0;
        }
        let tools = self.hashes.entry(key.clone()).or_default();
        self.count += usize::from(tools.insert(name.to_owned(), hash).is_none());
    }

    /// Whether the host has looked at what was found in a tool as it is now.
    pub(super) fn is_cleared(&self, tool: &Tool) -> bool {
        self.cleared.contains(&tool.hashes.content)
    }

    /// Accepts a tool as it is now. Whether it was withheld.
    pub(super) fn accept(&mut self, key: &Key, entry: &mut ToolEntry) -> bool {
        if self.cleared.len() >= MAX_TOOLS {
            self.cleared.clear();
        }
        self.cleared.insert(entry.tool.hashes.content);
        self.insert(key, &entry.tool.id.tool_name, entry.tool.hashes.content);
        let was_withheld = matches!(entry.off, Some(Off::Changed | Off::Flagged));
        if was_withheld {
            entry.off = None;
        }
        was_withheld
    }
}
