//! Joining two rankings by their standardised scores.
//!
//! Each arm's scores are made zero mean and unit variance over the candidates of one query, then
//! added with weights. It keeps how far the best stands out, which reciprocal ranks throw away:
//! two points of recall at 10 over eight labelled sets.

/// Weight of the lexical arm where the best tool covers none of the request, as far as that goes:
/// words that are shared by chance say little about a paraphrase.
const LEAST_LEXICAL_WEIGHT: f64 = 0.15;
/// Its weight where the best tool covers the request.
const MOST_LEXICAL_WEIGHT: f64 = 0.45;
/// Coverage from which on the weight stays. The table of `docs/inside/ranking.md` has its neighbours.
const FULL_COVERAGE: f64 = 0.7;

/// The weight of the lexical arm, of 1 for both, by how much of the request's rarity the best tool
/// holds (from 0 to 1).
pub fn lexical_weight(coverage: f64) -> f64 {
    let share = (coverage / FULL_COVERAGE).clamp(0.0, 1.0);
    LEAST_LEXICAL_WEIGHT + (MOST_LEXICAL_WEIGHT - LEAST_LEXICAL_WEIGHT) * share
}

/// Makes scores zero mean and unit variance. Equal scores all become 0.
pub fn standardise(scores: &mut [f64]) {
    standardise_by(scores, 0.0);
}

/// Makes scores zero mean, and unit variance or less: in units of their own standard deviation or
/// of `least`, whichever is more. The result is their own deviation.
pub fn standardise_by(scores: &mut [f64], least: f64) -> f64 {
    crate::fault::point("fusion");
    if scores.is_empty() {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of tools are far below 2^52")]
    let count = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / count;
    let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / count;
    let own = variance.sqrt();
    let deviation = own.max(least);
    for score in scores {
        // Rounding leaves a tiny deviation where all scores are equal.
        *score = if deviation > 1e-12 { (*score - mean) / deviation } else { 0.0 };
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_weigh_more_the_more_of_a_request_they_cover() {
        let weights: Vec<f64> = [0.0, 0.1, 0.3, 0.5, 1.0, 2.0].map(lexical_weight).to_vec();
        assert!(weights.windows(2).all(|pair| pair[0] <= pair[1]));
        assert!((weights[0] - 0.15).abs() < 1e-12 && (weights[5] - 0.45).abs() < 1e-12);
    }

    #[test]
    fn a_larger_unit_makes_scores_smaller_and_a_smaller_one_does_nothing() {
        let scores = vec![1.0, 2.0, 3.0, 10.0];
        let (mut own, mut small, mut large) = (scores.clone(), scores.clone(), scores);
        let deviation = standardise_by(&mut own, 0.0);
        standardise_by(&mut small, deviation / 2.0);
        standardise_by(&mut large, deviation * 2.0);
        assert_eq!(own, small);
        assert!(own.iter().zip(&large).all(|(own, large)| (own - 2.0 * large).abs() < 1e-12));
    }

    #[test]
    fn equal_scores_say_nothing() {
        let mut scores = vec![0.1; 7];
        standardise(&mut scores);
        assert_eq!(scores, vec![0.0; 7]);
        standardise(&mut []);
    }
}
