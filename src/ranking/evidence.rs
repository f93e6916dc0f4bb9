//! How likely any candidate serves a request: one calibrated measure for every ranking.
//!
//! Scores say which tool is nearest, never whether it is near: the best of a hundred wrong tools stands out as well. What
//! tells are the raw signals below: how much of the request's rarity the best tool covers, its cosine, whether the words
//! name anything at all, and whether the request stands nearer to what is wanted elsewhere than the tools at hand do.
//! `docs/evidence.md` has the method and the table.

use super::lexical::LexicalIndex;
use super::measure::{MEASURE, NAMES};
use super::prototypes::{self, HEAD};
use super::signals::Signals;
use super::{Corpus, RankedTool, SemanticInput, actions};
use crate::document::counts::{TermCounts, TermKey, term_key};
use crate::document::destructive;
use crate::query::{Naming, Query};
use crate::text::english::mainly_english;
use crate::text::terms::stem;

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

/// Of the tools near the head whose server the request names, the largest share of what else it says that one of them
/// holds; `None` where it names no such server. Who asks for a thing of a server that has no such tool finds tools of
/// others, or of this server alone for its name.
fn named_coverage(corpus: &dyn Corpus, terms: &[Term<'_>], tools: &[RankedTool]) -> Option<f64> {
    let mut best: Option<f64> = None;
    let mut server: (&str, Vec<TermKey>) = ("", Vec::new());
    for tool in tools.iter().take(HEAD) {
        let document = corpus.document(tool.position);
        if server.0 != document.server_words {
            server = (&document.server_words, document.server_words.lines().map(|word| term_key(&stem(word))).collect());
        }
        let is_rest = |term: &&Term<'_>| !server.1.contains(&term.key);
        if terms.iter().filter(|term| term.weight >= 1.0).all(|term| is_rest(&term)) {
            continue;
        }
        let rest: f64 = terms.iter().filter(|term| term.weight >= 1.0).filter(is_rest).map(|term| term.rarity).sum();
        let held = terms.iter().filter(is_rest).filter(|term| document.terms.holds(term.key));
        let coverage = if rest > 0.0 { held.map(|term| term.weight * term.rarity).sum::<f64>() / rest } else { 1.0 };
        best = Some(best.unwrap_or(0.0).max(coverage.min(1.0)));
    }
    best
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
        let is_undone = query.terms.iter().any(|(term, _)| destructive::asks(term))
            && !tools.iter().take(READ).any(|tool| corpus.document(tool.position).act.destroys.is_some());
        let named_coverage = named_coverage(corpus, &terms, tools);
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
            f64::from(u8::from(is_undone)),
            f64::from(u8::from(named_coverage.is_some())),
            named_coverage.unwrap_or(0.0),
        ];
        Self {
            values,
            names_a_tool: top.is_some_and(|tool| tool.shares.naming != Naming::None),
            content_words: query.content_words,
            asks_for_action: !wanted.is_empty(),
            with_vectors: arms.known_scale && arms.similarities.is_some(),
        }
    }

    /// How likely any candidate serves the request, from 0 to 1: a logistic measure of the signals, calibrated.
    #[must_use]
    pub fn evidence(&self) -> f64 {
        let measured = MEASURE.of(&self.values, self.with_vectors);
        if self.names_a_tool {
            measured.max(OF_NAMED_TOOL)
        } else if self.content_words == 0 {
            measured.min(OF_SMALL_TALK)
        } else {
            measured
        }
    }

    /// The values by name, as JSON.
    #[must_use]
    pub fn json(&self) -> String {
        let mut members: serde_json::Map<String, serde_json::Value> =
            NAMES.iter().zip(self.values).map(|(name, value)| ((*name).to_owned(), value.into())).collect();
        members.insert("namesATool".into(), self.names_a_tool.into());
        members.insert("saysNothing".into(), (self.content_words == 0).into());
        members.insert("withVectors".into(), self.with_vectors.into());
        serde_json::Value::Object(members).to_string()
    }
}
