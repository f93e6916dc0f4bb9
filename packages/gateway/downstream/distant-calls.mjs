// Calls of a server that another gateway runs. They go through the database, and a call that was taken there is never made again:
// where nobody knows what became of it, the answer says so.

import { randomUUID } from 'node:crypto'

import { ProtocolError } from '@modelcontextprotocol/client'

import { Unavailable } from '../base/errors.mjs'

/** How often it is looked for outcomes that were not told of, and for gateways that have ended. */
const LOOK_MS = 1_000
/** How long a call waits for a gateway that runs the server: another one takes over within that time. */
const TAKEN_MS = 30_000
/** How much longer than the server's own time-out an answer is waited for. */
const LATE_MS = 10_000

/**
 * @typedef {import('../calls/caller.mjs').Caller} Caller
 * @typedef {import('../store/postgres/leases.mjs').Outcome} Outcome
 *
 * @typedef {object} Waiting
 * @property {(result: object) => void} resolve
 * @property {(error: Error) => void} reject
 * @property {Caller['progress']} [progress]
 * @property {Caller['ask']} [askClient]
 * @property {number} questions that its client is being asked: meanwhile it is not too late
 * @property {boolean} isSent
 * @property {number} untaken when it is taken back, if nobody has taken it
 * @property {number} late when it is not waited for any more
 */

export class DistantCalls {
  #leases
  #definition
  #identity
  #asker
  #takenMs
  #has
  /** @type {Map<string, Waiting>} */
  #waiting = new Map()
  /** One look after the other: what one has taken the next one must not miss. @type {Promise<void>} */
  #looking = Promise.resolve()
  #timer
  #unwatch

  /**
   * @param {import('../store/postgres/leases.mjs').PostgresLeases} leases
   * @param {{ definition: Pick<import('./downstream.mjs').ServerDefinition, 'name' | 'timeoutMs'>, identity: string, asker: string,
   * takenMs?: number, has?: string }} of `takenMs`: how long a call waits for somebody who takes it; `has`: what another gateway
   * does, for messages
   */
  constructor(leases, { definition, identity, asker, takenMs = TAKEN_MS, has = `runs server ${definition.name}` }) {
    this.#leases = leases
    this.#definition = definition
    this.#identity = identity
    this.#asker = asker
    this.#takenMs = takenMs
    this.#has = has
    this.#unwatch = leases.watch({
      answered: (told) => told === asker && void this.#look(),
      progress: (id, text) => this.#progressed(id, text),
      back: () => void this.#look(),
    })
  }

  get count() {
    return this.#waiting.size
  }

  /**
   * @param {object} request as {@link import('./served-calls.mjs').ServedCalls} reads it
   * @param {Partial<Pick<Caller, 'signal' | 'progress' | 'ask'>>} caller
   * @returns {Promise<any>}
   */
  async ask(request, { signal, progress, ask } = {}) {
    signal?.throwIfAborted()
    const id = randomUUID()
    const now = Date.now()
    const outcome = new Promise((resolve, reject) =>
      this.#waiting.set(id, {
        ...{ resolve, reject, progress, askClient: ask, questions: 0, isSent: false },
        untaken: now + this.#takenMs,
        late: now + this.#takenMs + this.#definition.timeoutMs + LATE_MS,
      }),
    )
    // It may be over before somebody waits for it.
    outcome.catch(() => {})
    const leave = () => this.#leave(id, signal?.reason)
    signal?.addEventListener('abort', leave, { once: true })
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS)
    try {
      await this.#send(id, request)
      return await outcome
    } finally {
      signal?.removeEventListener('abort', leave)
      this.#settle(id)
    }
  }

  async #send(id, request) {
    const { name } = this.#definition
    const wasAway = this.#leases.isAway
    try {
      await this.#leases.call({ id, identity: this.#identity, server: name, asker: this.#asker, request })
      const waiting = this.#waiting.get(id)
      if (waiting) waiting.isSent = true
    } catch {
      // A connection that breaks in between may have left the call there.
      const isUnknown = !wasAway && this.#leases.isAway
      const why = `another gateway ${this.#has}, and the database through which it is called cannot be reached`
      const error = isUnknown
        ? this.#unknown('the database went away')
        : new Unavailable(`${why}; nothing was done, try again`)
      this.#settle(id)?.reject(error)
    }
  }

  /** The call that waits under a number; from now on it does not. */
  #settle(id) {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (this.#waiting.size > 0) return waiting
    clearInterval(this.#timer)
    this.#timer = undefined
    return waiting
  }

  #leave(id, reason) {
    this.#settle(id)?.reject(reason)
    const taken = this.#leases.withdraw(id).then((isBack) => isBack || this.#leases.drop(id))
    void taken.catch(() => {})
  }

  #look() {
    this.#looking = this.#looking.then(() => this.#lookNow()).catch(() => {})
    return this.#looking
  }

  async #lookNow() {
    try {
      for (const { id, outcome } of await this.#leases.outcomes(this.#asker)) this.#answer(id, outcome)
      const sent = [...this.#waiting].filter(([, { isSent }]) => isSent).map(([id]) => id)
      for (const id of await this.#leases.lost(sent)) this.#settle(id)?.reject(this.#unknown('that gateway has ended'))
    } finally {
      await this.#endLate()
    }
  }

  #answer(id, { result, error }) {
    const waiting = this.#settle(id)
    if (error === undefined) waiting?.resolve(result ?? {})
    else if (error.code === undefined) waiting?.reject(new Unavailable(error.message))
    else waiting?.reject(ProtocolError.fromError(error.code, error.message, error.data))
  }

  /** Ends what has waited too long. */
  async #endLate() {
    const now = Date.now()
    for (const [id, { untaken, late, questions }] of [...this.#waiting]) {
      if (now < untaken) continue
      const isBack = await this.#leases.withdraw(id).catch(() => false)
      if (isBack)
        this.#settle(id)?.reject(
          new Unavailable(`no gateway that ${this.#has} is there now; nothing was done, try again`),
        )
      else if (now > late && questions === 0) this.#settle(id)?.reject(this.#unknown('no answer has come'))
    }
  }

  /**
   * Asks the client of a call what the server wants to know.
   *
   * @param {string} id
   * @param {{ method: string, params?: object }} request
   * @param {AbortSignal} [signal]
   * @returns {ReturnType<Caller['ask']> | undefined} undefined where no such call waits here
   */
  question(id, request, signal) {
    const waiting = this.#waiting.get(id)
    if (waiting?.askClient === undefined) return undefined
    waiting.questions += 1
    return waiting.askClient(request, signal).finally(() => {
      waiting.questions -= 1
      this.#goesOn(waiting)
    })
  }

  #goesOn(waiting) {
    waiting.late = Date.now() + this.#definition.timeoutMs + LATE_MS
  }

  #progressed(id, text) {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    this.#goesOn(waiting)
    try {
      waiting.progress?.(JSON.parse(text))
    } catch {
      // Cut, or of another version of the gateway.
    }
  }

  #unknown(why) {
    return new Unavailable(
      `ERR_OUTCOME_UNKNOWN: another gateway ${this.#has}, and ${why}. Whether the call took effect is unknown; it is not ` +
        'made again by itself. Look at what it was to change before you call it again',
    )
  }

  close() {
    this.#unwatch()
    for (const id of [...this.#waiting.keys()]) this.#settle(id)?.reject(this.#unknown('this gateway is ending'))
  }
}
