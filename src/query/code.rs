//! Code is no tool name: who asks to rename `list_issues()` in `src/api.ts` asks for an edit, not for that tool.
//!
//! The step may take away names of tools that were read before it; it changes no text and no terms. What it leaves alone: a
//! name outside code, and everything where the request speaks of tools.

use once_cell::sync::Lazy;

use super::naming::Names;
use super::request::Query;
use super::vocabulary::Vocabulary;
use crate::text::pattern::Pattern;
use crate::text::terms::words;

/// Identifiers that are code where they stand: behind a word that introduces one, called or reached through a dot, in a path
/// or before the extension of a file.
const CODE: [&str; 5] = [
    r"(?i)\b(?:rename|renamed|function|func|fn|def|class|method|variable|const|struct|interface|enum|trait|hook|component|import|decorator|macro)\s+[`'\x22]?[A-Za-z_]\w*(?:[`'\x22]?\s+(?:to|into|as)\s+[`'\x22]?[A-Za-z_]\w*)?",
    r"`[^`\n]*[().][^`\n]*`",
    r"\b[A-Za-z_]\w*(?:\.\w+)*\(",
    r"(?:[\w.@-]*/){2,}[\w.@-]+|[\w.@-]+/[\w@-]+\.\w+|(?:src|lib|app|apps|tests?|docs|packages)/[\w.@/-]+",
    r"\b[\w-]+\.(?:js|ts|tsx|jsx|mjs|cjs|py|rs|go|java|kt|rb|php|cs|swift|dart|scala|lua|c|cc|h|hpp|cpp|css|scss|html|vue|svelte|md|json|ya?ml|toml|sql|sh)(?-u:\b)",
];

static PATTERNS: Lazy<Vec<Pattern>> = Lazy::new(|| CODE.iter().filter_map(|pattern| Pattern::new(pattern)).collect());
/// A request with one of these words speaks of tools.
static TOOLS: Lazy<Option<Pattern>> = Lazy::new(|| Pattern::new(r"(?i)\b(?:tools?|mcp)\b|mcp(?:--|__)|select:"));

/// Whether a call, a path or a file stands in a text. A word that introduces code says less: "rename a file".
pub(super) fn holds_code(text: &str) -> bool {
    PATTERNS.iter().skip(1).any(|pattern| pattern.is_in(text))
}

/// The step: forgets names that stand in code alone.
pub(super) fn unname(query: &mut Query, _: &Vocabulary) {
    if TOOLS.as_ref().is_some_and(|tools| tools.is_in(&query.text)) {
        return;
    }
    let mut rest = query.text.clone();
    for pattern in PATTERNS.iter() {
        // Replaced by a mark that joins nothing and names nothing.
        rest = pattern.replaced(&rest, " , ");
    }
    if rest.len() != query.text.len() {
        query.names = Names::read(&words(&rest));
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples;
    use super::super::naming::Naming;
    use super::*;
    use crate::document::tool::ToolDocument;

    fn naming(text: &str) -> Naming {
        let mut query = Query::new(text);
        unname(&mut query, &Vocabulary::default());
        query.naming(&ToolDocument::named("github", "list_issues"))
    }

    #[test]
    fn an_identifier_in_code_names_no_tool() {
        for text in examples("names in code") {
            assert_eq!(naming(text), Naming::None, "{text}");
        }
    }

    #[test]
    fn a_name_outside_code_and_a_request_about_tools_name_it_still() {
        for text in examples("names outside of code") {
            assert_ne!(naming(text), Naming::None, "{text}");
        }
    }

    #[test]
    fn every_pattern_is_read() {
        assert_eq!(PATTERNS.len(), CODE.len());
        assert!(TOOLS.is_some());
    }
}
