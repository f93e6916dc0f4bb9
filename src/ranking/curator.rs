//! The policy `curator`: `10 x keyword overlap + 0.5 x recent uses + 100 for a rescue tool`.
//!
//! A term is a word of the message in lower case, of four characters or more, cut at white space
//! alone; it overlaps when it stands anywhere in the description. Crude, and the same on every
//! machine: it needs no model and no index.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::catalogue::name::provider_name;
use crate::catalogue::tool::ToolId;

/// What one term of the message that stands in the description adds.
pub const KEYWORD_SCORE: f64 = 10.0;
/// What one recent use adds.
pub const USE_SCORE: f64 = 0.5;
/// What a rescue tool has whatever the message says.
pub const RESCUE_SCORE: f64 = 100.0;
/// Shorter terms are dropped.
const MIN_TERM_CHARS: usize = 4;
/// The most of a message that is read: as of a query.
const MAX_MESSAGE_BYTES: usize = super::query::MAX_QUERY_BYTES;
/// Uses that are recent. 100 of them add 50: use alone never reaches a rescue tool's floor.
pub const RECENT_USES: usize = 100;

/// The terms of a message, as often as they stand there.
#[must_use]
pub fn terms(message: &str) -> Vec<String> {
    let mut end = message.len().min(MAX_MESSAGE_BYTES);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    let lower = message[..end].to_lowercase();
    lower.split_whitespace().filter(|term| term.chars().count() >= MIN_TERM_CHARS).map(str::to_owned).collect()
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
    #[must_use]
    pub fn total(self) -> f64 {
        self.keywords + self.uses + self.rescue
    }
}

/// Scores a tool.
#[must_use]
pub fn score(terms: &[String], description: &str, recent_uses: f64, rescued: bool) -> CuratorScore {
    let description = description.to_lowercase();
    #[expect(clippy::cast_precision_loss, reason = "a message has at most 8,192 terms")]
    let overlap = terms.iter().filter(|term| description.contains(term.as_str())).count() as f64;
    CuratorScore {
        keywords: KEYWORD_SCORE * overlap,
        uses: USE_SCORE * recent_uses,
        rescue: if rescued { RESCUE_SCORE } else { 0.0 },
    }
}

/// Whether a tool is a rescue tool: by its whole name, or by its own name behind `mcp__server__`.
#[must_use]
pub fn is_rescued(rescue: &[String], name: &str) -> bool {
    let own =
        ["--", "__"].iter().filter_map(|separator| name.strip_prefix("mcp")?.strip_prefix(separator)?.split_once(separator));
    let own = own.map(|(_, own)| own).next().unwrap_or(name);
    rescue.iter().any(|rescued| rescued == name || rescued == own)
}

/// Whether a name is an MCP tool's, as this library or as other hosts write it.
#[must_use]
pub fn is_mcp(name: &str) -> bool {
    name.starts_with("mcp--") || name.starts_with("mcp__")
}

/// A provider name in the one spelling that all hosts' spellings have in common.
#[must_use]
pub fn fold_provider_name(name: &str) -> String {
    name.replace('-', "_")
}

/// The last uses of tools, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UseLog {
    uses: VecDeque<ToolId>,
}

impl UseLog {
    /// Uses that are kept: enough to fill the memory that ranking prefers tools by.
    pub const CAPACITY: usize = 500;

    /// Adds one use.
    pub fn record(&mut self, tool: ToolId) {
        self.uses.push_back(tool);
        if self.uses.len() > Self::CAPACITY {
            self.uses.pop_front();
        }
    }

    /// All that are kept, oldest first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &ToolId> {
        self.uses.iter()
    }

    /// How often each tool was used recently.
    #[must_use]
    pub fn recent(&self) -> HashMap<ToolId, f64> {
        let mut recent = HashMap::new();
        for tool in self.uses.iter().rev().take(RECENT_USES) {
            *recent.entry(tool.clone()).or_default() += 1.0;
        }
        recent
    }

    /// The same by provider name, in the spelling of [`fold_provider_name`].
    #[must_use]
    pub fn recent_by_name(&self) -> HashMap<String, f64> {
        let mut by_name = HashMap::new();
        for (id, uses) in self.recent() {
            *by_name.entry(fold_provider_name(&provider_name(&id.server_name, &id.tool_name))).or_default() += uses;
        }
        by_name
    }
}

/// Positions in order of score, best first; equal scores stand as they came.
#[must_use]
pub fn order(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then_with(|| a.cmp(b)));
    order
}

/// Which of some functions stay: the best `limit` MCP tools, and everything else, in place.
/// `scores` are those of MCP tools, `None` for what is no MCP tool.
#[must_use]
pub fn keep(scores: &[Option<f64>], limit: Option<usize>) -> Vec<bool> {
    let curated: Vec<usize> = (0..scores.len()).filter(|at| scores[*at].is_some()).collect();
    let own: Vec<f64> = curated.iter().filter_map(|at| scores[*at]).collect();
    let best: HashSet<usize> = order(&own).into_iter().take(limit.unwrap_or(usize::MAX)).map(|at| curated[at]).collect();
    scores.iter().enumerate().map(|(at, score)| score.is_none() || best.contains(&at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_cut_at_white_space_alone_and_short_ones_are_dropped() {
        assert_eq!(terms("Open the ISSUE, then é2é4 fix\tit"), ["open", "issue,", "then", "é2é4"]);
        assert_eq!(terms(&"word ".repeat(10_000)).len(), MAX_MESSAGE_BYTES / 5);
    }

    #[test]
    fn a_score_is_ten_a_term_half_a_use_and_a_hundred_for_a_rescue_tool() {
        let terms = terms("create an issue about issue templates");
        let scored = score(&terms, "Creates an ISSUE", 3.0, false);
        assert_eq!((scored.keywords, scored.uses, scored.total()), (30.0, 1.5, 31.5));
        assert_eq!(score(&terms, "", 0.5, true).total().to_bits(), 100.25_f64.to_bits());
        assert_eq!(score(&[], "anything", 0.0, false).total().to_bits(), 0.0_f64.to_bits());
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

    #[test]
    fn the_log_is_bounded_and_only_the_last_uses_are_recent() {
        let mut log = UseLog::default();
        for _ in 0..UseLog::CAPACITY {
            log.record(ToolId::new("s", "old"));
        }
        for _ in 0..RECENT_USES - 1 {
            log.record(ToolId::new("s", "new"));
        }
        assert_eq!(log.iter().len(), UseLog::CAPACITY);
        let recent = log.recent();
        assert_eq!((recent[&ToolId::new("s", "new")], recent[&ToolId::new("s", "old")]), (99.0, 1.0));
        assert_eq!(log.recent_by_name()["mcp__s__new"].to_bits(), 99.0_f64.to_bits());
    }
}
