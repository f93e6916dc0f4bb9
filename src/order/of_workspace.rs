//! What the workspace means: a bounded prior over servers, for tools that something in the text matches anyway.

use super::task::{Ground, Request, Task};
use crate::ranking::Ranking;

/// The most that a workspace adds to a score, as a share of the best one: among tools that fit alike it decides.
const MOST: f64 = 0.25;

/// Leans a ranking towards the servers that the workspace means.
pub fn lean(ranking: &mut Ranking, ground: Ground<'_>, _: &Request<'_>, task: &Task<'_>) {
    let servers = task.workspace.map(|workspace| workspace.servers(ground.index, ground.scope)).unwrap_or_default();
    if servers.is_empty() {
        return;
    }
    let best = ranking.best_plain();
    for tool in ranking.tools.iter_mut().filter(|tool| tool.shares.supported) {
        let meant = servers.get(&ground.index.server_at(tool.position)).copied().unwrap_or(0.0);
        tool.adjust(|shares| shares.of_workspace = MOST * best * meant);
    }
    ranking.sort();
}
