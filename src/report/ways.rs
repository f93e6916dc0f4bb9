//! Which way of giving a task its tools costs least, by the prices of a provider.

use super::ledger::step_cost;
use crate::settings::Prices;

/// A task as the bill of docs/delivery.md plays it: calls of tools, what each adds to the conversation, and what stands behind
/// the definitions when it begins.
pub const CALLS: usize = 8;
/// See [`CALLS`].
pub const RESULT_TOKENS: usize = 1_500;
const CONTEXT_TOKENS: usize = 14_000;

/// How many tasks have all that they need attached by so many definitions: docs/directory.md, our 153 tasks. Others load
/// something, which is one more step.
const READY: [(f64, f64); 5] = [(0.0, 0.0), (6.0, 0.42), (12.0, 0.65), (20.0, 0.77), (30.0, 0.86)];

/// The directory of the comparison: so many definitions, and so many signatures behind them (docs/directory.md, "Which mix").
pub const DEFINITIONS_BEFORE: usize = 12;
/// See [`DEFINITIONS_BEFORE`].
pub const SIGNATURES: usize = 100;

/// Programs of a task, one that looks and one that acts; tokens of the tool that runs them, and of the text of one.
const PROGRAMS: f64 = 2.0;
const RUNNER_TOKENS: f64 = 300.0;
const PROGRAM_TOKENS: f64 = 200.0;

/// How a task gets its tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Every definition stands in the list.
    All,
    /// The definitions of a first selection, and `mcp_load`.
    Definitions,
    /// Fewer definitions, and signatures of the tools that come next.
    Directory,
    /// As [`Kind::Definitions`]; programs call the tools, and the model reads what they return.
    Programs,
}

impl Kind {
    /// The stable name that callers see.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Definitions => "definitions",
            Self::Directory => "directory",
            Self::Programs => "programs",
        }
    }
}

/// What a task does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Doing {
    /// How many tools it calls.
    pub calls: usize,
    /// What a call and its result add to the conversation.
    pub result_tokens: usize,
    /// What stands behind the definitions when it begins.
    pub context_tokens: usize,
}

impl Default for Doing {
    fn default() -> Self {
        Self { calls: CALLS, result_tokens: RESULT_TOKENS, context_tokens: CONTEXT_TOKENS }
    }
}

/// What a catalogue offers a task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offer {
    /// All tools.
    pub tool_count: usize,
    /// Tokens of a definition and of a signature, on average.
    pub mean_definition: f64,
    /// See above.
    pub mean_signature: f64,
    /// Tokens of `mcp_load`.
    pub mcp_load: usize,
    /// Definitions of a first selection.
    pub first_k: usize,
    /// The directory of the settings, 0 for none.
    pub directory_tokens: usize,
}

/// One way, worked out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Way {
    /// Which.
    pub kind: Kind,
    /// Tools that the model sees at the start.
    pub shown_count: usize,
    /// Tokens of what it is told of tools at the start.
    pub start_tokens: usize,
    /// Requests of the task, on average.
    pub requests: f64,
    /// What tools cost it, in base-token equivalents.
    pub cost: f64,
}

#[expect(clippy::cast_precision_loss, reason = "counts of tools and tokens are far below 2^52")]
fn float(count: usize) -> f64 {
    count as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of tools or tokens")]
fn whole(count: f64) -> usize {
    count.round() as usize
}

/// What one of so many costs, on average.
#[must_use]
pub fn mean(total: usize, count: usize) -> f64 {
    if count == 0 { 0.0 } else { float(total) / float(count) }
}

/// The share of tasks that so many definitions leave without something.
fn loads(definitions: usize) -> f64 {
    let count = float(definitions);
    let above = READY.iter().position(|(most, _)| count <= *most).unwrap_or(READY.len());
    let ready = match (READY.get(above.wrapping_sub(1)), READY.get(above)) {
        (Some((from, least)), Some((to, most))) => least + (most - least) * (count - from) / (to - from),
        (_, Some((_, most))) | (Some((_, most)), None) => *most,
        (None, None) => 0.0,
    };
    1.0 - ready
}

/// The ways, the cheapest first.
#[must_use]
pub fn ways(offer: &Offer, prices: Prices, doing: &Doing) -> Vec<Way> {
    if offer.tool_count == 0 {
        return Vec::new();
    }
    let (all, mcp_load) = (offer.tool_count, float(offer.mcp_load));
    let definitions = |count: usize| float(count) * offer.mean_definition;
    let first = offer.first_k.min(all);
    // A directory of the settings stands behind their definitions.
    let before = if offer.directory_tokens > 0 { first } else { DEFINITIONS_BEFORE.min(first) };
    let most = if offer.directory_tokens > 0 { float(offer.directory_tokens) } else { float(SIGNATURES) * offer.mean_signature };
    let listed = (most / offer.mean_signature.max(1.0)).min(float(all - before));
    let calls = float(doing.calls);
    let results = calls * float(doing.result_tokens);
    let programs = PROGRAMS.min(calls);
    let from_programs = (programs * (float(doing.result_tokens) + PROGRAM_TOKENS)).min(results);
    let way = |kind, shown: f64, start_tokens: f64, loads: f64, steps: f64, results: f64| {
        let requests = 1.0 + steps + loads;
        let written = prices.write * (start_tokens + results);
        // Each request reads what stood there before; the results so far are half of them on average.
        let read = prices.read * ((requests - 1.0) * (float(doing.context_tokens) + start_tokens) + steps * results / 2.0);
        let cost = written + read + loads * step_cost(prices, 0);
        Way { kind, shown_count: whole(shown), start_tokens: whole(start_tokens), requests, cost }
    };
    let start = mcp_load + definitions(first);
    let mut ways = vec![
        way(Kind::All, float(all), definitions(all), 0.0, calls, results),
        way(Kind::Definitions, float(first), start, loads(first), calls, results),
        way(
            Kind::Directory,
            float(before) + listed,
            mcp_load + definitions(before) + listed * offer.mean_signature,
            loads(before),
            calls,
            results,
        ),
        way(Kind::Programs, float(first), start + RUNNER_TOKENS, loads(first), programs, from_programs),
    ];
    ways.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANTHROPIC: Prices = Prices { write: 1.25, read: 0.1 };
    const OFFER: Offer = Offer {
        tool_count: 1_000,
        mean_definition: 245.0,
        mean_signature: 43.0,
        mcp_load: 250,
        first_k: 30,
        directory_tokens: 0,
    };

    fn of(offer: &Offer, doing: &Doing) -> Vec<Kind> {
        ways(offer, ANTHROPIC, doing).iter().map(|way| way.kind).collect()
    }

    #[test]
    fn programs_pay_where_many_calls_answer_much_and_not_where_one_is_made() {
        assert_eq!(of(&OFFER, &Doing::default())[0], Kind::Programs);
        assert_ne!(of(&OFFER, &Doing { calls: 1, result_tokens: 100, ..Doing::default() })[0], Kind::Programs);
    }

    #[test]
    fn a_small_catalogue_is_cheapest_whole_and_a_large_one_dearest() {
        let one_call = Doing { calls: 1, ..Doing::default() };
        assert_eq!(of(&Offer { tool_count: 10, ..OFFER }, &one_call)[0], Kind::All);
        assert_eq!(of(&OFFER, &one_call)[3], Kind::All);
    }

    #[test]
    fn a_directory_shows_more_for_about_the_tokens_of_the_definitions() {
        let ways = ways(&OFFER, ANTHROPIC, &Doing::default());
        let of = |kind| ways.iter().find(|way| way.kind == kind).unwrap();
        let (directory, definitions) = (of(Kind::Directory), of(Kind::Definitions));
        assert_eq!((directory.shown_count, definitions.shown_count), (112, 30));
        assert!((float(directory.start_tokens) / float(definitions.start_tokens) - 1.0).abs() < 0.05);
        assert!(directory.requests > definitions.requests);
    }

    #[test]
    fn fewer_definitions_leave_more_to_load() {
        let shares: Vec<f64> = [0, 3, 6, 12, 25, 30, 500].into_iter().map(loads).collect();
        assert!(shares.windows(2).all(|pair| pair[0] >= pair[1]), "{shares:?}");
        assert!((shares[0] - 1.0).abs() < 1e-9 && (shares[6] - 0.14).abs() < 1e-9);
        assert!(ways(&Offer { tool_count: 0, ..OFFER }, ANTHROPIC, &Doing::default()).is_empty());
    }
}
