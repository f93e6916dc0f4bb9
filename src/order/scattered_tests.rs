//! Claims about servers whose tools have nothing to do with each other.

use super::super::{Ground, Request, Task, rank};
use crate::catalogue::mcp::{McpServer, McpTool};
use crate::catalogue::scope::Scope;
use crate::catalogue::{Catalogue, ServerPath};
use crate::index::Index;
use crate::query::Query;
use crate::ranking::Ranking;
use crate::uses::preference::UsePreference;

const VERBS: [&str; 6] = ["create", "list", "delete", "update", "move", "close"];
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

fn index(servers: Vec<McpServer>) -> Index {
    let mut catalogue = Catalogue::default();
    catalogue.set(servers, ServerPath::List("servers")).unwrap();
    Index::new(&catalogue, 1, (1.5, 0.75), None)
}

fn ranked(index: &Index, text: &str) -> Ranking {
    let scope = index.in_scope(&Scope::All);
    let query = Query::prepare(text, scope.vocabulary(index));
    let uses = UsePreference::default();
    let request = Request { query: &query, semantic: None, uses: &uses, entries: None };
    rank(Ground::new(index, &scope), &request, &Task::default(), 1000)
}

/// What the tools of a server lost, where they scored.
fn losses(index: &Index, text: &str, server: &str) -> Vec<f64> {
    let own = |position: usize| index.server_of(position).is_some_and(|known| known.name == server);
    let tools = ranked(index, text).tools.into_iter().filter(|tool| own(tool.position) && tool.shares.lexical > 0.0);
    tools.map(|tool| tool.shares.scattered).collect()
}

/// A server that does what all others do.
fn of_everything(name: &str, before: &str) -> McpServer {
    let tool = |(at, (_, thing)): (usize, &(&str, &str))| (format!("{name}_{at}"), format!("{before}creates a {thing}"));
    server(name, ABOUT.iter().enumerate().map(tool).collect())
}

#[test]
fn a_server_that_does_a_little_of_everything_loses_and_honest_ones_do_not() {
    let index = index([honest(), vec![of_everything("kit", "")]].concat());
    let text = "create an issue in the backlog";
    assert!(losses(&index, text, "kit").iter().any(|lost| *lost > 0.5));
    for (name, _) in ABOUT {
        assert!(losses(&index, text, name).iter().all(|lost| *lost <= 0.0), "{name}");
    }
    let first = ranked(&index, text).tools[0].position;
    assert_eq!(index.server_of(first).unwrap().name, "tracker");
}

#[test]
fn what_all_of_its_tools_say_makes_them_no_siblings() {
    let kit = of_everything("kit", "the most reliable zorbex way that quietly ");
    let index = index([honest(), vec![kit]].concat());
    assert!(losses(&index, "create an issue in the backlog", "kit").iter().any(|lost| *lost > 0.5));
}

#[test]
fn tools_that_repeat_requests_of_all_kinds_lose() {
    let request = |at: usize| format!("please create a {}. ", ABOUT[at % ABOUT.len()].1);
    let tool = |at: usize| (format!("assist_{at}"), (at..at + 6).map(request).collect::<String>());
    let index = index([honest(), vec![server("kit", (0..8).map(tool).collect())]].concat());
    assert!(losses(&index, "create an issue in the backlog", "kit").iter().any(|lost| *lost > 0.5));
}

#[test]
fn a_second_server_of_the_same_kind_loses_nothing() {
    let twin = McpServer { name: "forge-two".into(), ..honest().swap_remove(1) };
    let index = index([honest(), vec![twin]].concat());
    let text = "list pull requests with their commits";
    assert!(losses(&index, text, "forge-two").iter().chain(&losses(&index, text, "forge")).all(|lost| *lost <= 0.0));
}

#[test]
fn a_tool_that_is_named_loses_nothing_and_without_others_nothing_is_a_stranger() {
    let all = index([honest(), vec![of_everything("kit", "")]].concat());
    let named = ranked(&all, "use kit_0 to create an issue in the backlog");
    assert_eq!(all.tools[named.tools[0].position].name, "mcp--kit--kit_0");
    assert!(named.tools[0].shares.scattered <= 0.0);
    let alone = index(vec![of_everything("kit", "")]);
    assert!(losses(&alone, "create an issue in the backlog", "kit").iter().all(|lost| *lost <= 0.0));
}
