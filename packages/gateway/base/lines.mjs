// Lines out of a stream of bytes, in linear time however large a line is, and bounded; and lines into one.

import { stringify } from '@zoo-code/tool-router/exact-json'

/** Bytes of the two ends of a line that is too long: what a message is called and numbered stands there. */
export const END_BYTES = 1_024
const NEWLINE = 10
/** An id as JSON. */
const ID = '(-?\\d{1,200}|"(?:[^"\\\\]|\\\\.){0,200}")'

/**
 * The id of a message that is too long to be read, as JSON, whatever order its writer has for the keys.
 *
 * @param {string} head @param {string} tail its two ends
 * @param {string} key what follows the id, as a pattern: it says what kind of message this is
 */
export function idOfEnds(head, tail, key) {
  const version = '"jsonrpc"\\s*:\\s*"2\\.0"'
  const begins = new RegExp(
    `^\\s*\\{\\s*(?:${version}\\s*,\\s*)?(?:"id"\\s*:\\s*${ID}\\s*,\\s*)?"(?:${key})"\\s*:`,
  ).exec(head)
  const ends = new RegExp(`,\\s*"id"\\s*:\\s*${ID}\\s*(?:,\\s*${version}\\s*)?\\}\\s*$`)
  return begins ? (begins[1] ?? ends.exec(tail)?.[1]) : undefined
}

/** Writes messages as lines. Who writes more than is read waits, all together for one sign of the stream. */
export class LineWriter {
  #stream
  /** @type {Promise<void> | undefined} */
  #drained

  /** @param {import('node:stream').Writable} stream */
  constructor(stream) {
    this.#stream = stream
  }

  /** @param {unknown} message @returns {Promise<void>} settles when there is room for more, or nobody will read any more */
  write(message) {
    if (this.#stream.write(`${stringify(message)}\n`)) return Promise.resolve()
    this.#drained ??= new Promise((resolve) => {
      const done = () => {
        this.#stream.off('drain', done).off('close', done)
        this.#drained = undefined
        resolve()
      }
      this.#stream.on('drain', done).on('close', done)
    })
    return this.#drained
  }
}

export class LineReader {
  #maxBytes
  #most
  #mostOf
  #onLine
  #onTooLong
  #parts = []
  #bytes = 0
  /** Of a line that is too long: its beginning, and the last part received. */
  #ends

  /**
   * @param {number} maxBytes of one line
   * @param {object} handlers
   * @param {(line: string) => void} handlers.onLine
   * @param {(head: string, tail: string) => void} handlers.onTooLong receives a line when it has ended, with up to 1,024 bytes of
   * both ends; nothing else of it is kept
   * @param {(head: string) => number} [handlers.mostOf] how long a longer line may be that begins so
   */
  constructor(maxBytes, { onLine, onTooLong, mostOf = () => maxBytes }) {
    this.#maxBytes = this.#most = maxBytes
    this.#mostOf = mostOf
    this.#onLine = onLine
    this.#onTooLong = onTooLong
  }

  /** @param {Buffer} chunk */
  take(chunk) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, at))
      from = at + 1
      this.#finish()
    }
    if (from < chunk.length) this.#add(chunk.subarray(from))
  }

  #add(part) {
    this.#bytes += part.length
    if (this.#ends) {
      const { head, tail } = this.#ends
      this.#ends = { head, tail: Buffer.concat([tail, part.subarray(-END_BYTES)]).subarray(-END_BYTES) }
      return
    }
    this.#parts.push(part)
    if (this.#bytes <= this.#most) return
    const line = Buffer.concat(this.#parts)
    this.#most = this.#mostOf(line.toString('utf8', 0, END_BYTES))
    this.#parts = this.#bytes <= this.#most ? [line] : []
    if (this.#parts.length > 0) return
    // Copies, so that the whole line is not kept for its ends.
    this.#ends = { head: Buffer.from(line.subarray(0, END_BYTES)), tail: Buffer.from(line.subarray(-END_BYTES)) }
  }

  #finish() {
    const [parts, ends] = [this.#parts, this.#ends]
    this.clear()
    if (ends) this.#onTooLong(ends.head.toString('utf8'), ends.tail.toString('utf8'))
    else this.#onLine(Buffer.concat(parts).toString('utf8'))
  }

  /** Forgets the line that is being read. */
  clear() {
    this.#parts = []
    this.#most = this.#maxBytes
    this.#bytes = 0
    this.#ends = undefined
  }
}
