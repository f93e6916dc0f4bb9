//! A later message read in its task: "and assign Sven" says who, and the task says where.
//!
//! The servers that a task is about lead, tools that suit what it said before gain a part of that, and so does how likely the
//! message needs a tool.

use std::collections::{HashMap, HashSet};

use super::{RankedTool, Ranking, number};

/// How much a task is about a server: the mean of its three best tools for what was said before, beside that of the best server,
/// squared. With one or six tools, the figure alone or its fourth power, one to three of 299 later messages less have their tools.
const BEST_OF_SERVER: usize = 3;
/// What a server that the task is about adds, in shares of the message's best score, where the message says nothing by itself.
/// 1.2 serves three of 299 later messages less.
const OF_SERVER: f64 = 0.8;
/// What a server does that the message names, whatever the message says.
const OF_NAMED: f64 = 0.2;
/// Scores above stand for exact names.
const MOST_OF_SCORE: f64 = 8.0;
/// How many of the message's first tools are looked at for how well they suit the task.
const LOOKED_AT: usize = 5;
/// How likely a message needs a tool, as the logit of a regression over 299 later messages that do and 630 of small talk, each
/// after the first text of some task: what it begins with, the logit of evidence, the best share of a server that the task is
/// about, the best product of both scores of a tool.
const IN_TASK: [f64; 4] = [-0.28, 1.06, 1.215, 0.14];
/// Evidence is read no nearer to 0 or 1.
const LEAST_EVIDENCE: f64 = 1e-4;

impl Ranking {
    /// Orders the tools by this ranking and, for a part, by one of what was said before: by its scores, and by the servers that
    /// it is about or that the message names. What that one names is not named here. Evidence stays that of this ranking.
    /// Servers are told by `server_of`.
    pub fn read_in(&mut self, before: Option<&Self>, weight: f64, named: &HashSet<usize>, server_of: impl Fn(usize) -> usize) {
        let plain = |tool: &RankedTool| tool.score - tool.shares.boost();
        let scores =
            before.map_or_else(HashMap::new, |before| before.tools.iter().map(|tool| (tool.position, plain(tool))).collect());
        let about = before.map_or_else(HashMap::new, |before| about(before, &server_of));
        let about = |tool: &RankedTool| about.get(&server_of(tool.position)).copied().unwrap_or(0.0);
        let said = |tool: &RankedTool| scores.get(&tool.position).copied().unwrap_or(0.0);
        if before.is_some() && self.signals.is_some_and(|signals| signals.with_vectors()) {
            self.in_task = Some(self.likely(about, said));
        }
        let best = self.tools.first().map_or(0.0, plain).max(0.0);
        for tool in &mut self.tools {
            let is_named = named.contains(&server_of(tool.position));
            let of_server = (weight * OF_SERVER * about(tool)).max(if is_named { OF_NAMED } else { 0.0 });
            tool.score += weight * said(tool) + best * of_server;
        }
        self.tools.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.position.cmp(&b.position)));
        number(&mut self.tools);
    }

    /// How likely the message needs a tool. Not yet ordered by the task.
    fn likely(&self, about: impl Fn(&RankedTool) -> f64, said: impl Fn(&RankedTool) -> f64) -> f64 {
        let score = |tool: &RankedTool| tool.score.min(MOST_OF_SCORE);
        let best = self.tools.first().map_or(0.0, score).max(0.1);
        let first = || self.tools.iter().take(LOOKED_AT);
        let of_server = first().map(|tool| score(tool) / best * about(tool)).fold(0.0, f64::max);
        let of_both = first().map(|tool| score(tool) * said(tool).max(0.0)).fold(0.0, f64::max);
        let evidence = self.evidence.clamp(LEAST_EVIDENCE, 1.0 - LEAST_EVIDENCE);
        let [begin, of_evidence, of_servers, of_scores] = IN_TASK;
        let logit = begin + of_evidence * (evidence / (1.0 - evidence)).ln() + of_servers * of_server + of_scores * of_both;
        1.0 / (1.0 + (-logit).exp())
    }
}

/// How much what was said is about each server, from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "three tools")]
fn about(before: &Ranking, server_of: impl Fn(usize) -> usize) -> HashMap<usize, f64> {
    let mut servers: HashMap<usize, Vec<f64>> = HashMap::new();
    // Best first, but for tools that are held back.
    for tool in &before.tools {
        servers.entry(server_of(tool.position)).or_default().push(tool.score.min(MOST_OF_SCORE));
    }
    for scores in servers.values_mut() {
        scores.truncate(BEST_OF_SERVER);
    }
    let mean = |scores: &Vec<f64>| scores.iter().sum::<f64>().max(0.0) / BEST_OF_SERVER as f64;
    let best = servers.values().map(mean).fold(0.1, f64::max);
    servers.iter().map(|(server, scores)| (*server, (mean(scores) / best).powi(2))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Shares;

    /// A ranking of tools by position and score; a server has three tools.
    fn ranking(scores: &[(usize, f64)]) -> Ranking {
        let tool = |(at, (position, score)): (usize, &(usize, f64))| RankedTool {
            position: *position,
            rank: at + 1,
            score: *score,
            shares: Shares { lexical_share: *score, ..Shares::default() },
        };
        Ranking { evidence: 0.5, ..Ranking::of_tools(scores.iter().enumerate().map(tool).collect()) }
    }

    fn order(ranking: &Ranking) -> Vec<usize> {
        ranking.tools.iter().map(|tool| tool.position).collect()
    }

    fn server_of(position: usize) -> usize {
        position / 3
    }

    #[test]
    fn a_tool_of_a_server_that_the_task_is_about_passes_one_that_fits_a_little_better() {
        let before = ranking(&[(3, 5.0), (4, 5.0), (0, 1.0), (1, 1.0)]);
        let mut message = ranking(&[(2, 3.0), (5, 2.7), (1, 0.5)]);
        message.read_in(Some(&before), 0.4, &HashSet::new(), server_of);
        assert_eq!(order(&message), [5, 2, 1]);
        assert_eq!(message.tools.iter().map(|tool| tool.rank).collect::<Vec<_>>(), [1, 2, 3]);
        assert!(message.in_task.is_none(), "without vectors it is not measured");
    }

    #[test]
    fn a_server_that_the_message_names_comes_forward_whatever_the_task_said() {
        let mut message = ranking(&[(2, 3.0), (5, 2.7)]);
        message.read_in(None, 0.0, &HashSet::new(), server_of);
        assert_eq!(order(&message), [2, 5]);
        message.read_in(None, 0.0, &HashSet::from([1]), server_of);
        assert_eq!(order(&message), [5, 2]);
    }

    #[test]
    fn what_suits_the_task_makes_a_message_more_likely_to_need_a_tool() {
        let message = ranking(&[(2, 3.0), (5, 2.7)]);
        let strange = message.likely(|_| 0.0, |_| 0.0);
        assert!(message.likely(|_| 1.0, |_| 0.0) > strange && message.likely(|_| 0.0, |_| 2.0) > strange);
    }
}
