// SPDX-License-Identifier: Apache-2.0
//
// Vectors of tools, by hash of model and text: what one gateway has embedded the others read.

import { StoreRefusal } from '../away.mjs'

/** How long a vector waits to be written with others: until then another gateway may make it too. */
const GATHER_MS = 20
/** Vectors that are written together, and that wait at most while the database is gone; the oldest are lost first. */
const TOGETHER = 200
const MOST_WAITING = 5_000
/** Keys that are asked for together. */
const MOST_KEYS = 1_000
/** Bytes of one vector: four times the longest of any model that is known. */
const MOST_BYTES = 64 * 1024
/** How long a vector is kept that nobody asks for, and how often it is looked for such. */
const KEPT_DAYS = 90
const SWEEP_MS = 3_600_000

/**
 * @typedef {import('../../../index.js').VectorStore} VectorStore
 * @typedef {import('../../../index.js').VectorKey} VectorKey
 * @typedef {import('../../../index.js').ComputedVector} ComputedVector
 */

/** @implements {VectorStore} */
export class PostgresVectors {
  #database
  #escaped
  /** @type {ComputedVector[]} */
  #waiting = []
  #timer
  #sweptAt = 0
  /** @type {Promise<void>} */
  #writing = Promise.resolve()

  /**
   * @param {import('./database.mjs').Database} database
   * @param {(text: string) => string} escaped
   */
  constructor(database, escaped) {
    this.#database = database
    this.#escaped = escaped
  }

  /** While the database is gone nothing is there. @param {VectorKey[]} keys */
  read = async (keys) => {
    const found = new Map()
    for (let from = 0; from < keys.length; from += MOST_KEYS) {
      const part = keys.slice(from, from + MOST_KEYS)
      const rows = await this.#select(part).catch(() => [])
      for (const { key, server, numbers } of rows) found.set(`${key.toString('hex')} ${server}`, numbersOf(numbers))
    }
    return keys.map(({ key, serverName }) => found.get(`${key} ${this.#escaped(serverName)}`) ?? null)
  }

  async #select(keys) {
    // Those that are used are noted once a day; two gateways that note the same ones do not wait for each other.
    const { rows } = await this.#database.query(
      `with asked as (select * from unnest($1::bytea[], $2::text[]) as a (key, server)),
       noted as (
         update tool_router.vectors set used_on = current_date where (key, server) in (
           select v.key, v.server from tool_router.vectors v join asked using (key, server)
           where v.used_on < current_date for update of v skip locked))
       select v.key, v.server, v.numbers from tool_router.vectors v join asked using (key, server)`,
      this.#columns(keys),
    )
    return rows
  }

  /** Writes vectors, soon. @param {ComputedVector[]} vectors */
  write = (vectors) => {
    this.#waiting.push(...vectors.filter(({ vector }) => vector.byteLength <= MOST_BYTES))
    this.#waiting.splice(0, this.#waiting.length - MOST_WAITING)
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => void this.flush(), GATHER_MS)
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
    while (this.#waiting.length > 0) {
      const vectors = this.#waiting.slice(0, TOGETHER)
      await this.#insert(vectors).catch((error) => {
        // What is refused once is refused again.
        if (!(error instanceof StoreRefusal)) throw error
      })
      const written = new Set(vectors)
      this.#waiting = this.#waiting.filter((vector) => !written.has(vector))
    }
    if (Date.now() - this.#sweptAt < SWEEP_MS) return
    this.#sweptAt = Date.now()
    await this.#database.query('delete from tool_router.vectors where used_on < current_date - $1::integer', [
      KEPT_DAYS,
    ])
  }

  async #insert(vectors) {
    // In one order, so that two gateways with the same ones do not wait for each other.
    await this.#database.query(
      `insert into tool_router.vectors (key, server, numbers)
       select * from unnest($1::bytea[], $2::text[], $3::bytea[]) as t (key, server, numbers) order by key, server
       on conflict do nothing`,
      [...this.#columns(vectors), vectors.map(({ vector }) => bytesOf(vector))],
    )
  }

  #columns(keys) {
    return [keys.map(({ key }) => Buffer.from(key, 'hex')), keys.map(({ serverName }) => this.#escaped(serverName))]
  }
}

/** Numbers of 32 bits, the lowest byte first, as all systems that the package is built for have them. */
function bytesOf(/** @type {Float32Array} */ vector) {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
}

function numbersOf(/** @type {Buffer} */ bytes) {
  return new Float32Array(Uint8Array.from(bytes).buffer, 0, Math.floor(bytes.length / Float32Array.BYTES_PER_ELEMENT))
}
