//! Provider names: what a model's API sees, and the way back to the tool.

use std::collections::{HashMap, HashSet};

/// The longest name that the common model APIs take.
pub const MAX_PROVIDER_NAME: usize = 64;

/// Length of the hash that tells two colliding names apart: 32 bits, so that among ten thousand
/// tools two equal hashes are a one in a hundred event, and then more digits are taken.
const SUFFIX_DIGITS: usize = 8;

/// `mcp--{server}--{tool}`, each part made safe for a model's API, cut at 64 characters.
#[must_use]
pub fn provider_name(server_name: &str, tool_name: &str) -> String {
    let mut name = format!("mcp--{}--{}", safe_part(server_name), safe_part(tool_name));
    name.truncate(MAX_PROVIDER_NAME); // only ASCII is left, so every byte is a boundary
    name
}

/// White space runs to `_`, other characters than `[A-Za-z0-9_-]` dropped, runs of `-` folded, `_`
/// before a first character that is no letter or `_`, `_unnamed` when nothing is left.
fn safe_part(text: &str) -> String {
    let mut part = String::with_capacity(text.len());
    let mut in_space = false;
    for c in text.chars() {
        if c.is_whitespace() {
            if !in_space {
                part.push('_');
            }
            in_space = true;
            continue;
        }
        in_space = false;
        if c.is_ascii_alphanumeric() || c == '_' || (c == '-' && !part.ends_with('-')) {
            part.push(c);
        }
    }
    match part.chars().next() {
        None => "_unnamed".to_owned(),
        Some(c) if c.is_ascii_alphabetic() || c == '_' => part,
        Some(_) => format!("_{part}"),
    }
}

/// Models write `_` for `-`: two names that differ only so are one name to them.
#[must_use]
pub fn fold(name: &str) -> String {
    name.replace('-', "_")
}

/// The name with a hash of the tool's identity in place of its last characters.
#[must_use]
pub fn with_suffix(base: &str, server_name: &str, tool_name: &str, digits: usize) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(server_name.len() as u64).to_le_bytes());
    hasher.update(server_name.as_bytes());
    hasher.update(tool_name.as_bytes());
    let hash = hasher.finalize().to_hex();
    let digits = digits.min(hash.len());
    let keep = base.len().min(MAX_PROVIDER_NAME - 1 - digits);
    format!("{}_{}", &base[..keep], &hash[..digits])
}

/// Names that are taken, folded, so that every tool stays reachable by what a model writes.
#[derive(Debug, Default, Clone)]
pub struct Names {
    taken: HashMap<String, usize>,
}

impl Names {
    /// Gives a tool its name: the base name if it is free, otherwise one with a suffix.
    pub fn assign(&mut self, base: &str, server_name: &str, tool_name: &str, position: usize) -> String {
        let mut name = base.to_owned();
        let mut digits = SUFFIX_DIGITS;
        while self.taken.contains_key(&fold(&name)) && digits <= MAX_PROVIDER_NAME / 2 {
            name = with_suffix(base, server_name, tool_name, digits);
            digits += SUFFIX_DIGITS;
        }
        self.taken.insert(fold(&name), position);
        name
    }

    /// The position that was given with a name, whether the model wrote `-` or `_`.
    #[must_use]
    pub fn resolve(&self, name: &str) -> Option<usize> {
        self.taken.get(&fold(name)).copied()
    }
}

/// Names near a misspelt one, best first, at most `most`.
pub fn near<'a>(wanted: &str, names: impl Iterator<Item = &'a str>, most: usize) -> Vec<String> {
    /// Below this likeness a name is another word rather than a misspelling.
    const LEAST_LIKENESS: f64 = 0.7;
    let folded = fold(&wanted.to_lowercase());
    let mut seen = HashSet::new();
    let mut scored: Vec<(f64, &str)> = names
        .filter(|name| seen.insert(*name))
        .map(|name| (strsim::normalized_damerau_levenshtein(&folded, &fold(&name.to_lowercase())), name))
        .filter(|(likeness, _)| *likeness >= LEAST_LIKENESS)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.into_iter().take(most).map(|(_, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        an_empty_result_is_unnamed: "日本", "!" => "mcp--_unnamed--_unnamed";
        a_long_name_is_cut_at_64: "s", &"t".repeat(80) => format!("mcp--s--{}", "t".repeat(56));
    }

    #[test]
    fn a_later_collision_gets_a_stable_suffix_within_the_limit() {
        let long = "t".repeat(80);
        let mut names = Names::default();
        let base = provider_name("s", &long);
        let first = names.assign(&base, "s", &long, 0);
        let second = names.assign(&base, "s", &(long.clone() + "x"), 1);
        assert_eq!(first, base);
        assert!(second.len() <= MAX_PROVIDER_NAME && second != first);
        assert_eq!(second, with_suffix(&base, "s", &(long + "x"), SUFFIX_DIGITS));
        assert_eq!((names.resolve(&first), names.resolve(&second)), (Some(0), Some(1)));
    }

    #[test]
    fn a_hyphen_that_a_model_turned_to_an_underscore_still_resolves() {
        let mut names = Names::default();
        let name = names.assign("mcp--a-b--c", "a-b", "c", 7);
        assert_eq!(names.resolve(&name.replace('-', "_")), Some(7));
    }

    #[test]
    fn names_that_differ_only_by_hyphen_and_underscore_are_told_apart() {
        let mut names = Names::default();
        let first = names.assign("mcp--s--a-b", "s", "a-b", 0);
        let second = names.assign("mcp--s--a_b", "s", "a_b", 1);
        assert_ne!(fold(&first), fold(&second));
    }

    #[test]
    fn near_names_are_misspellings_best_first() {
        let names = ["create_issue", "create_issues", "delete_repo"];
        assert_eq!(near("creat_issue", names.into_iter(), 3), ["create_issue", "create_issues"]);
    }
}
