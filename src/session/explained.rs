//! What an explanation asks a session: how a tool came, and what its last turn was ranked for.

use super::origin::{Cause, Origin, Placed};
use super::task::Session;
use super::turn::Wanted;
use crate::document::id::ToolId;

impl Session {
    /// How an attached tool came; `None` for one that is not attached, or was before the task was restored.
    pub fn origin(&self, id: &ToolId) -> Option<&Origin> {
        self.roster.origins.get(id).filter(|_| self.is_attached(id))
    }

    /// What became of a tool when the latest text was chosen for; `None` where it stood too far behind to be looked at.
    pub fn placed(&self, id: &ToolId) -> Option<Placed> {
        self.chosen.placed.iter().find(|placed| placed.is_of(id)).copied()
    }

    /// Why a tool of the call under way is attached: what brought it along, if anything did.
    pub(super) fn brought_or(&self, id: &ToolId, cause: Cause) -> Cause {
        let brought = self.roster.brought.iter().find(|(tool, _, _)| tool == id);
        brought.map_or(cause, |(_, of, by)| Cause::Companion { of: of.clone(), by: by.clone() })
    }

    /// What has to be ranked to explain the order of the last turn.
    pub fn explained(&self, top_k: usize) -> Wanted {
        let message = self.last_message().to_owned();
        let before = self.said_before();
        if before.is_empty() {
            return self.first_wanted(message, top_k);
        }
        Wanted { text: message, top_k, before: Some(before), is_first: false, parent: None }
    }
}
