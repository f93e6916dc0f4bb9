//! A ranking before any tool has its place: what both arms say about each candidate, and what adjustments add to a few.

use std::collections::{HashMap, HashSet};

use super::task::{Ground, Request};
use crate::query::Naming;
use crate::ranking::arms::Arms;
use crate::ranking::best::{Best, Unmatched};
use crate::ranking::{Named, RankedTool, Ranking, Shares};

/// See the module. Candidates are known by their place among them.
pub struct Draft<'a> {
    pub ground: Ground<'a>,
    pub request: &'a Request<'a>,
    pub arms: Arms<'a>,
    /// How the query names tools, by position, in order.
    pub named: Vec<(usize, Naming)>,
    pub first_of_names: HashSet<usize>,
    pub unwanted: HashSet<usize>,
    /// What uses add, by position, in order.
    pub used: Vec<(usize, f64)>,
    /// How much the query implies them.
    pub implied: HashMap<usize, f64>,
}

impl<'a> Draft<'a> {
    pub fn new(ground: Ground<'a>, request: &'a Request<'a>) -> Self {
        Self {
            ground,
            request,
            arms: Arms::of(&ground, ground.candidates, request.query, request.semantic),
            named: Vec::new(),
            first_of_names: HashSet::new(),
            unwanted: HashSet::new(),
            used: Vec::new(),
            implied: HashMap::new(),
        }
    }

    /// How the query names the tool at a position.
    pub fn naming(&self, position: usize) -> Naming {
        self.named.binary_search_by_key(&position, |(at, _)| *at).map_or(Naming::None, |at| self.named[at].1)
    }

    fn of_uses(&self, position: usize) -> f64 {
        self.used.binary_search_by_key(&position, |(at, _)| *at).map_or(0.0, |at| self.used[at].1)
    }

    /// The shares of a candidate, as far as they are known.
    pub fn shares(&self, at: usize) -> Shares {
        let position = self.ground.candidates[at];
        let (lexical_share, semantic_share, clause) = self.arms.shares(at);
        let naming = self.naming(position);
        let negated = self.unwanted.contains(&at);
        let matched = !negated && (self.arms.supports(at) || naming != Naming::None);
        Shares {
            lexical: self.arms.lexical[at],
            lexical_share,
            similarity: self.arms.similarity(at),
            semantic_share,
            clause,
            named: Named { how: naming, is_first: self.first_of_names.contains(&at) },
            negated,
            use_boost: if matched { self.of_uses(position) } else { 0.0 },
            implied: self.implied.get(&at).copied().unwrap_or(0.0),
            supported: matched,
            ..Shares::default()
        }
    }

    /// The best candidates, in order.
    pub fn in_order(&self, most: usize) -> Ranking {
        let candidates = self.ground.candidates;
        let mut supported_count = 0;
        let mut best = Best::new(candidates, most);
        // Of most candidates only the score is looked at, and of those that nothing matches, only as many as may be among the
        // best: they have one score, and the first come first.
        let is_plain = self.arms.semantic.is_none() && self.request.query.negated.products.is_empty() && self.named.is_empty();
        let mut unmatched = Unmatched::new(candidates, &self.arms, best.most).filter(|_| is_plain);
        for at in 0..candidates.len() {
            if unmatched.as_mut().is_some_and(|unmatched| unmatched.passes_over(at)) {
                continue;
            }
            let shares = self.shares(at);
            supported_count += usize::from(shares.supported);
            best.add(shares.score(), at);
        }
        let tool_of =
            |(score, at): (f64, usize)| RankedTool { position: candidates[at], rank: 0, score, shares: self.shares(at) };
        let tools = best.in_order().into_iter().map(tool_of).collect();
        let mut ranking = Ranking::new(tools, self.arms.ranker, candidates.len(), supported_count);
        ranking.query_cut = self.request.query.cut;
        ranking
    }
}
