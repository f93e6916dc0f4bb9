use proptest::prelude::*;

use super::*;

fn parts(text: &str) -> Vec<Part> {
    Part::all(vec![text.to_owned()])
}

fn issues() -> String {
    let issue = |at: usize| {
        let title = if at == 17 { "Segfault when the config file is empty" } else { "Improve the wording of a page" };
        format!("{{\"number\": {at}, \"title\": \"{title}\", \"body\": \"{}\"}}", "Some words about it. ".repeat(20))
    };
    format!("{{\"total\": 60, \"issues\": [{}]}}", (0..60).map(issue).collect::<Vec<_>>().join(","))
}

fn wanted(needs: &[&str], max_tokens: usize) -> Wanted {
    Wanted { needs: needs.iter().map(|need| (*need).to_owned()).collect(), max_tokens, ..Wanted::default() }
}

fn ask(text: &str, wanted: &Wanted) -> Answer {
    read(&parts(text), wanted, "readResult").unwrap()
}

#[test]
fn a_need_gets_what_fits_best_with_its_place() {
    let answer = ask(&issues(), &wanted(&["crash on empty config"], 600));
    assert_eq!(answer.passages[0].place, "$.issues[17]");
    assert!(answer.text.contains("[$.issues[17]]\n{\"number\":17,"));
    assert!(answer.token_count <= 600);
}

#[test]
fn each_of_several_needs_has_its_share() {
    let answer = ask(&issues(), &wanted(&["segfault empty config", "wording of a page"], 800));
    assert!(answer.text.starts_with("need: segfault empty config\n") && answer.text.contains("need: wording of a page\n"));
    assert!(answer.passages.iter().any(|passage| passage.need == 1) && answer.is_cut);
}

#[test]
fn what_stands_beside_a_passage_that_has_some_of_the_words_is_quoted_behind_it() {
    let rows: Vec<String> = (0..40)
        .map(|at| {
            format!(
                "2024-05-01 10:00:{at} INFO {}",
                if at == 20 { "lighthouse is dark" } else { "all is well, as it was all the time" }
            )
        })
        .collect();
    let places = |need: &str| {
        ask(&rows.join("\n"), &wanted(&[need], 400)).passages.iter().map(|passage| passage.place.clone()).collect::<Vec<_>>()
    };
    assert!(places("lighthouse of the quokka, zebra").len() == 3);
    assert_eq!(places("lighthouse dark").len(), 1);
}

#[test]
fn where_nothing_has_the_words_the_answer_says_what_there_is() {
    let answer = ask(&issues(), &wanted(&["zebra"], 600));
    assert!(answer.text.starts_with("Nothing has these words. What there is:\n$ is {total: number, issues: [60 × {"));
    assert!(answer.passages.is_empty());
}

#[test]
fn a_path_gives_values_and_a_range_elements() {
    let at =
        |path: &str, range| ask(&issues(), &Wanted { path: Some(path.to_owned()), range, max_tokens: 300, ..Wanted::default() });
    assert_eq!(at("$.total", None).text, "$.total = 60");
    let titles = at("$.issues[*].number", Some((3, 5)));
    assert_eq!(titles.text, "$.issues[3].number = 3\n$.issues[4].number = 4\n$.issues[5].number = 5");
    let some = at("$.issues", None);
    assert!(some.is_cut && some.text.ends_with("of 60; range \"1-59\" goes on)"), "{}", some.text);
    assert!(at("$.issues[3].body", None).text.starts_with("$.issues[3].body = \"Some words about it."));
    let refused = read(&parts(&issues()), &Wanted { path: Some("$.x".into()), ..Wanted::default() }, "readResult");
    assert!(
        refused.unwrap_err().to_string().starts_with("readResult.path: expected a path into the result, where $ is an object")
    );
}

#[test]
fn a_need_at_a_path_looks_there_alone() {
    let asked = Wanted { path: Some("$.issues[20:30]".into()), ..wanted(&["config page"], 500) };
    let answer = ask(&issues(), &asked);
    assert!(!answer.passages.is_empty() && answer.passages.iter().all(|passage| passage.place.starts_with("$.issues[2")));
}

#[test]
fn a_range_gives_lines_with_their_numbers_and_says_where_to_go_on() {
    let text = (1..=200).map(|at| format!("line number {at} of a text")).collect::<Vec<_>>().join("\n");
    let lines = |first, last| {
        let asked = Wanted { range: Some((first, last)), max_tokens: 200, ..Wanted::default() };
        read(&parts(&text), &asked, "readResult")
    };
    assert_eq!(lines(3, 4).unwrap().text, "3: line number 3 of a text\n4: line number 4 of a text");
    let cut = lines(10, 200).unwrap();
    assert!(cut.is_cut && cut.text.contains("(range \"") && cut.text.ends_with("-200\" goes on)"));
    assert_eq!(lines(300, 400).unwrap_err().to_string(), "readResult.range: expected lines from 1 to 200, got 300-400");
}

#[test]
fn rows_have_their_names_once() {
    let row = |at: usize| format!("{at},customer {at},a note of some words about the row");
    let rows = (0..80).map(row).collect::<Vec<_>>().join("\n");
    let answer = ask(&format!("id,name,note\n{rows}"), &wanted(&["customer 7 and customer 8"], 500));
    assert_eq!(answer.text.matches("id,name,note").count(), 1);
    assert!(answer.text.contains("7,customer 7,"));
}

#[test]
fn a_passage_larger_than_the_answer_is_begun() {
    let answer = ask(&format!("alpha {}", "word ".repeat(100)), &wanted(&["alpha"], 40));
    assert!(answer.is_cut && answer.token_count <= 40 && answer.text.contains("alpha word"));
}

proptest! {
    #[test]
    fn an_answer_never_costs_more_than_asked(
        text in "([a-e #{}\\[\\]\",:0-9]{0,30}\n){0,20}|\\PC{0,100}",
        needs in prop::collection::vec("[a-e ]{0,8}", 0..3),
        max_tokens in 20..300_usize,
        range in proptest::option::of((0..30_usize, 0..30_usize)),
        path in proptest::option::of("[$.\\[\\]*0-9a-c]{0,6}"),
    ) {
        let asked = Wanted { needs, path, range, max_tokens };
        if let Ok(answer) = read(&parts(&text), &asked, "readResult") {
            prop_assert!(answer.token_count <= max_tokens);
        }
    }
}

#[test]
fn lists_within_lists_of_any_depth_are_answered_on_a_small_stack() {
    let ask_deep = || {
        for (open, close) in [("[", "]"), ("{\"a\":[", "]}")] {
            let text = format!("{}{}", open.repeat(100_000), close.repeat(100_000));
            for path in ["$", "$[0]", "$[*]", "$.a", "$.a[0]"] {
                let wanted = Wanted { path: Some(path.to_owned()), max_tokens: 200, ..Wanted::default() };
                let answer = read(&parts(&text), &wanted, "readResult");
                assert!(answer.is_err() || answer.is_ok_and(|answer| answer.token_count <= 200), "{path}");
            }
        }
    };
    std::thread::Builder::new().stack_size(512 * 1024).spawn(ask_deep).unwrap().join().unwrap();
}
