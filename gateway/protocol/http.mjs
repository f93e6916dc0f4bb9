// SPDX-License-Identifier: Apache-2.0
//
// Streamable HTTP for clients on this machine, of both eras of the protocol under one address. Any web page and any
// program here can send requests to a loopback port, so each request must name the right host, come from no foreign page,
// and carry the token.

// @ts-nocheck

import { randomBytes, randomUUID } from 'node:crypto'
import http from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'

import { invalid, routerError } from '../errors.mjs'
import { isOfPage, Page, TICKET } from '../page/page.mjs'
import { ALL, bearerOf, guestOf, pathOf, profileAt } from '../profiles/door.mjs'
import { AWAY } from '../profiles/keys.mjs'
import { flag, integer, isDeep, known, MAX_DEPTH, readToken } from '../values.mjs'
import { Bucket } from './bucket.mjs'
import { ClientSession } from './client-session.mjs'
import { EventLog } from './event-log.mjs'
import { Gate } from './gate.mjs'
import { answerHealth } from './health.mjs'
import { Sockets } from './sockets.mjs'
import { METHOD, Subscriptions } from './subscriptions.mjs'

/** The path of all servers. A profile is behind it, as `/mcp/work`. */
const PATH = '/mcp'
const LOOPBACK = ['127.0.0.1', '::1']
/** Bytes of the token that is made when none is given. */
const TOKEN_BYTES = 32
/** How much of a body that is too large is still read, in parts of what is allowed: who sends it then hears why. */
const DRAINED = 4
/** Requests per second of those without the token, together, and how many may come in one burst. */
const STRANGERS = [100, 400]
/** How long a request may take to arrive, and to send its headers. */
const ARRIVAL_MS = 30_000
const HEADERS_MS = 10_000
/**
 * How long a socket stays open between two requests. Longer than clients keep one (httpx 5 s), so that the client ends it:
 * where the server does, a request that is just being sent is lost.
 */
const KEEP_ALIVE_MS = 60_000
/** Sockets of clients: each session holds one or two, and one for each call under way. */
const SOCKETS_PER_SESSION = 10
/** When a client may come back to a stream that broke. */
const RETRY_MS = 1_000
/** How often silent sessions are looked for, at most. */
const SWEEP_MS = 30_000

/**
 * @param {import('../index.mjs').Gateway} gateway
 * @param {import('../index.d.mts').ListenOptions} options
 * @returns {Promise<HttpEndpoint>}
 */
export async function listenHttp(gateway, { host = '127.0.0.1', port = 0, token, page, ...rest } = {}) {
  known(rest, 'listen', ['host', 'port', 'token', 'page'])
  const address = host === 'localhost' ? '127.0.0.1' : host
  if (!LOOPBACK.includes(address)) throw invalid('listen.host', 'a loopback address (127.0.0.1 or ::1)', host)
  integer(port, 'listen.port', 0, 65_535)
  if (token !== undefined) readToken(token, 'listen.token')
  const endpoint = new HttpEndpoint(gateway, token ?? randomBytes(TOKEN_BYTES).toString('base64url'))
  await endpoint.listen(address, port)
  if (flag(page, 'listen.page')) endpoint.servePage()
  return endpoint
}

export class HttpEndpoint {
  /** What clients send as `Authorization: Bearer …`. */
  token
  #gateway
  #server
  #port
  #hosts
  /** `{ session, transport, usedAt, streams }` by session id. */
  #sessions = new Map()
  #opening = 0
  /** Of those with the token, and of all others: a page that floods the port takes nothing from clients. */
  #clients
  #strangers = new Bucket(...STRANGERS)
  #sockets
  /** The SDK's side of clients of the current era. */
  #modern
  #subscriptions
  /** What a person looks at, when it is served. */
  #page
  #stopListening
  #sweep
  #closed = false

  constructor(gateway, token) {
    this.#gateway = gateway
    this.token = token
    const { maxSessions, requestsPerSecond, requestBurst } = gateway.config.settings
    this.#clients = new Bucket(requestsPerSecond, requestBurst)
    this.#sockets = new Sockets(maxSessions * SOCKETS_PER_SESSION)
    this.#subscriptions = new Subscriptions(gateway.passthrough)
    const gate = new Gate()
    this.#modern = createMcpHandler(
      ({ requestInfo }) => gateway.modern.server({ gate, method: requestInfo.headers.get('mcp-method') }),
      { legacy: 'reject', maxSubscriptions: maxSessions },
    )
    this.#stopListening = gateway.modern.listen(this.#modern.notify)
  }

  get url() {
    return `http://${this.#hosts[0]}${PATH}`
  }

  /** An address that opens the page once; undefined when it is not served. */
  get pageUrl() {
    return this.#page && `http://${this.#hosts[0]}${this.#page.entrance()}`
  }

  servePage() {
    this.#page ??= new Page(this.#gateway, { token: this.token, port: this.#port })
  }

  get sessionCount() {
    return this.#sessions.size
  }

  async listen(host, port) {
    const { sessionIdleMs } = this.#gateway.config.settings
    const server = http.createServer({ connectionsCheckingInterval: HEADERS_MS / 2 }, (request, response) => {
      this.#answer(request, response).catch(() => response.destroy())
    })
    server.headersTimeout = HEADERS_MS
    server.requestTimeout = ARRIVAL_MS
    server.keepAliveTimeout = KEEP_ALIVE_MS
    server.on('connection', (socket) => this.#sockets.opened(socket))
    this.#server = server
    await new Promise((resolve, reject) => {
      server.once('error', (error) =>
        reject(
          routerError(
            'ERR_INVALID_ARGUMENT',
            `listen.port: ${port} cannot be had (${error.code}); choose another, or 0 for any`,
            error,
          ),
        ),
      )
      server.listen({ host, port, exclusive: true }, resolve)
    })
    this.#port = server.address().port
    // Names by which this machine calls itself; a page that rebinds its own name to 127.0.0.1 sends that name.
    this.#hosts = [`${host === '::1' ? '[::1]' : host}:${this.#port}`, `localhost:${this.#port}`]
    this.#sweep = setInterval(() => this.#endSilent(sessionIdleMs), Math.min(SWEEP_MS, sessionIdleMs / 2))
    this.#sweep.unref()
  }

  async #answer(request, response) {
    response.setHeader('Cache-Control', 'no-store')
    response.setHeader('X-Content-Type-Options', 'nosniff')
    const { host, origin, authorization, 'sec-fetch-site': site } = request.headers
    if (!this.#hosts.includes(host?.toLowerCase()))
      return refuse(request, response, 403, 'this host name is not served')
    const isOurs = origin === undefined || this.#hosts.some((own) => origin.toLowerCase() === `http://${own}`)
    // A picture's address sends no origin, but browsers say where the request comes from.
    if (!isOurs || site === 'cross-site' || site === 'same-site') {
      return refuse(request, response, 403, 'requests of web pages are not served')
    }
    const { profiles } = this.#gateway.config
    const path = pathOf(request.url)
    const [token, { keys }] = [bearerOf(authorization), this.#gateway]
    const bearer = guestOf(token, this.token, profiles)
    // `zoo-tool-router page` has it served later.
    if (path === TICKET && bearer === ALL && request.method === 'POST') this.servePage()
    const page = isOfPage(path) ? this.#page : undefined
    // Keys of clients do not open the page.
    const known = bearer ?? (page ? page.guestOf(request) : keys.known(token))
    const bucket = known === undefined ? this.#strangers : this.#clients
    if (!bucket.take()) return refuse(request, response, 429, 'too many requests; slow down', { 'Retry-After': '1' })
    if (answerHealth(this.#gateway, path, response)) return undefined
    const guest = known ?? (page ? undefined : await keys.guestOf(token))
    if (guest === AWAY)
      return refuse(request, response, 503, 'keys cannot be looked up now; try again', { 'Retry-After': '5' })
    const isClient = guest !== undefined
    if (page && (!isClient || this.#sockets.known(request.socket))) return page.answer(request, response, guest)
    if (!isClient) {
      return refuse(request, response, 401, 'the bearer token is missing or wrong', { 'WWW-Authenticate': 'Bearer' })
    }
    if (!this.#sockets.known(request.socket))
      return refuse(request, response, 503, 'too many connections; close some', { 'Retry-After': '1' })
    const profile = profileAt(path, PATH, guest, profiles)
    if (profile === undefined) return refuse(request, response, 404, `nothing is served here; try ${PATH}`)
    if (profile !== ALL) return this.#passOn(profile, request, response)
    this.#gateway.catalogue.asked()
    if (request.method === 'POST') return this.#post(request, response)
    if (request.method === 'GET' || request.method === 'DELETE') {
      const found = this.#found(request)
      return found
        ? this.#pass(found, this.#webRequest(request, response), response)
        : refuse(request, response, 404, 'no such session; initialize again')
    }
    return refuse(request, response, 405, 'only GET, POST and DELETE', { Allow: 'GET, POST, DELETE' })
  }

  async #passOn(profile, request, response) {
    try {
      await this.#gateway.profiles.pass(profile, request, response)
    } catch {
      // What is wrong is in the log, for the owner; a client of one profile is told nothing of it.
      if (response.headersSent) response.destroy()
      else refuse(request, response, 502, 'this profile cannot be served now; try again', { 'Retry-After': '5' })
    }
  }

  #found(request) {
    return this.#sessions.get(request.headers['mcp-session-id'])
  }

  async #post(request, response) {
    const { maxMessageBytes } = this.#gateway.config.settings
    let body
    try {
      body = JSON.parse(await readBody(request, maxMessageBytes))
    } catch (error) {
      if (error instanceof TooLarge)
        return refuse(request, response, 413, `a request has at most ${maxMessageBytes} bytes`)
      return refuse(request, response, 400, 'the body is no JSON')
    }
    if (isDeep(body)) return refuse(request, response, 400, `a message has at most ${MAX_DEPTH} levels`)
    const asked = this.#webRequest(request, response)
    // Refused as by a server of the older era alone: a client that can do both goes on with `initialize`.
    const isBoth = this.#gateway.config.settings.era === 'both'
    if (isBoth && !(await isLegacyRequest(asked, body))) return this.#answerModern(asked, response, body)
    if (request.headers['mcp-session-id'] !== undefined) {
      const found = this.#found(request)
      return found
        ? this.#pass(found, asked, response, body)
        : refuse(request, response, 404, 'no such session; initialize again')
    }
    if (!isInitializeRequest(body))
      return refuse(request, response, 400, 'a request without a session must be initialize')
    const opened = await this.#open()
    if (!opened) return refuse(request, response, 503, 'too many sessions; end one', { 'Retry-After': '10' })
    await this.#pass(opened, asked, response, body)
    // Refused by the transport, for its headers say: nobody knows this session.
    return response.statusCode < 400 ? undefined : opened.session.close()
  }

  /** A new session; undefined when there are too many and none of them is idle. */
  async #open() {
    const { maxSessions } = this.#gateway.config.settings
    if (this.#sessions.size + this.#opening >= maxSessions) {
      // The one that was silent longest; a client that still wants it is told 404 and initializes again.
      const [silent] = [...this.#sessions.values()].filter(idle).toSorted((a, b) => a.usedAt - b.usedAt)
      if (!silent) return undefined
      await silent.session.close()
    }
    this.#opening += 1
    try {
      const found = { usedAt: Date.now(), streams: 0 }
      const id = randomUUID()
      found.transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => id,
        eventStore: new EventLog(),
        retryInterval: RETRY_MS,
      })
      found.session = await this.#session(found.transport)
      const { onclose } = found.transport
      found.transport.onclose = () => {
        this.#sessions.delete(id)
        onclose?.()
      }
      this.#sessions.set(id, found)
      return found
    } finally {
      this.#opening -= 1
    }
  }

  async #session(transport) {
    const session = new ClientSession(this.#gateway)
    this.#gateway.began(session)
    try {
      await session.prepare()
      await session.server.connect(transport)
      return session
    } catch (error) {
      await session.close()
      throw error
    }
  }

  /** A request as the SDK takes it; it is aborted when the client goes away. */
  #webRequest(request, response) {
    const headers = new Headers(Object.entries(request.headers).filter(([, value]) => typeof value === 'string'))
    // The token is for this door only; nothing behind it has a use for it.
    headers.delete('authorization')
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    return new Request(this.url, { method: request.method, headers, signal: gone.signal })
  }

  /** Hands a request to the transport of its session, and its answer to the client, as it comes. */
  async #pass(found, asked, response, parsedBody) {
    found.usedAt = Date.now()
    found.streams += 1
    try {
      const answer = await found.transport.handleRequest(asked, { parsedBody })
      if (asked.method === 'GET' && answer.ok) found.session.listens()
      await send(answer, response)
    } finally {
      found.streams -= 1
      found.usedAt = Date.now()
    }
  }

  /** Answers a request that says all of itself. A stream that it opens is listened to until it ends. */
  async #answerModern(asked, response, parsedBody) {
    const answer = await this.#modern.fetch(asked, { parsedBody })
    const stream = {}
    if (parsedBody?.method === METHOD && answer.ok) this.#subscriptions.begin(stream, parsedBody.params)
    await send(answer, response)
    this.#subscriptions.end(stream)
  }

  #endSilent(sessionIdleMs) {
    for (const found of this.#sessions.values()) {
      if (idle(found) && Date.now() - found.usedAt > sessionIdleMs) void found.session.close()
    }
  }

  /** Ends all sessions and stops listening. Idempotent. */
  async close() {
    if (this.#closed) return
    this.#closed = true
    clearInterval(this.#sweep)
    const stopped = new Promise((resolve) => this.#server.close(resolve))
    this.#stopListening()
    await Promise.all([...this.#sessions.values()].map(({ session }) => session.close()))
    await this.#modern.close()
    this.#subscriptions.close()
    this.#page?.close()
    this.#server.closeAllConnections()
    await stopped
  }
}

class TooLarge extends Error {}

/** Sends an answer of the SDK as it comes. */
async function send(answer, response) {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.flushHeaders()
  if (answer.body === null) return void response.end()
  // A client that goes away ends the pipeline, and that cancels the stream.
  await pipeline(Readable.fromWeb(answer.body), response).catch(() => {})
}

/** Nothing of it is open and no answer is under way. */
function idle({ streams, session }) {
  return streams === 0 && !session.busy
}

/**
 * Reads a body. One that is too large is read on for a while and dropped: an answer before the end of what is being
 * sent would reach few clients.
 */
async function readBody(request, maxBytes) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes <= maxBytes) chunks.push(chunk)
    else chunks.length = 0
    if (bytes > maxBytes * DRAINED) break
  }
  if (bytes > maxBytes) throw new TooLarge()
  return Buffer.concat(chunks).toString('utf8')
}

/** Refuses a request; what is still to come of it is not waited for. Nothing of it is repeated in the answer. */
function refuse(request, response, status, message, headers = {}) {
  const code = status === 404 ? -32001 : -32000
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null })
  const arrived = request.complete || request.method === 'GET' || request.method === 'DELETE'
  response.writeHead(status, {
    'Content-Type': 'application/json',
    ...headers,
    ...(!arrived && { Connection: 'close' }),
  })
  response.end(body)
}
