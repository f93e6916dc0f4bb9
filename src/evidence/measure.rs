//! What the signals of a ranking weigh: a logistic measure, half of it linear and half of it trees, and its calibration.
//!
//! The linear half carries over to catalogues that nobody has seen; the trees know what only counts together, such as a
//! rare word that is covered in a request that names a server. `research/make/evidence.py` sets both.

use once_cell::sync::Lazy;

use super::trees::Tree;
use crate::ranking::signals::{Signals, Values};

const SIGNALS: usize = Values::NAMES.len();
/// The most for a text that names nothing, and by words alone for one that shares no word with any tool: small talk is rarely more.
const OF_SMALL_TALK: f64 = 0.02;
/// The least for a text that names a tool.
const OF_NAMED_TOOL: f64 = 0.95;

/// What each signal weighs, with vectors and without, and what both begin with.
#[derive(Debug)]
pub struct Measure {
    intercept: [f64; 2],
    signals: [[f64; 2]; SIGNALS],
    trees: [Vec<Tree>; 2],
    /// What a measured value is said as: points of both, between which it is linear.
    said: Vec<[f64; 3]>,
}

static MEASURE: Lazy<Measure> = Lazy::new(|| Measure::read(include_str!("data/evidence.txt")));

impl Measure {
    /// Reads lines of a name and its numbers. What is not understood weighs nothing.
    fn read(text: &str) -> Self {
        let mut measure =
            Self { intercept: [0.0; 2], signals: [[0.0; 2]; SIGNALS], trees: [Vec::new(), Vec::new()], said: vec![[0.0; 3]] };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split(' ');
            let name = words.next().unwrap_or_default();
            if let Some(column) = ["tree_with_vectors", "tree_without"].iter().position(|known| *known == name) {
                measure.trees[column].push(Tree::read(&mut words, &Values::NAMES));
                continue;
            }
            let mut number = || words.next().and_then(|word| word.parse().ok()).unwrap_or(0.0);
            let pair = [number(), number()];
            match Values::NAMES.iter().position(|known| *known == name) {
                Some(at) => measure.signals[at] = pair,
                None if name == "said" => measure.said.push([pair[0], pair[1], number()]),
                None => measure.intercept = pair,
            }
        }
        measure.said.push([1.0; 3]);
        measure
    }

    /// What a ranking with these signals measures, from 0 to 1.
    fn of(&self, values: &[f64; SIGNALS], with_vectors: bool) -> f64 {
        let column = usize::from(!with_vectors);
        let linear: f64 = values.iter().zip(&self.signals).map(|(value, weights)| value * weights[column]).sum();
        let trees: f64 = self.trees[column].iter().map(|tree| tree.of(values)).sum();
        self.calibrated(1.0 / (1.0 + (-(self.intercept[column] + linear + trees)).exp()), column)
    }

    /// The value that stands for a measured one: how many of such rankings serve their text.
    fn calibrated(&self, measured: f64, column: usize) -> f64 {
        let after = self.said.partition_point(|point| point[0] < measured).clamp(1, self.said.len() - 1);
        let (from, to) = (&self.said[after - 1], &self.said[after]);
        let way = (measured - from[0]) / (to[0] - from[0]).max(f64::EPSILON);
        from[column + 1] + way * (to[column + 1] - from[column + 1])
    }
}

/// How likely any candidate serves the request of a ranking with these signals, from 0 to 1.
pub fn evidence(signals: &Signals) -> f64 {
    let values = &signals.values;
    let measured = MEASURE.of(&values.all(), signals.with_vectors);
    let matches_nothing = !signals.with_vectors && values.lexical + values.implied + values.of_named <= 0.0;
    if signals.names_a_tool {
        measured.max(OF_NAMED_TOOL)
    } else if signals.content_words == 0 || matches_nothing {
        measured.min(OF_SMALL_TALK)
    } else {
        measured
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_value_is_said_as_rises_with_it_from_0_to_1() {
        for column in 0..2 {
            let said: Vec<f64> = (0..=1000).map(|at| MEASURE.calibrated(f64::from(at) / 1000.0, column)).collect();
            assert!(said[0].abs() < 1e-9 && (said[1000] - 1.0).abs() < 1e-9, "{} to {}", said[0], said[1000]);
            assert!(said.windows(2).all(|pair| pair[0] <= pair[1]));
            for point in &MEASURE.said {
                assert!((MEASURE.calibrated(point[0], column) - point[column + 1]).abs() < 1e-9);
            }
        }
        assert!(MEASURE.said.len() > 2 && MEASURE.said.windows(2).all(|pair| pair[0][0] < pair[1][0]));
    }

    #[test]
    fn by_words_alone_a_text_that_shares_none_with_any_tool_is_as_small_talk() {
        let of = |lexical: f64, with_vectors: bool| {
            let values =
                Values { content: 1.1, english: 1.0, lexical, coverage: lexical, top_lexical: lexical, ..Values::default() };
            evidence(&Signals { values, content_words: 2, with_vectors, ..Signals::default() })
        };
        assert!(of(0.0, false) <= OF_SMALL_TALK && of(1.0, false) > OF_SMALL_TALK && of(0.0, true) > OF_SMALL_TALK);
    }

    #[test]
    fn a_tree_is_followed_by_its_signals() {
        let measure = Measure::read("tree_with_vectors terms 1.5 -2 english 0.5 3 4\nsaid 0.5 0.5 0.5\nintercept 0 0");
        let value = |terms: f64, english: f64| {
            let said = measure.of(&Values { terms, english, ..Values::default() }.all(), true);
            (said / (1.0 - said)).ln().round()
        };
        assert!(value(1.5, 1.0) < value(1.6, 0.5) && value(1.6, 0.5) < value(1.6, 1.0));
        assert!((measure.of(&[9.0; SIGNALS], false) - 0.5).abs() < 1e-9, "the other column has no trees");
    }
}
