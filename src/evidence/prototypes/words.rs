//! By words: without vectors, and in addition to them.

use std::collections::HashMap;

use once_cell::sync::Lazy;

use super::{NEEDS, Standing, TALK, lines};
use crate::document::counts::{TermKey, term_key};
use crate::evidence::HEAD;
use crate::ranking::{Corpus, RankedTool};
use crate::text::terms::terms;

/// Terms of a request that are looked up: more say too much for a line to be near.
const MOST_TERMS: usize = 100;

#[derive(Default)]
struct Lines {
    terms: Vec<Box<[TermKey]>>,
    /// How rare the terms of each line are together.
    rarity: Vec<f64>,
    /// The lines that hold a term.
    holding: HashMap<TermKey, Vec<u32>>,
}

struct Prototypes {
    needs: Lines,
    talk: Lines,
}

static PROTOTYPES: Lazy<Prototypes> = Lazy::new(|| {
    let mut found = Prototypes { needs: Lines::of(NEEDS), talk: Lines::of(TALK) };
    let rarity = |lines: &Lines| {
        let of_line = |terms: &[TermKey]| terms.iter().map(|term| found.rarity(*term)).sum();
        lines.terms.iter().map(|terms| of_line(terms)).collect()
    };
    (found.needs.rarity, found.talk.rarity) = (rarity(&found.needs), rarity(&found.talk));
    found
});

impl Prototypes {
    #[expect(clippy::cast_precision_loss, reason = "thousands of lines")]
    fn rarity(&self, term: TermKey) -> f64 {
        let holding = |lines: &Lines| lines.holding.get(&term).map_or(0, Vec::len);
        let all = self.needs.terms.len() + self.talk.terms.len();
        (all as f64 / (1 + holding(&self.needs) + holding(&self.talk)) as f64).ln_1p()
    }

    /// The nearest line, by how much of its own rarity and of the request's the terms of both make, and how near it is.
    fn nearest(&self, lines: &Lines, request: &[TermKey]) -> Option<(usize, f64)> {
        let rarities: Vec<f64> = request.iter().map(|term| self.rarity(*term)).collect();
        let all: f64 = rarities.iter().sum();
        let mut shared = vec![0.0; lines.terms.len()];
        for (term, rarity) in request.iter().zip(rarities) {
            for line in lines.holding.get(term).into_iter().flatten() {
                shared[*line as usize] += rarity;
            }
        }
        let near = |(line, shared): (usize, f64)| (line, shared / (lines.rarity[line] * all).sqrt());
        let sharing = shared.into_iter().enumerate().filter(|(_, shared)| *shared > 0.0);
        sharing.map(near).max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
    }
}

impl Lines {
    fn of(text: &str) -> Self {
        let mut found = Self::default();
        for (at, line) in (0..).zip(lines(text)) {
            let mut own: Vec<TermKey> = terms(line).iter().map(|term| term_key(term)).collect();
            own.sort_unstable();
            own.dedup();
            for term in &own {
                found.holding.entry(*term).or_default().push(at);
            }
            found.terms.push(own.into());
        }
        found
    }
}

/// Where a request of these terms stands.
pub(in crate::evidence) fn standing(
    corpus: &dyn Corpus,
    request: impl Iterator<Item = TermKey>,
    tools: &[RankedTool],
) -> Standing {
    let request: Vec<TermKey> = request.take(MOST_TERMS).collect();
    let lines = &*PROTOTYPES;
    let talk = lines.nearest(&lines.talk, &request).map_or(0.0, |(_, near)| near);
    let Some((line, need)) = lines.nearest(&lines.needs, &request) else {
        return Standing { talk_over: talk, ..Standing::default() };
    };
    // Of what the request shares with the line, how much one tool holds.
    let shared = lines.needs.terms[line].iter().filter(|term| request.contains(term));
    let shared: Vec<(TermKey, f64)> = shared.map(|term| (*term, lines.rarity(*term))).collect();
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
            let own: Vec<TermKey> = terms(line).iter().map(|term| term_key(term)).collect();
            let (at, near) = PROTOTYPES.nearest(&PROTOTYPES.needs, &own).unwrap();
            assert!((near - 1.0).abs() < 1e-9, "{line}: {near}");
            assert_eq!(PROTOTYPES.needs.terms[at].len(), own.len());
        }
    }

    #[test]
    fn what_shares_no_word_is_near_nothing() {
        assert_eq!(PROTOTYPES.nearest(&PROTOTYPES.needs, &[term_key("xqzw")]), None);
        assert_eq!(PROTOTYPES.nearest(&PROTOTYPES.needs, &[]), None);
    }
}
