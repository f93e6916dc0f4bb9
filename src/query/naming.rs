//! Tools that a query names: which spellings name a tool, and which words only happen to.

use std::collections::HashSet;

use crate::document::tool::ToolDocument;
use crate::text::terms::Word;

/// Names are looked for in this many words from the start.
pub(super) const NAMED_WORDS: usize = 400;
/// The longest name that is looked for, in words.
const LONGEST_NAME: usize = 10;

named! {
    /// How a query names a tool.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
    pub enum Naming {
        /// Not at all.
        #[default]
        None = "none",
        /// By its exact name, in any spelling of case and separators.
        Tool = "tool",
        /// By its exact name together with its server's.
        ServerAndTool = "server-and-tool",
    }
}

/// Everything in a query that may name a tool.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    /// Keys of names written as such.
    names: HashSet<String>,
    /// Keys of all runs of words, where a server's name stands before a tool's.
    spans: HashSet<String>,
}

impl Names {
    /// How these words name a tool.
    pub(super) fn naming(&self, tool: &ToolDocument) -> Naming {
        let Self { names, spans } = self;
        if tool.tool_key.is_empty() || spans.is_empty() {
            return Naming::None;
        }
        if !tool.server_key.is_empty() && spans.contains(&format!("{}{}", tool.server_key, tool.tool_key)) {
            return Naming::ServerAndTool;
        }
        if names.contains(&tool.tool_key) { Naming::Tool } else { Naming::None }
    }

    /// Every key that may be a tool's, alone or behind its server's: what to look up instead of asking each tool.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.spans.union(&self.names).map(String::as_str)
    }

    /// Adds names written as such.
    pub(super) fn add(&mut self, names: impl IntoIterator<Item = String>) {
        self.names.extend(names);
    }
}

/// Keys of what a server may be called in these words.
pub(super) fn server_names(words: &[Word]) -> HashSet<String> {
    let keys: Vec<String> = words.iter().take(NAMED_WORDS).map(Word::joined).collect();
    let mut names: HashSet<String> =
        words.iter().zip(&keys).filter(|(word, _)| word.identifier).map(|(_, key)| key.clone()).collect();
    if words.len() <= LONGEST_NAME {
        names.insert(keys.concat());
    }
    for at in (0..keys.len()).filter(|at| matches!(keys[*at].as_str(), "server" | "mcp")) {
        names.extend((at.saturating_sub(LONGEST_NAME)..at).map(|from| keys[from..at].concat()));
    }
    names
}

impl Names {
    /// Names written as such, and all runs of words joined. In prose "list issues" is no name, but
    /// `list_issues`, "the list issues tool" and a query of nothing else are.
    pub(super) fn read(words: &[Word]) -> Self {
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
                let called_a_tool =
                    folded.get(end + 1).is_some_and(|next| matches!(next.as_str(), "tool" | "tools" | "function"));
                if called_a_tool || (start == 0 && end + 1 == folded.len() && folded.len() == words.len()) {
                    names.insert(span.clone());
                }
                spans.insert(span.clone());
            }
        }
        Self { names, spans }
    }
}

#[cfg(test)]
mod tests {
    use super::super::request::Query;

    #[test]
    fn a_server_is_named_as_an_identifier_as_the_whole_query_or_before_the_word_server() {
        for query in
            ["brave-search", "Brave Search", "ask brave_search for it", "use the brave search server", "brave search MCP, please"]
        {
            assert!(Query::new(query).names_server("bravesearch"), "{query}");
        }
        for query in ["a brave search for truth in the old town of ours", "search", "brave", ""] {
            assert!(!Query::new(query).names_server("bravesearch"), "{query}");
        }
    }
}
