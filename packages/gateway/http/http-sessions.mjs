// Sessions of the older era over HTTP. Over a database that several gateways share any of them goes on with a session that
// another one began, as if the client had begun it here.

import { randomUUID } from 'node:crypto'

import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'

import { ClientSession } from '../protocol/client-session.mjs'
import { EventLog } from './event-log.mjs'
import { KeptSession } from './kept-session.mjs'
import { Relay } from './relay.mjs'

/** When a client may come back to a stream that broke. */
const RETRY_MS = 1_000
/** How often silent sessions are looked for, at most. */
const SWEEP_MS = 30_000
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }

/** Instead of a session: it cannot be looked up now. */
export const AWAY = Symbol('away')

/**
 * @typedef {object} Found
 * @property {string} id
 * @property {WebStandardStreamableHTTPServerTransport} transport
 * @property {ClientSession} session
 * @property {EventLog} log
 * @property {number} usedAt
 * @property {number} streams that are open
 * @property {number} listening streams of those that the client only listens to
 */

export class HttpSessions {
  /** How other gateways call this one. */
  #replica = randomUUID()
  #gateway
  #sessions
  /** @type {Map<string, Found>} */
  #here = new Map()
  #opening = 0
  /** @type {Map<string, Promise<Found | undefined>>} */
  #restoring = new Map()
  #relay
  #sweep
  #unwatch = () => {}

  /** @param {import('../gateway/gateway.mjs').Gateway} gateway */
  constructor(gateway) {
    this.#gateway = gateway
    this.#sessions = gateway.store.sessions
    const { sessionIdleMs } = gateway.config.settings
    this.#sweep = setInterval(() => this.#endSilent(sessionIdleMs), Math.min(SWEEP_MS, sessionIdleMs / 2))
    this.#sweep.unref()
    if (this.#sessions === undefined) return
    gateway.peers?.begin()
    this.#relay = new Relay(this.#sessions, this.#replica)
    this.#unwatch = this.#sessions.watch({
      changed: (id) => void this.#refresh(id),
      ended: (id) => void this.#here.get(id)?.session.close(),
      message: (replica) => replica === this.#replica && void this.#receive(),
      back: () => void this.#back(),
    })
  }

  get size() {
    return this.#here.size
  }

  /** Whether requests of any session are being answered. */
  get busy() {
    return [...this.#here.values()].some(({ session }) => session.busy)
  }

  /**
   * The session of a request, begun here or elsewhere.
   *
   * @param {unknown} id as the client sent it
   * @returns {Promise<Found | typeof AWAY | 'full' | undefined>} `full`: there are too many here
   */
  async find(id) {
    const here = typeof id === 'string' ? this.#here.get(id) : undefined
    if (this.#sessions === undefined || typeof id !== 'string' || !UUID.test(id)) return here
    // One that no other gateway knows yet.
    if (here !== undefined && here.session.kept?.version === 0) return here
    try {
      const row = await this.#sessions.look(id, here?.session.kept?.version)
      if (here === undefined) return row?.state && (await this.#restored(id, row))
      if (row === undefined) await here.session.close()
      else here.session.kept?.take(row)
      return row && here
    } catch (error) {
      if (error === FULL) return 'full'
      return here ?? AWAY
    }
  }

  /** A session that another gateway began. Requests that come together find the same. */
  #restored(id, row) {
    const restoring = this.#restoring.get(id) ?? this.#restore(id, row).finally(() => this.#restoring.delete(id))
    this.#restoring.set(id, restoring)
    return restoring
  }

  /** @returns {Promise<Found | undefined>} undefined for one that cannot be gone on with here: its client begins another */
  async #restore(id, row) {
    const { client } = row.state
    const found = await this.#open(id)
    try {
      await say(found, { jsonrpc: '2.0', id: 0, method: 'initialize', params: client })
      this.#keep(found, client).take(row)
      await say(found, { jsonrpc: '2.0', method: 'notifications/initialized' })
      return found
    } catch ({ message }) {
      await found.session.close()
      this.#gateway.log(`a session of another gateway cannot be gone on with: ${message}`)
      return undefined
    }
  }

  /** A new session; undefined when there are too many and none of them is idle. */
  async begin() {
    return this.#open(randomUUID()).catch((error) => {
      if (error === FULL) return undefined
      throw error
    })
  }

  /** The client has said who it is: from now on other gateways know the session. @param {Found} found @param {any} params of `initialize` */
  async begun(found, { protocolVersion, capabilities, clientInfo }) {
    if (this.#sessions !== undefined) await this.#keep(found, { protocolVersion, capabilities, clientInfo }).save()
  }

  /** @param {Found} found @param {import('../protocol/session-state.mjs').SessionState['client']} client */
  #keep({ id, session }, client) {
    const { passthrough } = this.#gateway
    session.kept = new KeptSession(this.#sessions, { id, replica: this.#replica, session, client, passthrough })
    return session.kept
  }

  async #open(id) {
    const { maxSessions } = this.#gateway.config.settings
    if (this.#here.size + this.#opening >= maxSessions) {
      // The one that was silent longest; a client that still wants it is told 404 and initializes again.
      const [silent] = [...this.#here.values()].filter(idle).toSorted((a, b) => a.usedAt - b.usedAt)
      if (!silent) throw FULL
      await silent.session.close()
    }
    this.#opening += 1
    try {
      const log = new EventLog()
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => id,
        onsessionclosed: () => found.session.kept?.end(),
        eventStore: log,
        retryInterval: RETRY_MS,
      })
      /** @type {Found} */
      const found = {
        id,
        transport,
        session: new ClientSession(this.#gateway, id),
        log,
        usedAt: Date.now(),
        streams: 0,
        listening: 0,
      }
      await this.#connect(found)
      this.#here.set(id, found)
      return found
    } finally {
      this.#opening -= 1
    }
  }

  async #connect(found) {
    const { session, transport, id } = found
    this.#gateway.began(session)
    this.#relay?.attach(found)
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

  /** A stream was opened (1) or has ended (-1) that the client only listens to. @param {Found} found @param {1 | -1} change */
  async listens(found, change) {
    found.listening += change
    if (found.listening <= 1) await found.session.kept?.listens(found.listening > 0)
    if (change > 0) found.session.listens()
  }

  /** What of a request's body is for this gateway; the rest is passed to those that it is for. @param {Found} found */
  async forHere(found, body) {
    return this.#relay === undefined ? body : this.#relay.forHere(found, body)
  }

  async #refresh(id) {
    const found = this.#here.get(id)
    if (found?.session.kept === undefined) return
    const row = await this.#sessions.look(id, found.session.kept.version).catch(() => {})
    if (row !== undefined) found.session.kept.take(row)
  }

  async #receive() {
    const messages = await this.#sessions.take(this.#replica).catch(() => [])
    for (const { id, message } of messages) {
      const found = this.#here.get(id)
      if (found !== undefined) await this.#relay.received(found, message, (received) => say(found, received))
    }
  }

  /** The database is back: what was kept here meanwhile is written, and what others wrote is read. */
  async #back() {
    await this.#receive()
    for (const { id, session } of [...this.#here.values()]) {
      await session.kept?.save()
      await this.#refresh(id)
    }
  }

  #endSilent(sessionIdleMs) {
    const isSilent = (found) => idle(found) && Date.now() - found.usedAt > sessionIdleMs
    for (const found of this.#here.values()) if (isSilent(found)) void found.session.close()
    const inUse = [...this.#here.values()].filter((found) => !idle(found)).map(({ id }) => id)
    void this.#sessions?.sweep(sessionIdleMs, inUse).catch(() => {})
  }

  /** Ends what is here; other gateways go on with what they know. */
  async close() {
    clearInterval(this.#sweep)
    this.#unwatch()
    await Promise.all([...this.#here.values()].map(({ session }) => session.close()))
  }
}

/** Too many sessions, and none of them is idle. */
const FULL = new Error('too many sessions')

/** Nothing of it is open and no answer is under way. @param {Found} found */
function idle({ streams, session }) {
  return streams === 0 && !session.busy
}

/** Hands a message to a session as if its client had sent it here. @param {Found} found @param {object} message */
async function say({ id, transport }, message) {
  const headers = { ...HEADERS, 'mcp-session-id': id }
  const answer = await transport.handleRequest(new Request('http://localhost/', { method: 'POST', headers }), {
    parsedBody: message,
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`the session is not taken: ${text.slice(0, 200)}`)
}
