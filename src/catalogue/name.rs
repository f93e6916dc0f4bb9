//! Provider names: what a model's API sees, and the way back to the tool.

use std::collections::{HashMap, HashSet};

/// The longest name that the common model APIs take.
pub const MAX_PROVIDER_NAME: usize = 64;

/// Length of the hash that tells two colliding names apart: 32 bits, so that among ten thousand
/// tools two equal hashes are a one in a hundred event, and then more digits are taken.
const SUFFIX_DIGITS: usize = 8;

/// `mcp--{server}--{tool}`, each part made safe for a model's API, cut at 64 characters.
pub fn provider_name(server_name: &str, tool_name: &str) -> String {
    let mut name = format!("mcp--{}--{}", safe_part(server_name), safe_part(tool_name));
    name.truncate(MAX_PROVIDER_NAME); // only ASCII is left, so every byte is a boundary
    name
}

/// White space runs to `_`, letters of other scripts written in Latin ones, other characters than `[A-Za-z0-9_-]` dropped,
/// runs of `-` folded, `_` before a first character that is no letter or `_`, `_unnamed` when nothing is left.
pub(crate) fn safe_part(text: &str) -> String {
    let mut part = String::with_capacity(text.len());
    let mut in_space = false;
    for c in text.chars() {
        if is_foreign(c) {
            part.extend(any_ascii::any_ascii_char(c).chars().filter(char::is_ascii_alphanumeric));
            in_space = false;
            continue;
        }
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

/// A letter or digit of another script.
fn is_foreign(c: char) -> bool {
    !c.is_ascii() && c.is_alphanumeric()
}

/// Models write `_` for `-`: two names that differ only so are one name to them.
pub fn underscored(name: &str) -> String {
    name.replace('-', "_")
}

/// The name, its last characters replaced by a hash of the tool's identity.
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

/// Whether a tool may have been given a name: its own, or its own with suffixes.
pub fn is_name_of(name: &str, server_name: &str, tool_name: &str) -> bool {
    let suffixed = |base: &str| {
        let digits = (1..=MAX_PROVIDER_NAME / 2 / SUFFIX_DIGITS).map(|times| times * SUFFIX_DIGITS);
        digits.map(|digits| with_suffix(base, server_name, tool_name, digits)).collect::<Vec<_>>()
    };
    let base = provider_name(server_name, tool_name);
    if name == base {
        return true;
    }
    // A session adds one of its own to a name that has one in the catalogue.
    let once = suffixed(&base);
    once.iter().any(|own| own == name || suffixed(own).iter().any(|twice| twice == name))
}

/// Names that are taken, folded, so that every tool stays reachable by what a model writes.
#[derive(Debug, Default, Clone)]
pub struct Names {
    taken: HashMap<String, usize>,
}

/// A tool that wants a name.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// [`provider_name`] of the other two.
    pub base: &'a str,
    /// Its server.
    pub server_name: &'a str,
    /// Its own name.
    pub tool_name: &'a str,
}

impl Wanted<'_> {
    /// Whether its name had to be cleaned, and has no suffix yet: the clean form may be the own name of another server's tool.
    fn is_cleaned(&self) -> bool {
        let is_plain = || self.base == provider_name(self.server_name, self.tool_name);
        [self.server_name, self.tool_name].iter().any(|name| safe_part(name) != *name) && is_plain()
    }
}

impl Names {
    /// Gives all tools of a catalogue their names, by position; tools of one server follow each other.
    ///
    /// Of servers whose safe forms are one to a model, the one that is named so keeps it: no other server can take its
    /// names, however it is called and whenever it connects. Where none is named so, or several are, the tools of all of
    /// them get suffixes. The same holds for single tools of two servers. Of tools of one server that are one to a model, each
    /// gets a suffix: whoever has the plain name would depend on the order of the list. So does whoever needed cleaning, whose
    /// clean form may be somebody else's name, today or later.
    pub fn assign_all(wanted: &[Wanted<'_>]) -> (Self, Vec<String>) {
        // Each name is folded once: this runs with each change of a catalogue of thousands.
        let mut by_server: HashMap<&str, (String, bool)> = HashMap::new();
        for tool in wanted {
            by_server.entry(tool.server_name).or_insert_with(|| {
                let safe = safe_part(tool.server_name);
                (underscored(&safe), safe == tool.server_name)
            });
        }
        let folded: Vec<(String, bool)> = wanted
            .iter()
            .map(|tool| {
                let exact = by_server[tool.server_name].1 && safe_part(tool.tool_name) == tool.tool_name;
                (underscored(tool.base), exact)
            })
            .collect();
        // Who wants a folded name, and how many of those are named exactly so.
        let mut servers: HashMap<&str, Claims> = HashMap::new();
        let mut tools: HashMap<&str, Claims> = HashMap::with_capacity(wanted.len());
        let mut twins: HashMap<(&str, &str), usize> = HashMap::with_capacity(wanted.len());
        for (tool, (name, exact)) in wanted.iter().zip(&folded) {
            *twins.entry((tool.server_name, name)).or_default() += 1;
            let (server, exact_server) = &by_server[tool.server_name];
            servers.entry(server).or_default().add(tool.server_name, *exact_server);
            tools.entry(name).or_default().add(tool.server_name, *exact);
        }
        let keeps = wanted.iter().zip(&folded).map(|(tool, (name, exact))| {
            let (server, exact_server) = &by_server[tool.server_name];
            let is_alone = twins[&(tool.server_name, name.as_str())] == 1;
            is_alone && servers[server.as_str()].is_kept_by(*exact_server) && tools[name.as_str()].is_kept_by(*exact)
        });
        let keeps: Vec<bool> = keeps.collect();
        let mut names = Self { taken: HashMap::with_capacity(wanted.len()) };
        let mut given = vec![String::new(); wanted.len()];
        // First those that keep their names: no suffix of another tool can take one.
        for keeping in [true, false] {
            for (position, tool) in wanted.iter().enumerate().filter(|(position, _)| keeps[*position] == keeping) {
                given[position] = names.give(tool, position, keeping);
            }
        }
        (names, given)
    }

    /// Gives one more tool its name: the base name if it is free, otherwise one with a suffix.
    pub fn assign(&mut self, base: &str, server_name: &str, tool_name: &str, position: usize) -> String {
        self.give(&Wanted { base, server_name, tool_name }, position, true)
    }

    fn give(&mut self, tool: &Wanted<'_>, position: usize, keeps: bool) -> String {
        let mut digits = SUFFIX_DIGITS;
        let mut name = tool.base.to_owned();
        let mut free = keeps && !tool.is_cleaned() && !reads_as_ours(&name) && !self.taken.contains_key(&underscored(&name));
        while !free && digits <= MAX_PROVIDER_NAME / 2 {
            name = with_suffix(tool.base, tool.server_name, tool.tool_name, digits);
            free = !self.taken.contains_key(&underscored(&name));
            digits += SUFFIX_DIGITS;
        }
        self.taken.insert(underscored(&name), position);
        name
    }

    /// The position that was given with a name, whether the model wrote `-` or `_`.
    pub fn resolve(&self, name: &str) -> Option<usize> {
        if name.len() > MAX_PROVIDER_NAME {
            return None;
        }
        self.taken.get(&underscored(name)).copied()
    }
}

/// Letters of the functions that a session adds to the tools.
const OURS: [&str; 3] = ["mcpload", "mcpcall", "reportmissingcapability"];

/// Whether a model may take a name for one that we add: `mcp--mcp--load` is `mcp_load` to one that leaves out the prefix.
fn reads_as_ours(name: &str) -> bool {
    let rest = name.strip_prefix("mcp--").unwrap_or(name);
    let letters = rest.bytes().filter(u8::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase());
    OURS.iter().any(|ours| letters.clone().eq(ours.bytes()))
}

#[derive(Debug, Default)]
struct Claims<'a> {
    /// The one that was counted last: tools of one server follow each other.
    last: Option<&'a str>,
    servers: usize,
    /// How many of them are named exactly so.
    exact: usize,
}

impl<'a> Claims<'a> {
    fn add(&mut self, server_name: &'a str, exact: bool) {
        if self.last != Some(server_name) {
            self.last = Some(server_name);
            self.servers += 1;
            self.exact += usize::from(exact);
        }
    }

    /// Whether one of them has the name without a suffix.
    fn is_kept_by(&self, exact: bool) -> bool {
        self.servers == 1 || (exact && self.exact == 1)
    }
}

/// A server whose tools get suffixes because another one is called the same to a model, with that other one.
pub fn shadowed<'a>(names: impl Iterator<Item = &'a str>) -> Vec<(&'a str, &'a str)> {
    let mut groups: std::collections::BTreeMap<String, Vec<&str>> = std::collections::BTreeMap::new();
    for name in names {
        groups.entry(underscored(&safe_part(name))).or_default().push(name);
    }
    let mut shadowed = Vec::new();
    for group in groups.into_values().filter(|group| group.len() > 1) {
        let exact: Vec<&str> = group.iter().copied().filter(|name| safe_part(name) == *name).collect();
        for name in &group {
            if exact != [*name] {
                let other = exact.iter().chain(&group).find(|other| *other != name).copied();
                shadowed.extend(other.map(|other| (*name, other)));
            }
        }
    }
    shadowed
}

/// Names are compared up to here, in bytes: twice the longest that a model's API takes. The distance of two names costs
/// the product of their lengths.
const MAX_NEAR_BYTES: usize = 2 * MAX_PROVIDER_NAME;
/// How many unknown names of one call are compared with the catalogue. A model misspells one or two; whoever sends
/// hundreds learns from the first ones as much.
pub const MAX_NEAR_LOOKUPS: usize = 8;
/// Below this likeness a name is another word rather than a misspelling.
const LEAST_LIKENESS: f64 = 0.7;

/// Names near a misspelt one, best first, at most `most`. None for a name that is too long to be one.
///
/// Most names are left out before any distance is computed, by what bounds it from below: names of other lengths, and of
/// other letters.
pub fn near<'a>(wanted: &str, names: impl Iterator<Item = &'a str>, most: usize) -> Vec<String> {
    if wanted.len() > MAX_NEAR_BYTES {
        return Vec::new();
    }
    let folded = Folded::new(wanted);
    let mut seen = HashSet::new();
    let mut scored: Vec<(f64, &str)> = names
        .filter(|name| name.len() <= MAX_NEAR_BYTES && seen.insert(*name))
        .filter_map(|name| {
            let other = Folded::new(name);
            let comparable = folded.highest_likeness(&other) >= LEAST_LIKENESS;
            let likeness = comparable.then(|| strsim::normalized_damerau_levenshtein(&folded.text, &other.text))?;
            (likeness >= LEAST_LIKENESS).then_some((likeness, name))
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.into_iter().take(most).map(|(_, name)| name.to_owned()).collect()
}

/// A name in lower case with `_` for `-`, and how often each letter is in it.
struct Folded {
    text: String,
    chars: usize,
    counts: [u8; Self::KINDS],
}

impl Folded {
    /// Letters are counted in so many classes: that two share one only raises the bound.
    const KINDS: usize = 64;

    fn new(name: &str) -> Self {
        let text = underscored(&name.to_lowercase());
        let mut counts = [0_u8; Self::KINDS];
        let mut chars = 0;
        for c in text.chars() {
            let count = &mut counts[u32::from(c) as usize % Self::KINDS];
            *count = count.saturating_add(1);
            chars += 1;
        }
        Self { text, chars, counts }
    }

    /// No likeness of the two is higher: each step of a distance mends at most one letter that the other name lacks.
    #[expect(clippy::cast_precision_loss, reason = "at most a few hundred letters")]
    fn highest_likeness(&self, other: &Self) -> f64 {
        let pairs = || self.counts.iter().zip(&other.counts);
        let lacking: usize = pairs().map(|(own, their)| usize::from(own.saturating_sub(*their))).sum();
        let surplus: usize = pairs().map(|(own, their)| usize::from(their.saturating_sub(*own))).sum();
        1.0 - lacking.max(surplus) as f64 / self.chars.max(other.chars).max(1) as f64
    }
}

#[cfg(test)]
#[path = "name_tests.rs"]
mod tests;
