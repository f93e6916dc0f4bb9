//! What is withheld, and until when.

use super::intake::Intake;
use super::mcp::{McpServer, McpTool};
use super::scope::Off;
use super::{Catalogue, ServerPath};
use crate::document::id::ToolId;
use crate::settings::{ChangedTools, Settings};

fn set(catalogue: &mut Catalogue, description: Option<&str>) -> Option<Off> {
    let tools = description.map(|text| McpTool { description: Some(text.to_owned()), ..McpTool::new("a") });
    let server = McpServer { tools: tools.into_iter().collect(), name: "s".into(), ..McpServer::default() };
    catalogue.set(vec![server], ServerPath::One("s")).unwrap();
    catalogue.servers.values().next().and_then(|server| server.entries.first()).and_then(|entry| entry.off)
}

fn catalogue(changed_tools: ChangedTools) -> Catalogue {
    let intake = Intake::of(&Settings { changed_tools, ..Settings::default() });
    Catalogue { intake, ..Catalogue::default() }
}

#[test]
fn a_changed_tool_is_withheld_until_it_is_acknowledged_or_as_it_was() {
    let mut catalogue = catalogue(ChangedTools::Withhold);
    let id = ToolId::new("s", "a".to_owned());
    assert_eq!(set(&mut catalogue, Some("one")), None);
    assert_eq!(set(&mut catalogue, Some("two")), Some(Off::Changed));
    assert_eq!(set(&mut catalogue, Some("two")), Some(Off::Changed), "saying it again makes it no better");
    assert_eq!(set(&mut catalogue, Some("one")), None);
    set(&mut catalogue, Some("two"));
    assert!(catalogue.acknowledge(&id) && !catalogue.acknowledge(&id));
    assert_eq!(set(&mut catalogue, Some("two")), None);
    assert_eq!(set(&mut catalogue, Some("one")), Some(Off::Changed));
}

#[test]
fn a_tool_or_server_that_goes_and_comes_back_changed_is_no_new_one() {
    let mut catalogue = catalogue(ChangedTools::Withhold);
    set(&mut catalogue, Some("one"));
    set(&mut catalogue, None);
    assert_eq!(set(&mut catalogue, Some("two")), Some(Off::Changed));
    catalogue.remove("s", None);
    assert_eq!(set(&mut catalogue, Some("two")), Some(Off::Changed));
}

#[test]
fn what_is_withheld_depends_on_the_setting_when_a_server_is_set() {
    let mut catalogue = catalogue(ChangedTools::Tell);
    set(&mut catalogue, Some("one"));
    assert_eq!(set(&mut catalogue, Some("two")), None);
    catalogue.intake.withholds = true;
    assert_eq!(set(&mut catalogue, Some("three")), Some(Off::Changed), "two was there when it was turned on");
    catalogue.intake.withholds = false;
    assert_eq!(set(&mut catalogue, Some("three")), None);
}
