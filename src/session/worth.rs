//! What tools cost a task at its provider, and when one more is worth it.

use std::collections::HashSet;

use super::selection::Rewrite;
use super::task::Session;
use crate::document::id::ToolId;
use crate::index::Index;
use crate::ranking::Ranking;
use crate::report::ledger::{Change, Ledger, rewrite_cost, step_cost};
use crate::settings::Delivery;
use crate::text::tokens;

/// What a task loses where it lacks a tool that it needs, beside the step in which the model searches for it, in base
/// tokens: a model may not search, and work around. docs/delivery.md has what other values cost and cover.
const MISSED_TOKENS: f64 = 30_000.0;

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

    /// The account so far.
    #[must_use]
    pub fn ledger(&self) -> Ledger {
        self.ledger
    }

    /// Charges what changed. `before` holds the tools that were attached before.
    pub(super) fn charge(&mut self, index: &Index, before: &HashSet<ToolId>, rewrite: Option<&Rewrite>, charged: Charged) {
        let detail = self.settings.schema_detail;
        let begins = charged == Charged::Begin;
        let mcp_load = self.mcp_load.as_deref().map_or(0, tokens::count);
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

    /// Whether new tools of a later turn are worth what it costs to add them. Only `append` has such a cost, and only
    /// where the host says how long its context is.
    ///
    /// A tool that is needed and missing costs a step in which the model searches for it, and then the same rewrite; a
    /// tool that is not needed costs a rewrite for nothing. So it is added where the chance that it is needed is higher
    /// than the share of the rewrite in both costs.
    pub(super) fn is_worth(&self, index: &Index, ranking: &Ranking, new: &[usize]) -> bool {
        let (Delivery::Append, Some(context)) = (self.settings.delivery, self.ledger.context_tokens) else { return true };
        let prices = self.settings.cache_prices.of(self.settings.provider);
        let score = |at: &usize| {
            ranking.tools.iter().find(|tool| tool.position == *at).map_or(0.0, |tool| tool.score - tool.shares.boost())
        };
        let best = ranking.tools.iter().map(|tool| tool.score - tool.shares.boost()).fold(0.0, f64::max);
        let best_new = new.iter().map(score).fold(0.0, f64::max);
        if best <= 0.0 || best_new <= 0.0 {
            return false;
        }
        // Where an attached tool fits better, the text may mean that one.
        let chance = ranking.evidence * (best_new / best).min(1.0);
        let rewrite = rewrite_cost(prices, context + self.attached_tokens(index));
        let missed = rewrite + step_cost(prices, context) + MISSED_TOKENS;
        chance * missed > rewrite
    }
}
