//! The order of tools: one list of adjustments over what both arms say, the same for every ranking.
//!
//! `rank`, `explain`, `load`, `reroute` and sessions run [`ADJUST`] from its first row to its last. Each row has a share of
//! its own in a tool's score, and after each row a score is the sum of its shares. Without a task, the rows that read one do
//! nothing.

pub mod by_server;
mod draft;
mod harmless;
mod implied;
mod named;
mod of_entries;
mod of_parent;
mod of_task;
mod of_workspace;
mod task;
mod unwanted;
mod used;
pub mod workspace;

use crate::ablation;
use crate::evidence::{HEAD, measure, read};
use crate::ranking::{Ranking, Shares};
use draft::Draft;
#[cfg(feature = "ablation")]
pub use of_task::in_task;
pub use of_task::named_servers;
pub use task::{EntryVectors, Ground, Parent, Request, Task};
pub use used::said_again;

/// A row of the list.
pub struct Adjustment {
    /// What explanations call it.
    pub name: &'static str,
    /// Its share of a score.
    pub share: fn(&Shares) -> f64,
    step: Step,
}

enum Step {
    /// Adds to a few candidates before any tool has its place.
    Adds(fn(&mut Draft<'_>)),
    /// Changes tools that are in order, given what both arms say about all candidates.
    Reorders(fn(&mut Ranking, &Draft<'_>)),
    /// Reads evidence: what comes before is about the text itself, what comes later about who asks.
    ReadsEvidence,
    /// Changes tools that are in order, by what is known besides the text.
    OfTask(fn(&mut Ranking, Ground<'_>, &Request<'_>, &Task<'_>)),
}

/// What decides the order beside words and vectors, in this order.
pub const ADJUST: [Adjustment; 10] = [
    Adjustment { name: "named", share: named::share, step: Step::Adds(named::find) },
    Adjustment { name: "unwanted", share: unwanted::share, step: Step::Adds(unwanted::find) },
    Adjustment { name: "used before", share: |shares| shares.use_boost, step: Step::Adds(used::add) },
    Adjustment { name: "first of its name", share: named::first_share, step: Step::Adds(named::find_first) },
    Adjustment { name: "destroys", share: |shares| -shares.held_back, step: Step::Reorders(harmless::hold_back) },
    Adjustment { name: "evidence", share: |_| 0.0, step: Step::ReadsEvidence },
    Adjustment { name: "registry entry", share: |shares| shares.of_entries, step: Step::OfTask(of_entries::lift) },
    Adjustment { name: "task", share: |shares| shares.of_task, step: Step::OfTask(of_task::read_in) },
    Adjustment { name: "workspace", share: |shares| shares.of_workspace, step: Step::OfTask(of_workspace::lean) },
    Adjustment { name: "parent task", share: |shares| shares.of_parent, step: Step::OfTask(of_parent::prefer) },
];

/// Those that are on: all of them, but where a measure asks.
fn rows() -> impl Iterator<Item = &'static Adjustment> {
    ADJUST.iter().filter(|row| !ablation::is_off(row.name))
}

/// Ranks the candidates. The order is total: score, then position. The same input gives the same bytes on every run and
/// thread. Costs about half a millisecond for 3,500 tools.
pub fn rank(ground: Ground<'_>, request: &Request<'_>, task: &Task<'_>, top_k: usize) -> Ranking {
    crate::fault::point("ranking");
    let mut draft = Draft::new(ground, request);
    for row in rows() {
        if let Step::Adds(add) = row.step {
            add(&mut draft);
        }
    }
    implied::find(&mut draft);
    let candidates = ground.candidates.len();
    // What reads a task or an entry may lift a tool from anywhere.
    let kept = if task.is_none() && !of_entries::any(ground, request) { top_k } else { candidates };
    // The head is sorted whatever is asked for: evidence is read off it. Some are held back later, and others step in.
    let mut ranking = draft.in_order(kept.max(HEAD) + harmless::MOST_HELD_BACK);
    for row in rows() {
        match row.step {
            Step::Reorders(reorder) => reorder(&mut ranking, &draft),
            Step::ReadsEvidence => {
                let signals = read::read(&ground, ground.candidates, request.query, &draft.arms, &ranking.tools);
                ranking.evidence = if candidates == 0 { 0.0 } else { measure::evidence(&signals) };
                ranking.signals = Some(signals);
                ranking.tools.truncate(kept);
                ranking.number();
            }
            Step::Adds(_) | Step::OfTask(_) => {}
        }
        debug_assert!(is_sum(&ranking), "{} has no share of its own", row.name);
    }
    adjust_for(&mut ranking, ground, request, task);
    ranking.tools.truncate(top_k);
    ranking
}

/// Runs the rows that read what is known besides the text over a ranking, which may be one by other rules.
pub fn adjust_for(ranking: &mut Ranking, ground: Ground<'_>, request: &Request<'_>, task: &Task<'_>) {
    for row in rows() {
        if let Step::OfTask(adjust) = row.step {
            adjust(ranking, ground, request, task);
            debug_assert!(is_sum(ranking), "{} has no share of its own", row.name);
        }
    }
}

fn is_sum(ranking: &Ranking) -> bool {
    ranking.tools.iter().all(|tool| tool.score.to_bits() == tool.shares.score().to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_and_the_arms_are_all_of_a_score() {
        let shares = Shares {
            lexical_share: 1.0,
            semantic_share: 2.0,
            named: crate::ranking::Named { how: crate::query::Naming::Tool, is_first: true },
            negated: true,
            use_boost: 0.125,
            held_back: 0.5,
            of_entries: 4.0,
            of_task: 8.0,
            of_workspace: 16.0,
            of_parent: 64.0,
            ..Shares::default()
        };
        let rows: f64 = ADJUST.iter().map(|row| (row.share)(&shares)).sum();
        assert!((rows + 3.0 - shares.score()).abs() < 1e-9);
        // Each row but the reading of evidence has a share that no other row has.
        let own: std::collections::BTreeSet<u64> = ADJUST.iter().map(|row| (row.share)(&shares).to_bits()).collect();
        assert_eq!(own.len(), ADJUST.len());
    }
}
