//! Each tool is a definition, a line of the directory, or nothing: first selections over a catalogue of many servers.

use tool_router::catalogue::ServerPath;
use tool_router::catalogue::mcp::{McpServer, McpTool};
use tool_router::router::ToolRouter;
use tool_router::session::selection::Selection;
use tool_router::settings::Settings;

const THINGS: [&str; 8] = ["invoice", "ticket", "branch", "calendar", "message", "deployment", "dashboard", "customer"];
const VERBS: [&str; 10] = ["create", "list", "get", "update", "delete", "search", "export", "archive", "assign", "close"];

/// Ten tools for each of eight things, and one whose definition is as long as a book.
fn router() -> ToolRouter {
    let router = ToolRouter::new();
    let tool = |thing: &str, verb: &str| {
        let schema = format!(r#"{{"type":"object","properties":{{"{thing}_id":{{"type":"string"}}}}}}"#);
        McpTool {
            description: Some(format!("{verb}s a {thing} of the workspace")),
            input_schema: Some(schema),
            ..McpTool::new(format!("{verb}_{thing}"))
        }
    };
    let server = |thing: &str| McpServer {
        name: format!("{thing}-desk"),
        tools: VERBS.iter().map(|verb| tool(thing, verb)).collect(),
        ..McpServer::default()
    };
    let book = McpTool { description: Some("prints an invoice. ".repeat(2_000)), ..McpTool::new("print_invoice".to_owned()) };
    let books = McpServer { name: "printer".into(), tools: vec![book], ..McpServer::default() };
    let servers = THINGS.iter().map(|thing| server(thing)).chain([books]).collect();
    router.set_servers(servers, false, ServerPath::List("servers")).unwrap();
    router
}

fn first(text: &str) -> Selection {
    let router = router();
    let session = router.open_session(None, None, Settings::default()).unwrap();
    router.advance(&session, text)
}

#[test]
fn a_request_has_few_definitions_and_its_other_tools_as_lines() {
    let selection = first("create an invoice for the customer and assign the ticket about it");
    let shown = selection.attached.iter().chain(&selection.directory);
    assert!(shown.clone().any(|name| name == "mcp--invoice-desk--create_invoice"), "{:?}", shown.collect::<Vec<_>>());
    assert!(selection.attached.len() < 20 && !selection.directory.is_empty());
    assert!(selection.directory.iter().all(|name| !selection.attached.contains(name)));
    let own_name = selection.directory[0].rsplit("--").next().unwrap();
    assert!(selection.mcp_load.unwrap().contains(own_name));
}

#[test]
fn talk_has_neither() {
    for text in ["hi", "ok, go on", "thanks a lot!", "danke, passt so"] {
        let selection = first(text);
        assert!(selection.attached.is_empty() && selection.directory.is_empty(), "{text}: {selection:?}");
    }
}

#[test]
fn a_definition_as_long_as_a_book_is_a_line() {
    let selection = first("print the invoice");
    assert!(!selection.attached.contains(&"mcp--printer--print_invoice".to_owned()));
    assert!(selection.directory.contains(&"mcp--printer--print_invoice".to_owned()), "{:?}", selection.directory);
}

#[test]
fn a_text_that_names_a_server_gets_its_tools_whatever_else_it_speaks_of() {
    for text in
        ["refactor the reducer in src/store.ts to use immer, use calendar-desk", "rename getUser everywhere. use calendar-desk"]
    {
        let selection = first(text);
        let of_server = selection.attached.iter().filter(|name| name.starts_with("mcp--calendar-desk--")).count();
        assert!(of_server >= 3, "{text}: {:?}", selection.attached);
    }
}
