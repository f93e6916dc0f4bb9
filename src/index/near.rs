//! Names near a misspelt one.

use std::collections::HashSet;

use super::Index;
use crate::catalogue::name;

/// Near names offered for one that does not exist.
const NEAR_NAMES: usize = 3;

impl Index {
    /// Provider names of candidates that a wrong name may mean, the best first: of tools that are called exactly so, then
    /// of those that are called nearly so, by their own name or by their provider name.
    #[must_use]
    pub fn near_names(&self, candidates: &[usize], wanted: &str) -> Vec<String> {
        let bare = |at: &usize| self.tools[*at].tool.id.tool_name.as_str();
        let own = candidates.iter().filter(|at| bare(at) == wanted).map(|at| self.tools[*at].name.clone());
        let by_bare = name::near(wanted, candidates.iter().map(bare), NEAR_NAMES);
        let by_bare = by_bare.iter().filter_map(|near| candidates.iter().find(|at| bare(at) == near));
        let by_bare = by_bare.map(|at| self.tools[*at].name.clone());
        let by_name = name::near(wanted, candidates.iter().map(|at| self.tools[*at].name.as_str()), NEAR_NAMES);
        let mut seen = HashSet::new();
        own.chain(by_bare).chain(by_name).filter(|name| seen.insert(name.clone())).take(NEAR_NAMES).collect()
    }
}
