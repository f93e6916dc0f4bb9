// A server that one gateway runs for all that share a database. Who runs it has a lease, which it renews; when it ends,
// whoever asks first takes over. The others call the server through the database.

import { randomUUID } from 'node:crypto'

import { Unavailable } from '../base/errors.mjs'
import { Explainer } from '../reach/explainer.mjs'
import { identityOf } from '../store/identity.mjs'
import { settled } from '../base/settled.mjs'
import { DistantCalls } from './distant-calls.mjs'
import { Downstream } from './downstream.mjs'
import { ServedCalls } from './served-calls.mjs'

/** How long a lease lasts, how often it is renewed, and how long before its end the server is ended: to end takes a while. */
const LEASE_MS = 10_000
const RENEW_MS = 2_000
const MARGIN_MS = 3_000
/** How long calls of others may take to be answered when this gateway ends. */
const LAST_CALLS_MS = 1_000
const LOOK_MS = 20

/**
 * @typedef {import('./downstream.mjs').ServerDefinition} ServerDefinition
 * @typedef {import('./downstream.mjs').Hooks} Hooks
 * @typedef {import('./downstream.mjs').State} State
 * @typedef {import('../store/postgres/leases.mjs').PostgresLeases} PostgresLeases
 * @typedef {import('../store/postgres/leases.mjs').Tenure} Tenure
 */

export class LeasedDownstream {
  explainer
  #definition
  #hooks
  #options
  #leases
  #identity
  #id = randomUUID()
  #distant
  /** The server, while it runs here. @type {Downstream | undefined} */
  #inner
  /** @type {ServedCalls | undefined} */
  #served
  /** Who runs it, as far as is known. @type {Tenure | undefined} */
  #tenure
  #closed = false
  #isBegun = false
  #timers = {
    renew: /** @type {NodeJS.Timeout | undefined} */ (undefined),
    expiry: /** @type {NodeJS.Timeout | undefined} */ (undefined),
  }
  /** @type {Promise<void>} */
  #stepping = Promise.resolve()
  #unwatch

  /**
   * @param {ServerDefinition} definition
   * @param {Hooks} hooks
   * @param {any} options those of {@link Downstream}
   * @param {PostgresLeases} leases
   */
  constructor(definition, hooks, options, leases) {
    this.#definition = definition
    this.#hooks = hooks
    this.#options = options
    this.#leases = leases
    this.#identity = identityOf(definition)
    this.explainer = new Explainer(definition)
    this.#distant = new DistantCalls(leases, { definition, identity: this.#identity, asker: this.#id })
    this.#unwatch = leases.watch({
      lease: (identity) => identity === this.#identity && this.#isBegun && void this.#step(),
      back: () => this.#isBegun && void this.#step(),
    })
  }

  get definition() {
    return this.#definition
  }

  set definition(definition) {
    this.#definition = definition
    if (this.#inner) this.#inner.definition = definition
  }

  get name() {
    return this.#definition.name
  }

  /** @returns {import('../protocol/peers.mjs').Peers} */
  get #peers() {
    return this.#options.peers()
  }

  /** @returns {State} */
  get state() {
    if (this.#closed) return 'closed'
    if (this.#inner) return this.#inner.state
    if (this.#tenure === undefined) return this.#isBegun ? 'waiting' : 'idle'
    return this.#tenure.capabilities === undefined ? 'connecting' : 'ready'
  }

  get reason() {
    if (this.#inner) return this.#inner.reason
    return this.#isBegun && this.#tenure === undefined ? this.#lost : undefined
  }

  get #lost() {
    return 'it runs in one gateway for all, and the database that says in which cannot be reached'
  }

  /** Of a server that runs elsewhere there is none here. */
  get pid() {
    return this.#inner?.pid ?? null
  }

  get capabilities() {
    return /** @type {Record<string, any>} */ (this.#inner?.capabilities ?? this.#tenure?.capabilities ?? {})
  }

  /** Starts the server, or waits until it has started elsewhere. Never rejects. */
  async connect() {
    await this.#begun()
    if (this.#inner) return this.#inner.connect()
    for (const until = Date.now() + this.#definition.startMs; Date.now() < until && this.state === 'connecting'; )
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }

  /** From now on the lease is looked after. */
  async #begun() {
    if (this.#isBegun || this.#closed) return this.#stepping
    this.#isBegun = true
    // Whoever runs the server asks clients of this gateway through it.
    this.#peers.begin()
    this.#timers.renew = setInterval(() => void this.#step(), RENEW_MS)
    this.#timers.renew.unref()
    return this.#step()
  }

  #step() {
    this.#stepping = this.#stepping.then(() => this.#stepNow()).catch(() => {})
    return this.#stepping
  }

  async #stepNow() {
    if (this.#closed) return
    const asked = Date.now()
    const wanted = { identity: this.#identity, server: this.name, holder: this.#id, ms: LEASE_MS }
    const tenure = await this.#leases.take(wanted).catch(() => undefined)
    if (this.#closed) return
    // One that has the server keeps it until its lease ends; the others know of nobody now.
    if (tenure === undefined) return this.#inner ? undefined : this.#know(undefined)
    if (!tenure.isMine) {
      if (this.#inner) await this.#end()
      return this.#know(tenure)
    }
    clearTimeout(this.#timers.expiry)
    const leftMs = Math.max(0, asked + LEASE_MS - MARGIN_MS - Date.now())
    this.#timers.expiry = setTimeout(() => void this.#expire(), leftMs)
    this.#timers.expiry.unref()
    this.#tenure = tenure
    if (this.#inner === undefined) this.#run()
    this.#served?.look()
  }

  /** Somebody else has it, or nobody knows who. */
  #know(tenure) {
    const before = this.state
    this.#tenure = tenure
    if (this.state !== before) this.#hooks.onState(this.state, this.reason)
  }

  #run() {
    const inner = new Downstream(
      this.#definition,
      {
        ...this.#hooks,
        onState: (state, reason) => {
          if (this.#inner !== inner) return
          this.#hooks.onState(state, reason)
          if (state === 'ready') void this.#leases.started(this.#identity, this.#id, inner.capabilities).catch(() => {})
        },
      },
      this.#options,
    )
    this.#inner = inner
    this.explainer = inner.explainer
    this.#served = new ServedCalls(this.#leases, {
      identity: this.#identity,
      holder: this.#id,
      downstream: inner,
      made: (call, make) => this.#options.guard().made(this.name, call, make),
      askAt: (at, question, signal) => this.#peers.ask(at, 'question', question, { signal }),
    })
    if (!this.#definition.lazy) void inner.connect()
  }

  /** The lease could not be renewed, and another gateway may take over: two must not run at the same time. */
  async #expire() {
    this.#stepping = this.#stepping.then(() => this.#end()).catch(() => {})
    await this.#stepping
  }

  async #end() {
    clearTimeout(this.#timers.expiry)
    const inner = this.#inner
    this.#served?.close()
    await inner?.close()
    this.#inner = undefined
    this.#tenure = undefined
    if (!this.#closed) this.#hooks.onState('waiting', this.#lost)
  }

  /** @returns {Promise<Downstream | undefined>} undefined for a server that runs elsewhere */
  async #role() {
    if (this.#closed) throw new Unavailable(`server ${this.name} was taken out of the gateway`)
    if (this.#tenure === undefined) await this.#begun()
    if (this.#inner) return this.#inner
    if (this.#tenure === undefined)
      throw new Unavailable(`server ${this.name} is unavailable: ${this.#lost}; try again`)
    return undefined
  }

  /**
   * See {@link Downstream.request}.
   *
   * @param {string} method
   * @param {object} params
   * @param {import('../calls/caller.mjs').Caller} caller
   * @param {import('./connection.mjs').HowAsked} [options]
   */
  async request(method, params, caller, options = {}) {
    const inner = await this.#role()
    if (inner) return inner.request(method, params, caller, options)
    const { isModern, capabilities, logLevel, progress } = caller
    const { asTask, retry } = options
    return this.#distant.ask(
      {
        method,
        params,
        caller: { isModern, capabilities, logLevel, wantsProgress: progress !== undefined, at: this.#peers.identity },
        // Whoever runs the server has its definition.
        options: { asTask, retry },
      },
      caller,
    )
  }

  /** See {@link DistantCalls.question}. */
  question(id, request, signal) {
    return this.#distant.question(id, request, signal)
  }

  /** See {@link Downstream.pages}. */
  async pages(method, key, has) {
    if (this.#inner) return this.#inner.pages(method, key, has)
    if (this.state !== 'ready' || !has(this.capabilities, this.capabilities.extensions ?? {})) return undefined
    const found = await this.#distant.ask({ method, key }).catch(() => undefined)
    return found?.entries && found
  }

  async subscribe(uri) {
    const inner = await this.#role()
    if (inner) return inner.subscribe(uri)
    throw new Unavailable(`server ${this.name} runs in another gateway; its resources are not followed from here`)
  }

  async unsubscribe(uri) {
    return this.#inner?.unsubscribe(uri) ?? {}
  }

  /** The list of a server that runs elsewhere comes by the store. */
  async refreshed() {
    await this.#inner?.refreshed()
  }

  rootsChanged() {
    this.#inner?.rootsChanged()
  }

  /** See {@link Downstream.isTriedAgain}. */
  get isTriedAgain() {
    return this.#inner?.isTriedAgain ?? true
  }

  /** See {@link Downstream.wanted}. */
  wanted() {
    this.#inner?.wanted()
  }

  async invitation() {
    return this.#inner?.invitation() ?? `server ${this.name} wants no login`
  }

  /** Takes no more calls of others and settles when those that were taken are answered. The lease is renewed meanwhile. */
  async drain() {
    await this.#served?.drain()
  }

  /** Ends it here when the calls under way are answered. */
  async retire() {
    while (this.#distant.count > 0 && !this.#closed) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    await this.#inner?.retire()
    await this.close()
  }

  /** Ends it here for good. Another gateway takes over. */
  async close() {
    if (this.#closed) return
    this.#closed = true
    clearInterval(this.#timers.renew)
    clearTimeout(this.#timers.expiry)
    this.#unwatch()
    this.#served?.close()
    await this.#inner?.close()
    await settled(Promise.resolve(this.#served?.drain()), LAST_CALLS_MS)
    this.#distant.close()
    if (this.#tenure?.isMine) await this.#leases.release(this.#identity, this.#id).catch(() => {})
    this.#hooks.onState('closed')
  }
}
