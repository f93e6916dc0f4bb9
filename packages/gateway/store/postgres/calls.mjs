// An audit of calls: who called which tool when, how long it took and how large it was. Nothing of arguments and results. One that
// does not only read has its row before it is made.

import { settled } from '../../base/settled.mjs'
import { WaitingRows } from '../waiting-rows.mjs'

/** How long a call waits to be written with others. */
const GATHER_MS = 500
/** Calls that wait at most, while the database is gone; the oldest are lost first. */
const MOST = 10_000
/** Calls that are written together. */
const TOGETHER = 1_000
/** How long a call waits for its row. While the database is gone it is made without, and the row waits. */
const NOTED_MS = 2_000
/** How long calls are kept. */
const KEPT_DAYS = 90

/**
 * @typedef {Omit<import('../../activity/activity.mjs').Call, 'number'> & { profile?: string }} Call
 *
 * @typedef {object} Wanted
 * @property {number} since milliseconds of the clock
 * @property {number} most calls that are given
 * @property {{ person?: string, server?: string, tool?: string, outcome?: string }} [is] what they are, to the letter
 * @property {string} [words] what stands in one of their names, in any case
 */

export class PostgresCalls {
  #database
  #escaped
  #unescaped
  #profile
  /** @type {WaitingRows<Call>} */
  #waiting

  /**
   * @param {import('./database.mjs').Asked} database
   * @param {{ escaped: (text: string) => string, unescaped: (text: string) => string }} texts as columns take them
   * @param {string} [profile] that is served, if one is
   */
  constructor(database, { escaped, unescaped }, profile) {
    this.#database = database
    this.#escaped = escaped
    this.#unescaped = unescaped
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

  /** Writes a call that is about to be made. @param {Call} call */
  async begin(call) {
    const writing = this.#insert([call]).catch(() => this.#waiting.add([call]))
    await settled(writing, NOTED_MS)
  }

  /** Writes a call, soon. @param {Call} call */
  record(call) {
    this.#waiting.add([call])
  }

  /** Writes what waits. What cannot be written now waits on. */
  flush() {
    return this.#waiting.flush()
  }

  /** Calls as they ended, the latest first. @param {Wanted} wanted @returns {Promise<Call[]>} */
  async list({ since, most, is: { person, server, tool, outcome } = {}, words = '' }) {
    const asked = [person, server, tool, outcome].map((text) => (text === undefined ? null : this.#escaped(text)))
    const { rows } = await this.#database.query(
      `select coalesce(id::text, '') as id, at, person, replica, session, profile, client, server, tool, outcome, ms,
         sent::float8 as sent, received::float8 as received
       from tool_router.calls
       where at >= $1 and ($2::text is null or person = $2) and ($3::text is null or server = $3)
         and ($4::text is null or tool = $4) and ($5::text is null or outcome = $5)
         and strpos(lower(concat_ws(E'\n', person, server, tool, client, outcome)), lower($6)) > 0
       order by at desc limit $7`,
      [new Date(since), ...asked, this.#escaped(words), most],
    )
    return rows.map((row) => this.#callOf(row))
  }

  #callOf({ id, at, outcome, ms, sent, received, profile, ...row }) {
    const text = (key) => this.#readable(row[key] ?? '')
    const [person, replica, session] = ['person', 'replica', 'session'].map(text)
    const [client, server, tool] = ['client', 'server', 'tool'].map(text)
    const whose = { person, replica, session, client, ...(profile !== null && { profile }) }
    return { id, at: at.getTime(), ...whose, server, tool, outcome, ms, sent, received }
  }

  /** Other programs may have written a row, in another form. */
  #readable(text) {
    try {
      return this.#unescaped(text)
    } catch {
      return text
    }
  }

  async #insert(all) {
    // One call may wait twice: as it began, and as it ended.
    const calls = [...new Map(all.map((call) => [call.id, call])).values()]
    const column = (key) => calls.map((call) => call[key])
    const texts = (key) => column(key).map(this.#escaped)
    const whole = (key) => column(key).map(Math.round)
    await this.#database.query(
      `insert into tool_router.calls
         (at, profile, client, server, tool, outcome, ms, sent, received, id, person, replica, session)
       select to_timestamp(at / 1000.0), $1, client, server, tool, outcome, ms, sent, received, id, person, replica, session
       from unnest($2::float8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::integer[], $8::bigint[], $9::bigint[],
         $10::uuid[], $11::text[], $12::text[], $13::text[])
         as t (at, client, server, tool, outcome, ms, sent, received, id, person, replica, session)
       on conflict (id) do update set outcome = excluded.outcome, ms = excluded.ms, received = excluded.received
         where calls.outcome = 'begun'`,
      [
        this.#profile ?? null,
        ...[column('at'), texts('client'), texts('server'), texts('tool'), column('outcome')],
        ...[whole('ms'), whole('sent'), whole('received')],
        ...[column('id'), texts('person'), texts('replica'), texts('session')],
      ],
    )
  }
}
