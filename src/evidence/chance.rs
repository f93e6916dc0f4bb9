//! How likely a task needs a tool: one calibrated measure over what its ranking shows, the same for all tools and servers.
//!
//! It is gradient-boosted trees (Friedman, 2001) over the values below, set by `research/make/chance.py` with whole servers
//! left out, so that it holds for servers that nobody knows. Nothing in it is about particular servers or tools.

use once_cell::sync::Lazy;

use super::trees::Tree;
use crate::query::{Naming, OfCode};
use crate::ranking::{RankedTool, Ranking};

/// What the measure reads of one tool, by name.
pub static NAMES: Lazy<Vec<&str>> = Lazy::new(|| {
    "rank rank_of_server rank_of_part score share words cosine cosine_below implied held_back brought server_share server_named \
     later in_task of_task evidence talk_over need coverage content english of_code tools top_cosine way_in \
     reads required server_place server_best"
        .split(' ')
        .collect()
});
/// How many these are.
const VALUES: usize = 30;

/// Who names a server wants one of its tools, whatever else the text speaks of: the least for each of its best.
const OF_NAMED: f64 = 0.3;
/// How many of its tools these are.
const FIRST_OF_NAMED: usize = 3;

static CHANCE: Lazy<Measure> = Lazy::new(|| Measure::read(include_str!("data/chance.txt")));

struct Measure {
    begin: [f64; 2],
    trees: [Vec<Tree>; 2],
}

impl Measure {
    fn read(text: &str) -> Self {
        let mut measure = Self { begin: [0.0; 2], trees: [Vec::new(), Vec::new()] };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split(' ');
            match words.next() {
                Some("tree_with_vectors") => measure.trees[0].push(Tree::read(&mut words, &NAMES)),
                Some("tree_without") => measure.trees[1].push(Tree::read(&mut words, &NAMES)),
                Some("begin") => measure.begin = super::weights::of(text, "begin"),
                _ => {}
            }
        }
        measure
    }

    fn of(&self, values: &[f64; VALUES], with_vectors: bool) -> f64 {
        let column = usize::from(!with_vectors);
        let trees: f64 = self.trees[column].iter().map(|tree| tree.of(values)).sum();
        super::weights::chance(self.begin[column] + trees)
    }
}

/// What is known of a tool besides its ranking.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Known {
    /// How many tools of its server stand before it.
    pub before_in_server: usize,
    /// How many tools stand before it that suit the same part of the text best.
    pub before_in_part: usize,
    /// How much the first tools need it.
    pub brought: f64,
    /// The share of the first ten tools that is of its server.
    pub server_share: f64,
    /// Whether the text names its server.
    pub server_named: bool,
    pub later: bool,
    /// Its place among the ways into its server, from 1; 0 for one that is none.
    pub way_in: usize,
    /// Whether it reads and asks for no id.
    pub reads: bool,
    pub required: usize,
    /// How many servers have a tool before the first one of its server.
    pub server_place: usize,
    /// The best score of a tool of its server, as a share of the best of all.
    pub server_best: f64,
}

/// What the measure reads of a text once, whatever the tool.
pub struct Text<'r> {
    ranking: &'r Ranking,
    best: f64,
    top_cosine: f64,
}

#[expect(clippy::cast_precision_loss, reason = "ranks and counts are far below 2^52")]
fn ln(count: usize) -> f64 {
    (count as f64).ln_1p()
}

impl<'r> Text<'r> {
    /// Reads it off a ranking.
    pub fn of(ranking: &'r Ranking) -> Self {
        let top_cosine = ranking.tools.iter().filter_map(|tool| tool.shares.similarity).fold(0.0, f64::max);
        Self { ranking, best: ranking.best_plain(), top_cosine }
    }

    /// What the measure reads of a tool, in the order of [`NAMES`].
    pub fn values(&self, tool: &RankedTool, known: &Known) -> [f64; VALUES] {
        let shares = &tool.shares;
        let signals = self.ranking.signals.as_ref();
        let of = |value: fn(&crate::ranking::signals::Values) -> f64| signals.map_or(0.0, |signals| value(&signals.values));
        let is = |value: bool| f64::from(u8::from(value));
        let cosine = shares.similarity.unwrap_or(0.0);
        [
            ln(tool.rank - 1),
            ln(known.before_in_server),
            ln(known.before_in_part),
            tool.plain(),
            if self.best > 0.0 { tool.plain() / self.best } else { 0.0 },
            shares.lexical_share,
            cosine,
            self.top_cosine - cosine,
            shares.implied,
            shares.held_back,
            known.brought,
            known.server_share,
            is(known.server_named),
            is(known.later),
            self.ranking.in_task.unwrap_or(0.0),
            shares.of_task,
            self.ranking.evidence,
            of(|values| values.talk_over),
            of(|values| values.need_cosine),
            of(|values| values.coverage),
            of(|values| values.content),
            of(|values| values.english),
            signals.map_or(0.0, |signals| match signals.of_code {
                OfCode::Not => 0.0,
                OfCode::Perhaps => 1.0,
                OfCode::Surely => 3.0,
            }),
            ln(self.ranking.candidate_count),
            self.top_cosine,
            if known.way_in == 0 { 0.0 } else { 1.0 / ln(known.way_in) },
            is(known.reads),
            ln(known.required),
            ln(known.server_place),
            known.server_best,
        ]
    }

    /// How likely the task needs a tool, from 0 to 1; 1 for one that the text names.
    pub fn chance(&self, tool: &RankedTool, known: &Known) -> f64 {
        if tool.shares.named.how != Naming::None {
            return 1.0;
        }
        let with_vectors = self.ranking.signals.is_some_and(|signals| signals.with_vectors);
        let measured = CHANCE.of(&self.values(tool, known), with_vectors);
        let is_of_named = known.server_named && known.before_in_server < FIRST_OF_NAMED;
        if is_of_named { measured.max(OF_NAMED) } else { measured }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Shares;

    fn ranking(scores: &[f64]) -> Ranking {
        let tool = |(position, score): (usize, &f64)| RankedTool {
            position,
            rank: position + 1,
            score: *score,
            shares: Shares { lexical_share: *score, supported: true, ..Shares::default() },
        };
        Ranking { evidence: 0.9, ..Ranking::of_tools(scores.iter().enumerate().map(tool).collect()) }
    }

    #[test]
    fn the_measure_that_ships_has_trees_with_vectors_and_without_and_each_value_counts() {
        assert!(CHANCE.trees.iter().all(|trees| trees.len() >= 50) && CHANCE.begin.iter().all(|begin| *begin < 0.0));
        let text = include_str!("data/chance.txt");
        assert_eq!(NAMES.len(), VALUES);
        for name in NAMES.iter() {
            assert!(text.contains(&format!(" {name} ")), "{name}");
        }
    }

    #[test]
    fn a_named_tool_is_needed_and_the_best_of_a_named_server_likely_are() {
        let mut ranking = ranking(&[4.0, 1.0, 0.5]);
        ranking.tools[1].shares.named.how = Naming::Tool;
        let text = Text::of(&ranking);
        let of_named = Known { server_named: true, ..Known::default() };
        let far = Known { before_in_server: FIRST_OF_NAMED, ..of_named };
        assert!((text.chance(&ranking.tools[1], &Known::default()) - 1.0).abs() < 1e-9);
        assert!(text.chance(&ranking.tools[2], &of_named) >= OF_NAMED);
        assert!(text.chance(&ranking.tools[2], &far) < text.chance(&ranking.tools[2], &of_named));
    }

    proptest::proptest! {
        #[test]
        fn a_chance_lies_between_0_and_1_whatever_it_is_read_off(
            scores in proptest::collection::vec(-5.0..2000.0_f64, 1..9),
            brought in 0.0..9.0_f64,
            before_in_server in 0..500_usize,
        ) {
            let ranking = ranking(&scores);
            let text = Text::of(&ranking);
            for tool in &ranking.tools {
                let chance = text.chance(tool, &Known { before_in_server, brought, ..Known::default() });
                proptest::prop_assert!((0.0..=1.0).contains(&chance));
            }
        }
    }
}
