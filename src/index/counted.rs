//! What is counted over tools together: how rare their terms are, and which words they have.

use once_cell::sync::OnceCell;

use super::indexed::IndexedTool;
use crate::query::vocabulary::Vocabulary;
use crate::ranking::lexical::LexicalIndex;

/// When more than one in so many tools changed, and not a few, all words are counted again: counting twice what is then
/// thrown away would cost more than it saves.
const MOST_CHANGED: usize = 8;
/// See [`MOST_CHANGED`].
const FEW_CHANGED: usize = 64;

/// Which positions of a generation are counted; `None` for all.
pub(super) type Held = Option<Box<[bool]>>;

/// See the module. Counted when it is asked for.
#[derive(Debug, Default)]
pub(super) struct Counted {
    held: Held,
    lexical: OnceCell<LexicalIndex>,
    vocabulary: OnceCell<Vocabulary>,
}

impl Counted {
    pub fn new(held: Held) -> Self {
        Self { held, lexical: OnceCell::new(), vocabulary: OnceCell::new() }
    }

    pub fn held(&self) -> &Held {
        &self.held
    }

    pub fn holds(&self, position: usize) -> bool {
        self.held.as_ref().is_none_or(|held| held[position])
    }

    /// BM25 over the tools; `is_list` where a call brought them along.
    pub fn lexical(&self, tools: &[IndexedTool], is_list: bool) -> &LexicalIndex {
        let terms = || {
            let held = tools.iter().enumerate().map(|(at, tool)| self.holds(at).then_some(tool));
            held.map(|tool| tool.map(|tool| &tool.tool.document().terms))
        };
        let build = || if is_list { LexicalIndex::of_list(terms()) } else { LexicalIndex::build(terms()) };
        self.lexical.get_or_init(build)
    }

    /// The words of the tools.
    pub fn vocabulary(&self, tools: &[IndexedTool]) -> &Vocabulary {
        let held = || tools.iter().enumerate().filter(|(at, _)| self.holds(*at));
        self.vocabulary.get_or_init(|| Vocabulary::build(held().map(|(_, tool)| tool.tool.document())))
    }

    /// The same of the next generation, with what was counted for tools that stayed; `moved` says where each tool was.
    pub fn next(&self, before: &[IndexedTool], tools: &[IndexedTool], moved: &[Option<u32>], held: Held) -> Self {
        let next = Self::new(held);
        let document = |at: usize| tools[at].tool.document();
        let lexical = self.lexical.get().and_then(|old| old.next(moved, |at| next.holds(at), |at| &document(at).terms));
        if let Some(lexical) = lexical {
            let _ = next.lexical.set(lexical); // nobody else has it yet
        }
        let Some(vocabulary) = self.vocabulary.get() else { return next };
        let stays = |at: usize| moved[at].is_some_and(|before| self.holds(before as usize)) && next.holds(at);
        let mut stayed = vec![false; before.len()];
        for at in (0..tools.len()).filter(|at| stays(*at)) {
            stayed[moved[at].unwrap_or_default() as usize] = true;
        }
        let gone: Vec<usize> = (0..before.len()).filter(|at| self.holds(*at) && !stayed[*at]).collect();
        let new: Vec<usize> = (0..tools.len()).filter(|at| next.holds(*at) && !stays(*at)).collect();
        if new.len() + gone.len() <= tools.len() / MOST_CHANGED + FEW_CHANGED {
            let gone = gone.into_iter().map(|at| before[at].tool.document());
            if let Some(vocabulary) = vocabulary.next(gone, new.into_iter().map(document)) {
                let _ = next.vocabulary.set(vocabulary);
            }
        }
        next
    }
}
