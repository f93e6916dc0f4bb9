//! The best of many scores, without sorting all of them.

use std::cmp::Ordering;

use super::arms::{Arms, Part};

/// Candidates that hold no term of the request.
pub struct Unmatched<'a> {
    arms: &'a Arms<'a>,
    /// One of them.
    first: usize,
    /// How many of the next may still be among the best.
    left: usize,
}

impl<'a> Unmatched<'a> {
    /// `None` where there are none, or where the first do not come first.
    pub fn new(candidates: &[usize], arms: &'a Arms<'a>, most: usize) -> Option<Self> {
        let first = arms.lexical.iter().position(|score| *score <= 0.0).filter(|_| candidates.is_sorted())?;
        Some(Self { arms, first, left: most })
    }

    /// Whether so many candidates before it have the same score that it is not among the best.
    pub fn passes_over(&mut self, at: usize) -> bool {
        let same = |part: &Part| part.lexical[at].to_bits() == part.lexical[self.first].to_bits();
        if self.arms.lexical[at] > 0.0 || !same(&self.arms.whole) || !self.arms.clauses.iter().all(same) {
            return false;
        }
        let passes = self.left == 0;
        self.left = self.left.saturating_sub(1);
        passes
    }
}

/// The best of many scores, by score and then by position.
pub struct Best<'a> {
    candidates: &'a [usize],
    /// How many are kept.
    pub most: usize,
    kept: Vec<(f64, usize)>,
    /// Worse ones are not among the best.
    worst: Option<(f64, usize)>,
}

impl<'a> Best<'a> {
    /// Of these candidates, so many.
    pub fn new(candidates: &'a [usize], most: usize) -> Self {
        Self { candidates, most, kept: Vec::new(), worst: None }
    }

    fn compare(candidates: &[usize], a: &(f64, usize), b: &(f64, usize)) -> Ordering {
        b.0.total_cmp(&a.0).then_with(|| candidates[a.1].cmp(&candidates[b.1]))
    }

    /// Looks at a candidate by its place.
    pub fn add(&mut self, score: f64, at: usize) {
        let new = (score, at);
        if self.most == 0 || self.worst.is_some_and(|worst| Self::compare(self.candidates, &new, &worst).is_gt()) {
            return;
        }
        self.kept.push(new);
        // So that dropping costs little per score.
        if self.kept.len() >= 2 * self.most {
            let by_score = |a: &_, b: &_| Self::compare(self.candidates, a, b);
            let (_, worst, _) = self.kept.select_nth_unstable_by(self.most - 1, by_score);
            self.worst = Some(*worst);
            self.kept.truncate(self.most);
        }
    }

    /// Those kept, best first: score and place.
    pub fn in_order(mut self) -> Vec<(f64, usize)> {
        self.kept.sort_unstable_by(|a, b| Self::compare(self.candidates, a, b));
        self.kept.truncate(self.most);
        self.kept
    }
}
