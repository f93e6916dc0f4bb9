//! Products that a request does not want: "a ticket, but not in Jira".
//!
//! To words and vectors alike, "not Jira" is a request about Jira. So the phrase is left out of what
//! is ranked, and the tools that carry the name are lowered. Only names of products are negated
//! (words of servers' names, and words of tools' names that are no English): "why is the build not
//! running" says nothing about tools that run builds, nor "without time zone" about a server called time.

use std::ops::Range;

use once_cell::sync::Lazy;

use super::request::{Negated, Query};
use super::vocabulary::Vocabulary;
use crate::text::cut::{self, Rule};
use crate::text::english::is_english_form;
use crate::text::language::{all, all_sequences};
use crate::text::terms::name_key;

/// The longest name of a product, in words.
const LONGEST_PRODUCT: usize = 3;
/// A negation with all the names it lists ends within so many words: a pasted text has thousands.
const LONGEST_PHRASE: usize = 24;
/// Words between the negation and the name: "not in the company's Jira".
const MOST_FILLERS: usize = 3;
/// A request that has fewer words left asked about the product itself.
const FEWEST_WORDS: usize = 2;

/// Words that negate what follows, longest first.
static NEGATIONS: Lazy<Vec<Vec<&'static str>>> = Lazy::new(|| all_sequences(|language| language.negation.negations.as_slice()));
static WORDS: Lazy<Words> = Lazy::new(|| Words {
    fillers: all(|language| language.negation.fillers.as_slice()),
    joiners: all(|language| language.negation.negated_list_joiners.as_slice()),
    polite: all(|language| language.request.polite.as_slice()),
    facts: all(|language| language.negation.facts.as_slice()),
    negatives: all(|language| language.negation.negatives.as_slice()),
    doubled: all(|language| language.negation.doubled.as_slice()),
});

/// Words around a negation, of all languages; see [`crate::text::language::Language`].
struct Words {
    fillers: Vec<&'static str>,
    joiners: Vec<&'static str>,
    polite: Vec<&'static str>,
    facts: Vec<&'static str>,
    negatives: Vec<&'static str>,
    doubled: Vec<&'static str>,
}

/// The step: leaves unwanted products out of what is ranked, and remembers them. It leaves the names
/// of tools that the query has.
pub(super) fn leave_out(query: &mut Query, vocabulary: &Vocabulary) {
    if let Some((kept, negated)) = negated(&query.ranked, vocabulary) {
        (query.ranked, query.negated) = (kept, negated);
    }
}

/// The text without what it does not want, and what that is; `None` when it wants all it names.
pub fn negated(text: &str, vocabulary: &Vocabulary) -> Option<(String, Negated)> {
    let written = Written::read(text);
    let (words, lower) = (&written.words, &written.lower);
    let mut negated = Negated::default();
    let mut left_out: Vec<Range<usize>> = Vec::new();
    let mut wanted = vec![true; words.len()];
    let mut at = 0;
    while at < words.len() {
        let refuses = begins(lower, at).is_some() && !asked_or_stated(&lower[..at], &lower[at]);
        let found = if refuses { written.sentence(at).phrase(at, vocabulary) } else { None };
        let Some((names, end)) = found else {
            at += 1;
            continue;
        };
        negated.products.extend(names);
        left_out.push(words[at].start..words[end - 1].end);
        wanted[at..end].fill(false);
        at = end;
    }
    // A product that stands elsewhere too is wanted there: "pull requests of GitHub, not the GitHub issues".
    let elsewhere = (0..words.len()).any(|at| {
        (1..=LONGEST_PRODUCT.min(words.len() - at)).any(|length| {
            wanted[at..at + length].iter().all(|wanted| *wanted)
                && negated.products.contains(&name_key(&lower[at..at + length].concat()))
        })
    });
    let left = wanted.iter().filter(|wanted| **wanted).count();
    if left_out.is_empty() || elsewhere || left < FEWEST_WORDS {
        return None;
    }
    let mut kept = String::with_capacity(text.len());
    let mut done = 0;
    for range in left_out {
        kept.push_str(&text[done..range.start]);
        done = range.end;
    }
    kept.push_str(&text[done..]);
    Some((kept, negated))
}

/// Whether the words before say that a negation is none: a fact ("is not in GitHub yet"), a proposal
/// ("why not use Slack"), or two negations ("nothing without GitHub").
fn asked_or_stated(before: &[String], word: &str) -> bool {
    let fact = word == "not" && before.last().is_some_and(|last| WORDS.facts.contains(&last.as_str()));
    let doubled =
        WORDS.doubled.contains(&word) && before.iter().rev().take(5).any(|word| WORDS.negatives.contains(&word.as_str()));
    // "but not in Mailchimp" of contacts that are in Hubspot states a fact as well.
    let contrast = word == "not"
        && before.len() > 1
        && before[before.len() - 1] == "but"
        && before.iter().rev().take(LONGEST_PHRASE).any(|word| word == "that");
    fact || doubled || contrast
}

/// How many words of a negation stand at a place, with at least one after them.
fn begins(lower: &[String], at: usize) -> Option<usize> {
    let stands = |words: &&Vec<&str>| lower[at..].len() > words.len() && words.iter().zip(&lower[at..]).all(|(a, b)| a == b);
    NEGATIONS.iter().find(stands).map(Vec::len)
}

/// The words of a text and the marks between them.
struct Written {
    words: Vec<Range<usize>>,
    lower: Vec<String>,
    /// Whether it begins with a capital.
    capitals: Vec<bool>,
    /// Whether a comma stands after it.
    commas: Vec<bool>,
    /// Whether a mark after it ends a sentence, and with it a negation: "merged or not? In GitHub, open an issue".
    ends: Vec<bool>,
}

impl Written {
    fn read(text: &str) -> Self {
        let words = cut::words(text, Rule::Written);
        // What stands between a word and the next.
        let gap = |at: usize| words.get(at + 1).map_or("", |next| &text[words[at].end..next.start]);
        Self {
            lower: words.iter().map(|word| text[word.clone()].to_lowercase().replace('’', "'")).collect(),
            capitals: words.iter().map(|word| text[word.clone()].starts_with(char::is_uppercase)).collect(),
            commas: (0..words.len()).map(|at| gap(at).contains([',', '，', '、'])).collect(),
            ends: (0..words.len()).map(|at| gap(at).contains(['.', '?', '!', ';', '\n'])).collect(),
            words,
        }
    }

    /// The sentence of a word as far as a negation may reach.
    fn sentence(&self, at: usize) -> Sentence<'_> {
        let reach = self.words.len().min(at + LONGEST_PHRASE);
        let end = (at..reach).find(|at| self.ends[*at]).map_or(reach, |at| at + 1);
        Sentence { lower: &self.lower[..end], commas: &self.commas[..end], capitals: &self.capitals[..end] }
    }
}

/// Words up to the end of a sentence.
struct Sentence<'t> {
    lower: &'t [String],
    commas: &'t [bool],
    capitals: &'t [bool],
}

impl Sentence<'_> {
    /// Reads a negation with the products it names; the place after it.
    fn phrase(&self, at: usize, vocabulary: &Vocabulary) -> Option<(Vec<String>, usize)> {
        let length = begins(self.lower, at)?;
        let mut place = at + length;
        let mut names = Vec::new();
        let mut end = place;
        loop {
            let fillers =
                self.lower[place..].iter().take(MOST_FILLERS).take_while(|word| WORDS.fillers.contains(&word.as_str())).count();
            let Some((name, after)) = self.product(place + fillers, length == 1, vocabulary) else { break };
            names.push(name);
            end = after;
            // "don't use Jira and use GitHub": a new verb begins what is wanted.
            let verb = |word: &String| matches!(word.as_str(), "use" | "using" | "to" | "open");
            place = if self.is_joined(after) && !self.lower.get(after + 1).is_some_and(verb) {
                after + 1
            } else if self.is_listed(after, length == 1, vocabulary) {
                after
            } else {
                break;
            };
        }
        let negates = !names.is_empty() && (self.lower[at] != "no" || self.is_wish(at, end));
        negates.then_some((names, end))
    }

    /// Whether "no" with products is a wish: "but no Jira", "no Jira, please". Else it is an answer ("no,
    /// Jira"), a fact ("no Jira ticket says so"), or Portuguese for "in".
    fn is_wish(&self, at: usize, end: usize) -> bool {
        let contrasted = at > 0 && matches!(self.lower[at - 1].as_str(), "but" | "and" | "with");
        !self.commas[at] && ((contrasted && self.closes(end)) || self.lower.get(end).is_some_and(|word| is_polite(word)))
    }

    /// The product that is named at a place, the longest, and the place after it. After a bare "not" or
    /// "without" an English word in lower case is one only where nothing follows that it may belong to:
    /// "without time zone" says nothing about a server that is called time.
    fn product(&self, start: usize, bare: bool, vocabulary: &Vocabulary) -> Option<(String, usize)> {
        let longest = LONGEST_PRODUCT.min(self.lower.len().saturating_sub(start));
        (1..=longest).rev().find_map(|length| {
            let name = name_key(&self.lower[start..start + length].concat());
            let everyday = bare && length == 1 && !self.capitals[start] && !self.closes(start + 1) && is_english_form(&name);
            (vocabulary.is_product(&name) && !everyday).then_some((name, start + length))
        })
    }

    fn is_joined(&self, at: usize) -> bool {
        self.lower.get(at).is_some_and(|word| WORDS.joiners.contains(&word.as_str()))
    }

    /// Whether what is named ends before a place: with the sentence, at a comma, or where a list or a
    /// contrast goes on.
    fn closes(&self, at: usize) -> bool {
        self.commas[at - 1] || self.is_joined(at) || self.lower.get(at).is_none_or(|word| word == "but" || is_polite(word))
    }

    /// Whether a product after a comma is one of a list: "Jira, Slack or GitHub". Without the last "or"
    /// it may begin what is wanted.
    fn is_listed(&self, at: usize, bare: bool, vocabulary: &Vocabulary) -> bool {
        if !self.commas[at - 1] {
            return false;
        }
        let Some((_, after)) = self.product(at, bare, vocabulary) else { return false };
        let last = self.is_joined(after) && self.product(after + 1, bare, vocabulary).is_some();
        last || self.is_listed(after, bare, vocabulary)
    }
}

fn is_polite(word: &str) -> bool {
    WORDS.polite.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::super::examples;
    use super::*;
    use crate::document::tool::ToolDocument;

    fn vocabulary() -> Vocabulary {
        let tools = [
            ("github", "create_issue"),
            ("atlassian", "jira_create_issue"),
            ("browser-tools", "run_audit"),
            ("slack", "post_message"),
            ("time", "convert"),
        ];
        let tools = tools.map(|(server, tool)| ToolDocument::named(server, tool));
        Vocabulary::build(tools.iter())
    }

    fn read(text: &str) -> Option<(String, Vec<String>)> {
        negated(text, &vocabulary()).map(|(kept, negated)| {
            let mut products: Vec<String> = negated.products.into_iter().collect();
            products.sort_unstable();
            (kept, products)
        })
    }

    #[test]
    fn what_is_not_wanted_is_left_out_and_known() {
        for line in examples("unwanted") {
            let [text, kept, products] = line.split(" | ").collect::<Vec<_>>()[..] else { panic!("{line}") };
            let products = products.split(' ').map(str::to_owned).collect();
            assert_eq!(read(text), Some((kept.to_owned(), products)), "{text}");
        }
    }

    #[test]
    fn a_negation_of_anything_else_changes_nothing() {
        for text in examples("wanted").chain([""]) {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
