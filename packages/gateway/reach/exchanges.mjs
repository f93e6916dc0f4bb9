// What an HTTP server really answered. Errors of the SDK have lost the headers and some of the words; and a request whose
// stream has ended without an answer is, for it, still under way.

import { AsyncLocalStorage } from 'node:async_hooks'

import { SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

import { httpStatus, missesRights } from '../base/errors.mjs'
import { exactFetch } from '../base/exact-fetch.mjs'
import { isDeep } from '../base/values.mjs'
import { webFetch } from '../base/web-fetch.mjs'
import { Pauses, retryAfterOf } from './pauses.mjs'

/** A stream that lived this long has earned the first pause again. */
const STABLE_MS = 30_000
/** Put into the place of an answer that cannot come, or that is none: known by being the same objects. */
const ENDED = { code: -32_603, message: 'the answer ended before the result', data: { ended: true } }
const ODD = { code: -32_603, message: 'the server answered what is no answer', data: { odd: true } }

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {string} [contentType]
 * @property {number} [retryAfterMs]
 * @property {string} [text] of a refusal
 */

/** @type {AsyncLocalStorage<{ answer?: Answer, failed?: Error }>} */
const exchanges = new AsyncLocalStorage()
/** @type {WeakMap<object, Answer>} */
const answers = new WeakMap()

/** A session that is not known any more, of a server that says so as if it wanted a login. */
class Forgotten extends Error {}

/** The answer of HTTP behind an error. */
export function answerBehind(error) {
  for (let each = error; each instanceof Error; each = each.cause) {
    const answer = answers.get(each)
    if (answer) return answer
  }
  return undefined
}

export const isForgotten = (error) => error instanceof Forgotten
export const isEnded = (error) => error?.data === ENDED.data
export const isOdd = (error) => error?.data === ODD.data

/** An answer for whoever waits for one that is none of the protocol's. */
export function oddAnswer(id) {
  return { jsonrpc: /** @type {const} */ ('2.0'), id, error: ODD }
}

/** fetch that notes what was answered within an exchange. @param {typeof fetch} [given] @returns {typeof fetch} */
function noting(given = webFetch) {
  const send = exactFetch(given)
  return async (address, init) => {
    const exchange = exchanges.getStore()
    const response = await send(address, init).catch((error) => {
      if (exchange) exchange.failed = error
      throw error
    })
    const sent = new Headers(init?.headers)
    if (exchange) exchange.answer = await answerOf(response, sent.get('authorization'))
    const isOfLogin = response.status === 401 && response.headers.has('www-authenticate')
    if (
      response.status === 401 &&
      !isOfLogin &&
      sent.has('mcp-session-id') &&
      /session/i.test(exchange?.answer?.text ?? '')
    )
      throw new Forgotten('the session is not known')
    return response
  }
}

/** @param {Response} response @param {string | null} proof which a server may repeat, and which is in no words */
async function answerOf(response, proof) {
  const { status, headers, ok } = response
  /** @type {Answer} */
  const answer = {
    status,
    contentType: headers.get('content-type') ?? undefined,
    retryAfterMs: retryAfterOf(headers.get('retry-after')),
  }
  const note = (text) => (answer.text = proof ? text.replaceAll(proof.replace(/^\S+ +/, ''), '[hidden]') : text)
  if (!ok) {
    const text = await response.text().catch(() => '')
    note(text)
    // The SDK reads it once more.
    response.text = async () => text
  }
  const read = response.json
  response.json = async () => {
    const given = await read()
    if ((given?.jsonrpc !== '2.0' || given.error) && !isDeep(given)) note(JSON.stringify(given))
    return given
  }
  return answer
}

/** A 401 or 403 that the SDK has read itself. */
const isOfLogin = (error) => error?.name === 'LoginRequired' || missesRights(error)

/** Does one exchange; an error of it is known with what was answered. */
async function noted(work) {
  /** @type {{ answer?: Answer, failed?: Error }} */
  const exchange = {}
  try {
    await exchanges.run(exchange, work)
  } catch (error) {
    const { answer, failed } = exchange
    // The old transport tells of it in words only.
    if (failed && error !== failed && error instanceof Error) error.cause ??= failed
    // One that was refused, and then an error of the login: that is another one.
    const isOfAnswer = answer && (answer.status < 300 || answer.status === httpStatus(error) || isOfLogin(error))
    if (isOfAnswer && error instanceof Error) answers.set(error, answer)
    throw error
  }
  return exchange.answer
}

/** Streamable HTTP: tells of answers that cannot come as soon as that is known, and decides itself when a stream is opened again. */
export class HttpTransport extends StreamableHTTPClientTransport {
  /** Requests that wait for their answer. */
  #waiting = new Set()
  #pauses
  #hand
  #hasLogin

  constructor(address, options) {
    const pauses = new Pauses()
    let openedAt = Date.now()
    const send = noting(options.fetch)
    super(address, {
      ...options,
      fetch: (to, init) => {
        if (init?.method === 'GET') openedAt = Date.now()
        return send(to, init)
      },
      reconnectionScheduler: (reconnect, wishedMs) => {
        if (Date.now() - openedAt > STABLE_MS) pauses.reset()
        // Somebody waits for what the stream goes on with.
        if (this.#waiting.size > 0) pauses.reset()
        const timer = setTimeout(reconnect, pauses.next(wishedMs))
        timer.unref()
        return () => clearTimeout(timer)
      },
    })
    this.#pauses = pauses
    this.#hasLogin = options.authProvider !== undefined
    // The SDK's own are plain fields, set again for each step of a start.
    Object.defineProperty(this, 'onmessage', {
      get: () => this.#heardBy(this.#hand),
      set: (hand) => (this.#hand = hand),
    })
  }

  /** What is set later may call what was set before. */
  #heardBy(hand) {
    return (
      hand &&
      ((message, extra) => {
        // Some name no request in a refusal of the only one.
        const isOfNone = 'error' in message && typeof message.id !== 'number' && this.#waiting.size === 1
        const heard = isOfNone ? { ...message, id: [...this.#waiting][0] } : message
        if ('method' in message) this.#pauses.reset()
        else this.#waiting.delete(heard.id)
        hand(heard, extra)
      })
    )
  }

  async send(message, options) {
    const isRequest = !Array.isArray(message) && 'method' in message && 'id' in message
    // A stream of announcements has an end of its own.
    if (!isRequest || options?.onRequestStreamEnd) return void (await noted(() => super.send(message, options)))
    const { id } = message
    const over = () => this.#waiting.delete(id)
    const ended = () => over() && this.#hand?.({ jsonrpc: '2.0', id, error: ENDED })
    this.#waiting.add(id)
    options?.requestSignal?.addEventListener('abort', over, { once: true })
    try {
      const answer = await noted(() => super.send(message, { ...options, onRequestStreamEnd: ended }))
      if (!/event-stream/.test(answer?.contentType ?? '') || answer?.status === 202) ended()
    } catch (error) {
      over()
      // Not of a login: no other would help.
      if (!this.#hasLogin && missesRights(error)) Object.assign(error, { status: 403 })
      throw error
    }
  }
}

/** The transport before it, whose answers come in one stream. */
export class SseTransport extends SSEClientTransport {
  constructor(address, options) {
    super(address, { ...options, fetch: noting(options.fetch) })
  }

  async start() {
    await noted(() => super.start())
  }

  async send(message) {
    await noted(() => super.send(message))
  }
}
