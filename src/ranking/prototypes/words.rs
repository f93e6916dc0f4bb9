//! By words: without vectors, and in addition to them.

use std::collections::{HashMap, HashSet};

use once_cell::sync::Lazy;

use super::{NEEDS, Standing, TALK, lines};
use crate::document::counts::{TermKey, term_key};
use crate::ranking::evidence::HEAD;
use crate::ranking::{Corpus, RankedTool};
use crate::text::terms::terms;

/// Terms of a request that are looked up: more say too much for a line to be near.
const MOST_TERMS: usize = 100;

/// Lines by their terms.
struct Lines {
    terms: Vec<Vec<String>>,
    /// How rare the terms of each line are together.
    rarity: Vec<f64>,
    /// The lines that hold a term.
    holding: HashMap<String, Vec<usize>>,
}

/// How rare a term is among all lines.
static RARITY: Lazy<(HashMap<String, usize>, usize)> = Lazy::new(|| {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut lines_seen = 0;
    for line in lines(NEEDS).chain(lines(TALK)) {
        lines_seen += 1;
        for term in terms(line).into_iter().collect::<HashSet<_>>() {
            *counts.entry(term).or_default() += 1;
        }
    }
    (counts, lines_seen)
});

static NEED_LINES: Lazy<Lines> = Lazy::new(|| Lines::of(NEEDS));
static TALK_LINES: Lazy<Lines> = Lazy::new(|| Lines::of(TALK));

#[expect(clippy::cast_precision_loss, reason = "hundreds of lines")]
fn rarity(term: &str) -> f64 {
    let (counts, all) = &*RARITY;
    (*all as f64 / (1 + counts.get(term).copied().unwrap_or(0)) as f64).ln_1p()
}

impl Lines {
    fn of(text: &str) -> Self {
        let mut found = Self { terms: Vec::new(), rarity: Vec::new(), holding: HashMap::new() };
        for (at, line) in lines(text).enumerate() {
            let mut own = terms(line);
            own.sort_unstable();
            own.dedup();
            for term in &own {
                found.holding.entry(term.clone()).or_default().push(at);
            }
            found.rarity.push(own.iter().map(|term| rarity(term)).sum());
            found.terms.push(own);
        }
        found
    }

    /// The nearest line, by how much of its own rarity and of the request's the terms of both make, and how near it is.
    fn nearest(&self, request: &[&str]) -> Option<(usize, f64)> {
        let rarities: Vec<f64> = request.iter().map(|term| rarity(term)).collect();
        let all: f64 = rarities.iter().sum();
        let mut shared = vec![0.0; self.terms.len()];
        for (term, rarity) in request.iter().zip(rarities) {
            for line in self.holding.get(*term).into_iter().flatten() {
                shared[*line] += rarity;
            }
        }
        let near = |(line, shared): (usize, f64)| (line, shared / (self.rarity[line] * all).sqrt());
        let sharing = shared.into_iter().enumerate().filter(|(_, shared)| *shared > 0.0);
        sharing.map(near).max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
    }
}

/// Where a request of these terms stands.
pub(in crate::ranking) fn standing<'a>(
    corpus: &dyn Corpus,
    request: impl Iterator<Item = &'a str>,
    tools: &[RankedTool],
) -> Standing {
    let request: Vec<&str> = request.take(MOST_TERMS).collect();
    let talk = TALK_LINES.nearest(&request).map_or(0.0, |(_, near)| near);
    let Some((line, need)) = NEED_LINES.nearest(&request) else {
        return Standing { talk_over: talk, ..Standing::default() };
    };
    // Of what the request shares with the line, how much one tool holds.
    let shared = NEED_LINES.terms[line].iter().filter(|term| request.contains(&term.as_str()));
    let shared: Vec<(TermKey, f64)> = shared.map(|term| (term_key(term), rarity(term))).collect();
    let all: f64 = shared.iter().map(|(_, rarity)| rarity).sum();
    let held = |tool: &RankedTool| -> f64 {
        let document = &corpus.document(tool.position).terms;
        shared.iter().filter(|(key, _)| document.holds(*key)).map(|(_, rarity)| rarity).sum()
    };
    let met = tools.iter().take(HEAD).map(held).fold(0.0, f64::max) / all;
    Standing { need, unmet: need * (1.0 - met).max(0.0), talk_over: (talk - need).max(0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_nearest_to_itself() {
        for line in ["send a fax", "deploy a smart contract to a blockchain"] {
            let own = terms(line);
            let (at, near) = NEED_LINES.nearest(&own.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
            assert!((near - 1.0).abs() < 1e-9, "{line}: {near}");
            assert_eq!(NEED_LINES.terms[at].len(), own.len());
        }
    }

    #[test]
    fn what_shares_no_word_is_near_nothing() {
        assert_eq!(NEED_LINES.nearest(&["xqzw"]), None);
        assert_eq!(NEED_LINES.nearest(&[]), None);
    }
}
