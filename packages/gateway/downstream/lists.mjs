// Lists of a server: read page by page, and read again when the server announces a change.

import { setTimeout as pause } from 'node:timers/promises'

import { ANYTHING } from '../base/raw.mjs'
import { Pauses } from '../reach/pauses.mjs'
import { isDeep } from '../base/values.mjs'
import { settled } from '../base/settled.mjs'

/** How long a server may take to answer with one page. */
const PAGE_MS = 60_000
/** Entries and characters of one list: catalogues of hundreds of servers are smaller. What is behind is told to be cut. */
const MAX_ENTRIES = 5_000
const MAX_LIST = 64 * 1024 * 1024
/** Pages with nothing on them: a cursor that never ends is not followed for ever. */
const MAX_EMPTY = 100
/** After the first look at a list that changes all the time; each further pause is twice as long, up to the last. */
const REFRESH_PAUSES = { firstMs: 100, longestMs: 60_000 }
/** A list that was left alone for twice its pause, and this, has earned the first pause again. */
const QUIET_MS = 1_000
/** How long an answer waits for a list that was announced. */
const REFRESH_WAIT_MS = 1_000

/**
 * Reads a list to its end, or to the bounds above. Entries that nothing can be made of are left out.
 *
 * @param {import('@modelcontextprotocol/client').Client} client
 * @param {string} method as in `tools/list`
 * @param {string} key where the answer holds the entries
 * @returns {Promise<{ entries: Record<string, unknown>[], ttlMs?: number, cut?: string }>} `ttlMs`: how long it is said to be
 * fresh; `cut`: where it goes on and was not read further
 */
export async function readPages(client, method, key) {
  const entries = []
  const seen = new Set()
  let [size, empty] = [0, 0]
  /** @type {number | undefined} */
  let ttlMs
  for (let params = {}; ; ) {
    const asked = client.request({ method, params }, ANYTHING, { timeout: PAGE_MS })
    const answer = await asked.catch((error) => {
      throw Object.assign(error, { listMethod: method })
    })
    const { [key]: listed, nextCursor: cursor } = answer
    if (!Array.isArray(listed)) throw new Error(`${method} answered without ${key}`)
    if (seen.size === 0 && Number.isFinite(answer.ttlMs)) ttlMs = Math.max(0, Number(answer.ttlMs))
    for (const entry of listed) {
      if (entry === null || typeof entry !== 'object' || isDeep(entry)) continue
      size += JSON.stringify(entry).length
      if (size > MAX_LIST) return { entries, ttlMs, cut: `at ${MAX_LIST} characters` }
      if (entries.length === MAX_ENTRIES) return { entries, ttlMs, cut: `at ${MAX_ENTRIES} entries` }
      entries.push(entry)
    }
    if (listed.length === 0) empty += 1
    // One that comes twice leads in a circle.
    if (typeof cursor !== 'string' || seen.has(cursor)) return { entries, ttlMs }
    if (empty > MAX_EMPTY) return { entries, ttlMs, cut: `after ${MAX_EMPTY} pages with nothing on them` }
    seen.add(cursor)
    params = { cursor }
  }
}

/** Reads a list again when it is announced. While one reading is under way, further announcements lead to one more. */
export class Refresher {
  #read
  #reading
  /** The connection that announced a change last, until it is read. */
  #announced
  #pauses = new Pauses(REFRESH_PAUSES)
  #pauseMs = 0
  #readAt = 0

  /** @param {(connection: object) => Promise<void>} read knows connections that are of no use any more */
  constructor(read) {
    this.#read = read
  }

  announced(connection) {
    this.#announced = connection
    this.#reading ??= this.#whileAnnounced().finally(() => (this.#reading = undefined))
  }

  async #whileAnnounced() {
    while (this.#announced !== undefined) {
      const sinceMs = Date.now() - this.#readAt
      if (sinceMs > 2 * this.#pauseMs + QUIET_MS) {
        this.#pauses.reset()
        this.#pauseMs = 0
      } else {
        // A client's cache is worth more than each state of a list that never rests.
        this.#pauseMs = this.#pauses.next()
        await pause(Math.max(0, this.#pauseMs - sinceMs), undefined, { ref: false })
      }
      const connection = this.#announced
      this.#announced = undefined
      // When it dies or answers nonsense the previous list stays active.
      await this.#read(connection).catch(() => {})
      this.#readAt = Date.now()
    }
  }

  /** Settles when what was announced was read, or soon when announcements do not end. */
  async settled() {
    if (this.#reading) await settled(this.#reading, REFRESH_WAIT_MS)
  }
}
