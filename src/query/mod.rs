//! Reading a request: its text becomes terms, clauses and names, once.
//!
//! [`prepare`] says in which order; each step is a file and says what it may and may not touch.

mod clauses;
mod code;
mod foreign;
pub mod implied;
mod listed;
pub mod naming;
mod negation;
mod of_code;
mod pasted;
pub(crate) mod prepare;
mod products;
pub mod request;
mod small_talk;
mod spelling;
mod synonyms;
mod translation;
pub mod vocabulary;

pub use naming::Naming;
pub use request::{Clause, OfCode, Query, QueryCut, cut};

/// The lines of a data file without its comments.
fn rows(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

/// What the tests of the steps read, from a section of `data/tests.txt`.
#[cfg(test)]
fn examples(section: &str) -> impl Iterator<Item = &'static str> {
    let (_, after) = include_str!("data/tests.txt").split_once(&format!("\n== {section}\n")).expect(section);
    after.lines().take_while(|line| !line.starts_with("== "))
}
