//! The sessions that are open, by id.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::error::Result;
use crate::results::Store;
use crate::session::Session;
use crate::uses::before::UsedBefore;

/// Open sessions; opening one more closes the one opened first. A host has one per task.
const MAX_SESSIONS: usize = 1_000;

/// A session that several threads may hold.
pub type SharedSession = Arc<Mutex<Session>>;

/// See the module.
#[derive(Default)]
pub(super) struct OpenSessions {
    pub(super) open: HashMap<String, SharedSession>,
    order: VecDeque<String>,
    opened: u64,
    /// What tools were called after, in all tasks.
    pub(super) used: Arc<UsedBefore>,
    /// Results of tools that sessions hold.
    pub(super) results: Arc<Mutex<Store>>,
}

impl OpenSessions {
    /// An id that no open session has.
    pub fn new_id(&mut self) -> String {
        // A restored session may have an id that this router would give, from an earlier process.
        loop {
            self.opened += 1;
            let id = format!("session-{}-{}", std::process::id(), self.opened);
            if !self.open.contains_key(&id) {
                return id;
            }
        }
    }

    /// Keeps a session, which replaces the one of its id, and forgets the one opened first if there are too many.
    pub fn keep(&mut self, mut session: Session) -> SharedSession {
        session.conversation.used_before = Arc::clone(&self.used);
        let id = session.id.clone();
        self.close(&id);
        let session = Arc::new(Mutex::new(session));
        self.order.push_back(id.clone());
        self.open.insert(id, Arc::clone(&session));
        if self.order.len() > MAX_SESSIONS
            && let Some(oldest) = self.order.front().cloned()
        {
            self.close(&oldest);
        }
        session
    }

    /// Forgets a session; `false` when it was not open.
    pub fn close(&mut self, id: &str) -> bool {
        self.order.retain(|known| known != id);
        self.results.lock().forget(id);
        self.open.remove(id).inspect(Self::let_go).is_some()
    }

    /// A call gives up the session that it held: a closed one that no other call holds lets go of its task. Calls are counted and
    /// dropped under one lock, so the last one sees that it is.
    pub fn give_up(&self, session: SharedSession) {
        let is_open = |session: &SharedSession| self.open.values().any(|open| Arc::ptr_eq(open, session));
        if Arc::strong_count(&session) <= 2 && !is_open(&session) {
            Self::let_go(&session);
        }
        drop(session);
    }

    fn let_go(closed: &SharedSession) {
        // Two hold it: the handle and `closed`. A third is a call under way or another handle, which keeps what it works on.
        let alone = (Arc::strong_count(closed) <= 2).then(|| closed.try_lock()).flatten();
        if let Some(mut session) = alone {
            session.let_go();
        }
    }
}

/// Does something that may be refused with what the host says about its context; a refused call changes nothing.
///
/// # Errors
///
/// Those of `work`.
pub fn with_context<T>(inner: &SharedSession, context: Option<usize>, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let before = {
        let mut session = inner.lock();
        let before = session.context();
        session.note_context(context);
        before
    };
    work().inspect_err(|_| inner.lock().renew_context(before))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn a_session_closed_during_a_call_lets_go_after_it() {
        let mut sessions = OpenSessions::default();
        let handle = sessions.keep(Session::new("task".into(), None, Settings::default()));
        let calls = [Arc::clone(&handle), Arc::clone(&handle)];
        sessions.close("task");
        for call in calls {
            assert!(handle.lock().check_there().is_ok(), "a call under way keeps what it works on");
            sessions.give_up(call);
        }
        assert!(handle.lock().check_there().is_err(), "nobody works on it");
    }
}
