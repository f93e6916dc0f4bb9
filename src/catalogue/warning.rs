//! What a host should know about the text of servers that it set. Only stuffing changes a ranking, see `stuffing.rs`.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::name::{safe_part, shadowed};
use crate::error::shorten;
use crate::text::english::is_english_function_word;
use crate::text::hidden;
use crate::text::look_alike::latin;
use crate::text::terms::{fold, name_key};

/// The most warnings of one call: a person reads a few.
pub const MAX_WARNINGS: usize = 100;
const DETAIL_CHARS: usize = 200;

named! {
    /// What is suspicious.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum WarningCode {
        /// A text has characters that nobody sees.
        HiddenCharacters = "hidden-characters",
        /// A server's name looks like another one's, or is the same to a model.
        LookAlikeServer = "look-alike-server",
        /// A tool's text, or its own name, names a tool of another server.
        NamesOtherTools = "names-other-tools",
        /// A description is a heap of keywords.
        Stuffing = "stuffing",
        /// A tool that was known says something else now, or its server does.
        DefinitionChanged = "definition-changed",
        /// A key is not read, and near one that is.
        UnknownKey = "unknown-key",
        /// The configuration names a tool that the server does not have.
        UnknownTool = "unknown-tool",
        /// A project's server takes the place of a global one.
        ReplacesGlobalServer = "replaces-global-server",
        /// A server is called as a word of every text is.
        CommonName = "common-name",
        /// A provider would refuse the schema of a tool, and is sent another one.
        AdaptedSchema = "adapted-schema",
    }
}

/// A warning about a server or one of its tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// What it is about.
    pub code: WarningCode,
    /// The server.
    pub server_name: String,
    /// The tool, when it is about one.
    pub tool_name: Option<String>,
    /// What was found, for a person. Holds no text of a tool but names.
    pub detail: String,
}

impl Warning {
    pub(super) fn new(code: WarningCode, server: &str, tool: Option<&str>, detail: &str) -> Self {
        // A warning is shown in an editor: what it warns of must not come through it.
        let shown = |text: &str| shorten(&hidden::strip(text), DETAIL_CHARS);
        Self { code, server_name: server.to_owned(), tool_name: tool.map(str::to_owned), detail: shown(detail) }
    }
}

/// What is said about hidden characters.
pub(super) fn hidden_detail(field: &str, (first, count): (char, usize)) -> String {
    format!("{field} has {count} hidden characters, the first one U+{:04X}", u32::from(first))
}

/// What two names have in common that look alike: letters of other scripts and digits as the Latin letters that they
/// look like, without case, marks and separators.
fn skeleton(name: &str) -> String {
    let plain: String = fold(&hidden::strip(name)).chars().filter(|c| c.is_alphanumeric()).map(latin).collect();
    plain.replace("rn", "m").replace("vv", "w")
}

/// What names that are taken for each other have in common; kept with a server, because it takes longer than a look-up.
#[derive(Debug, Clone)]
pub(super) struct NameKeys {
    /// To a reader.
    looks: String,
    /// To a model.
    is_called: String,
}

impl NameKeys {
    pub fn new(name: &str) -> Self {
        Self { looks: skeleton(name), is_called: super::name::underscored(&safe_part(name)) }
    }
}

/// Pairs of servers, one of `set` and one of `all`, whose names look alike or are one to a model.
pub(super) fn look_alikes<'a>(
    set: &HashSet<&str>,
    all: impl Iterator<Item = (&'a str, &'a NameKeys)>,
) -> Vec<(&'a str, &'a str)> {
    let mut by_key: HashMap<(bool, &str), Vec<&str>> = HashMap::new();
    let mut names: Vec<(&str, &NameKeys)> = all.collect();
    names.sort_unstable_by_key(|(name, _)| *name);
    names.dedup_by_key(|(name, _)| *name);
    for (name, keys) in names {
        by_key.entry((true, &keys.looks)).or_default().push(name);
        by_key.entry((false, &keys.is_called)).or_default().push(name);
    }
    let mut groups: Vec<Vec<&str>> = by_key.into_values().filter(|group| group.len() > 1).collect();
    groups.sort_unstable();
    groups.dedup();
    let pairs = groups.iter().flat_map(|group| {
        let other = |name: &str| group.iter().copied().find(|other| *other != name);
        group.iter().copied().filter(|name| set.contains(name)).filter_map(move |name| Some((name, other(name)?)))
    });
    let mut seen = HashSet::new();
    pairs.filter(|pair| seen.insert(*pair)).collect()
}

/// What the names of servers are suspicious for.
pub(super) fn of_names<'a>(servers: &[(&'a str, &'a NameKeys)], set: &HashSet<&str>) -> Vec<Warning> {
    let alike = look_alikes(set, servers.iter().copied());
    let shadowed: HashSet<&str> = if alike.is_empty() {
        HashSet::new()
    } else {
        let distinct: BTreeSet<&str> = servers.iter().map(|(name, _)| *name).collect();
        shadowed(distinct.into_iter()).into_iter().map(|(name, _)| name).collect()
    };
    let warning = |(server, other): (&str, &str)| {
        let told = if shadowed.contains(server) { "; the names of its tools have suffixes" } else { "" };
        Warning::new(WarningCode::LookAlikeServer, server, None, &format!("it looks like {other:?}{told}"))
    };
    let is_common = |key: &str| is_english_function_word(key) && (key.len() > 1 || key == "a");
    let common = set.iter().filter(|name| is_common(&name_key(name)));
    let mut common: Vec<&str> = common.copied().collect();
    common.sort_unstable();
    let word = |server: &str| {
        Warning::new(WarningCode::CommonName, server, None, "its name is a word of every text, and names no server in one")
    };
    alike.into_iter().map(warning).chain(common.into_iter().map(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_alike_have_one_skeleton() {
        for other in ["g\u{456}thub", "git\u{200b}hub", "git.hub", "GITHUB", "g1thub", "git-hub"] {
            assert_eq!(skeleton(other), skeleton("github"), "{other}");
        }
        for other in ["gitlab", "github2", "日本"] {
            assert_ne!(skeleton(other), skeleton("github"), "{other}");
        }
        let all = ["github", "g\u{456}thub", "gitlab", "gthub"].map(|name| (name, NameKeys::new(name)));
        let pairs = look_alikes(&HashSet::from(["g\u{456}thub"]), all.iter().map(|(name, keys)| (*name, keys)));
        assert_eq!(pairs, [("g\u{456}thub", "github")]);
    }
}
