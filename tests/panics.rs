//! A panic at every stage: what was asked for fails, and nothing else does. Runs with the feature `fault-injection`.
#![cfg(feature = "fault-injection")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use parking_lot::Mutex;
use tool_router::catalogue::ServerPath;
use tool_router::catalogue::mcp::{McpServer, McpTool};
use tool_router::embedding::Embedder;
use tool_router::embedding::hashed::HashedEmbedder;
use tool_router::fault::{POINTS, arm};

use tool_router::router::{CuratedFunction, RankOptions, ServerRankOptions, ToolRouter};
use tool_router::session::reroute::Signal;
use tool_router::settings::curation::Curation;
use tool_router::settings::{InitialK, Settings};

/// One place of the process is armed at a time.
static ONE: Mutex<()> = Mutex::new(());

const SERVERS: [(&str, &[&str]); 3] = [
    ("files", &["read_file", "write_file", "move_file", "search_files", "delete_file"]),
    ("issues", &["create_issue", "list_issues", "close_issue", "search_issues"]),
    ("chat", &["post_message", "list_channels", "reply_to_thread"]),
];

fn server(name: &str, tools: &[&str], says: &str) -> McpServer {
    let tool = |tool: &&str| McpTool {
        description: Some(format!("{} {says}", tool.replace('_', " "))),
        ..McpTool::new((*tool).to_owned())
    };
    McpServer { name: name.to_owned(), tools: tools.iter().map(tool).collect(), ..McpServer::default() }
}

/// A router behind the folder of its vectors, which goes after it.
fn router() -> (tempfile::TempDir, ToolRouter) {
    let router = ToolRouter::new();
    let servers = SERVERS.iter().map(|(name, tools)| server(name, tools, "of the project")).collect();
    router.set_servers(servers, false, ServerPath::List("servers")).unwrap();
    // Its thread may write once more after the router is gone: into the build folder, not the system's.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = Some(folder.path().to_owned());
    router.install(Box::new(|| Ok(Box::new(Kept(HashedEmbedder)))), path).recv().unwrap().unwrap();
    assert!(router.wait_ready(Duration::from_secs(60)));
    (folder, router)
}

fn settings() -> Settings {
    Settings { threshold: 2, initial_k: InitialK::Fixed(2), search_k: 2, ..Settings::default() }
}

fn options() -> RankOptions {
    RankOptions { deadline_ms: Some(30_000), ..RankOptions::default() }
}

/// What a caller can see without changing anything.
fn seen(router: &ToolRouter) -> String {
    assert!(router.wait_ready(Duration::from_secs(60)));
    let ranked = router.rank("create an issue and read a file", &options()).unwrap();
    let listed = router.list_tools(&options(), true).unwrap();
    format!("{:?} {:?} {:?}", ranked.tools, listed, router.settings())
}

/// Hundreds of panics are asked for: only others are told.
fn quiet() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !panic.to_string().contains("injected at") {
            tell(panic);
        }
    }));
}

/// The embedder of tests, whose vectors are kept on disk.
struct Kept(HashedEmbedder);

impl Embedder for Kept {
    fn id(&self) -> &str {
        self.0.id()
    }

    fn dimensions(&self) -> usize {
        self.0.dimensions()
    }

    fn embed(&mut self, texts: &[&str]) -> tool_router::error::Result<Vec<Vec<f32>>> {
        self.0.embed(texts)
    }
}

type Call = (&'static str, fn(&ToolRouter));

/// Calls that pass the stages.
const CALLS: [Call; 11] = [
    ("rank", |router| drop(router.rank("close the issue", &options()).unwrap())),
    ("rank servers", |router| {
        drop(router.rank_servers(&router.snapshot(), "post a message", &ServerRankOptions::default()).unwrap())
    }),
    ("explain", |router| {
        let tool = router.resolve("mcp--files--read_file").unwrap();
        drop(router.explain("read the file", &tool, &options()).unwrap());
    }),
    ("set", |router| {
        drop(router.set_servers(vec![server("chat", SERVERS[2].1, "of the team")], false, ServerPath::List("s")).unwrap())
    }),
    ("remove", |router| drop(router.remove_server("chat", None))),
    ("session", |router| {
        let session = router.open_session(None, None, settings()).unwrap();
        let selection = router.advance(&session, "read the file and tell the team");
        assert_eq!(selection.attached.len(), 2);
        let loaded = router.load(&session, "create_issue, close an issue").unwrap();
        assert!(!loaded.loaded.is_empty());
        drop(session.lock().tools(&router.index()));
    }),
    ("load", |router| {
        let session = router.open_session(None, None, settings()).unwrap();
        router.advance(&session, "hello");
        drop(router.load(&session, "search issues").unwrap());
    }),
    ("reroute", |router| {
        let session = router.open_session(None, None, settings()).unwrap();
        router.advance(&session, "read the file");
        let signal = Signal::read(r#"{"original_query":"tell the team","missing_capability":"post a message"}"#).unwrap();
        drop(router.reroute(&router.index(), &session, signal).unwrap());
    }),
    ("curate", |router| {
        let function = CuratedFunction { name: "mcp--chat--post_message".into(), description: None };
        drop(router.curate(&[function], "post a message", &Curation::default(), None));
    }),
    ("usage", |router| drop(router.context_usage(Vec::new(), None, None, None)())),
    ("embed", |router| {
        router.set_servers(vec![server("late", &["take_away"], "afterwards")], false, ServerPath::List("s")).unwrap();
        assert!(router.wait_ready(Duration::from_secs(60)));
    }),
];

#[test]
fn a_panic_at_any_stage_costs_its_call_and_nothing_else() {
    let _one = ONE.lock();
    quiet();
    let mut reached = Vec::new();
    for point in POINTS {
        for (what, call) in CALLS {
            let ((_of_broken, broken), (_of_whole, whole)) = (router(), router());
            arm(Some(point));
            let panicked = catch_unwind(AssertUnwindSafe(|| call(&broken))).is_err();
            let hits = arm(None);
            if hits == 0 {
                continue;
            }
            reached.push(point);
            // What did not panic outside failed inside, where it is contained: on the thread of the embedder.
            assert!(panicked || matches!(point, "embedding" | "cache") || what == "embed", "{point}, {what}");
            // Until it is asked for again, the call has happened as a whole or not at all.
            let after = seen(&broken);
            let before = seen(&whole);
            call(&whole);
            let done = seen(&whole);
            // A text that could not be embedded leaves rankings lexical, which their answers say.
            assert!(
                after == before || after == done || point == "embedding",
                "{point}, {what}: half done\n{after}\n{before}\n{done}"
            );
            // Asked for again it does what it does where nothing went wrong.
            call(&broken);
            assert_eq!(seen(&broken), done, "{point}, {what}");
        }
    }
    reached.dedup();
    assert_eq!(reached, POINTS, "every point is reached by some call");
    drop(std::panic::take_hook());
}

#[test]
fn a_session_whose_turn_panicked_keeps_what_it_had_and_goes_on() {
    let _one = ONE.lock();
    quiet();
    for point in POINTS {
        let (_folder, router) = router();
        let session = router.open_session(None, None, settings()).unwrap();
        let before = router.advance(&session, "read the file").attached;
        arm(Some(point));
        let _ = catch_unwind(AssertUnwindSafe(|| router.advance(&session, "create an issue")));
        let _ = catch_unwind(AssertUnwindSafe(|| router.load(&session, "list_channels")));
        arm(None);
        let after = router.advance(&session, "close the issue").attached;
        assert!(after.starts_with(&before), "{point}: {before:?} {after:?}");
        let json: serde_json::Value = serde_json::from_str(&session.lock().tools(&router.index())).unwrap();
        assert_eq!(json.as_array().map(Vec::len), Some(after.len() + 1), "{point}");
    }
    drop(std::panic::take_hook());
}
