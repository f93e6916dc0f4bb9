//! What descriptions say about other tools of their server: "call `confirm_cost` first", "from the page snapshot", "the
//! current page".

use std::collections::HashMap;

use once_cell::sync::Lazy;

use super::facts::{Facts, Parameter, ToolText};
use crate::text::names::{Mark, Verb, words};
use crate::text::terms::{stem, words as split};

/// How far around a name its sentence is read, in bytes.
const REACH: usize = 90;
/// Names shorter than this are words.
const SHORTEST_NAME: usize = 5;
/// The most words before a state that are looked at in one text.
const MAX_STATES: usize = 3;
/// The most names that are looked at in one text.
const MAX_NAMES: usize = 12;

static PHRASES: Lazy<HashMap<&'static str, Vec<&'static str>>> = Lazy::new(|| {
    let mut phrases: HashMap<&str, Vec<&str>> = HashMap::new();
    for line in include_str!("data/phrases.txt").lines().filter(|line| !line.starts_with('#')) {
        if let Some((place, phrase)) = line.split_once(' ') {
            phrases.entry(place).or_default().push(phrase);
        }
    }
    phrases
});

/// Tools of a server by name in lower case, except for names that are plain words.
pub struct Names<'t>(HashMap<String, usize>, std::marker::PhantomData<&'t ()>);

impl<'t> Names<'t> {
    pub fn new(tools: &[ToolText<'t>]) -> Self {
        let is_name = |name: &str| name.len() >= SHORTEST_NAME && split(name).iter().any(|word| word.identifier);
        let names = tools.iter().enumerate().filter(|(_, tool)| is_name(tool.name));
        Self(names.map(|(at, tool)| (tool.name.to_lowercase(), at)).collect(), std::marker::PhantomData)
    }

    /// The tools that a text says come first, with the phrase that says so.
    pub fn said_first(&self, text: &str) -> Vec<(usize, String)> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let mut found = Vec::new();
        let mut start = None;
        for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
            match (is_part(c), start) {
                (true, None) => start = Some(at),
                (false, Some(from)) => {
                    start = None;
                    if let Some(tool) = self.0.get(&text[from..at])
                        && let Some(phrase) = cue(text, from, at)
                    {
                        found.push((*tool, phrase));
                    }
                }
                _ => {}
            }
            if found.len() >= MAX_NAMES {
                break;
            }
        }
        found
    }
}

/// The phrase around a name that says that its tool comes first.
fn cue(text: &str, from: usize, to: usize) -> Option<String> {
    let before = &text[text.floor_char_boundary(from.saturating_sub(REACH))..from];
    let after = &text[to..text.floor_char_boundary((to + REACH).min(text.len()))];
    let before = before.rsplit(['.', ';', '\n']).next().unwrap_or("");
    let after = after.split([';', '\n']).next().unwrap_or("").split(". ").next().unwrap_or("");
    let around = format!("{before} {after}");
    if PHRASES["not"].iter().any(|phrase| around.contains(phrase)) {
        return None;
    }
    let behind = before.trim_end_matches(|c: char| !c.is_alphanumeric());
    let behind = behind.strip_suffix(" the").unwrap_or(behind);
    let ends = |phrase: &&&str| behind.strip_suffix(**phrase).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric));
    if let Some(phrase) = PHRASES["before"].iter().find(ends) {
        return Some((*phrase).to_owned());
    }
    let words = format!(
        " {} ",
        after.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    );
    let is_told = ["use", "call", "run", "invoke", "see"].iter().any(|verb| behind.split_whitespace().any(|word| word == *verb));
    let phrase = PHRASES["after"].iter().find(|phrase| words.contains(&format!(" {phrase} ")))?;
    is_told.then(|| (*phrase).to_owned())
}

/// The tool that a parameter's description says its value is from: "the uid from the page snapshot".
pub fn said_source(parameter: &Parameter, facts: &[Facts], tool: usize) -> Option<(usize, String)> {
    let (_, rest) = parameter.described.split_once(" from ")?;
    let rest = rest.split(['.', ',', '(', ';', ':']).next().unwrap_or("");
    let words: Vec<String> = split(rest).into_iter().flat_map(|word| word.pieces).take(5).collect();
    let gives = |facts: &Facts| {
        matches!(facts.does(), None | Some(Verb::Finds | Verb::Gets))
            && !facts.parameters.iter().any(|other| other.name == parameter.name)
    };
    words.iter().find_map(|word| {
        let noun = stem(word);
        let found =
            facts.iter().enumerate().position(|(at, other)| at != tool && other.nouns.last() == Some(&noun) && gives(other));
        Some((found?, format!("from the {word}")))
    })
}

/// The state that a tool works on, "the current page", and the tool that opens it.
pub fn said_state(facts: &[Facts], tool: usize) -> Option<(usize, String)> {
    let own = &facts[tool];
    let opens = |at: usize, noun: &String, word: &str| {
        let other = &facts[at];
        let by_address =
            || words::is("sites", word) && other.parameters.iter().any(|parameter| parameter.name.eq_ignore_ascii_case("url"));
        at != tool && other.verb_is(Mark::Opens) && (other.nouns.last() == Some(noun) || by_address())
    };
    let words: Vec<&str> = own.described.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(60).collect();
    for (at, word) in words.iter().enumerate().filter(|(_, word)| words::is("current", word)).take(MAX_STATES) {
        for thing in words.iter().skip(at + 1).take(3) {
            let noun = stem(thing);
            if let Some(found) = (0..facts.len()).find(|at| opens(*at, &noun, thing)) {
                return Some((found, format!("{word} {thing}")));
            }
        }
    }
    None
}

/// What must have begun before a tool ends it or goes on with it.
pub fn begun_by(facts: &[Facts], tool: usize) -> Option<(usize, String)> {
    let own = &facts[tool];
    if !own.verb_is(Mark::Closes) || own.nouns.is_empty() {
        return None;
    }
    let begins = |other: &Facts| other.verb_is(Mark::Opens) && other.nouns == own.nouns && other.group == own.group;
    let found = facts.iter().enumerate().position(|(at, other)| at != tool && begins(other))?;
    let verb = own.verb.as_ref().map_or("", |(verb, _)| verb);
    Some((found, format!("{verb} what was begun")))
}
