// One server behind the gateway: connected, asked for its tools, called, started again when it dies.

import { isRemote } from '../config/server.mjs'
import { missesRights, Unavailable } from '../base/errors.mjs'
import { invitationTo } from '../login/invitation.mjs'
import { Explainer } from '../reach/explainer.mjs'
import { assertFlat } from './calls.mjs'
import { settled } from '../base/settled.mjs'
import { Connection } from './connection.mjs'
import { Refresher } from './lists.mjs'
import { meaningOf, toldOf } from './meaning.mjs'
import { asked } from './questions.mjs'
import { ALL_CAPABILITIES, reach } from './reach.mjs'
import { UnderWay } from './under-way.mjs'
import { Waiting } from './waiting.mjs'

/** What the end of a process or of a stream means for the server. */
const GONE = /** @type {const} */ ({ again: 'soon' })
/** A request is sent in so many sessions: where many ask, the next one may be forgotten as well. */
const MAX_SESSIONS = 3

/**
 * @typedef {import('../config/server.mjs').ServerDefinition} ServerDefinition
 * @typedef {'idle' | 'connecting' | 'ready' | 'waiting' | 'login' | 'closed'} State `idle` starts on use, `waiting` after a
 * pause, `login` when somebody has logged in
 *
 * @typedef {object} Hooks
 * @property {(lists: import('../store/store.mjs').ServerList) => Promise<void>} onTools a new list of tools
 * @property {(kind: 'resources' | 'prompts') => void} onListChanged
 * @property {(uri: string) => void} onResourceUpdated
 * @property {(state: State, reason?: string) => void} onState
 */

export class Downstream {
  /** @type {State} */
  state = 'idle'
  /** Why it is away, for a person. @type {string | undefined} */
  reason
  /** What the server can do besides tools, as it said itself when it was there last. */
  capabilities = {}
  #hooks
  #options
  explainer
  #loginStamp
  /** @type {Connection | undefined} */
  #connection
  #transport
  #connecting
  #underWay
  #capabilities
  #waiting = new Waiting()
  #idleTimer
  #calls = 0
  /** Connections that end when their calls under way are answered. */
  #left = new Set()
  #rested = () => {}
  #learnt = Promise.resolve()
  #refresher = new Refresher((connection) => this.#learn(connection))

  /**
   * @param {ServerDefinition} definition
   * @param {Hooks} hooks
   * @param {object} options
   * @param {{ name: string, version: string }} options.clientInfo
   * @param {number} options.serverIdleMs
   * @param {import('../login/logins.mjs').Logins} options.logins
   * @param {boolean} [options.restarts] `false`: one that cannot be started is not tried again
   * @param {(name: string, line: string) => void} [options.onPrinted] hears what a server prints on its standard error
   * @param {() => import('../calls/caller.mjs').Caller | undefined} [options.onlyClient] see {@link UnderWay}
   * @param {import('./questions.mjs').Check} [options.checkText] what the shield finds in a text
   * @param {() => object | undefined} [options.capabilities] what servers are told that clients can do
   */
  constructor(definition, hooks, options) {
    const { clientInfo, serverIdleMs, logins, restarts = true, onPrinted } = options
    this.definition = definition
    this.#hooks = hooks
    this.#options = { how: { clientInfo }, idleMs: serverIdleMs, logins, restarts }
    this.#underWay = new UnderWay(options.onlyClient, (request) => asked(request, definition, options.checkText))
    this.#capabilities = () => options.capabilities?.() ?? ALL_CAPABILITIES
    this.explainer = new Explainer(definition, onPrinted && ((line) => onPrinted(definition.name, line)))
  }

  get name() {
    return this.definition.name
  }

  /** The process of a stdio server; `null` while there is none. */
  get pid() {
    return this.#transport?.pid ?? null
  }

  /** Connects unless it is connected. Never rejects: `state` and `reason` give the outcome. */
  async connect() {
    await this.#connected({ invites: false }).catch(() => {})
  }

  /** The connection. A pause after a death is not waited for: the model is told when to try again. */
  async #connected({ invites = true } = {}) {
    if (this.state === 'closed') throw new Unavailable(`server ${this.name} was taken out of the gateway`)
    const { secondsLeft, isOverByItself } = this.#waiting
    if (this.state === 'waiting' && secondsLeft > 0)
      throw new Unavailable(
        `server ${this.name} is unavailable: ${this.reason}. It ${isOverByItself ? 'is started' : 'may be asked'} again in ${secondsLeft} s; try again then`,
      )
    const isSame = async () => (await this.#options.logins.stamp(this.definition)) === this.#loginStamp
    if (this.state === 'login' && invites && (await isSame())) throw new Unavailable(await this.invitation())
    if (this.state === 'ready') return this.#connection
    this.#connecting ??= this.#open().finally(() => (this.#connecting = undefined))
    return this.#connecting.catch(async (error) => {
      // A lazy server says only now that it wants a login.
      throw invites && this.state === 'login' ? new Unavailable(await this.invitation()) : error
    })
  }

  /** What somebody has to do who wants to use a server that waits for a login. */
  invitation() {
    return invitationTo(this.definition, this.#options.logins)
  }

  async #open() {
    this.#waiting.clear()
    this.#enter('connecting')
    let connection
    try {
      this.#loginStamp = await this.#options.logins.stamp(this.definition)
      connection = await this.#reach()
      // Told to end while it was starting.
      if (this.state === 'closed') throw new Unavailable(`server ${this.name} was taken out of the gateway`)
      this.#connection = connection
      connection.onclose = () =>
        this.#lost(connection, this.explainer.whyEnded(connection.transport ?? this.#transport), GONE, true)
      this.capabilities = connection.capabilities
      await connection.begin()
      await this.#learn(connection)
      if (this.#connection !== connection) throw new Unavailable(`server ${this.name} ended while it was starting`)
      this.#waiting.started()
      this.reason = undefined
      this.#enter('ready')
      this.#rest()
      return connection
    } catch (error) {
      if (connection) connection.onclose = undefined
      this.#connection = undefined
      await connection?.close().catch(() => {})
      await this.#transport?.close().catch(() => {})
      const reason = this.explainer.whyNot(error, this.#transport)
      // Not when it died while it was asked for its tools: then the pause has begun.
      if (this.state === 'connecting') {
        const meaning = meaningOf(error, { definition: this.definition })
        if (meaning.of === 'login')
          this.#waitForLogin((await this.#options.logins.missed(this.definition, error)) ?? reason)
        else this.#wait(reason, meaning)
      }
      throw error instanceof Unavailable ? error : new Unavailable(`server ${this.name} cannot be started: ${reason}`)
    }
  }

  async #reach() {
    const { definition } = this
    let connection
    const client = await reach({
      definition,
      ...this.#options.how,
      capabilities: this.#capabilities(),
      era: definition.protocolEra,
      authProvider: isRemote(definition) ? this.#options.logins.authProvider(definition) : undefined,
      onStart: () => this.explainer.begin(),
      onTransport: (transport) => (this.#transport = transport),
      // What matters ends the connection; the rest is noise of the server. But the old transport would go on by itself
      // with a new stream, in which nobody has said hello.
      onError: (error) => {
        if (connection && error?.constructor.name === 'SseError')
          this.#lost(connection, this.explainer.whyNot(error, this.#transport), GONE, true)
      },
      isOver: () => this.state === 'closed',
    })
    connection = new Connection(client, definition, this.#underWay, {
      onToolsChanged: (changed) => this.#toolsChanged(changed),
      onListChanged: (kind) => this.#hooks.onListChanged(kind),
      onResourceUpdated: (uri) => this.#hooks.onResourceUpdated(uri),
    })
    return connection
  }

  /** @returns {Promise<void>} settles when the list was asked for */
  #toolsChanged(connection) {
    this.#refresher.announced(connection)
    return this.#refresher.settled()
  }

  /** Asks for the tools and hands them on, one time after the other: an older list never replaces a newer one. */
  #learn(connection) {
    const learnt = this.#learnt.then(async () => {
      if (this.#connection !== connection) return
      const { tools, cut } = await connection.tools()
      const { instructions, extensions } = connection
      if (this.#connection === connection) await this.#hooks.onTools({ tools, instructions, extensions, cut })
    })
    this.#learnt = learnt.catch(() => {})
    return learnt
  }

  /** Settles when a list of tools that it announced was asked for, or soon when it announces without end. */
  refreshed() {
    if (this.#connection?.isStale) this.#refresher.announced(this.#connection)
    return this.#refresher.settled()
  }

  /** A list of a server that `has` it, by its capabilities and extensions; undefined when it cannot be asked for it. */
  async pages(method, key, has) {
    if (this.state !== 'ready' || !has(this.capabilities, this.capabilities.extensions ?? {})) return undefined
    return this.#use((connection) => connection.pages(method, key), { onlyReads: true })
  }

  /**
   * Sends a request of a client to the server and gives its result unchanged.
   *
   * @param {string} method
   * @param {object} params
   * @param {import('../calls/caller.mjs').Caller} caller the client that asks
   * @param {import('./connection.mjs').HowAsked} [options]
   * @throws {Unavailable} when it cannot be reached, ended, or took too long; otherwise what the server answered
   */
  request(method, params, caller, options = {}) {
    const { signal } = caller
    const work = async (connection) => {
      signal?.throwIfAborted()
      const result = await connection.request(method, params, caller, options)
      assertFlat(result, this.name)
      return result
    }
    return this.#use(work, { signal, onlyReads: options.onlyReads ?? method !== 'tools/call' })
  }

  /** Whether the server announces changes of a resource. */
  subscribe(uri) {
    return this.#use((connection) => connection.subscribe(uri))
  }

  unsubscribe(uri) {
    return this.#use((connection) => connection.unsubscribe(uri))
  }

  /** The folders of the only client have changed. */
  rootsChanged() {
    if (this.state === 'ready') void this.#connection?.rootsChanged()
  }

  /** @param {Function} work @param {{ signal?: AbortSignal, onlyReads?: boolean, left?: number }} [how] */
  async #use(work, how = {}) {
    this.#calls += 1
    clearTimeout(this.#idleTimer)
    try {
      return await this.#asked(work, how)
    } finally {
      this.#calls -= 1
      this.#rested()
      this.#rest()
    }
  }

  /**
   * Asks, and again in a new session where the server has forgotten the old one: nothing was done then. What only reads is
   * asked again once where the connection broke: one that rested may have been dead.
   */
  async #asked(work, { signal, onlyReads = false, left = MAX_SESSIONS } = /** @type {any} */ ({})) {
    const connection = await this.#trusted()
    try {
      return await connection.use(work)
    } catch (error) {
      if (signal?.aborted || error instanceof Unavailable) throw error
      assertFlat(error.data, this.name)
      const meaning = connection.meaningOf(error)
      if (meaning.of === 'login') throw await this.#refused(connection, error)
      const isForgotten = meaning.of === 'session' || (meaning.kind === 'refused' && !(await connection.isAlive()))
      if (isForgotten && left > 1) {
        this.#leave(connection)
        return this.#asked(work, { signal, onlyReads, left: left - 1 })
      }
      if (meaning.kind === 'cut' && onlyReads) return this.#asked(work, { signal, left })
      if (meaning.of === 'connection') this.#lost(connection, this.explainer.whyNot(error, this.#transport), meaning)
      throw toldOf(meaning, this.definition, (text) => this.explainer.hide(text))
    }
  }

  /** The connection, or a new one where the server may have forgotten this one, and has. */
  async #trusted() {
    const connection = await this.#connected()
    if (await connection.isAlive()) return connection
    this.#leave(connection)
    return this.#connected()
  }

  /** The next request is made in a new connection; those under way are answered in this one. */
  #leave(connection) {
    if (this.#connection !== connection) return
    this.#connection = undefined
    connection.onclose = undefined
    this.#left.add(connection)
    void connection.retire().then(() => this.#left.delete(connection))
    this.#enter('idle')
  }

  /** The login has ended, or is not enough for this request. */
  async #refused(connection, error) {
    await this.#options.logins.missed(this.definition, error)
    if (!missesRights(error) && this.#connection === connection) {
      this.#connection = undefined
      connection.onclose = undefined
      void connection.close().catch(() => {})
      this.#loginStamp = await this.#options.logins.stamp(this.definition)
      this.#waitForLogin(this.explainer.whyNot(error, this.#transport))
    }
    return new Unavailable(await this.invitation())
  }

  /** The connection is gone although nobody closed it. `isDead`: what is under way in it is not answered any more. */
  #lost(connection, reason, meaning = GONE, isDead = false) {
    if (this.#connection !== connection) return
    this.#leave(connection)
    if (isDead) void connection.close().catch(() => {})
    this.#wait(reason, meaning)
  }

  #wait(reason, meaning) {
    if (this.state === 'closed') return
    this.reason = reason
    // A lazy server comes back when it is used.
    const connect = this.definition.lazy || !this.#options.restarts ? undefined : () => void this.connect()
    this.#waiting.begin(meaning, this.definition, connect)
    this.#enter('waiting')
  }

  /** Whether it is started again without anybody's doing. */
  get isTriedAgain() {
    return this.#options.restarts && this.#waiting.isOverByItself
  }

  /** Somebody would use it: it is tried again, if the last try is not just past. */
  wanted() {
    if (this.state === 'waiting' && this.#options.restarts && this.#waiting.secondsLeft === 0) void this.connect()
  }

  /** No request is sent before somebody has logged in, here or on the command line. */
  #waitForLogin(reason) {
    this.reason = reason
    this.#enter('login')
    if (!this.#options.restarts) return
    this.#waiting.look(async () => {
      if ((await this.#options.logins.stamp(this.definition)) !== this.#loginStamp) void this.connect()
    })
  }

  /** A lazy server that nobody uses is stopped after a while. */
  #rest() {
    clearTimeout(this.#idleTimer)
    if (!this.definition.lazy || this.#calls > 0 || this.state !== 'ready') return
    this.#idleTimer = setTimeout(() => void this.#stop(), this.#options.idleMs)
    this.#idleTimer.unref()
  }

  async #stop() {
    const connection = this.#connection
    if (!connection || this.#calls > 0) return
    this.#connection = undefined
    connection.onclose = undefined
    this.#enter('idle')
    await connection.leave()
  }

  #enter(state) {
    if (this.state === 'closed' || this.state === state) return
    this.state = state
    this.#hooks.onState(state, this.reason)
  }

  /** Ends the server for good when the calls under way are answered. */
  async retire() {
    while (this.#calls > 0 && this.state !== 'closed') await new Promise((end) => (this.#rested = () => end(null)))
    await this.close()
  }

  /** Ends the server for good, with all that it started. */
  async close() {
    const connection = this.#connection
    this.#enter('closed')
    this.#waiting.clear()
    clearTimeout(this.#idleTimer)
    this.#connection = undefined
    if (connection) connection.onclose = undefined
    for (const each of this.#left) void each.close().catch(() => {})
    await connection?.leave()
    const starting = this.#connecting?.catch(() => {})
    if (starting) await this.#transport?.close().catch(() => {})
    if (starting) await settled(starting, this.definition.startMs)
  }
}
