//! Names near a misspelt one.

use std::collections::HashSet;

use super::Index;
use crate::catalogue::name;
use crate::document::id::ToolId;
use crate::text::terms::{stem, words};

const NEAR_NAMES: usize = 3;

/// The longest name whose words are compared.
const MAX_BYTES: usize = 128;

/// The words of a name, in no order.
struct Words(Vec<String>);

impl Words {
    fn of(name: &str) -> Self {
        let name = &name[..name.floor_char_boundary(MAX_BYTES)];
        let mut stems: Vec<String> = words(name).into_iter().flat_map(|word| word.pieces).map(|piece| stem(&piece)).collect();
        stems.sort_unstable();
        stems.dedup();
        Self(stems)
    }

    /// Whether they are those of a tool's name, perhaps with its server's.
    fn are_those_of(&self, id: &ToolId) -> bool {
        let own = Self::of(&id.tool_name);
        if self.0.len() < 2 || !own.0.iter().all(|word| self.0.contains(word)) {
            return false;
        }
        let server = Self::of(&id.server_name);
        own.0.len() > 1 && self.0.iter().all(|word| own.0.contains(word) || server.0.contains(word) || word == "mcp")
    }
}

impl Index {
    /// Provider names of candidates that a wrong name may mean, the best first: of tools that are called exactly so, then
    /// of those with the same words in another order, then of those that are called nearly so, by their own name or by their
    /// provider name.
    pub fn near_names(&self, candidates: &[usize], wanted: &str) -> Vec<String> {
        let bare = |at: &usize| self.tools[*at].tool.id.tool_name.as_str();
        let own = candidates.iter().filter(|at| bare(at) == wanted).map(|at| self.tools[*at].name.clone());
        let words = Words::of(wanted);
        let same = candidates.iter().filter(|at| words.are_those_of(&self.tools[**at].tool.id));
        let same = same.map(|at| self.tools[*at].name.clone()).take(NEAR_NAMES);
        let by_bare = name::near(wanted, candidates.iter().map(bare), NEAR_NAMES);
        let by_bare = by_bare.iter().filter_map(|near| candidates.iter().find(|at| bare(at) == near));
        let by_bare = by_bare.map(|at| self.tools[*at].name.clone());
        let by_name = name::near(wanted, candidates.iter().map(|at| self.tools[*at].name.as_str()), NEAR_NAMES);
        let mut seen = HashSet::new();
        own.chain(same).chain(by_bare).chain(by_name).filter(|name| seen.insert(name.clone())).take(NEAR_NAMES).collect()
    }
}
