// What two groups of sessions tell about a difference: means, and an interval by bootstrap, which is the same each time.

/** How often sessions are drawn again. */
const DRAWS = 2_000
/** Ends of the middle 95 % of the differences that were drawn. */
const [LOW, HIGH] = [0.025, 0.975]
const SEED = 0x5e55
/**
 * Sessions of each arm below which nothing is told: costs of sessions are skewed, and with 30 of them an interval holds the
 * true difference in 92 of 100 comparisons, with 10 in 87 (lognormal costs, sigma 1).
 */
export const LEAST_SESSIONS = 30

/**
 * @typedef {object} Difference of the mean per session
 * @property {number} a
 * @property {number} b
 * @property {number} difference `b` less `a`
 * @property {[number, number] | null} interval of 95 %; null with too few sessions
 */

/**
 * @param {Record<string, any>[]} a a session each, with numbers
 * @param {Record<string, any>[]} b
 * @param {string[]} names of what is compared
 * @returns {Record<string, Difference>}
 */
export function differencesOf(a, b, names) {
  const [rowsA, rowsB] = [a, b].map((rows) => rows.map((row) => names.map((name) => row[name])))
  const [meansA, meansB] = [rowsA, rowsB].map((rows) => meansOf(rows, names.length, (at) => at))
  const isEnough = Math.min(a.length, b.length) >= LEAST_SESSIONS
  const drawn = isEnough ? drawnDifferences(rowsA, rowsB, names.length) : []
  const found = names.map((name, at) => {
    const sorted = drawn.map((differences) => differences[at]).toSorted((one, other) => one - other)
    const end = (share) => sorted[Math.round(share * (sorted.length - 1))]
    const interval = isEnough ? /** @type {[number, number]} */ ([end(LOW), end(HIGH)]) : null
    return [name, { a: meansA[at], b: meansB[at], difference: meansB[at] - meansA[at], interval }]
  })
  return Object.fromEntries(found)
}

function drawnDifferences(a, b, width) {
  const random = generator(SEED)
  const draw = (rows) => meansOf(rows, width, () => Math.floor(random() * rows.length))
  return Array.from({ length: DRAWS }, () => {
    const [meansA, meansB] = [draw(a), draw(b)]
    return meansB.map((mean, at) => mean - meansA[at])
  })
}

/** Means of as many rows as there are, chosen by `pick`; 0 of none. */
function meansOf(rows, width, pick) {
  const sums = new Array(width).fill(0)
  for (let at = 0; at < rows.length; at++) {
    const row = rows[pick(at)]
    for (let column = 0; column < width; column++) sums[column] += row[column]
  }
  return sums.map((sum) => sum / Math.max(1, rows.length))
}

/** Numbers from 0 to 1, the same for a seed (mulberry32). */
export function generator(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
