// SPDX-License-Identifier: Apache-2.0
//
// An audit of calls: who called which tool when, how long it took and how large it was. Nothing of arguments and results.

import { WaitingRows } from '../waiting-rows.mjs'

/** How long a call waits to be written with others. */
const GATHER_MS = 500
/** Calls that wait at most, while the database is gone; the oldest are lost first. */
const MOST = 10_000
/** Calls that are written together. */
const TOGETHER = 1_000
/** How long calls are kept. */
const KEPT_DAYS = 90

/**
 * @typedef {Omit<import('../../activity/activity.mjs').Call, 'number'>} Call
 */

export class PostgresCalls {
  #database
  #escaped
  #profile
  /** @type {WaitingRows<Call>} */
  #waiting

  /**
   * @param {import('./database.mjs').Database} database
   * @param {(text: string) => string} escaped
   * @param {string} [profile] that is served, if one is
   */
  constructor(database, escaped, profile) {
    this.#database = database
    this.#escaped = escaped
    this.#profile = profile
    const sweep = 'delete from tool_router.calls where at < now() - make_interval(days => $1)'
    this.#waiting = new WaitingRows({
      gatherMs: GATHER_MS,
      together: TOGETHER,
      most: MOST,
      insert: (calls) => this.#insert(calls),
      sweep: () => this.#database.query(sweep, [KEPT_DAYS]),
    })
  }

  /** Writes a call, soon. @param {Call} call */
  record(call) {
    this.#waiting.add([call])
  }

  /** Writes what waits. What cannot be written now waits on. */
  flush() {
    return this.#waiting.flush()
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
