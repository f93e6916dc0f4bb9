//! What tools cost at a provider that caches prefixes, in base-token equivalents: a token that is neither written to the
//! cache nor read from it counts one.

use serde::{Deserialize, Serialize};

use crate::settings::{Delivery, Prices};

/// The longest context in tokens: a hundred times the longest of today's models.
pub const MAX_CONTEXT_TOKENS: usize = 100_000_000;

/// What one call of `mcp_load` and its answer cost beside the definitions that it attaches: on 19
/// real servers 487 on average, 641 at most.
pub const LOAD_CALL_TOKENS: usize = 500;

/// The account of one task. It begins again with each compaction, as the provider's cache does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ledger {
    /// Writing definitions to the cache, each once.
    pub definitions: f64,
    /// Reading them, once per turn and load that the session was told of.
    pub reads: f64,
    /// Writing again what stands behind a list of tools that changed.
    pub rewrites: f64,
    /// How often that happened.
    pub rewrite_count: usize,
    /// Rewrites whose cost is unknown, because nobody said how long the context was.
    pub uncounted_rewrites: usize,
    /// Tokens behind the definitions, as the host last said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<usize>,
}

/// What happened to the tools of a task between two requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// Tokens of definitions that the model was not told before.
    pub added: usize,
    /// Tokens of all definitions that it is told now.
    pub told: usize,
    /// Whether a definition that it was told is another one now, or gone.
    pub replaced: bool,
    /// Whether the conversation begins: at the start, and after a compaction.
    pub begins: bool,
}

#[expect(clippy::cast_precision_loss, reason = "counts of tokens are far below 2^52")]
fn float(count: usize) -> f64 {
    count as f64
}

/// What it costs to write a context of this length again instead of reading it.
pub fn rewrite_cost(prices: Prices, context_tokens: usize) -> f64 {
    ((prices.write - prices.read) * float(context_tokens)).max(0.0)
}

/// What it costs when the model has to search for a tool itself: one more step.
pub fn step_cost(prices: Prices, context_tokens: usize) -> f64 {
    prices.read * float(context_tokens) + prices.write * float(LOAD_CALL_TOKENS)
}

impl Delivery {
    /// Whether a change of the tools has what stands behind the list written again.
    fn rewrites(self, change: &Change) -> bool {
        match self {
            Self::Append => change.added > 0 || change.replaced,
            Self::Defer | Self::Program => change.replaced,
            Self::Changes | Self::Call => false,
        }
    }
}

impl Ledger {
    /// Adds a change, by the rule of a delivery.
    pub fn add(&mut self, delivery: Delivery, prices: Prices, change: &Change) {
        if change.begins {
            *self = Self { context_tokens: self.context_tokens, ..Self::default() };
        }
        self.definitions += prices.write * float(change.added);
        self.reads += prices.read * float(change.told.saturating_sub(change.added));
        if change.begins || !delivery.rewrites(change) {
            return;
        }
        self.rewrite_count += 1;
        match self.context_tokens {
            Some(context) => self.rewrites += rewrite_cost(prices, context + change.told.saturating_sub(change.added)),
            None => self.uncounted_rewrites += 1,
        }
    }

    /// What is wrong with an account that comes from outside, if anything is.
    pub fn fault(&self) -> Option<String> {
        let costs = [("definitions", self.definitions), ("reads", self.reads), ("rewrites", self.rewrites)];
        let wrong = costs.into_iter().find(|(_, cost)| !(cost.is_finite() && *cost >= 0.0));
        let of_cost = wrong.map(|(field, cost)| format!("{field}: expected a cost of 0 or more, got {cost}"));
        of_cost.or_else(|| {
            let too_long = self.context_tokens.filter(|tokens| *tokens > MAX_CONTEXT_TOKENS)?;
            Some(format!("contextTokens: expected at most {MAX_CONTEXT_TOKENS}, got {too_long}"))
        })
    }

    pub fn total(&self) -> f64 {
        self.definitions + self.reads + self.rewrites
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANTHROPIC: Prices = Prices { write: 1.25, read: 0.1 };

    fn change(added: usize, told: usize) -> Change {
        Change { added, told, replaced: false, begins: false }
    }

    #[test]
    fn an_append_writes_the_context_again_and_a_start_does_not() {
        let mut ledger = Ledger { context_tokens: Some(20_000), ..Ledger::default() };
        ledger.add(Delivery::Append, ANTHROPIC, &Change { begins: true, ..change(4_000, 4_000) });
        assert_eq!((ledger.definitions, ledger.reads, ledger.rewrites), (5_000.0, 0.0, 0.0));
        ledger.add(Delivery::Append, ANTHROPIC, &change(400, 4_400));
        assert_eq!((ledger.rewrite_count, ledger.reads), (1, 400.0));
        assert!((ledger.rewrites - 1.15 * 24_000.0).abs() < 1e-6);
    }

    #[test]
    fn only_a_replaced_definition_rewrites_what_defers() {
        for (delivery, expected) in [(Delivery::Defer, 1), (Delivery::Program, 1), (Delivery::Changes, 0), (Delivery::Call, 0)] {
            let mut ledger = Ledger { context_tokens: Some(20_000), ..Ledger::default() };
            ledger.add(delivery, ANTHROPIC, &change(400, 400));
            ledger.add(delivery, ANTHROPIC, &Change { replaced: true, ..change(0, 400) });
            assert_eq!(ledger.rewrite_count, expected, "{delivery:?}");
        }
    }

    #[test]
    fn a_rewrite_of_unknown_length_is_told_and_not_guessed() {
        let mut ledger = Ledger::default();
        ledger.add(Delivery::Append, ANTHROPIC, &change(400, 400));
        assert_eq!((ledger.rewrites, ledger.rewrite_count, ledger.uncounted_rewrites), (0.0, 1, 1));
    }

    #[test]
    fn an_account_from_outside_has_costs_of_zero_or_more_and_a_context_that_exists() {
        assert_eq!(Ledger::default().fault(), None);
        let wrong = [
            (Ledger { reads: -0.5, ..Ledger::default() }, "reads: expected a cost of 0 or more, got -0.5"),
            (Ledger { rewrites: f64::NAN, ..Ledger::default() }, "rewrites: expected a cost of 0 or more, got NaN"),
            (
                Ledger { context_tokens: Some(MAX_CONTEXT_TOKENS + 1), ..Ledger::default() },
                "contextTokens: expected at most 100000000, got 100000001",
            ),
        ];
        for (ledger, fault) in wrong {
            assert_eq!(ledger.fault().as_deref(), Some(fault));
        }
    }
}
