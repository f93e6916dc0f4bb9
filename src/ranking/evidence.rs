//! How likely any candidate serves a request: one calibrated measure for every ranking.
//!
//! Scores say which tool is nearest, never whether it is near: the best of a hundred wrong tools stands out as well. What
//! tells are the raw signals below: how much of the request's rarity the best tool covers, its cosine, whether the words
//! name anything at all, and whether the request stands nearer to what is wanted elsewhere than the tools at hand do.
//! `docs/evidence.md` has the method and the table.

use once_cell::sync::Lazy;

use super::lexical::LexicalIndex;
use super::{Corpus, RankedTool, SemanticInput, actions, prototypes};
use crate::document::counts::{TermCounts, TermKey, term_key};
use crate::query::{Naming, Query};
use crate::text::english::mainly_english;

/// How many signals there are.
pub const SIGNALS: usize = 25;
/// Tools at the head of a ranking that are looked at, however few are asked for.
pub(super) const HEAD: usize = 20;
/// Those of them whose words are compared with the request's own.
const READ: usize = 3;
/// A request of fewer words that may name something says little: one word fits some tool by chance.
const SHORT_CONTENT: f64 = 3.0;
/// The rarity of a term that one tool of a thousand holds: BM25 was measured with catalogues of that size and more.
const RAREST: f64 = 6.5;
/// The most that scores of a smaller catalogue are raised: at two tools, every match is a chance one.
const MOST_SCALE: f64 = 4.0;
/// Tools that a catalogue has at least when rarity is counted: in one of two tools, nothing that they say would be rare.
const LEAST_TOOLS: f64 = 1000.0;
/// The most for a text that names nothing: small talk is rarely more.
const OF_SMALL_TALK: f64 = 0.02;
/// The least for a text that names a tool.
const OF_NAMED_TOOL: f64 = 0.95;
/// The ids of models whose cosines the measure was set with begin so; those of another are on another scale.
pub const MEASURED_MODEL: &str = "all-MiniLM-L6-v2-int8";

/// What the arms of a ranking gave, by candidate.
pub(super) struct Arms<'a> {
    pub standard_lexical: &'a [f64],
    pub standard_semantic: &'a [f64],
    pub lexical: &'a [f64],
    pub similarities: Option<&'a [f64]>,
    /// Whether the cosines are on the scale that the measure knows.
    pub known_scale: bool,
    pub clause_best: Vec<f64>,
    /// Vectors of the request and of the tools, and the positions of the candidates.
    pub semantic: Option<(SemanticInput<'a>, &'a [usize])>,
}

/// What is known of a ranking, in a form that a linear measure can weigh.
#[expect(clippy::struct_excessive_bools, reason = "each says one thing of a request")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signals {
    /// Their values; [`NAMES`] says which.
    values: [f64; SIGNALS],
    names_a_tool: bool,
    says_nothing: bool,
    asks_for_action: bool,
    /// Whether cosines are among them, on the scale that the measure knows.
    with_vectors: bool,
}

/// The names of the signals, in their order.
const NAMES: [&str; SIGNALS] = [
    // How many words may name something, as a logarithm, and their share of all words.
    "content",
    "content_share",
    // Known products that no tool is of.
    "absent",
    // How many terms it has; whether it is English; how many clauses.
    "terms",
    "english",
    "clauses",
    // How much shorter than three words of content it is.
    "short",
    // The share of its rarity that no tool of the catalogue holds, times its content; content in another language.
    "unknown_content",
    "foreign_content",
    // BM25: the best tool's share of the request's rarity, its score, how far it stands out; that of the first tool; what
    // the best tools lack together.
    "coverage",
    "short_coverage",
    "lexical",
    "lexical_z",
    "top_lexical",
    "missing",
    // Cosines: of the first tool, of the best clause, and how far the best stands out.
    "top_cosine",
    "clause_cosine",
    "cosine_z",
    // Where it stands to what people want elsewhere and to what needs no tool.
    "need_cosine",
    "unmet",
    "talk_over",
    "word_need",
    "word_unmet",
    "word_talk_over",
    // How many kinds of tools it implies, where there is one of them: an address, a file.
    "implied",
];

/// What each signal weighs, with vectors and without, and what both begin with.
struct Weights {
    intercept: [f64; 2],
    signals: [[f64; 2]; SIGNALS],
    /// What a measured value is said as: points of both, between which it is linear.
    said: Vec<[f64; 3]>,
}

static WEIGHTS: Lazy<Weights> = Lazy::new(|| {
    let mut weights = Weights { intercept: [0.0; 2], signals: [[0.0; 2]; SIGNALS], said: vec![[0.0; 3]] };
    for line in include_str!("data/evidence.txt").lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split(' ');
        let name = words.next().unwrap_or_default();
        let mut number = || words.next().and_then(|word| word.parse().ok()).unwrap_or(0.0);
        let pair = [number(), number()];
        match NAMES.iter().position(|known| *known == name) {
            Some(at) => weights.signals[at] = pair,
            None if name == "said" => weights.said.push([pair[0], pair[1], number()]),
            None => weights.intercept = pair,
        }
    }
    weights.said.push([1.0; 3]);
    weights
});

impl Weights {
    /// The value that stands for a measured one: how many of such rankings serve their text.
    fn calibrated(&self, measured: f64, column: usize) -> f64 {
        let after = self.said.partition_point(|point| point[0] < measured).clamp(1, self.said.len() - 1);
        let (from, to) = (&self.said[after - 1], &self.said[after]);
        let way = (measured - from[0]) / (to[0] - from[0]).max(f64::EPSILON);
        from[column + 1] + way * (to[column + 1] - from[column + 1])
    }
}

/// How rare a term is that so many tools hold; in a small catalogue, as it were in one of [`LEAST_TOOLS`].
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn rarity(lexical: &LexicalIndex, doc_freq: usize) -> f64 {
    let holding = doc_freq as f64;
    let in_a_large_one = ((LEAST_TOOLS - holding + 0.5).max(0.5) / (holding + 0.5)).ln_1p();
    lexical.idf_of(doc_freq).max(in_a_large_one)
}

/// A term of a request.
struct Term<'a> {
    text: &'a str,
    key: TermKey,
    weight: f64,
    doc_freq: usize,
    rarity: f64,
}

impl<'a> Term<'a> {
    fn new(lexical: &LexicalIndex, text: &'a str, weight: f64) -> Self {
        let doc_freq = lexical.doc_freq(text);
        Self { text, key: term_key(text), weight, doc_freq, rarity: rarity(lexical, doc_freq) }
    }
}

impl Signals {
    /// Reads them off a ranking of candidates.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub(super) fn of(corpus: &dyn Corpus, query: &Query, arms: &Arms<'_>, tools: &[RankedTool]) -> Self {
        let max = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        let lexical = corpus.lexical();
        let terms: Vec<Term<'_>> = query.terms.iter().map(|(text, weight)| Term::new(lexical, text, *weight)).collect();
        let own: Vec<&Term<'_>> = terms.iter().filter(|term| term.weight >= 1.0).collect();
        let all: f64 = own.iter().map(|term| term.rarity).sum();
        let unknown: f64 = own.iter().filter(|term| term.doc_freq == 0).map(|term| term.rarity).sum();
        let share = |part: f64| if all > 0.0 { part / all } else { 0.0 };
        // What each of the best tools holds of the request, and all of them together.
        let best: Vec<&TermCounts> = tools.iter().take(READ).map(|tool| &corpus.document(tool.position).terms).collect();
        // A synonym counts as much as it weighs in the ranking.
        let of_one = |document: &&TermCounts| {
            terms.iter().filter(|term| document.holds(term.key)).map(|term| term.weight * term.rarity).sum()
        };
        let covered = share(best.iter().map(of_one).fold(0.0, f64::max)).min(1.0);
        let is_held = |term: &Term<'_>| best.iter().any(|document| document.holds(term.key));
        let missing: f64 = own.iter().filter(|term| !is_held(term)).map(|term| term.rarity).sum();
        let wanted = actions::of_terms(own.iter().map(|term| term.text));
        let similarities = arms.similarities.unwrap_or_default();
        let top = tools.first();
        let clause_cosine = if arms.clause_best.is_empty() { max(similarities) } else { max(&arms.clause_best) };
        let standing = arms
            .semantic
            .and_then(|(input, candidates)| prototypes::vectors::standing(input, candidates, similarities, clause_cosine))
            .unwrap_or_default();
        let by_words = prototypes::words::standing(corpus, own.iter().map(|term| term.key), tools);
        let content = (query.content_words as f64).ln_1p();
        let english = f64::from(u8::from(mainly_english(&query.text)));
        let short = (SHORT_CONTENT.ln_1p() - content).max(0.0);
        let is_implied = tools.iter().take(HEAD).any(|tool| tool.shares.implied_share > 0.0);
        // BM25 of a small catalogue is small: its rarest term is less rare.
        let scale = (RAREST / lexical.rarest()).clamp(1.0, MOST_SCALE);
        let values = [
            content,
            query.content_words as f64 / query.word_count.max(1) as f64,
            (query.absent_products as f64).min(2.0),
            (own.len() as f64).ln_1p(),
            english,
            (query.clauses.len() as f64).ln_1p(),
            short,
            share(unknown) * content,
            (1.0 - english) * content,
            covered,
            short * covered,
            (scale * max(arms.lexical)).ln_1p(),
            max(arms.standard_lexical).ln_1p(),
            (scale * top.map_or(0.0, |tool| tool.shares.lexical)).ln_1p(),
            share(missing),
            top.and_then(|tool| tool.shares.similarity).unwrap_or(0.0),
            clause_cosine,
            max(arms.standard_semantic).ln_1p(),
            standing.need,
            standing.unmet,
            standing.talk_over,
            by_words.need,
            by_words.unmet,
            by_words.talk_over,
            if is_implied { (query.implied.len() as f64).ln_1p() } else { 0.0 },
        ];
        Self {
            values,
            names_a_tool: top.is_some_and(|tool| tool.shares.naming != Naming::None),
            says_nothing: query.content_words == 0,
            asks_for_action: !wanted.is_empty(),
            with_vectors: arms.known_scale && arms.similarities.is_some(),
        }
    }

    /// How likely any candidate serves the request, from 0 to 1: a logistic measure of the signals, calibrated.
    #[must_use]
    pub fn evidence(&self) -> f64 {
        let column = usize::from(!self.with_vectors);
        let weighed = self.values.iter().zip(&WEIGHTS.signals).map(|(value, weights)| value * weights[column]).sum::<f64>();
        let measured = WEIGHTS.calibrated(1.0 / (1.0 + (-(WEIGHTS.intercept[column] + weighed)).exp()), column);
        if self.names_a_tool {
            measured.max(OF_NAMED_TOOL)
        } else if self.says_nothing {
            measured.min(OF_SMALL_TALK)
        } else {
            measured
        }
    }

    /// How many words may name something, as ln(1 + n).
    #[must_use]
    pub fn content(&self) -> f64 {
        self.values[0]
    }

    /// Whether the request asks for an action that is known.
    #[must_use]
    pub fn asks_for_action(&self) -> bool {
        self.asks_for_action
    }

    /// Whether cosines are among them.
    #[must_use]
    pub fn with_vectors(&self) -> bool {
        self.with_vectors
    }

    /// The values by name, as JSON.
    #[must_use]
    pub fn json(&self) -> String {
        let mut members: serde_json::Map<String, serde_json::Value> =
            NAMES.iter().zip(self.values).map(|(name, value)| ((*name).to_owned(), value.into())).collect();
        members.insert("namesATool".into(), self.names_a_tool.into());
        members.insert("saysNothing".into(), self.says_nothing.into());
        members.insert("withVectors".into(), self.with_vectors.into());
        serde_json::Value::Object(members).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_value_is_said_as_rises_with_it_from_0_to_1() {
        for column in 0..2 {
            let said: Vec<f64> = (0..=1000).map(|at| WEIGHTS.calibrated(f64::from(at) / 1000.0, column)).collect();
            assert!(said[0].abs() < 1e-9 && (said[1000] - 1.0).abs() < 1e-9, "{} to {}", said[0], said[1000]);
            assert!(said.windows(2).all(|pair| pair[0] <= pair[1]));
            for point in &WEIGHTS.said {
                assert!((WEIGHTS.calibrated(point[0], column) - point[column + 1]).abs() < 1e-9);
            }
        }
        assert!(WEIGHTS.said.len() > 2 && WEIGHTS.said.windows(2).all(|pair| pair[0][0] < pair[1][0]));
    }

    #[test]
    fn each_signal_weighs_something() {
        for (name, weights) in NAMES.iter().zip(WEIGHTS.signals) {
            assert!(weights.iter().any(|weight| *weight != 0.0), "{name}");
        }
    }
}
