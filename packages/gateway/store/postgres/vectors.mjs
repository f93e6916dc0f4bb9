// Vectors of tools, by hash of model and text: what one gateway has embedded the others read.

import { WaitingRows } from '../waiting-rows.mjs'

/** How long a vector waits to be written with others: until then another gateway may make it too. */
const GATHER_MS = 20
/** Vectors that are written together, and that wait at most while the database is gone; the oldest are lost first. */
const TOGETHER = 200
const MAX_WAITING = 5_000
/** Keys that are asked for together. */
const MAX_KEYS = 1_000
/** Bytes of one vector: four times the longest of any model that is known. */
const MAX_BYTES = 64 * 1024
/** How long a vector is kept that nobody asks for. */
const KEPT_DAYS = 90

/**
 * @typedef {import('@zoo-code/tool-router/internal').VectorStore} VectorStore
 * @typedef {import('@zoo-code/tool-router/internal').VectorKey} VectorKey
 * @typedef {import('@zoo-code/tool-router/internal').ComputedVector} ComputedVector
 */

/** @implements {VectorStore} */
export class PostgresVectors {
  #database
  #escaped
  /** @type {WaitingRows<ComputedVector>} */
  #waiting

  /**
   * @param {import('./database.mjs').Asked} database
   * @param {(text: string) => string} escaped
   */
  constructor(database, escaped) {
    this.#database = database
    this.#escaped = escaped
    const sweep = 'delete from tool_router.vectors where used_on < current_date - $1::integer'
    this.#waiting = new WaitingRows({
      gatherMs: GATHER_MS,
      together: TOGETHER,
      most: MAX_WAITING,
      insert: (vectors) => this.#insert(vectors),
      sweep: () => this.#database.query(sweep, [KEPT_DAYS]),
    })
  }

  /** While the database is gone nothing is there. @param {VectorKey[]} keys */
  read = async (keys) => {
    const found = new Map()
    for (let from = 0; from < keys.length; from += MAX_KEYS) {
      const part = keys.slice(from, from + MAX_KEYS)
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
  write = (vectors) => this.#waiting.add(vectors.filter(({ vector }) => vector.byteLength <= MAX_BYTES))

  /** Writes what waits now. What cannot be written waits on. */
  flush() {
    return this.#waiting.flush()
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
