//! The invariants of the design, over any catalogue, query and sequence of turns.

use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;
use tool_router::catalogue::ServerPath;
use tool_router::catalogue::mcp::{McpServer, McpTool};
use tool_router::degraded::Degraded;
use tool_router::document::id::ToolId;
use tool_router::embedding::hashed::HashedEmbedder;

use tool_router::router::{NamedRanking, RankOptions, ToolRouter};
use tool_router::session::selection::GateMode;
use tool_router::settings::{InitialK, Ranker, Settings};

const WORDS: [&str; 12] =
    ["create", "issue", "list", "file", "read", "search", "page", "deploy", "message", "branch", "query", "delete"];

fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(WORDS.as_slice())
}

fn text(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 0..most).prop_map(|words| words.join(" "))
}

fn tool() -> impl Strategy<Value = (String, String)> {
    ((word(), word()).prop_map(|(verb, noun)| format!("{verb}_{noun}")), text(8))
}

fn catalogue() -> impl Strategy<Value = Vec<McpServer>> {
    let tools = prop::collection::vec(tool(), 1..12);
    prop::collection::btree_map("[a-z]{2,6}", tools, 1..6).prop_map(|servers: BTreeMap<_, _>| {
        servers
            .into_iter()
            .map(|(name, tools)| {
                let tools: BTreeMap<_, _> = tools.into_iter().collect();
                let tool =
                    |(name, description): (String, String)| McpTool { description: Some(description), ..McpTool::new(name) };
                McpServer { name, tools: tools.into_iter().map(tool).collect(), ..McpServer::default() }
            })
            .collect()
    })
}

fn router(servers: Vec<McpServer>) -> ToolRouter {
    let router = ToolRouter::new();
    router.set_servers(servers, false, ServerPath::List("servers")).unwrap();
    router
}

fn embedded(servers: Vec<McpServer>) -> ToolRouter {
    let router = router(servers);
    router.install(Box::new(|| Ok(Box::new(HashedEmbedder))), None).recv().unwrap().unwrap();
    assert!(router.wait_ready(std::time::Duration::from_secs(30)));
    router
}

fn options(mode: Ranker) -> RankOptions {
    RankOptions { top_k: Some(1000), ranker: Some(mode), deadline_ms: Some(30_000), ..RankOptions::default() }
}

fn ids(ranking: &NamedRanking) -> Vec<ToolId> {
    ranking.tools.iter().map(|tool| tool.id.clone()).collect()
}

fn dynamic(settings: Settings) -> Settings {
    Settings { threshold: 0, initial_k: InitialK::Fixed(3), ..settings }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn results_are_the_candidates_in_an_order_that_never_rises(servers in catalogue(), query in text(6)) {
        let router = embedded(servers);
        for mode in [Ranker::Lexical, Ranker::Semantic, Ranker::Hybrid] {
            let ranking = router.rank(&query, &options(mode)).unwrap();
            let found: HashSet<ToolId> = ids(&ranking).into_iter().collect();
            prop_assert_eq!(found.len(), router.status().tool_count);
            prop_assert!(ranking.tools.windows(2).all(|pair| pair[0].ranked.score >= pair[1].ranked.score));
            prop_assert!(ranking.tools.iter().enumerate().all(|(at, tool)| tool.ranked.rank == at + 1));
            prop_assert!(ranking.ranking.degraded.is_none());
        }
    }

    #[test]
    fn a_short_answer_is_the_head_of_the_long_one(servers in catalogue(), query in text(6), k in 1_usize..20) {
        let router = router(servers);
        let long = router.rank(&query, &options(Ranker::Lexical)).unwrap();
        let short = router.rank(&query, &RankOptions { top_k: Some(k), ..options(Ranker::Lexical) }).unwrap();
        prop_assert_eq!(&ids(&long)[..k.min(long.tools.len())], ids(&short));
    }

    #[test]
    fn removing_then_adding_a_server_restores_the_ranking(servers in catalogue(), query in text(6)) {
        let router = embedded(servers.clone());
        let before = router.rank(&query, &options(Ranker::Hybrid)).unwrap();
        router.remove_server(&servers[0].name, None);
        let without = router.rank(&query, &options(Ranker::Hybrid)).unwrap();
        prop_assert!(ids(&without).iter().all(|id| id.server_name != servers[0].name));
        router.set_servers(vec![servers[0].clone()], false, ServerPath::List("servers")).unwrap();
        prop_assert!(router.wait_ready(std::time::Duration::from_secs(30)));
        prop_assert_eq!(before, router.rank(&query, &options(Ranker::Hybrid)).unwrap());
    }

    #[test]
    fn a_degraded_answer_equals_the_lexical_answer(servers in catalogue(), query in text(6)) {
        let router = router(servers);
        let lexical = router.rank(&query, &options(Ranker::Lexical)).unwrap();
        for mode in [Ranker::Hybrid, Ranker::Hybrid, Ranker::Semantic] {
            let mut degraded = router.rank(&query, &options(mode)).unwrap();
            prop_assert_eq!(degraded.ranking.degraded.take(), Some(Degraded::ModelNotLoaded));
            prop_assert_eq!(degraded.ranking.ranker, Ranker::Lexical);
            prop_assert_eq!(&lexical, &degraded);
        }
    }

    #[test]
    fn the_kill_switch_equals_static_loading(servers in catalogue(), message in text(5)) {
        let router = router(servers);
        let open = |settings| router.open_session(None, None, settings).unwrap();
        let killed = open(Settings { search_turns: 0, ..dynamic(Settings::default()) });
        let everything = open(Settings { threshold: 100_000, ..Settings::default() });
        let (killed_selection, all) = (router.advance(&killed, &message), router.advance(&everything, &message));
        prop_assert_eq!(killed_selection.mode, GateMode::All);
        prop_assert_eq!(killed_selection.attached, all.attached);
        prop_assert_eq!(killed.lock().tools(&router.index()), everything.lock().tools(&router.index()));
        prop_assert_eq!(killed_selection.tokens.saved, 0);
    }

    #[test]
    fn usage_never_lifts_a_tool_that_nothing_in_the_query_supports(servers in catalogue(), query in text(4)) {
        let router = router(servers);
        let before = router.rank(&query, &options(Ranker::Lexical)).unwrap();
        for tool in &before.tools {
            for _ in 0..20 {
                router.record_use(&tool.id).unwrap();
            }
        }
        let after = router.rank(&query, &options(Ranker::Lexical)).unwrap();
        let first_unsupported = after.tools.iter().position(|tool| !tool.ranked.shares.supported).unwrap_or(after.tools.len());
        prop_assert!(after.tools[first_unsupported..].iter().all(|tool| !tool.ranked.shares.supported));
        prop_assert_eq!(first_unsupported, after.ranking.supported_count);
    }
}

#[test]
fn readers_see_one_generation_whole_while_a_writer_swaps() {
    let server = |name: &str, tools: usize| McpServer {
        name: name.into(),
        tools: (0..tools).map(|at| McpTool::new(format!("read_file_{at}"))).collect(),
        ..McpServer::default()
    };
    let router = std::sync::Arc::new(router(vec![server("a", 5)]));
    let done = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let readers: Vec<_> = (0..3)
        .map(|_| {
            let (router, done) = (std::sync::Arc::clone(&router), std::sync::Arc::clone(&done));
            std::thread::spawn(move || {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    let found = router.rank("read file", &options(Ranker::Hybrid)).unwrap().tools.len();
                    assert!(found == 5 || found == 9, "{found}");
                }
            })
        })
        .collect();
    for turn in 0..100 {
        let tools = if turn % 2 == 0 { 9 } else { 5 };
        router.set_servers(vec![server("a", tools)], false, ServerPath::List("servers")).unwrap();
    }
    done.store(true, std::sync::atomic::Ordering::Relaxed);
    for reader in readers {
        reader.join().unwrap();
    }
}
