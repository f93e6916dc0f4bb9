// How good one answer is. A needed tool is found at the best rank among itself and the tools that are as good.

/** The measures of one request, in the order in which they are shown. All are shares from 0 to 1. */
export const METRICS = ['R@1', 'R@10', 'R@30', 'C@30', 'nDCG@10', 'MRR']

/** The most ranked tools that any measure looks at. */
export const DEPTH = 30

/**
 * Ranks of the needed tools, best first; `Infinity` for one that was not found.
 *
 * @param {{ gold: string[], alts?: Record<string, string[]> }} request
 * @param {string[]} ranked tool ids, best first
 */
export function ranksOf({ gold, alts = {} }, ranked) {
  const rankOf = new Map(ranked.map((id, at) => [id, at + 1]))
  const best = (id) => Math.min(...[id, ...(alts[id] ?? [])].map((each) => rankOf.get(each) ?? Infinity))
  return gold.map(best).sort((a, b) => a - b)
}

/**
 * All measures of one request that needs at least one tool.
 *
 * R@k: share of the needed tools in the first k. C@30: whether all of them are in the first 30. nDCG@10: gain 1 for each
 * needed tool. MRR: 1 by the rank of the first one.
 *
 * @returns {Record<string, number>} by the names of {@link METRICS}
 */
export function measure(request, ranked) {
  const ranks = ranksOf(request, ranked)
  const needed = ranks.length
  const recall = (k) => ranks.filter((rank) => rank <= k).length / needed
  const gain = (rank) => 1 / Math.log2(1 + rank)
  const sum = (numbers) => numbers.reduce((total, each) => total + each, 0)
  const ideal = sum(Array.from({ length: Math.min(needed, 10) }, (_, at) => gain(at + 1)))
  return {
    'R@1': recall(1),
    'R@10': recall(10),
    'R@30': recall(30),
    'C@30': ranks.at(-1) <= 30 ? 1 : 0,
    'nDCG@10': sum(ranks.filter((rank) => rank <= 10).map(gain)) / ideal,
    MRR: 1 / ranks[0],
  }
}

/** The mean of numbers; `NaN` of none. */
export function mean(numbers) {
  let total = 0
  for (const number of numbers) total += number
  return total / numbers.length
}

/** The number below which a share of the numbers lies, by the nearest rank. */
export function percentile(numbers, share) {
  const sorted = Float64Array.from(numbers).sort()
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))]
}
