//! What a result is, in a few lines: its kind and size, and what a look at its beginning shows.

use std::collections::BTreeMap;

use super::budget::Budget;
use super::json::{Members, Type, compact};
use super::json_passages::step;
use super::kind::{Kind, begins_record, heading, level};
use super::lines::{Line, lines};
use super::outline::outline;
use super::part::Part;

/// How much of an outline is shown, and of a line.
const OUTLINE_BYTES: usize = 1_200;
const LINE_BYTES: usize = 240;
/// A first element is shown in so many bytes.
const ELEMENT_BYTES: usize = 600;
/// Headings, or files, that are listed.
const LISTED: usize = 40;

/// What the parts of a result are.
pub fn kinds(parts: &[Part]) -> String {
    let of = |part: &Part| {
        let lines = super::lines::count(&part.text);
        format!("{} ({} bytes, {lines} line{})", part.kind.name(), part.text.len(), if lines == 1 { "" } else { "s" })
    };
    parts.iter().take(8).map(of).collect::<Vec<_>>().join("; ")
}

/// A look at the parts, within a budget. The first lines say most.
pub fn look(parts: &[Part], budget: &mut Budget) -> String {
    let mut made = String::new();
    for part in parts {
        let shown = match part.kind {
            Kind::Json => of_json(part),
            Kind::Log => of_log(part),
            Kind::Diff => of_diff(part),
            Kind::Page => of_page(part),
            Kind::Table(_) | Kind::JsonLines => ends(part, 6, 1),
            Kind::Trace => ends(part, 8, 4),
            Kind::Text => ends(part, 8, 3),
        };
        for line in shown {
            if !budget.take(&line) {
                return made;
            }
            made.push_str(&line);
            made.push('\n');
        }
    }
    made
}

fn cut(text: &str) -> String {
    let end = text.floor_char_boundary(LINE_BYTES);
    format!("{}{}", &text[..end], if end < text.len() { "…" } else { "" })
}

fn numbered(part: &Part, line: &Line<'_>) -> String {
    format!("{}: {}", line.number + part.first_line - 1, cut(line.text))
}

fn of_json(part: &Part) -> Vec<String> {
    let (text, root) = (part.text.as_ref(), part.value());
    let mut shown = vec![format!("$ is {}", outline(text, &root, OUTLINE_BYTES))];
    // The largest array within three steps has what was asked for.
    let (mut path, mut value) = ("$".to_owned(), root);
    for _ in 0..3 {
        if Type::of(text, &value) == Type::Array {
            break;
        }
        let members = Members::of(text, &value).enumerate();
        let Some((index, largest)) = members.max_by_key(|(index, member)| (member.value.len(), usize::MAX - index)) else {
            break;
        };
        path = step(text, &path, &largest, index);
        value = largest.value;
    }
    if Type::of(text, &value) == Type::Array {
        for (index, member) in Members::of(text, &value).take(2).enumerate() {
            let element = compact(text.get(member.value.clone()).unwrap_or(""), ELEMENT_BYTES);
            let mark = if element.len() >= ELEMENT_BYTES { "…" } else { "" };
            shown.push(format!("{} = {element}{mark}", step(text, &path, &member, index)));
        }
    }
    shown
}

fn of_log(part: &Part) -> Vec<String> {
    let mut levels: BTreeMap<&str, usize> = BTreeMap::new();
    let mut first_error = None;
    let mut records = 0;
    for line in lines(&part.text).filter(|line| begins_record(line.text)) {
        records += 1;
        if let Some(level) = level(line.text) {
            *levels.entry(level).or_default() += 1;
            if first_error.is_none() && matches!(level, "error" | "fatal") {
                first_error = Some(numbered(part, &line));
            }
        }
    }
    let levels: Vec<String> = levels.iter().map(|(level, count)| format!("{level} {count}")).collect();
    let mut shown = vec![format!("{records} records; {}", levels.join(", ")).trim_end_matches("; ").to_owned()];
    shown.extend(first_error.map(|line| format!("first error at {line}")));
    shown.extend(ends(part, 3, 5));
    shown
}

fn of_diff(part: &Part) -> Vec<String> {
    let mut files: Vec<(String, usize, usize)> = Vec::new();
    for line in lines(&part.text) {
        if let Some(file) = line.text.strip_prefix("diff --git ") {
            files.push((file.rsplit_once(" b/").map_or(file, |(_, file)| file).to_owned(), 0, 0));
        } else if let Some((_, added, removed)) = files.last_mut() {
            *added += usize::from(line.text.starts_with('+') && !line.text.starts_with("+++"));
            *removed += usize::from(line.text.starts_with('-') && !line.text.starts_with("---"));
        }
    }
    let mut shown = vec![format!("{} files changed", files.len())];
    shown.extend(files.iter().take(LISTED).map(|(file, added, removed)| cut(&format!("{file} +{added} -{removed}"))));
    shown.extend(ends(part, 3, 0));
    shown
}

fn of_page(part: &Part) -> Vec<String> {
    let mut is_code = false;
    let mut found = 0;
    let mut shown = Vec::new();
    for line in lines(&part.text) {
        is_code ^= line.text.trim_start().starts_with("```");
        if is_code || heading(line.text).is_none() {
            continue;
        }
        found += 1;
        if shown.len() < LISTED {
            shown.push(numbered(part, &line));
        }
    }
    if found > shown.len() {
        shown.push(format!("… {} further headings", found - shown.len()));
    }
    if shown.is_empty() { ends(part, 8, 0) } else { shown }
}

/// The first and the last lines that say something.
fn ends(part: &Part, first: usize, last: usize) -> Vec<String> {
    let says = |line: &Line<'_>| !line.text.trim().is_empty();
    let mut shown: Vec<String> = lines(&part.text).filter(says).take(first).map(|line| numbered(part, &line)).collect();
    let mut latest = std::collections::VecDeque::new();
    for line in lines(&part.text).filter(says).skip(first) {
        latest.push_back(line);
        if latest.len() > last {
            latest.pop_front();
        }
    }
    if !latest.is_empty() {
        shown.push("…".to_owned());
        shown.extend(latest.iter().map(|line| numbered(part, line)));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        look(&Part::all(vec![text.to_owned()]), &mut Budget::new(400))
    }

    #[test]
    fn each_kind_shows_what_says_most_about_it() {
        let items: Vec<String> = (0..50).map(|at| format!("{{\"id\": {at}}}")).collect();
        let json = shown(&format!("{{\"meta\": {{}}, \"items\": [{}]}}", items.join(",")));
        assert_eq!(json, "$ is {meta: {}, items: [50 × {id: number}]}\n$.items[0] = {\"id\":0}\n$.items[1] = {\"id\":1}\n");
        let log = shown(&format!("{}2024-05-01 10:00 ERROR no\n", "2024-05-01 10:00 INFO ok\n".repeat(20)));
        assert!(log.starts_with("21 records; error 1, info 20\nfirst error at 21: 2024-05-01 10:00 ERROR no\n1: "));
        let diff = shown("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n");
        assert!(diff.starts_with("1 files changed\nx +2 -1\n"));
        assert_eq!(shown("# A\n\ntext\n\n## B\n"), "1: # A\n5: ## B\n");
        assert_eq!(shown(&"a line of text\n".repeat(40)).lines().last(), Some("40: a line of text"));
    }

    proptest::proptest! {
        #[test]
        fn a_look_stays_within_its_budget(text in "[a#{}\\[\\]\",:0-9 \n]{0,200}|\\PC{0,60}", most in 0..200_usize) {
            let shown = look(&Part::all(vec![text.clone()]), &mut Budget::new(most));
            proptest::prop_assert!(crate::text::tokens::count(&shown) <= most, "{}", shown);
        }
    }
}
