//! Which tools of a server, or of a part of it, come first where nobody said what for: what others need, then what finds.

use std::cmp::Reverse;

use super::tool::ModuleTool;
use crate::companions::Companions;
use crate::text::names::{NameParts, Verb};

/// Places in the order in which they are worth having: tools that others need, the most needed first; then harmless ones
/// that find things, those that ask for little first; then the others that only read; then the rest.
#[must_use]
pub fn core_order(tools: &[ModuleTool<'_>], parts: &[NameParts], companions: &Companions, members: &[usize]) -> Vec<usize> {
    let needed = companions.counts();
    let hubs = companions.hubs();
    let key = |at: &usize| {
        let tool = &tools[*at];
        let does = parts[*at].does;
        let finds = does == Some(Verb::Finds) || does == Some(Verb::Gets) && parts[*at].plural;
        let reads = tool.read_only || matches!(does, Some(Verb::Finds | Verb::Gets));
        let class = match () {
            () if hubs.contains(at) => 0,
            () if finds => 1,
            () if reads => 2,
            () => 3,
        };
        let needs = companions.of(*at).len();
        (class, Reverse(needed.get(*at).copied().unwrap_or(0)), needs, tool.text.name.to_owned())
    };
    let mut order = members.to_vec();
    order.sort_by_cached_key(key);
    order
}
