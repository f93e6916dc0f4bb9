//! Text analysis: terms, languages, word lists, tokens. Knows nothing of tools.

pub(crate) mod base64;
pub mod bm25;
pub mod cut;
pub mod english;
pub(crate) mod hidden;
pub mod language;
mod lexicon;
pub(crate) mod look_alike;
pub mod names;
pub(crate) mod pattern;
pub mod related;
pub mod synonyms;
pub mod terms;
pub mod tokens;
pub mod translation;
