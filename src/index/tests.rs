//! Claims about generations of the catalogue.

use super::*;
use crate::catalogue::ServerPath;
use crate::catalogue::mcp::{McpServer, McpTool};

#[test]
fn a_hosts_order_changes_places_and_no_names() {
    let server = |name: &str, position: Option<usize>| McpServer {
        name: name.into(),
        position,
        tools: vec![McpTool::new("read"), McpTool::new("re-ad"), McpTool::new("re_ad")],
        ..McpServer::default()
    };
    let index = |positions: [Option<usize>; 3]| {
        let mut catalogue = Catalogue::default();
        let servers = ["a", "b", "c"].into_iter().zip(positions).map(|(name, at)| server(name, at)).collect();
        catalogue.set(servers, ServerPath::List("servers")).unwrap();
        Index::new(&catalogue, 1, None)
    };
    let (plain, placed) = (index([None; 3]), index([None, Some(1), Some(0)]));
    let order = |index: &Index| index.servers.iter().map(|server| server.name.as_str()).collect::<String>();
    assert_eq!([order(&plain), order(&placed)], ["abc", "cba"]);
    for tool in plain.tools.iter() {
        let at = placed.position(&tool.tool.id).unwrap();
        assert_eq!(placed.tools[at].name, tool.name);
        assert_eq!(placed.resolve(&tool.name), Some(at));
    }
}
