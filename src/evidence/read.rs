//! Reads the signals of evidence off a ranking.
//!
//! Scores say which tool is nearest, never whether it is near: the best of a hundred wrong tools stands out as well. What
//! tells are the raw signals below: how much of the request's rarity the best tool covers, its cosine, whether the words
//! name anything at all, and whether the request stands nearer to what is wanted elsewhere than the tools at hand do.
//! `docs/inside/evidence.md` has the method and the table.

use super::{HEAD, actions, prototypes};
use crate::ablation;
use crate::document::counts::{TermCounts, TermKey, term_key};
use crate::document::destructive;
use crate::query::{Naming, Query};
use crate::ranking::arms::Arms;
use crate::ranking::lexical::LexicalIndex;
use crate::ranking::signals::{Signals, Values};
use crate::ranking::{Corpus, RankedTool};
use crate::text::english::{has_english_words, mainly_english};
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
/// How rare a term is that so many tools hold; in a small catalogue, as it were in one of [`LEAST_TOOLS`].
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn rarity(lexical: &LexicalIndex, doc_freq: usize) -> f64 {
    let holding = doc_freq as f64;
    let in_a_large_one = ((LEAST_TOOLS - holding + 0.5).max(0.5) / (holding + 0.5)).ln_1p();
    lexical.idf_of(doc_freq).max(in_a_large_one)
}

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

/// Reads them off a ranking: what its arms say about the candidates at these positions, and its first tools.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn read(corpus: &dyn Corpus, candidates: &[usize], query: &Query, arms: &Arms<'_>, tools: &[RankedTool]) -> Signals {
    let terms: Vec<Term<'_>> = query.terms.iter().map(|(text, weight)| Term::new(corpus.lexical(), text, *weight)).collect();
    let own: Vec<&Term<'_>> = terms.iter().filter(|term| term.weight >= 1.0).collect();
    let mut values = of_request(query, own.len());
    of_words(&mut values, corpus, &terms, arms, tools);
    of_vectors(&mut values, candidates, arms, tools);
    let by_words = prototypes::words::standing(corpus, own.iter().map(|term| term.key), tools);
    (values.word_need, values.word_unmet, values.word_talk_over) = (by_words.need, by_words.unmet, by_words.talk_over);
    if ablation::is_off("lines of needs") {
        (values.word_need, values.word_unmet, values.need_cosine, values.unmet) = (0.0, 0.0, 0.0, 0.0);
    }
    if ablation::is_off("lines of talk") {
        (values.word_talk_over, values.talk_over) = (0.0, 0.0);
    }
    let is_implied = tools.iter().take(HEAD).any(|tool| tool.shares.implied > 0.0);
    values.implied = if is_implied { (query.implied.len() as f64).ln_1p() } else { 0.0 };
    let is_undone = query.terms.iter().any(|(term, _)| destructive::asks(term))
        && !tools.iter().take(READ).any(|tool| corpus.document(tool.position).act.destroys.is_some());
    values.undone = f64::from(u8::from(is_undone));
    let named_coverage = named_coverage(corpus, &terms, tools);
    values.of_named = f64::from(u8::from(named_coverage.is_some()));
    values.named_coverage = named_coverage.unwrap_or(0.0);
    Signals {
        values,
        names_a_tool: tools.first().is_some_and(|tool| tool.shares.named.how != Naming::None),
        of_code: query.of_code,
        content_words: query.content_words,
        is_other_language: values.english < 1.0 || !has_english_words(&query.text),
        asks_for_action: !actions::of_terms(own.iter().map(|term| term.text)).is_empty(),
        with_vectors: arms.semantic.is_some_and(|input| input.known_scale) && prototypes::vectors::are_there(),
    }
}

/// What the request says by itself.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn of_request(query: &Query, own: usize) -> Values {
    let content = (query.content_words as f64).ln_1p();
    let english = f64::from(u8::from(mainly_english(&query.text)));
    Values {
        content,
        content_share: query.content_words as f64 / query.word_count.max(1) as f64,
        absent: (query.absent_products as f64).min(2.0),
        terms: (own as f64).ln_1p(),
        english,
        clauses: (query.clauses.len() as f64).ln_1p(),
        short: (SHORT_CONTENT.ln_1p() - content).max(0.0),
        foreign_content: (1.0 - english) * content,
        ..Values::default()
    }
}

fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// What the best tools hold of the request's words, each and together.
fn of_words(values: &mut Values, corpus: &dyn Corpus, terms: &[Term<'_>], arms: &Arms<'_>, tools: &[RankedTool]) {
    let own = || terms.iter().filter(|term| term.weight >= 1.0);
    let all: f64 = own().map(|term| term.rarity).sum();
    let share = |part: f64| if all > 0.0 { part / all } else { 0.0 };
    let unknown: f64 = own().filter(|term| term.doc_freq == 0).map(|term| term.rarity).sum();
    values.unknown_content = share(unknown) * values.content;
    let best: Vec<&TermCounts> = tools.iter().take(READ).map(|tool| &corpus.document(tool.position).terms).collect();
    // A synonym counts as much as it weighs in the ranking.
    let of_one =
        |document: &&TermCounts| terms.iter().filter(|term| document.holds(term.key)).map(|term| term.weight * term.rarity).sum();
    values.coverage = share(best.iter().map(of_one).fold(0.0, f64::max)).min(1.0);
    values.short_coverage = values.short * values.coverage;
    let is_held = |term: &&Term<'_>| best.iter().any(|document| document.holds(term.key));
    values.missing = share(own().filter(|term| !is_held(term)).map(|term| term.rarity).sum());
    // BM25 of a small catalogue is small: its rarest term is less rare.
    let scale = (RAREST / corpus.lexical().rarest()).clamp(1.0, MOST_SCALE);
    values.lexical = (scale * most(&arms.lexical)).ln_1p();
    values.lexical_z = most(&arms.whole.lexical).ln_1p();
    values.top_lexical = (scale * tools.first().map_or(0.0, |tool| tool.shares.lexical)).ln_1p();
}

/// How near the best tools are in meaning, beside what people want elsewhere.
fn of_vectors(values: &mut Values, candidates: &[usize], arms: &Arms<'_>, tools: &[RankedTool]) {
    let similarities = arms.similarities.as_deref().unwrap_or_default();
    values.top_cosine = tools.first().and_then(|tool| tool.shares.similarity).unwrap_or(0.0);
    let of_clauses: Vec<f64> = arms.clause_best().collect();
    values.clause_cosine = if of_clauses.is_empty() { most(similarities) } else { most(&of_clauses) };
    values.cosine_z = most(&arms.whole.semantic).ln_1p();
    let of_first = arms.semantic.zip(tools.first());
    values.made_here = f64::from(u8::from(of_first.is_some_and(|(input, tool)| input.tools.is_made_here(tool.position))));
    let standing = arms
        .semantic
        .and_then(|input| prototypes::vectors::standing(input, candidates, similarities, values.clause_cosine))
        .unwrap_or_default();
    (values.need_cosine, values.unmet, values.talk_over) = (standing.need, standing.unmet, standing.talk_over);
}
