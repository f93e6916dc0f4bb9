// Sessions of clients of the older era over HTTP, so that any gateway goes on with what another one began, and messages
// from one gateway to another about a client of both. Of a session there is what its client said about itself and names of what
// is attached; no text of a user and no result.

import { tell } from './database.mjs'

/** Sessions that are kept for one profile, or for all servers; those that were silent longest go first. */
const MOST = 10_000
/** Bytes of one: a client that says more about itself is known to one gateway alone. */
const MAX_BYTES = 256 * 1024
/** How exactly it is known when a session was used last. */
const USED_S = 10
/** How long a message waits for its gateway, which may have ended. */
const MESSAGE_S = 600

/**
 * @typedef {import('../../protocol/session-state.mjs').SessionState} SessionState
 *
 * @typedef {object} Row
 * @property {number} version counts up with each change
 * @property {SessionState} [state] left out where the asked version is the present one
 *
 * @typedef {object} Told
 * @property {(id: string) => void} changed a session was changed by another gateway
 * @property {(id: string) => void} ended by its client, at another gateway
 * @property {(replica: string) => void} message there is a message for this one
 * @property {() => void} back the database is back, and all of the above may have been missed
 */

export class PostgresSessions {
  #database
  #by
  #profile
  /** @type {Set<Told>} */
  #told = new Set()

  /**
   * @param {import('./database.mjs').Asked} database
   * @param {string} by what this gateway's notifications begin with
   * @param {string} [profile] that is served, if one is
   */
  constructor(database, by, profile) {
    this.#database = database
    this.#by = by
    this.#profile = profile ?? null
  }

  /**
   * A session that somebody uses now.
   *
   * @param {string} id
   * @param {number} [version] that is known here
   * @returns {Promise<Row | undefined>}
   */
  async look(id, version = 0) {
    const { rows } = await this.#database.query(
      `with used as (update tool_router.sessions set used_at = now() where id = $1 and profile is not distinct from $2
         and used_at < now() - make_interval(secs => $4))
       select version::int, case when version <> $3 then state::text end as state
       from tool_router.sessions where id = $1 and profile is not distinct from $2`,
      [id, this.#profile, version, USED_S],
    )
    return rows.map(rowOf)[0]
  }

  /** @param {string} id @param {SessionState} state @returns {Promise<Row | undefined>} undefined for one that is too large */
  async begin(id, state) {
    const text = JSON.stringify(state)
    if (text.length > MAX_BYTES) return undefined
    await this.#database.query(
      'insert into tool_router.sessions (id, profile, state) values ($1, $2, $3::json) on conflict do nothing',
      [id, this.#profile, text],
    )
    return { version: 1, state }
  }

  /**
   * Changes a session, one gateway at a time.
   *
   * @param {string} id
   * @param {(state: SessionState) => SessionState} change
   * @returns {Promise<Row | undefined>} as it is now; undefined when it has ended
   */
  change(id, change) {
    return this.#database.transaction(async (query) => {
      const { rows } = await query(
        `select version::int, state::text from tool_router.sessions
         where id = $1 and profile is not distinct from $2 for update`,
        [id, this.#profile],
      )
      const [row] = rows.map(rowOf)
      if (row?.state === undefined) return undefined
      const [before, state] = [JSON.stringify(row.state), change(row.state)]
      const text = JSON.stringify(state)
      if (text === before || text.length > MAX_BYTES) return row
      await query(
        'update tool_router.sessions set state = $2::json, version = version + 1, used_at = now() where id = $1',
        [id, text],
      )
      await this.#tell(query, 'session', id)
      return { version: row.version + 1, state }
    })
  }

  /** Ends a session at every gateway. @param {string} id */
  end(id) {
    return this.#database.transaction(async (query) => {
      const { rowCount } = await query(
        'delete from tool_router.sessions where id = $1 and profile is not distinct from $2',
        [id, this.#profile],
      )
      if (rowCount === 1) await this.#tell(query, 'ended', id)
    })
  }

  /**
   * Forgets sessions that nobody has used for a time, and messages that nobody took.
   *
   * @param {number} idleMs
   * @param {string[]} inUse sessions of which a stream is open here
   */
  async sweep(idleMs, inUse) {
    await this.#database.transaction(async (query) => {
      await query('update tool_router.sessions set used_at = now() where id = any($1::uuid[])', [inUse])
      await query('delete from tool_router.sessions where used_at < now() - make_interval(secs => $1)', [idleMs / 1000])
      await query(
        `delete from tool_router.sessions where id in (select id from tool_router.sessions
           where profile is not distinct from $1 order by used_at desc offset $2)`,
        [this.#profile, MOST],
      )
      await query('delete from tool_router.session_messages where at < now() - make_interval(secs => $1)', [MESSAGE_S])
    })
  }

  /** Notes which gateway the client listens to, or that it does not any more. @param {string} id @param {string} replica */
  async listens(id, replica, isListening = true) {
    await this.#database.query(
      `update tool_router.sessions set listener = case when $3 then $2::uuid end
       where id = $1 and ($3 or listener = $2::uuid)`,
      [id, replica, isListening],
    )
  }

  /**
   * Sends a message about a session to another gateway.
   *
   * @param {string} id
   * @param {object} message of the protocol
   * @param {string} [replica] the one that the client listens to when it is left out
   * @returns {Promise<string | undefined>} the number of the message; undefined when there is nobody to send it to
   */
  send(id, message, replica) {
    return this.#database.transaction(async (query) => {
      const { rows } = await query(
        `insert into tool_router.session_messages (session, profile, replica, message)
         select id, profile, coalesce($3::uuid, listener), $4::json from tool_router.sessions
         where id = $1 and profile is not distinct from $2 and coalesce($3::uuid, listener) is not null
         returning id::text, replica::text`,
        [id, this.#profile, replica ?? null, JSON.stringify(message)],
      )
      const [sent] = rows
      if (sent !== undefined) await this.#tell(query, 'message', sent.replica)
      return sent?.id
    })
  }

  /** Takes a message back. @param {string} number @returns {Promise<boolean>} whether nobody has taken it */
  async takeBack(number) {
    const { rowCount } = await this.#database.query('delete from tool_router.session_messages where id = $1', [number])
    return rowCount === 1
  }

  /** Messages for a gateway; nobody gets them again. @param {string} replica @returns {Promise<{ id: string, message: any }[]>} */
  async take(replica) {
    const { rows } = await this.#database.query(
      `delete from tool_router.session_messages where replica = $1 returning id, session::text, message::text`,
      [replica],
    )
    const inOrder = rows.toSorted((a, b) => Number(a.id) - Number(b.id))
    return inOrder.map(({ session, message }) => ({ id: session, message: JSON.parse(message) }))
  }

  /** @param {Told} told @returns {() => void} ends it */
  watch(told) {
    this.#told.add(told)
    return () => this.#told.delete(told)
  }

  heard(kind, subject) {
    for (const told of [...this.#told]) {
      if (kind === 'session') told.changed(subject)
      if (kind === 'ended') told.ended(subject)
      if (kind === 'message') told.message(subject)
    }
  }

  back() {
    for (const told of [...this.#told]) told.back()
  }

  #tell(query, kind, subject) {
    return tell(query, `${this.#by} ${kind} ${subject}`)
  }
}

/** @returns {Row} */
function rowOf({ version, state }) {
  return { version, state: state === null ? undefined : JSON.parse(state) }
}
