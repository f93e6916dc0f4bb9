//! A subtask prefers the tools of the task that it is a part of, among the best for its own text.

use super::task::{Ground, Request, Task};
use crate::query::Naming;
use crate::ranking::{RankedTool, Ranking};

/// How far before the first of the others they stand, in units of scores: less than any two tools differ.
const BEFORE: f64 = 1e-6;

/// How many tools a first selection takes where nobody says, about.
const FIRST: usize = 18;

/// Puts the parent's tools that are among the best of the ranking, twice as many as the selection takes, first: behind what the
/// text names, and among themselves as they stand.
pub fn prefer(ranking: &mut Ranking, ground: Ground<'_>, _: &Request<'_>, task: &Task<'_>) {
    let Some(parent) = task.parent.filter(|parent| !parent.tools.is_empty()) else { return };
    let most = parent.first_k.unwrap_or(FIRST);
    let is_unnamed = |tool: &RankedTool| tool.shares.named.how == Naming::None;
    let is_own = |(at, tool): (usize, &RankedTool)| {
        at < 2 * most
            && is_unnamed(tool)
            && tool.shares.supported
            && parent.tools.contains(&ground.index.tools[tool.position].tool.id)
    };
    let own: Vec<bool> = ranking.tools.iter().enumerate().map(is_own).collect();
    let score = |wanted: bool| {
        let of = own.iter().zip(&ranking.tools).filter(move |(own, tool)| **own == wanted && is_unnamed(tool));
        of.map(|(_, tool)| tool.score)
    };
    let (first, last) = (score(false).fold(f64::NEG_INFINITY, f64::max), score(true).fold(f64::INFINITY, f64::min));
    if !(first.is_finite() && last.is_finite() && first >= last) {
        return;
    }
    for (tool, _) in ranking.tools.iter_mut().zip(&own).filter(|(_, own)| **own) {
        tool.adjust(|shares| shares.of_parent = first - last + BEFORE);
    }
    ranking.sort();
}
