//! Results of tools: held for a session where they are too long for its model, and read by need.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use super::facade::ToolRouter;
use super::open_sessions::SharedSession;
use crate::error::Result;
use crate::results::{Answer, Bounds, Content, Limits, Owner, Wanted, new_handle, read};
use crate::text::tokens;

/// How a result is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoldOptions {
    /// When it is held, and what replaces it.
    pub bounds: Bounds,
    /// The schema that the client compares structured content with.
    pub output_schema: Option<String>,
    /// Whose result it is, where several sessions are of one client: what is held is shared out among clients.
    pub client: Option<String>,
}

/// A result that is held.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldResult {
    /// What [`ToolRouter::read_result`] takes.
    pub handle: String,
    /// What to give to the model instead.
    pub result: Value,
    /// The text of it.
    pub text: String,
    /// How long it is.
    pub bytes: usize,
    /// What it would cost; of more than 256 KiB an estimate.
    pub token_count: usize,
    /// What the shield says about it.
    pub flagged: Vec<&'static str>,
}

/// How much of a result is counted exactly: 13 ms.
const COUNTED_BYTES: usize = 256 * 1024;

impl ToolRouter {
    /// Holds a result of a tool for a session, if it is longer than its model should read; `None` if it is not.
    ///
    /// # Errors
    ///
    /// `ERR_SESSION_NOT_FOUND` when the session was closed meanwhile; `ERR_INTERNAL` without random bytes.
    pub fn hold_result(&self, session_id: &str, content: Content, options: &HoldOptions) -> Result<Option<HeldResult>> {
        let session = self.session(session_id)?;
        if !content.exceeds(options.bounds.max_tokens) {
            return Ok(None);
        }
        let content = content.settled(options.bounds);
        let (text, is_cut) = content.text(Limits::default().bytes / 2);
        let bytes = text.len();
        let token_count = counted(&text);
        let handle = new_handle()?;
        let about = if bytes > COUNTED_BYTES { "about " } else { "" };
        let size = format!("{about}{token_count} tokens{}", if is_cut { ", of which only the beginning was kept" } else { "" });
        let shown = content.shown(&text, &size, &handle, options.bounds, options.output_schema.as_deref());
        let store = Arc::clone(&self.sessions.lock().results);
        let owner = Owner { session_id, client: options.client.as_deref() };
        store.lock().hold(handle.clone(), owner, text, Instant::now());
        session.lock().note_held();
        // What was closed while it was looked at holds nothing.
        if let Err(closed) = self.check_open(session_id, &session) {
            store.lock().forget(session_id);
            return Err(closed);
        }
        Ok(Some(HeldResult { handle, result: shown.result, text: shown.text, bytes, token_count, flagged: shown.flagged }))
    }

    /// Reads a result that a session holds.
    ///
    /// # Errors
    ///
    /// `ERR_RESULT_NOT_FOUND`; `ERR_INVALID_ARGUMENT` for a path or range that it does not have.
    pub fn read_result(&self, session: &SharedSession, handle: &str, wanted: &Wanted) -> Result<Answer> {
        let id = session.lock().id.clone();
        let store = Arc::clone(&self.sessions.lock().results);
        let held = store.lock().find(&id, handle, Instant::now())?;
        read(&held.text()?, wanted, "readResult")
    }
}

/// Tokens of a result: exactly of a short one, otherwise from the share of its beginning.
fn counted(text: &str) -> usize {
    let counted = tokens::count(&text[..text.floor_char_boundary(COUNTED_BYTES)]);
    if text.len() <= COUNTED_BYTES { counted } else { counted * (text.len() / 1024) / (COUNTED_BYTES / 1024) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tokens_of_a_long_result_are_estimated() {
        let text = "some words and more words\n".repeat(40_000);
        let (counted, exact) = (counted(&text), tokens::count(&text));
        assert!(counted.abs_diff(exact) < exact / 100, "{counted} {exact}");
    }
}
