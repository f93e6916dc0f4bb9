// The client whose request is being answered, as the rest of the gateway sees it: whatever its era and transport are.

import { randomUUID } from 'node:crypto'

import {
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'

import { ANYTHING } from '../base/raw.mjs'
import { isDeep } from '../base/values.mjs'

/** How long somebody may take to answer what a server wants to know: a person reads, thinks, asks a colleague. */
export const ASK_MS = 10 * 60_000

/**
 * @typedef {import('@modelcontextprotocol/server').ServerContext} Context of a request, as the SDK has it
 * @typedef {Record<string, any>} Params of a request as a client sent it: nothing of it is known
 *
 * @typedef {object} Caller
 * @property {object} peer the same for all requests that are known to be of one client
 * @property {boolean} isModern
 * @property {Record<string, any>} [capabilities] what the client can do, as it said itself
 * @property {string} [logLevel] the least severe message it wants; `none` for none; undefined for any
 * @property {AbortSignal} [signal] aborted when the client takes the request back
 * @property {(progress: object) => void} [progress] for a client that wants to be told
 * @property {(request: { method: string, params?: Params }, signal?: AbortSignal) => Promise<Record<string, unknown>>} ask
 * @property {(params: object) => void} log
 * @property {(notification: object) => void} [tell]
 * @property {object} [retry] a modern client's answers to what a server wanted to know, with that server's state
 */

/** Characters told within one request that may wait for a client that reads slowly; what comes then is left out. */
const MAX_UNREAD = 1_000_000
/** @type {WeakMap<object, number>} how many wait, by what they are told through */
const unread = new WeakMap()

/** Tells a client something, unless it is far behind. @param {object} way @param {(notification: any) => Promise<void>} send */
function telling(way, send) {
  return (notification) => {
    const waiting = unread.get(way) ?? 0
    if (waiting > MAX_UNREAD || isDeep(notification)) return
    const { length } = JSON.stringify(notification)
    unread.set(way, waiting + length)
    const taken = () => void unread.set(way, (unread.get(way) ?? 0) - length)
    void send(notification).then(taken, taken)
  }
}

/** Tells a client of progress under the token that it gave, when it gave one. */
function progressOf(params, notify) {
  const progressToken = params?._meta?.progressToken
  if (progressToken === undefined) return undefined
  return (told) => notify({ method: 'notifications/progress', params: { ...told, progressToken } })
}

/**
 * A request of a client of the older era.
 *
 * @param {{ server: import('@modelcontextprotocol/server').Server, logLevel?: string }} session
 * @param {Context} context
 * @param {Params} [params]
 * @returns {Caller}
 */
export function legacyCaller(session, { mcpReq }, params) {
  const notify = telling(mcpReq, (notification) => mcpReq.notify(notification))
  return {
    ...common(session, (request, options) => mcpReq.send(request, ANYTHING, options), mcpReq.signal),
    signal: mcpReq.signal,
    progress: progressOf(params, notify),
    log: (message) => notify({ method: 'notifications/message', params: message }),
    tell: notify,
  }
}

/** The client of a session outside of its requests. @returns {Caller} */
export function idleCaller(session) {
  const { server } = session
  const notify = telling(server, (notification) => server.notification(notification))
  return {
    ...common(session, (request, options) => server.request(request, ANYTHING, options)),
    log: (params) => notify({ method: 'notifications/message', params }),
    tell: notify,
  }
}

/**
 * A request of a client of the current era. Nothing can be asked in its midst.
 *
 * @param {Context} context
 * @param {Params} [params]
 * @param {object} [peer] the client where it is known to be one; otherwise each request is of its own
 * @returns {Caller}
 */
export function modernCaller({ mcpReq }, params, peer = {}) {
  /** @type {Record<string, any>} what the client sent: the SDK checks none of it */
  const envelope = mcpReq.envelope ?? {}
  const notify = telling(mcpReq, (notification) => mcpReq.notify(notification))
  return {
    peer,
    isModern: true,
    capabilities: envelope[CLIENT_CAPABILITIES_META_KEY],
    logLevel: envelope[LOG_LEVEL_META_KEY] ?? 'none',
    signal: mcpReq.signal,
    progress: progressOf(params, notify),
    log: (message) => notify({ method: 'notifications/message', params: message }),
    ask: async () => {
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, 'the client cannot be asked during this request')
    },
  }
}

function common(session, send, ended) {
  return {
    peer: session,
    isModern: false,
    capabilities: session.server.getClientCapabilities(),
    logLevel: session.logLevel,
    ask: (request, signal) => {
      const signals = [ended, signal].filter(Boolean)
      return send(asLegacy(request), {
        timeout: ASK_MS,
        signal: signals.length > 0 ? AbortSignal.any(signals) : undefined,
      })
    },
  }
}

/** A question as clients of the older era know it. @param {{ method: string, params?: Params }} request */
function asLegacy({ method, params = {} }) {
  const isAddress = method === 'elicitation/create' && params.mode === 'url' && params.elicitationId === undefined
  return { method, params: isAddress ? { ...params, elicitationId: randomUUID() } : params }
}

/** A question as clients of the current era know it. */
export function asModern({ method, params }) {
  if (method !== 'elicitation/create') return Object.keys(params).length === 0 ? { method } : { method, params }
  const { elicitationId, ...rest } = params
  return { method, params: { ...rest, mode: rest.mode ?? 'form' } }
}
