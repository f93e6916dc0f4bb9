//! `scopeBy: 'server'`: the tools of the servers that fit best, each server giving one in turn.

use crate::ranking::{RankedTool, Ranking};

/// Takes the tools of chosen servers in turn, so that none that was chosen is left without.
pub fn in_turn(ranking: &mut Ranking, chosen: &[Vec<RankedTool>]) {
    let longest = chosen.iter().map(Vec::len).max().unwrap_or(0);
    let in_turn = (0..longest).flat_map(|round| chosen.iter().filter_map(move |tools| tools.get(round)));
    ranking.tools = in_turn.cloned().collect();
    ranking.number();
}
