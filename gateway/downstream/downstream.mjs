// SPDX-License-Identifier: Apache-2.0
// One server behind the gateway: connected, asked for its tools, called, started again when it dies.

import { isRemote } from '../config/server.mjs'
import { plain, Unavailable } from '../errors.mjs'
import { wantsLogin } from '../login/provider.mjs'
import { Explainer } from '../reach/explainer.mjs'
import { assertFlat, hasForgotten, meaningOf } from './calls.mjs'
import { settled } from './child-transport.mjs'
import { Connection } from './connection.mjs'
import { Refresher } from './lists.mjs'
import { ALL_CAPABILITIES, reach } from './reach.mjs'
import { UnderWay } from './under-way.mjs'

/** The first pause before a restart; each further one is twice as long, up to the last. */
const FIRST_PAUSE_MS = 250
const LAST_PAUSE_MS = 30_000
/** A server that lived this long has earned the first pause again. */
const STABLE_MS = 10_000
/** How often it is looked whether somebody has logged in. */
const LOGIN_LOOK_MS = 1_000

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
  /** What the server can do besides tools, as it said itself when it was there last. */
  capabilities = {}
  #hooks
  #how
  #idleMs
  #logins
  #restarts
  explainer
  #loginStamp
  /** @type {Connection | undefined} */
  #connection
  #transport
  #connecting
  #underWay
  #capabilities
  #reason
  #pauses = 0
  #since = 0
  #retryAt = 0
  #retryTimer
  #idleTimer
  #calls = 0
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
   * @param {() => import('../protocol/caller.mjs').Caller | undefined} [options.onlyClient] see {@link UnderWay}
   * @param {() => object | undefined} [options.capabilities] what servers are told that clients can do
   * @param {import('./reach.mjs').Reaching['openOwn']} [options.openOwn] leads to a server of the gateway itself
   */
  constructor(definition, hooks, options) {
    const { clientInfo, serverIdleMs, logins, restarts = true, onPrinted, onlyClient, openOwn } = options
    this.definition = definition
    this.#hooks = hooks
    this.#how = { clientInfo, openOwn }
    this.#idleMs = serverIdleMs
    this.#logins = logins
    this.#restarts = restarts
    this.#underWay = new UnderWay(onlyClient ?? (() => undefined))
    this.#capabilities = () => options.capabilities?.() ?? ALL_CAPABILITIES
    this.explainer = new Explainer(definition, onPrinted && ((line) => onPrinted(definition.name, line)))
  }

  get name() {
    return this.definition.name
  }

  get reason() {
    return this.#reason // for a person
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
    if (this.state === 'waiting' && Date.now() < this.#retryAt) {
      const seconds = Math.max(1, Math.ceil((this.#retryAt - Date.now()) / 1000))
      throw new Unavailable(
        `server ${this.name} is unavailable: ${this.#reason}. It is started again in ${seconds} s; try again then`,
      )
    }
    const isSame = async () => (await this.#logins.stamp(this.definition)) === this.#loginStamp
    if (this.state === 'login' && invites && (await isSame())) throw new Unavailable(await this.invitation())
    if (this.state === 'ready') return this.#connection
    this.#connecting ??= this.#open().finally(() => (this.#connecting = undefined))
    return this.#connecting.catch(async (error) => {
      // A lazy server says only now that it wants a login.
      throw invites && this.state === 'login' ? new Unavailable(await this.invitation()) : error
    })
  }

  /** What somebody has to do who wants to use a server that waits for a login. */
  async invitation() {
    const { name, definition } = this
    const byHand = `run: zoo-tool-router login ${name}`
    try {
      const { url } = await this.#logins.begin(definition)
      return `server ${name} wants a login. Open this address in a browser, then try again: ${url} (or ${byHand})`
    } catch (error) {
      return `server ${name} wants a login, and ${plain(error.message)} (${byHand})`
    }
  }

  async #open() {
    clearTimeout(this.#retryTimer)
    this.#enter('connecting')
    let connection
    try {
      this.#loginStamp = await this.#logins.stamp(this.definition)
      connection = await this.#reach()
      // Told to end while it was starting.
      if (this.state === 'closed') throw new Unavailable(`server ${this.name} was taken out of the gateway`)
      this.#connection = connection
      connection.onclose = () =>
        this.#lost(connection, this.explainer.whyEnded(connection.transport ?? this.#transport))
      this.capabilities = connection.capabilities
      await connection.begin()
      await this.#learn(connection)
      if (this.#connection !== connection) throw new Unavailable(`server ${this.name} ended while it was starting`)
      this.#since = Date.now()
      this.#reason = undefined
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
        if (error.requiredScope !== undefined) this.#logins.wantsMore(this.definition, error.requiredScope)
        if (wantsLogin(error)) this.#waitForLogin(reason)
        else this.#pause(reason)
      }
      throw error instanceof Unavailable ? error : new Unavailable(`server ${this.name} cannot be started: ${reason}`)
    }
  }

  async #reach() {
    const { definition } = this
    let connection
    const client = await reach({
      definition,
      ...this.#how,
      capabilities: this.#capabilities(),
      era: definition.protocolEra,
      authProvider: isRemote(definition) ? this.#logins.authProvider(definition) : undefined,
      onStart: () => this.explainer.begin(),
      onTransport: (transport) => (this.#transport = transport),
      // What matters ends the connection; the rest is noise of the server. But the old transport would go on by itself
      // with a new stream, in which nobody has said hello.
      onError: (error) => {
        if (connection && error?.constructor.name === 'SseError')
          this.#lost(connection, this.explainer.whyNot(error, this.#transport))
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
      const tools = await connection.tools()
      const { instructions, extensions } = connection
      if (this.#connection === connection) await this.#hooks.onTools({ tools, instructions, extensions })
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
    // One server that fails does not cost the lists of the others.
    return this.#connection?.pages(method, key).catch(() => undefined)
  }

  /**
   * Sends a request of a client to the server and gives its result unchanged.
   *
   * @param {string} method
   * @param {object} params
   * @param {import('../protocol/caller.mjs').Caller} caller the client that asks
   * @param {import('./connection.mjs').HowAsked} [options]
   * @throws {Unavailable} when it cannot be reached, ended, or took too long; otherwise what the server answered
   */
  request(method, params, caller, options = {}) {
    const { signal } = caller
    return this.#use((connection) => {
      signal?.throwIfAborted()
      return connection.request(method, params, caller, options)
    }, signal)
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

  async #use(work, signal) {
    const connection = await this.#connected()
    this.#calls += 1
    clearTimeout(this.#idleTimer)
    try {
      const result = await this.#again(connection, work)
      assertFlat(result, this.name)
      return result
    } catch (error) {
      if (signal?.aborted || error instanceof Unavailable) throw error
      if (wantsLogin(error)) throw await this.#refused(connection, error)
      const { error: told, gone } = meaningOf(error, this.definition)
      if (gone !== undefined) this.#lost(connection, gone)
      throw told
    } finally {
      this.#calls -= 1
      this.#rested()
      this.#rest()
    }
  }

  async #again(connection, work) {
    try {
      return await work(connection)
    } catch (error) {
      if (!hasForgotten(error)) throw error
      // Once more, in a new session.
      this.#pauses = 0
      this.#lost(connection, 'it has forgotten the session')
      this.#retryAt = 0
      return work(await this.#connected())
    }
  }

  /** The login has ended, or is not enough for this request. */
  async #refused(connection, error) {
    if (error.requiredScope !== undefined) this.#logins.wantsMore(this.definition, error.requiredScope)
    else if (this.#connection === connection) {
      this.#connection = undefined
      connection.onclose = undefined
      void connection.close().catch(() => {})
      this.#loginStamp = await this.#logins.stamp(this.definition)
      this.#waitForLogin(this.explainer.whyNot(error, this.#transport))
    }
    return new Unavailable(await this.invitation())
  }

  /** The connection is gone although nobody closed it. */
  #lost(connection, reason) {
    if (this.#connection !== connection) return
    this.#connection = undefined
    connection.onclose = undefined
    void connection.close().catch(() => {})
    if (this.state === 'closed') return
    if (Date.now() - this.#since > STABLE_MS) this.#pauses = 0
    this.#pause(reason)
  }

  #pause(reason) {
    this.#reason = reason
    const most = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#pauses)
    this.#pauses += 1
    // Servers that died together do not all come back in the same moment.
    const waitMs = most * (0.75 + Math.random() / 4)
    this.#retryAt = Date.now() + waitMs
    this.#enter('waiting')
    clearTimeout(this.#retryTimer)
    // A lazy server comes back when it is used.
    if (this.definition.lazy || !this.#restarts) return
    this.#retryTimer = setTimeout(() => {
      // A timer of a busy event loop may come a little before the clock has got there.
      this.#retryAt = 0
      void this.connect()
    }, waitMs)
    this.#retryTimer.unref()
  }

  /** Looks for a login that somebody makes, here or on the command line; no request is sent before. */
  #waitForLogin(reason) {
    this.#reason = reason
    this.#enter('login')
    clearTimeout(this.#retryTimer)
    if (!this.#restarts) return
    this.#retryTimer = setInterval(async () => {
      if (this.state === 'login' && (await this.#logins.stamp(this.definition)) !== this.#loginStamp)
        void this.connect()
    }, LOGIN_LOOK_MS)
    this.#retryTimer.unref()
  }

  /** A lazy server that nobody uses is stopped after a while. */
  #rest() {
    clearTimeout(this.#idleTimer)
    if (!this.definition.lazy || this.#calls > 0 || this.state !== 'ready') return
    this.#idleTimer = setTimeout(() => void this.#stop(), this.#idleMs)
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
    this.#hooks.onState(state, this.#reason)
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
    clearTimeout(this.#retryTimer)
    clearTimeout(this.#idleTimer)
    this.#connection = undefined
    if (connection) connection.onclose = undefined
    await connection?.leave()
    // One that is still starting: its transport ends, and `#open` sees the state.
    const starting = this.#connecting?.catch(() => {})
    if (!starting) return
    await this.#transport?.close().catch(() => {})
    await settled(starting, LAST_PAUSE_MS)
  }
}
