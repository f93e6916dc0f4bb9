//! Counts of tokens that nobody has asked for yet: they are worked out on a thread of their own, so that setting servers does
//! not wait for them.

use std::sync::Arc;
use std::thread::Builder;
use std::time::Duration;

use parking_lot::Mutex;

use crate::index::Index;
use crate::settings::SchemaDetail;

/// A host that has set its servers asks for a ranking next: that goes first.
const LET_OTHERS_GO: Duration = Duration::from_millis(100);

/// Counts one generation after the other; of those that wait, only the last.
#[derive(Default)]
pub(super) struct Counting(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    next: Option<(Arc<Index>, SchemaDetail)>,
    runs: bool,
    is_closed: bool,
}

impl Counting {
    /// Has the tools of a generation counted. Where no thread is available, they are counted when they are read.
    pub fn begin(&self, index: &Arc<Index>, detail: SchemaDetail) {
        if index.tools.iter().all(|tool| tool.tool.is_counted(detail)) {
            return;
        }
        let mut state = self.0.lock();
        state.next = Some((Arc::clone(index), detail));
        if !state.runs {
            let shared = Arc::clone(&self.0);
            state.runs = Builder::new().name("tool-router-count".into()).spawn(move || count(&Runs(shared))).is_ok();
        }
    }

    /// Has nothing counted any more.
    pub fn close(&self) {
        let mut state = self.0.lock();
        *state = State { is_closed: true, runs: state.runs, next: None };
    }
}

/// Held by the thread. If it panics, the next generation gets a new one.
struct Runs(Arc<Mutex<State>>);

impl Drop for Runs {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().runs = false;
        }
    }
}

fn count(runs: &Runs) {
    let is_current = || {
        let state = runs.0.lock();
        state.next.is_none() && !state.is_closed
    };
    loop {
        std::thread::sleep(LET_OTHERS_GO);
        let (index, detail) = {
            let mut state = runs.0.lock();
            let Some(next) = state.next.take() else {
                state.runs = false;
                return;
            };
            next
        };
        // From the end: who needs all counts begins at the front, and the two meet half way.
        for tool in index.tools.iter().rev() {
            if !is_current() {
                break;
            }
            tool.tool.token_count(detail);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use crate::catalogue::ServerPath;
    use crate::catalogue::mcp::{McpServer, McpTool};
    use crate::router::ToolRouter;

    #[test]
    fn what_a_restored_session_reads_is_counted_when_it_is_there() {
        let router = ToolRouter::new();
        let server = |at: usize| {
            let tools = (0..30).map(|tool| McpTool::new(format!("tool_{at}_{tool}"))).collect();
            vec![McpServer { name: "all".into(), tools, ..McpServer::default() }]
        };
        router.set_servers(server(0), false, ServerPath::List("servers")).unwrap();
        let session = router.open_session(None, None, crate::settings::Settings::default()).unwrap();
        router.advance(&session, "use a tool");
        let state = session.lock().to_json();
        // The thread that counts waits for a tenth of a second first.
        router.set_servers(server(1), false, ServerPath::List("servers")).unwrap();
        router.restore_session(&state).unwrap();
        let (index, detail) = (router.index(), router.settings().schema_detail);
        assert!(index.tools.iter().all(|tool| tool.tool.is_counted(detail)));
    }

    #[test]
    fn what_was_set_is_counted_soon_though_nobody_asks() {
        let router = ToolRouter::new();
        let tools = (0..300).map(|at| McpTool::new(format!("tool_{at}"))).collect();
        let server = McpServer { name: "all".into(), tools, ..McpServer::default() };
        router.set_servers(vec![server], false, ServerPath::List("servers")).unwrap();
        let (index, detail) = (router.index(), router.settings().schema_detail);
        let until = Instant::now() + Duration::from_mins(1);
        while !index.tools.iter().all(|tool| tool.tool.is_counted(detail)) {
            assert!(Instant::now() < until, "not counted");
            std::thread::yield_now();
        }
    }
}
