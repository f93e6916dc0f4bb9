//! A query, analysed once: its terms, and the tools that it names.

use std::collections::HashSet;
use std::ops::Range;

use super::clauses::clauses;
use super::document::ToolDocument;
use super::lexicon::gloss;
use super::negation::{Negated, negated};
use super::pasted::prose;
use super::spelling::corrected;
use super::synonyms::add_synonyms;
use super::terms::{Word, fold_name, is_stop_word, word_terms, words};
use super::vocabulary::Vocabulary;

/// The most text of a query that is read; a pasted log may be longer.
pub const MAX_QUERY_BYTES: usize = 32 * 1024;
/// Names are looked for in this many words from the start.
const NAMED_WORDS: usize = 400;
/// Fewer names are a sentence with a comma.
const FEWEST_LISTED: usize = 3;
/// The longest name that is looked for, in words.
const LONGEST_NAME: usize = 10;

/// How a query names a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Naming {
    /// Not at all.
    #[default]
    None,
    /// By its exact name, in any spelling of case and separators.
    Tool,
    /// By its exact name together with its server's.
    ServerAndTool,
}

impl Naming {
    /// The stable name that callers see.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Tool => "tool",
            Self::ServerAndTool => "server-and-tool",
        }
    }
}

/// How much of a query was read when it was too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryCut {
    /// Bytes that were read.
    pub used_bytes: usize,
    /// Bytes that were given.
    pub given_bytes: usize,
}

/// A part of a query that asks for something of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Clause {
    /// Its bytes in the ranked text.
    pub range: Range<usize>,
    /// Its terms with their weights.
    pub terms: Vec<(String, f64)>,
}

/// See the module.
#[derive(Debug, Clone)]
pub struct Query {
    /// The text that was read.
    pub text: String,
    /// The text that is ranked, by words and by vectors: the same, or with spelling corrected, or
    /// with a line of English for one in another language.
    pub ranked: String,
    /// Set when the text was cut.
    pub cut: Option<QueryCut>,
    /// Bytes of pasted code and logs that are not ranked.
    pub pasted_bytes: usize,
    /// Products that it does not want.
    pub negated: Negated,
    /// Terms with their weights, in the order of their first place. A term counts once however
    /// often it stands there: a pasted log repeats itself (+0.6 points of recall at 10).
    pub terms: Vec<(String, f64)>,
    /// Its clauses, when it asks for several things and was prepared for a ranking.
    pub clauses: Vec<Clause>,
    names: HashSet<String>,
    spans: HashSet<String>,
}

impl Query {
    /// Analyses a text. Any text is a query; an empty one matches nothing.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut end = text.len().min(MAX_QUERY_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let cut = (end < text.len()).then_some(QueryCut { used_bytes: end, given_bytes: text.len() });
        let text = &text[..end];
        let words = words(text);
        let terms = distinct_terms(&words);
        let (names, spans) = names(&words);
        Self {
            text: text.to_owned(),
            ranked: text.to_owned(),
            cut,
            pasted_bytes: 0,
            negated: Negated::default(),
            terms,
            clauses: Vec::new(),
            names,
            spans,
        }
    }

    /// Analyses a text for a ranking of tools that the words are of: pasted code and logs are left out,
    /// misspelt words corrected, other languages glossed, terms have synonyms, clauses stand apart.
    /// Tools are named by what a person wrote, in the spelling that was given.
    #[must_use]
    pub fn prepare(text: &str, vocabulary: &Vocabulary) -> Self {
        let mut query = Self::new(text);
        // What is left must say something of the tools, unless nothing does: what looks like code may be the request.
        let says_something = |text: &str| {
            let mut pieces = words(text).into_iter().flat_map(|word| word.pieces);
            pieces.any(|word| !is_stop_word(&word) && vocabulary.contains_form(&word))
        };
        let asked = prose(&query.text).filter(|asked| says_something(asked) || !says_something(&query.text));
        if let Some(asked) = asked {
            query = Self { cut: query.cut, pasted_bytes: query.text.len().saturating_sub(asked.len()), ..Self::new(&asked) };
        }
        query.names.extend(listed_names(&query.text, vocabulary));
        if let Some(changed) = corrected(&query.text, vocabulary) {
            query.ranked = changed;
        }
        if let Some((kept, negated)) = negated(&query.ranked, vocabulary) {
            (query.ranked, query.negated) = (kept, negated);
        }
        if let Some(said) = gloss(&query.ranked, vocabulary) {
            query.ranked.push('\n');
            query.ranked.push_str(&said);
        }
        if query.ranked != query.text {
            query.terms = distinct_terms(&words(&query.ranked));
        }
        add_synonyms(&mut query.terms);
        let clause = |range: Range<usize>| {
            let mut terms = distinct_terms(&words(&query.ranked[range.clone()]));
            add_synonyms(&mut terms);
            Clause { range, terms }
        };
        query.clauses = clauses(&query.ranked).into_iter().map(clause).collect();
        query
    }

    /// The byte ranges of its clauses.
    #[must_use]
    pub fn clause_ranges(&self) -> Vec<Range<usize>> {
        self.clauses.iter().map(|clause| clause.range.clone()).collect()
    }

    /// How the query names a tool.
    #[must_use]
    pub fn naming(&self, tool: &ToolDocument) -> Naming {
        if tool.folded_name.is_empty() || self.spans.is_empty() {
            return Naming::None;
        }
        if !tool.folded_server.is_empty() && self.spans.contains(&format!("{}{}", tool.folded_server, tool.folded_name)) {
            return Naming::ServerAndTool;
        }
        if self.names.contains(&tool.folded_name) { Naming::Tool } else { Naming::None }
    }
}

fn distinct_terms(words: &[Word]) -> Vec<(String, f64)> {
    let mut seen = HashSet::new();
    words.iter().flat_map(word_terms).filter(|term| seen.insert(term.clone())).map(|term| (term, 1.0)).collect()
}

/// Names written as such, and all runs of words joined. In prose "list issues" is no name, but
/// `list_issues`, "the list issues tool" and a query of nothing else are.
fn names(words: &[Word]) -> (HashSet<String>, HashSet<String>) {
    let folded: Vec<String> = words.iter().take(NAMED_WORDS).map(Word::joined).collect();
    let mut names = HashSet::new();
    let mut spans = HashSet::new();
    for start in 0..folded.len() {
        if words[start].identifier {
            names.insert(folded[start].clone());
            // A provider name as other hosts write it: `mcp__server__tool`.
            if let Some(rest) = folded[start].strip_prefix("mcp") {
                spans.insert(rest.to_owned());
            }
        }
        let mut span = String::new();
        for (end, word) in folded.iter().enumerate().skip(start).take(LONGEST_NAME) {
            span.push_str(word);
            let called_a_tool = folded.get(end + 1).is_some_and(|next| matches!(next.as_str(), "tool" | "tools" | "function"));
            if called_a_tool || (start == 0 && end + 1 == folded.len() && folded.len() == words.len()) {
                names.insert(span.clone());
            }
            spans.insert(span.clone());
        }
    }
    (names, spans)
}

/// Names of tools that stand in a list, in any spelling: "list issues, get weather and navigate".
/// Most items must be names, so that "search, filter and export the orders" is no list of names.
fn listed_names(text: &str, vocabulary: &Vocabulary) -> Vec<String> {
    let items: Vec<String> = text
        .split([',', ';', '\n', ':', '、', '，'])
        .flat_map(|part| part.split(" and "))
        .take(NAMED_WORDS)
        .map(fold_name)
        .filter(|item| !item.is_empty())
        .collect();
    let named: Vec<String> = items.iter().filter(|item| vocabulary.is_tool_name(item)).cloned().collect();
    if named.len() >= FEWEST_LISTED && named.len() * 2 > items.len() { named } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::tool::{McpServer, McpTool, Tool};

    fn naming(query: &str, server: &str, tool: &str) -> Naming {
        let server = McpServer { name: server.into(), ..McpServer::default() };
        let tool = Tool::new(&server, McpTool::new(tool), "tool").unwrap();
        Query::new(query).naming(tool.document())
    }

    #[test]
    fn a_name_is_known_in_any_spelling() {
        for query in [
            "get_weather",
            "getWeather",
            "get-weather",
            "get weather",
            "call GET_WEATHER now",
            "please use the get weather tool for Paris",
            "a_b, get_weather, c_d",
        ] {
            assert_eq!(naming(query, "meteo", "get_weather"), Naming::Tool, "{query}");
        }
    }

    #[test]
    fn a_name_with_its_server_is_known_in_any_spelling() {
        for query in [
            "mcp--meteo--get_weather",
            "meteo.get_weather",
            "meteo::getWeather",
            "use meteo get weather",
            "mcp__meteo__get_weather",
        ] {
            assert_eq!(naming(query, "meteo", "get_weather"), Naming::ServerAndTool, "{query}");
        }
    }

    #[test]
    fn plain_words_do_not_name_a_tool() {
        assert_eq!(naming("list issues that are open", "github", "list_issues"), Naming::None);
        assert_eq!(naming("search for a file", "exa", "search"), Naming::None);
        assert_eq!(naming("", "exa", "search"), Naming::None);
    }

    #[test]
    fn a_query_of_a_megabyte_is_cut_and_says_so() {
        let query = Query::new(&"é".repeat(1 << 19));
        assert_eq!(query.cut, Some(QueryCut { used_bytes: MAX_QUERY_BYTES, given_bytes: 1 << 20 }));
        assert_eq!(query.text.len(), MAX_QUERY_BYTES);
    }

    #[test]
    fn a_prepared_query_is_corrected_and_has_clauses_and_names_tools_as_it_was_given() {
        let server = McpServer { name: "s".into(), ..McpServer::default() };
        let tool = |name: &str| Tool::new(&server, McpTool::new(name), "tool").unwrap();
        let (known, other) = (tool("create_dashboard"), tool("creaet"));
        let vocabulary = Vocabulary::build([&known].map(Tool::document).into_iter());
        let query = Query::prepare("show me the weather in Paris, and creaet a new dahsboard of it", &vocabulary);
        assert_eq!(query.ranked, "show me the weather in Paris, and create a new dashboard of it");
        let clauses: Vec<&str> = query.clause_ranges().into_iter().map(|range| &query.ranked[range]).collect();
        assert_eq!(clauses, ["show me the weather in Paris", "create a new dashboard of it"]);
        assert!(query.clauses[1].terms.contains(&("dashboard".to_owned(), 1.0)));
        assert!(query.terms.iter().any(|(_, weight)| *weight < 1.0));
        assert_eq!(Query::prepare("use the creaet tool", &vocabulary).naming(other.document()), Naming::Tool);
    }

    #[test]
    fn a_query_in_another_language_has_its_gloss_as_a_clause() {
        let query = Query::prepare("Lösche bitte die alten Dateien auf dem Server der Firma", &Vocabulary::default());
        assert!(query.ranked.starts_with(&format!("{}\n", query.text)));
        assert!(query.terms.contains(&("delet".to_owned(), 1.0)));
        assert!(query.clause_ranges().len() != 1);
    }

    #[test]
    fn a_repeated_term_counts_once() {
        assert_eq!(Query::new("issue issues label").terms, [("issu".to_owned(), 1.0), ("label".to_owned(), 1.0)]);
    }
}
