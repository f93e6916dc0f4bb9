// Keys of clients: of each a hash, by which it is found, and what it opens. The key itself is told once, when it is made.

import { tell } from './database.mjs'

/**
 * @typedef {object} Key
 * @property {string} name
 * @property {string} [profile] what it opens; all servers without one
 * @property {Date} [expiresAt]
 * @property {string} [seal] by a secret that the database does not have
 *
 * @typedef {Key & { hash: string, createdAt: Date, revokedAt?: Date, usedOn?: string }} ListedKey `usedOn`: a day, as 2026-01-31
 */

export class PostgresKeys {
  #database
  #told = new Set()

  /** @param {import('./database.mjs').Asked} database */
  constructor(database) {
    this.#database = database
  }

  /** A key that opens something now. @param {string} hash @returns {Promise<Key | undefined>} */
  async find(hash) {
    const { rows } = await this.#database.query(
      `update tool_router.keys set used_on = current_date where hash = $1 and revoked_at is null
       and (expires_at is null or expires_at > now()) returning name, profile, expires_at, seal`,
      [hash],
    )
    return rows.map(keyOf)[0]
  }

  /** @param {Key & { hash: string }} key @returns {Promise<boolean>} whether no key had its name */
  async add({ name, hash, profile, expiresAt, seal }) {
    const { rowCount } = await this.#database.query(
      `insert into tool_router.keys (name, hash, profile, expires_at, seal) values ($1, $2, $3, $4, $5) on conflict do nothing`,
      [name, hash, profile ?? null, expiresAt ?? null, seal ?? null],
    )
    return rowCount === 1
  }

  /** Ends a key at every gateway. @param {string} name @returns {Promise<boolean>} whether it was one until now */
  revoke(name) {
    return this.#database.transaction(async (query) => {
      const { rowCount } = await query(
        'update tool_router.keys set revoked_at = now() where name = $1 and revoked_at is null',
        [name],
      )
      if (rowCount === 1) await tell(query, '- keys')
      return rowCount === 1
    })
  }

  /** @returns {Promise<ListedKey[]>} by name */
  async list() {
    const { rows } = await this.#database.query(
      `select name, hash, profile, expires_at, seal, created_at, revoked_at, used_on::text from tool_router.keys order by name`,
    )
    return rows.map((row) => ({
      ...keyOf(row),
      hash: row.hash,
      createdAt: row.created_at,
      revokedAt: row.revoked_at ?? undefined,
      usedOn: row.used_on ?? undefined,
    }))
  }

  /** Tells when a key was ended, or may have been. @param {() => void} told */
  watch(told) {
    this.#told.add(told)
    return () => this.#told.delete(told)
  }

  heard() {
    for (const told of [...this.#told]) told()
  }
}

/** @returns {Key} */
function keyOf({ name, profile, expires_at: expiresAt, seal }) {
  return { name, profile: profile ?? undefined, expiresAt: expiresAt ?? undefined, seal: seal ?? undefined }
}
