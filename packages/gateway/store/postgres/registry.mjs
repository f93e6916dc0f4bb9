// Servers that an organisation offers, for gateways whose configurations do not have them.

import { MOST_BYTES } from '../../config/registry-entry.mjs'
import { tell } from './database.mjs'

/** Entries that are read, by name; one that is too large is left out. */
const MOST = 1_000

/** @typedef {import('../../config/registry-entry.mjs').RegistryEntry} RegistryEntry */

export class PostgresRegistry {
  #database
  #texts
  #told = new Set()

  /**
   * @param {import('./database.mjs').Asked} database
   * @param {{ escaped: (text: string) => string, unescaped: (text: string) => string }} texts
   */
  constructor(database, texts) {
    this.#database = database
    this.#texts = texts
  }

  /** @returns {Promise<RegistryEntry[]>} by name; those that no gateway has written are left out */
  async list() {
    const { rows } = await this.#database.query(
      `select server, start, said::text from tool_router.registry
       where octet_length(start) + octet_length(said::text) <= $1 order by server limit $2`,
      [MOST_BYTES, MOST],
    )
    return rows.flatMap((row) => this.#entryOf(row) ?? [])
  }

  /** @returns {RegistryEntry | undefined} */
  #entryOf({ server, start, said }) {
    try {
      const entry = { name: this.#texts.unescaped(server), start, said: JSON.parse(said) }
      return isEntry(entry) ? entry : undefined
    } catch {
      return undefined
    }
  }

  /** Keeps an entry, and no other of its name. @param {RegistryEntry} entry @returns {Promise<boolean>} whether it is new */
  put({ name, start, said }) {
    return this.#database.transaction(async (query) => {
      const { rows } = await query(
        `insert into tool_router.registry (server, start, said) values ($1, $2, $3::json)
         on conflict (server) do update set start = excluded.start, said = excluded.said, changed_at = now()
         returning xmax = 0 as is_new`,
        [this.#texts.escaped(name), start, JSON.stringify(said)],
      )
      await tell(query, '- registry')
      return rows[0].is_new
    })
  }

  /** @param {string} name @returns {Promise<boolean>} whether there was one */
  remove(name) {
    return this.#database.transaction(async (query) => {
      const { rowCount } = await query('delete from tool_router.registry where server = $1', [
        this.#texts.escaped(name),
      ])
      if (rowCount === 1) await tell(query, '- registry')
      return rowCount === 1
    })
  }

  /** Tells when entries have changed, or may have. @param {() => void} told @returns {() => void} ends it */
  watch(told) {
    this.#told.add(told)
    return () => this.#told.delete(told)
  }

  heard() {
    for (const told of [...this.#told]) told()
  }
}

/** A table is written by others. The name is one that a configuration may have. */
function isEntry({ name, said }) {
  const isText = (value) => typeof value === 'string'
  const areTexts = (value) => value === undefined || (Array.isArray(value) && value.every(isText))
  if (said === null || typeof said !== 'object' || Array.isArray(said) || !/^[^\p{Cc}\p{Cf}]{1,128}$/u.test(name))
    return false
  const { description, capabilities, syntheticQueries, tools } = said
  return (description === undefined || isText(description)) && [capabilities, syntheticQueries, tools].every(areTexts)
}
