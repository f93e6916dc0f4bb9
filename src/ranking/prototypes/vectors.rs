//! By vectors of the model that ships.

use once_cell::sync::Lazy;

use super::{NEEDS, Standing, lines};
use crate::embedding::similarity;
use crate::ranking::SemanticInput;
use crate::ranking::evidence::HEAD;

/// Numbers in a vector of the model that ships.
const DIMENSIONS: usize = 384;
/// Lines nearest to the request that are compared with the tools. 1 to 20 are alike.
const NEAREST: usize = 2;

/// The vectors of both, in their order, a byte a number; written by `scripts/prototypes.mjs`.
static VECTORS: &[u8] = include_bytes!("../data/prototypes.bin");
/// How many of them are needs.
static NEED_COUNT: Lazy<usize> = Lazy::new(|| lines(NEEDS).count());
/// One over the length of each.
static SCALES: Lazy<Vec<f64>> = Lazy::new(|| VECTORS.chunks_exact(DIMENSIONS).map(scale).collect());

/// Where a request stands whose cosine with each candidate, and the best of its clauses, are known. `None` with vectors of
/// another model.
pub(in crate::ranking) fn standing(
    input: SemanticInput<'_>,
    candidates: &[usize],
    similarities: &[f64],
    best: f64,
) -> Option<Standing> {
    let query = &input.query.whole;
    if !input.known_scale || query.len() != DIMENSIONS {
        return None;
    }
    let near = |(vector, scale): (&[u8], &f64)| scale * product_with_bytes(query, vector);
    let (needs, talk) = VECTORS.split_at(*NEED_COUNT * DIMENSIONS);
    let (of_needs, of_talk) = SCALES.split_at(*NEED_COUNT);
    let of_needs: Vec<f64> = needs.chunks_exact(DIMENSIONS).zip(of_needs).map(near).collect();
    let talk = talk.chunks_exact(DIMENSIONS).zip(of_talk).map(near).fold(0.0, f64::max);
    let nearest = highest(&of_needs, NEAREST);
    // Of 5 tools, 1 to 2 % fewer requests are told apart; of all of them, no more.
    let head = highest(similarities, HEAD);
    let met = |need: usize| {
        let vector = unit(&needs[need * DIMENSIONS..(need + 1) * DIMENSIONS]);
        let tools = head.iter().filter_map(|at| input.tools.get(candidates[*at]));
        tools.map(|tool| similarity(&vector, tool)).fold(0.0, f64::max)
    };
    let need = of_needs[*nearest.first()?];
    let unmet = nearest.iter().map(|at| of_needs[*at] - met(*at)).fold(f64::NEG_INFINITY, f64::max);
    Some(Standing { need, unmet, talk_over: (talk - best.max(need)).max(0.0) })
}

/// The places of the highest values, highest first; earlier ones first where they are equal.
fn highest(values: &[f64], count: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..values.len()).collect();
    let order = |a: &usize, b: &usize| values[*b].total_cmp(&values[*a]).then(a.cmp(b));
    if places.len() > count {
        places.select_nth_unstable_by(count, order);
        places.truncate(count);
    }
    places.sort_unstable_by(order);
    places
}

/// A number of a vector, of its byte in two's complement.
fn number(byte: u8) -> f32 {
    f32::from(i8::from_ne_bytes([byte]))
}

fn unit(vector: &[u8]) -> Vec<f32> {
    let mut unit: Vec<f32> = vector.iter().map(|byte| number(*byte)).collect();
    crate::embedding::normalise(&mut unit);
    unit
}

/// One over the length of a vector in bytes.
fn scale(vector: &[u8]) -> f64 {
    let square: f32 = vector.iter().map(|byte| number(*byte).powi(2)).sum();
    1.0 / f64::from(square).sqrt().max(1.0)
}

/// The product of a unit vector with one in bytes.
fn product_with_bytes(query: &[f32], vector: &[u8]) -> f64 {
    // Eight sums that do not wait for each other, as in `similarity`.
    let mut product = [0.0_f32; 8];
    for (numbers, bytes) in query.chunks_exact(8).zip(vector.chunks_exact(8)) {
        for lane in 0..8 {
            product[lane] += numbers[lane] * number(bytes[lane]);
        }
    }
    f64::from(product.iter().sum::<f32>())
}

#[cfg(test)]
mod tests {
    use super::super::TALK;
    use super::*;
    use crate::embedding::vectors::{QueryVectors, Vector};
    use crate::ranking::semantic::ToolVectors;

    #[test]
    fn there_is_a_vector_for_each_line() {
        assert_eq!(VECTORS.len(), (lines(NEEDS).count() + lines(TALK).count()) * DIMENSIONS);
        assert!(lines(NEEDS).chain(lines(TALK)).all(|line| !line.trim().is_empty()));
    }

    #[test]
    fn a_need_is_met_by_a_tool_that_stands_where_it_stands() {
        let need: Vector = unit(&VECTORS[..DIMENSIONS]).into();
        let other: Vector = unit(&VECTORS[300 * DIMENSIONS..301 * DIMENSIONS]).into();
        let query = QueryVectors { whole: need.clone(), clauses: Vec::new() };
        let standing = |tools: &[Vector]| {
            let count = tools.len();
            let tools = &ToolVectors::new(tools.iter().cloned().map(Some).collect());
            let input = SemanticInput { query: &query, tools, known_scale: true, alone: false };
            let candidates: Vec<usize> = (0..count).collect();
            let similarities = crate::ranking::semantic::similarities(&need, tools, &candidates);
            super::standing(input, &candidates, &similarities, similarities.iter().copied().fold(0.0, f64::max)).unwrap()
        };
        let met = standing(&[other.clone(), need.clone()]);
        assert!((met.need - 1.0).abs() < 1e-5 && met.unmet < 1e-5, "{met:?}");
        let unmet = standing(&[other]);
        assert!(unmet.unmet > 0.3, "{unmet:?}");
    }

    #[test]
    fn vectors_of_another_model_say_nothing() {
        let query = QueryVectors { whole: vec![1.0, 0.0].into(), clauses: Vec::new() };
        let tools = ToolVectors::new(vec![Some(vec![1.0, 0.0].into())]);
        let input = SemanticInput { query: &query, tools: &tools, known_scale: true, alone: false };
        assert_eq!(super::standing(input, &[0], &[1.0], 1.0), None);
    }

    #[test]
    fn the_highest_are_found_as_sorting_all_of_them_finds_them() {
        let values = [0.3, 0.9, 0.9, -1.0, 0.5];
        assert_eq!(highest(&values, 3), [1, 2, 4]);
        assert_eq!(highest(&values, 9), [1, 2, 4, 0, 3]);
        assert!(highest(&[], 3).is_empty());
    }
}
