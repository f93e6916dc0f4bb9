//! The constants of BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009), as the upstream extension has
//! them. Tools, servers and passages of results are scored with the same.

/// Saturation of how often a term stands in a text.
pub const K1: f32 = 1.5;
/// How much the length of a text counts.
pub const B: f32 = 0.75;
