//! Who gets the places of a first selection: what leads, what that brings along, what is named, the best of each part of the
//! request, and the rest of the ranking with what it needs.

use std::collections::{HashMap, HashSet};

use super::companions::{Brought, LEADERS, SHARE_OF_COMPANY, behind_leaders};
use super::task::Session;
use crate::index::Index;
use crate::query::Naming;
use crate::ranking::RankedTool;
use crate::settings::Policy;

/// The ranking's first keep their places before the best of each part.
const SURE: usize = 4;
/// The most parts whose best tool comes forward.
const MOST_PARTS: usize = 6;
/// A tool behind the leaders brings the one that it needs most along, if it needs it so surely: of 62 tasks over servers that
/// nobody knows, two more have all that they need. Where it is known what comes first, the leaders have brought it, and places
/// for more cost two of 153 tasks (`research/measure/strangers`, `research/measure/tasks`).
const SURELY_NEEDED: f64 = 0.7;

/// A tool of the order, and whether the request names it.
type Place = (usize, bool);

impl Session {
    /// The order with what its leaders bring along behind them, where so many of it are taken.
    pub(super) fn with_company(&mut self, index: &Index, ranked: &[&RankedTool], most: usize) -> Vec<Place> {
        let (named, rest): (Vec<_>, Vec<_>) = ranked.iter().partition(|tool| tool.shares.naming != Naming::None);
        // A small K leaves room for company too.
        let leading = LEADERS.min((2 * most).div_ceil(SHARE_OF_COMPANY));
        let leaders = named.len() + leading;
        let order: Vec<&RankedTool> = named.iter().chain(&rest).copied().copied().collect();
        // The curator chose the best by its own score: what they need takes none of their places.
        let is_curated = self.settings.policy == Policy::Curator;
        // By words alone a part of a request says too little to pass others.
        let by_parts = !is_curated && order.iter().any(|tool| tool.shares.similarity.is_some());
        let order = if by_parts { best_of_parts(&order, named.len() + SURE) } else { positions(&order) };
        let mut company = if is_curated { Vec::new() } else { self.company_of(index, &order, leaders, 0.0) };
        company.truncate(most / SHARE_OF_COMPANY);
        self.note_brought(index, &company);
        let mut coming: Vec<usize> = company.iter().map(|brought| brought.position).collect();
        for at in self.of_named(index, &order, leaders) {
            if !coming.contains(&at) {
                coming.push(at);
            }
        }
        let order = behind_leaders(&order, leaders, &coming);
        let order = if is_curated { order } else { self.with_needs_of_rest(index, &order, leaders + coming.len(), most) };
        order.into_iter().enumerate().map(|(at, position)| (position, at < named.len())).collect()
    }

    /// The order, in which each tool from a place on is followed by the one that it surely needs, as far as K may reach.
    fn with_needs_of_rest(&mut self, index: &Index, order: &[usize], from: usize, most: usize) -> Vec<usize> {
        let from = from.min(order.len());
        let mut places: Vec<usize> = order[..from].to_vec();
        let mut seen: HashSet<usize> = places.iter().copied().collect();
        let mut brought = Vec::new();
        for at in order[from..].iter().copied() {
            if seen.insert(at) {
                places.push(at);
            }
            let need = if places.len() < most { self.sure_need(index, at) } else { None };
            if let Some(need) = need.filter(|need| seen.insert(need.position)) {
                places.push(need.position);
                brought.push(need);
            }
        }
        self.note_brought(index, &brought);
        places
    }

    /// What a tool of a server that nothing is known of needs most, if it surely does.
    fn sure_need(&self, index: &Index, at: usize) -> Option<Brought> {
        let server = index.server_of(at)?;
        let companions = server.profile.companions();
        if companions.is_known() {
            return None;
        }
        let start = server.tools.start;
        let is_sure = |position: usize| {
            companions.of(at - start).iter().any(|need| start + need.tool == position && need.strength >= SURELY_NEEDED)
        };
        self.company_of(index, &[at], 1, SURELY_NEEDED).into_iter().next().filter(|brought| is_sure(brought.position))
    }

    /// Of the tools that K would take, those that a tight budget is best spent on: costly ones compete
    /// by their place and what they cost, so that one manual of a schema does not take the room of ten tools.
    pub(super) fn affordable(&self, index: &Index, ranked: &[usize], most: usize, budget: usize) -> HashSet<usize> {
        let tokens = |at: &usize| self.tokens_of(index, *at);
        if ranked.iter().take(most).map(tokens).sum::<usize>() <= budget {
            return ranked.iter().copied().collect();
        }
        let fair = (budget / most.max(1)).max(1);
        #[expect(clippy::cast_precision_loss, reason = "ranks and tokens are far below 2^52")]
        let worth = |(rank, at): (usize, &usize)| {
            let cost = (tokens(at) as f64 / fair as f64).max(1.0);
            (1.0 / ((rank + 1) as f64 * cost).sqrt(), *at)
        };
        // As far down as the ranking may reach once costly tools have left their room.
        let mut worths: Vec<(f64, usize)> = ranked.iter().take(4 * most).enumerate().map(worth).collect();
        worths.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut rest = budget;
        let mut affordable = HashSet::new();
        for (_, at) in worths {
            let cost = tokens(&at);
            if cost <= rest && affordable.len() < most {
                rest -= cost;
                affordable.insert(at);
            }
        }
        affordable
    }
}

fn positions(order: &[&RankedTool]) -> Vec<usize> {
    order.iter().map(|tool| tool.position).collect()
}

/// The order with the best tool of each part of the request right behind the first `sure`: a part whose tools all score less
/// would have none where another one takes all places.
fn best_of_parts(order: &[&RankedTool], sure: usize) -> Vec<usize> {
    let mut best: HashMap<usize, usize> = HashMap::new();
    for (place, tool) in order.iter().enumerate() {
        if let Some(clause) = tool.shares.clause {
            best.entry(clause).or_insert(place);
        }
    }
    let mut forward: Vec<usize> = best.into_values().filter(|place| *place >= sure).collect();
    forward.sort_unstable();
    forward.truncate(MOST_PARTS);
    let sure = sure.min(order.len());
    let rest = (sure..order.len()).filter(|place| !forward.contains(place));
    (0..sure).chain(forward.iter().copied()).chain(rest).map(|place| order[place].position).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Shares;

    #[test]
    fn the_best_tool_of_each_part_stands_right_behind_the_first() {
        let tool = |(position, clause): (usize, usize)| RankedTool {
            position,
            rank: position + 1,
            score: 10.0 - f64::from(u32::try_from(position).unwrap()),
            shares: Shares { clause: Some(clause), ..Shares::default() },
        };
        let tools: Vec<RankedTool> = [0, 0, 0, 0, 0, 0, 1, 0, 2, 2].into_iter().enumerate().map(tool).collect();
        let order: Vec<&RankedTool> = tools.iter().collect();
        assert_eq!(best_of_parts(&order, 4), [0, 1, 2, 3, 6, 8, 4, 5, 7, 9]);
        assert_eq!(best_of_parts(&order, 9), (0..10).collect::<Vec<_>>());
        assert_eq!(best_of_parts(&order[..3], 4), [0, 1, 2]);
    }
}
