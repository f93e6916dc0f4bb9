//! What a text of Rust names, as modules from the root of the crate. It is read without a compiler: enough for `use`,
//! for the names that it brings in, and for paths in expressions.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// A file of `src`: `["ranking", "servers"]` is `src/ranking/servers.rs`.
#[derive(Clone)]
pub struct Source {
    pub module: Vec<String>,
    pub text: String,
}

type Path = Vec<String>;

/// Every path in `source` that leads to a module of `modules`, aliases resolved. Paths into other crates are left out.
pub fn paths(source: &Source, modules: &BTreeSet<Path>) -> BTreeSet<Path> {
    let tokens = tokens(&code(source.text.parse().unwrap()));
    let mut brought: BTreeMap<String, Path> = children(&source.module, modules);
    let mut found = BTreeSet::new();
    // A `use` may come after what it serves, so all are read first.
    for (at, _) in tokens.iter().enumerate().filter(|(_, token)| *token == "use") {
        for (path, alias) in leaves(&tokens, at + 1) {
            let Some(path) = absolute(&path, &source.module, &brought) else { continue };
            brought.insert(alias, path.clone());
            found.insert(path);
        }
    }
    let mut at = 0;
    while at < tokens.len() {
        let path = path_at(&tokens, at);
        if path.len() > 1 && (at == 0 || tokens[at - 1] != "::") {
            found.extend(absolute(&path, &source.module, &brought));
        }
        at += (2 * path.len()).max(1);
    }
    found
}

/// Which file names which, without what its unit tests name: that binds no file to another.
pub fn arrows(sources: &[Source]) -> BTreeMap<String, BTreeSet<String>> {
    let modules: BTreeSet<Path> = sources.iter().map(|source| source.module.clone()).collect();
    let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in sources {
        let text = source.text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for path in paths(&Source { text: text.to_owned(), ..source.clone() }, &modules) {
            let target = (1..=path.len()).rev().map(|length| &path[..length]).find(|name| modules.contains(*name));
            if let Some(target) = target.filter(|target| *target != source.module) {
                arrows.entry(source.module.join("::")).or_default().insert(target.join("::"));
            }
        }
    }
    arrows
}

/// One circle of files, as `a -> b -> a`.
pub fn circle(arrows: &BTreeMap<String, BTreeSet<String>>) -> Option<String> {
    let mut done = BTreeSet::new();
    arrows.keys().find_map(|start| walk(start, arrows, &mut Vec::new(), &mut done))
}

fn walk(
    at: &str,
    arrows: &BTreeMap<String, BTreeSet<String>>,
    trail: &mut Vec<String>,
    done: &mut BTreeSet<String>,
) -> Option<String> {
    if let Some(first) = trail.iter().position(|known| known == at) {
        return Some(format!("{} -> {at}", trail[first..].join(" -> ")));
    }
    if !done.insert(at.to_owned()) {
        return None;
    }
    trail.push(at.to_owned());
    let found = arrows.get(at).into_iter().flatten().find_map(|next| walk(next, arrows, trail, done));
    trail.pop();
    found
}

/// The files of a `mod.rs`, whose names a path may begin at.
fn children(of: &[String], modules: &BTreeSet<Path>) -> BTreeMap<String, Path> {
    let inside = modules.iter().filter(|module| module.len() == of.len() + 1 && module.starts_with(of));
    inside.map(|module| (module[of.len()].clone(), module.clone())).collect()
}

/// From the root of the crate; nothing for what is outside it.
fn absolute(path: &[String], of: &[String], brought: &BTreeMap<String, Path>) -> Option<Path> {
    let (first, mut rest) = path.split_first()?;
    let mut base = match first.as_str() {
        "crate" => Vec::new(),
        "self" => of.to_vec(),
        "super" => of[..of.len() - 1].to_vec(),
        name => brought.get(name)?.clone(),
    };
    while let Some(("super", further)) = rest.split_first().map(|(name, further)| (name.as_str(), further)) {
        base.pop();
        rest = further;
    }
    base.extend(rest.iter().cloned());
    Some(base)
}

/// The names of `a::b::c` at a token; empty if no name stands there.
fn path_at(tokens: &[String], at: usize) -> Path {
    let is_name = |token: &String| token.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let mut path = Vec::new();
    let mut at = at;
    while let Some(name) = tokens.get(at).filter(|token| is_name(token)) {
        path.push(name.clone());
        if tokens.get(at + 1).is_none_or(|token| token != "::") {
            break;
        }
        at += 2;
    }
    path
}

/// Every path of the tree behind a `use`, with the name that it brings in. `use super::*` of a module of tests is of its
/// own file, and what a glob brings in is not known: such a leaf is the path in front of it.
fn leaves(tokens: &[String], at: usize) -> Vec<(Path, String)> {
    let mut found = Vec::new();
    let mut stack: Vec<Path> = Vec::new();
    let mut path: Path = Vec::new();
    let mut alias: Option<String> = None;
    let mut at = at;
    let mut close = |path: &mut Path, alias: &mut Option<String>, stack: &[Path]| {
        let base = stack.last().cloned().unwrap_or_default();
        if path.len() > base.len() {
            if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
                path.pop();
            }
            let named = alias.take().or_else(|| path.last().cloned()).unwrap_or_default();
            if path.last().is_some_and(|last| last == "*") {
                path.pop();
            }
            if *path != ["super"] && *path != ["self"] {
                found.push((std::mem::take(path), named));
            }
        }
        *path = base;
    };
    while let Some(token) = tokens.get(at) {
        match token.as_str() {
            "::" => {}
            "{" => stack.push(path.clone()),
            "," => close(&mut path, &mut alias, &stack),
            "}" => {
                close(&mut path, &mut alias, &stack);
                path = Vec::new();
                stack.pop();
                path.clone_from(stack.last().unwrap_or(&Vec::new()));
            }
            ";" => break,
            "as" => {
                at += 1;
                alias = tokens.get(at).cloned();
            }
            name => path.push(name.to_owned()),
        }
        at += 1;
    }
    close(&mut path, &mut alias, &stack);
    found
}

fn tokens(code: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let name = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let length = if rest.starts_with("::") { 2 } else { name.max(first.len_utf8()) };
        tokens.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    tokens
}

/// The text without comments, documentation and literals: paths there name nothing.
fn code(text: TokenStream) -> String {
    let piece = |tree| match tree {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => format!("{{{}}} ", code(group.stream())),
        TokenTree::Group(group) => format!("({}) ", code(group.stream())),
        TokenTree::Punct(sign) if sign.spacing() == Spacing::Joint => sign.as_char().to_string(),
        TokenTree::Literal(_) => " ".to_owned(),
        name_or_sign => format!("{name_or_sign} "),
    };
    text.into_iter().map(piece).collect()
}
