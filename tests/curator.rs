//! Invariants of curation, re-routing and rankings of servers, over any catalogue and any signal.

use std::collections::{BTreeMap, HashMap, HashSet};

use proptest::prelude::*;
use tool_router::catalogue::ServerPath;
use tool_router::catalogue::mcp::{McpServer, McpTool};
use tool_router::curation::score;
use tool_router::document::entry::ServerEntry;
use tool_router::embedding::hashed::HashedEmbedder;
use tool_router::router::{CuratedFunction, RankOptions, ServerRankOptions, ToolRouter};
use tool_router::session::reroute::{MAX_REROUTES, RerouteStatus, Signal};
use tool_router::settings::curation::{Curation, CurationKind};
use tool_router::settings::{InitialK, Ranker, ScopeBy, Settings};

const WORDS: [&str; 10] = ["create", "issue", "list", "file", "Read", "search", "page", "deploy", "tiny", "ox"];

fn text(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(WORDS.as_slice()), 0..most).prop_map(|words| words.join(" "))
}

/// Tools by name, and the synthetic queries of an entry.
type ServerParts = (BTreeMap<String, String>, Option<Vec<String>>);

fn catalogue() -> impl Strategy<Value = Vec<McpServer>> {
    let tools = prop::collection::btree_map("[a-d]{1,2}|Read|Bash", text(8), 1..8);
    let entry = prop::option::of(prop::collection::vec("[a-z]{4,8}( [a-z]{4,8}){0,4}", 0..4));
    prop::collection::btree_map("[a-z]{2,5}", (tools, entry), 1..6).prop_map(|servers: BTreeMap<_, _>| {
        let server = |(name, (tools, queries)): (String, ServerParts)| McpServer {
            name,
            entry: queries.map(|queries| ServerEntry { synthetic_queries: queries, ..ServerEntry::default() }),
            tools: tools.into_iter().map(|(name, text)| McpTool { description: Some(text), ..McpTool::new(name) }).collect(),
            ..McpServer::default()
        };
        servers.into_iter().map(server).collect()
    })
}

fn router(servers: Vec<McpServer>) -> ToolRouter {
    let router = ToolRouter::new();
    router.set_servers(servers, false, ServerPath::List("servers")).unwrap();
    router
}

/// The score as the source words it, in plain steps.
fn naive_score(message: &str, description: &str, uses: f64, rescued: bool) -> f64 {
    let mut score = 0.0;
    for term in message.to_lowercase().split_whitespace() {
        if term.chars().count() < 4 {
            continue;
        }
        if description.to_lowercase().contains(term) {
            score += 10.0;
        }
    }
    score += 0.5 * uses;
    if rescued { score + 100.0 } else { score }
}

fn signal() -> impl Strategy<Value = Signal> {
    (text(6), prop::collection::vec("[a-z]{0,5}", 0..4), "\\PC{0,12}", ".{1,40}", prop::option::of("\\PC{0,40}")).prop_map(
        |(original_query, attempted_servers, step, missing, checkpoint)| Signal {
            status: None,
            original_query,
            attempted_servers,
            completed_steps: vec![step],
            checkpoint,
            missing_capability: format!("m{missing}"),
            reasoning: None,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_score_equals_the_naive_one(message in "\\PC{0,60}", description in "\\PC{0,60}", uses in 0_u16..200, rescued: bool) {
        let half_uses = f64::from(uses) / 2.0;
        let scored = score::score(&score::Terms::read(&message), &score::LowerText::new(&description), half_uses, rescued).total();
        prop_assert_eq!(scored.to_bits(), naive_score(&message, &description, half_uses, rescued).to_bits());
    }

    /// The oracle takes the best one after another, the first of equals.
    #[test]
    fn what_is_kept_is_what_taking_the_best_k_times_gives(
        functions in prop::collection::vec(("mcp--[ab]--[a-c]|mcp__s__Read|own[a-c]", text(6)), 0..20), message in text(6), k in 1_usize..8,
    ) {
        let functions: Vec<CuratedFunction> =
            functions.into_iter().map(|(name, text)| CuratedFunction { name, description: Some(text) }).collect();
        let curation = Curation { k, ..Curation::default() };
        let curated = ToolRouter::new().curate(&functions, &message, &curation, Some(HashMap::new()));
        let score = |at: usize| {
            let own = functions[at].name.rsplit(['-', '_']).next().unwrap_or("");
            let description = functions[at].description.as_deref().unwrap_or("");
            naive_score(&message, description, 0.0, curation.rescue.iter().any(|name| name == own))
        };
        let mut left: Vec<usize> = (0..functions.len()).filter(|at| functions[*at].name.starts_with("mcp")).collect();
        let mut best = HashSet::new();
        for _ in 0..k {
            let mut next: Option<usize> = None;
            for at in &left {
                if next.is_none_or(|next| score(*at) > score(next)) {
                    next = Some(*at);
                }
            }
            let Some(next) = next else { break };
            left.retain(|at| *at != next);
            best.insert(next);
        }
        let expected: Vec<usize> =
            (0..functions.len()).filter(|at| best.contains(at) || functions[*at].name.starts_with("own")).collect();
        let kept: Vec<usize> = curated.kept.iter().map(|kept| kept.position).collect();
        prop_assert_eq!(kept, expected);
        prop_assert_eq!(curated.kept.len() + curated.dropped.len(), functions.len());
        let off = Curation { kind: CurationKind::Off, ..curation };
        prop_assert!(ToolRouter::new().curate(&functions, &message, &off, None).dropped.is_empty());
    }

    #[test]
    fn any_signals_end_and_attached_tools_only_grow(servers in catalogue(), signals in prop::collection::vec(signal(), 1..8), by_server: bool) {
        let router = router(servers);
        let scope_by = if by_server { ScopeBy::Server } else { ScopeBy::Tool };
        let settings = Settings { threshold: 0, initial_k: InitialK::Fixed(2), scope_by, ..Settings::default() };
        let session = router.open_session(None, None, settings).unwrap();
        let mut attached = router.advance(&session, "list").attached;
        let mut rendered = session.lock().tools(&router.index());
        for (at, signal) in signals.into_iter().enumerate() {
            let checkpoint = signal.checkpoint.clone();
            let answer = router.reroute(&router.index(), &session, signal).unwrap();
            prop_assert_eq!(answer.checkpoint, checkpoint);
            prop_assert_eq!(answer.status == RerouteStatus::MaxReroutesExceeded, at >= MAX_REROUTES);
            prop_assert_eq!(answer.status == RerouteStatus::Continue, !answer.loaded.is_empty());
            prop_assert_eq!(answer.missing_capability.is_none(), answer.status == RerouteStatus::Continue);
            prop_assert_eq!(answer.reroute_count, MAX_REROUTES.min(at + 1));
            let now: Vec<String> = session.lock().attached().map(|tool| tool.name.clone()).collect();
            prop_assert!(now.starts_with(&attached));
            prop_assert_eq!(now.len(), attached.len() + answer.loaded.len());
            let text = session.lock().tools(&router.index());
            prop_assert!(text.starts_with(rendered.trim_end_matches(']')));
            (attached, rendered) = (now, text);
        }
        let state = session.lock().to_json();
        let restored = router.restore_session(&state).unwrap();
        prop_assert_eq!(restored.lock().to_json(), state);
    }

    #[test]
    fn ranked_servers_are_those_in_scope_once_each_in_an_order_that_never_rises(servers in catalogue(), query in text(6)) {
        let router = router(servers.clone());
        router.install(Box::new(|| Ok(Box::new(HashedEmbedder))), None).recv().unwrap().unwrap();
        prop_assert!(router.wait_ready(std::time::Duration::from_secs(30)));
        for mode in [Ranker::Lexical, Ranker::Hybrid] {
            let rank = RankOptions { top_k: Some(100), ranker: Some(mode), deadline_ms: Some(30_000), ..RankOptions::default() };
            let options = ServerRankOptions { rank, tools_per_server: Some(100) };
            let ranking = router.rank_servers(&router.snapshot(), &query, &options).unwrap();
            let names: HashSet<&str> = ranking.servers.iter().map(|server| server.name.as_str()).collect();
            prop_assert_eq!(names.len(), servers.len());
            prop_assert!(ranking.servers.windows(2).all(|pair| pair[0].ranked.score >= pair[1].ranked.score));
            prop_assert!(ranking.servers.iter().all(|server| server.ranked.score.is_finite() && server.tools.len() == server.tool_count));
            prop_assert!(ranking.servers.iter().all(|server| server.tools.iter().all(|tool| tool.id.server_name == server.name)));
            prop_assert_eq!(&ranking, &router.rank_servers(&router.snapshot(), &query, &options).unwrap());
            let reversed = ToolRouter::new();
            reversed.set_servers(servers.iter().rev().cloned().collect(), false, ServerPath::List("servers")).unwrap();
            if mode == Ranker::Lexical {
                prop_assert_eq!(&ranking, &reversed.rank_servers(&reversed.snapshot(), &query, &options).unwrap());
            }
        }
    }
}
