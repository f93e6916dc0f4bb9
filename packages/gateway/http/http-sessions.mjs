// Sessions of the older era over HTTP. Each is one replica's. A client whose replica has ended is told that its session is gone, and
// what it had loaded there is in the session that it begins next, at any of them.

import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'

import { settled } from '../base/settled.mjs'
import { openerOf, whoAsks } from '../calls/asking.mjs'
import { ClientSession } from '../protocol/client-session.mjs'
import { loadedTools } from '../protocol/loaded-tools.mjs'
import { EventLog } from './event-log.mjs'

/** When a client may come back to a stream that broke. */
const RETRY_MS = 1_000
/** How often silent sessions are looked for, at most. */
const SWEEP_MS = 30_000
/** How long a new session waits for what its client had loaded before. */
const AGAIN_MS = 2_000

/** Instead of a session: whose it was cannot be noted now. */
export const AWAY = Symbol('away')

/**
 * @typedef {object} Found
 * @property {string} id
 * @property {WebStandardStreamableHTTPServerTransport} transport
 * @property {ClientSession} session
 * @property {EventLog} log
 * @property {import('../store/postgres/loaded.mjs').Owner} owner
 * @property {string} opener who alone may use it: a key, a person of the issuer, or whoever has a token of the gateway
 * @property {string} kept what it has loaded, as the store has it
 * @property {number} usedAt
 * @property {number} streams that are open
 */

export class HttpSessions {
  #gateway
  #loaded
  /** @type {Map<string, Found>} */
  #here = new Map()
  #opening = 0
  #sweep

  /** @param {import('../gateway/gateway.mjs').Gateway} gateway */
  constructor(gateway) {
    this.#gateway = gateway
    this.#loaded = gateway.store.loaded
    const { sessionIdleMs } = gateway.config.settings
    this.#sweep = setInterval(() => void this.#endSilent(sessionIdleMs), Math.min(SWEEP_MS, sessionIdleMs / 2))
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
   * The session of a request.
   *
   * @param {unknown} id as the client sent it
   * @returns {Promise<Found | typeof AWAY | undefined>} undefined for one that is not here: its client begins another
   */
  async find(id) {
    const here = typeof id === 'string' ? this.#here.get(id) : undefined
    // To whoever has not opened it, it is as none.
    if (here !== undefined || typeof id !== 'string') return here?.opener === openerOf() ? here : undefined
    try {
      await this.#loaded?.missed(id, personOf())
      return undefined
    } catch {
      return AWAY
    }
  }

  /**
   * A new session; undefined when there are too many and none of them is idle.
   *
   * @param {any} params of `initialize`
   * @returns {Promise<Found | undefined>}
   */
  async begin({ clientInfo }) {
    const { maxSessions } = this.#gateway.config.settings
    if (this.#here.size + this.#opening >= maxSessions) {
      // The one that was silent longest; a client that still wants it is told 404 and initializes again.
      const [silent] = [...this.#here.values()].filter(idle).toSorted((a, b) => a.usedAt - b.usedAt)
      if (!silent) return undefined
      await silent.session.close()
    }
    this.#opening += 1
    try {
      const found = this.#made({ person: personOf(), client: `${clientInfo?.name} ${clientInfo?.version}` })
      await this.#connect(found)
      this.#here.set(found.id, found)
      return found
    } finally {
      this.#opening -= 1
    }
  }

  /** @param {Found['owner']} owner @returns {Found} */
  #made(owner) {
    const id = this.#gateway.replica.numbered()
    const log = new EventLog()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => this.#loaded?.end(id).catch(() => {}),
      eventStore: log,
      retryInterval: RETRY_MS,
    })
    const session = new ClientSession(this.#gateway, id)
    return { id, transport, session, log, owner, opener: openerOf(), kept: '[]', usedAt: Date.now(), streams: 0 }
  }

  /** @param {Found} found */
  async #connect(found) {
    const { session, transport, id, owner } = found
    this.#gateway.began(session)
    try {
      await session.prepare(await this.#again(owner))
      session.keep = () => this.#keep(found)
      await session.keep()
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

  /** What the client had loaded in a session that is gone. A database that hangs keeps nobody from beginning. @param {Found['owner']} owner */
  async #again(owner) {
    /** @type {import('../protocol/loaded-tools.mjs').LoadedTool[]} */
    let tools = []
    if (this.#loaded === undefined) return tools
    const asked = this.#loaded.again(owner).then((found) => (tools = found))
    await settled(
      asked.catch(() => {}),
      AGAIN_MS,
    )
    return tools
  }

  /** Writes what a session has loaded, if that has changed. What cannot be written now is tried again with the next look. @param {Found} found */
  async #keep(found) {
    const tools = loadedTools(found.session)
    const [before, text] = [found.kept, JSON.stringify(tools)]
    if (this.#loaded === undefined || text === before) return
    found.kept = text
    await this.#loaded.keep(found.id, found.owner, tools).catch(() => (found.kept = before))
  }

  async #endSilent(sessionIdleMs) {
    const isSilent = (found) => idle(found) && Date.now() - found.usedAt > sessionIdleMs
    for (const found of this.#here.values()) if (isSilent(found)) void found.session.close()
    await Promise.all([...this.#here.values()].map((found) => this.#keep(found)))
    await this.#loaded?.sweep(sessionIdleMs, [...this.#here.keys()]).catch(() => {})
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

const personOf = () => whoAsks().person ?? ''
