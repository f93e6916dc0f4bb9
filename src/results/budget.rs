//! Tokens that an answer may still have.

use crate::text::tokens;

#[derive(Debug, Clone, Copy)]
pub struct Budget {
    left: usize,
}

impl Budget {
    pub fn new(most: usize) -> Self {
        Self { left: most }
    }

    pub fn left(self) -> usize {
        self.left
    }

    /// Takes what a line costs with its end; `false` when there is no room, and nothing is taken.
    pub fn take(&mut self, line: &str) -> bool {
        // A line end may be a token of its own.
        let room = self.left.saturating_sub(1);
        if tokens::prefix(line, room) < line.len() {
            return false;
        }
        match self.left.checked_sub(tokens::count(line) + 1) {
            Some(left) => self.left = left,
            None => return false,
        }
        true
    }

    /// As much of a text as there is room for.
    pub fn beginning(self, text: &str) -> &str {
        &text[..tokens::prefix(text, self.left.saturating_sub(1))]
    }
}
