// Questions of servers of the older era to modern clients. Such a server asks in the middle of a call and waits, while a
// modern client is answered with the question and comes back with another request. Until then the call is held here: the
// one thing that a gateway keeps between two requests of a modern client, and only for such a server.

import { createHash, randomUUID } from 'node:crypto'

import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { stringify } from '@zoo-code/tool-router/exact-json'

import { openerOf } from '../calls/asking.mjs'
import { ASK_MS, asModern, modernCaller } from '../calls/caller.mjs'

/** Calls that are held at the same time. */
const MAX_HELD = 1_000

/** @typedef {{ method: string, params?: import('../calls/caller.mjs').Params }} Question */

export class Exchanges {
  /** By the state that the client brings back. */
  #held = new Map()
  /** A gateway behind this one has states of its own, which are passed on to it. */
  #prefix

  /** @param {import('../base/replica.mjs').Replica} replica */
  constructor(replica) {
    this.#prefix = replica.stateMark()
  }

  /**
   * Answers a request of a modern client.
   *
   * @param {Question} request
   * @param {import('../calls/caller.mjs').Context} context
   * @param {object | undefined} peer see Caller; the request itself when its client is not known
   * @param {(caller: import('../calls/caller.mjs').Caller) => Promise<object>} work
   */
  async answer(request, context, peer, work) {
    const { inputResponses, requestState } = context.mcpReq
    const state = requestState()
    const { name, uri, arguments: args } = request.params ?? {}
    // A state belongs to the request that it was given for, and to who made it.
    const asked = stringify([openerOf(), request.method, name ?? uri, args])
    const digest = createHash('sha256').update(asked).digest('base64url')
    let exchange
    if (typeof state === 'string' && state.startsWith(this.#prefix)) {
      exchange = this.#take(state, digest)
    } else {
      const retry = {
        ...(inputResponses !== undefined && { inputResponses }),
        ...(state !== undefined && { requestState: state }),
      }
      exchange = new Exchange(digest, peer, Object.keys(retry).length > 0 ? retry : undefined)
    }
    const result = await exchange.next(request, context, inputResponses ?? {}, work)
    return result ?? this.#hold(exchange)
  }

  #take(state, digest) {
    const exchange = this.#held.get(state)
    if (exchange?.digest !== digest)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'requestState: expected that of a call that waits for answers',
      )
    this.#held.delete(state)
    clearTimeout(exchange.timer)
    return exchange
  }

  #hold(exchange) {
    const state = this.#prefix + randomUUID()
    this.#held.set(state, exchange)
    const forget = (which) => {
      this.#held.get(which)?.end()
      this.#held.delete(which)
    }
    exchange.timer = setTimeout(forget, ASK_MS, state)
    exchange.timer.unref()
    if (this.#held.size > MAX_HELD) forget(this.#held.keys().next().value)
    return { resultType: 'input_required', inputRequests: exchange.questions, requestState: state }
  }

  close() {
    for (const exchange of this.#held.values()) {
      clearTimeout(exchange.timer)
      exchange.end()
    }
    this.#held.clear()
  }
}

/** One call, over all requests that a client makes for it. */
class Exchange {
  timer
  #peer
  #retry
  #over = new AbortController()
  /** `{ request, resolve, reject }` by the key of the question. */
  #asked = new Map()
  #count = 0
  #context
  #request
  #outcome
  #wake = () => {}

  constructor(digest, peer, retry) {
    this.digest = digest
    this.#peer = peer ?? this
    this.#retry = retry
  }

  /** What is to be asked. */
  get questions() {
    return Object.fromEntries([...this.#asked].map(([key, { request }]) => [key, asModern(request)]))
  }

  /**
   * Goes on with one more request of the client.
   *
   * @returns {Promise<object | undefined>} the result; undefined when there are questions
   */
  async next(request, context, responses, work) {
    this.#request = request
    this.#context = context
    const leave = () => this.end()
    const { signal } = context.mcpReq
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) this.end()
    try {
      this.#outcome ??= work(this.#caller()).then(
        (result) => ({ result }),
        (error) => ({ error }),
      )
      for (const [key, response] of Object.entries(responses)) this.#answered(key, response)
      const asked =
        this.#asked.size > 0 ? Promise.resolve() : new Promise((resolve) => (this.#wake = () => resolve(undefined)))
      const settled = await Promise.race([this.#outcome, asked])
      if (settled === undefined) return undefined
      if (settled.error) throw settled.error
      return settled.result
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  /** The client over all its requests: what is told goes to the one that is open now. */
  #caller() {
    const now = () => modernCaller(this.#context, this.#request.params)
    return {
      ...now(),
      peer: this.#peer,
      signal: this.#over.signal,
      retry: this.#retry,
      progress: now().progress && ((told) => now().progress?.(told)),
      log: (params) => now().log(params),
      ask: (request, signal) => this.#ask(request, signal),
    }
  }

  #ask(request, signal) {
    this.#count += 1
    const key = `question-${this.#count}`
    const answered = new AbortController()
    return new Promise((resolve, reject) => {
      const gone = () => {
        this.#asked.delete(key)
        reject(new ProtocolError(ProtocolErrorCode.InvalidRequest, 'the client has not answered'))
      }
      this.#asked.set(key, { request, resolve })
      // Not left behind: a server may ask as often as it likes within one call.
      const options = { once: true, signal: answered.signal }
      for (const each of [signal, this.#over.signal]) each?.addEventListener('abort', gone, options)
      this.#wake()
    }).finally(() => answered.abort())
  }

  #answered(key, response) {
    this.#asked.get(key)?.resolve(response)
    this.#asked.delete(key)
  }

  /** The client has gone, or does not come back. */
  end() {
    this.#over.abort()
  }
}
