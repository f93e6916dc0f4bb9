//! What a task may not use has no part in what it is answered: ranking a scope equals ranking a catalogue of nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;
use tool_router::catalogue::ServerPath;
use tool_router::catalogue::mcp::{McpServer, McpTool, OnlyAllow};
use tool_router::document::entry::ServerEntry;
use tool_router::document::id::ToolId;
use tool_router::embedding::hashed::HashedEmbedder;
use tool_router::router::{Explanation, NamedRanking, RankOptions, ServerRankOptions, ServerRanking, ToolRouter};
use tool_router::session::selection::Selection;
use tool_router::settings::{InitialK, ModeScope, Ranker, ScopeBy, Settings};

/// Words of tools; the last ones are no English, so a misspelt one may become them.
const WORDS: [&str; 14] = [
    "create",
    "issue",
    "list",
    "file",
    "read",
    "search",
    "page",
    "deploy",
    "message",
    "branch",
    "delete",
    "quixotech",
    "zorbex",
    "kubectl",
];
/// Words of requests besides: slips, what is near something by chance, and what a request implies.
const ASKED: [&str; 10] =
    ["quixotecch", "zorbx", "isuse", "dploy", "outage", "#412", "my", "not", "https://example.org/a", "kubectll"];

/// How a server or a tool is kept out of the scope.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Out {
    No,
    Disabled,
    Blocked,
    /// Some of its tools, by `disabledTools` or `onlyAllow`.
    Some,
    Allowed,
}

#[derive(Debug, Clone)]
struct Given {
    server: McpServer,
    out: Out,
    /// By tool: whether it is off where some are.
    off: Vec<bool>,
}

fn texts(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(WORDS.as_slice()), 0..most).prop_map(|words| words.join(" "))
}

fn server(name: String) -> impl Strategy<Value = Given> {
    let word = || prop::sample::select(WORDS.as_slice());
    let tool = ((word(), word()).prop_map(|(verb, noun)| format!("{verb}_{noun}")), texts(8));
    let outs = [Out::No, Out::No, Out::Disabled, Out::Blocked, Out::Some, Out::Allowed];
    let rest = (prop::option::of(texts(6)), prop::option::of(texts(6)), prop::sample::select(outs.to_vec()));
    (prop::collection::btree_map(tool.0, tool.1, 1..8), prop::collection::vec(any::<bool>(), 8), rest).prop_map(
        move |(tools, off, (instructions, described, out))| {
            let schema = r#"{"type":"object","properties":{"issue_id":{"type":"string"}},"required":["issue_id"]}"#;
            let tool = |(name, described): (String, String)| McpTool {
                input_schema: name.starts_with("delete").then(|| schema.into()),
                description: Some(described),
                ..McpTool::new(name)
            };
            let entry = described.map(|text| ServerEntry { description: Some(text), ..ServerEntry::default() });
            let tools = tools.into_iter().map(tool).collect();
            Given { server: McpServer { name: name.clone(), tools, instructions, entry, ..McpServer::default() }, out, off }
        },
    )
}

fn catalogue() -> impl Strategy<Value = Vec<Given>> {
    let names = prop::collection::btree_set("(quixotech|gitlab|issues|[a-z]{2,6})", 1..6);
    names.prop_flat_map(|names| names.into_iter().map(server).collect::<Vec<_>>())
}

fn asked() -> impl Strategy<Value = String> {
    let word = prop_oneof![prop::sample::select(WORDS.as_slice()), prop::sample::select(ASKED.as_slice())];
    prop::collection::vec(word, 0..7).prop_map(|words| words.join(" "))
}

/// All servers, as configured.
fn whole(given: &[Given]) -> Vec<McpServer> {
    let configured = |given: &Given| {
        let mut server = given.server.clone();
        let named = |off: bool| {
            let names = server.tools.iter().zip(&given.off).filter(|(_, is_off)| **is_off == off);
            names.map(|(tool, _)| tool.name.clone()).collect::<Vec<_>>()
        };
        match given.out {
            Out::Some => server.disabled_tools = named(true).into_iter().collect(),
            Out::Allowed => {
                let kept = named(false);
                server.only_allow = if kept.is_empty() { OnlyAllow::None } else { OnlyAllow::Tools(kept.into_iter().collect()) };
            }
            Out::Disabled => server.disabled = true,
            Out::No | Out::Blocked => {}
        }
        server
    };
    given.iter().map(configured).collect()
}

/// What is in scope, and nothing else.
fn alone(given: &[Given]) -> Vec<McpServer> {
    let of = |given: &Given| {
        let mut server = given.server.clone();
        if matches!(given.out, Out::Some | Out::Allowed) {
            let mut off = given.off.iter();
            server.tools.retain(|_| !off.next().is_some_and(|off| *off));
        }
        (!matches!(given.out, Out::Disabled | Out::Blocked) && !server.tools.is_empty()).then_some(server)
    };
    given.iter().filter_map(of).collect()
}

fn mode(given: &[Given]) -> Settings {
    let blocked = given.iter().filter(|given| given.out == Out::Blocked).map(|given| given.server.name.clone()).collect();
    let scope = ModeScope { blocked_mcp_servers: Some(blocked), ..ModeScope::default() };
    Settings { host_modes: BTreeMap::from([("ask".to_owned(), scope)]), ..Settings::default() }
}

fn router(servers: Vec<McpServer>, settings: &Settings, vectors: bool) -> ToolRouter {
    let router = ToolRouter::new();
    router.configure(settings.clone()).unwrap();
    router.set_servers(servers, false, ServerPath::List("servers")).unwrap();
    if vectors {
        router.install(Box::new(|| Ok(Box::new(HashedEmbedder))), None).recv().unwrap().unwrap();
        assert!(router.wait_ready(Duration::from_mins(1)));
    }
    router
}

fn options(ranker: Ranker) -> RankOptions {
    let host_mode = Some("ask".into());
    RankOptions { top_k: Some(1000), ranker: Some(ranker), host_mode, deadline_ms: Some(30_000), ..RankOptions::default() }
}

/// Places in the catalogue differ, and no caller sees them.
fn ranked(router: &ToolRouter, query: &str, ranker: Ranker) -> NamedRanking {
    let mut ranking = router.rank(query, &options(ranker)).unwrap();
    ranking.tools.iter_mut().for_each(|tool| tool.ranked.position = 0);
    ranking
}

fn explained(router: &ToolRouter, query: &str, tool: &ToolId, ranker: Ranker) -> Explanation {
    let mut explanation = router.explain(query, tool, &options(ranker)).unwrap();
    explanation.tool.ranked.position = 0;
    explanation
}

fn ranked_servers(router: &ToolRouter, query: &str, ranker: Ranker) -> ServerRanking {
    let mut ranking = router
        .rank_servers(&router.snapshot(), query, &ServerRankOptions { rank: options(ranker), tools_per_server: Some(50) })
        .unwrap();
    for server in &mut ranking.servers {
        server.ranked.position = 0;
        server.tools.iter_mut().for_each(|tool| tool.ranked.position = 0);
    }
    ranking
}

/// A task of three texts and a call of `mcp_load`, with what a model reads at the end.
fn task(router: &ToolRouter, settings: &Settings, texts: [&str; 3]) -> (Vec<Selection>, String, String) {
    let session = router.open_session(Some("task".into()), Some("ask".into()), settings.clone()).unwrap();
    let selections = texts[..2].iter().map(|text| router.advance(&session, text)).collect();
    let loaded = if texts[2].is_empty() { String::new() } else { format!("{:?}", router.load(&session, texts[2]).unwrap()) };
    let tools = session.lock().tools(&router.index());
    router.close_session("task");
    (selections, loaded, tools)
}

/// Asked for by its name, which is how `mcp_load` attaches a whole server.
#[test]
fn a_server_that_is_off_is_answered_like_one_that_is_not_there() {
    let server = |disabled| McpServer {
        name: "zorbex".into(),
        tools: vec![McpTool::new("create_page")],
        disabled,
        ..McpServer::default()
    };
    let settings = Settings { threshold: 0, ..mode(&[]) };
    let of = |servers| task(&router(servers, &settings, false), &settings, ["", "", "zorbex"]);
    assert_eq!(of(vec![server(true)]), of(Vec::new()));
    assert_ne!(of(vec![server(false)]), of(Vec::new()));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: ProptestConfig::default().cases / 4, ..ProptestConfig::default() })]

    #[test]
    fn ranking_a_scope_equals_ranking_a_catalogue_that_has_nothing_else(
        given in catalogue(),
        query in asked(),
        vectors in any::<bool>(),
        used in 0_usize..40,
    ) {
        let settings = mode(&given);
        let [own, other] = [whole(&given), alone(&given)].map(|servers| router(servers, &settings, vectors));
        let tools: Vec<ToolId> = ranked(&other, "", Ranker::Lexical).tools.into_iter().map(|tool| tool.id).collect();
        if let Some(tool) = tools.get(used) {
            for router in [&own, &other] {
                router.record_use_after(tool, &query, true).unwrap();
            }
        }
        for ranker in [Ranker::Lexical, Ranker::Hybrid, Ranker::Semantic] {
            prop_assert_eq!(ranked(&own, &query, ranker), ranked(&other, &query, ranker));
            prop_assert_eq!(ranked_servers(&own, &query, ranker), ranked_servers(&other, &query, ranker));
            for tool in &tools {
                prop_assert_eq!(explained(&own, &query, tool, ranker), explained(&other, &query, tool, ranker));
            }
        }
    }

    #[test]
    fn a_task_in_a_scope_is_one_in_a_catalogue_that_has_nothing_else(
        given in catalogue(),
        texts in [asked(), asked(), asked()],
        vectors in any::<bool>(),
        by_server in any::<bool>(),
    ) {
        let scope_by = if by_server { ScopeBy::Server } else { ScopeBy::Tool };
        let first = Settings { threshold: 0, initial_k: InitialK::Fixed(4), scope_by, ..mode(&given) };
        let settings = Settings { deadline_ms: 30_000, ..first };
        let texts = texts.each_ref().map(String::as_str);
        let [own, other] = [whole(&given), alone(&given)].map(|servers| router(servers, &settings, vectors));
        prop_assert_eq!(task(&own, &settings, texts), task(&other, &settings, texts));
    }

    /// What was counted for a scope is taken over from generation to generation; the oracle counts it in one go.
    #[test]
    fn a_scope_of_a_catalogue_that_changed_equals_one_of_a_catalogue_that_never_did(
        steps in prop::collection::vec((catalogue(), any::<prop::sample::Index>()), 1..4),
        query in asked(),
    ) {
        let changed = ToolRouter::new();
        let mut servers: BTreeMap<String, Given> = BTreeMap::new();
        for (given, removed) in &steps {
            // An entry would outlive its server.
            let given: Vec<Given> = given
                .iter()
                .map(|given| Given { server: McpServer { entry: None, ..given.server.clone() }, ..given.clone() })
                .collect();
            for given in &given {
                servers.insert(given.server.name.clone(), given.clone());
            }
            let names: BTreeSet<String> = servers.keys().cloned().collect();
            let gone = (*removed.get(&names.iter().collect::<Vec<_>>())).clone();
            let now: Vec<Given> = servers.values().cloned().collect();
            let settings = mode(&now);
            changed.configure(settings.clone()).unwrap();
            changed.set_servers(whole(&given), false, ServerPath::List("servers")).unwrap();
            prop_assert_eq!(ranked(&changed, &query, Ranker::Lexical), ranked(&router(alone(&now), &settings, false), &query, Ranker::Lexical));
            changed.remove_server(&gone, None);
            servers.remove(&gone);
            let now: Vec<Given> = servers.values().cloned().collect();
            prop_assert_eq!(ranked(&changed, &query, Ranker::Lexical), ranked(&router(alone(&now), &settings, false), &query, Ranker::Lexical));
        }
    }
}
