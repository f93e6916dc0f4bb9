//! Names of tools as models write them that were trained on other searches: behind a word, or as a pattern.

use crate::catalogue::scope::Scope;
use crate::index::Index;
use crate::text::terms::name_key;

/// What models put before a name: where functions stand in their prompts, or a field of another search.
const BEFORE: [&str; 10] = ["functions", "function", "tools", "tool", "name", "names", "mcp", "api", "default_api", "mcp_tools"];
/// Letters of a pattern that stand for themselves, at least: `*` alone names nothing.
const FEWEST_LETTERS: usize = 2;
/// Tools that one pattern stands for, at most: more is a search.
const MOST_MATCHES: usize = 20;
/// Alternatives of one pattern, and the longest pattern.
const MOST_ALTERNATIVES: usize = 50;
const MAX_BYTES: usize = 512;

/// The name without the word that a model put before it; `None` where there is none.
pub fn without_prefix(name: &str) -> Option<&str> {
    Behind::of(name).map(|behind| behind.name)
}

/// A name behind what a model put before it.
struct Behind<'n> {
    before: &'n str,
    name: &'n str,
    /// Whether that is a client's name of a server, perhaps of another one than is meant.
    is_of_client: bool,
}

impl<'n> Behind<'n> {
    fn of(name: &'n str) -> Option<Self> {
        // As a client calls a gateway's tool: `mcp__gateway__mcp--files--read`.
        let of_client = |front: &str, border: &str| name.strip_prefix(front)?.split_once(border);
        let forms = [("mcp__", "__"), ("mcp--", "--"), ("mcp_", "__")];
        let inner = forms.iter().find_map(|(front, border)| of_client(front, border));
        if let Some((before, name)) = inner.filter(|(before, name)| !before.is_empty() && !name.is_empty()) {
            return Some(Self { before, name, is_of_client: true });
        }
        let (before, rest) = name.split_once(['.', ':', '/'])?;
        let is_known = BEFORE.contains(&before.to_ascii_lowercase().as_str());
        let name = rest.trim_start_matches([':', ' ']);
        (is_known && !rest.is_empty()).then_some(Self { before, name, is_of_client: false })
    }
}

/// Positions of the tools that a name stands for: those of the scope, or where it has none, those out of it.
pub fn find(index: &Index, scope: &Scope, wanted: &str) -> Vec<usize> {
    let found = find_in(index, scope, wanted);
    if found.is_empty() { find_in(index, &Scope::All, wanted) } else { found }
}

/// The same without those out of scope. A name behind that of a client's server says its own server, or means nothing: what
/// stood there may have been the server.
pub fn find_in(index: &Index, scope: &Scope, wanted: &str) -> Vec<usize> {
    let mut wanted = wanted.trim();
    let mut says_server = false;
    loop {
        let resolved = index.resolve(wanted).filter(|at| scope.allows_tool(&index.tools[*at].tool.id));
        let behind = Behind::of(wanted);
        let is_server = behind.as_ref().is_some_and(|behind| index.server_called(scope, behind.before).is_some());
        // `mcp__server__tool`, as clients write it, is that server's; of another program's name it is the gateway's.
        if let Some(Behind { before, name, is_of_client: true }) = behind.as_ref().filter(|_| is_server && resolved.is_none()) {
            return index.named_in(scope, &format!("{before}.{name}"));
        }
        let mut found = resolved.map_or_else(|| index.named_in(scope, wanted), |at| vec![at]);
        // Nor does another's tool take a whole name with such a word before it.
        if resolved.is_none() && !is_server && behind.as_ref().is_some_and(|behind| index.says_server(scope, behind.name)) {
            found.clear();
        }
        if says_server && resolved.is_none() {
            let key = name_key(wanted.strip_prefix("mcp--").unwrap_or(wanted));
            found.retain(|at| key == format!("{}{}", index.document(*at).server_key, index.document(*at).tool_key));
        }
        match behind.filter(|behind| found.is_empty() && (behind.is_of_client || !is_server)) {
            Some(behind) => (wanted, says_server) = (behind.name, says_server || behind.is_of_client),
            None => return found,
        }
    }
}

/// The names of a query, each pattern among them as the tools that it stands for. One that stands for none is a name.
pub fn expanded(index: &Index, scope: &Scope, names: Vec<String>) -> Vec<String> {
    names.into_iter().flat_map(|name| of_pattern(index, scope, &name).unwrap_or_else(|| vec![name])).collect()
}

/// Whether a word is written as a pattern of names.
pub fn is_pattern(name: &str) -> bool {
    name.len() <= MAX_BYTES && name.contains(['*', '|']) && letters(name) >= FEWEST_LETTERS
}

fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}

fn of_pattern(index: &Index, scope: &Scope, name: &str) -> Option<Vec<String>> {
    if !is_pattern(name) {
        return None;
    }
    let whole = name.trim_start_matches('^').trim_end_matches('$').trim_matches(['(', ')', '/']);
    let mut found: Vec<usize> = Vec::new();
    for pattern in whole.split('|').take(MOST_ALTERNATIVES) {
        let pattern = pattern.trim_matches(['(', ')', '^', '$', ' ']).replace(".*", "*");
        let pattern = without_prefix(&pattern).unwrap_or(&pattern).to_lowercase();
        if !pattern.contains('*') {
            found.extend(find_in(index, scope, &pattern));
            continue;
        }
        let parts: Vec<String> = pattern.split('*').map(name_key).collect();
        if parts.iter().map(|part| letters(part)).sum::<usize>() < FEWEST_LETTERS {
            continue;
        }
        let fits = |at: &usize| {
            let tool = &index.tools[*at];
            let ends = (!pattern.starts_with('*'), !pattern.ends_with('*'));
            [tool.tool.id.tool_name.as_str(), tool.name.as_str()].iter().any(|name| matches(&parts, &name_key(name), ends))
        };
        found.extend(index.candidates(scope).iter().copied().filter(fits));
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|at| seen.insert(*at));
    found.truncate(MOST_MATCHES);
    (!found.is_empty()).then(|| found.into_iter().map(|at| index.tools[at].name.clone()).collect())
}

/// Whether a folded name has the parts in their order, at its ends where those are bound.
fn matches(parts: &[String], name: &str, (start, end): (bool, bool)) -> bool {
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return false };
    let mut rest = name;
    if start {
        match rest.strip_prefix(first.as_str()) {
            Some(left) => rest = left,
            None => return false,
        }
    }
    if end {
        match rest.strip_suffix(last.as_str()) {
            Some(left) => rest = left,
            None => return false,
        }
    }
    let inner = &parts[usize::from(start)..parts.len() - usize::from(end && parts.len() > 1)];
    inner.iter().all(|part| match rest.find(part.as_str()) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}
