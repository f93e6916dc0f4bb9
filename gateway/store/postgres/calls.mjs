// SPDX-License-Identifier: Apache-2.0
//
// An audit of calls: who called which tool when, how long it took and how large it was. Nothing of arguments and results.

import { StoreRefusal } from '../away.mjs'

/** How long a call waits to be written with others. */
const GATHER_MS = 500
/** Calls that wait at most, while the database is gone; the oldest are lost first. */
const MOST = 10_000
/** Calls that are written together. */
const TOGETHER = 1_000
/** How long calls are kept, and how often it is looked for older ones. */
const KEPT_DAYS = 90
const SWEEP_MS = 3_600_000

/**
 * @typedef {Omit<import('../../page/activity.mjs').Call, 'number'>} Call
 */

export class PostgresCalls {
  #database
  #escaped
  #profile
  /** @type {Call[]} */
  #waiting = []
  #timer
  #sweptAt = 0
  /** @type {Promise<void>} */
  #writing = Promise.resolve()

  /**
   * @param {import('./database.mjs').Database} database
   * @param {(text: string) => string} escaped
   * @param {string} [profile] that is served, if one is
   */
  constructor(database, escaped, profile) {
    this.#database = database
    this.#escaped = escaped
    this.#profile = profile
  }

  /** Writes a call, soon. @param {Call} call */
  record(call) {
    this.#waiting.push(call)
    if (this.#waiting.length > MOST) this.#waiting.shift()
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => void this.write(), GATHER_MS)
    this.#timer.unref()
  }

  /** Writes what waits. What cannot be written now waits on. */
  write() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#writeAll()).catch(() => {})
    return this.#writing
  }

  async #writeAll() {
    while (this.#waiting.length > 0) {
      const calls = this.#waiting.slice(0, TOGETHER)
      await this.#insert(calls).catch((error) => {
        // What is refused once is refused again.
        if (!(error instanceof StoreRefusal)) throw error
      })
      const written = new Set(calls)
      this.#waiting = this.#waiting.filter((call) => !written.has(call))
    }
    if (Date.now() - this.#sweptAt < SWEEP_MS) return
    this.#sweptAt = Date.now()
    await this.#database.query('delete from tool_router.calls where at < now() - make_interval(days => $1)', [
      KEPT_DAYS,
    ])
  }

  async #insert(calls) {
    const column = (key) => calls.map((call) => call[key])
    const texts = (key) => column(key).map(this.#escaped)
    const whole = (key) => column(key).map(Math.round)
    await this.#database.query(
      `insert into tool_router.calls (at, profile, client, server, tool, outcome, ms, sent, received)
       select to_timestamp(at / 1000.0), $1, client, server, tool, outcome, ms, sent, received
       from unnest($2::float8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::integer[], $8::bigint[], $9::bigint[])
         as t (at, client, server, tool, outcome, ms, sent, received)`,
      [
        this.#profile ?? null,
        ...[column('at'), texts('client'), texts('server'), texts('tool'), column('outcome')],
        ...[whole('ms'), whole('sent'), whole('received')],
      ],
    )
  }
}
