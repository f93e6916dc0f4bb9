// Rows that are written soon, many together. What cannot be written now waits, up to a bound; the oldest are lost first.

import { StoreRefusal } from './away.mjs'

/** How often it is looked for rows that are too old. */
const SWEEP_MS = 3_600_000

/** @template Row */
export class WaitingRows {
  #of
  /** @type {Row[]} */
  #waiting = []
  #timer
  #sweptAt = 0
  /** @type {Promise<void>} */
  #writing = Promise.resolve()

  /**
   * @param {{ gatherMs: number, together: number, most: number, insert: (rows: Row[]) => Promise<unknown>,
   * sweep: () => Promise<unknown> }} of how long a row waits for others, how many are written together and wait at most, and how
   * rows are written and old ones deleted
   */
  constructor(of) {
    this.#of = of
  }

  /** @param {Row[]} rows */
  add(rows) {
    this.#waiting.push(...rows)
    this.#waiting.splice(0, this.#waiting.length - this.#of.most)
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => void this.flush(), this.#of.gatherMs)
    this.#timer.unref()
  }

  /** Writes what waits now. What cannot be written waits on. */
  flush() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#writeAll()).catch(() => {})
    return this.#writing
  }

  async #writeAll() {
    const { together, insert, sweep } = this.#of
    while (this.#waiting.length > 0) {
      const rows = this.#waiting.slice(0, together)
      await insert(rows).catch((error) => {
        // What is refused once is refused again.
        if (!(error instanceof StoreRefusal)) throw error
      })
      const written = new Set(rows)
      this.#waiting = this.#waiting.filter((row) => !written.has(row))
    }
    if (Date.now() - this.#sweptAt < SWEEP_MS) return
    this.#sweptAt = Date.now()
    await sweep()
  }
}
