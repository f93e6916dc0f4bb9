//! What changed in the list of definitions besides growing at its end.
//!
//! Between two rewrites each rendered list is a byte prefix of the next. A rewrite names its cause, so
//! that a host can tell what it costs at a provider that caches prefixes.

use std::collections::{HashMap, HashSet};

use super::mcp_load_text::{directory_of, is_own};
use super::selection::{Rewrite, RewriteCause};
use super::task::{Attached, Session};
use super::told::Shown;
use crate::document::id::ToolId;
use crate::index::Index;
use crate::settings::Delivery;

impl Session {
    fn shown_now(&self, index: &Index) -> Shown {
        let tools = self
            .usable(index)
            .map(|(attached, at)| (attached.id.clone(), attached.name.clone(), index.tools[at].tool.short_hash()));
        let mut tools: Vec<(ToolId, String, u64)> = tools.collect();
        // Where later tools are deferred, what is away keeps its place in the list.
        if self.delivery().defers()
            && let Some(before) = &self.told.shown
        {
            let stays = |id: &ToolId| self.is_attached(id) && index.position(id).is_none_or(|at| index.tools[at].off.is_none());
            let away = before.tools.iter().filter(|(id, ..)| stays(id) && !tools.iter().any(|(known, ..)| known == id));
            tools.extend(away.cloned().collect::<Vec<_>>());
        }
        Shown { tools, mcp_load: self.shown_mcp_load(), attached: self.attached().map(|attached| attached.id.clone()).collect() }
    }

    /// A session that was restored continues a conversation: what its state says was shown is what was last shown. A state
    /// that does not say so is of an earlier version; what is shown now is taken for it.
    /// `mcp_load` is shown in our own words alone; other words are replaced.
    pub(crate) fn take_up(&mut self, index: &Index) {
        if self
            .chosen
            .mcp_load
            .as_deref()
            .is_some_and(|text| !is_own(text, self.settings.directory_tokens, self.settings.own_names))
        {
            self.chosen.mcp_load = Some(self.mcp_load_definition(index));
        }
        if self.conversation.turn > 0 && self.told.shown.is_none() {
            self.told.shown = Some(self.shown_now(index));
        }
    }

    /// What was last shown, by the places of the tools in a list of all that were attached.
    pub(super) fn saved_shown(&self, place: impl Fn(&ToolId) -> Option<usize>) -> Option<Vec<(usize, String)>> {
        let shown = self.told.shown.as_ref()?;
        Some(shown.tools.iter().filter_map(|(id, _, hash)| Some((place(id)?, format!("{hash:016x}")))).collect())
    }

    /// Reads that back; the tools are those of the state, in its order.
    pub(super) fn restore_shown(&mut self, tools: &[Attached], shown: Vec<(usize, String)>) -> Result<(), String> {
        let read = |(place, hash): (usize, String)| {
            let tool = tools.get(place).ok_or_else(|| format!("shown: expected places below {}, got {place}", tools.len()))?;
            let hash = u64::from_str_radix(&hash, 16).map_err(|_| "shown: expected hexadecimal digits".to_owned())?;
            Ok((tool.id.clone(), tool.name.clone(), hash))
        };
        let tools = shown.into_iter().map(read).collect::<Result<_, String>>()?;
        self.told.shown = Some(Shown {
            tools,
            mcp_load: self.shown_mcp_load(),
            attached: self.attached().map(|attached| attached.id.clone()).collect(),
        });
        Ok(())
    }

    fn shown_mcp_load(&self) -> Option<(String, bool)> {
        self.chosen.mcp_load.clone().map(|text| (text, self.chosen.mcp_load_place == 0))
    }

    /// Compares with what was last shown, and remembers what is shown now. `is_compaction` says that the set was
    /// chosen again; `of_scope`, why, if the scope changed.
    pub(super) fn note_rewrite(&mut self, index: &Index, is_compaction: bool, of_scope: Option<RewriteCause>) -> Option<Rewrite> {
        let now = self.shown_now(index);
        let before = self.told.shown.replace(now.clone())?;
        let mut rewrite = Rewrite { causes: of_scope.into_iter().collect(), ..Rewrite::default() };
        if is_compaction {
            rewrite.causes.push(RewriteCause::Compaction);
        }
        if before.mcp_load != now.mcp_load && !is_compaction && !(before.mcp_load.is_none() && self.chosen.mcp_load_place > 0) {
            rewrite.causes.push(RewriteCause::Gate);
        }
        let hashes: HashMap<&ToolId, u64> = now.tools.iter().map(|(id, _, hash)| (id, *hash)).collect();
        for (id, name, hash) in &before.tools {
            match hashes.get(id) {
                Some(now) if now != hash => {
                    rewrite.changed.push(name.clone());
                    rewrite.causes.push(RewriteCause::Definition);
                }
                Some(_) => {}
                None => {
                    rewrite.withdrawn.push(name.clone());
                    rewrite.causes.extend((!is_compaction).then(|| self.why_gone(index, id, of_scope)));
                }
            }
        }
        let known: HashSet<&ToolId> = before.tools.iter().map(|(id, ..)| id).collect();
        let detail = self.settings.schema_detail;
        for (id, name, _) in now.tools.iter().filter(|(id, ..)| !known.contains(id)) {
            let tool = index.position(id).map(|at| &*index.tools[at].tool);
            if tool.is_some_and(|tool| self.told.tracks.iter().any(|track| track.refers_to_another(tool, detail))) {
                rewrite.changed.push(name.clone());
                rewrite.causes.push(RewriteCause::Definition);
            }
            if before.attached.contains(id) {
                rewrite.returned.push(name.clone());
                rewrite.causes.push(if index.position(id).is_some() { RewriteCause::Scope } else { RewriteCause::Server });
            }
        }
        let changed = self.lines_changed(index);
        if rewrite.causes.is_empty() {
            rewrite.causes.extend(changed);
        }
        if changed.is_some() || of_scope.is_some() || rewrite.causes.contains(&RewriteCause::Scope) {
            self.renew_mcp_load(index);
        }
        rewrite.causes.sort_unstable();
        rewrite.causes.dedup();
        (!rewrite.causes.is_empty()).then_some(rewrite)
    }

    /// The list changes at its start anyway: then `mcp_load` names the servers that are in scope now. Deliveries that say
    /// such changes in messages keep their list, and so its text.
    fn renew_mcp_load(&mut self, index: &Index) {
        if self.chosen.mcp_load.is_none() || self.delivery() != Delivery::Append {
            return;
        }
        self.chosen.mcp_load = Some(self.mcp_load_definition(index));
        self.told.shown = Some(self.shown_now(index));
    }

    /// Why the directory in the text of `mcp_load` is no longer that of now, if it is not: a model must not read there what is gone, nor
    /// lack what is there again.
    fn lines_changed(&self, index: &Index) -> Option<RewriteCause> {
        let mcp_load = self.chosen.mcp_load.as_deref().filter(|_| self.delivery() == Delivery::Append)?;
        if self.chosen.directory.in_text == 0 || directory_of(mcp_load).as_deref() == Some(&*self.directory_text(index)) {
            return None;
        }
        let scope = self.scope();
        let is_away = |id: &ToolId| index.position(id).is_some_and(|at| !index.is_usable(at, &scope));
        Some(if self.chosen.directory.of_text().iter().any(is_away) { RewriteCause::Scope } else { RewriteCause::Server })
    }

    fn why_gone(&self, index: &Index, id: &ToolId, of_scope: Option<RewriteCause>) -> RewriteCause {
        if self.roster.unloaded.contains(id) {
            RewriteCause::Unload
        } else if !self.is_attached(id) {
            of_scope.unwrap_or(RewriteCause::Gate)
        } else if index.position(id).is_none() {
            RewriteCause::Server
        } else {
            RewriteCause::Scope
        }
    }
}
