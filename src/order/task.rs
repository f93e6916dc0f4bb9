//! What a ranking is asked: where, what, and for which task.

use std::collections::HashSet;
use std::ops::Range;

use super::workspace::Workspace;
use crate::document::id::ToolId;
use crate::document::tool::ToolDocument;
use crate::embedding::vectors::ModelVectors;
use crate::index::{InScope, Index};
use crate::query::Query;
use crate::ranking::lexical::LexicalIndex;
use crate::ranking::{Corpus, Ranking, SemanticInput};
use crate::uses::preference::UsePreference;

/// Which tools are ranked.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'a> {
    pub index: &'a Index,
    /// What the task may use of it; rarity and spelling are of these tools alone.
    pub scope: &'a InScope,
    /// The positions of those that are ranked: all in scope, or some of them.
    pub candidates: &'a [usize],
}

impl<'a> Ground<'a> {
    /// All tools in scope.
    pub fn new(index: &'a Index, scope: &'a InScope) -> Self {
        Self { index, scope, candidates: scope.candidates() }
    }

    /// Some of them.
    pub fn among(self, candidates: &'a [usize]) -> Self {
        Self { candidates, ..self }
    }
}

impl Corpus for Ground<'_> {
    fn lexical(&self) -> &LexicalIndex {
        self.index.lexical_of(self.scope)
    }

    fn document(&self, position: usize) -> &ToolDocument {
        self.index.document(position)
    }

    fn serves_what_is_implied(&self, position: usize) -> bool {
        self.index.serves_what_is_implied(position)
    }

    fn with_key(&self, key: &str) -> Vec<usize> {
        let mut found = self.index.with_key(key);
        found.retain(|position| self.scope.holds(*position));
        found
    }

    fn position(&self, id: &ToolId) -> Option<usize> {
        self.index.position(id).filter(|position| self.scope.holds(*position))
    }

    fn of_same_server(&self, position: usize) -> Range<usize> {
        self.index.server_of(position).map_or(0..self.index.tools.len(), |server| server.tools.clone())
    }
}

/// What they are ranked for.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub query: &'a Query,
    /// Vectors, where they are used.
    pub semantic: Option<SemanticInput<'a>>,
    /// What earlier calls say.
    pub uses: &'a UsePreference,
    /// Vectors of registry entries; `None` where entries are judged elsewhere.
    pub entries: Option<EntryVectors<'a>>,
}

/// Vectors of the texts of entries.
#[derive(Debug, Clone, Copy, Default)]
pub struct EntryVectors<'a>(pub Option<&'a ModelVectors>);

/// What is known besides the text. Nothing of it by default, and then nothing is adjusted by it.
#[derive(Clone, Copy, Default)]
pub struct Task<'a> {
    /// Ranks what the task said before this text.
    pub before: Option<&'a dyn Fn() -> Ranking>,
    /// Where the task works.
    pub workspace: Option<&'a Workspace>,
    /// For the first selection of a subtask.
    pub parent: Option<&'a Parent>,
}

/// What a parent task had.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parent {
    pub tools: HashSet<ToolId>,
    /// How many tools the subtask's first selection takes; as far as the evidence goes where absent.
    pub first_k: Option<usize>,
}

impl Task<'_> {
    /// Whether nothing is known besides the text.
    pub fn is_none(&self) -> bool {
        let Self { before, workspace, parent } = self;
        before.is_none() && workspace.is_none() && parent.is_none()
    }
}
