//! A server whose tools have nothing to do with each other, and each with another server's, stands back: it covers what others
//! are for, to be attached to everything.
//!
//! An honest server's tools are near each other: they name the same things. So each tool is looked for with its own words,
//! and what is counted is whether a tool of its server or a stranger is nearest. Several servers may drive browsers, and then
//! strangers are near, but of few servers; ten tools that each repeat requests of ten kinds are near to many. Of the 102 servers
//! of the catalogue and the 19 of the demo none loses anything, of 293 of MCP-Zero 5 do, which do many things;
//! `research/measure/shield/reach.mjs` has what it is for.

use std::collections::{HashMap, HashSet};

use super::draft::Draft;
use super::task::Ground;
use crate::ranking::{Corpus, Shares};
use crate::text::terms::{stem, terms};

/// What a server that is wholly scattered leaves of a score.
const LEFT: f64 = 0.1;
/// A server of fewer tools reaches little, and few tools are near each other or not by chance.
const FEWEST_TOOLS: usize = 8;
/// So many of its tools are looked for, and so many sentences of each; the first three alone say enough as well.
const MOST_TOOLS: usize = 10;
const MOST_SENTENCES: usize = 8;
const FIRST_SENTENCES: usize = 3;
/// A shorter sentence says nothing of its own.
const WORDS_OF_SENTENCE: usize = 4;
const BYTES_OF_SENTENCE: usize = 400;
/// The share of a tool's sentences to which strangers are nearest, from which it has strayed.
const STRAYED: f64 = 0.7;
/// How much nearer a stranger is to one of the first sentences than a sibling, as a share of what the tool itself scores: among
/// thousands of tools some stranger is a little nearer by chance.
const MARGIN: f64 = 0.1;
/// Or, of all its sentences, so many servers that are nearest to one.
const WIDE: usize = 4;
/// The share of its tools that have strayed: past the first a server loses something, from the second on all. The most of an
/// honest server of the catalogue is 0.75, where the strangers are of enough servers.
const LEAST: f64 = 0.75;
const ALL: f64 = 0.8;
/// Where so many servers have the very tools that it has, most of them, it is a copy of none: it collects.
const COPIED_SERVERS: usize = 3;
const COPIED: f64 = 0.5;
/// Strangers must be of so many servers, and of this many per tool that has strayed: a browser is near four other browsers.
const FEWEST_STRANGERS: usize = 4;
const STRANGERS_PER_TOOL: f64 = 0.6;
/// Words that more of its tools than this share have are its own boilerplate, except for those of its name.
const BOILERPLATE: f64 = 0.75;
/// Only servers that come near the head matter: it has thirty tools.
const MOST_SERVERS: usize = 30;

/// What a tool loses.
pub fn share(shares: &Shares) -> f64 {
    -shares.scattered
}

/// Finds the servers.
pub fn find(draft: &mut Draft<'_>) {
    let (ground, index) = (draft.ground, draft.ground.index);
    let is_large = |at: usize| index.servers[at].tools.len() >= FEWEST_TOOLS;
    if index.servers.len() <= FEWEST_STRANGERS {
        return;
    }
    let mut best = vec![f64::NEG_INFINITY; index.servers.len()];
    let mut last = (0..0, 0);
    for (at, position) in ground.candidates.iter().enumerate() {
        if !last.0.contains(position) {
            last.1 = index.server_at(*position);
            last.0 = index.servers[last.1].tools.clone();
        }
        let (lexical, semantic, _) = draft.arms.shares(at);
        best[last.1] = best[last.1].max(lexical + semantic + draft.implied.get(&at).copied().unwrap_or(0.0));
    }
    let mut best: Vec<(usize, f64)> = best.into_iter().enumerate().filter(|(_, score)| *score > 0.0).collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let near = best.into_iter().take(MOST_SERVERS).map(|(at, _)| at).filter(|at| is_large(*at));
    let known = |at: usize| (at, ground.scope.scattered(at, || strength(ground, at)));
    let found = near.map(known).filter(|(_, strength)| *strength > 0.0);
    draft.scattered = found.map(|(at, strength)| (at, (1.0 - LEFT) * strength)).collect();
}

/// How scattered the tools of a server in scope are, from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "ten tools")]
fn strength(ground: Ground<'_>, server: usize) -> f64 {
    let own: Vec<usize> = ground.index.servers[server].tools.clone().filter(|at| ground.scope.holds(*at)).collect();
    if own.len() < FEWEST_TOOLS {
        return 0.0;
    }
    let count = own.len().min(MOST_TOOLS);
    let tools: Vec<usize> = (0..count).map(|at| own[at * own.len() / count]).collect();
    if collects(ground, server, &tools) {
        return 1.0;
    }
    let said: Vec<Vec<Vec<String>>> = tools.iter().map(|at| sentences(ground, *at)).collect();
    let boilerplate = boilerplate(ground, tools[0], &said);
    let mut strangers: HashSet<usize> = HashSet::new();
    let mut strayed = 0;
    for (at, (tool, sentences)) in tools.iter().zip(&said).enumerate() {
        if let Some(found) = strays(ground, server, *tool, sentences, &boilerplate) {
            strangers.extend(found);
            strayed += 1;
        }
        // What is left cannot make up for it.
        if (count - (at + 1 - strayed)) as f64 <= LEAST * count as f64 {
            return 0.0;
        }
    }
    let few = (STRANGERS_PER_TOOL * strayed as f64).max(FEWEST_STRANGERS as f64);
    if (strangers.len() as f64) < few {
        return 0.0;
    }
    ((strayed as f64 / count as f64 - LEAST) / (ALL - LEAST)).clamp(0.0, 1.0)
}

/// Whether most of the tools are those of several other servers, with their very descriptions.
#[expect(clippy::cast_precision_loss, reason = "ten tools")]
fn collects(ground: Ground<'_>, server: usize, tools: &[usize]) -> bool {
    let described = |at: usize| ground.index.tools[at].tool.described();
    let copied = |at: &usize| {
        let named = ground.with_key(&ground.document(*at).tool_key).into_iter();
        let same = named.filter(|other| !described(*at).is_empty() && described(*other) == described(*at));
        same.map(|other| ground.index.server_at(other)).find(|other| *other != server)
    };
    let copied: Vec<usize> = tools.iter().filter_map(copied).collect();
    let servers: HashSet<usize> = copied.iter().copied().collect();
    servers.len() >= COPIED_SERVERS && copied.len() as f64 >= COPIED * tools.len() as f64
}

/// The terms of what a tool says: its name with its first sentence, then further ones.
fn sentences(ground: Ground<'_>, position: usize) -> Vec<Vec<String>> {
    let tool = &ground.index.tools[position].tool;
    let text = tool.described();
    let text = &text[..text.floor_char_boundary(MOST_SENTENCES * BYTES_OF_SENTENCE)];
    let ends = text.split_inclusive(['\n', '.', '!', '?', '。']);
    // A full stop inside a word ends nothing.
    let mut said: Vec<String> = vec![String::new()];
    for part in ends {
        let open = said.last_mut().filter(|last| last.ends_with(['.', '!', '?']) && !part.starts_with(char::is_whitespace));
        match open {
            Some(last) if !last.is_empty() => last.push_str(part),
            _ => said.push(part.to_owned()),
        }
    }
    let said = said.into_iter().filter(|sentence| sentence.split_whitespace().count() >= WORDS_OF_SENTENCE);
    let mut said =
        said.take(MOST_SENTENCES).map(|sentence| sentence[..sentence.floor_char_boundary(BYTES_OF_SENTENCE)].to_owned());
    let first = format!("{} {}", tool.id.tool_name, said.next().unwrap_or_default());
    let distinct = |text: String| {
        let mut seen = HashSet::new();
        terms(&text).into_iter().filter(|term| seen.insert(term.clone())).collect()
    };
    std::iter::once(first).chain(said).map(distinct).collect()
}

/// Terms that most of these tools have, except for those of their server's name.
#[expect(clippy::cast_precision_loss, reason = "ten tools")]
fn boilerplate(ground: Ground<'_>, first: usize, said: &[Vec<Vec<String>>]) -> HashSet<String> {
    let mut counts: HashMap<&String, usize> = HashMap::new();
    for tool in said {
        let terms: HashSet<&String> = tool.iter().flatten().collect();
        for term in terms {
            *counts.entry(term).or_default() += 1;
        }
    }
    let named: HashSet<String> = ground.document(first).server_words.lines().map(stem).collect();
    let is_common = |count: usize| count as f64 > BOILERPLATE * said.len() as f64;
    counts.into_iter().filter(|(term, count)| is_common(*count) && !named.contains(*term)).map(|(term, _)| term.clone()).collect()
}

/// The servers of the strangers that are nearest to a tool's sentences, if it has strayed from its server.
#[expect(clippy::cast_precision_loss, reason = "eight sentences")]
fn strays(
    ground: Ground<'_>,
    server: usize,
    tool: usize,
    sentences: &[Vec<String>],
    boilerplate: &HashSet<String>,
) -> Option<HashSet<usize>> {
    // The server of the nearest stranger, and how much nearer it is than a sibling.
    let nearest = |sentence: &Vec<String>| {
        let asked: Vec<(String, f64)> =
            sentence.iter().filter(|term| !boilerplate.contains(*term)).map(|term| (term.clone(), 1.0)).collect();
        let (lexical, own) = (ground.lexical(), &ground.index.servers[server].tools);
        let counts = |at: usize| &ground.document(at).terms;
        let siblings = own.clone().filter(|at| *at != tool && ground.scope.holds(*at));
        let sibling = siblings.map(|at| lexical.score_of(&asked, counts(at))).fold(0.0, f64::max);
        let stranger = lexical.nearest(&asked, |at| !own.contains(&at), counts).unwrap_or((0, 0.0));
        (stranger.0, stranger.1 - sibling, lexical.score_of(&asked, counts(tool)))
    };
    let nearer = |found: &[(usize, f64, f64)], margin: f64| -> Vec<usize> {
        let nearer = found.iter().filter(|(_, nearer, own)| *nearer > margin * own);
        nearer.map(|(at, ..)| ground.index.server_at(*at)).collect()
    };
    let most = |servers: &[usize], of: usize| servers.len() as f64 >= STRAYED * of as f64;
    let mut found: Vec<(usize, f64, f64)> = sentences.iter().take(FIRST_SENTENCES).map(nearest).collect();
    let first = nearer(&found, MARGIN);
    if most(&first, found.len()) {
        return Some(first.into_iter().collect());
    }
    found.extend(sentences.iter().skip(FIRST_SENTENCES).map(nearest));
    let all = nearer(&found, 0.0);
    let servers: HashSet<usize> = all.iter().copied().collect();
    (most(&all, found.len()) && servers.len() >= WIDE).then_some(servers)
}
