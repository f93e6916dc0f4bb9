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
