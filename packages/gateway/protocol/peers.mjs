// Gateways that serve the same over one database, and what only one of them has: a call that waits for an answer of its client,
// a long result, and the client of a call. Whoever needs it asks that one.

import { randomUUID } from 'node:crypto'

import { DistantCalls } from '../downstream/distant-calls.mjs'
import { ServedCalls } from '../downstream/served-calls.mjs'
import { routerError } from '../base/errors.mjs'
import { ASK_MS } from '../calls/caller.mjs'

/** How long a gateway is known to live, and how often it says so. */
const LEASE_MS = 10_000
const RENEW_MS = 3_000
/** How often what others have left behind is forgotten. */
const SWEEP_MS = 60_000
/** How long one that lives may take to take what it is asked. */
const TAKEN_MS = 5_000
/** Gateways whose answers are listened for. */
const MOST_ASKED = 100
const PREFIX = 'gateway:'
/** What begins the state of a call that waits at a gateway. */
const STATE = /^zoo:([\da-f-]{36}):/

/**
 * @typedef {import('../calls/caller.mjs').Caller} Caller
 * @typedef {(params: any, caller: Caller) => Promise<any>} Answer
 */

export class Peers {
  id = randomUUID()
  #leases
  #answers
  #served
  #timer
  #sweptAt = 0
  /** By the gateway that is asked. @type {Map<string, DistantCalls>} */
  #asking = new Map()

  /**
   * @param {import('../store/postgres/leases.mjs').PostgresLeases} leases
   * @param {Record<string, Answer>} answers by what is asked
   */
  constructor(leases, answers) {
    this.#leases = leases
    this.#answers = answers
  }

  /** How others ask it. */
  get identity() {
    return PREFIX + this.id
  }

  /** From now on others know of this one. */
  begin() {
    if (this.#timer !== undefined) return
    const request = async (method, params, caller) => {
      if (!Object.hasOwn(this.#answers, method))
        throw routerError('ERR_INVALID_ARGUMENT', `${method}: nobody asks for this`)
      return this.#answers[method](params, caller)
    }
    const downstream = { request, pages: async () => undefined }
    this.#served = new ServedCalls(this.#leases, { identity: this.identity, holder: this.id, downstream })
    this.#timer = setInterval(() => void this.#renew(), RENEW_MS)
    this.#timer.unref()
    void this.#renew()
  }

  async #renew() {
    try {
      await this.#leases.take({ identity: this.identity, server: '', holder: this.id, ms: LEASE_MS })
      this.#served?.look()
      if (Date.now() - this.#sweptAt < SWEEP_MS) return
      this.#sweptAt = Date.now()
      await this.#leases.sweep()
    } catch {
      // The next time.
    }
  }

  /** The other gateway at which a call waits, by its state; undefined where it is no living one. @param {unknown} state */
  async holderOf(state) {
    const [, id] = STATE.exec(typeof state === 'string' ? state : '') ?? []
    if (id === undefined || id === this.id) return undefined
    const others = await this.#leases.gateways(this.identity).catch(() => [])
    return others.find((each) => each === PREFIX + id)
  }

  /**
   * @param {string} peer
   * @param {string} what
   * @param {object} params
   * @param {Partial<Pick<Caller, 'signal'>>} [caller]
   */
  ask(peer, what, params, caller) {
    return this.#callsOf(peer).ask({ method: what, params }, caller)
  }

  /** The first answer of all others; undefined when none has one. @param {string} what @param {object} params */
  async askAll(what, params) {
    const others = await this.#leases.gateways(this.identity).catch(() => [])
    return Promise.any(others.map((peer) => this.ask(peer, what, params))).catch(() => undefined)
  }

  #callsOf(peer) {
    const known = this.#asking.get(peer)
    if (known !== undefined) return known
    const definition = { name: '', timeoutMs: ASK_MS }
    const has = 'has what this goes on with'
    const calls = new DistantCalls(this.#leases, {
      definition,
      identity: peer,
      asker: randomUUID(),
      takenMs: TAKEN_MS,
      has,
    })
    this.#asking.set(peer, calls)
    for (const [each, other] of this.#asking) {
      if (this.#asking.size <= MOST_ASKED) break
      if (other.count > 0 || each === peer) continue
      other.close()
      this.#asking.delete(each)
    }
    return calls
  }

  /** Settles when what others have asked is answered; no more of it is taken. */
  async drain() {
    await this.#served?.drain()
  }

  async close() {
    clearInterval(this.#timer)
    this.#served?.close()
    for (const calls of this.#asking.values()) calls.close()
    if (this.#timer !== undefined) await this.#leases.release(this.identity, this.id).catch(() => {})
  }
}
