//! The room that a model's API has: what is asked for takes the place of what only a ranking brought.

use super::origin::Cause;
use super::selection::GateMode;
use super::task::Session;
use crate::document::id::ToolId;
use crate::index::Index;

/// Attached tools that a refusal names, to be taken away.
const MOST_NAMED: usize = 3;
/// Of the room that pins would overflow, this share is left for what the task asks for.
const SHARE_OF_LOADS: usize = 8;

impl Session {
    /// How many MCP tools the model's API has room for; `None` without a limit.
    pub(super) fn room(&self, gate: GateMode) -> Option<usize> {
        let own = usize::from(gate == GateMode::Dynamic);
        self.settings.most_tools().map(|most| most.saturating_sub(self.settings.native_tool_count + own))
    }

    /// Makes room for a tool that is asked for, where there is none: tools go that only a ranking brought, the last first,
    /// and then pins, never what was named, loaded or called. Where all of them would not do, none goes.
    pub(super) fn make_room(&mut self, index: &Index, position: usize) {
        let fits = |session: &Self| session.has_room(index) && session.has_means(index, position);
        if self.is_attached(&index.tools[position].tool.id) || fits(self) {
            return;
        }
        let mut without = self.clone();
        let mut gone = Vec::new();
        while !fits(&without) {
            let Some(id) = without.gives_way(index) else { return };
            without.detach(&id);
            gone.push(id);
        }
        for id in gone {
            self.detach(&id);
        }
    }

    /// Whether the tokens of the task have room for one more tool.
    pub(super) fn has_means(&self, index: &Index, position: usize) -> bool {
        self.can_afford(index, position) || self.is_in_directory(&index.tools[position].tool.id)
    }

    /// The tool that goes first.
    fn gives_way(&self, index: &Index) -> Option<ToolId> {
        let last = |gives: &dyn Fn(&Cause) -> bool| {
            let is_there = |id: &ToolId| index.position(id).is_some() && !self.conversation.used.contains(id);
            let cause = |id: &ToolId| self.roster.origins.get(id).map(|origin| &origin.cause);
            let found = self.attached().rev().map(|tool| &tool.id);
            found.filter(|id| is_there(id)).find(|id| cause(id).is_some_and(gives)).cloned()
        };
        last(&|cause| matches!(cause, Cause::Ranked | Cause::Companion { .. })).or_else(|| last(&|cause| *cause == Cause::Pinned))
    }

    /// Attached tools that nobody called, the oldest first: what a model may take away.
    pub(super) fn may_unload(&self) -> Vec<String> {
        let unused = self.attached().filter(|tool| !self.conversation.used.contains(&tool.id));
        unused.take(MOST_NAMED).map(|tool| tool.name.clone()).collect()
    }

    /// How many pins a first selection attaches: all that there is room for, or what leaves some for loads.
    pub(super) fn most_pins(&self, count: usize) -> usize {
        match self.room(GateMode::Dynamic) {
            Some(room) if count > room => room - room.div_ceil(SHARE_OF_LOADS),
            _ => usize::MAX,
        }
    }
}
