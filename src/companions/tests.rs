use super::*;
use proptest::prelude::*;

fn graph(server: &str, tools: &[(&str, &str, &str)]) -> Companions {
    let texts: Vec<ToolText<'_>> =
        tools.iter().map(|(name, description, schema)| ToolText { name, description, schema, read_only: false }).collect();
    Companions::new(server, &texts)
}

fn requires(names: &str) -> String {
    let names: Vec<String> = names.split(' ').map(|name| format!("{name:?}")).collect();
    format!(r#"{{"properties":{{}},"required":[{}]}}"#, names.join(","))
}

/// Names of what the first tool needs.
fn needs(server: &str, tools: &[(&str, &str, &str)]) -> Vec<(String, String)> {
    let graph = graph(server, tools);
    graph.of(0).iter().map(|need| (tools[need.tool].0.to_owned(), need.by.clone())).collect()
}

fn one(name: &str, by: &str) -> Vec<(String, String)> {
    vec![(name.to_owned(), by.to_owned())]
}

#[test]
fn a_required_id_needs_the_tool_that_lists_its_thing() {
    let tools = [
        ("post_message", "", &*requires("channel_id text")),
        ("list_channels", "", "{}"),
        ("get_channel", "", &requires("channel_id")),
    ];
    assert_eq!(needs("chat", &tools), one("list_channels", "channel_id"));
}

#[test]
fn names_are_read_in_any_spelling_and_things_under_their_other_names() {
    for (consumer, parameter, producer) in [
        ("chatPostMessage", "channelId", "chatListChannels"),
        ("issues.assign", "assigneeId", "users.list"),
        ("API-patch-page", "page_id", "API-post-search"),
        ("mr_approve", "merge_request_iid", "mr_list_merge_requests"),
        ("enviar_factura", "cliente_id", "listar_clientes"),
        ("move_ticket", "transitionKey", "getTransitions"),
    ] {
        let schema = requires(parameter);
        let tools = [(consumer, "", &*schema), (producer, "", "{}"), ("delete_everything", "", "{}")];
        assert_eq!(needs("api", &tools), one(producer, parameter), "{consumer}");
    }
}

#[test]
fn the_tool_that_says_who_is_asking_is_told_nothing() {
    let schema = r#"{"required":["user_id"]}"#;
    for name in
        ["whoami", "jira_whoami", "linear_getViewer", "get_me", "API-get-self", "getCurrentUser", "who_am_i", "get-user-details"]
    {
        assert_eq!(graph("s", &[("get_user", "", schema), (name, "", "{}")]).whoami(), Some(1), "{name}");
    }
    for name in ["get_user", "update_me", "list_users", "readme", "get_theme"] {
        assert_eq!(graph("s", &[(name, "", "{}")]).whoami(), None, "{name}");
    }
    assert_eq!(graph("s", &[("get_user_details", "", schema)]).whoami(), None);
}

#[test]
fn what_needs_the_same_id_finds_nothing() {
    let schema = requires("job_id");
    let tools = [("retry_job", "", &*schema), ("list_job_artifacts", "", &schema), ("get_jobs", "", &schema)];
    assert_eq!(needs("ci", &tools), []);
}

#[test]
fn a_description_says_which_tool_comes_first() {
    let confirm = ("confirm_cost", "Asks the user.", "{}");
    for (text, by) in [
        ("Makes a project. Call `confirm_cost` first.", "first"),
        ("Makes a project. The id is returned by confirm_cost.", "returned by"),
        ("Makes a project. Use confirm_cost to get the id.", "to get"),
    ] {
        assert_eq!(needs("db", &[("make_project", text, "{}"), confirm]), one("confirm_cost", by), "{text}");
    }
    for text in
        ["Makes a project; use confirm_cost instead when you only want the price.", "Then call confirm_cost.", "confirm_cost"]
    {
        assert_eq!(needs("db", &[("make_project", text, "{}"), confirm]), [], "{text}");
    }
}

#[test]
fn a_state_needs_what_opens_it_and_an_end_what_began() {
    let navigate = ("browser_navigate", "Go to an address.", &*requires("url"));
    let click = ("browser_shot", "Take a picture of the current page.", "{}");
    assert_eq!(needs("web", &[click, navigate]), one("browser_navigate", "current page"));
    let tools = [("stop_trace", "", "{}"), ("start_trace", "", "{}")];
    assert_eq!(needs("perf", &tools)[0].0, "start_trace");
}

#[test]
fn a_parameter_says_where_its_value_is_from() {
    let schema = r#"{"properties":{"target":{"description":"Element reference from the page snapshot"}},"required":["target"]}"#;
    let tools = [("click", "", schema), ("snapshot", "", "{}")];
    assert_eq!(needs("web", &tools), one("snapshot", "target: from the snapshot"));
}

#[test]
fn the_ways_in_read_ask_for_no_id_and_give_what_others_ask_for() {
    let (project, deal, query, both) =
        (requires("project_id"), requires("deal_id"), requires("query"), requires("deal_id other_deal_id"));
    let tools = [
        ("update_deal", "", &*deal),
        ("get_deal", "", &*deal),
        ("list_webhook_event_types", "", "{}"),
        ("search_deals", "", &*query),
        ("delete_all_deals", "", "{}"),
        ("workspace_overview", "", "{}"),
        ("add_note", "", &*deal),
        ("list_projects", "", "{}"),
        ("close_project", "", &*project),
        ("merge_deals", "", &*both),
    ];
    let graph = graph("crm", &tools);
    let mut ways: Vec<usize> = (0..tools.len()).filter(|at| graph.way_in(*at).is_some()).collect();
    ways.sort_by_key(|at| graph.way_in(*at));
    let names: Vec<&str> = ways.into_iter().map(|at| tools[at].0).collect();
    assert_eq!(names, ["search_deals", "list_projects", "workspace_overview", "list_webhook_event_types"]);
}

#[test]
fn chains_are_followed_and_hubs_are_what_most_tools_need() {
    let (project, job) = (requires("project_id"), requires("project_id job_id"));
    let texts = [
        ("get_job_log", "", &*job),
        ("list_jobs", "", &project),
        ("list_projects", "", "{}"),
        ("retry_job", "", &job),
        ("delete_project", "", &project),
    ];
    let graph = graph("ci", &texts);
    let chain: Vec<usize> = graph.chain(0).into_iter().map(|(_, need)| need.tool).collect();
    assert_eq!(chain.iter().collect::<HashSet<_>>(), HashSet::from([&1, &2]));
    assert_eq!(graph.hubs(), [2]);
}

#[test]
fn an_id_that_may_be_left_out_or_stands_in_a_list_is_looked_up_too() {
    let lists = [("list_tags", "", "{}"), ("list_tag_groups", "", "{}")];
    for schema in [
        r#"{"properties":{"tag_id":{"type":"string"}}}"#,
        r#"{"properties":{"items":{"type":"array","items":{"properties":{"tag_id":{}}}}},"required":["items"]}"#,
        r#"{"properties":{"tag":{"type":"integer"}}}"#,
        r#"{"properties":{"tags":{"type":"array","items":{"type":"number"}}}}"#,
        r#"{"properties":{"tag":{"type":"string","description":"Id of the tag"}}}"#,
    ] {
        let found = needs("notes", &[("file_note", "", schema), lists[0], lists[1]]);
        assert_eq!(found.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["list_tags"], "{schema}");
    }
    for schema in [r#"{"properties":{"tag":{"type":"string"}}}"#, r#"{"properties":{"limit":{"type":"integer"}}}"#] {
        assert_eq!(needs("notes", &[("file_note", "", schema), lists[0], ("list_limits", "", "{}")]), [], "{schema}");
    }
}

#[test]
fn what_a_list_is_of_may_stand_in_its_first_sentence_or_in_a_name_without_a_verb() {
    let schema = requires("list_id email");
    let audiences = ("get_audiences_all", "Lists all audiences (mailing lists). Members are read by others.", "{}");
    assert_eq!(needs("mail", &[("subscribe", "", &*schema), audiences]), one("get_audiences_all", "list_id"));
    let projects = ("projects", "List all projects with their keys.", "{}");
    assert_eq!(needs("code", &[("measure", "", &*requires("project_key")), projects]), one("projects", "project_key"));
}

#[test]
fn an_account_is_looked_up_where_accounts_are_listed_and_the_name_of_what_is_made_is_not() {
    let accounts = ("list_accounts", "", "{}");
    assert_eq!(needs("mail", &[("send_later", "", &*requires("account body")), accounts]), one("list_accounts", "account"));
    let projects = ("list_projects", "", "{}");
    assert_eq!(needs("plan", &[("create_project", "", &*requires("project_name")), projects]), []);
    assert_eq!(needs("plan", &[("archive", "", &*requires("project_name")), projects]), one("list_projects", "project_name"));
}

#[test]
fn what_people_write_themselves_needs_nothing() {
    let schema = requires("title body query");
    assert_eq!(needs("docs", &[("create_page", "", &*schema), ("list_titles", "", "{}"), ("list_pages", "", "{}")]), []);
    assert!(graph("empty", &[]).hubs().is_empty());
}

fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(
        ["list", "get", "start", "stop", "page", "issue", "open", "current", "users", "id", "from", "the"].as_slice(),
    )
}

fn text(most: usize, separator: &'static str) -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 1..most).prop_map(move |words| words.join(separator))
}

proptest! {
    #[test]
    fn any_graph_is_bounded_and_has_no_circle(
        tools in prop::collection::vec((text(4, "_"), text(12, " "), text(3, "_")), 0..40)
    ) {
        // Every tool says that every other one comes first.
        let said: Vec<String> = tools.iter().map(|(name, ..)| format!("call {name} first.")).collect();
        let all = said.join(" ");
        let owned: Vec<(String, String, String)> =
            tools.into_iter().map(|(name, text, parameter)| (name, format!("{text} {all}"), requires(&parameter))).collect();
        let texts: Vec<ToolText<'_>> =
            owned.iter().map(|(name, description, schema)| ToolText { name, description, schema, read_only: false }).collect();
        let graph = Companions::new("server", &texts);
        for tool in 0..texts.len() {
            prop_assert!(graph.of(tool).len() <= MAX_NEEDS);
            // Without its bound, a walk along needs never comes back.
            let mut seen = HashSet::new();
            let mut open: Vec<usize> = graph.of(tool).iter().map(|need| need.tool).collect();
            while let Some(at) = open.pop() {
                prop_assert!(at != tool);
                if seen.insert(at) {
                    open.extend(graph.of(at).iter().map(|need| need.tool));
                }
            }
        }
    }
}
