// What a gateway answers over Streamable HTTP, of both eras of the protocol, to who was let in at the door.

import { createMcpHandler, isInitializeRequest, isLegacyRequest } from '@modelcontextprotocol/server'

import { parse } from '@zoo-code/tool-router/exact-json'

import { isDeep, MAX_DEPTH } from '../base/values.mjs'
import { forRequests, requestsOf } from './event-log.mjs'
import { Gate } from '../protocol/gate.mjs'
import { idsOf, readBody, refuse, send, sendElsewhere, sendLost, TooLarge } from '../protocol/http-messages.mjs'
import { AWAY, HttpSessions } from './http-sessions.mjs'
import { METHOD, Subscriptions } from '../protocol/subscriptions.mjs'

export class Served {
  #gateway
  #url
  #sessions
  /** The SDK's side of clients of the current era. */
  #modern
  #subscriptions
  #stopListening

  /** @param {import('../gateway/gateway.mjs').Gateway} gateway @param {string} url of requests, for the SDK */
  constructor(gateway, url) {
    this.#gateway = gateway
    this.#url = url
    this.#sessions = new HttpSessions(gateway)
    this.#subscriptions = new Subscriptions(gateway.passthrough)
    const gate = new Gate()
    this.#modern = createMcpHandler(
      ({ requestInfo }) => gateway.modern.server({ gate, method: requestInfo?.headers.get('mcp-method') ?? undefined }),
      { legacy: 'reject', maxSubscriptions: gateway.config.settings.maxSessions },
    )
    this.#stopListening = gateway.modern.listen(this.#modern.notify)
  }

  /** Sessions of the older era. */
  get sessionCount() {
    return this.#sessions.size
  }

  /** Whether requests of any session are being answered. */
  get busy() {
    return this.#sessions.busy
  }

  /** Answers a client that may ask. */
  async answer(request, response) {
    this.#gateway.catalogue.asked()
    if (request.method === 'POST') return this.#post(request, response)
    if (request.method === 'GET' || request.method === 'DELETE') {
      const { 'last-event-id': event, 'mcp-session-id': id } = request.headers
      const lost = request.method === 'GET' && !this.#sessions.sent(id, String(event)) ? requestsOf(event) : []
      // Who was about to answer these has ended, and nobody makes a call again.
      if (lost.length > 0) return sendLost(lost, response)
      const found = await this.#found(request, response)
      return found && this.#pass(found, this.#webRequest(request, response), response)
    }
    return refuse(request, response, 405, 'only GET, POST and DELETE', { Allow: 'GET, POST, DELETE' })
  }

  /** The session that a request names; undefined after an answer that says why there is none. */
  async #found(request, response) {
    const found = await this.#sessions.find(request.headers['mcp-session-id'])
    if (found === undefined) refuse(request, response, 404, 'no such session; initialize again')
    else if (found === AWAY)
      refuse(request, response, 503, 'sessions cannot be looked up now; try again', { 'Retry-After': '5' })
    else return found
    return undefined
  }

  async #post(request, response) {
    const { maxMessageBytes } = this.#gateway.config.settings
    if (!/^(identity)?$/i.test(request.headers['content-encoding'] ?? ''))
      return refuse(request, response, 415, 'bodies are not compressed here', { 'Accept-Encoding': 'identity' })
    let body
    try {
      body = parse(await readBody(request, maxMessageBytes))
    } catch (error) {
      if (error instanceof TooLarge)
        return refuse(request, response, 413, `a request has at most ${maxMessageBytes} bytes`)
      return refuse(request, response, 400, 'the body is not JSON')
    }
    if (isDeep(body)) return refuse(request, response, 400, `a message has at most ${MAX_DEPTH} levels`)
    const asked = this.#webRequest(request, response)
    // Refused as by a server of the older era alone: a client that can do both goes on with `initialize`.
    const isBoth = this.#gateway.config.settings.era === 'both'
    if (isBoth && !(await isLegacyRequest(asked, body))) return this.#answerModern(asked, response, body)
    if (request.headers['mcp-session-id'] !== undefined) {
      const found = await this.#found(request, response)
      return found && this.#pass(found, asked, response, body)
    }
    if (!isInitializeRequest(body))
      return refuse(request, response, 400, 'a request without a session must be initialize')
    const opened = await this.#sessions.begin(body.params)
    if (!opened) return refuse(request, response, 503, 'too many sessions; end one', { 'Retry-After': '10' })
    await this.#pass(opened, asked, response, body)
    // Refused by the transport, for its headers say: nobody knows this session.
    return response.statusCode < 400 ? undefined : opened.session.close()
  }

  /** A request as the SDK takes it; it is aborted when the client goes away. */
  #webRequest(request, response) {
    const headers = new Headers(Object.entries(request.headers).filter(([, value]) => typeof value === 'string'))
    // The token is for this door only; nothing behind it has a use for it.
    headers.delete('authorization')
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    return new Request(this.#url, { method: request.method, headers, signal: gone.signal })
  }

  /** Hands a request to the transport of its session, and its answer to the client, as it comes. */
  async #pass(found, asked, response, parsedBody) {
    // An event of a session before this one.
    if (!found.log.isOwn(asked.headers.get('last-event-id'))) asked.headers.delete('last-event-id')
    const isListening = asked.method === 'GET'
    found.usedAt = Date.now()
    found.streams += 1
    try {
      const answer = await forRequests(idsOf(parsedBody), () => found.transport.handleRequest(asked, { parsedBody }))
      if (isListening && answer.ok) found.session.listens()
      await send(answer, response)
    } finally {
      found.streams -= 1
      found.usedAt = Date.now()
    }
  }

  /** Answers a request that says all of itself. A stream that it opens is listened to until it ends. */
  async #answerModern(asked, response, parsedBody) {
    const elsewhere = this.#gateway.replica.elsewhere(parsedBody)
    if (elsewhere !== undefined) return sendElsewhere(elsewhere, parsedBody, response)
    const answer = await this.#modern.fetch(asked, { parsedBody })
    const stream = {}
    if (parsedBody?.method === METHOD && answer.ok) this.#subscriptions.begin(stream, parsedBody.params)
    await send(answer, response)
    this.#subscriptions.end(stream)
  }

  async close() {
    this.#stopListening()
    await this.#sessions.close()
    await this.#modern.close()
    this.#subscriptions.close()
  }
}
