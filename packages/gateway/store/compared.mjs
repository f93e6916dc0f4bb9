// What sessions of a comparison have cost, as a store keeps it: numbers by a hash of the session, without texts, names or
// people.

import { WaitingRows } from './waiting-rows.mjs'

/** How long counts wait to be written with others. */
const GATHER_MS = 1_000
/** Counts that are written together, and that wait at most while the store is gone; the oldest are lost first. */
const TOGETHER = 1_000
const MOST_WAITING = 10_000
/** How long a session is kept after its last count, and sessions of one comparison; the latest stay. */
export const KEPT_DAYS = 90
export const MOST_SESSIONS = 5_000

/** What is counted of a session. @type {(keyof Counts)[]} */
export const COUNTED = ['listTokens', 'answerTokens', 'steps', 'searches', 'refusals', 'ms']

/**
 * @typedef {object} Counts
 * @property {number} listTokens of the lists of tools that its client has read
 * @property {number} answerTokens of the answers to its calls
 * @property {number} steps calls of tools, of the gateway's own too
 * @property {number} searches those of them that look for tools
 * @property {number} refusals those of them that the gateway answered with what is wrong, without asking a server
 * @property {number} ms from calls to their answers
 *
 * @typedef {{ comparison: string, session: string, arm: 'a' | 'b' } & Partial<Counts>} Row more of a session
 * @typedef {{ arm: 'a' | 'b' } & Counts} SessionCounts all of a session
 */

export class StoredCounts {
  /** @type {WaitingRows<Row>} */
  #waiting
  #read

  /**
   * @param {{ insert: (rows: Row[]) => Promise<unknown>, read: (comparison: string) => Promise<SessionCounts[]>,
   * sweep: () => Promise<unknown> }} how rows, one per session, are added to what is there and read, and old ones deleted
   */
  constructor({ insert, read, sweep }) {
    this.#read = read
    this.#waiting = new WaitingRows({
      gatherMs: GATHER_MS,
      together: TOGETHER,
      most: MOST_WAITING,
      insert: (rows) => insert(summed(rows)),
      sweep,
    })
  }

  /** Counts more of a session, soon. @param {Row} row */
  record(row) {
    this.#waiting.add([row])
  }

  /** Writes what waits. What cannot be written now waits on. */
  flush() {
    return this.#waiting.flush()
  }

  /** What is kept of the sessions of a comparison. @param {string} comparison */
  read(comparison) {
    return this.#read(comparison)
  }
}

/** Whether these are counts: others write where they are kept. @param {any} counts @returns {counts is SessionCounts} */
export function isWhole(counts) {
  return ['a', 'b'].includes(counts?.arm) && COUNTED.every((name) => Number.isFinite(counts[name]) && counts[name] >= 0)
}

/** One row for each session, in one order. @param {Row[]} rows */
function summed(rows) {
  /** @type {Map<string, Row & Counts>} */
  const sums = new Map()
  for (const row of rows) {
    const key = JSON.stringify([row.comparison, row.session])
    const { comparison, session, arm } = row
    sums.set(key, { comparison, session, arm, ...added(sums.get(key), row) })
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}

/**
 * @param {Partial<Counts>} [one]
 * @param {Partial<Counts>} [other]
 * @returns {Counts}
 */
export function added(one = {}, other = {}) {
  const sums = COUNTED.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)])
  return /** @type {Counts} */ (Object.fromEntries(sums))
}
