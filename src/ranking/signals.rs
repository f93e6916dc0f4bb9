//! What evidence is weighed from: plain data, which a ranking carries.

use super::measure::SIGNALS;

/// What is known about a ranking, in a form that a linear measure can weigh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signals {
    /// Their values; [`super::measure::NAMES`] says which.
    pub(super) values: [f64; SIGNALS],
    pub(super) names_a_tool: bool,
    pub(super) content_words: usize,
    pub(super) asks_for_action: bool,
    /// Whether cosines are among them, on the scale that the measure knows.
    pub(super) with_vectors: bool,
}

impl Signals {
    /// How many words may name something, as ln(1 + n).
    #[must_use]
    pub fn content(&self) -> f64 {
        self.values[0]
    }

    /// Whether the request asks for an action that is known.
    #[must_use]
    pub fn asks_for_action(&self) -> bool {
        self.asks_for_action
    }

    /// How many of its words say what it is about.
    #[must_use]
    pub fn content_words(&self) -> usize {
        self.content_words
    }

    /// Whether cosines are among them.
    #[must_use]
    pub fn with_vectors(&self) -> bool {
        self.with_vectors
    }
}
