//! Modules: a server of many tools, divided by what its tools are about, so that a model can ask for a part of it.
//!
//! A tool belongs where the words of its own name say, and nearly nothing else decides: a topic is a word that at least
//! [`FEWEST`] tools begin with, and a module that outgrows [`MOST`] gives away one part of it and keeps the rest. So one tool
//! more, less or of another name moves few others (`tests/modules.rs` has the bound), and the order of the tools none.

mod core;
mod topics;

use std::collections::{BTreeMap, HashSet};

pub use self::core::core_order;
use crate::companions::{Companions, ToolText};
use crate::text::names::{NameParts, Verb, name_parts};
use topics::{Topic, spelled};

/// A server of more tools than this is divided. Below it, one answer can name them all.
pub const DIVIDED_FROM: usize = 30;
/// Maximum number of tools per module: past 15 to 20 models choose worse, and a module is loaded beside other tools.
pub const MOST: usize = 25;
/// A topic has this many tools at least; what fewer tools are about stays with the rest.
pub const FEWEST: usize = 3;
/// Topics of this many tools are told apart first, so that a large module becomes few others.
const LARGE: usize = 8;
/// What is about nothing in particular.
const REST: &str = "other";
/// The part of a module whose tools only read.
const READING: &str = "read";
/// What begins the word that says where in the alphabet a part begins, and how many of the letters before that it shows.
const FROM: &str = "from-";
const SHOWN_LETTERS: usize = 10;
/// The most letters of names that are compared where nothing else tells tools apart.
const MAX_LETTERS: usize = 48;

/// A part of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// What it is called, without its server: words of its tools, joined by `-`.
    pub name: String,
    /// The places of its tools among those of the server: the core first.
    pub tools: Vec<usize>,
    /// Whether all of them only read.
    pub reads_only: bool,
}

struct Item {
    at: usize,
    name: String,
    /// The letters and digits of its name, of the alphabet that most names are written in.
    letters: String,
    /// Of its name, in order: the things that it is about.
    topics: Vec<Topic>,
    /// The same of the first sentence of its description.
    said: Vec<Topic>,
    reads: bool,
}

/// The modules of a server, by name; none for a server of few tools.
pub fn divide(server_name: &str, tools: &[ToolText<'_>], companions: &Companions) -> Vec<Module> {
    if tools.len() <= DIVIDED_FROM {
        return Vec::new();
    }
    let parts: Vec<NameParts> = tools.iter().map(|tool| name_parts(server_name, tool.name)).collect();
    let reads = |at: usize| tools[at].read_only || matches!(parts[at].does, Some(Verb::Finds | Verb::Gets));
    let mut items: Vec<Item> = tools
        .iter()
        .zip(&parts)
        .enumerate()
        .map(|(at, (tool, parts))| Item {
            at,
            name: tool.name.to_lowercase(),
            letters: tool.name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect(),
            topics: topics::of_words(&parts.words),
            said: topics::of_sentence(tool.description),
            reads: reads(at),
        })
        .collect();
    items.sort_by(|a, b| (&a.name, a.at).cmp(&(&b.name, b.at)));
    let names = spelled(&items.iter().flat_map(|item| &item.topics).collect::<Vec<_>>());
    let mut division = Division { names, found: Vec::new() };
    division.topmost(&items.iter().collect::<Vec<_>>());
    let mut given = HashSet::new();
    let mut modules = Vec::new();
    division.found.sort_by(|a, b| a.0.cmp(&b.0));
    for (path, items) in division.found {
        let base = path.join("-");
        let mut name = base.clone();
        let mut count = 1;
        while !given.insert(name.clone()) {
            count += 1;
            name = format!("{base}-{count}");
        }
        let members: Vec<usize> = items.iter().map(|item| item.at).collect();
        let tools = core_order(tools, &parts, companions, &members);
        modules.push(Module { name, tools, reads_only: items.iter().all(|item| item.reads) });
    }
    modules
}

struct Division<'i> {
    /// How each topic is written.
    names: BTreeMap<String, String>,
    found: Vec<(Vec<String>, Vec<&'i Item>)>,
}

/// Tools by topic, and those of none.
type Parts<'i> = (BTreeMap<String, Vec<&'i Item>>, Vec<&'i Item>);

impl<'i> Division<'i> {
    fn topmost(&mut self, items: &[&'i Item]) {
        let (parts, rest) = by_topic(items, &[]);
        let topics: HashSet<String> = parts.keys().cloned().collect();
        let mut parts = parts;
        let mut others = Vec::new();
        // What no name says the description may.
        for item in rest {
            match item.said.iter().find(|topic| topics.contains(&topic.stem)) {
                Some(topic) => parts.entry(topic.stem.clone()).or_default().push(item),
                None => others.push(item),
            }
        }
        for (stem, items) in parts {
            self.place(items, &[stem]);
        }
        if !others.is_empty() {
            self.place(others, &[]);
        }
    }

    /// Finds modules for tools that share the topics of `path`.
    fn place(&mut self, items: Vec<&'i Item>, path: &[String]) {
        let mut rest = items;
        if rest.len() > MOST {
            let (parts, _) = by_topic(&rest, path);
            let mut parts: Vec<_> = parts.into_iter().collect();
            parts.sort_by(|a, b| (a.1.len() < LARGE).cmp(&(b.1.len() < LARGE)).then_with(|| a.0.cmp(&b.0)));
            for (stem, part) in parts {
                if rest.len() <= MOST {
                    break;
                }
                rest.retain(|item| !part.iter().any(|other| other.at == item.at));
                self.place(part, &[path, &[stem]].concat());
            }
        }
        let name: Vec<String> = path.iter().map(|stem| self.names.get(stem).cloned().unwrap_or_else(|| stem.clone())).collect();
        let name = if name.is_empty() { vec![REST.to_owned()] } else { name };
        if rest.len() > MOST {
            let (reading, others): (Vec<_>, Vec<_>) = rest.iter().copied().partition(|item| item.reads);
            if !reading.is_empty() && !others.is_empty() {
                rest = others;
                self.by_letters(reading, &[&name[..], &[READING.to_owned()]].concat());
            }
        }
        self.by_letters(rest, &name);
    }

    /// The last resort: by the letters of the names, of which the later part goes. Parts of the alphabet are halved, so where
    /// one ends depends on no other name.
    fn by_letters(&mut self, items: Vec<&'i Item>, name: &[String]) {
        let mut rest = items;
        let mut shared = String::new();
        let (mut from, mut to) = (0, LETTERS);
        while rest.len() > MOST && shared.len() < MAX_LETTERS {
            let at = shared.len();
            let place = |item: &Item| item.letters.as_bytes().get(at).map_or(0, |letter| letter_place(*letter));
            if to - from <= 1 {
                // All that is left begins alike: the next letter tells.
                let letter = rest.first().and_then(|item| item.letters.as_bytes().get(at)).copied();
                let Some(letter) = letter else { break };
                shared.push(char::from(letter));
                (from, to) = (0, LETTERS);
                continue;
            }
            let middle = usize::midpoint(from, to);
            let (kept, gone): (Vec<_>, Vec<_>) = rest.iter().copied().partition(|item| place(item) < middle);
            if kept.is_empty() {
                from = middle;
                continue;
            }
            to = middle;
            if !gone.is_empty() {
                rest = kept;
                // Only the last of such words says where a part begins, and its last letters say it best.
                let base: Vec<String> = name.iter().filter(|word| !word.starts_with(FROM)).cloned().collect();
                let shown = &shared[shared.len().saturating_sub(SHOWN_LETTERS)..];
                self.by_letters(gone, &[&base[..], &[format!("{FROM}{shown}{}", letter_at(middle))]].concat());
            }
        }
        // Names that differ only past all that is read are cut where the module is full.
        for (at, part) in rest.chunks(MOST).enumerate() {
            let name = if at == 0 { name.to_vec() } else { [name, &[format!("{}", at + 1)]].concat() };
            self.found.push((name, part.to_vec()));
        }
    }
}

/// Digits, letters, and everything else.
const LETTERS: usize = 37;

fn letter_place(letter: u8) -> usize {
    match letter {
        b'0'..=b'9' => usize::from(letter - b'0'),
        b'a'..=b'z' => 10 + usize::from(letter - b'a'),
        _ => LETTERS - 1,
    }
}

fn letter_at(place: usize) -> char {
    u32::try_from(place).ok().and_then(|place| char::from_digit(place, 36)).unwrap_or('z')
}

/// Tools by the first topic of their names, among those that are not in `path`, that at least [`FEWEST`] begin with.
fn by_topic<'i>(items: &[&'i Item], path: &[String]) -> Parts<'i> {
    let open = |item: &'i Item| item.topics.iter().filter(|topic| !path.contains(&topic.stem));
    let mut leading: BTreeMap<&str, usize> = BTreeMap::new();
    for item in items {
        if let Some(topic) = open(item).next() {
            *leading.entry(&topic.stem).or_default() += 1;
        }
    }
    let is_topic = |topic: &&'i Topic| leading.get(topic.stem.as_str()).is_some_and(|count| *count >= FEWEST);
    let mut parts: BTreeMap<String, Vec<&'i Item>> = BTreeMap::new();
    let mut rest = Vec::new();
    for item in items {
        match open(item).find(is_topic) {
            Some(topic) => parts.entry(topic.stem.clone()).or_default().push(item),
            None => rest.push(*item),
        }
    }
    (parts, rest)
}
