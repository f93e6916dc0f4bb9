// Calls that other gateways have left for a server that runs here. Each is taken once, and its outcome is written back.

import { setTimeout as pause } from 'node:timers/promises'

import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client'

import { reasonOf, Unavailable } from '../base/errors.mjs'

/** How long an outcome waits for a database that is gone, and between two tries. */
const KEEP_MS = 60_000
const AGAIN_MS = 500
/** How often it is looked whether all is answered. */
const LOOK_MS = 20
/** Progress that is passed on: one in this time, and characters of it, since a notification has 8,000 bytes. */
const PROGRESS_MS = 200
const MAX_PROGRESS = 2_000
const NOT_ASKED =
  'the server runs in one gateway for several, and the client of this call is at another one, through which it cannot be asked now'

/**
 * Asks the client of a call through the gateway that made the call.
 *
 * @callback AskAt
 * @param {string} at that gateway
 * @param {{ id: string, request: object }} question
 * @param {AbortSignal} signal
 * @returns {Promise<any>}
 */

/**
 * @typedef {(call: { asker: string, request: Request }, make: (own: { tool?: () => object | undefined }) => Promise<any>) => Promise<any>} Made
 * @typedef {Pick<import('./downstream.mjs').Downstream, 'request' | 'pages'>} Downstream
 * @typedef {import('../calls/caller.mjs').Caller} Caller
 *
 * @typedef {object} Request a call of a server, as it stands in the database
 * @property {string} method
 * @property {object} [params]
 * @property {string} [key] of the list that is asked for, instead of a call
 * @property {Pick<Caller, 'isModern' | 'capabilities' | 'logLevel'> & { wantsProgress: boolean, at?: string }} [caller] `at`:
 * the gateway that has the client
 * @property {{ asTask?: boolean, retry?: object }} [options]
 */

export class ServedCalls {
  #leases
  #identity
  #holder
  #downstream
  #askAt
  #guarded
  #taking = false
  #isTold = false
  /** @type {Map<string, AbortController>} */
  #underWay = new Map()
  #unwatch
  #closed = false

  /**
   * @param {import('../store/postgres/leases.mjs').PostgresLeases} leases
   * @param {{ identity: string, holder: string, downstream: Downstream, askAt?: AskAt, made?: Made }} of `made`: looks at each
   * call first; without it all are made
   */
  constructor(leases, { identity, holder, downstream, askAt, made = (_, make) => make({}) }) {
    this.#guarded = made
    this.#askAt = askAt
    this.#leases = leases
    this.#identity = identity
    this.#holder = holder
    this.#downstream = downstream
    this.#unwatch = leases.watch({
      called: (told) => told === identity && this.look(),
      dropped: (id) => this.#underWay.get(id)?.abort(),
      back: () => this.look(),
    })
  }

  /** Takes what waits. */
  look() {
    this.#isTold = true
    if (!this.#taking) void this.#take().catch(() => {})
  }

  async #take() {
    this.#taking = true
    try {
      while (this.#isTold && !this.#closed) {
        this.#isTold = false
        const calls = await this.#leases.takeCalls(this.#identity, this.#holder)
        if (calls.length > 0) this.#isTold = true
        for (const call of calls) void this.#serve(call)
      }
    } finally {
      this.#taking = false
    }
  }

  async #serve(call) {
    const over = new AbortController()
    this.#underWay.set(call.id, over)
    const progress = this.#progressOf(call.id)
    const made = this.#guarded(call, (own) => this.#made(call, own, { signal: over.signal, progress: progress.tell }))
    const outcome = await made.then(
      (result) => ({ result }),
      (error) => ({ error: told(error) }),
    )
    // Nobody listens for progress any more once there is an outcome.
    await progress.all()
    try {
      for (const until = Date.now() + KEEP_MS; Date.now() < until; await pause(AGAIN_MS, undefined, { ref: false }))
        if (
          await this.#leases.answer(call, outcome).then(
            () => true,
            () => false,
          )
        )
          break
    } finally {
      this.#underWay.delete(call.id)
    }
  }

  /**
   * @param {{ id: string, request: Request }} call
   * @param {{ tool?: () => object | undefined }} own what this gateway itself knows of what is called
   * @param {Required<Pick<Caller, 'signal' | 'progress'>>} caller
   */
  async #made({ id, request }, own, { signal, progress }) {
    const { method, params = {}, key, caller, options: { asTask, retry } = {} } = request
    if (key !== undefined) {
      const { entries, cut } = (await this.#downstream.pages(method, key, () => true)) ?? {}
      return { entries, cut }
    }
    const { wantsProgress, at, isModern = false, ...said } = caller ?? { wantsProgress: false }
    const distant = {
      ...said,
      isModern,
      peer: {},
      signal,
      progress: wantsProgress ? progress : undefined,
      ask: (question, isBack) => this.#asked(at, { id, request: question }, [signal, isBack]),
      log: () => {},
    }
    return this.#downstream.request(method, params, distant, { asTask: asTask === true, retry, ...own })
  }

  async #asked(at, question, signals) {
    const refused = () => new ProtocolError(ProtocolErrorCode.InvalidRequest, NOT_ASKED)
    if (at === undefined || this.#askAt === undefined) throw refused()
    return this.#askAt(at, question, AbortSignal.any(signals.filter(Boolean))).catch((error) => {
      throw error instanceof ProtocolError ? error : refused()
    })
  }

  /** Passes the progress of a call on, one after the other; `all` settles when what was told is passed on. */
  #progressOf(id) {
    let at = 0
    let passing = Promise.resolve()
    const tell = (told) => {
      const text = JSON.stringify(told)
      if (Date.now() - at < PROGRESS_MS || text.length > MAX_PROGRESS) return
      at = Date.now()
      passing = passing.then(() => this.#leases.progress(id, text)).catch(() => {})
    }
    return { tell, all: () => passing }
  }

  /** Takes nothing more, and settles when what was taken is answered. */
  async drain() {
    this.close()
    while (this.#taking || this.#underWay.size > 0) await pause(LOOK_MS)
  }

  /** Takes nothing more; what is under way goes on to its outcome. */
  close() {
    this.#closed = true
    this.#unwatch()
  }
}

/** An error as another gateway is told it: an answer of the server unchanged, and of anything else what it means. */
function told(error) {
  if (error instanceof ProtocolError) return { code: error.code, message: error.message, data: error.data }
  return { message: error instanceof Unavailable ? error.message : reasonOf(error) }
}
