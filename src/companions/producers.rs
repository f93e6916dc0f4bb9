//! Which tool of a server finds what another one must be given.

use std::collections::HashMap;

use super::facts::{Asks, Facts, Parameter};
use crate::text::names::{Mark, Verb, words};

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
}

impl<'f> Producers<'f> {
    pub fn new(facts: &'f [Facts]) -> Self {
        let mut by_noun: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut searches = Vec::new();
        let mut by_field: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, tool) in facts.iter().enumerate() {
            let finds = tool.does() == Some(Verb::Finds) || tool.does() == Some(Verb::Gets) && tool.plural;
            for field in tool.described.split('`').skip(1).step_by(2).take(MAX_FIELDS).filter(|_| finds) {
                let tools = by_field.entry(field).or_default();
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
        Self { facts, by_noun, searches, by_field }
    }

    /// The tool that best finds what a parameter of a tool asks for, and how well it fits.
    pub fn of(&self, tool: usize, parameter: &Parameter) -> Option<(usize, f64)> {
        let asked = match parameter.asks {
            Asks::ById => BY_ID,
            Asks::ByName => BY_NAME,
            Asks::Plainly => PLAINLY,
        };
        let head = parameter.thing.last()?;
        let own = self.best(tool, &parameter.thing, 1.0);
        let aliases = words::aliases(head).iter().filter_map(|alias| self.best(tool, alias, BY_ALIAS));
        let found = own.into_iter().chain(aliases).reduce(|best, other| if other.1 > best.1 { other } else { best });
        let any = || {
            let search = self.searches.iter().find(|at| **at != tool && self.facts[tool].does() != Some(Verb::Finds));
            search.filter(|_| parameter.asks == Asks::ById).map(|at| (*at, SEARCH_OF_ANYTHING))
        };
        let of_field = || self.of_field(tool, parameter).map(|at| (at, IN_ANSWER / asked));
        found.filter(|(_, fit)| fit * asked >= IN_ANSWER).or_else(of_field).or_else(any).map(|(at, fit)| (at, fit * asked))
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

#[expect(clippy::cast_precision_loss, reason = "words of a name are few")]
fn as_f64(count: usize) -> f64 {
    count as f64
}
