//! Cosine of a query with tools.

use crate::embedding::similarity;
use crate::embedding::vectors::Vector;

/// The cosine of the query with each candidate.
#[must_use]
pub fn similarities(query: &[f32], tools: &[Vector], candidates: &[usize]) -> Vec<f64> {
    crate::fault::point("semantic");
    candidates.iter().map(|position| similarity(query, &tools[*position])).collect()
}
