// The file of vectors that comes with the model (src/embedding/shipped.rs), from a cache of vectors (src/embedding/cache.rs).

import { createHash } from 'node:crypto'

const MAGIC = 'toolshp1'
const KEY_BYTES = 16
/** The cache's records: mark, length, key, numbers, check; behind a header. */
const CACHE = { header: 16, mark: 'vec:', key: 32, check: 16 }

const sha256 = (data) => createHash('sha256').update(data).digest()

/**
 * The vectors of a cache, by key in ascending order.
 *
 * @param {Buffer} bytes of the cache's file, which holds vectors of one encoder alone
 * @param {number} dimensions
 * @returns {[key: string, vector: Float32Array][]}
 */
export function readCache(bytes, dimensions) {
  const found = new Map()
  for (let at = CACHE.header; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at + CACHE.mark.length)
    const key = at + CACHE.mark.length + 4
    const numbers = key + CACHE.key
    if (bytes.toString('latin1', at, at + CACHE.mark.length) !== CACHE.mark || length !== dimensions * 4)
      throw new Error(`the cache has no whole record at byte ${at}`)
    const vector = Float32Array.from({ length: dimensions }, (_, place) => bytes.readFloatLE(numbers + 4 * place))
    found.set(bytes.toString('hex', key, key + KEY_BYTES), vector)
    at = numbers + length + CACHE.check
  }
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/**
 * The file: each vector is scaled so that its largest number is 127, and rounded.
 *
 * @param {string} modelId the encoder that made the vectors
 * @param {number} dimensions
 * @param {[key: string, vector: Float32Array][]} vectors by key in ascending order
 * @returns {Buffer}
 */
export function fileOf(modelId, dimensions, vectors) {
  const sizes = Buffer.alloc(8)
  sizes.writeUInt32LE(dimensions, 0)
  sizes.writeUInt32LE(vectors.length, 4)
  const keys = vectors.map(([key]) => Buffer.from(key, 'hex'))
  const numbers = vectors.map(([, vector]) => Buffer.from(rounded(vector).buffer))
  const content = Buffer.concat([Buffer.from(MAGIC, 'latin1'), sha256(modelId), sizes, ...keys, ...numbers])
  return Buffer.concat([content, sha256(content)])
}

function rounded(vector) {
  const most = vector.reduce((largest, number) => Math.max(largest, Math.abs(number)), 0)
  return Int8Array.from(vector, (number) => Math.round((127 * number) / most))
}
