//! What is ranked: tools that were indexed together, and vectors of them.

use std::ops::Range;

use super::lexical::LexicalIndex;
use super::semantic::ToolVectors;
use crate::document::id::ToolId;
use crate::document::tool::ToolDocument;
use crate::embedding::vectors::QueryVectors;

/// Tools that were indexed together, as ranking sees them.
pub trait Corpus {
    /// BM25 over all of them.
    fn lexical(&self) -> &LexicalIndex;
    /// The indexed text of one.
    fn document(&self, position: usize) -> &ToolDocument;
    /// Whether it serves something that requests imply: reading its document takes longer to find out.
    fn serves_what_is_implied(&self, position: usize) -> bool;
    /// The positions of those whose folded name is the key, alone or behind their server's.
    fn with_key(&self, key: &str) -> Vec<usize>;
    /// Where the tool that is known by this is.
    fn position(&self, id: &ToolId) -> Option<usize>;
    /// The positions of the tools of the same server.
    fn of_same_server(&self, position: usize) -> Range<usize>;
}

/// Vectors of a query and of all tools of a corpus.
#[derive(Debug, Clone, Copy)]
pub struct SemanticInput<'a> {
    pub query: &'a QueryVectors,
    /// Vectors of tools; [`super::semantic::Estimate`] stands for those that are missing.
    pub tools: &'a ToolVectors,
    /// Whether its cosines are on the scale that evidence was measured with.
    pub known_scale: bool,
    /// Whether to leave the lexical arm out.
    pub alone: bool,
}
