//! What tools cost a task at its provider.

use std::collections::HashSet;

use super::selection::Rewrite;
use super::task::Session;
use crate::document::id::ToolId;
use crate::index::Index;
use crate::report::ledger::{Change, Ledger, rewrite_cost};
use crate::report::price::{Price, kept};
use crate::settings::Delivery;

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
        self.told.ledger.context_tokens = tokens.or(self.told.ledger.context_tokens);
    }

    /// What the host said last about its context.
    pub fn context(&self) -> Option<usize> {
        self.told.ledger.context_tokens
    }

    /// A condensed conversation has another length: the old one says nothing any more.
    pub fn renew_context(&mut self, tokens: Option<usize>) {
        self.told.ledger.context_tokens = tokens;
    }

    /// The account so far.
    pub fn ledger(&self) -> Ledger {
        self.told.ledger
    }

    /// Charges what changed. `before` holds the tools that were attached before.
    pub(super) fn charge(&mut self, index: &Index, before: &HashSet<ToolId>, rewrite: Option<&Rewrite>, charged: Charged) {
        let detail = self.settings.schema_detail;
        let begins = charged == Charged::Begin;
        let listed = self.directory_tokens_of_messages(index);
        let mcp_load = self.mcp_load_tokens(index) + self.directory_tokens(index).saturating_sub(listed);
        let new = listed.saturating_sub(std::mem::replace(&mut self.chosen.directory.charged, listed));
        let mcp_load = mcp_load + listed;
        let (mut told, mut added) = (mcp_load, if begins { mcp_load } else { new });
        for (attached, at) in self.usable(index) {
            let count = index.tools[at].tool.token_count_as(&attached.name, detail);
            told += count;
            added += if begins || !before.contains(&attached.id) { count } else { 0 };
        }
        let replaced = rewrite.is_some();
        // What a turn defers is declared, and the model sees nothing of it.
        if self.delivery().defers() && charged != Charged::Load && !begins {
            (told, added) = (told - added, 0);
        }
        if charged == Charged::Sync && added == 0 && !replaced {
            return;
        }
        let change = Change { added, told, replaced, begins };
        self.told.ledger.add(self.delivery(), self.settings.provider.prices(), &change);
    }

    /// What a tool costs that is needed and not there.
    pub(super) fn price(&self) -> Price {
        let prices = self.settings.provider.prices();
        Price::of(prices, self.delivery(), self.told.ledger.context_tokens)
    }

    /// What attaching anything now has written again, in tokens that stay: only `append` writes, and only where the host says how
    /// long the context is.
    pub(super) fn rewrite_now(&self, index: &Index) -> f64 {
        let Some(context) = self.told.ledger.context_tokens.filter(|_| self.delivery() == Delivery::Append) else { return 0.0 };
        let prices = self.settings.provider.prices();
        kept(prices, rewrite_cost(prices, context + self.attached_tokens(index)))
    }
}
