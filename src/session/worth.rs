//! What tools cost a task at its provider, and when one more is worth it.

use std::collections::HashSet;

use super::selection::Rewrite;
use super::task::Session;
use crate::document::id::ToolId;
use crate::evidence::needed;
use crate::index::Index;
use crate::query::Naming;
use crate::ranking::{RankedTool, Ranking};
use crate::report::ledger::{Change, Ledger, rewrite_cost, step_cost};
use crate::settings::{Delivery, InitialK};
use crate::text::tokens;

/// What a task loses where it lacks a tool that it needs, beside the step in which the model searches for it: as much as
/// writing so many tokens of context again. A model may not search, and work around.
///
/// Set on the tuning half of the labelled tasks (`npm run eval -- bill --half tuning`): more covers little more, at a cost that
/// grows faster. docs/delivery.md has what it gives.
const MISSED_CONTEXT: usize = 100_000;

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
        let listed = self.directory_tokens_of_messages(index);
        let new = listed.saturating_sub(std::mem::replace(&mut self.directory.charged, listed));
        let mcp_load = mcp_load + listed;
        let (mut told, mut added) = (mcp_load, if begins { mcp_load } else { new });
        for (attached, at) in self.usable(index) {
            let count = index.tools[at].tool.token_count_as(&attached.name, detail);
            told += count;
            added += if begins || !before.contains(&attached.id) { count } else { 0 };
        }
        let replaced = rewrite.is_some();
        // What a turn defers is declared, and the model sees nothing of it.
        if self.settings.delivery.defers() && charged != Charged::Load && !begins {
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
        if !is_paid && needed::chance(ranking, new) * missed <= rewrite {
            return HashSet::new();
        }
        let is_near = |at: &usize| ranked(at).is_some_and(|tool| tool.plain() >= PAID_SHARE * first.plain());
        let paid = if self.settings.first_k() == InitialK::Auto { most } else { PAID_FACTOR * most };
        new.iter().enumerate().filter(|(place, at)| *place < most || is_near(at)).map(|(_, at)| *at).take(paid).collect()
    }
}
