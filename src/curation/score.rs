//! The score of a curation: `10 x keyword overlap + 0.5 x recent uses + 100 for a rescue tool`.
//!
//! A term is a word of the message in lower case, of four characters or more, cut at white space
//! alone; it overlaps when it stands anywhere in the description. Crude, and the same on every
//! machine: it needs no model and no index.

use std::collections::{HashMap, HashSet};

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::nfa::contiguous::NFA;

/// What one term of the message that stands in the description adds.
pub const KEYWORD_SCORE: f64 = 10.0;
/// What one recent use adds.
pub const USE_SCORE: f64 = 0.5;
/// What a rescue tool has whatever the message says.
pub const RESCUE_SCORE: f64 = 100.0;
const MIN_TERM_CHARS: usize = 4;
/// The most of a message that is read: as of a query.
const MAX_MESSAGE_BYTES: usize = crate::query::request::MAX_QUERY_BYTES;
/// How much of a description is read: twice what the longest real one has.
const MAX_DESCRIPTION_BYTES: usize = 16 * 1024;

/// The terms of a message, all looked for in one pass over the descriptions: a pasted page has thousands, a catalogue thousands of
/// descriptions, and looking for each in each would take half a second.
#[derive(Debug)]
pub struct Terms {
    /// How often each distinct term stands in the message.
    counts: Vec<usize>,
    /// Finds them; `None` where there are none.
    automaton: Option<NFA>,
}

impl Terms {
    /// Reads a message.
    pub fn read(message: &str) -> Self {
        let lower = message[..message.floor_char_boundary(MAX_MESSAGE_BYTES)].to_lowercase();
        let mut distinct: Vec<&str> = Vec::new();
        let mut counts: Vec<usize> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for term in lower.split_whitespace().filter(|term| term.chars().count() >= MIN_TERM_CHARS) {
            let place = *places.entry(term).or_insert_with(|| {
                distinct.push(term);
                counts.push(0);
                distinct.len() - 1
            });
            counts[place] += 1;
        }
        // Building fails beyond sizes that 32 KiB of terms cannot reach; then nothing overlaps.
        let automaton = if distinct.is_empty() { None } else { NFA::new(&distinct).ok() };
        Self { counts, automaton }
    }

    /// How many terms stand in a description, each as often as the message has it.
    pub fn overlap(&self, description: &LowerText) -> usize {
        let Some(automaton) = &self.automaton else { return 0 };
        let Ok(mut state) = automaton.start_state(Anchored::No) else { return 0 };
        let mut found = vec![false; self.counts.len()];
        // A state that was met before has told all it knows: without this, terms that end each other would be counted
        // again at each byte.
        let mut met: HashSet<StateID> = HashSet::new();
        for byte in description.0.bytes() {
            state = automaton.next_state(Anchored::No, state, byte);
            if automaton.is_special(state) && automaton.is_match(state) && met.insert(state) {
                for at in 0..automaton.match_len(state) {
                    found[automaton.match_pattern(state, at).as_usize()] = true;
                }
            }
        }
        self.counts.iter().zip(found).filter(|(_, found)| *found).map(|(count, _)| count).sum()
    }
}

/// A description as it is searched: in lower case, within its bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LowerText(Box<str>);

impl LowerText {
    /// Reads a description.
    pub fn new(text: &str) -> Self {
        Self(text[..text.floor_char_boundary(MAX_DESCRIPTION_BYTES)].to_lowercase().into())
    }
}

/// What a tool's score is made of.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CuratorScore {
    /// From terms of the message.
    pub keywords: f64,
    /// From recent uses.
    pub uses: f64,
    /// From being a rescue tool.
    pub rescue: f64,
}

impl CuratorScore {
    /// The score.
    pub fn total(self) -> f64 {
        self.keywords + self.uses + self.rescue
    }
}

/// Scores a tool.
pub fn score(terms: &Terms, description: &LowerText, recent_uses: f64, rescued: bool) -> CuratorScore {
    crate::fault::point("curation");
    #[expect(clippy::cast_precision_loss, reason = "a message has at most 8,192 terms")]
    let overlap = terms.overlap(description) as f64;
    CuratorScore {
        keywords: KEYWORD_SCORE * overlap,
        uses: USE_SCORE * recent_uses,
        rescue: if rescued { RESCUE_SCORE } else { 0.0 },
    }
}

/// Whether a tool is a rescue tool: by its whole name, or by its own name behind `mcp__server__`.
pub fn is_rescued(rescue: &[String], name: &str) -> bool {
    let own =
        ["--", "__"].iter().filter_map(|separator| name.strip_prefix("mcp")?.strip_prefix(separator)?.split_once(separator));
    let own = own.map(|(_, own)| own).next().unwrap_or(name);
    rescue.iter().any(|rescued| rescued == name || rescued == own)
}

/// Whether a name is an MCP tool's, as this library or as other hosts write it.
pub fn is_mcp(name: &str) -> bool {
    name.starts_with("mcp--") || name.starts_with("mcp__")
}

/// Positions in order of score, best first; equal scores keep their order.
pub fn order(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then_with(|| a.cmp(b)));
    order
}

/// Which of some functions stay: the best `limit` MCP tools, and everything else, in place.
/// `scores` are those of MCP tools, `None` for anything else.
pub fn keep(scores: &[Option<f64>], limit: Option<usize>) -> Vec<bool> {
    let curated: Vec<usize> = (0..scores.len()).filter(|at| scores[*at].is_some()).collect();
    let own: Vec<f64> = curated.iter().filter_map(|at| scores[*at]).collect();
    let best: HashSet<usize> = order(&own).into_iter().take(limit.unwrap_or(usize::MAX)).map(|at| curated[at]).collect();
    scores.iter().enumerate().map(|(at, score)| score.is_none() || best.contains(&at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(message: &str, description: &str) -> usize {
        Terms::read(message).overlap(&LowerText::new(description))
    }

    proptest::proptest! {
        #[test]
        fn an_overlap_is_that_of_a_search_for_each_term(message in "[aAbB ]{0,80}|\\PC{0,60}", text in "[abAB ]{0,60}|\\PC{0,60}") {
            let (message_lower, text_lower) = (message.to_lowercase(), text.to_lowercase());
            let terms = message_lower.split_whitespace().filter(|term| term.chars().count() >= MIN_TERM_CHARS);
            let plain = terms.filter(|term| text_lower.contains(term)).count();
            proptest::prop_assert_eq!(overlap(&message, &text), plain);
        }
    }

    #[test]
    fn a_message_is_read_up_to_its_bound() {
        assert_eq!(overlap(&"word ".repeat(10_000), "a word"), MAX_MESSAGE_BYTES / 5);
    }

    #[test]
    fn a_rescue_tool_is_known_by_its_whole_and_by_its_own_name() {
        let rescue = vec!["Read".to_owned()];
        for name in ["Read", "mcp__files__Read", "mcp--files--Read"] {
            assert!(is_rescued(&rescue, name), "{name}");
        }
        for name in ["read", "mcp__Read__x", "mcp__files__ReadAll"] {
            assert!(!is_rescued(&rescue, name), "{name}");
        }
    }
}
