//! A server whose tools have nothing to do with each other stands back, and no honest one does.

use tool_router::catalogue::ServerPath;
use tool_router::catalogue::mcp::{McpServer, McpTool};
use tool_router::router::{NamedRanking, RankOptions, ToolRouter};
use tool_router::settings::Ranker;

const VERBS: [&str; 8] = ["create", "list", "delete", "update", "move", "close", "copy", "share"];
/// What eight servers are about.
const ABOUT: [(&str, &str); 8] = [
    ("tracker", "issue in the backlog of a sprint"),
    ("forge", "pull request with its commits and branches"),
    ("disk", "file in a directory of the project"),
    ("browser", "web page with forms and buttons"),
    ("base", "table of the database with columns"),
    ("chat", "message in a channel of the team"),
    ("watch", "alert about errors of a service"),
    ("clock", "event in the calendar with guests"),
];

fn server(name: &str, tools: Vec<(String, String)>) -> McpServer {
    let tool = |(name, text): (String, String)| McpTool { description: Some(text), ..McpTool::new(name) };
    McpServer { name: name.into(), tools: tools.into_iter().map(tool).collect(), ..McpServer::default() }
}

fn honest() -> Vec<McpServer> {
    let of = |(name, thing): (&str, &str)| {
        let noun = thing.split(' ').next().unwrap_or("").to_owned();
        let tool = |verb: &str| (format!("{verb}_{noun}"), format!("{verb}s a {thing}"));
        server(name, VERBS.map(tool).to_vec())
    };
    ABOUT.map(of).to_vec()
}

fn router(servers: Vec<McpServer>) -> ToolRouter {
    let router = ToolRouter::new();
    router.set_servers(servers, false, ServerPath::List("servers")).unwrap();
    router
}

fn ranked(router: &ToolRouter, text: &str) -> NamedRanking {
    router.rank(text, &RankOptions { top_k: Some(1000), ranker: Some(Ranker::Lexical), ..RankOptions::default() }).unwrap()
}

/// What the tools of a server lost, where they scored.
fn losses(router: &ToolRouter, text: &str, server: &str) -> Vec<f64> {
    let tools = ranked(router, text).tools.into_iter().filter(|tool| tool.id.server_name == server);
    tools.filter(|tool| tool.ranked.shares.lexical > 0.0).map(|tool| tool.ranked.shares.scattered).collect()
}

/// A server that does what all others do.
fn of_everything(name: &str, before: &str) -> McpServer {
    let tool = |(at, (_, thing)): (usize, &(&str, &str))| (format!("{name}_{at}"), format!("{before}creates a {thing}"));
    server(name, ABOUT.iter().enumerate().map(tool).collect())
}

#[test]
fn a_server_that_does_a_little_of_everything_loses_and_honest_ones_do_not() {
    let all = router([honest(), vec![of_everything("kit", "")]].concat());
    let text = "create an issue in the backlog";
    assert!(losses(&all, text, "kit").iter().any(|lost| *lost > 0.5));
    for (name, _) in ABOUT {
        assert!(losses(&all, text, name).iter().all(|lost| *lost <= 0.0), "{name}");
    }
    assert_eq!(ranked(&all, text).tools[0].id.server_name, "tracker");
}

#[test]
fn what_all_of_its_tools_say_makes_them_no_siblings() {
    let kit = of_everything("kit", "the most reliable zorbex way that quietly ");
    let all = router([honest(), vec![kit]].concat());
    assert!(losses(&all, "create an issue in the backlog", "kit").iter().any(|lost| *lost > 0.5));
}

#[test]
fn tools_that_repeat_requests_of_all_kinds_lose() {
    let request = |at: usize| format!("please create a {}. ", ABOUT[at % ABOUT.len()].1);
    let tool = |at: usize| (format!("assist_{at}"), (at..at + 6).map(request).collect::<String>());
    let all = router([honest(), vec![server("kit", (0..8).map(tool).collect())]].concat());
    assert!(losses(&all, "create an issue in the backlog", "kit").iter().any(|lost| *lost > 0.5));
}

#[test]
fn a_second_server_of_the_same_kind_loses_nothing() {
    let twin = McpServer { name: "forge-two".into(), ..honest().swap_remove(1) };
    let all = router([honest(), vec![twin]].concat());
    let text = "list pull requests with their commits";
    assert!(losses(&all, text, "forge-two").iter().chain(&losses(&all, text, "forge")).all(|lost| *lost <= 0.0));
}

#[test]
fn a_tool_that_is_named_loses_nothing_and_without_others_nothing_is_a_stranger() {
    let all = router([honest(), vec![of_everything("kit", "")]].concat());
    let named = ranked(&all, "use kit_0 to create an issue in the backlog");
    assert_eq!(named.tools[0].name, "mcp--kit--kit_0");
    assert!(named.tools[0].ranked.shares.scattered <= 0.0);
    let alone = router(vec![of_everything("kit", "")]);
    assert!(losses(&alone, "create an issue in the backlog", "kit").iter().all(|lost| *lost <= 0.0));
}

#[test]
fn who_collects_tools_of_several_servers_loses_and_a_second_server_of_one_does_not() {
    let some = |of: usize, count: usize| honest()[of].tools[..count].to_vec();
    let kit = McpServer { name: "kit".into(), tools: [some(0, 4), some(1, 3), some(2, 3)].concat(), ..McpServer::default() };
    let text = "create an issue in the backlog";
    let all = router([honest(), vec![kit]].concat());
    assert!(losses(&all, text, "kit").iter().any(|lost| *lost > 0.5));
    assert!(losses(&all, text, "tracker").iter().all(|lost| *lost <= 0.0));
}
