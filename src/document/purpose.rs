//! What a tool is for, by the words of its name: reads files, opens addresses, posts messages.
//!
//! A request that holds a path implies tools that read files, whichever server has them, so the words decide and no name of
//! a server does. A tool that must also be told a project, a website or a store fits less: its files are not those here.

use std::collections::HashSet;

use once_cell::sync::Lazy;

use crate::text::language;
use crate::text::terms::stem;

/// Words of required parameters that say that what a tool works on lies elsewhere.
const ELSEWHERE: [&str; 12] =
    ["project", "repo", "repository", "owner", "website", "domain", "username", "store", "order", "machine", "account", "site"];
/// Words of names that narrow nothing.
const GENERIC: [&str; 14] =
    ["browser", "page", "take", "text", "multiple", "web", "api", "mcp", "tool", "by", "id", "a", "the", "of"];

/// A purpose, by its place in `NAMES`.
pub type Purpose = u8;

/// How well a tool serves a purpose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Serves {
    /// The purpose.
    pub purpose: Purpose,
    /// The purpose that another tool of the server must serve.
    pub beside: Option<Purpose>,
    /// How well, from 0 to 1.
    pub fit: f64,
}

struct Line {
    purpose: Purpose,
    beside: Option<Purpose>,
    /// Whether such things always lie elsewhere.
    hosted: bool,
    words: Vec<Vec<String>>,
}

/// The purposes of `data/purposes.txt`, in the order of their first lines.
static NAMES: Lazy<Vec<&'static str>> = Lazy::new(|| {
    let mut names = Vec::new();
    for (name, _) in lines() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
});

static LINES: Lazy<Vec<Line>> = Lazy::new(|| {
    let line = |(name, text): (&str, &'static str)| {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        let hosted = words.first() == Some(&"hosted");
        words.drain(..usize::from(hosted));
        let beside = (words.first() == Some(&"beside")).then(|| words.drain(..2).next_back()).flatten().and_then(purpose);
        let all = |word: &'static str| language::in_names(word).chain([word]).map(stem);
        let words = words.into_iter().map(|any| any.split('/').flat_map(all).collect()).collect();
        Some(Line { purpose: purpose(name)?, beside, hosted, words })
    };
    lines().filter_map(line).collect()
});

fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("data/purposes.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(": "))
}

/// The purpose of a name, if there is one.
pub fn purpose(name: &str) -> Option<Purpose> {
    NAMES.iter().position(|known| *known == name).and_then(|at| u8::try_from(at).ok())
}

/// The purposes that a tool serves, each once. `words` are those of its name, without its server's; `required` its required
/// parameters, split into words.
pub fn served(words: &[&str], required: &[Vec<String>]) -> Vec<Serves> {
    let stems: HashSet<String> = words.iter().map(|word| stem(word)).collect();
    if stems.is_empty() {
        return Vec::new();
    }
    let narrowing = words.iter().filter(|word| !GENERIC.contains(word)).count();
    let elsewhere = required.iter().filter(|words| words.iter().any(|word| ELSEWHERE.contains(&word.as_str()))).count();
    let mut served: Vec<Serves> = Vec::new();
    for line in LINES.iter().filter(|line| line.words.iter().all(|any| any.iter().any(|word| stems.contains(word)))) {
        let elsewhere = if line.hosted { 0 } else { elsewhere };
        #[expect(clippy::cast_precision_loss, reason = "words and parameters are few")]
        let fit = (line.words.len() as f64 / narrowing.max(line.words.len()) as f64).sqrt() / (1 + elsewhere) as f64;
        match served.iter_mut().find(|known| known.purpose == line.purpose) {
            Some(known) => known.fit = known.fit.max(fit),
            None => served.push(Serves { purpose: line.purpose, beside: line.beside, fit }),
        }
    }
    served
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(name: &str, words: &[&str], required: &[&str]) -> f64 {
        let required: Vec<Vec<String>> = required.iter().map(|word| vec![(*word).to_owned()]).collect();
        let wanted = purpose(name).unwrap();
        served(words, &required).into_iter().find(|served| served.purpose == wanted).map_or(0.0, |served| served.fit)
    }

    #[test]
    fn a_tool_serves_what_its_words_say_and_less_where_its_things_lie_elsewhere() {
        assert!((fit("read-file", &["read", "file"], &["path"]) - 1.0).abs() < 1e-9);
        assert!(fit("read-file", &["get", "file", "contents"], &["owner", "repo", "path"]) < 0.4);
        assert!(fit("edit-file", &["edit", "file"], &["path"]) > fit("edit-file", &["edit", "file", "labels"], &["path"]));
        assert!(fit("read-file", &["list", "issues"], &[]).abs() < 1e-9);
        assert!((fit("get-merge-request", &["get", "merge", "request"], &["project", "iid"]) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn every_line_has_a_purpose_and_what_stands_beside_it() {
        assert!(LINES.len() > 20 && LINES.iter().all(|line| !line.words.is_empty()));
        assert!(LINES.iter().any(|line| line.beside == purpose("navigate")));
    }
}
