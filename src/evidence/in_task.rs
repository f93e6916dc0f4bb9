//! How likely a later message needs a tool, read in its task: "and let him know" says little by itself.

use once_cell::sync::Lazy;

use super::weights::{self, chance};
use crate::ranking::{RankedTool, Ranking};

/// Scores above stand for exact names.
pub const MOST_OF_SCORE: f64 = 8.0;
/// How many of the message's first tools are looked at for how well they suit the task.
const LOOKED_AT: usize = 5;
/// Evidence is read no nearer to 0 or 1.
const LEAST_EVIDENCE: f64 = 1e-4;

static IN_TASK: Lazy<Weights> = Lazy::new(|| {
    let [begin, evidence, server, scores] =
        ["begin", "evidence", "server", "scores"].map(|name| weights::of::<1>(include_str!("data/in_task.txt"), name)[0]);
    Weights { begin, evidence, server, scores }
});

/// What the logit begins with, and what weighs in it.
struct Weights {
    begin: f64,
    /// The logit of evidence.
    evidence: f64,
    /// The best share of a server that the task is about.
    server: f64,
    /// The best product of both scores of a tool.
    scores: f64,
}

/// What the measure reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InTask {
    pub evidence: f64,
    /// The best share of a server that the task is about, by a tool's score beside the best one.
    pub server: f64,
    /// The best product of what the message and the task say for one tool.
    pub scores: f64,
}

impl InTask {
    /// Reads a message's ranking, which is not yet ordered by the task: `about` says how much the task is about the server of
    /// a tool, `said` what it said for the tool itself.
    pub fn read(ranking: &Ranking, about: impl Fn(&RankedTool) -> f64, said: impl Fn(&RankedTool) -> f64) -> Self {
        let score = |tool: &RankedTool| tool.score.min(MOST_OF_SCORE);
        let best = ranking.tools.first().map_or(0.0, score).max(0.1);
        let first = || ranking.tools.iter().take(LOOKED_AT);
        let evidence = ranking.evidence.clamp(LEAST_EVIDENCE, 1.0 - LEAST_EVIDENCE);
        Self {
            evidence: (evidence / (1.0 - evidence)).ln(),
            server: first().map(|tool| score(tool) / best * about(tool)).fold(0.0, f64::max),
            scores: first().map(|tool| score(tool) * said(tool).max(0.0)).fold(0.0, f64::max),
        }
    }

    /// How likely the message needs a tool, from 0 to 1.
    pub fn likely(&self) -> f64 {
        let weights = &*IN_TASK;
        let logit =
            weights.begin + weights.evidence * self.evidence + weights.server * self.server + weights.scores * self.scores;
        chance(logit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Shares;

    #[test]
    fn what_suits_the_task_makes_a_message_more_likely_to_need_a_tool() {
        let tool = |position, score| RankedTool { position, rank: position + 1, score, shares: Shares::default() };
        let message = Ranking { evidence: 0.5, ..Ranking::of_tools(vec![tool(0, 3.0), tool(1, 2.7)]) };
        let strange = InTask::read(&message, |_| 0.0, |_| 0.0).likely();
        assert!(InTask::read(&message, |_| 1.0, |_| 0.0).likely() > strange);
        assert!(InTask::read(&message, |_| 0.0, |_| 2.0).likely() > strange);
    }
}
