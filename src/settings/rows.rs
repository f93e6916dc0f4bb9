//! The rows of the settings. To add one: a row here, and what reads it. Struct, default, check, the reader
//! of what callers pass, and `index.d.ts` follow.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::choices::{
    ChangedTools, HiddenCharacters, InitialK, MAX_COUNT, MAX_K, ModeScope, OwnNames, Ranker, SchemaDetail, SchemaStyle, ScopeBy,
    WithholdTools,
};
use super::curation::Curation;
use super::providers::{DeliveryChoice, Provider};

/// What a setting may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// A whole number.
    Count {
        /// The least.
        least: usize,
        /// The most.
        most: usize,
    },
    /// Something else, in the words of TypeScript.
    Other(&'static str),
}

impl Range {
    /// What is expected, for messages.
    pub fn expected(self) -> String {
        match self {
            Self::Count { least, most } => format!("an integer from {least} to {most}"),
            Self::Other(kind) => kind.to_owned(),
        }
    }
}

/// A setting for people: what `index.d.ts` says about it.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Its name, as callers write it.
    pub name: &'static str,
    /// What it may be.
    pub range: Range,
    /// What it does, for callers.
    pub says: &'static str,
}

/// The place of a setting's value.
#[derive(Debug)]
pub enum Slot<'s> {
    /// A whole number that has a default.
    Count(&'s mut usize),
    /// A whole number that may be unset.
    Optional(&'s mut Option<usize>),
    /// Something else.
    Other,
}

macro_rules! value {
    (count, $least:expr, $most:expr, $default:expr) => { usize };
    (optional, $least:expr, $most:expr) => { Option<usize> };
    (other, $type:ty, $kind:literal, $default:expr) => { $type };
}

macro_rules! default {
    (optional, $least:expr, $most:expr) => {
        None
    };
    (count, $least:expr, $most:expr, $default:expr) => {
        $default
    };
    (other, $type:ty, $kind:literal, $default:expr) => {
        $default
    };
}

macro_rules! range {
    (count, $least:expr, $most:expr, $default:expr) => {
        Range::Count { least: $least, most: $most }
    };
    (optional, $least:expr, $most:expr) => {
        Range::Count { least: $least, most: $most }
    };
    (other, $type:ty, $kind:literal, $default:expr) => {
        Range::Other($kind)
    };
}

macro_rules! slot {
    ($value:expr; count $($rest:tt)*) => {
        Slot::Count(&mut $value)
    };
    ($value:expr; optional $($rest:tt)*) => {
        Slot::Optional(&mut $value)
    };
    ($value:expr; other $($rest:tt)*) => {
        Slot::Other
    };
}

/// A row: the reason for the default, the field, the caller's name, (kind, range, default), what it says.
macro_rules! settings {
    ($($(#[$attribute:meta])+ $field:ident $name:literal ($($kind:tt)+) $says:literal)+) => {
        /// The settings of a router, and of each session opened from it.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", default, deny_unknown_fields)]
        pub struct Settings {
            $($(#[$attribute])+ pub $field: value!($($kind)+),)+
        }

        impl Default for Settings {
            fn default() -> Self {
                Self { $($field: default!($($kind)+),)+ }
            }
        }

        /// All settings, in the order of the documentation.
        pub const ROWS: &[Row] = &[$(Row { name: $name, range: range!($($kind)+), says: $says }),+];

        impl Settings {
            /// The places of all values, in the order of [`ROWS`].
            pub fn slots(&mut self) -> Vec<Slot<'_>> {
                vec![$(slot!(self.$field; $($kind)+)),+]
            }
        }
    };
}

settings! {
    /// 50: below it, ranking saves less than it risks, and models still choose well (design of the first source).
    threshold "threshold" (count, 0, 100_000, 50)
    "Attaches all tools when at most this many are in scope."

    /// The model's context in tokens.
    context_window "contextWindow" (optional, 1, MAX_COUNT)
    "The model's context window in tokens: a tenth of it is the budget of a first selection without `tokenBudget` (without a window, 20,000 tokens), and {@link ToolRouter.contextUsage} gives shares of it."

    /// As many as are worth it: a definition that nobody calls costs its whole length in every request.
    initial_k "initialK" (other, InitialK, "number | 'auto'", InitialK::Auto)
    "Tools that the first selection attaches as definitions, besides pins and tools that the text names. `'auto'`: those that are cheaper so than as a line of the directory or not at all (docs/delivery.md). 0 to 1,000: the likeliest so many. With 0, nothing is attached but what {@link Session.load} asks for."

    /// 10: a free-text search of a model is precise.
    search_k "searchK" (count, 1, MAX_K, 10)
    "How many tools a search, a server or a module may attach by one call of `mcp_load`."

    /// How many turns are ranked; 0 attaches everything (kill switch).
    search_turns "searchTurns" (count, 0, 1_000, 7)
    "How many turns are ranked: the first by `initialK`, each later one for up to 3 new tools. 0 is the kill switch and attaches everything, up to `maxTools`."

    /// Maximum number of tools that the model's API takes, `native_tool_count` and `mcp_load` included.
    max_tools "maxTools" (optional, 1, MAX_COUNT)
    "How many tools the model's API accepts, including `nativeToolCount` and `mcp_load`."

    /// How many tools of its own the host sends.
    native_tool_count "nativeToolCount" (count, 0, 100_000, 0)
    "How many tools the host itself sends."

    /// Maximum number of tokens of attached definitions in a dynamic selection.
    token_budget "tokenBudget" (optional, 1, MAX_COUNT)
    "Maximum number of tokens of the definitions that a dynamic first selection attaches; a dynamic task adds nothing beyond twice that. By default it follows from `contextWindow`."

    /// What a ranking uses.
    ranker "ranker" (other, Ranker, "Ranker", Ranker::Hybrid)
    "What tools are ranked by. While vectors are missing, terms alone are used and the answer says so."

    /// 400 ms: twenty times what the model needs on two busy cores, and still under what a person notices before a
    /// model's answer.
    deadline_ms "deadlineMs" (count, 0, 60_000, 400)
    "How long a ranking waits for the vector of its query, in milliseconds."

    /// 3,000: some 70 signatures; what stands behind them is hardly ever worth its line.
    directory_tokens "directoryTokens" (count, 0, 100_000, 3_000)
    "Maximum number of tokens of the directory: signatures of the tools that are worth a line and no definition, in messages, or in the text of `mcp_load` where `delivery` is `append`. 0 has none."

    /// Whether servers are chosen before tools.
    scope_by "scopeBy" (other, ScopeBy, "'tool' | 'server'", ScopeBy::Tool)
    "What a turn chooses first. With `server` it attaches only tools of the best five servers, and pins; the first turn 15 instead of `initialK`."

    /// How `curate` chooses.
    curation "curation" (other, Curation, "Curation", Curation::default())
    "How {@link ToolRouter.curate} chooses tools."

    /// What happens to characters that nobody sees. They stay by default: what a server sent is kept byte by byte.
    hidden_characters "hiddenCharacters" (other, HiddenCharacters, "'keep' | 'strip' | 'refuse'", HiddenCharacters::Keep)
    "What happens to characters in texts of servers that a person does not see and a model reads. With `refuse`, only the tool that has them is refused. Applies to servers that are set afterwards."

    /// How definitions show their schemas. As sent by default: what a server sent is kept byte by byte.
    schema_style "schemaStyle" (other, SchemaStyle, "'sent' | 'host'", SchemaStyle::Sent)
    "How definitions show input schemas. `sent`: byte for byte as the server sent them. `host`: as hosts with strict function calling send them, so that the prompt of such a host does not change. Applies to servers that are set afterwards."

    /// What happens to a tool that says something else than before. Told by default: servers are updated, and who withholds
    /// has to ask somebody.
    changed_tools "changedTools" (other, ChangedTools, "'tell' | 'withhold'", ChangedTools::Tell)
    "What happens to a tool whose definition changes after it was set. It is told; with `withhold` it is also off until it is acknowledged (docs/security.md), or is as it was. Applies to servers that are set afterwards."

    /// Never: no check tells a lie from a clumsy sentence with certainty, and who withholds has to ask somebody.
    withhold_tools "withholdTools" (other, WithholdTools, "'never' | 'high' | 'medium'", WithholdTools::Never)
    "From which severity of `findings` on a tool is off until it is acknowledged (docs/security.md). Applies to servers that are set afterwards."

    /// Full: what a server sent is kept byte by byte unless the host wants fewer tokens.
    schema_detail "schemaDetail" (other, SchemaDetail, "'full' | 'compact'", SchemaDetail::Full)
    "How much of each definition the model is shown: what its server sent (`full`); or the same contract in about a tenth fewer tokens (`compact`), whose schema accepts just what the original does. Ranking reads the whole text in any case."

    /// Chat Completions: what `tools()` has the shape of.
    provider "provider" (other, Provider, "Provider", Provider::OpenaiChat)
    "Whose requests {@link Session.render} makes, and whose prices {@link TokenReceipt.ledger} counts in."

    /// By itself: a definition that is appended has the whole conversation written to the cache again.
    delivery "delivery" (other, DeliveryChoice, "Delivery | 'auto'", DeliveryChoice::Auto)
    "How tools that are attached later reach the model: as the provider keeps its cache (`auto`), at the end of the list (`append`), declared and searched for (`defer`), by blocks between the messages (`changes`), or as text behind a pair of tools that never changes (`call`). docs/delivery.md has what each provider takes."

    /// `mcp`: hosts and models know these names.
    own_names "ownNames" (other, OwnNames, "'mcp' | 'plain'", OwnNames::Mcp)
    "What the router's own tools are called: `mcp_load` and `mcp_call` (`mcp`), or `load_tools` and `call_tool` (`plain`). Anthropic takes a single `mcp_` before a name as the sign of another program's request where a subscription pays, and not where an API key does."

    /// Scope by mode of the host, by slug.
    host_modes "hostModes" (other, BTreeMap<String, ModeScope>, "Record<string, ModeScope>", BTreeMap::new())
    "The scope of each host mode, by the mode's slug."
}
