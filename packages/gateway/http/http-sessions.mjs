// Sessions of the older era over HTTP. Each is one replica's: a client whose replica has ended is told that its session is gone, and
// begins another.

import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'

import { whoAsks } from '../calls/asking.mjs'
import { ClientSession } from '../protocol/client-session.mjs'
import { EventLog } from './event-log.mjs'

/** When a client may come back to a stream that broke. */
const RETRY_MS = 1_000
/** How often silent sessions are looked for, at most. */
const SWEEP_MS = 30_000

/**
 * @typedef {object} Found
 * @property {string} id
 * @property {WebStandardStreamableHTTPServerTransport} transport
 * @property {ClientSession} session
 * @property {EventLog} log
 * @property {string} opener who alone may use it: a key, a person of the issuer, or whoever has a token of the gateway
 * @property {number} usedAt
 * @property {number} streams that are open
 */

export class HttpSessions {
  #gateway
  /** @type {Map<string, Found>} */
  #here = new Map()
  #opening = 0
  #sweep

  /** @param {import('../gateway/gateway.mjs').Gateway} gateway */
  constructor(gateway) {
    this.#gateway = gateway
    const { sessionIdleMs } = gateway.config.settings
    this.#sweep = setInterval(() => this.#endSilent(sessionIdleMs), Math.min(SWEEP_MS, sessionIdleMs / 2))
    this.#sweep.unref()
  }

  get size() {
    return this.#here.size
  }

  /** Whether requests of any session are being answered. */
  get busy() {
    return [...this.#here.values()].some(({ session }) => session.busy)
  }

  /** Whether an event was sent in a session that is here. @param {unknown} id @param {string} event */
  sent(id, event) {
    return this.#here.get(String(id))?.log.isOwn(event) ?? false
  }

  /**
   * The session of a request; undefined for one that is not here: its client begins another.
   *
   * @param {unknown} id as the client sent it
   * @returns {Found | undefined}
   */
  find(id) {
    const here = this.#here.get(String(id))
    // To whoever has not opened it, it is as none.
    return here?.opener === openerOf() ? here : undefined
  }

  /** A new session; undefined when there are too many and none of them is idle. @returns {Promise<Found | undefined>} */
  async begin() {
    const { maxSessions } = this.#gateway.config.settings
    if (this.#here.size + this.#opening >= maxSessions) {
      // The one that was silent longest; a client that still wants it is told 404 and initializes again.
      const [silent] = [...this.#here.values()].filter(idle).toSorted((a, b) => a.usedAt - b.usedAt)
      if (!silent) return undefined
      await silent.session.close()
    }
    this.#opening += 1
    try {
      const found = this.#made()
      await this.#connect(found)
      this.#here.set(found.id, found)
      return found
    } finally {
      this.#opening -= 1
    }
  }

  /** @returns {Found} */
  #made() {
    const id = this.#gateway.replica.numbered()
    const log = new EventLog()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: log,
      retryInterval: RETRY_MS,
    })
    const session = new ClientSession(this.#gateway, id)
    return { id, transport, session, log, opener: openerOf(), usedAt: Date.now(), streams: 0 }
  }

  /** @param {Found} found */
  async #connect(found) {
    const { session, transport, id } = found
    this.#gateway.began(session)
    try {
      await session.prepare()
      await session.server.connect(transport)
    } catch (error) {
      await session.close()
      throw error
    }
    const { onclose } = transport
    transport.onclose = () => {
      if (this.#here.get(id) === found) this.#here.delete(id)
      onclose?.()
    }
  }

  #endSilent(sessionIdleMs) {
    const isSilent = (found) => idle(found) && Date.now() - found.usedAt > sessionIdleMs
    for (const found of this.#here.values()) if (isSilent(found)) void found.session.close()
  }

  /** Ends what is here. */
  async close() {
    clearInterval(this.#sweep)
    await Promise.all([...this.#here.values()].map(({ session }) => session.close()))
  }
}

/** Nothing of it is open and no answer is under way. @param {Found} found */
function idle({ streams, session }) {
  return streams === 0 && !session.busy
}

const openerOf = () => whoAsks().client ?? whoAsks().person ?? ''
