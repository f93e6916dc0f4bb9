// Streamable HTTP for clients on this machine, of both eras of the protocol under one address. Any web page and any
// program here can send requests to a loopback port, so each request must name the right host, come from no foreign page,
// and carry the token.

import { randomBytes } from 'node:crypto'
import http from 'node:http'
import net from 'node:net'
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'

import { invalid, routerError } from '../base/errors.mjs'
import { isOfPage, Page, TICKET } from '../page/page.mjs'
import { ALL, bearerOf, guestOf, pathOf, profileAt } from '../doors/door.mjs'
import { openIssuer } from '../doors/issuer.mjs'
import { AWAY } from '../doors/keys.mjs'
import { flag, integer, known, readToken } from '../base/values.mjs'
import { askedBy } from '../calls/asking.mjs'
import { Rate } from './rate.mjs'
import { answerHealth } from './health.mjs'
import { ANSWERS } from '../login/callback.mjs'
import { refuse } from '../protocol/http-messages.mjs'
import { Served } from './served.mjs'
import { Sockets } from './sockets.mjs'
import { METHOD } from '../protocol/subscriptions.mjs'

/** The path of all servers. A profile is behind it, as `/mcp/work`. */
const PATH = '/mcp'
const LOOPBACK = ['127.0.0.1', '::1']
/** Bytes of the token that is made when none is given. */
const TOKEN_BYTES = 32
/** Requests per second of those without a token from one address, and how many may come in one burst; and from all together. */
const STRANGERS = { perSecond: 100, burst: 400, addresses: 10 }
/** How many requests of a person may come in one burst, by what they may be in a second. */
const PERSONS_BURST = 4
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

/** @param {import('../gateway/gateway.mjs').Gateway} gateway @param {import('../index.d.mts').ListenOptions} options */
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
  /** What answers, by gateway: all of it, and those of profiles. @type {Map<import('../gateway/gateway.mjs').Gateway, Served>} */
  #served = new Map()
  /** Of all with a token together, of one key or person, and of others by address: who floods the port takes nothing from others. */
  #rates
  #sockets
  /** What a person looks at, when it is served. */
  #page
  /** Of tokens that this gateway has not made, where the configuration names one. */
  #issuer
  /** Requests that are being answered, without those that only listen. */
  #underWay = 0
  #isEnding = false
  #closed = false

  constructor(gateway, token, issuer) {
    this.#gateway = gateway
    this.#issuer = issuer
    this.token = token
    const { maxSessions, requestsPerSecond, requestBurst, requestsPerPerson, publicUrl } = gateway.config.settings
    this.#publicOrigin = publicUrl
    if (publicUrl !== undefined) gateway.logins.comeBackTo(publicUrl)
    this.#rates = {
      clients: new Rate(requestsPerSecond, requestBurst),
      persons: new Rate(requestsPerPerson, requestsPerPerson * PERSONS_BURST),
      strangers: new Rate(STRANGERS.perSecond, STRANGERS.burst),
      anybody: new Rate(STRANGERS.perSecond * STRANGERS.addresses, STRANGERS.burst * STRANGERS.addresses),
    }
    this.#sockets = new Sockets(maxSessions * SOCKETS_PER_SESSION)
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
    this.#page ??= new Page(this.#gateway, {
      token: this.token,
      port: this.#port,
      personOf: (token) => this.#personOf(token),
    })
  }

  get sessionCount() {
    return [...this.#served.values()].reduce((sum, { sessionCount }) => sum + sessionCount, 0)
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
    if (this.#sockets.isRefused(request.socket)) {
      response.setHeader('Connection', 'close')
      return refuse(request, response, 503, 'too many new connections; try again', { 'Retry-After': '1' })
    }
    const { host, origin, authorization, 'sec-fetch-site': site } = request.headers
    if (!this.#hosts.includes(host?.toLowerCase()))
      return refuse(request, response, 403, 'this host name is not served')
    const path = pathOf(request.url)
    // The page of a login sends browsers there, from wherever it is. Who has the state of a login may finish it.
    const { publicWay } = this.#gateway.logins
    if (publicWay && path === ANSWERS) {
      if (!(await this.#isTaken(request))) return refuse(request, response, 429, SLOW)
      return publicWay.answer(request, response)
    }
    const isOurs = origin === undefined || this.#origins.includes(origin.toLowerCase())
    // A picture's address sends no origin, but browsers say where the request comes from.
    if (!isOurs || site === 'cross-site' || site === 'same-site') return refuse(request, response, 403, FOREIGN)
    const { profiles } = this.#gateway.config
    const [token, { keys }] = [bearerOf(authorization), this.#gateway]
    const bearer = guestOf(token, this.token, profiles)
    // `npx @zoo-code/tool-router-gateway page` has it served later.
    if (path === TICKET && bearer === ALL && request.method === 'POST') this.servePage()
    const page = isOfPage(path) ? this.#page : undefined
    const visitor = bearer === undefined ? page?.visitorOf(request) : { guest: bearer }
    const known = visitor?.guest ?? (page ? undefined : (keys.known(token) ?? this.#issuer?.known(token)))
    const isGood = known !== undefined || keys.wasGood(token) || this.#issuer?.wasGood(token)
    if (answerHealth(this.#gateway, path, response)) return undefined
    if (!(await (isGood ? this.#rates.clients.take() : this.#isTaken(request))))
      return refuse(request, response, 429, SLOW, { 'Retry-After': '1' })
    if (this.#issuer?.describe(path, this.#publicUrl, response)) return undefined
    const guest = known ?? (page ? undefined : ((await keys.guestOf(token)) ?? (await this.#issuer?.guestOf(token))))
    if (guest === AWAY)
      return refuse(request, response, 503, 'keys cannot be looked up now; try again', { 'Retry-After': '5' })
    const isClient = guest !== undefined
    if (page && (!isClient || this.#sockets.known(request.socket))) return this.#look(page, request, response, visitor)
    if (!isClient) {
      if (token !== '') this.#gateway.activity.knocked()
      const challenge = this.#issuer?.challenge(this.#publicUrl, token !== '') ?? 'Bearer'
      return refuse(request, response, 401, 'the bearer token is missing or wrong', { 'WWW-Authenticate': challenge })
    }
    if (Array.isArray(guest) && guest.length === 0) return refuse(request, response, 403, NO_GROUP)
    if (!this.#sockets.known(request.socket))
      return refuse(request, response, 503, 'too many connections; close some', { 'Retry-After': '1' })
    const profile = profileAt(path, PATH, guest, profiles)
    if (profile === undefined) return refuse(request, response, 404, `nothing is served here; try ${PATH}`)
    const asker =
      bearer === undefined
        ? (keys.askerOf(token) ?? this.#issuer?.askerOf(token))
        : { person: bearer === ALL ? "the gateway's token" : `the token of profile ${bearer}` }
    if (asker?.client !== undefined && !(await this.#rates.persons.take(asker.client)))
      return refuse(request, response, 429, SLOW, { 'Retry-After': '1' })
    return askedBy(asker ?? {}, () => this.#serve(profile, request, response))
  }

  /** Whether the request of a stranger is one of not too many. A proxy says last whom it has it from. */
  async #isTaken({ socket, headers }) {
    const [forwarded] = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .slice(-1)
    const address = (this.#publicOrigin && forwarded.trim().slice(0, 64)) || socket.remoteAddress
    return (await this.#rates.strangers.take(address)) && this.#rates.anybody.take()
  }

  /** Answers a browser. A visit ends with the key that let its person in. */
  async #look(page, request, response, visitor) {
    const { key, person } = visitor ?? {}
    const guest = key === undefined ? visitor?.guest : await this.#gateway.keys.stillOpens(key)
    const still = guest === undefined || guest === AWAY ? undefined : { ...visitor, guest }
    const who = person ?? (guest === ALL ? 'the page' : `the page of profile ${String(guest)}`)
    return askedBy({ person: who }, () => page.answer(request, response, still))
  }

  /** Who comes in by a key, or by a token of the issuer. @param {string} token */
  async #personOf(token) {
    const { keys } = this.#gateway
    const ofKey = await keys.guestOf(token)
    if (ofKey !== undefined && ofKey !== AWAY) {
      const { client, person } = keys.askerOf(token) ?? {}
      return { guest: ofKey, person, key: client }
    }
    const guest = await this.#issuer?.guestOf(token)
    if (guest === undefined || guest === AWAY || guest.length === 0) return undefined
    const { person, end } = this.#issuer?.askerOf(token) ?? {}
    return { guest, person, until: end }
  }

  /** Answers a client that may ask. */
  async #serve(profile, request, response) {
    if (profile === ALL) return this.#of(this.#gateway).answer(request, response)
    try {
      const gateway = await this.#gateway.profiles.of(profile)
      await this.#of(gateway).answer(request, response)
    } catch {
      // What is wrong is in the log, for the owner; a client of one profile is told nothing of it.
      if (response.headersSent) response.destroy()
      else refuse(request, response, 503, 'this profile cannot be served now; try again', { 'Retry-After': '5' })
    }
  }

  /** What answers the clients of a gateway. */
  #of(gateway) {
    const known = this.#served.get(gateway)
    if (known) return known
    const served = new Served(gateway, this.url)
    this.#served.set(gateway, served)
    // One of a profile may end before this does.
    if (gateway !== this.#gateway) gateway.serves({ drain: async () => {}, close: () => this.#end(gateway) })
    return served
  }

  async #end(gateway) {
    const served = this.#served.get(gateway)
    this.#served.delete(gateway)
    await served?.close()
  }

  /** Takes no new connection, and settles when what was asked for is answered. Streams that only listen are not waited for. */
  async drain() {
    // What waits to be accepted is accepted first.
    await turn()
    this.#isEnding = true
    // `close` of HTTP would end each socket over which a request is just arriving.
    net.Server.prototype.close.call(this.#server)
    do await pause(LOOK_MS)
    while (this.#underWay > 0 || [...this.#served.values()].some(({ busy }) => busy))
  }

  /** Ends all sessions and stops listening. Idempotent. */
  async close() {
    if (this.#closed) return
    this.#closed = true
    const stopped = new Promise((resolve) => this.#server.close(resolve))
    await Promise.all([...this.#served.keys()].map((gateway) => this.#end(gateway)))
    this.#page?.close()
    this.#server.closeAllConnections()
    await stopped
  }
}

const FOREIGN =
  'requests of web pages are not served; behind a proxy, set gateway.publicUrl to the address that the browser has'
const SLOW = 'too many requests; slow down'
const NO_GROUP = 'the token is good, but none of its groups opens anything here; ask whoever runs this gateway'
