//! Modules of large servers: every tool in one module of 1 to 25, the same whatever the order, and little moved by one tool.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use tool_router::catalogue::ServerPath;
use tool_router::catalogue::mcp::{McpServer, McpTool};
use tool_router::router::ToolRouter;

const VERBS: [&str; 12] =
    ["list", "get", "create", "update", "delete", "search", "run", "export", "start", "stop", "lock", "assign"];
const THINGS: &str =
    "issue pull_request branch pipeline job user group label milestone wiki_page release runner variable token snippet event";
const PARTS: [&str; 8] = ["", "_comment", "_note", "_status", "_member", "_file", "_link", "_history"];

/// A server of some tools out of 1,536, by their numbers.
fn tool(number: usize) -> McpTool {
    let [verb, thing, part] = [number % 12, number / 12 % 16, number / 192];
    let thing = THINGS.split(' ').nth(thing).unwrap();
    let mut tool = McpTool::new(format!("{}_{thing}{}", VERBS[verb], PARTS[part]));
    tool.description = Some(format!("{} one or more of {thing}", VERBS[verb]));
    tool
}

/// The module of each tool, by name.
fn divided(tools: Vec<McpTool>) -> BTreeMap<String, String> {
    let router = ToolRouter::new();
    let server = McpServer { name: "forge".into(), tools, ..McpServer::default() };
    router.set_servers(vec![server], false, ServerPath::List("servers")).unwrap();
    let mut of = BTreeMap::new();
    let mut names = BTreeSet::new();
    for module in router.modules(None).unwrap() {
        assert!((1..=25).contains(&module.tools.len()), "{} has {}", module.name, module.tools.len());
        assert!(names.insert(module.name.clone()), "{} twice", module.name);
        assert!(module.name.starts_with("forge/") && module.name.len() <= 80, "{}", module.name);
        assert!(
            !module.description.is_empty() && module.description.chars().count() <= 220 && !module.description.contains('\n')
        );
        for tool in module.tools {
            assert!(of.insert(tool.tool_name, module.name.clone()).is_none());
        }
    }
    of
}

fn numbers() -> impl Strategy<Value = BTreeSet<usize>> {
    prop::collection::btree_set(0_usize..1_536, 32..160)
}

/// How many tools one that comes or goes may move, besides itself: what a module gives away when it overflows.
const MOST_MOVED: usize = 25;

proptest! {
    #[test]
    fn every_tool_has_one_module_whatever_the_order(numbers in numbers(), seed in any::<u64>()) {
        let tools: Vec<McpTool> = numbers.iter().map(|number| tool(*number)).collect();
        let mut shuffled = tools.clone();
        shuffled.sort_by_cached_key(|tool| blake3::hash(format!("{seed}{}", tool.name).as_bytes()).to_hex().to_string());
        let of = divided(tools);
        prop_assert_eq!(of.len(), numbers.len());
        prop_assert_eq!(of, divided(shuffled));
    }

    #[test]
    fn a_tool_that_goes_or_comes_or_is_renamed_moves_few_others(numbers in numbers(), at in any::<prop::sample::Index>()) {
        let tools: Vec<McpTool> = numbers.iter().map(|number| tool(*number)).collect();
        let at = at.index(tools.len());
        let before = divided(tools.clone());
        let moved = |other: &BTreeMap<String, String>| {
            other.iter().filter(|(tool, module)| before.get(*tool).is_some_and(|known| known != *module)).count()
        };
        let mut fewer = tools.clone();
        fewer.remove(at);
        prop_assert!(moved(&divided(fewer)) <= MOST_MOVED);
        let mut renamed = tools;
        renamed[at].name = "translate_poem".into();
        prop_assert!(moved(&divided(renamed)) <= 2 * MOST_MOVED);
    }
}

#[test]
fn hard_servers_are_divided_too() {
    let named = |name: &dyn Fn(usize) -> String, count: usize| (0..count).map(|at| McpTool::new(name(at))).collect::<Vec<_>>();
    for tools in [
        named(&|at| format!("t{at}"), 400),
        named(&|at| format!("list_issues_{at:04}"), 400),
        named(&|at| "x".repeat(at + 1), 60),
        named(&|at| format!("工具{at}"), 80),
        named(&|at| format!("{}_{at}", "very_long_prefix_of_a_name_that_says_nothing_at_all".repeat(3)), 60),
    ] {
        let count = tools.len();
        assert_eq!(divided(tools).len(), count);
    }
    assert!(divided((0..30).map(tool).collect()).is_empty());
    assert_eq!(divided((0..31).map(tool).collect()).len(), 31);
}
