//! Which tool of a server finds what another one must be given.

use std::collections::HashMap;

use super::facts::{Asks, Facts, Parameter};
use crate::text::names::{Mark, Verb, pieces, words};
use crate::text::terms::{stem, words as split};

/// Tools of one thing that are compared with each other.
const MAX_CANDIDATES: usize = 64;
/// A producer that fits less is none.
const LEAST_FIT: f64 = 0.35;
/// How much a parameter says that something must be looked up first, by how it asks.
const BY_ID: f64 = 1.0;
const BY_NAME: f64 = 0.5;
const PLAINLY: f64 = 0.45;
/// What a name by which lists call a thing otherwise leaves of a fit.
const BY_ALIAS: f64 = 0.9;
/// An answer that holds the parameter, by its description.
const IN_ANSWER: f64 = 0.6;
/// A thing that is asked for plainly is looked up where it is listed as just that.
const PLAIN_FIT: f64 = 0.85;
/// What a finder is that says in its first sentence what an id is of.
const IN_SENTENCE: f64 = 0.7;
/// The most words of a description's first sentence that are read for things under another name.
const WORDS_OF_SENTENCE: usize = 14;
/// The most names between backticks that are read in a description.
const MAX_FIELDS: usize = 32;
/// A search that says not of what may find anything.
const SEARCH_OF_ANYTHING: f64 = 0.5;

/// Tools of a server by what they answer with.
pub struct Producers<'f> {
    facts: &'f [Facts],
    by_noun: HashMap<&'f str, Vec<usize>>,
    searches: Vec<usize>,
    /// Finders that say in their description, between backticks, what their answers hold.
    by_field: HashMap<&'f str, Vec<usize>>,
    /// Finders by the plurals of their first sentences.
    by_said: HashMap<String, Vec<usize>>,
}

impl<'f> Producers<'f> {
    pub fn new(facts: &'f [Facts]) -> Self {
        let mut by_noun: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut searches = Vec::new();
        let mut by_said: HashMap<String, Vec<usize>> = HashMap::new();
        let mut by_field: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, tool) in facts.iter().enumerate() {
            let finds = tool.said_to_find || tool.does() == Some(Verb::Finds) || tool.does() == Some(Verb::Gets) && tool.plural;
            for field in tool.described.split('`').skip(1).step_by(2).take(MAX_FIELDS).filter(|_| finds) {
                let tools = by_field.entry(field).or_default();
                if tools.len() < MAX_CANDIDATES {
                    tools.push(at);
                }
            }
            for plural in plurals(&tool.described).filter(|_| finds) {
                let tools: &mut Vec<usize> = by_said.entry(plural).or_default();
                if tools.len() < MAX_CANDIDATES {
                    tools.push(at);
                }
            }
            match tool.nouns.last() {
                Some(noun) => {
                    let tools = by_noun.entry(noun).or_default();
                    if tools.len() < MAX_CANDIDATES {
                        tools.push(at);
                    }
                }
                None if tool.verb_is(Mark::Anything) => searches.push(at),
                None => {}
            }
        }
        Self { facts, by_noun, searches, by_field, by_said }
    }

    /// The tool that best finds what a parameter of a tool asks for, and how well it fits.
    pub fn of(&self, tool: usize, parameter: &Parameter) -> Option<(usize, f64)> {
        let asked = match parameter.asks {
            Asks::ById | Asks::ByNumber => BY_ID,
            Asks::ByName => BY_NAME,
            Asks::Plainly => PLAINLY,
        };
        let head = parameter.thing.last()?;
        let own = self.best(tool, &parameter.thing, 1.0);
        if parameter.asks == Asks::ByNumber && own.is_none_or(|(_, fit)| fit < PLAIN_FIT) {
            return None;
        }
        let aliases = words::aliases(head).iter().filter_map(|alias| self.best(tool, alias, BY_ALIAS));
        let found = own.into_iter().chain(aliases).reduce(|best, other| if other.1 > best.1 { other } else { best });
        let any = || {
            let search = self.searches.iter().find(|at| **at != tool && self.facts[tool].does() != Some(Verb::Finds));
            search.filter(|_| parameter.asks == Asks::ById).map(|at| (*at, SEARCH_OF_ANYTHING))
        };
        let of_field = || self.of_field(tool, parameter).map(|at| (at, IN_ANSWER / asked));
        let own = &self.facts[tool];
        // What is made is named, not looked up.
        let is_made = own.does() == Some(Verb::Creates) && own.nouns.last() == Some(head);
        let is_text =
            parameter.asks == Asks::Plainly && pieces(&parameter.name).last().is_some_and(|word| words::is("texts", word));
        let plain = found.filter(|(_, fit)| *fit >= PLAIN_FIT && !is_made && !is_text);
        let of_said = || self.of_said(tool, parameter).map(|at| (at, IN_SENTENCE));
        found
            .filter(|(_, fit)| fit * asked >= IN_ANSWER)
            .or_else(of_field)
            .or(plain)
            .or_else(of_said)
            .or_else(any)
            .map(|(at, fit)| (at, fit * asked))
    }

    /// The finder whose first sentence says that it lists what an id is of, under another name than its own: "List all audiences
    /// (mailing lists)".
    fn of_said(&self, tool: usize, parameter: &Parameter) -> Option<usize> {
        if parameter.asks != Asks::ById {
            return None;
        }
        let thing = parameter.thing.last()?;
        let free = |at: &usize| *at != tool && !self.facts[*at].parameters.iter().any(|other| other.asks == Asks::ById);
        self.by_said.get(thing.as_str())?.iter().copied().find(free)
    }

    /// The first finder of the tool's own group whose answers hold the parameter.
    fn of_field(&self, tool: usize, parameter: &Parameter) -> Option<usize> {
        let own = &self.facts[tool];
        let fits = |at: &&usize| {
            let other = &self.facts[**at];
            **at != tool && other.group == own.group && !other.parameters.iter().any(|known| known.name == parameter.name)
        };
        self.by_field.get(parameter.name.to_lowercase().as_str())?.iter().find(fits).copied()
    }

    fn best(&self, tool: usize, thing: &[String], weight: f64) -> Option<(usize, f64)> {
        let candidates = self.by_noun.get(thing.last()?.as_str())?.iter().filter(|at| **at != tool);
        let fits = candidates.map(|at| (*at, weight * self.fit(tool, *at, thing))).filter(|(_, fit)| *fit >= LEAST_FIT);
        fits.reduce(|best, other| if other.1 > best.1 { other } else { best })
    }

    /// How well a tool finds a thing for another one, from 0 to 1.
    fn fit(&self, consumer: usize, producer: usize, thing: &[String]) -> f64 {
        let (consumer, producer) = (&self.facts[consumer], &self.facts[producer]);
        if producer.requires(thing) {
            return 0.0;
        }
        let finds = match producer.does() {
            Some(Verb::Finds) => 1.0,
            Some(Verb::Gets) if producer.plural => 0.95,
            None if producer.said_to_find && !producer.nouns.is_empty() => 0.9,
            None if producer.plural => 0.6,
            Some(Verb::Gets) if producer.parameters.is_empty() => 0.6,
            _ => return 0.0,
        };
        let missing = thing.iter().filter(|word| !producer.nouns.contains(word) && !producer.group.contains(word)).count();
        let others = producer.nouns.iter().filter(|noun| !thing.contains(noun));
        let (shared, strangers): (Vec<_>, Vec<_>) =
            others.partition(|noun| consumer.nouns.contains(noun) || consumer.group.contains(noun));
        let named = (1.0 + 0.05 * as_f64(shared.len())) / (1.0 + 0.5 * as_f64(missing) + 0.4 * as_f64(strangers.len()));
        let grouped =
            if consumer.group == producer.group || consumer.group.is_empty() || producer.group.is_empty() { 1.0 } else { 0.6 };
        let costs = 1.0 - 0.04 * as_f64(producer.parameters.len().min(5));
        (finds * named * grouped * costs).min(1.0)
    }
}

fn plurals(described: &str) -> impl Iterator<Item = String> {
    let sentence = described.split(['.', '\n', ';']).next().unwrap_or("");
    let words = split(sentence).into_iter().flat_map(|word| word.pieces).take(WORDS_OF_SENTENCE);
    words.filter(|word| words::is_plural(word)).map(|word| stem(&word))
}

#[expect(clippy::cast_precision_loss, reason = "words of a name are few")]
fn as_f64(count: usize) -> f64 {
    count as f64
}
