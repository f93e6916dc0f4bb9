use proptest::prelude::*;

use super::*;

fn issues() -> String {
    let issue = |at: usize| {
        let title = if at == 17 { "Segfault when the config file is empty" } else { "Improve the wording of a page" };
        format!("{{\"number\": {at}, \"title\": \"{title}\", \"body\": \"{}\"}}", "Some words about it. ".repeat(20))
    };
    format!("{{\"total\": 60, \"issues\": [{}]}}", (0..60).map(issue).collect::<Vec<_>>().join(","))
}

fn ask(text: &str, asked: Asked, max_tokens: usize) -> Answer {
    read(text, &Wanted { asked, max_tokens }, "readResult").unwrap()
}

fn need(text: &str, need: &str, max_tokens: usize) -> Answer {
    ask(text, Asked::Need(need.into()), max_tokens)
}

#[test]
fn what_stands_beside_a_passage_that_has_some_of_the_words_is_quoted_behind_it() {
    let row = |at: usize| {
        let said = if at == 20 { "lighthouse is dark" } else { "all is well" };
        format!("2024-05-01 10:00:{at} INFO {said}, {}", "as it was all the time ".repeat(4))
    };
    let rows = (0..40).map(row).collect::<Vec<_>>().join("\n");
    let places = |asked: &str| need(&rows, asked, 400).passages.len();
    assert_eq!((places("lighthouse of the quokka, zebra"), places("lighthouse dark")), (3, 1));
}

#[test]
fn where_nothing_has_the_words_the_answer_shows_the_beginning() {
    let answer = need(&issues(), "zebra", 600);
    assert!(answer.text.starts_with("Nothing has these words. It has 60 lines, and begins:\n{\"total\": 60,"), "{}", answer.text);
    assert!(answer.passages.is_empty());
}

#[test]
fn a_passage_larger_than_the_answer_is_begun() {
    let answer = need(&format!("alpha {}", "word ".repeat(100)), "alpha", 40);
    assert!(answer.is_cut && answer.token_count <= 40 && answer.text.contains("alpha word"));
}

fn asked() -> impl Strategy<Value = Asked> {
    prop_oneof![
        Just(Asked::Beginning),
        "[a-e ]{0,8}".prop_map(Asked::Need),
        "[$.\\[\\]*0-9a-c]{0,6}".prop_map(Asked::Path),
        (0..30_usize, 0..30_usize).prop_map(|(first, last)| Asked::Range(first, last)),
    ]
}

proptest! {
    #[test]
    fn an_answer_never_costs_more_than_asked(
        text in "([a-e #{}\\[\\]\",:0-9]{0,30}\n){0,20}|\\PC{0,100}",
        asked in asked(),
        max_tokens in 20..300_usize,
    ) {
        if let Ok(answer) = read(&text, &Wanted { asked, max_tokens }, "readResult") {
            prop_assert!(answer.token_count <= max_tokens);
        }
    }
}
