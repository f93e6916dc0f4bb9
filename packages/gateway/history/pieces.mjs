// Files of any length in pieces: lines, and elements of a JSON array. Histories have hundreds of megabytes; one piece at a
// time is in memory.

import { createReadStream } from 'node:fs'
import zlib from 'node:zlib'

/** Bytes of one piece: a screenshot or two fit. Longer ones are told and not read. */
const MAX_PIECE = 16 * 1024 * 1024
/** Bytes that are read at a time. */
const CHUNK = 256 * 1024

/**
 * @typedef {object} Piece
 * @property {number} number from 1: its line, or its place in the array
 * @property {any} [value] what it holds; absent where it cannot be read
 * @property {string} [why] why not. Never words of the file: a parser's message repeats them
 */

/** A piece as it grows; what is too long is dropped immediately. */
class Growing {
  #parts = []
  #length = 0
  isTooLong = false

  add(bytes) {
    this.#length += bytes.length
    this.isTooLong ||= this.#length > MAX_PIECE
    // A part of a chunk keeps the whole chunk alive.
    if (!this.isTooLong) this.#parts.push(Buffer.from(bytes))
    else this.#parts = []
  }

  /** @returns {string} and begins again */
  take() {
    const text = Buffer.concat(this.#parts).toString('utf8')
    this.#parts = []
    this.#length = 0
    return text
  }
}

/** @param {number} number @param {Growing} growing @returns {Piece | undefined} nothing for an empty line */
function pieceOf(number, growing) {
  const isTooLong = growing.isTooLong
  const text = growing.take()
  growing.isTooLong = false
  if (isTooLong) return { number, why: `longer than ${MAX_PIECE / 1024 / 1024} MB` }
  if (text.trim() === '') return undefined
  // Asked first, since a refusal of JSON.parse costs ten microseconds: a file of half a million odd lines is told in a second.
  if (!/^\s*[[{]/.test(text)) return { number, why: 'not JSON' }
  try {
    return { number, value: JSON.parse(text) }
  } catch {
    return { number, why: 'not JSON' }
  }
}

function bytesOf(file) {
  const bytes = createReadStream(file, { highWaterMark: CHUNK })
  if (!file.endsWith('.zst')) return bytes
  // Of later versions of Node.js only.
  const unpacked = /** @type {any} */ (zlib).createZstdDecompress?.()
  if (unpacked === undefined)
    throw new Error('packed with zstd, which this version of Node.js does not unpack; use 22.15')
  bytes.on('error', (error) => unpacked.destroy(error))
  return bytes.pipe(unpacked)
}

/** The lines of a file of JSON lines. @param {string} file @returns {AsyncGenerator<Piece>} */
export async function* linesOf(file) {
  const growing = new Growing()
  let number = 1
  for await (const chunk of bytesOf(file)) {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      growing.add(chunk.subarray(start, end))
      const piece = pieceOf(number, growing)
      if (piece) yield piece
      number += 1
      start = end + 1
    }
    growing.add(chunk.subarray(start))
  }
  const last = pieceOf(number, growing)
  if (last) yield last
}

/**
 * Has each piece told. One that cannot be read, or is not as its program writes it, costs itself alone.
 *
 * @param {AsyncIterable<Piece>} pieces
 * @param {(why: string) => void} unread
 * @param {(value: any, number: number) => void} tell
 */
export async function tellEach(pieces, unread, tell) {
  for await (const { number, value, why } of pieces) {
    if (value === null || typeof value !== 'object') unread(why ?? 'no object')
    else
      try {
        tell(value, number)
      } catch {
        unread('not as this program writes it')
      }
  }
}

const [QUOTE, ESCAPE, COMMA, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [...'"\\,{}[]'].map((each) => each.charCodeAt(0))

/**
 * The elements of a JSON array that is a whole file, or stands in the object that a file is, under this key.
 *
 * @param {string} file
 * @param {string} [key]
 * @returns {AsyncGenerator<Piece>}
 */
export async function* elementsOf(file, key) {
  const growing = new Growing()
  let [depth, number, isText, isEscaped, list] = [0, 1, false, false, -1]
  let [lastText, textAt] = ['', -1]
  for await (const chunk of bytesOf(file)) {
    let start = 0
    if (isText) textAt = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]
      if (isText) {
        if (isEscaped) isEscaped = false
        else if (byte === ESCAPE) isEscaped = true
        else if (byte === QUOTE) {
          isText = false
          // Keys that are cut by the end of a chunk are found by their second half joined to the first.
          if (list === -1 && depth === 1) lastText += chunk.toString('latin1', textAt, at)
        }
        continue
      }
      if (byte === QUOTE) {
        isText = true
        lastText = ''
        textAt = at + 1
      } else if (byte === OPEN || byte === OPEN_LIST) {
        depth += 1
        if (list === -1 && byte === OPEN_LIST && (key === undefined ? depth === 1 : depth === 2 && lastText === key)) {
          list = depth
          start = at + 1
        }
      } else if (byte === CLOSE || byte === CLOSE_LIST) {
        depth -= 1
        if (depth === list - 1 && list !== -1) {
          growing.add(chunk.subarray(start, at))
          const piece = pieceOf(number, growing)
          if (piece) yield piece
          return
        }
      } else if (byte === COMMA && depth === list) {
        growing.add(chunk.subarray(start, at))
        const piece = pieceOf(number, growing)
        if (piece) yield piece
        number += 1
        start = at + 1
      }
    }
    if (list !== -1) growing.add(chunk.subarray(start))
    else if (isText && depth === 1) lastText += chunk.toString('latin1', textAt)
  }
  // The file ends inside the array, or has none.
  const rest = list === -1 ? undefined : pieceOf(number, growing)
  if (rest?.value !== undefined) yield rest
  yield { number, why: list === -1 ? 'no list of messages is in it' : 'it ends in the middle' }
}
