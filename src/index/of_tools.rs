//! What a generation knows of its tools alone, and takes over from the previous one.

use std::collections::HashMap;
use std::sync::Arc;

use once_cell::sync::OnceCell;
use parking_lot::RwLock;

use super::counted::Counted;
use super::indexed::IndexedTool;
use crate::catalogue::name::{Names, Wanted};
use crate::catalogue::tool::Tool;
use crate::document::lookup::Lookup;
use crate::embedding::vectors::ModelVectors;
use crate::ranking::semantic::ToolVectors;

/// The vectors of all tools, of one model, as they were at one of its revisions.
#[derive(Debug, Clone)]
pub(super) struct VectorsOf {
    pub(super) model: Arc<ModelVectors>,
    /// `None` for those that the previous generation had: more may be there.
    pub(super) revision: Option<usize>,
    pub(super) vectors: Arc<ToolVectors>,
}

/// What depends on tools alone: generations that differ in registry entries share it.
#[derive(Debug)]
pub(super) struct OfTools {
    /// By place in the order of the rule.
    pub(super) names: Arc<Names>,
    /// Positions in the order of the rule, whatever order the host wants.
    pub(super) by_rule: Vec<usize>,
    pub(super) by_id: Arc<Lookup>,
    pub(super) by_name: Arc<OnceCell<Lookup>>,
    /// Over all of them.
    pub(super) counted: Arc<Counted>,
    /// By position.
    pub(super) serves_what_is_implied: OnceCell<Box<[bool]>>,
    pub(super) vectors: RwLock<Option<VectorsOf>>,
}

impl OfTools {
    /// Gives tools their names: those that they had in a generation of tools that were known by the same.
    pub(super) fn new(tools: &mut [IndexedTool], by_rule: Vec<usize>, same_ids: Option<(&[IndexedTool], &Self)>) -> Self {
        let names = if let Some((before, known)) = same_ids {
            for (tool, old) in tools.iter_mut().zip(before) {
                tool.name.clone_from(&old.name);
            }
            Arc::clone(&known.names)
        } else {
            let wanted = by_rule.iter().map(|at| &tools[*at]).map(|IndexedTool { tool, .. }| Wanted {
                base: &tool.base_name,
                server_name: &tool.id.server_name,
                tool_name: &tool.id.tool_name,
            });
            let (names, given) = Names::assign_all(&wanted.collect::<Vec<_>>());
            for (at, name) in by_rule.iter().zip(given) {
                tools[*at].name = name;
            }
            Arc::new(names)
        };
        // Where tools are known by the same names in the same order, both look-ups lead to the same places.
        let (by_id, by_name) = if let Some((_, known)) = same_ids {
            (Arc::clone(&known.by_id), Arc::clone(&known.by_name))
        } else {
            (Arc::new(Lookup::new((0..tools.len()).map(|at| (tools[at].tool.hashes.id, at)))), Arc::default())
        };
        Self {
            names,
            by_rule,
            by_id,
            by_name,
            counted: Arc::default(),
            serves_what_is_implied: OnceCell::new(),
            vectors: RwLock::default(),
        }
    }

    /// Whether the tool at a position serves something that requests imply.
    pub(super) fn serves_what_is_implied(&self, tools: &[IndexedTool], position: usize) -> bool {
        self.serves_what_is_implied.get_or_init(|| tools.iter().map(serves).collect())[position]
    }

    /// Keeps what the previous generation worked out for tools that stayed.
    pub(super) fn keep(&mut self, tools: &[IndexedTool], (before, old): (&[IndexedTool], &Self)) {
        let moved = moved(before, tools);
        self.counted = Arc::new(old.counted.next(before, tools, &moved, None));
        if let Some(known) = old.serves_what_is_implied.get() {
            let serves = |(at, before): (usize, &Option<u32>)| before.map_or_else(|| serves(&tools[at]), |at| known[at as usize]);
            let _ = self.serves_what_is_implied.set(moved.iter().enumerate().map(serves).collect());
        }
        if let Some(known) = &*old.vectors.read() {
            let vectors = moved.iter().map(|before| known.vectors.get((*before)? as usize).cloned()).collect();
            let (model, vectors) = (Arc::clone(&known.model), Arc::new(ToolVectors::new(vectors)));
            *self.vectors.write() = Some(VectorsOf { model, revision: None, vectors });
        }
    }
}

/// Where each tool was in the previous generation.
pub(super) fn moved(old: &[IndexedTool], new: &[IndexedTool]) -> Vec<Option<u32>> {
    let same = |(old, new): &(&IndexedTool, &IndexedTool)| Arc::ptr_eq(&old.tool, &new.tool);
    let position = |at: usize| u32::try_from(at).ok();
    // Most often one server changed: what is before and behind it need not be searched.
    let before = old.iter().zip(new).take_while(same).count();
    let behind = old[before..].iter().rev().zip(new[before..].iter().rev()).take_while(same).count();
    let (old_end, new_end) = (old.len() - behind, new.len() - behind);
    let between: HashMap<*const Tool, usize> = (before..old_end).map(|at| (Arc::as_ptr(&old[at].tool), at)).collect();
    (0..new.len())
        .map(|at| {
            if at < before {
                position(at)
            } else if at >= new_end {
                position(at - new_end + old_end)
            } else {
                between.get(&Arc::as_ptr(&new[at].tool)).copied().and_then(position)
            }
        })
        .collect()
}

fn serves(tool: &IndexedTool) -> bool {
    !tool.tool.document().serves.is_empty()
}
