//! Claims about the catalogue.

use super::mcp::McpTool;
use super::*;

fn server(name: &str, tools: &[(&str, &str)]) -> McpServer {
    McpServer {
        name: name.into(),
        tools: tools.iter().map(|(name, text)| McpTool { description: Some((*text).into()), ..McpTool::new(*name) }).collect(),
        ..McpServer::default()
    }
}

fn id(tool: &str) -> ToolId {
    ToolId::new("s", tool)
}

#[test]
fn setting_again_reports_exactly_what_changed_and_keeps_the_rest() {
    let mut catalogue = Catalogue::default();
    catalogue.set(vec![server("s", &[("a", "1"), ("b", "1"), ("c", "1")])], ServerPath::List("servers")).unwrap();
    let kept = Arc::clone(&catalogue.active().next().unwrap().entries[0].tool);
    let change = catalogue.set(vec![server("s", &[("a", "1"), ("b", "2"), ("d", "1")])], ServerPath::List("servers")).unwrap();
    assert_eq!(
        (change.added, change.changed, change.removed, change.unchanged),
        (vec![id("d")], vec![id("b")], vec![id("c")], 1)
    );
    assert!(Arc::ptr_eq(&kept, &catalogue.active().next().unwrap().entries[0].tool));
}

#[test]
fn what_a_server_says_about_itself_later_is_read_for_a_tool_that_says_nothing() {
    let mut catalogue = Catalogue::default();
    let mut set = |instructions: Option<&str>| {
        let said = McpServer { instructions: instructions.map(Into::into), ..server("s", &[("a", "")]) };
        let change = catalogue.set(vec![said], ServerPath::List("servers")).unwrap();
        let entry = catalogue.active().next().unwrap();
        (change.unchanged, entry.entries[0].tool.server_hint.clone())
    };
    assert_eq!(set(None), (0, None));
    assert_eq!(set(Some("invoices")), (1, Some("invoices".into())));
    assert_eq!(set(None), (1, None));
}

#[test]
fn the_same_server_twice_in_one_call_changes_nothing() {
    let mut catalogue = Catalogue::default();
    let error = catalogue.set(vec![server("s", &[]), server("s", &[])], ServerPath::List("servers")).unwrap_err();
    assert_eq!(error.to_string(), r#"servers[1].name: expected a server other than servers[0], got "s" again"#);
    assert_eq!(catalogue.active().count(), 0);
}

#[test]
fn a_project_server_hides_the_global_one_until_it_is_removed() {
    let mut catalogue = Catalogue::default();
    let project = McpServer { source: Source::Project, ..server("s", &[("mine", "")]) };
    catalogue.set(vec![server("s", &[("theirs", "")]), project], ServerPath::List("servers")).unwrap();
    let tools = |catalogue: &Catalogue| -> Vec<String> {
        catalogue.active().flat_map(|server| server.entries.iter().map(|entry| entry.tool.id.tool_name.clone())).collect()
    };
    assert_eq!(tools(&catalogue), ["mine"]);
    catalogue.remove("s", Some(Source::Project));
    assert_eq!(tools(&catalogue), ["theirs"]);
}

#[test]
fn an_unusable_tool_is_refused_alone() {
    let mut catalogue = Catalogue::default();
    let change = catalogue.set(vec![server("s", &[("a", ""), (" ", ""), ("a", "")])], ServerPath::List("servers")).unwrap();
    assert_eq!(change.added, [id("a")]);
    let reasons: Vec<_> = change.refused.iter().map(|refused| refused.reason.to_string()).collect();
    assert_eq!(
        reasons,
        [
            r#"servers[0].tools[1].name: expected a name, got " ""#,
            r#"servers[0].tools[2].name: expected a name that no tool before has, got "a" again"#
        ]
    );
}
