// Servers that an organisation offers, for gateways whose configurations do not have them.

import { MAX_BYTES, textsOf } from '../../config/registry-entry.mjs'
import { tell } from './database.mjs'
import { INDEXED_DIMENSIONS } from './migrations.mjs'

/** Entries that are read together; one that is too large is left out. */
const TOGETHER = 500
/** Characters of a need whose words are compared. */
const MAX_ASKED = 2_000
/** Entries that either way of comparing finds, of which the nearest of both are told. */
const CANDIDATES = 60
/** How far an index of vectors looks; several vectors may be of one entry. */
const EXPLORED = 200
/** What a place from behind counts in a fusion of ranks: Cormack, Clarke and Buettcher, SIGIR 2009. */
const RANK_CONSTANT = 60
/** Entries that are embedded together: others who want to change one of them wait. */
const EMBEDDED_TOGETHER = 8
const COLUMNS = 'server, start, said::text'
const IS_SMALL = `octet_length(start) + octet_length(said::text) <= ${MAX_BYTES}`

/**
 * @typedef {import('../../config/registry-entry.mjs').RegistryEntry} RegistryEntry
 * @typedef {import('@zoo-code/tool-router/internal').TextVectors} TextVectors
 */

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

  /** Entries by name; those that no gateway has written are left out. @returns {AsyncGenerator<RegistryEntry>} */
  async *all() {
    for (let after = ''; ; ) {
      const { rows } = await this.#database.query(
        `select ${COLUMNS} from tool_router.registry where server > $1 and ${IS_SMALL} order by server limit $2`,
        [after, TOGETHER],
      )
      yield* this.#entriesOf(rows)
      if (rows.length < TOGETHER) return
      after = rows.at(-1).server
    }
  }

  /** @param {string[]} names @returns {Promise<RegistryEntry[]>} those that are there, by name */
  async named(names) {
    const { rows } = await this.#database.query(
      `select ${COLUMNS} from tool_router.registry where server = any($1) and ${IS_SMALL} order by server`,
      [names.map(this.#texts.escaped)],
    )
    return this.#entriesOf(rows)
  }

  /**
   * The entries nearest to a need, by their words and by their vectors where there are some.
   *
   * @param {string} need
   * @param {{ most: number, without: string[], embedded?: TextVectors | Promise<TextVectors | undefined> }} options `without`: names of
   * others; `embedded`: the need
   * @returns {Promise<RegistryEntry[]>} nearest first
   */
  near(need, { most, without, embedded }) {
    return this.#database.transaction(async (query) => {
      const asked = need.slice(0, MAX_ASKED).replaceAll('\0', ' ').toWellFormed()
      const { rows: worded } = await query('select server from tool_router.near_words($1, $2)', [
        asked,
        CANDIDATES + without.length,
      ])
      const vectors = await embedded
      const places = [worded, vectors && (await hasVectors(query)) ? await nearVectors(query, vectors) : []]
      const scores = new Map()
      for (const { server, at } of places.flatMap((rows) => rows.map(({ server }, at) => ({ server, at }))))
        scores.set(server, (scores.get(server) ?? 0) + 1 / (RANK_CONSTANT + at))
      for (const name of without) scores.delete(this.#texts.escaped(name))
      const nearest = [...scores].toSorted(([, one], [, other]) => other - one).slice(0, most)
      const names = nearest.map(([server]) => server)
      const { rows } = await query(
        `select ${COLUMNS} from tool_router.registry where server = any($1) and ${IS_SMALL}
         order by array_position($1, server)`,
        [names],
      )
      return this.#entriesOf(rows)
    })
  }

  /**
   * Makes vectors of some entries that have none of this model, or those of another text. Two gateways do not take the same.
   *
   * @param {string} model
   * @param {(texts: string[]) => Promise<TextVectors>} embed
   * @returns {Promise<number>} of how many entries; none where all have theirs, or the database keeps no vectors
   */
  embed(model, embed) {
    return this.#database.transaction(async (query) => {
      if (!(await hasVectors(query))) return 0
      const { rows } = await query(
        `select ${COLUMNS}, changed_at::text from tool_router.registry r where ${IS_SMALL} and not exists (
           select from tool_router.registry_vectors v where v.server = r.server and v.model = $1 and v.changed_at = r.changed_at)
         limit $2 for update skip locked`,
        [model, EMBEDDED_TOGETHER],
      )
      const servers = rows.map(({ server }) => server)
      await query('delete from tool_router.registry_vectors where server = any($1) and model = $2', [servers, model])
      for (const row of rows) {
        const entry = this.#entryOf(row)
        // One that no gateway has written has its name, so that it is not taken again.
        const { vectors } = await embed(entry === undefined ? [row.server] : textsOf(entry))
        await query(
          `insert into tool_router.registry_vectors (server, model, part, vector, changed_at)
           select $1, $2, part, vector::vector, $3 from unnest($4::text[]) with ordinality as t (vector, part)`,
          [row.server, model, row.changed_at, vectors.map(textOf)],
        )
      }
      return rows.length
    })
  }

  #entriesOf(rows) {
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

/** pgvector may come to a database while gateways run. */
async function hasVectors(query) {
  const { rows } = await query(`select to_regclass('tool_router.registry_vectors') is not null as has`)
  return rows[0].has
}

/** @param {import('./database.mjs').Query} query @param {TextVectors} embedded @returns {Promise<{ server: string }[]>} nearest first */
async function nearVectors(query, { modelId, vectors: [vector] }) {
  if (!INDEXED_DIMENSIONS.includes(vector.length)) return []
  await query(`set local hnsw.ef_search = ${EXPLORED}`)
  const distance = `vector::vector(${vector.length}) <=> $1::vector(${vector.length})`
  const { rows } = await query(
    `select server, min(distance) from (
       select server, ${distance} as distance from tool_router.registry_vectors
       where vector_dims(vector) = ${vector.length} and model = $2 order by ${distance} limit ${EXPLORED}) as found
     group by server order by 2, server limit ${CANDIDATES}`,
    [textOf(vector), modelId],
  )
  return rows
}

/** As pgvector reads it. */
const textOf = (/** @type {Float32Array} */ vector) => `[${vector.join(',')}]`

/** A table is written by others. The name is one that a configuration may have. */
function isEntry({ name, said }) {
  const isText = (value) => typeof value === 'string'
  const areTexts = (value) => value === undefined || (Array.isArray(value) && value.every(isText))
  if (said === null || typeof said !== 'object' || Array.isArray(said) || !/^[^\p{Cc}\p{Cf}]{1,128}$/u.test(name))
    return false
  const { description, capabilities, syntheticQueries, tools } = said
  return (description === undefined || isText(description)) && [capabilities, syntheticQueries, tools].every(areTexts)
}
