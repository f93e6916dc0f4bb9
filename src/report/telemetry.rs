//! Events for the host's telemetry: counts and names of states, never a query's text, never names
//! of tools or servers.

use crate::degraded::Degraded;
use crate::settings::Ranker;

/// What happened. Nothing is sent while a session's mode is `all`.
#[derive(Debug, Clone, PartialEq)]
pub enum TelemetryEvent {
    /// A task started dynamically.
    TaskStart {
        /// The session.
        session_id: String,
        /// Tools in scope.
        scoped_count: usize,
        /// Tools attached.
        attached_count: usize,
        /// Tokens saved.
        tokens_saved: usize,
        /// The ranker used.
        ranker: Ranker,
    },
    /// The model called `mcp_load`.
    McpLoadInvoked {
        /// The session.
        session_id: String,
        /// Characters of the query.
        query_length: usize,
        /// Tools newly attached.
        loaded_count: usize,
        /// Tools asked for that were attached already.
        already_attached_count: usize,
        /// Tools asked for that could not be had.
        unavailable_count: usize,
        /// Tools attached by now.
        attached_count: usize,
        /// The turn it happened in.
        turn: usize,
    },
    /// A later turn attached something.
    RollingWindowStep {
        /// The session.
        session_id: String,
        /// The turn.
        turn: usize,
        /// Tools newly attached.
        added_count: usize,
        /// Tools attached by now.
        attached_count: usize,
    },
    /// The model used tools of which it knew the signature alone.
    DirectoryUsed {
        /// The session.
        session_id: String,
        /// The turn it happened in.
        turn: usize,
        /// Whether it called a tool; otherwise it loaded some.
        called: bool,
        /// How many tools.
        tool_count: usize,
        /// How many of them it did not get.
        refused_count: usize,
    },
    /// An answer was lexical although vectors were asked for.
    RankerFallback {
        /// The session.
        session_id: String,
        /// Why.
        reason: Degraded,
    },
}

impl TelemetryEvent {
    /// The event's name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::TaskStart { .. } => "dynamic_tools.task_start",
            Self::McpLoadInvoked { .. } => "dynamic_tools.mcp_load_invoked",
            Self::RollingWindowStep { .. } => "dynamic_tools.rolling_window_step",
            Self::DirectoryUsed { .. } => "dynamic_tools.directory_used",
            Self::RankerFallback { .. } => "dynamic_tools.ranker_fallback",
        }
    }

    /// The event as JSON text with its name in `event`.
    pub fn to_json(&self) -> String {
        use serde_json::json;
        let event = self.name();
        match self {
            Self::TaskStart { session_id, scoped_count, attached_count, tokens_saved, ranker } => json!({
                "event": event, "sessionId": session_id, "scopedCount": scoped_count,
                "attachedCount": attached_count, "tokensSaved": tokens_saved, "ranker": ranker.name(),
            }),
            Self::McpLoadInvoked {
                session_id,
                query_length,
                loaded_count,
                already_attached_count,
                unavailable_count,
                attached_count,
                turn,
            } => json!({
                "event": event, "sessionId": session_id, "queryLength": query_length, "loadedCount": loaded_count,
                "alreadyAttachedCount": already_attached_count, "unavailableCount": unavailable_count,
                "attachedCount": attached_count, "turn": turn,
            }),
            Self::RollingWindowStep { session_id, turn, added_count, attached_count } => json!({
                "event": event, "sessionId": session_id, "turn": turn,
                "addedCount": added_count, "attachedCount": attached_count,
            }),
            Self::DirectoryUsed { session_id, turn, called, tool_count, refused_count } => json!({
                "event": event, "sessionId": session_id, "turn": turn, "by": if *called { "call" } else { "load" },
                "toolCount": tool_count, "refusedCount": refused_count,
            }),
            Self::RankerFallback { session_id, reason } => json!({
                "event": event, "sessionId": session_id, "reason": reason.code(),
            }),
        }
        .to_string()
    }
}
