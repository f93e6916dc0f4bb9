//! What changed in the list of definitions besides growing at its end.
//!
//! Between two rewrites each rendered list is a byte prefix of the next. A rewrite names its cause, so
//! that a host can tell what it costs at a provider that caches prefixes.

use std::collections::{HashMap, HashSet};

use super::selection::{Rewrite, RewriteCause};
use super::task::{Session, Shown};
use crate::document::id::ToolId;
use crate::index::Index;

impl Session {
    fn shown_now(&self, index: &Index) -> Shown {
        let tools = self
            .usable(index)
            .map(|(attached, at)| (attached.id.clone(), attached.name.clone(), index.tools[at].tool.content_hash));
        Shown {
            tools: tools.collect(),
            mcp_load: self.mcp_load.as_ref().map(|text| {
                let own = format!("{text}{}", self.report_missing().unwrap_or_default());
                (own, self.mcp_load_place == 0)
            }),
            attached: self.attached().map(|attached| attached.id.clone()).collect(),
        }
    }

    /// Remembers what is shown now as what was last shown: a session that was restored continues a conversation.
    pub(crate) fn take_up(&mut self, index: &Index) {
        if self.turn > 0 {
            self.shown = Some(self.shown_now(index));
        }
    }

    /// Compares with what was last shown, and remembers what is shown now. `anew` says that the set was
    /// chosen again.
    pub(super) fn note_rewrite(&mut self, index: &Index, anew: bool) -> Option<Rewrite> {
        let now = self.shown_now(index);
        let before = self.shown.replace(now.clone())?;
        let mut rewrite = Rewrite::default();
        if anew {
            rewrite.causes.push(RewriteCause::Compaction);
        }
        if before.mcp_load != now.mcp_load && !anew && !(before.mcp_load.is_none() && self.mcp_load_place > 0) {
            rewrite.causes.push(RewriteCause::Gate);
        }
        let hashes: HashMap<&ToolId, &[u8; 32]> = now.tools.iter().map(|(id, _, hash)| (id, hash)).collect();
        for (id, name, hash) in &before.tools {
            match hashes.get(id) {
                Some(now) if *now != hash => {
                    rewrite.changed.push(name.clone());
                    rewrite.causes.push(RewriteCause::Definition);
                }
                Some(_) => {}
                None => {
                    rewrite.withdrawn.push(name.clone());
                    rewrite.causes.extend((!anew).then(|| self.why_gone(index, id)));
                }
            }
        }
        let known: HashSet<&ToolId> = before.tools.iter().map(|(id, ..)| id).collect();
        for (id, name, _) in now.tools.iter().filter(|(id, ..)| !known.contains(id) && before.attached.contains(id)) {
            rewrite.returned.push(name.clone());
            rewrite.causes.push(if index.position(id).is_some() { RewriteCause::Scope } else { RewriteCause::Server });
        }
        rewrite.causes.sort_unstable();
        rewrite.causes.dedup();
        (!rewrite.causes.is_empty()).then_some(rewrite)
    }

    fn why_gone(&self, index: &Index, id: &ToolId) -> RewriteCause {
        if self.unloaded.contains(id) {
            RewriteCause::Unload
        } else if !self.is_attached(id) {
            RewriteCause::Gate
        } else if index.position(id).is_none() {
            RewriteCause::Server
        } else {
            RewriteCause::Scope
        }
    }
}
