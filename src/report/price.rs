//! What each way of showing a tool costs a task, and which one is cheapest.
//!
//! A tool is a definition, a line of the directory, or nothing. Who knows how likely it is needed can say what each of them costs:
//!
//! - a definition is written to the provider's cache once and read with every later request, needed or not;
//! - a line is that too, for a tenth of the tokens, and where the tool is needed the model spends a step on loading it;
//! - nothing costs a search where the tool is needed, and some searches end without it.
//!
//! All are in tokens that are written once and read for the rest of the task. docs/inside/directory.md derives the numbers.

use super::ledger::{LOAD_CALL_TOKENS, rewrite_cost, step_cost};
use crate::settings::{Delivery, Prices};

/// Requests of a task, over which what was written is read again.
const REQUESTS: f64 = 20.0;
/// The tokens of a conversation, where the host does not say: a system prompt, a few files and a few turns.
const CONTEXT: usize = 30_000;
/// What a model writes for a call, at the price of output, in base tokens.
const CALL: f64 = 300.0;
/// So many searches for a tool that is there end without it (`research/measure/strangers/measure.mjs`), and then so much of the task
/// is done again.
const ENDS_WITHOUT: f64 = 0.25;
/// What was done by then is done again; a little over two, since tasks see more for it (`research/notes/strangers.md`).
const TIMES_DONE: f64 = 2.3;
/// So many calls by a line alone are wrong and made again: a signature has no descriptions of its parameters.
const CALL_IS_WRONG: f64 = 0.1;

/// Base tokens, in tokens that are written once and read for the rest of the task.
pub fn kept(prices: Prices, base: f64) -> f64 {
    base / REQUESTS.mul_add(prices.read, prices.write)
}

named! {
    /// How a tool is shown.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Tier {
        /// As a definition.
        Definition = "definition",
        /// As a line of the directory.
        Line = "line",
        /// Not at all.
        Nothing = "nothing",
    }
}

/// What a task pays where a tool is needed and not attached, in tokens that stay for the rest of the task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// To load one that the model sees as a line.
    pub load: f64,
    /// To search for one that it does not see.
    pub search: f64,
}

impl Price {
    /// The prices of a task with a delivery and so long a context.
    #[expect(clippy::cast_precision_loss, reason = "tokens are far below 2^52")]
    pub fn of(prices: Prices, delivery: Delivery, context: Option<usize>) -> Self {
        let context = context.unwrap_or(CONTEXT);
        let step = step_cost(prices, context) + CALL;
        let load = match delivery {
            Delivery::Append => step + rewrite_cost(prices, context),
            Delivery::Defer | Delivery::Changes | Delivery::Program => step,
            Delivery::Call => CALL_IS_WRONG * step,
        };
        let requests = REQUESTS * (prices.write * LOAD_CALL_TOKENS as f64 + CALL);
        let search = kept(prices, load + step + ENDS_WITHOUT * requests) + ENDS_WITHOUT * TIMES_DONE * context as f64;
        Self { load: kept(prices, load), search }
    }

    /// What a definition saves on average, where one that is needed is loaded otherwise.
    #[expect(clippy::cast_precision_loss, reason = "tokens are far below 2^52")]
    pub fn gain(&self, chance: f64, definition: usize) -> f64 {
        chance * self.load - (1.0 - chance) * definition as f64
    }

    /// The cheapest way to show a tool that is so likely needed. Without the tokens of its line there is no directory.
    #[expect(clippy::cast_precision_loss, reason = "tokens are far below 2^52")]
    pub fn cheapest(&self, chance: f64, definition: usize, line: Option<usize>) -> Tier {
        let definition = definition as f64;
        // What is needed is written in any case, soon or late.
        let of_line = line.map_or(f64::INFINITY, |line| chance.mul_add(self.load + definition, line as f64));
        let of_nothing = chance * (self.search + definition);
        if definition <= of_line && definition <= of_nothing {
            Tier::Definition
        } else if of_line < of_nothing {
            Tier::Line
        } else {
            Tier::Nothing
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAT: Prices = Prices { write: 1.0, read: 0.25 };

    #[test]
    fn the_likelier_a_tool_the_more_of_it_is_shown() {
        let price = Price::of(CHAT, Delivery::Append, None);
        let tiers: Vec<Tier> = (0..=1000).map(|at| price.cheapest(f64::from(at) / 1000.0, 300, Some(40))).collect();
        let first = |tier| tiers.iter().position(|shown| *shown == tier).unwrap();
        assert_eq!((first(Tier::Nothing), tiers.last()), (0, Some(&Tier::Definition)));
        assert!(first(Tier::Line) < first(Tier::Definition));
        assert!(tiers.windows(2).all(|pair| pair[0] as u8 >= pair[1] as u8));
    }

    #[test]
    fn a_costly_definition_is_a_line_where_a_small_one_is_a_definition() {
        let price = Price::of(CHAT, Delivery::Append, None);
        assert_eq!(price.cheapest(0.2, 60, Some(40)), Tier::Definition);
        assert_eq!(price.cheapest(0.2, 20_000, Some(40)), Tier::Line);
        assert_eq!(price.cheapest(0.2, 20_000, None), Tier::Nothing);
    }

    #[test]
    fn where_a_load_writes_nothing_again_lines_do_more() {
        let of = |delivery| Price::of(CHAT, delivery, Some(50_000));
        let (append, defer, call) = (of(Delivery::Append), of(Delivery::Defer), of(Delivery::Call));
        assert!(append.load > defer.load && defer.load > call.load && append.search > call.search);
        assert_eq!(append.cheapest(0.15, 300, Some(40)), Tier::Definition);
        assert_eq!(call.cheapest(0.15, 300, Some(40)), Tier::Line);
    }

    #[test]
    fn a_longer_context_makes_a_missing_tool_dearer() {
        let of = |context| Price::of(CHAT, Delivery::Append, Some(context));
        assert!(of(100_000).load > of(10_000).load && of(100_000).search > of(10_000).search);
    }
}
