// Time of one ranking. Systems take turns on each request, so that whatever else the machine does meets all of them.

import { sample, seeded } from './bootstrap.mjs'
import { DEPTH, percentile } from './metrics.mjs'

/** Requests of a set that are timed. */
const TIMED = 50
/** Requests before them, so that caches and compilers are warm. */
const WARM_UP = 5

/**
 * Milliseconds of each timed ranking by system. The model is run for each request wherever a system needs it.
 *
 * @param {import('./sets.mjs').LabelledSet} set
 * @param {Map<string, { rank: Function }>} opened systems by id
 * @returns {Promise<Record<string, number[]>>}
 */
export async function timeSystems(set, opened, seed) {
  const chosen = sample(set.requests, TIMED + WARM_UP, seeded(seed, set.name, 'latency'))
  const times = Object.fromEntries([...opened.keys()].map((id) => [id, []]))
  for (const [at, { query }] of chosen.entries()) {
    for (const [id, system] of opened) {
      // A text that nobody has seen, so that no cache holds its vector.
      const fresh = `${query} ${id} ${at}`
      const started = performance.now()
      await system.rank(fresh, DEPTH, { live: true })
      if (at >= WARM_UP) times[id].push(performance.now() - started)
    }
  }
  return times
}

/** Median and 95th percentile by system, each as a multiple of the same of one system. */
export function relativeTimes(times, of) {
  const both = (list) => ({ median: percentile(list, 0.5), p95: percentile(list, 0.95) })
  const base = both(times[of])
  return Object.fromEntries(
    Object.entries(times).map(([id, list]) => {
      const { median, p95 } = both(list)
      return [id, { median: median / base.median, p95: p95 / base.p95, ms: median }]
    }),
  )
}
