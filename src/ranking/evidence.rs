//! How likely any candidate serves a request: one calibrated measure for every ranking.
//!
//! Scores say which tool is nearest, never whether it is near: the best of a hundred wrong tools stands out as well. What
//! tells are the raw signals below: how much of the request's rarity the best tool covers, its cosine, whether both arms
//! mean the same tool, and whether the words name anything at all. `docs/evidence.md` has the method and the table.

use super::rank::Arms;
use super::{Corpus, RankedTool};
use crate::query::{Naming, Query};
use crate::text::english::mainly_english;

/// How many signals there are.
pub const SIGNALS: usize = 24;

/// Tools at the head of a ranking that are looked at.
pub(super) const HEAD: usize = 5;
/// Those of them whose words are compared with the request's.
const READ: usize = 3;

/// What is known of a ranking, in a form that a linear measure can weigh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signals {
    /// Their values; [`NAMES`] says which.
    pub values: [f64; SIGNALS],
    /// Whether the request names a tool.
    pub names_a_tool: bool,
    /// Whether no word of it could name anything.
    pub says_nothing: bool,
    /// Whether vectors were used.
    pub semantic: bool,
}

/// The names of the signals, in their order.
pub const NAMES: [&str; SIGNALS] = [
    "content",
    "content_share",
    "absent",
    "terms",
    "unknown",
    "coverage",
    "clause_coverage",
    "lexical",
    "lexical_z",
    "top_coverage",
    "head_rarity_missing",
    "cosine",
    "cosine_z",
    "top_cosine",
    "clause_cosine",
    "head_gap",
    "agree_lexical",
    "agree_semantic",
    "english",
    "tools",
    "server_named",
    "clauses",
    "cosine_mean",
    "top_lexical",
];

impl Signals {
    /// Reads them off a ranking of candidates.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub(super) fn of(corpus: &dyn Corpus, query: &Query, arms: &Arms<'_>, tools: &[RankedTool]) -> Self {
        let max = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        let lexical = corpus.lexical();
        let own: Vec<(&str, f64)> =
            query.terms.iter().filter(|(_, weight)| *weight >= 1.0).map(|(term, _)| (term.as_str(), lexical.idf(term))).collect();
        let rarity: f64 = own.iter().map(|(_, idf)| idf).sum();
        let unknown: f64 = own.iter().filter(|(term, _)| lexical.doc_freq(term) == 0).map(|(_, idf)| idf).sum();
        let share = |part: f64| if rarity > 0.0 { part / rarity } else { 0.0 };
        // What the best tools hold of the request together.
        let held: std::collections::HashSet<String> = tools
            .iter()
            .take(READ)
            .flat_map(|tool| lexical.explain(&query.terms, tool.position).into_iter().map(|term| term.term))
            .collect();
        let missing: f64 = own.iter().filter(|(term, _)| !held.contains(*term)).map(|(_, idf)| idf).sum();
        let best = |values: &[f64]| (0..values.len()).max_by(|a, b| values[*a].total_cmp(&values[*b]));
        let (whole, similarities) = (arms.whole, arms.similarities.unwrap_or_default());
        let top = tools.first();
        let mean = similarities.iter().sum::<f64>() / similarities.len().max(1) as f64;
        let mut head: Vec<f64> = tools.iter().take(HEAD).filter_map(|tool| tool.shares.similarity).collect();
        head.sort_by(|a, b| b.total_cmp(a));
        let clause_cosine = if arms.clause_best.is_empty() { max(similarities) } else { max(&arms.clause_best) };
        let clause_coverage = if arms.clause_coverage.is_empty() { whole.coverage } else { max(&arms.clause_coverage) };
        let at = |values: &[f64], place: Option<usize>| place.and_then(|place| values.get(place)).copied().unwrap_or(0.0);
        let of_terms = |score: f64| lexical.coverage(&query.terms, score);
        let content = query.content_words as f64;
        let values = [
            content.ln_1p(),
            content / query.word_count.max(1) as f64,
            (query.absent_products as f64).min(2.0),
            (own.len() as f64).ln_1p(),
            share(unknown),
            whole.coverage,
            clause_coverage,
            max(arms.lexical).ln_1p(),
            max(&whole.lexical).max(0.0).ln_1p(),
            top.map_or(0.0, |tool| of_terms(tool.shares.lexical)),
            share(missing),
            max(similarities),
            max(&whole.semantic).max(0.0).ln_1p(),
            top.and_then(|tool| tool.shares.similarity).unwrap_or(0.0),
            clause_cosine,
            head.first().zip(head.last()).map_or(0.0, |(first, last)| first - last),
            at(&whole.lexical, best(similarities)).max(0.0).ln_1p(),
            at(&whole.semantic, best(arms.lexical)).max(0.0).ln_1p(),
            f64::from(u8::from(mainly_english(&query.text))),
            (arms.lexical.len() as f64).ln_1p(),
            f64::from(u8::from(
                tools.iter().take(READ).any(|tool| query.names_server(&corpus.document(tool.position).server_key)),
            )),
            (query.clauses.len() as f64).ln_1p(),
            mean,
            top.map_or(0.0, |tool| tool.shares.lexical).ln_1p(),
        ];
        Self {
            values,
            names_a_tool: top.is_some_and(|tool| tool.shares.naming != Naming::None),
            says_nothing: query.content_words == 0,
            semantic: arms.similarities.is_some(),
        }
    }

    /// The values by name, as JSON.
    #[must_use]
    pub fn json(&self) -> String {
        let mut members: serde_json::Map<String, serde_json::Value> =
            NAMES.iter().zip(self.values).map(|(name, value)| ((*name).to_owned(), value.into())).collect();
        members.insert("namesATool".into(), self.names_a_tool.into());
        members.insert("saysNothing".into(), self.says_nothing.into());
        members.insert("semantic".into(), self.semantic.into());
        serde_json::Value::Object(members).to_string()
    }
}
