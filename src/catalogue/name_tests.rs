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

/// Names given to tools, as `server` and `tool`.
fn given(tools: &[(&str, &str)]) -> (Names, Vec<String>) {
    let bases: Vec<String> = tools.iter().map(|(server, tool)| provider_name(server, tool)).collect();
    let wanted: Vec<Wanted<'_>> =
        tools.iter().zip(&bases).map(|(&(server_name, tool_name), base)| Wanted { base, server_name, tool_name }).collect();
    Names::assign_all(&wanted)
}

#[test]
fn a_name_that_needed_cleaning_is_its_own_whoever_connects() {
    for (own, other) in
        [("foo/bar", "foobar"), ("Git Hub", "Git_Hub"), ("a--b", "a-b"), ("3d", "_3d"), ("g\u{456}thub", "github")]
    {
        let alone = given(&[(own, "find")]).1;
        let beside = given(&[(other, "find"), (own, "find")]).1;
        assert_eq!(beside, [provider_name(other, "find"), alone[0].clone()], "{own}");
        assert!(is_name_of(&alone[0], own, "find"));
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
