// Servers that run in one gateway for all that share a database: who runs which one and until when, and calls of the others.
// A call is taken by one gateway once. One that was taken and has no outcome is never given to another.

import { tell } from './database.mjs'

/** Calls that a gateway takes together. */
const TOGETHER = 50
/** How long a call may stand, whatever became of who made it. */
const CALL_S = 7_200

/**
 * @typedef {object} Tenure
 * @property {boolean} isMine
 * @property {string} holder
 * @property {object} [capabilities] of the server, once it has started
 *
 * @typedef {object} Outcome
 * @property {object} [result]
 * @property {{ message: string, code?: number, data?: unknown }} [error] with a code where the server itself answered it
 *
 * @typedef {object} Told
 * @property {(identity: string) => void} lease somebody has started a server, or nobody runs it any more
 * @property {(identity: string) => void} called there are calls of a server
 * @property {(asker: string) => void} answered there are outcomes for somebody
 * @property {(id: string) => void} dropped a call is not wanted any more
 * @property {(id: string, progress: string) => void} progress
 * @property {() => void} back the database is back, and all of the above may have been missed
 */

export class PostgresLeases {
  #database
  #by
  #escaped
  #profile
  /** @type {Set<Partial<Told>>} */
  #told = new Set()

  /**
   * @param {import('./database.mjs').Asked} database
   * @param {{ by: string, escaped: (text: string) => string, profile?: string }} how `by`: what this gateway's notifications begin
   * with; `profile`: that is served, if one is
   */
  constructor(database, { by, escaped, profile }) {
    this.#database = database
    this.#by = by
    this.#escaped = escaped
    this.#profile = profile ?? null
  }

  /** Whether nobody can be asked now. */
  get isAway() {
    return this.#database.away !== undefined
  }

  /**
   * Takes the right to run a server, or has it for longer, unless another one has it.
   *
   * @param {{ identity: string, server: string, holder: string, ms: number }} wanted
   * @returns {Promise<Tenure>} who has it now
   */
  async take({ identity, server, holder, ms }) {
    const { rows } = await this.#database.query(
      `with taken as (
         insert into tool_router.leases as l (identity, server, holder, expires_at, profile)
         values ($1, $2, $3, now() + make_interval(secs => $4), $5)
         on conflict (identity) do update set holder = $3, expires_at = excluded.expires_at,
           capabilities = case when l.holder = $3 then l.capabilities end
         where l.holder = $3 or l.expires_at < now()
         returning holder::text, capabilities::text)
       select * from taken
       union all select holder::text, capabilities::text from tool_router.leases
         where identity = $1 and not exists (select from taken)`,
      [identity, this.#escaped(server), holder, ms / 1000, this.#profile],
    )
    // Released in this moment by who had it.
    const [{ holder: has, capabilities } = { holder: '', capabilities: null }] = rows
    return {
      isMine: has === holder,
      holder: has,
      capabilities: capabilities === null ? undefined : JSON.parse(capabilities),
    }
  }

  /** Other gateways that serve the same, and live. @param {string} own @returns {Promise<string[]>} their identities */
  async gateways(own) {
    const { rows } = await this.#database.query(
      `select identity from tool_router.leases where server = '' and profile is not distinct from $1 and expires_at > now()
         and identity <> $2`,
      [this.#profile, own],
    )
    return rows.map(({ identity }) => identity)
  }

  /** The server has started. @param {string} identity @param {string} holder @param {object} capabilities */
  started(identity, holder, capabilities) {
    return this.#database.transaction(async (query) => {
      await query('update tool_router.leases set capabilities = $3::json where identity = $1 and holder = $2', [
        identity,
        holder,
        JSON.stringify(capabilities),
      ])
      await this.#tell(query, 'lease', identity)
    })
  }

  /** @param {string} identity @param {string} holder */
  release(identity, holder) {
    return this.#database.transaction(async (query) => {
      await query('delete from tool_router.leases where identity = $1 and holder = $2', [identity, holder])
      await this.#tell(query, 'lease', identity)
    })
  }

  /**
   * Leaves a call for whoever runs the server.
   *
   * @param {{ id: string, identity: string, server: string, asker: string, request: object }} call
   */
  async call({ id, identity, server, asker, request }) {
    await this.#database.transaction(async (query) => {
      await query(
        `insert into tool_router.server_calls (id, identity, server, asker, request, profile)
         values ($1, $2, $3, $4, $5::json, $6)`,
        [id, identity, this.#escaped(server), asker, JSON.stringify(request), this.#profile],
      )
      await this.#tell(query, 'called', identity)
    })
  }

  /**
   * Calls that nobody has taken, for who runs the server now.
   *
   * @param {string} identity
   * @param {string} holder
   * @returns {Promise<{ id: string, asker: string, request: any }[]>}
   */
  async takeCalls(identity, holder) {
    const { rows } = await this.#database.query(
      `update tool_router.server_calls set taken_by = $2 where id in (
         select id from tool_router.server_calls where identity = $1 and taken_by is null
         order by at limit ${TOGETHER} for update skip locked)
       and exists (select from tool_router.leases where identity = $1 and holder = $2 and expires_at > now())
       returning id::text, asker::text, request::text`,
      [identity, holder],
    )
    return rows.map(({ id, asker, request }) => ({ id, asker, request: JSON.parse(request) }))
  }

  /** @param {{ id: string, asker: string }} call @param {Outcome} outcome */
  answer({ id, asker }, outcome) {
    return this.#database.transaction(async (query) => {
      await query('update tool_router.server_calls set outcome = $2::json where id = $1', [id, JSON.stringify(outcome)])
      await this.#tell(query, 'answered', asker)
    })
  }

  /** Outcomes of calls; nobody gets them again. @param {string} asker @returns {Promise<{ id: string, outcome: Outcome }[]>} */
  async outcomes(asker) {
    const { rows } = await this.#database.query(
      `delete from tool_router.server_calls where asker = $1 and outcome is not null returning id::text, outcome::text`,
      [asker],
    )
    return rows.map(({ id, outcome }) => ({ id, outcome: JSON.parse(outcome) }))
  }

  /**
   * Takes calls back that will get no outcome: whoever took them does not run the server any more, or they are not there.
   *
   * @param {string[]} ids
   * @returns {Promise<string[]>}
   */
  async lost(ids) {
    const { rows } = await this.#database.query(
      `with gone as (delete from tool_router.server_calls c where c.id = any($1::uuid[]) and c.taken_by is not null
         and c.outcome is null and not exists (select from tool_router.leases l
           where l.identity = c.identity and l.holder = c.taken_by and l.expires_at > now())
         returning c.id)
       select id::text from gone
       union all select id::text from unnest($1::uuid[]) as t (id)
         where not exists (select from tool_router.server_calls c where c.id = t.id)`,
      [ids],
    )
    return rows.map(({ id }) => id)
  }

  /** Takes a call back. @param {string} id @returns {Promise<boolean>} whether nobody has taken it */
  async withdraw(id) {
    const { rowCount } = await this.#database.query(
      'delete from tool_router.server_calls where id = $1 and taken_by is null',
      [id],
    )
    return rowCount === 1
  }

  /** Forgets calls whose gateways have all gone. */
  async sweep() {
    await this.#database.query('delete from tool_router.server_calls where at < now() - make_interval(secs => $1)', [
      CALL_S,
    ])
  }

  /** A call is not wanted any more. @param {string} id */
  async drop(id) {
    await this.#database.transaction((query) => this.#tell(query, 'dropped', id))
  }

  /** @param {string} id @param {string} progress */
  async progress(id, progress) {
    await this.#database.transaction((query) => this.#tell(query, 'progress', `${id} ${progress}`))
  }

  /** @param {Partial<Told>} told @returns {() => void} ends it */
  watch(told) {
    this.#told.add(told)
    return () => this.#told.delete(told)
  }

  heard(kind, subject, more) {
    if (!['lease', 'called', 'answered', 'dropped', 'progress'].includes(kind)) return
    for (const told of [...this.#told]) told[kind]?.(subject, more)
  }

  back() {
    for (const told of [...this.#told]) told.back?.()
  }

  #tell(query, kind, subject) {
    return tell(query, `${this.#by} ${kind} ${subject}`)
  }
}
