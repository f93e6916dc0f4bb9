//! Cosine of a query with tools, and what stands for it where a tool has no vector yet.

use super::fusion::standardise;
use super::scores::Scores;
use crate::embedding::similarity;
use crate::embedding::vectors::Vector;

/// With fewer vectors among the candidates, words alone rank: the place of one among a handful says nothing.
pub const FEWEST_VECTORS: usize = 16;
/// The same where fewer than one of so many candidates has one. Over six sets, at 15 % of the vectors words alone find 0.6
/// points more of the needed tools among the first ten, at 20 % as many, at 25 % 1.0 fewer and at 33 % 2.6.
const LEAST_SHARE: usize = 5;

/// Whether words alone rank while so many of some candidates have a vector.
pub fn are_few(known: usize, candidates: usize) -> bool {
    known < FEWEST_VECTORS || known * LEAST_SHARE < candidates
}

/// Vectors from this length on did not come with the model; the others are of length 1, rounded.
const MADE_HERE_FROM: f64 = 1.01;

/// The vectors of tools by position, as far as they are there.
#[derive(Debug, Default)]
pub struct ToolVectors {
    vectors: Vec<Option<Vector>>,
    /// 1, or a little more where tools of other servers have vectors that requests are nearer to (`embedding/vectors.rs`).
    lengths: Vec<f64>,
    missing: usize,
}

impl ToolVectors {
    /// Takes them by position.
    pub fn new(vectors: Vec<Option<Vector>>) -> Self {
        let missing = vectors.iter().filter(|vector| vector.is_none()).count();
        let length = |vector: &Option<Vector>| vector.as_ref().map_or(1.0, |vector| similarity(vector, vector).sqrt());
        let lengths = vectors.iter().map(length).collect();
        Self { vectors, lengths, missing }
    }

    /// The cosine of a text with the tool at a position, if that has a vector.
    pub fn cosine(&self, text: &[f32], position: usize) -> Option<f64> {
        let vector = self.get(position)?;
        Some((similarity(text, vector) / self.lengths[position].max(f64::MIN_POSITIVE)).clamp(-1.0, 1.0))
    }

    pub fn get(&self, position: usize) -> Option<&Vector> {
        self.vectors.get(position)?.as_ref()
    }

    /// Whether the vector at a position was made here, beside others that came with the model.
    pub fn is_made_here(&self, position: usize) -> bool {
        self.lengths.get(position).is_some_and(|length| *length > MADE_HERE_FROM)
    }

    /// How many tools have none.
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// How many of the candidates have one.
    pub fn count(&self, candidates: &[usize]) -> usize {
        if self.missing == 0 {
            return candidates.len();
        }
        candidates.iter().filter(|position| self.get(**position).is_some()).count()
    }
}

/// The cosine of the query with each candidate; not a number where one has no vector.
pub fn similarities(query: &[f32], tools: &ToolVectors, candidates: &[usize]) -> Scores {
    crate::fault::point("semantic");
    candidates.iter().map(|at| tools.cosine(query, *at).unwrap_or(f64::NAN)).collect()
}

/// Cosines as candidates are compared by them: times the lengths of their vectors.
pub fn compared(similarities: &[f64], tools: &ToolVectors, candidates: &[usize]) -> Scores {
    similarities
        .iter()
        .zip(candidates)
        .map(|(similarity, at)| similarity * tools.lengths.get(*at).copied().unwrap_or(1.0))
        .collect()
}

/// Makes cosines zero mean and unit variance over those that are there; the others become 0.
pub fn standardise_known(similarities: &mut [f64]) {
    if !similarities.iter().any(|similarity| similarity.is_nan()) {
        standardise(similarities);
        return;
    }
    let mut known: Vec<f64> = similarities.iter().copied().filter(|similarity| !similarity.is_nan()).collect();
    standardise(&mut known);
    let mut known = known.into_iter();
    for similarity in similarities {
        *similarity = if similarity.is_nan() { 0.0 } else { known.next().unwrap_or(0.0) };
    }
}

/// What a tool without a vector scores beside those with one: what these score at the same place of their lexical order.
/// So neither half stands before the other for having vectors or having none; a plain 0 for the missing cosine would put
/// most tools without one behind. `docs/inside/ranking.md` has the table.
#[derive(Debug)]
pub struct Estimate {
    /// Lexical shares and whole scores of candidates with a vector, each in ascending order.
    lexical: Vec<f64>,
    scores: Vec<f64>,
    /// How much a score grows with a lexical share past the largest one that is known.
    slope: f64,
}

impl Estimate {
    /// Takes the lexical and the semantic share of each candidate with a vector.
    pub fn new(known: impl Iterator<Item = (f64, f64)>) -> Self {
        let (mut lexical, mut scores): (Vec<f64>, Vec<f64>) =
            known.map(|(lexical, semantic)| (lexical, lexical + semantic)).unzip();
        lexical.sort_unstable_by(f64::total_cmp);
        scores.sort_unstable_by(f64::total_cmp);
        let (of_lexical, of_scores) = (deviation(&lexical), deviation(&scores));
        let slope = if of_lexical > 1e-9 { of_scores / of_lexical } else { 1.0 };
        Self { lexical, scores, slope }
    }

    /// The semantic share that a tool with this lexical share gets.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "places among tools"
    )]
    pub fn semantic_share(&self, lexical: f64) -> f64 {
        let Some((most, best)) = self.lexical.last().zip(self.scores.last()) else { return 0.0 };
        if lexical > *most {
            return best + (lexical - most) * self.slope - lexical;
        }
        // The middle of those with the same share: most tools have none of the query's words.
        let before = self.lexical.partition_point(|known| *known < lexical);
        let through = self.lexical.partition_point(|known| *known <= lexical);
        let place = ((before + through) as f64 / 2.0 - 0.5).clamp(0.0, (self.scores.len() - 1) as f64);
        let (below, part) = (place.floor(), place.fract());
        let above = (below as usize + 1).min(self.scores.len() - 1);
        self.scores[below as usize] * (1.0 - part) + self.scores[above] * part - lexical
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of tools are far below 2^52")]
fn deviation(values: &[f64]) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handful_of_vectors_or_less_than_a_fifth_is_few() {
        assert!(are_few(FEWEST_VECTORS - 1, FEWEST_VECTORS) && !are_few(FEWEST_VECTORS, FEWEST_VECTORS + 2));
        assert!(are_few(199, 1_000) && !are_few(200, 1_000));
    }

    #[test]
    fn a_longer_vector_has_the_same_cosine_and_counts_for_more() {
        let tools = ToolVectors::new(vec![Some(vec![0.6, 0.8].into()), Some(vec![1.2, 1.6].into()), None]);
        let cosines = similarities(&[1.0, 0.0], &tools, &[0, 1, 2]);
        assert!((cosines[0] - 0.6).abs() < 1e-6 && (cosines[1] - 0.6).abs() < 1e-6 && cosines[2].is_nan());
        assert!(!tools.is_made_here(0) && tools.is_made_here(1) && !tools.is_made_here(2) && !tools.is_made_here(3));
        let compared = compared(&cosines, &tools, &[0, 1, 2]);
        assert!((compared[0] - 0.6).abs() < 1e-6 && (compared[1] - 1.2).abs() < 1e-6 && compared[2].is_nan());
    }

    #[test]
    fn what_has_no_cosine_stands_in_the_middle_of_what_has_one() {
        let mut some = [1.0, f64::NAN, 3.0, f64::NAN];
        standardise_known(&mut some);
        assert!(some.iter().zip([-1.0, 0.0, 1.0, 0.0]).all(|(a, b): (&f64, f64)| (a - b).abs() < 1e-12), "{some:?}");
        let (mut all, mut plain) = ([1.0_f64, 2.0, 5.0], [1.0_f64, 2.0, 5.0]);
        standardise_known(&mut all);
        standardise(&mut plain);
        assert_eq!(all.map(f64::to_bits), plain.map(f64::to_bits));
    }

    #[test]
    fn a_tool_without_a_vector_scores_as_those_at_its_place_do() {
        let known = [(0.0, -0.5), (0.0, 0.5), (1.0, 1.0), (2.0, 0.0), (2.0, 4.0)];
        let estimate = Estimate::new(known.into_iter());
        let score = |lexical: f64| estimate.semantic_share(lexical) + lexical;
        // In ascending order the scores are -0.5, 0.5, 2, 2 and 6.
        assert!((score(0.0) - 0.0).abs() < 1e-12 && (score(1.0) - 2.0).abs() < 1e-12 && (score(2.0) - 4.0).abs() < 1e-12);
        assert!((score(-1.0) + 0.5).abs() < 1e-12, "below all is as the lowest");
        assert!(score(3.0) > 6.0, "above all is above all");
        let rising: Vec<f64> = (0..40).map(|at| score(f64::from(at) / 10.0)).collect();
        assert!(rising.is_sorted(), "{rising:?}");
        assert!(Estimate::new(std::iter::empty()).semantic_share(1.0).abs() < 1e-12);
    }
}
