//! Bytes of any kind into whatever reads bytes: nothing panics, and what is read obeys its bounds. 256 cases each; `npm run
//! fuzz` tries 100,000 (`PROPTEST_CASES`).

use proptest::prelude::*;
use tool_router::catalogue::ServerPath;
use tool_router::catalogue::mcp::{McpServer, McpTool};
use tool_router::router::{RankOptions, ToolRouter};
use tool_router::session::reroute::Signal;
use tool_router::settings::{InitialK, Settings};

/// Text as it comes: bytes, letters, and what our formats are made of.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..400).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        "\\PC{0,200}",
        "[a-z_/:.,;\"'`\\-\\n\\t{}\\[\\]0-9=#\u{200b}\u{202e}\u{fdfa}é日]{0,300}",
        prop::collection::vec(prop::sample::select(PIECES.as_slice()), 0..60).prop_map(|pieces| pieces.concat()),
    ]
}

/// Schemas of few parts that refer to each other, several times over and in circles.
fn schema() -> impl Strategy<Value = String> {
    let names = || prop::sample::select(["a", "b", "c", "d"].as_slice());
    let reference = names().prop_map(|name| serde_json::json!({ "$ref": format!("#/$defs/{name}") })).boxed();
    let leaf = prop_oneof![
        reference.clone(),
        Just(serde_json::json!({ "type": "integer" })),
        Just(serde_json::json!({ "enum": ["x", 1, { "a": 1 }] })),
        Just(serde_json::json!({ "pattern": "^(?=(x+)+$)y" })),
        Just(serde_json::json!({ "$ref": "#" })),
        Just(serde_json::json!({ "$dynamicRef": "#a", "$anchor": "a" })),
    ];
    let part = leaf.prop_recursive(4, 24, 3, |below| {
        const LISTS: [&str; 4] = ["anyOf", "allOf", "oneOf", "prefixItems"];
        const SINGLE: [&str; 7] =
            ["not", "items", "additionalProperties", "unevaluatedProperties", "contains", "propertyNames", "if"];
        prop_oneof![
            (prop::sample::select(LISTS.as_slice()), prop::collection::vec(below.clone(), 1..3))
                .prop_map(|(key, parts)| serde_json::json!({ key: parts })),
            (prop::sample::select(SINGLE.as_slice()), below.clone()).prop_map(|(key, part)| serde_json::json!({ key: part })),
            below.prop_map(|part| serde_json::json!({ "properties": { "a": part.clone(), "b": part } })),
        ]
    });
    (part.clone(), prop::collection::vec(part, 4)).prop_map(|(root, parts)| {
        let mut root = root;
        if let Some(root) = root.as_object_mut() {
            root.insert("$defs".to_owned(), ["a", "b", "c", "d"].into_iter().zip(parts).collect::<serde_json::Value>());
        }
        root.to_string()
    })
}

const PIECES: [&str; 30] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "\\u0000",
    "\\ud800",
    "type",
    "properties",
    "object",
    "$ref",
    "anyOf",
    "null",
    "-1e999",
    "0",
    "mcp--",
    "__",
    "select:",
    "create_issue",
    " without ",
    " not ",
    "\n```\n",
    "= \n",
    "\"\"\"",
    "[[mcp]]",
    "\u{e0041}",
    "\u{0301}",
    "a",
];

fn router(tools: Vec<McpTool>) -> ToolRouter {
    let router = ToolRouter::new();
    let server = McpServer { name: "s".into(), tools, ..McpServer::default() };
    router.set_servers(vec![server], false, ServerPath::One("s")).unwrap();
    router
}

fn known() -> ToolRouter {
    router(["create_issue", "list_issues", "read_file", "mcp__x--y"].map(|name| McpTool::new(name.to_owned())).to_vec())
}

proptest! {
    // A failure prints its smallest input; a file of them beside the tests would be read by the next run alone.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_a_query(text in text()) {
        let router = known();
        let ranking = router.rank(&text, &RankOptions::default()).unwrap();
        prop_assert!(ranking.tools.len() <= 4);
        prop_assert!(ranking.tools.windows(2).all(|pair| pair[0].ranked.score >= pair[1].ranked.score));
        let tool = router.resolve("mcp--s--read_file").unwrap();
        prop_assert!(router.explain(&text, &tool, &RankOptions::default()).is_ok());
    }

    #[test]
    fn any_text_is_a_description_and_any_schema_is_taken_or_refused(description in text(), schema in text(), name in "\\PC{1,40}") {
        let tool = McpTool { description: Some(description), input_schema: Some(schema), ..McpTool::new(name) };
        let router = router(vec![tool]);
        for listed in router.list_tools(&RankOptions::default(), true).unwrap() {
            let session = router.open_session(None, None, Settings::default()).unwrap();
            router.advance(&session, "x");
            let rendered: serde_json::Value = serde_json::from_str(&session.lock().tools(&router.index())).unwrap();
            prop_assert_eq!(rendered[0]["function"]["name"].as_str(), Some(listed.name.as_str()));
        }
    }

    #[test]
    fn a_call_is_checked_against_any_schema(schema in schema(), arguments in "\\PC{0,60}|\\{\"a\":(1|\"x\"|\\[1,2\\]|\\{\"a\":\\{\"b\":2\\}\\})\\}") {
        let router = router(vec![McpTool { input_schema: Some(schema), ..McpTool::new("tool".to_owned()) }]);
        let session = router.open_session(None, None, Settings::default()).unwrap();
        router.advance(&session, "x");
        let call = serde_json::json!({ "name": "mcp--s--tool", "arguments": arguments }).to_string();
        let checked = router.check_call(&session, call).unwrap()();
        prop_assert!(checked.problem.is_some() || checked.arguments.is_some() || checked.tool.is_none());
    }

    #[test]
    fn a_provider_name_is_safe_short_and_stands_for_its_tool(server in "\\PC{1,80}", tools in prop::collection::hash_set("\\PC{1,80}", 1..6)) {
        let router = ToolRouter::new();
        let tools = tools.into_iter().map(McpTool::new).collect();
        let Ok(_) = router.set_servers(vec![McpServer { name: server, tools, ..McpServer::default() }], false, ServerPath::One("s")) else {
            return Ok(());
        };
        for tool in router.list_tools(&RankOptions::default(), true).unwrap() {
            prop_assert!(!tool.name.is_empty() && tool.name.len() <= 64, "{}", tool.name);
            prop_assert!(tool.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')), "{}", tool.name);
            prop_assert_eq!(router.resolve(&tool.name), Some(tool.id));
        }
    }

    #[test]
    fn any_text_is_a_call_of_mcp_load(text in text()) {
        let router = known();
        let settings = Settings { threshold: 0, initial_k: InitialK::Fixed(0), ..Settings::default() };
        let session = router.open_session(None, None, settings).unwrap();
        router.advance(&session, "");
        let Ok(result) = router.load(&session, &text) else {
            prop_assert!(!text.contains(|c: char| c.is_alphanumeric()), "{text:?} is refused");
            return Ok(());
        };
        prop_assert!(result.loaded.len() <= 10 && result.unavailable.len() <= 100);
    }

    #[test]
    fn a_saved_state_is_refused_or_a_session(text in text(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let router = known();
        let _ = router.restore_session(&text);
        let session = router.open_session(None, None, Settings { threshold: 1, ..Settings::default() }).unwrap();
        router.advance(&session, "create an issue");
        let mut state = session.lock().to_json().into_bytes();
        let at = at.index(state.len());
        state[at] = byte;
        if let Ok(text) = String::from_utf8(state) && let Ok(restored) = router.restore_session(&text) {
            router.advance(&restored, "list issues");
            let rendered: serde_json::Value = serde_json::from_str(&restored.lock().tools(&router.index())).unwrap();
            prop_assert!(rendered.is_array());
        }
    }

    #[test]
    fn a_signal_is_refused_or_answered(text in text(), need in text()) {
        let router = known();
        let _ = Signal::read(&text);
        let signal = serde_json::json!({ "original_query": text, "missing_capability": need }).to_string();
        if let Ok(signal) = Signal::read(&signal) {
            let session = router.open_session(None, None, Settings { threshold: 1, ..Settings::default() }).unwrap();
            router.advance(&session, "x");
            prop_assert!(router.reroute(&router.index(), &session, signal).is_ok());
        }
    }

    #[test]
    fn toml_files_are_read_or_refused(text in text(), bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let folder = tempfile::tempdir().unwrap();
        let router = known();
        for bytes in [text.as_bytes(), &bytes] {
            let file = folder.path().join("file");
            std::fs::write(&file, bytes).unwrap();
            let _ = router.load_curation(vec![file]);
        }
    }
}
