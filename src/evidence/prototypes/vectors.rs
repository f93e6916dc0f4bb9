//! By vectors of the model that ships.

use std::path::PathBuf;

use once_cell::sync::{Lazy, OnceCell};
use sha2::{Digest, Sha256};

use super::{NEEDS, Standing, TALK, lines};
use crate::embedding::similarity;
use crate::evidence::HEAD;
use crate::ranking::SemanticInput;
use crate::regular_file;

/// Numbers in a vector of the model that ships.
const DIMENSIONS: usize = 384;
/// Lines nearest to the request that are compared with the tools. 1 to 20 are alike.
const NEAREST: usize = 2;

/// The file in the folder of the model that ships: the vectors of all lines in their order, a byte per number, the group of each
/// line, a byte per line, and the SHA-256 of both and of the lines. Written by `research/make/prototypes.mjs`.
const FILE_NAME: &str = "prototypes.bin";
const HASH_BYTES: usize = 32;
/// The largest file that is read: ten times what there is.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
static FOLDER: OnceCell<PathBuf> = OnceCell::new();

/// Says where the model that ships is. The first word counts.
#[cfg(any(feature = "node", test))]
pub fn set_folder(folder: PathBuf) {
    let _ = FOLDER.set(folder); // another environment has said so before
}

/// A request is compared with the lines of so many groups of about 50, those whose centres are nearest to it. Of 3,000
/// requests, 1 to 2 in a hundred have their nearest line elsewhere (of 12 groups, 5); with all groups a ranking takes 0.2 ms
/// longer.
const GROUPS_READ: usize = 24;

/// Lines of one kind, by group.
struct Kind {
    vectors: Vec<u8>,
    /// One over the length of each.
    scales: Vec<f64>,
    groups: Vec<Group>,
}

struct Group {
    centre: Vec<f32>,
    lines: Vec<usize>,
}

/// Both kinds; `None` where the file is missing, or is not that of these lines: then evidence is read without vectors.
static KINDS: Lazy<Option<[Kind; 2]>> = Lazy::new(|| {
    #[cfg(test)]
    set_folder(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("npm/model"));
    read(&regular_file::read(&FOLDER.get()?.join(FILE_NAME), MAX_BYTES).ok()?)
});

fn read(bytes: &[u8]) -> Option<[Kind; 2]> {
    let (needs, all) = (lines(NEEDS).count(), lines(NEEDS).chain(lines(TALK)).count());
    let (content, hash) = bytes.split_at_checked(bytes.len().checked_sub(HASH_BYTES)?)?;
    let mut hasher = Sha256::new_with_prefix(content);
    for line in lines(NEEDS).chain(lines(TALK)) {
        hasher.update(line);
        hasher.update("\n");
    }
    if content.len() != all * (DIMENSIONS + 1) || hasher.finalize().as_slice() != hash {
        return None;
    }
    let (vectors, groups) = content.split_at(all * DIMENSIONS);
    let (vectors, groups) = (vectors.split_at(needs * DIMENSIONS), groups.split_at(needs));
    Some([Kind::new(vectors.0, groups.0), Kind::new(vectors.1, groups.1)])
}

/// Whether requests can be compared with them.
pub fn are_there() -> bool {
    KINDS.is_some()
}

impl Kind {
    fn new(vectors: &[u8], of: &[u8]) -> Self {
        let scales = vectors.chunks_exact(DIMENSIONS).map(scale).collect();
        let mut groups: Vec<Group> = Vec::new();
        for (line, (vector, group)) in vectors.chunks_exact(DIMENSIONS).zip(of).enumerate() {
            let group = usize::from(*group);
            while groups.len() <= group {
                groups.push(Group { centre: vec![0.0; DIMENSIONS], lines: Vec::new() });
            }
            let group = &mut groups[group];
            group.centre.iter_mut().zip(unit(vector)).for_each(|(sum, number)| *sum += number);
            group.lines.push(line);
        }
        for group in &mut groups {
            crate::embedding::normalise(&mut group.centre);
        }
        Self { vectors: vectors.to_vec(), scales, groups }
    }

    fn vector(&self, line: usize) -> &[u8] {
        &self.vectors[line * DIMENSIONS..(line + 1) * DIMENSIONS]
    }

    /// The lines nearest to a request, nearest first, among those of so many groups, and their cosines.
    fn nearest(&self, query: &[f32], count: usize, groups: usize) -> Vec<(usize, f64)> {
        let centres: Vec<f64> = self.groups.iter().map(|group| similarity(query, &group.centre)).collect();
        let read = highest(&centres, groups);
        let mut read: Vec<usize> = read.into_iter().flat_map(|group| self.groups[group].lines.iter().copied()).collect();
        read.sort_unstable();
        let near: Vec<f64> = read.iter().map(|line| self.scales[*line] * product_with_bytes(query, self.vector(*line))).collect();
        highest(&near, count).into_iter().map(|at| (read[at], near[at])).collect()
    }
}

/// Where a request stands whose cosine with each candidate, and the best of its clauses, are known. `None` with vectors of
/// another model.
pub(in crate::evidence) fn standing(
    input: SemanticInput<'_>,
    candidates: &[usize],
    similarities: &[f64],
    best: f64,
) -> Option<Standing> {
    let query = &input.query.whole;
    if !input.known_scale || query.len() != DIMENSIONS {
        return None;
    }
    let [needs, talk] = KINDS.as_ref()?;
    let talk = talk.nearest(query, 1, GROUPS_READ).first().copied();
    let talk = talk.map_or(0.0, |(_, near)| near.max(0.0));
    let nearest = needs.nearest(query, NEAREST, GROUPS_READ);
    // Of 5 tools, 1 to 2 % fewer requests are told apart; of all of them, no more.
    let head = highest(similarities, HEAD);
    let met = |need: usize| {
        let vector = unit(needs.vector(need));
        head.iter().filter_map(|at| input.tools.cosine(&vector, candidates[*at])).fold(0.0, f64::max)
    };
    let need = nearest.first()?.1;
    let unmet = nearest.iter().map(|(at, near)| near - met(*at)).fold(f64::NEG_INFINITY, f64::max);
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
    use super::*;
    use crate::embedding::vectors::{QueryVectors, Vector};
    use crate::ranking::semantic::ToolVectors;

    fn kinds() -> &'static [Kind; 2] {
        KINDS.as_ref().expect("npm/model has the file")
    }

    #[test]
    fn there_is_a_vector_for_each_line_and_a_file_of_other_lines_is_not_read() {
        assert_eq!(kinds().each_ref().map(|kind| kind.scales.len()), [lines(NEEDS).count(), lines(TALK).count()]);
        assert!(lines(NEEDS).chain(lines(TALK)).all(|line| !line.trim().is_empty()));
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("npm/model").join(FILE_NAME);
        let bytes = std::fs::read(file).unwrap();
        assert!(read(&bytes).is_some());
        for at in [0, bytes.len() / 2, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(read(&damaged).is_none());
        }
        assert!(read(&bytes[..bytes.len() - 1]).is_none() && read(&[]).is_none());
    }

    #[test]
    fn few_groups_hold_nearly_always_what_all_of_them_hold() {
        /// One line in so many, as the test has no optimised code.
        const SAMPLED: usize = 13;
        for kind in kinds() {
            let lines = kind.scales.len();
            // Between two lines, where requests stand: further from each than lines stand from their groups.
            let between = |at: usize| {
                let (a, b) = (unit(kind.vector(at)), unit(kind.vector((at * 7 + 3) % lines)));
                let mut sum: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + 0.5 * b).collect();
                crate::embedding::normalise(&mut sum);
                sum
            };
            let (mut same, mut tries) = (0, 0);
            for at in (0..lines).step_by(SAMPLED) {
                let query = between(at);
                let (few, all) = (kind.nearest(&query, 1, GROUPS_READ)[0], kind.nearest(&query, 1, usize::MAX)[0]);
                same += usize::from(few == all);
                tries += 1;
            }
            assert!(same * 100 >= tries * 98, "{same} of {tries}");
        }
    }

    #[test]
    fn a_need_is_met_by_a_tool_that_stands_where_it_stands() {
        let need: Vector = unit(kinds()[0].vector(0)).into();
        let other: Vector = unit(kinds()[0].vector(300)).into();
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
