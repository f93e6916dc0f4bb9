//! Which tools of a server, or of a part of it, come first where nobody said what for: its ways in, then what finds.

use std::cmp::Reverse;

use crate::companions::{Companions, ToolText};
use crate::text::names::{NameParts, Verb};

/// Places in the order in which they are worth having: the ways in; then what finds things, the most needed first and those that ask
/// for little; then what else only reads; then the rest.
pub fn core_order(tools: &[ToolText<'_>], parts: &[NameParts], companions: &Companions, members: &[usize]) -> Vec<usize> {
    let needed = companions.counts();
    let key = |at: &usize| {
        let tool = &tools[*at];
        let does = parts[*at].does;
        let finds = does == Some(Verb::Finds) || does == Some(Verb::Gets) && parts[*at].plural;
        let reads = tool.read_only || matches!(does, Some(Verb::Finds | Verb::Gets));
        let place = companions.way_in(*at).unwrap_or(usize::MAX);
        let class = match () {
            () if finds => 1,
            () if reads => 2,
            () => 3,
        };
        let needs = companions.of(*at).len();
        (place, class, Reverse(needed.get(*at).copied().unwrap_or(0)), needs, tool.name.to_owned())
    };
    let mut order = members.to_vec();
    order.sort_by_cached_key(key);
    order
}
