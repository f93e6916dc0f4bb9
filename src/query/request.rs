//! A request as rankings take it.

use std::collections::HashSet;
use std::ops::Range;

use unicode_normalization::char::decompose_compatible;

use super::naming::{self, Names, Naming};
use crate::document::purpose::Purpose;
use crate::document::tool::ToolDocument;
use crate::text::terms::{word_terms, words};

/// The most text of a query that is read; a pasted log may be longer.
pub const MAX_QUERY_BYTES: usize = 32 * 1024;

/// How much of a query was read when it was too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryCut {
    /// Bytes that were read.
    pub used_bytes: usize,
    /// Bytes that were given.
    pub given_bytes: usize,
}

/// How far a request speaks of code alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OfCode {
    /// It names something else, or no code.
    #[default]
    Not,
    /// One sign of code, or much beside.
    Perhaps,
    /// It says little else.
    Surely,
}

/// A part of a query that asks for something of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Clause {
    /// Its bytes in the ranked text.
    pub range: Range<usize>,
    pub terms: Vec<(String, f64)>,
}

#[derive(Debug, Clone)]
pub struct Query {
    pub text: String,
    /// The text that is ranked, by words and by vectors: the same, or with spelling corrected, or
    /// with a line of English for one in another language.
    pub ranked: String,
    /// Set when the text was cut.
    pub cut: Option<QueryCut>,
    /// How many words it has, as written.
    pub word_count: usize,
    /// How many of them are no words of conversation: 0 for "ok, go on".
    pub content_words: usize,
    /// How far it speaks of code alone.
    pub of_code: OfCode,
    /// How many known products it names that no tool is of.
    pub absent_products: usize,
    /// Bytes of pasted code and logs that are not ranked.
    pub pasted_bytes: usize,
    /// Products that it does not want.
    pub negated: Negated,
    /// Terms with their weights, in the order of their first place. A term counts once however
    /// often it stands there: a pasted log repeats itself (+0.6 points of recall at 10).
    pub terms: Vec<(String, f64)>,
    /// Its clauses, when it asks for several things and was prepared for a ranking.
    pub clauses: Vec<Clause>,
    /// What it implies: purposes of tools, and how much it asks for each.
    pub implied: Vec<(Purpose, f64)>,
    pub(super) names: Names,
    pub(super) server_names: HashSet<String>,
}

/// What a tool of a negated product loses, in units of fused standard deviations: the best of a
/// ranking stand 3 to 6 above the mean, so it falls behind whatever else was asked for.
pub const NEGATED_PENALTY: f64 = 6.0;
/// What a request does not want.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Negated {
    /// Folded names of products.
    pub products: HashSet<String>,
}

impl Negated {
    /// Whether a tool is of a negated product: by its server's name, or by a word of either name.
    pub fn covers(&self, tool: &ToolDocument) -> bool {
        !self.products.is_empty()
            && (self.products.contains(&tool.server_key) || tool.name_words.lines().any(|word| self.products.contains(word)))
    }
}

impl Query {
    /// Reads a text by itself: its terms and names. Any text is a query; an empty one matches nothing.
    pub fn new(text: &str) -> Self {
        let (text, cut) = cut(text);
        let words = words(text);
        Self {
            text: text.to_owned(),
            ranked: text.to_owned(),
            cut,
            word_count: 0,
            content_words: 0,
            of_code: OfCode::default(),
            absent_products: 0,
            pasted_bytes: 0,
            negated: Negated::default(),
            terms: distinct(words.iter().flat_map(word_terms)),
            clauses: Vec::new(),
            implied: Vec::new(),
            names: Names::read(&words),
            server_names: naming::server_names(&words),
        }
    }

    pub fn naming(&self, tool: &ToolDocument) -> Naming {
        self.names.naming(tool)
    }

    /// Every key that [`Query::naming`] may find a tool by: of its name, or of its server's and its own joined. A tool
    /// with neither is not named.
    pub fn name_keys(&self) -> impl Iterator<Item = &str> {
        self.names.keys()
    }

    /// Whether the query names a server by this key: as an identifier, as the whole query, or before
    /// the word "server" or "mcp".
    pub fn names_server(&self, server_key: &str) -> bool {
        !server_key.is_empty() && self.server_names.contains(server_key)
    }

    pub fn clause_ranges(&self) -> Vec<Range<usize>> {
        self.clauses.iter().map(|clause| clause.range.clone()).collect()
    }
}

/// As much of a text as is read, and what was cut.
pub fn cut(text: &str) -> (&str, Option<QueryCut>) {
    let used = readable(&text[..text.floor_char_boundary(MAX_QUERY_BYTES)]);
    (used, (used.len() < text.len()).then_some(QueryCut { used_bytes: used.len(), given_bytes: text.len() }))
}

/// As much of a text as has no more characters when it is normalised than the longest text has bytes: some characters
/// become eighteen, and a text of them would cost as much as one of half a megabyte.
fn readable(text: &str) -> &str {
    if text.is_ascii() {
        return text;
    }
    let mut room = MAX_QUERY_BYTES;
    for (at, c) in text.char_indices() {
        let mut parts = usize::from(c.is_ascii());
        if parts == 0 {
            decompose_compatible(c, |_| parts += 1);
        }
        let Some(left) = room.checked_sub(parts) else { return &text[..at] };
        room = left;
    }
    text
}

/// The terms of a text, each once, of weight 1.
pub(super) fn distinct_terms(text: &str) -> Vec<(String, f64)> {
    distinct(words(text).iter().flat_map(word_terms))
}

fn distinct(terms: impl Iterator<Item = String>) -> Vec<(String, f64)> {
    let mut seen = HashSet::new();
    terms.filter(|term| seen.insert(term.clone())).map(|term| (term, 1.0)).collect()
}
