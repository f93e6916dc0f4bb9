// How far sums over sessions can be trusted: intervals by drawing the sessions again, the same each time for a seed.

import { generator } from '../base/random.mjs'

const DRAWS = 1_000
/** Ends of the middle 95 %. */
const [LOW, HIGH] = [0.025, 0.975]
/** Sessions below which no interval is told: with ten it holds the truth in 87 of 100 cases instead of 95. */
export const LEAST = 10

/**
 * The sum of one column over the sum of another, and an interval of it.
 *
 * @param {number[]} parts a session each
 * @param {number[]} wholes
 * @param {number} seed
 * @returns {{ share: number, interval: [number, number] | null }}
 */
export function shareOf(parts, wholes, seed) {
  const sum = (column, pick) => column.reduce((total, _, at) => total + column[pick(at)], 0)
  const share = sum(parts, (at) => at) / (sum(wholes, (at) => at) || 1)
  if (parts.length < LEAST) return { share, interval: null }
  const random = generator(seed)
  const drawn = Array.from({ length: DRAWS }, () => {
    const picks = parts.map(() => Math.floor(random() * parts.length))
    const pick = (at) => picks[at]
    return sum(parts, pick) / (sum(wholes, pick) || 1)
  }).toSorted((a, b) => a - b)
  const end = (part) => drawn[Math.round(part * (DRAWS - 1))]
  return { share, interval: [end(LOW), end(HIGH)] }
}
