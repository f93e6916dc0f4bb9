// Questions to a client that several gateways serve. A question's number says which gateway asks, so that the answer finds it
// wherever the client sends it; and a question outside of a request goes through the gateway that the client listens to.

import { setTimeout as pause } from 'node:timers/promises'

import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'

/** How long another gateway may take to hand a question to the client that listens to it. */
const TAKE_MS = 2_000
const LOOK_MS = 100

/**
 * @typedef {import('./http-sessions.mjs').Found} Found
 * @typedef {import('../store/postgres/sessions.mjs').PostgresSessions} Sessions
 */

export class Relay {
  #sessions
  #replica

  /** @param {Sessions} sessions @param {string} replica how other gateways call this one */
  constructor(sessions, replica) {
    this.#sessions = sessions
    this.#replica = replica
  }

  /** Has questions of a session go out with numbers of this gateway. To be called before its transport is used. @param {Found} found */
  attach(found) {
    const { transport } = found
    const send = transport.send.bind(transport)
    transport.send = async (/** @type {any} */ message, options) => {
      const marked = this.#marked(message)
      const isQuestion = message.method !== undefined && message.id !== undefined
      if (isQuestion && options?.relatedRequestId === undefined && found.listening === 0)
        return this.#sendElsewhere(found, marked, send)
      return send(marked, options)
    }
  }

  /** A question, or the taking back of one, under its number for clients. */
  #marked(message) {
    if (message.method === undefined) return message
    if (message.id !== undefined) return { ...message, id: this.#numberOf(message.id) }
    if (message.method !== 'notifications/cancelled' || message.params?.requestId === undefined) return message
    return { ...message, params: { ...message.params, requestId: this.#numberOf(message.params.requestId) } }
  }

  #numberOf(id) {
    return `${this.#replica}:${id}`
  }

  /**
   * A question that the client can only be asked by the gateway that it listens to, which may be this one in a moment. A
   * gateway that has ended does not take it.
   */
  async #sendElsewhere(found, question, send) {
    for (const until = Date.now() + TAKE_MS; Date.now() < until; await pause(LOOK_MS, undefined, { ref: false })) {
      if (found.listening > 0) return send(question)
      const number = await this.#sessions.send(found.id, question)
      if (number === undefined) continue
      await pause(TAKE_MS, undefined, { ref: false })
      if (await this.#sessions.takeBack(number)) break
      return undefined
    }
    throw unreachable()
  }

  /**
   * The part of what a client has sent that is for this gateway. Answers to questions of another one are sent there.
   *
   * @param {Found} found
   * @param {any} body
   * @returns {Promise<any>} undefined for nothing
   */
  async forHere({ id }, body) {
    const kept = []
    for (const message of Array.isArray(body) ? body : [body]) {
      const [replica, number] = answeredBy(message)
      if (replica === undefined) kept.push(message)
      else if (replica === this.#replica) kept.push({ ...message, id: Number(number) })
      else await this.#sessions.send(id, message, replica)
    }
    if (Array.isArray(body)) return kept.length === 0 ? undefined : kept
    return kept[0]
  }

  /**
   * A message of another gateway: an answer of the client to a question of this one, or a question to be handed on.
   *
   * @param {Found} found
   * @param {any} message
   * @param {(message: object) => Promise<unknown>} say hands it to the session
   */
  async received(found, message, say) {
    if (message.method !== undefined) {
      // Past the mark: it has that of who asks.
      await Object.getPrototypeOf(found.transport).send.call(found.transport, message)
      return
    }
    const mine = await this.forHere(found, message)
    if (mine !== undefined) await say(mine).catch(() => {})
  }
}

/** Which gateway asked what a client answers, and the number there. @returns {[string, string] | []} */
function answeredBy(message) {
  const isAnswer = message !== null && typeof message === 'object' && message.method === undefined
  if (!isAnswer || typeof message.id !== 'string') return []
  const [, replica, number] = /^([\da-f-]{36}):(\d{1,15})$/.exec(message.id) ?? []
  return replica === undefined ? [] : [replica, number]
}

function unreachable() {
  const message =
    'ERR_CLIENT_UNREACHABLE: the client listens to no gateway that could ask it now; ask in the answer to one of its calls'
  return new ProtocolError(ProtocolErrorCode.InvalidRequest, message, { code: 'ERR_CLIENT_UNREACHABLE' })
}
