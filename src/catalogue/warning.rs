//! What a host should know about the text of servers that it set. Only stuffing changes a ranking, see `stuffing.rs`.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::name::{safe_part, shadowed};
use super::tool::Tool;
use crate::document::id::ToolId;
use crate::error::shorten;
use crate::text::hidden;
use crate::text::terms::fold;

/// The most warnings of one call: a person reads a few.
pub const MAX_WARNINGS: usize = 100;
/// How much of a description is searched for names: twice the longest real one.
const SEARCHED_BYTES: usize = 16 * 1024;
/// Shorter names of tools are words.
const MIN_NAME_BYTES: usize = 8;
/// How much of a warning's detail is shown.
const DETAIL_CHARS: usize = 200;

/// What is suspicious.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WarningCode {
    /// A text has characters that nobody sees.
    HiddenCharacters,
    /// A server's name looks like another one's, or is the same to a model.
    LookAlikeServer,
    /// A tool's text names a tool of another server.
    NamesOtherTools,
    /// A description is a heap of keywords.
    Stuffing,
    /// A tool that was known says something else now.
    DefinitionChanged,
    /// A key is not read, and near one that is.
    UnknownKey,
    /// The configuration names a tool that the server does not have.
    UnknownTool,
}

impl WarningCode {
    /// The stable name that callers see.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::HiddenCharacters => "hidden-characters",
            Self::LookAlikeServer => "look-alike-server",
            Self::NamesOtherTools => "names-other-tools",
            Self::Stuffing => "stuffing",
            Self::DefinitionChanged => "definition-changed",
            Self::UnknownKey => "unknown-key",
            Self::UnknownTool => "unknown-tool",
        }
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
    let latin = |c: char| match c {
        'а' | 'α' => 'a',
        'ь' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' | 'є' => 'e',
        'һ' | 'н' => 'h',
        'i' | 'і' | 'ι' | 'ı' | '1' | 'ӏ' | 'ł' => 'l',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'м' => 'm',
        'п' | 'η' => 'n',
        '0' | 'о' | 'ο' | 'σ' | 'ø' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'г' => 'r',
        'ѕ' | '5' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ц' => 'u',
        'ν' | 'ѵ' => 'v',
        'ԝ' | 'ω' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        other => other,
    };
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

/// The words of a description that may be names.
fn words(tool: &Tool) -> impl Iterator<Item = &str> {
    let text = &tool.description[..tool.description.floor_char_boundary(SEARCHED_BYTES)];
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':');
    text.split(move |c: char| !is_part(c)).map(|word| word.trim_matches(['.', '/', ':', '-']))
}

/// The names of tools that a word may hold: itself, and what stands behind a server's.
fn names_in(word: &str) -> impl Iterator<Item = &str> {
    let of_provider = word.strip_prefix("mcp--").and_then(|rest| rest.split_once("--"));
    let of_server = word.split_once(['.', '/', ':']).map(|(server, name)| (server, name.trim_start_matches([':', '/'])));
    [Some(word), of_provider.map(|(_, name)| name), of_server.map(|(_, name)| name)].into_iter().flatten()
}

/// All tools by their own name, to find them in texts.
#[derive(Debug, Default)]
pub(super) struct ToolNames<'a>(HashMap<&'a str, HashSet<&'a str>>);

impl<'a> ToolNames<'a> {
    /// The tools that are called as something that is written.
    pub fn new(tools: impl Iterator<Item = &'a Tool>, written: &HashSet<&str>) -> Self {
        let mut names: HashMap<&str, HashSet<&str>> = HashMap::new();
        for tool in tools.filter(|tool| written.contains(&*tool.id.tool_name)) {
            names.entry(&tool.id.tool_name).or_default().insert(&tool.id.server_name);
        }
        Self(names)
    }

    /// The first tool of another server that a tool's description names: by its provider name, by its server and name, or
    /// by a name that only another server's tool has and that is written as no word is.
    pub fn named_by(&self, tool: &Tool, servers: &HashSet<&str>) -> Option<String> {
        let own = tool.id.server_name.as_str();
        words(tool).find_map(|word| {
            let foreign = |server: &str, name: &str| {
                server != own && servers.contains(server) && self.0.get(name).is_some_and(|of| of.contains(server))
            };
            if let Some((server, name)) = word.strip_prefix("mcp--").and_then(|rest| rest.split_once("--"))
                && foreign(server, name)
            {
                return Some(word.to_owned());
            }
            if let Some((server, name)) = word.split_once(['.', '/', ':'])
                && foreign(server, name.trim_start_matches([':', '/']))
            {
                return Some(word.to_owned());
            }
            let written_as_a_name = word.len() >= MIN_NAME_BYTES && word.contains(['_', '-']);
            let of = self.0.get(word).filter(|_| written_as_a_name)?;
            (!of.contains(own)).then(|| word.to_owned())
        })
    }
}

/// What the names of servers and the texts of new and changed tools are suspicious for.
pub(super) fn of<'a>(
    servers: &[(&'a str, &'a NameKeys)],
    tools: &[&'a Tool],
    set: &HashSet<&str>,
    new: impl Iterator<Item = &'a ToolId>,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let alike = look_alikes(set, servers.iter().copied());
    let shadowed: HashSet<&str> = if alike.is_empty() {
        HashSet::new()
    } else {
        let distinct: BTreeSet<&str> = servers.iter().map(|(name, _)| *name).collect();
        shadowed(distinct.into_iter()).into_iter().map(|(name, _)| name).collect()
    };
    for (server, other) in alike {
        let told = if shadowed.contains(server) { "; the names of its tools have suffixes" } else { "" };
        warnings.push(Warning::new(WarningCode::LookAlikeServer, server, None, &format!("it looks like {other:?}{told}")));
    }
    let new: HashSet<&ToolId> = new.collect();
    if new.is_empty() {
        return warnings;
    }
    let new: Vec<&Tool> = tools.iter().copied().filter(|tool| new.contains(&tool.id)).collect();
    let written = new.iter().flat_map(|tool| words(tool)).flat_map(names_in).collect();
    let tool_names = ToolNames::new(tools.iter().copied(), &written);
    let server_names = servers.iter().map(|(name, _)| *name).collect();
    for tool in new {
        let (server, name) = (tool.id.server_name.as_str(), Some(tool.id.tool_name.as_str()));
        if let Some(named) = tool_names.named_by(tool, &server_names) {
            warnings.push(Warning::new(WarningCode::NamesOtherTools, server, name, &format!("its description names {named}")));
        }
        if tool.is_stuffed {
            let detail = "its description is a heap of keywords, which is not ranked";
            warnings.push(Warning::new(WarningCode::Stuffing, server, name, detail));
        }
    }
    warnings
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
        assert_eq!(pairs.len(), 2, "{pairs:?}");
    }
}
