// From scores to rankings, and two ways of joining two lists of scores.

/** Places of the best scores, best first; equal scores stand in the order of the catalogue. */
export function bestPlaces(scores, count, above = -Infinity) {
  const places = []
  for (let at = 0; at < scores.length; at++) if (scores[at] > above) places.push(at)
  return places.sort((a, b) => scores[b] - scores[a] || a - b).slice(0, count)
}

/** Scores with mean 0 and deviation 1; all 0 when they are equal. */
export function standardised(scores) {
  const average = scores.reduce((sum, score) => sum + score, 0) / scores.length
  const variance = scores.reduce((sum, score) => sum + (score - average) ** 2, 0) / scores.length
  return variance === 0
    ? new Float64Array(scores.length)
    : scores.map((score) => (score - average) / Math.sqrt(variance))
}

/** `weight` of the first and the rest of the second, both standardised. */
export function weightedSum(lexical, semantic, weight) {
  const [left, right] = [standardised(lexical), standardised(semantic)]
  return left.map((score, at) => weight * score + (1 - weight) * right[at])
}

/**
 * Reciprocal rank fusion (G. Cormack and others, 2009): 1 / (k + rank), summed. A tool that no term of the query speaks
 * for has no lexical rank.
 */
export function reciprocalRanks(lexical, semantic, k) {
  const fused = new Float64Array(lexical.length)
  for (const places of [bestPlaces(lexical, Infinity, 0), bestPlaces(semantic, Infinity)]) {
    for (const [rank, at] of places.entries()) fused[at] += 1 / (k + rank + 1)
  }
  return fused
}
