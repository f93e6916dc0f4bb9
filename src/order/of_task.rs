//! A later message read in its task: "and assign Sven" says who, and the task says where.
//!
//! The servers that a task is about lead, tools that suit what it said before gain a part of that, and so does how likely the
//! message needs a tool.

use std::collections::{HashMap, HashSet};

use super::task::{Ground, Request, Task};
use crate::evidence::in_task::{InTask, MOST_OF_SCORE};
use crate::evidence::thresholds;
use crate::index::{InScope, Index};
use crate::ranking::{RankedTool, Ranking};
use crate::text::english::is_english_function_word;
use crate::text::terms::{Word, name_key, words};

/// A task is about a server as much as the server's three best tools suit what was said before, beside those of the best server,
/// squared: one good tool may be chance, and a server that is half as good is hardly meant.
const BEST_OF_SERVER: usize = 3;
/// What a server that the task is about adds where the message says nothing by itself, in shares of the message's best score:
/// enough to lead, and not to pass a tool that the message fits clearly better (`research/measure/tasks/tasks.mjs`).
const OF_SERVER: f64 = 0.8;
/// Bonus for a server that the message names.
const OF_NAMED: f64 = 0.2;
/// Words of a text that are looked at for names of servers, and the most servers that are taken as named.
const MAX_WORDS: usize = 400;
const MAX_NAMED: usize = 4;

/// Reads a later message in its task: by what the task said before, and by the servers that the message names. A message that
/// says all by itself asks for no second ranking.
pub fn read_in(ranking: &mut Ranking, ground: Ground<'_>, request: &Request<'_>, task: &Task<'_>) {
    let Some(rank_before) = task.before.filter(|_| thresholds::has_content(ranking)) else { return };
    let weight = thresholds::weight_of_task(ranking);
    // A greeting says nothing of what the task is about.
    let before = (weight > 0.0).then(rank_before).filter(thresholds::has_content);
    let named: HashSet<usize> = named_servers(ground.index, ground.scope, &request.query.text).into_iter().collect();
    order_by(ranking, before.as_ref(), weight, &named, |position| ground.index.server_at(position));
}

/// Orders the tools by this ranking and, for a part, by one of what was said before: by its scores, and by the servers that
/// it is about or that the message names. What that one names is not named here. Evidence stays that of this ranking.
fn order_by(
    ranking: &mut Ranking,
    before: Option<&Ranking>,
    weight: f64,
    named: &HashSet<usize>,
    server_of: impl Fn(usize) -> usize,
) {
    let before = before.map(|before| Before::new(before, &server_of));
    if let Some(before) = &before {
        let signals = before.signals(ranking, &server_of);
        ranking.in_task = ranking.signals.filter(|signals| signals.with_vectors).map(|_| signals.likely());
    }
    let best = ranking.tools.first().map_or(0.0, RankedTool::plain).max(0.0);
    for tool in &mut ranking.tools {
        let server = server_of(tool.position);
        let of_named = if named.contains(&server) { OF_NAMED } else { 0.0 };
        let (said, about) = before.as_ref().map_or((0.0, 0.0), |before| (before.said(tool), before.about(server)));
        let of_task = weight * said + best * (weight * OF_SERVER * about).max(of_named);
        tool.adjust(|shares| shares.of_task = of_task);
    }
    ranking.sort();
}

/// What says how likely a message of this ranking needs a tool, after what the task said before.
#[cfg(feature = "ablation")]
pub fn in_task(ranking: &Ranking, before: &Ranking, index: &Index) -> InTask {
    let server_of = |position: usize| index.server_at(position);
    Before::new(before, server_of).signals(ranking, server_of)
}

/// What the task said before a message.
struct Before {
    /// What it said for each tool, by position.
    scores: HashMap<usize, f64>,
    /// How much it is about each server, from 0 to 1.
    about: HashMap<usize, f64>,
}

impl Before {
    fn new(before: &Ranking, server_of: impl Fn(usize) -> usize) -> Self {
        let scores = before.tools.iter().map(|tool| (tool.position, tool.plain())).collect();
        Self { scores, about: about(before, server_of) }
    }

    fn said(&self, tool: &RankedTool) -> f64 {
        self.scores.get(&tool.position).copied().unwrap_or(0.0)
    }

    fn about(&self, server: usize) -> f64 {
        self.about.get(&server).copied().unwrap_or(0.0)
    }

    fn signals(&self, ranking: &Ranking, server_of: impl Fn(usize) -> usize) -> InTask {
        InTask::read(ranking, |tool| self.about(server_of(tool.position)), |tool| self.said(tool))
    }
}

/// The servers in scope that a text names as a word, by their place, in the order of the index.
pub fn named_servers(index: &Index, scope: &InScope, text: &str) -> Vec<usize> {
    let words: HashSet<String> = words(text).iter().take(MAX_WORDS).map(Word::joined).collect();
    // A server called `the` is not named by every text.
    let named = |name: &str| {
        let key = name_key(name);
        words.contains(&key) && !is_english_function_word(&key)
    };
    let servers = index.servers.iter().enumerate().filter(|(at, server)| named(&server.name) && scope.has_server(*at));
    servers.map(|(at, _)| at).take(MAX_NAMED).collect()
}

/// How much what was said is about each server, from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "three tools")]
fn about(before: &Ranking, server_of: impl Fn(usize) -> usize) -> HashMap<usize, f64> {
    let mut servers: HashMap<usize, Vec<f64>> = HashMap::new();
    // Best first, except for tools that are held back.
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
        order_by(&mut message, Some(&before), 0.4, &HashSet::new(), server_of);
        assert_eq!(order(&message), [5, 2, 1]);
        assert_eq!(message.tools.iter().map(|tool| tool.rank).collect::<Vec<_>>(), [1, 2, 3]);
        assert!(message.in_task.is_none(), "without vectors it is not measured");
    }

    #[test]
    fn a_server_that_the_message_names_comes_forward_whatever_the_task_said() {
        let mut message = ranking(&[(2, 3.0), (5, 2.7)]);
        order_by(&mut message, None, 0.0, &HashSet::new(), server_of);
        assert_eq!(order(&message), [2, 5]);
        order_by(&mut message, None, 0.0, &HashSet::from([1]), server_of);
        assert_eq!(order(&message), [5, 2]);
    }
}
