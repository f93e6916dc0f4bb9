//! What tools cost a task at its provider, and when one more is worth it.

use std::collections::HashSet;

use super::selection::Rewrite;
use super::task::Session;
use crate::document::id::ToolId;
use crate::index::Index;
use crate::query::Naming;
use crate::ranking::{RankedTool, Ranking};
use crate::report::ledger::{Change, Ledger, rewrite_cost, step_cost};
use crate::settings::{Delivery, InitialK};
use crate::text::tokens;

/// What a task loses where it lacks a tool that it needs, beside the step in which the model searches for it: as much as
/// writing so many tokens of context again. A model may not search, and work around.
///
/// Set on the tuning half of the labelled tasks, each judged by weights fitted on the others: coverage 76.9 % at 21.7 % more
/// than the first selection alone, where a window that adds three tools with every message has 74.0 % at 57.9 %. With
/// 150,000 it was 77.5 % at 24.2 %, and more than half of the window's cost at a provider that reads at 0.25.
const MISSED_CONTEXT: usize = 100_000;

/// No ranking is surer than this: behind a very long conversation a rewrite is never worth a guess.
const MOST_CHANCE: f64 = 0.9;

/// The chance that a later turn needs one of its new tools, with vectors and without: logistic in the plain score of the
/// best of them, whether the text implies one of the first three, its words of content, whether nothing that is attached
/// fits better, and the evidence.
///
/// Fitted on the 160 later turns of the tuning half, 50 of which need a tool among the first six new ones, and on its small
/// talk, said as a second message. Evidence says whether any tool fits, attached ones too: without it, coverage is 2.7 points
/// lower, and of 194 lines of small talk 8 pay for a rewrite instead of 3.
const NEEDED: [[f64; 6]; 2] = [[-8.11, 0.34, 3.21, 1.52, 1.84, 2.36], [-6.18, 0.04, 2.83, 0.83, 1.25, 3.45]];

/// What the text implies counts for the first of the new tools: those that any turn would take.
const FIRST_NEW: usize = 3;

/// A turn that pays for a rewrite adds up to so many times `turnK` tools, while they score this share of the best new one.
/// With 4 instead of 5, coverage is 1.5 points lower at the same number of rewrites; with 6 it is a point higher, for 5 % more
/// tokens of tools. At a share of 0.5 it is a point lower, at 0.3 no higher.
const PAID_FACTOR: usize = 5;
const PAID_SHARE: f64 = 0.4;

/// When something is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Charged {
    /// The conversation begins.
    Begin,
    /// A later turn.
    Turn,
    /// The model loaded, or something was taken away.
    Load,
    /// The host changed something between two turns.
    Sync,
}

impl Session {
    /// Remembers what the host says about its context.
    pub fn note_context(&mut self, tokens: Option<usize>) {
        self.ledger.context_tokens = tokens.or(self.ledger.context_tokens);
    }

    /// What the host said last about its context.
    #[must_use]
    pub fn context(&self) -> Option<usize> {
        self.ledger.context_tokens
    }

    /// A condensed conversation has another length: the old one says nothing any more.
    pub fn renew_context(&mut self, tokens: Option<usize>) {
        self.ledger.context_tokens = tokens;
    }

    /// The account so far.
    #[must_use]
    pub fn ledger(&self) -> Ledger {
        self.ledger
    }

    /// Charges what changed. `before` holds the tools that were attached before.
    pub(super) fn charge(&mut self, index: &Index, before: &HashSet<ToolId>, rewrite: Option<&Rewrite>, charged: Charged) {
        let detail = self.settings.schema_detail;
        let begins = charged == Charged::Begin;
        let mcp_load = self.mcp_load.as_deref().map_or(0, tokens::count) + self.report_missing().map_or(0, tokens::count);
        let (mut told, mut added) = (mcp_load, if begins { mcp_load } else { 0 });
        for (attached, at) in self.usable(index) {
            let count = index.tools[at].tool.token_count_as(&attached.name, detail);
            told += count;
            added += if begins || !before.contains(&attached.id) { count } else { 0 };
        }
        let replaced = rewrite.is_some();
        // What a turn defers is declared, and the model sees nothing of it.
        if self.settings.delivery == Delivery::Defer && charged != Charged::Load && !begins {
            (told, added) = (told - added, 0);
        }
        if charged == Charged::Sync && added == 0 && !replaced {
            return;
        }
        let change = Change { added, told, replaced, begins };
        self.ledger.add(self.settings.delivery, self.settings.cache_prices.of(self.settings.provider), &change);
    }

    /// How many new tools a turn may attach at most, given what its settings say.
    pub(super) fn most_of_turn(&self) -> usize {
        if self.context_counts().is_some() { PAID_FACTOR * self.settings.turn_k } else { self.settings.turn_k }
    }

    /// The context, where adding a tool has it written again: `append` alone, and only where the host says how long it is.
    pub(super) fn context_counts(&self) -> Option<usize> {
        self.ledger.context_tokens.filter(|_| self.settings.delivery == Delivery::Append)
    }

    /// Of the new tools of a later turn, best first, those that are attached. `most` is how many a turn takes where that
    /// costs no rewrite.
    ///
    /// A tool that is needed and missing costs a step in which the model searches for it, and then the same rewrite; a
    /// tool that is not needed costs a rewrite for nothing. So tools are added where the chance that one is needed is
    /// higher than the share of the rewrite in both costs, and then more of them: they share one rewrite. That judges a
    /// turn by its cost, so the least evidence of a turn that costs nothing does not apply.
    pub(super) fn worth_adding(&self, index: &Index, ranking: &Ranking, new: &[usize], most: usize) -> HashSet<usize> {
        let Some(context) = self.context_counts() else { return new.iter().copied().take(most).collect() };
        let ranked = |at: &usize| ranking.tools.iter().find(|tool| tool.position == *at);
        let Some(first) = new.first().and_then(ranked) else { return HashSet::new() };
        let prices = self.settings.cache_prices.of(self.settings.provider);
        let rewrite = rewrite_cost(prices, context + self.attached_tokens(index));
        let missed = rewrite + step_cost(prices, context) + rewrite_cost(prices, MISSED_CONTEXT);
        // What the text names is attached in any case, and pays for the rewrite.
        let is_new = |tool: &&RankedTool| !self.is_attached(&index.tools[tool.position].tool.id);
        let is_paid = ranking.tools.iter().filter(is_new).any(|tool| tool.shares.naming != Naming::None);
        if !is_paid && chance(ranking, new) * missed <= rewrite {
            return HashSet::new();
        }
        let is_near = |at: &usize| ranked(at).is_some_and(|tool| plain(tool) >= PAID_SHARE * plain(first));
        let paid = if self.settings.first_k() == InitialK::Auto { most } else { PAID_FACTOR * most };
        new.iter().enumerate().filter(|(place, at)| *place < most || is_near(at)).map(|(_, at)| *at).take(paid).collect()
    }
}

/// The score without what names and uses add.
fn plain(tool: &RankedTool) -> f64 {
    tool.score - tool.shares.boost()
}

/// How likely one of the new tools is needed, best first.
fn chance(ranking: &Ranking, new: &[usize]) -> f64 {
    let ranked = |at: &usize| ranking.tools.iter().find(|tool| tool.position == *at);
    let Some(first) = new.first().and_then(ranked) else { return 0.0 };
    let best = ranking.tools.iter().map(plain).fold(0.0, f64::max);
    let Some(signals) = &ranking.signals else {
        // By other rules than ours: where an attached tool fits better, the text may mean that one.
        return if best > 0.0 { (plain(first) / best).min(ranking.evidence).min(MOST_CHANCE) } else { 0.0 };
    };
    let is_implied = new.iter().take(FIRST_NEW).filter_map(ranked).any(|tool| tool.shares.implied_share > 0.0);
    let is_best = ranking.tools.first().is_some_and(|tool| tool.position == first.position);
    let [constant, weights @ ..] = NEEDED[usize::from(!signals.with_vectors())];
    let values =
        [plain(first), f64::from(u8::from(is_implied)), signals.content(), f64::from(u8::from(is_best)), ranking.evidence];
    let sum: f64 = weights.iter().zip(values).map(|(weight, value)| weight * value).sum();
    (1.0 / (1.0 + (-(constant + sum)).exp())).min(MOST_CHANCE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Shares;
    use crate::settings::Ranker;

    fn ranking(shares: &[Shares], evidence: f64) -> Ranking {
        let tool = |(position, shares): (usize, &Shares)| RankedTool {
            position,
            rank: position + 1,
            score: shares.score(),
            shares: *shares,
        };
        Ranking {
            tools: shares.iter().enumerate().map(tool).collect(),
            ranker: Ranker::Lexical,
            degraded: None,
            candidate_count: shares.len(),
            supported_count: shares.len(),
            query_cut: None,
            evidence,
            in_task: None,
            signals: None,
        }
    }

    fn scored(lexical_share: f64) -> Shares {
        Shares { lexical_share, ..Shares::default() }
    }

    #[test]
    fn by_other_rules_a_tool_is_as_likely_as_it_comes_near_the_best_and_never_likelier_than_the_evidence() {
        let ranking = |evidence| ranking(&[scored(4.0), scored(3.0), scored(1.0)], evidence);
        assert!((chance(&ranking(1.0), &[1, 2]) - 0.75).abs() < 1e-9);
        assert!((chance(&ranking(0.2), &[1, 2]) - 0.2).abs() < 1e-9);
        assert!((chance(&ranking(1.0), &[0]) - MOST_CHANCE).abs() < 1e-9);
        assert!(chance(&ranking(1.0), &[]).abs() < 1e-9);
    }

    #[test]
    fn all_that_speaks_for_a_tool_makes_it_likelier() {
        assert!(NEEDED.iter().all(|[constant, weights @ ..]| *constant < 0.0 && weights.iter().all(|weight| *weight > 0.0)));
    }
}
