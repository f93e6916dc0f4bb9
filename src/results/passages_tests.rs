use proptest::prelude::*;

use super::*;
use crate::results::part::Part;

fn of(text: &str) -> Passages {
    Passages::of(&Part::all(vec![text.to_owned()]))
}

fn places(passages: &Passages) -> Vec<&str> {
    passages.list.iter().map(|passage| passage.place.as_str()).collect()
}

#[test]
fn records_of_an_array_are_passages_by_their_paths() {
    let records: Vec<String> = (0..30).map(|at| format!("{{\"id\": {at}, \"title\": \"{}\"}}", "word ".repeat(30))).collect();
    let passages = of(&format!("{{\"total\": 30, \"items\": [{}]}}", records.join(", ")));
    assert_eq!(places(&passages)[..3], ["$.total", "$.items[0]", "$.items[1]"]);
    assert_eq!(passages.list.len(), 31);
    let last = passages.list.last().unwrap();
    assert!(passages.text_of(last).starts_with("{\"id\": 29"));
    assert!(passages.text_of(&passages.list[0]).ends_with("30"));
}

#[test]
fn small_neighbours_are_one_passage_and_a_slice_says_which() {
    let numbers: Vec<String> = (0..400).map(|number| number.to_string()).collect();
    let passages = of(&format!("[{}]", numbers.join(", ")));
    assert!(passages.list.len() < 8);
    assert!(passages.list[0].place.starts_with("$[0:"));
}

#[test]
fn a_large_record_is_cut_and_says_whose_its_parts_are() {
    let body = (0..60).map(|at| format!("Sentence number {at} of the body.")).collect::<Vec<_>>().join("\\n");
    let passages = of(&format!("[{{\"number\": 7, \"title\": \"Crash\", \"body\": \"{body}\"}}]"));
    let within = passages.list.iter().find(|passage| passage.place.starts_with("$[0].body, lines 1-")).unwrap();
    assert_eq!(passages.context_of(within), "{\"number\": 7,\"title\": \"Crash\"}".replace(": ", ":"));
    assert!(passages.text_of(within).starts_with("Sentence number 0 of the body.\nSentence"));
}

#[test]
fn paragraphs_stand_under_their_headings() {
    let text = format!("# Guide\n\n{0}\n\n## Install\n\n{0}\n\n```\n# no heading\n```\n", "Some words of it. ".repeat(20));
    let passages = of(&text);
    let contexts: Vec<&str> = passages.list.iter().map(|passage| passages.context_of(passage)).collect();
    assert_eq!((contexts[0], *contexts.last().unwrap()), ("Guide", "Guide > Install"));
}

#[test]
fn hunks_stand_under_their_files_and_rows_under_their_names() {
    let hunk = |at: usize| format!("@@ -{at},9 +{at},9 @@\n{}", "+a line that was added\n".repeat(10));
    let passages = of(&format!("diff --git a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n{}{}", hunk(1), hunk(50)));
    let last = passages.list.last().unwrap();
    assert_eq!((passages.context_of(last), last.place.as_str()), ("x.rs", "lines 15-25"));
    let rows: Vec<String> = (0..50).map(|at| format!("{at},some name of a row,a second cell that is long enough")).collect();
    let passages = of(&format!("id,name,note\n{}\n", rows.join("\n")));
    assert_eq!(passages.list.len(), 50);
    assert!(passages.list.iter().all(|passage| passages.context_of(passage) == "id,name,note"));
}

#[test]
fn a_record_of_a_log_has_its_lines() {
    let record = "2024-05-01 10:00:00 ERROR failed to connect to the database of the shop, giving up now\n  cause: refused\n";
    let passages = of(&record.repeat(20));
    assert_eq!(passages.list.len(), 20);
    assert_eq!(passages.list[3].place, "lines 7-8");
}

#[test]
fn a_line_that_is_too_long_is_cut_between_words() {
    let passages = of(&"word ".repeat(1_000));
    assert!(passages.list.iter().all(|passage| passage.range.len() <= MOST && passages.text_of(passage).starts_with("word")));
    assert_eq!(passages.list[1].place, "line 1, part 2");
}

/// A value within so many arrays or objects.
fn nested(levels: usize, is_object: bool, inside: &str) -> String {
    let (open, close) = if is_object { ("{\"a\":", "}") } else { ("[", "]") };
    format!("{}{inside}{}", open.repeat(levels), close.repeat(levels))
}

#[test]
fn json_of_any_depth_is_cut_on_a_small_stack() {
    let cut = || {
        for levels in [100, 4_000, 200_000] {
            for is_object in [false, true] {
                let passages = of(&nested(levels, is_object, "\"needle\""));
                assert!(passages.list.iter().any(|passage| passages.text_of(passage).contains("needle")), "{levels}");
            }
        }
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(cut).unwrap().join().unwrap();
}

/// Texts in which every kind begins and few of them end well.
fn odd() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{\"a\":[".to_owned()),
        Just("]},".to_owned()),
        Just("\"\\u00e9\\n\",".to_owned()),
        Just("diff --git a/x b/x\n@@ -1 +1 @@\n".to_owned()),
        Just("2024-05-01 10:00 ERROR x\n".to_owned()),
        Just("# h\n\n".to_owned()),
        Just("a,b,c\n".to_owned()),
        Just("    at f (x:1)\n".to_owned()),
        Just("\n\n\r\n".to_owned()),
        Just("é😀 ".repeat(300)),
        "\\PC{0,30}",
    ];
    prop::collection::vec((piece, 1..6_usize), 0..12)
        .prop_map(|pieces| pieces.into_iter().map(|(piece, times)| piece.repeat(times)).collect())
}

fn check(passages: &Passages) -> std::result::Result<(), TestCaseError> {
    for passage in &passages.list {
        prop_assert!(passages.texts[passage.text].get(passage.range.clone()).is_some(), "{:?}", passage);
        prop_assert!(passage.range.len() <= 2 * MOST && !passage.place.is_empty());
    }
    Ok(())
}

proptest! {
    #[test]
    fn passages_are_bounded_at_any_depth_and_width(
        levels in 0..400_usize,
        is_object in any::<bool>(),
        width in 0..300_usize,
        deeper in 0..400_usize,
    ) {
        let inside = format!("[{}]", vec![nested(deeper, !is_object, "1"); 1 + width / (1 + deeper)].join(","));
        check(&of(&nested(levels, is_object, &inside)))?;
    }

    #[test]
    fn passages_are_bounded_pieces_of_their_texts(text in odd()) {
        check(&of(&text))?;
    }

    #[test]
    fn every_word_of_a_text_is_in_a_passage(words in prop::collection::vec("[a-z]{1,9}", 1..400), width in 1..40_usize) {
        let text: Vec<String> = words.chunks(width).map(|chunk| chunk.join(" ")).collect();
        let passages = of(&text.join("\n"));
        let found: Vec<&str> =
            passages.list.iter().flat_map(|passage| passages.text_of(passage).split_whitespace()).collect();
        prop_assert_eq!(found, words);
    }

    #[test]
    fn every_number_of_an_array_is_in_a_passage(numbers in prop::collection::vec(0..10_000_u32, 1..400)) {
        let text = serde_json::to_string(&serde_json::json!({ "list": numbers, "a": "x".repeat(900) })).unwrap();
        let passages = of(&text);
        let list = passages.list.iter().filter(|passage| passage.place.starts_with("$.list"));
        let digits = |text: &str| text.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect::<Vec<u32>>();
        let found: Vec<u32> = list.flat_map(|passage| digits(passages.text_of(passage).trim_start_matches("\"list\": "))).collect();
        prop_assert_eq!(found, numbers);
    }
}
