//! Names of tools, and the way back.

use super::*;

#[test]
fn a_tool_has_its_own_name_or_one_with_suffixes_of_its_own() {
    let base = provider_name("files", "read_file");
    let once = with_suffix(&base, "files", "read_file", SUFFIX_DIGITS);
    let twice = with_suffix(&once, "files", "read_file", 2 * SUFFIX_DIGITS);
    for name in [&base, &once, &twice] {
        assert!(is_name_of(name, "files", "read_file"), "{name}");
        assert!(!is_name_of(name, "files", "wipe"), "{name}");
    }
    assert!(!is_name_of("mcp_load", "files", "mcp_load"));
}

macro_rules! provider_names {
    ($($rule:ident: $server:expr, $tool:expr => $name:expr;)*) => {
        $(#[test] fn $rule() { assert_eq!(provider_name($server, $tool), $name); })*
    };
}

provider_names! {
    plain_names_are_joined: "github", "create_issue" => "mcp--github--create_issue";
    white_space_runs_become_one_underscore: "my  server", "a \t b" => "mcp--my_server--a_b";
    other_characters_are_dropped: "a.b/c", "PDF&URLTool" => "mcp--abc--PDFURLTool";
    runs_of_hyphens_are_folded: "a---b", "c--d" => "mcp--a-b--c-d";
    a_leading_digit_gets_an_underscore: "3d", "2fa" => "mcp--_3d--_2fa";
    a_leading_hyphen_gets_an_underscore: "-x", "y" => "mcp--_-x--y";
    other_scripts_are_written_in_latin_letters: "日本", "élan_читать" => "mcp--RiBen--elan_chitat";
    an_empty_result_is_unnamed: "🔥", "!" => "mcp--_unnamed--_unnamed";
    a_long_name_is_cut_at_64: "s", &"t".repeat(80) => format!("mcp--s--{}", "t".repeat(56));
}

/// Names given to tools, as `server` and `tool`.
fn given(tools: &[(&str, &str)]) -> (Names, Vec<String>) {
    let bases: Vec<String> = tools.iter().map(|(server, tool)| provider_name(server, tool)).collect();
    let wanted: Vec<Wanted<'_>> =
        tools.iter().zip(&bases).map(|(&(server_name, tool_name), base)| Wanted { base, server_name, tool_name }).collect();
    Names::assign_all(&wanted)
}

#[test]
fn of_tools_of_one_server_that_are_one_to_a_model_each_has_a_suffix_whatever_their_order() {
    let (long, longer) = ("t".repeat(80), "t".repeat(80) + "x");
    for (one, other) in [(long.as_str(), longer.as_str()), ("user.get", "user:get"), ("drop table", "drop_table"), ("a-b", "a_b")]
    {
        let base = provider_name("s", one);
        let (names, there) = given(&[("s", one), ("s", other)]);
        let (_, back) = given(&[("s", other), ("s", one)]);
        assert_eq!((&there[0], &there[1]), (&back[1], &back[0]));
        assert!(there.iter().all(|name| name.len() <= MAX_PROVIDER_NAME && *name != base));
        assert_eq!((names.resolve(&there[0]), names.resolve(&there[1]), names.resolve(&base)), (Some(0), Some(1), None));
        let is_clean = safe_part(one) == one;
        assert_eq!(given(&[("s", one)]).1[0] == base, is_clean, "alone it needs none, if it is clean");
    }
}

#[test]
fn a_name_that_needed_cleaning_is_its_own_whoever_connects() {
    for (own, other) in [("foo/bar", "foobar"), ("Git Hub", "Git_Hub"), ("a--b", "a-b"), ("3d", "_3d"), ("日本", "RiBen")] {
        let alone = given(&[(own, "find")]).1;
        let beside = given(&[(other, "find"), (own, "find")]).1;
        assert_eq!(beside, [provider_name(other, "find"), alone[0].clone()], "{own}");
        assert!(is_name_of(&alone[0], own, "find"));
    }
}

#[test]
fn a_name_of_another_script_is_its_own_whoever_connects() {
    let (names, alone) = given(&[("g\u{456}thub", "读取文件")]);
    assert!(alone[0].starts_with("mcp--github--DuQuWenJian_"), "{alone:?}");
    assert_eq!((names.resolve(&alone[0]), names.resolve("mcp--github--DuQuWenJian")), (Some(0), None));
    let (_, beside) = given(&[("github", "DuQuWenJian"), ("g\u{456}thub", "读取文件")]);
    assert_eq!((beside[0].as_str(), &beside[1]), ("mcp--github--DuQuWenJian", &alone[0]));
    assert!(is_name_of(&alone[0], "g\u{456}thub", "读取文件"));
    assert_eq!(Names::default().assign(&alone[0], "g\u{456}thub", "读取文件", 0), alone[0], "once is enough");
}

#[test]
fn a_hyphen_that_a_model_turned_to_an_underscore_still_resolves() {
    let (names, given) = given(&[("a-b", "c")]);
    assert_eq!(names.resolve(&given[0].replace('-', "_")), Some(0));
}

#[test]
fn names_that_differ_only_by_hyphen_and_underscore_are_told_apart() {
    let (_, given) = given(&[("s", "a-b"), ("s", "a_b")]);
    assert_ne!(underscored(&given[0]), underscored(&given[1]));
}

#[test]
fn a_server_named_as_its_own_safe_form_keeps_its_names_whoever_else_connects() {
    for other in ["git.hub", "g.ithub", "!github", "(github)", "git\u{200b}hub"] {
        for order in [["github", other], [other, "github"]] {
            let (names, given) = given(&[(order[0], "create_issue"), (order[1], "create_issue"), (order[1], "other")]);
            let own = order.iter().position(|name| *name == "github").unwrap();
            assert_eq!(given[own], "mcp--github--create_issue", "{other}");
            assert_eq!(names.resolve("mcp__github__create_issue"), Some(own), "{other}");
            assert!(own == 1 || given[2] != "mcp--github--other", "{other} is told apart by all of its tools");
        }
    }
}

#[test]
fn servers_that_differ_by_hyphen_and_underscore_are_all_suffixed() {
    for servers in [["git-hub", "git_hub"], ["git hub", "git. hub"], ["a__b", "a_-b"]] {
        let (names, given) = given(&[(servers[0], "x"), (servers[1], "x")]);
        for (server, name) in servers.into_iter().zip(&given) {
            assert_eq!(*name, with_suffix(&provider_name(server, "x"), server, "x", SUFFIX_DIGITS));
        }
        assert_eq!(names.resolve(&provider_name(servers[0], "x")), None, "an ambiguous name is nobody's");
    }
}

#[test]
fn a_tool_cannot_take_the_name_of_another_servers_tool() {
    let (names, given) = given(&[("a", "b__c"), ("a__b", "c")]);
    assert_ne!(given[0], given[1]);
    assert_eq!(names.resolve("mcp--a--b__c"), None);
    assert_eq!(shadowed(["github", "git.hub", "x"].into_iter()), [("git.hub", "github")]);
}

#[test]
fn near_names_are_those_of_a_plain_comparison() {
    let words = ["create", "issue", "issues", "list", "lst", "pull", "request", "requests", "élan", "x"];
    let names: Vec<String> = words.iter().flat_map(|a| words.iter().map(move |b| format!("{a}_{b}"))).collect();
    for wanted in names.iter().map(|name| name.replacen('e', "", 1)).chain([String::new(), "ÉLAN-x".into(), "tsil_llup".into()])
    {
        let folded = underscored(&wanted.to_lowercase());
        let mut plain: Vec<(f64, &str)> = names
            .iter()
            .map(|name| (strsim::normalized_damerau_levenshtein(&folded, name), name.as_str()))
            .filter(|(likeness, _)| *likeness >= LEAST_LIKENESS)
            .collect();
        plain.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        let plain: Vec<&str> = plain.into_iter().map(|(_, name)| name).take(5).collect();
        assert_eq!(near(&wanted, names.iter().map(String::as_str), 5), plain, "{wanted}");
    }
}

#[test]
fn a_name_that_reads_as_a_function_of_ours_without_its_prefix_gets_a_suffix() {
    for (server, tool) in [("mcp", "load"), ("mc", "P-load"), ("mcp", "call"), ("report", "missing_capability")] {
        let base = provider_name(server, tool);
        let (names, given) = Names::assign_all(&[Wanted { base: &base, server_name: server, tool_name: tool }]);
        assert!(given[0].starts_with(&base) && given[0] != base, "{given:?}");
        assert_eq!((names.resolve(&base), names.resolve(&given[0])), (None, Some(0)));
    }
    let base = provider_name("files", "load");
    assert_eq!(Names::default().assign(&base, "files", "load", 0), base);
}

#[test]
fn a_name_longer_than_any_is_near_nothing() {
    let long = "x_".repeat(100_000);
    assert!(near(&long, [long.as_str(), "x_"].into_iter(), 3).is_empty());
}

#[test]
fn near_names_are_misspellings_best_first() {
    let names = ["create_issue", "create_issues", "delete_repo"];
    assert_eq!(near("creat_issue", names.into_iter(), 3), ["create_issue", "create_issues"]);
}
