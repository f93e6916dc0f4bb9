// What sessions of the older era have loaded, so that a client whose replica has ended has it again in its next session. Of a
// session there are hashes and names of tools; nothing here opens one.

import { createHash } from 'node:crypto'

/** Sessions that are kept for one profile, or for all servers; those that were silent longest go first. */
const MOST = 10_000
/** Bytes of one: what is more is not kept. */
const MAX_BYTES = 256 * 1024
/** How long after it was told that its session is gone a client may take to begin another. */
const AGAIN_S = 300

/**
 * @typedef {import('../../protocol/loaded-tools.mjs').LoadedTool} LoadedTool
 *
 * @typedef {object} Owner
 * @property {string} person as the audit has it
 * @property {string} client what it calls itself
 */

export class PostgresLoaded {
  #database
  #profile

  /** @param {import('./database.mjs').Asked} database @param {string} [profile] that is served, if one is */
  constructor(database, profile) {
    this.#database = database
    this.#profile = profile ?? null
  }

  /**
   * Keeps what a session has loaded by now.
   *
   * @param {string} session its number
   * @param {Owner} owner
   * @param {LoadedTool[]} tools
   */
  async keep(session, { person, client }, tools) {
    const text = JSON.stringify(tools)
    if (tools.length === 0 || text.length > MAX_BYTES) return this.end(session)
    await this.#database.query(
      `insert into tool_router.loaded (session, profile, person, client, tools) values ($1, $2, $3, $4, $5::json)
       on conflict (session) do update set tools = excluded.tools, used_at = now()`,
      [...[hashOf(session), this.#profile, hashOf(person), hashOf(client)], text],
    )
  }

  /** Notes that somebody asks for a session that is gone, if it was theirs. @param {string} session @param {string} person */
  async missed(session, person) {
    await this.#database.query(
      `update tool_router.loaded set missed_at = now()
       where session = $1 and profile is not distinct from $2 and person = $3`,
      [hashOf(session), this.#profile, hashOf(person)],
    )
  }

  /**
   * What the session had loaded that was missed last, for the one that its client begins now. Nobody gets it again.
   *
   * @param {Owner} owner
   * @returns {Promise<LoadedTool[]>}
   */
  async again({ person, client }) {
    const { rows } = await this.#database.query(
      `delete from tool_router.loaded where session = (
         select session from tool_router.loaded
         where profile is not distinct from $1 and person = $2 and client = $3 and missed_at > now() - make_interval(secs => $4)
         order by missed_at desc limit 1 for update skip locked)
       returning tools::text`,
      [this.#profile, hashOf(person), hashOf(client), AGAIN_S],
    )
    return rows.flatMap(({ tools }) => JSON.parse(tools))
  }

  /** Its client has ended a session. @param {string} session */
  async end(session) {
    await this.#database.query(
      'delete from tool_router.loaded where session = $1 and profile is not distinct from $2',
      [hashOf(session), this.#profile],
    )
  }

  /** Forgets what nobody has used for a time. @param {number} idleMs @param {string[]} here sessions that this gateway has */
  async sweep(idleMs, here) {
    await this.#database.transaction(async (query) => {
      await query('update tool_router.loaded set used_at = now() where session = any($1)', [here.map(hashOf)])
      await query('delete from tool_router.loaded where used_at < now() - make_interval(secs => $1)', [idleMs / 1000])
      await query(
        `delete from tool_router.loaded where session in (select session from tool_router.loaded
           where profile is not distinct from $1 order by used_at desc offset $2)`,
        [this.#profile, MOST],
      )
    })
  }
}

const hashOf = (text) => createHash('sha256').update(text).digest('base64url')
