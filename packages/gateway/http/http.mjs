// SPDX-License-Identifier: Apache-2.0
//
// Streamable HTTP for clients on this machine, of both eras of the protocol under one address. Any web page and any
// program here can send requests to a loopback port, so each request must name the right host, come from no foreign page,
// and carry the token.

import { randomBytes } from 'node:crypto'
import http from 'node:http'
import net from 'node:net'
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'

import { createMcpHandler, isInitializeRequest, isLegacyRequest } from '@modelcontextprotocol/server'

import { invalid, routerError } from '../base/errors.mjs'
import { isOfPage, Page, TICKET } from '../page/page.mjs'
import { ALL, bearerOf, guestOf, pathOf, profileAt } from '../doors/door.mjs'
import { openIssuer } from '../doors/issuer.mjs'
import { AWAY } from '../doors/keys.mjs'
import { flag, integer, isDeep, known, MAX_DEPTH, readToken } from '../base/values.mjs'
import { askedBy, askerThrough } from '../calls/asking.mjs'
import { Bucket } from './bucket.mjs'
import { forRequests, requestsOf } from './event-log.mjs'
import { Gate } from '../protocol/gate.mjs'
import { answerHealth } from './health.mjs'
import { idsOf, readBody, refuse, send, sendLost, TooLarge } from '../protocol/http-messages.mjs'
import { AWAY as LOST, HttpSessions } from './http-sessions.mjs'
import { Sockets } from './sockets.mjs'
import { METHOD, Subscriptions } from '../protocol/subscriptions.mjs'

/** The path of all servers. A profile is behind it, as `/mcp/work`. */
const PATH = '/mcp'
const LOOPBACK = ['127.0.0.1', '::1']
/** Bytes of the token that is made when none is given. */
const TOKEN_BYTES = 32
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
/** How often it is looked whether all is answered when the gateway ends. A request that is just being sent arrives meanwhile. */
const LOOK_MS = 100
/** Sockets of clients: each session holds one or two, and one for each call under way. */
const SOCKETS_PER_SESSION = 10

/**
 * @param {import('../gateway/gateway.mjs').Gateway} gateway
 * @param {import('../index.d.mts').ListenOptions} options
 * @returns {Promise<HttpEndpoint>}
 */
export async function listenHttp(gateway, { host = '127.0.0.1', port = 0, token, page, ...rest } = {}) {
  known(rest, 'listen', ['host', 'port', 'token', 'page'])
  const address = host === 'localhost' ? '127.0.0.1' : host
  if (!LOOPBACK.includes(address)) throw invalid('listen.host', 'a loopback address (127.0.0.1 or ::1)', host)
  integer(port, 'listen.port', 0, 65_535)
  if (token !== undefined) readToken(token, 'listen.token')
  const issuer = await openIssuer(gateway.config, () => gateway.config.profiles)
  const endpoint = new HttpEndpoint(gateway, token ?? randomBytes(TOKEN_BYTES).toString('base64url'), issuer)
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
  #origins
  /** Of a proxy before it, where the configuration names one. */
  #publicOrigin
  #sessions
  /** Of those with the token, and of all others: a page that floods the port takes nothing from clients. */
  #clients
  #strangers = new Bucket(...STRANGERS)
  #sockets
  /** The SDK's side of clients of the current era. */
  #modern
  #subscriptions
  /** What a person looks at, when it is served. */
  #page
  /** Of tokens that this gateway has not made, where the configuration names one. */
  #issuer
  #stopListening
  /** Requests that are being answered, without those that only listen. */
  #underWay = 0
  #isEnding = false
  #closed = false

  constructor(gateway, token, issuer) {
    this.#gateway = gateway
    this.#issuer = issuer
    this.token = token
    this.#sessions = new HttpSessions(gateway)
    const { maxSessions, requestsPerSecond, requestBurst, publicUrl } = gateway.config.settings
    this.#publicOrigin = publicUrl
    this.#clients = new Bucket(requestsPerSecond, requestBurst)
    this.#sockets = new Sockets(maxSessions * SOCKETS_PER_SESSION)
    this.#subscriptions = new Subscriptions(gateway.passthrough)
    const gate = new Gate()
    this.#modern = createMcpHandler(
      ({ requestInfo }) => gateway.modern.server({ gate, method: requestInfo?.headers.get('mcp-method') ?? undefined }),
      { legacy: 'reject', maxSubscriptions: maxSessions },
    )
    this.#stopListening = gateway.modern.listen(this.#modern.notify)
  }

  get url() {
    return `http://${this.#hosts[0]}${PATH}`
  }

  /** As clients have it. */
  get #publicUrl() {
    return this.#publicOrigin === undefined ? this.url : this.#publicOrigin + PATH
  }

  /** An address that opens the page once; undefined when it is not served. */
  get pageUrl() {
    return this.#page && (this.#publicOrigin ?? `http://${this.#hosts[0]}`) + this.#page.entrance()
  }

  servePage() {
    this.#page ??= new Page(this.#gateway, { token: this.token, port: this.#port })
  }

  get sessionCount() {
    return this.#sessions.size
  }

  async listen(host, port) {
    const server = http.createServer({ connectionsCheckingInterval: HEADERS_MS / 2 }, (request, response) => {
      this.#sockets.asked(request.socket, response)
      void this.#counted(request, () => this.#answer(request, response).catch(() => response.destroy()))
    })
    server.headersTimeout = HEADERS_MS
    server.requestTimeout = ARRIVAL_MS
    server.keepAliveTimeout = KEEP_ALIVE_MS
    server.on('connection', (socket) => this.#sockets.opened(socket))
    this.#server = server
    /** @type {Promise<void>} */
    const listening = new Promise((resolve, reject) => {
      server.once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
        reject(
          routerError(
            'ERR_INVALID_ARGUMENT',
            `listen.port: ${port} is unavailable (${error.code}); choose another, or 0 for any`,
            error,
          ),
        ),
      )
      server.listen({ host, port, exclusive: true }, resolve)
    })
    await listening
    const bound = server.address()
    this.#port = bound !== null && typeof bound === 'object' ? bound.port : port
    // Names by which this machine calls itself; a page that rebinds its own name to 127.0.0.1 sends that name.
    const own = [`${host === '::1' ? '[::1]' : host}:${this.#port}`, `localhost:${this.#port}`]
    const behind = this.#publicOrigin === undefined ? [] : [this.#publicOrigin]
    this.#origins = [...own.map((each) => `http://${each}`), ...behind]
    this.#hosts = [...own, ...behind.map((each) => new URL(each).host)]
  }

  async #counted(request, answer) {
    const isListening = request.method === 'GET' || request.headers['mcp-method'] === METHOD
    if (!isListening) this.#underWay += 1
    await answer()
    if (!isListening) this.#underWay -= 1
  }

  async #answer(request, response) {
    if (this.#isEnding) response.setHeader('Connection', 'close')
    response.setHeader('Cache-Control', 'no-store')
    response.setHeader('X-Content-Type-Options', 'nosniff')
    const { host, origin, authorization, 'sec-fetch-site': site } = request.headers
    if (!this.#hosts.includes(host?.toLowerCase()))
      return refuse(request, response, 403, 'this host name is not served')
    const isOurs = origin === undefined || this.#origins.includes(origin.toLowerCase())
    // A picture's address sends no origin, but browsers say where the request comes from.
    if (!isOurs || site === 'cross-site' || site === 'same-site') return refuse(request, response, 403, FOREIGN)
    const { profiles } = this.#gateway.config
    const path = pathOf(request.url)
    const [token, { keys }] = [bearerOf(authorization), this.#gateway]
    const bearer = guestOf(token, this.token, profiles)
    // `npx @zoo-code/tool-router-gateway page` has it served later.
    if (path === TICKET && bearer === ALL && request.method === 'POST') this.servePage()
    const page = isOfPage(path) ? this.#page : undefined
    // Keys of clients and tokens of the issuer do not open the page.
    const known = bearer ?? (page ? page.guestOf(request) : (keys.known(token) ?? this.#issuer?.known(token)))
    const bucket = known === undefined ? this.#strangers : this.#clients
    if (answerHealth(this.#gateway, path, response)) return undefined
    if (!bucket.take()) return refuse(request, response, 429, 'too many requests; slow down', { 'Retry-After': '1' })
    if (this.#issuer?.describe(path, this.#publicUrl, response)) return undefined
    const guest = known ?? (page ? undefined : ((await keys.guestOf(token)) ?? (await this.#issuer?.guestOf(token))))
    if (guest === AWAY)
      return refuse(request, response, 503, 'keys cannot be looked up now; try again', { 'Retry-After': '5' })
    const isClient = guest !== undefined
    if (page && (!isClient || this.#sockets.known(request.socket))) {
      const person = guest === ALL ? 'the page' : `the page of profile ${String(guest)}`
      return askedBy({ person }, () => page.answer(request, response, guest))
    }
    if (!isClient) {
      const challenge = this.#issuer?.challenge(this.#publicUrl, token !== '') ?? 'Bearer'
      return refuse(request, response, 401, 'the bearer token is missing or wrong', { 'WWW-Authenticate': challenge })
    }
    if (Array.isArray(guest) && guest.length === 0) return refuse(request, response, 403, NO_GROUP)
    if (!this.#sockets.known(request.socket))
      return refuse(request, response, 503, 'too many connections; close some', { 'Retry-After': '1' })
    const profile = profileAt(path, PATH, guest, profiles)
    if (profile === undefined) return refuse(request, response, 404, `nothing is served here; try ${PATH}`)
    const asker =
      bearer === undefined ? (keys.askerOf(token) ?? this.#issuer?.askerOf(token)) : askerThrough(request, bearer)
    return askedBy(asker ?? {}, () => this.#serve(profile, request, response))
  }

  /** Answers a client that may ask. */
  async #serve(profile, request, response) {
    if (profile !== ALL) return this.#passOn(profile, request, response)
    this.#gateway.catalogue.asked()
    if (request.method === 'POST') return this.#post(request, response)
    if (request.method === 'GET' || request.method === 'DELETE') {
      const found = await this.#found(request, response)
      return found && this.#pass(found, this.#webRequest(request, response), response)
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

  /** The session that a request names; undefined after an answer that says why there is none. */
  async #found(request, response) {
    const found = await this.#sessions.find(request.headers['mcp-session-id'])
    if (found === undefined) refuse(request, response, 404, 'no such session; initialize again')
    else if (found === LOST)
      refuse(request, response, 503, 'sessions cannot be looked up now; try again', { 'Retry-After': '5' })
    else if (found === 'full') refuse(request, response, 503, FULL, { 'Retry-After': '10' })
    else return found
    return undefined
  }

  async #post(request, response) {
    const { maxMessageBytes } = this.#gateway.config.settings
    if (!/^(identity)?$/i.test(request.headers['content-encoding'] ?? ''))
      return refuse(request, response, 415, 'bodies are not compressed here', { 'Accept-Encoding': 'identity' })
    let body
    try {
      body = JSON.parse(await readBody(request, maxMessageBytes))
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
    const opened = await this.#sessions.begin()
    if (!opened) return refuse(request, response, 503, FULL, { 'Retry-After': '10' })
    await this.#sessions.begun(opened, body.params)
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
    return new Request(this.url, { method: request.method, headers, signal: gone.signal })
  }

  /** Hands a request to the transport of its session, and its answer to the client, as it comes. */
  async #pass(found, asked, response, body) {
    const parsedBody = body === undefined ? undefined : await this.#sessions.forHere(found, body)
    if (body !== undefined && parsedBody === undefined) return void response.writeHead(202).end()
    const eventId = asked.headers.get('last-event-id')
    if (eventId !== null && !found.log.isOwn(eventId)) {
      const lost = requestsOf(eventId)
      if (lost.length > 0) return sendLost(lost, response)
      asked.headers.delete('last-event-id')
    }
    const isListening = asked.method === 'GET'
    found.usedAt = Date.now()
    found.streams += 1
    try {
      const answer = await forRequests(idsOf(parsedBody), () => found.transport.handleRequest(asked, { parsedBody }))
      if (isListening && answer.ok) await this.#sessions.listens(found, 1)
      await send(answer, response)
      if (isListening && answer.ok) await this.#sessions.listens(found, -1)
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

  /** Takes no new connection, and settles when what was asked for is answered. Streams that only listen are not waited for. */
  async drain() {
    // What waits to be accepted is accepted first.
    await turn()
    this.#isEnding = true
    // `close` of HTTP would end each socket over which a request is just arriving.
    net.Server.prototype.close.call(this.#server)
    do await pause(LOOK_MS)
    while (this.#underWay > 0 || this.#sessions.busy)
  }

  /** Ends all sessions and stops listening. Idempotent. */
  async close() {
    if (this.#closed) return
    this.#closed = true
    const stopped = new Promise((resolve) => this.#server.close(resolve))
    this.#stopListening()
    await this.#sessions.close()
    await this.#modern.close()
    this.#subscriptions.close()
    this.#page?.close()
    this.#server.closeAllConnections()
    await stopped
  }
}

const FOREIGN =
  'requests of web pages are not served; behind a proxy, set gateway.publicUrl to the address that the browser has'
const FULL = 'too many sessions; end one'
const NO_GROUP = 'the token is good, but none of its groups opens anything here; ask whoever runs this gateway'
