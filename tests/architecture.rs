//! The shape of `src`: which folder may name which. Data flows one way, so no circle can form.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Every folder, or file of its own, with those that it may name. `DESIGN.md` shows the same arrow.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("fault", &[]),
    ("degraded", &[]),
    ("text", &["fault"]),
    ("regular_file", &[]),
    ("config_file", &["error", "regular_file"]),
    ("settings", &["error"]),
    ("companions", &["text"]),
    ("modules", &["companions", "text"]),
    ("document", &["companions", "error", "fault", "text"]),
    ("embedding", &["degraded", "error", "fault", "regular_file", "text"]),
    ("query", &["document", "fault", "text"]),
    ("schema", &["settings"]),
    ("catalogue", &["companions", "document", "error", "fault", "modules", "schema", "settings", "text"]),
    ("ranking", &["degraded", "document", "embedding", "fault", "query", "settings", "text"]),
    ("curation", &["catalogue", "config_file", "document", "error", "fault", "query", "ranking", "regular_file", "settings"]),
    ("index", &["catalogue", "document", "embedding", "fault", "query", "ranking", "text"]),
    ("report", &["degraded", "fault", "settings"]),
    ("delivery", &["catalogue", "document", "error", "settings", "text"]),
    (
        "session",
        &[
            "catalogue",
            "companions",
            "degraded",
            "delivery",
            "document",
            "error",
            "fault",
            "index",
            "modules",
            "query",
            "ranking",
            "report",
            "settings",
            "text",
        ],
    ),
    (
        "router",
        &[
            "catalogue",
            "config_file",
            "curation",
            "degraded",
            "document",
            "embedding",
            "error",
            "index",
            "query",
            "ranking",
            "report",
            "session",
            "settings",
            "text",
        ],
    ),
    (
        "binding",
        &[
            "catalogue",
            "curation",
            "degraded",
            "delivery",
            "document",
            "embedding",
            "error",
            "query",
            "ranking",
            "report",
            "router",
            "session",
            "settings",
            "text",
        ],
    ),
];

/// Longer files have two themes, or tests that deserve a file.
const MOST_LINES: usize = 400;

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The modules of a file, from the root: `["ranking", "servers"]` of `src/ranking/servers.rs`.
fn module(file: &Path) -> Vec<String> {
    let inside = file.strip_prefix(source()).unwrap().with_extension("");
    let mut names: Vec<String> = inside.iter().map(|name| name.to_str().unwrap().to_owned()).collect();
    if names.last().is_some_and(|name| name == "mod") {
        names.pop();
    }
    names
}

/// The text without comments, documentation and literals: paths there name nothing.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(raw) = raw_string(rest) {
            raw
        } else if c == '"' {
            string(rest)
        } else if c == '\'' {
            character(rest)
        } else {
            0
        };
        if skipped > 0 {
            code.push(' ');
            rest = &rest[skipped..];
        } else {
            code.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    code
}

fn raw_string(text: &str) -> Option<usize> {
    let hashes = text.strip_prefix('r')?;
    let count = hashes.len() - hashes.trim_start_matches('#').len();
    let body = hashes[count..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(count));
    Some(1 + count + 1 + body.find(&end)? + end.len())
}

fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// A character in quotes; 0 for a lifetime.
fn character(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), _) => text[2..].find('\'').map_or(0, |end| end + 3),
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 0,
    }
}

/// Every path that begins at `crate`, `self` or `super`, as modules from the root; groups are opened.
fn paths(code: &str, of: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    // `use crate as core;` in the binding.
    for head in ["crate::", "self::", "super::", "core::"] {
        for (at, _) in code.match_indices(head) {
            let before = code[..at].chars().next_back().unwrap_or(' ');
            if before.is_alphanumeric() || matches!(before, '_' | ':') || (head == "core::" && of[0] != "binding") {
                continue;
            }
            let mut base: Vec<String> = match head {
                "crate::" | "core::" => Vec::new(),
                "self::" => of.to_vec(),
                _ => of[..of.len() - 1].to_vec(),
            };
            let mut rest = &code[at + head.len()..];
            while let Some(further) = rest.strip_prefix("super::") {
                base.pop();
                rest = further;
            }
            let segment: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if segment.is_empty() && rest.starts_with('*') {
                continue; // `use super::*` of a module of tests is of its own file
            }
            if segment.is_empty() && rest.starts_with('{') {
                let group = &rest[1..rest.find('}').unwrap_or(rest.len())];
                for name in group.split(',').map(|name| name.trim().split("::").next().unwrap_or("")) {
                    found.push(base.iter().cloned().chain([name.to_owned()]).collect());
                }
            } else {
                found.push(base.into_iter().chain([segment]).collect());
            }
        }
    }
    // In a `mod.rs`, a path may begin at a file beside it.
    for (at, _) in code.match_indices("use ") {
        let segment: String = code[at + 4..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let beside = source().join(of.join("/")).join(format!("{segment}.rs"));
        if beside.is_file() {
            found.push(of.iter().cloned().chain([segment]).collect());
        }
    }
    found
}

#[test]
fn folders_name_only_what_stands_before_them() {
    let allowed: BTreeMap<&str, &[&str]> = MAY_NAME.iter().copied().collect();
    let mut named: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files(&source()) {
        let of = module(&file);
        if of == ["lib"] {
            continue;
        }
        assert!(allowed.contains_key(of[0].as_str()), "{} is no folder of the table", of[0]);
        for path in paths(&code(&fs::read_to_string(&file).unwrap()), &of) {
            let Some(target) = path.first().filter(|target| **target != of[0]) else { continue };
            let known = allowed.contains_key(target.as_str());
            assert!(!known || allowed[of[0].as_str()].contains(&target.as_str()), "{} names {target}", file.display());
            if known {
                named.entry(of[0].clone()).or_default().insert(target.clone());
            }
        }
    }
    // A pair that nothing uses would let an arrow grow unseen.
    for (folder, targets) in MAY_NAME {
        let used: Vec<&str> = named.get(*folder).into_iter().flatten().map(String::as_str).collect();
        assert_eq!(used, *targets, "{folder}");
    }
}

#[test]
fn the_table_has_no_circle() {
    // Each row names only rows above it.
    let mut above = BTreeSet::new();
    for (folder, targets) in MAY_NAME {
        assert!(targets.iter().all(|target| above.contains(target)), "{folder} names something below it");
        above.insert(*folder);
    }
}

/// Files count one by one here: a `mod.rs` that names a file of its folder is named by none of them.
#[test]
fn files_form_no_circle() {
    let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let modules: BTreeSet<String> = files(&source()).iter().map(|file| module(file).join("::")).collect();
    for file in files(&source()) {
        let of = module(&file);
        let from = of.join("::");
        // What unit tests name binds no file to another.
        let text = fs::read_to_string(&file).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        for path in paths(&code(text), &of) {
            let target = (1..=path.len()).rev().map(|length| path[..length].join("::")).find(|name| modules.contains(name));
            if let Some(target) = target.filter(|target| *target != from) {
                arrows.entry(from.clone()).or_default().insert(target);
            }
        }
    }
    let mut done = BTreeSet::new();
    for start in arrows.keys() {
        walk(start, &arrows, &mut Vec::new(), &mut done);
    }
}

fn walk(at: &str, arrows: &BTreeMap<String, BTreeSet<String>>, trail: &mut Vec<String>, done: &mut BTreeSet<String>) {
    assert!(!trail.iter().any(|known| known == at), "a circle: {} -> {at}", trail.join(" -> "));
    if done.contains(at) {
        return;
    }
    trail.push(at.to_owned());
    for next in arrows.get(at).into_iter().flatten() {
        walk(next, arrows, trail, done);
    }
    trail.pop();
    done.insert(at.to_owned());
}

#[test]
fn no_file_is_too_long() {
    let lines = |file: &Path| fs::read_to_string(file).unwrap().lines().count();
    let long: Vec<_> = files(&source()).into_iter().filter(|file| lines(file) > MOST_LINES).collect();
    assert!(long.is_empty(), "{long:?}");
}

/// DESIGN.md shows the table, a line per row.
#[test]
fn the_design_shows_the_same_arrow() {
    let design = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("DESIGN.md")).unwrap();
    for (folder, targets) in MAY_NAME {
        let names: Vec<String> = targets.iter().map(|target| format!("`{target}`")).collect();
        let row = format!("| `{folder}` | {} |", if names.is_empty() { "nothing".into() } else { names.join(", ") });
        assert!(design.contains(&row), "DESIGN.md lacks: {row}");
    }
}
