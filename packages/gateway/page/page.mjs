// The page of a gateway: what it has, on a loopback address. What is served to everybody here holds nothing; what is known
// of servers and clients is told to who came in by the door. GET changes nothing.

import { readFileSync } from 'node:fs'

import { ALL } from '../doors/door.mjs'
import { overview, settings } from './about.mjs'
import { approvals, approve } from './approving.mjs'
import { call } from './calling.mjs'
import { Changes } from './changes.mjs'
import { Door } from '../doors/page-door.mjs'
import { bodyOf, Refused, reply, replyJson } from './replies.mjs'
import { search } from './search.mjs'
import { login, reload, restart, servers } from './servers.mjs'
import { audit, calls, sessions } from './sessions.mjs'
import { switchIt } from './switching.mjs'
import { tool, tools } from './tools.mjs'

const ROOT = '/ui'
/** Where who has the token gets a ticket for a browser. */
export const TICKET = `${ROOT}/ticket`
/** Whose data: that of the guest, or of one profile for who may see all. */
const DATA = /^\/ui(?:\/of\/([^/]+))?\/data\/([a-z]+)$/
/** Characters of an address: a filter and a few names. */
const MAX_ADDRESS = 4_096

const built = (name) => readFileSync(new URL(`built/${name}`, import.meta.url))
/** What everybody gets, by path. */
const FILES = new Map([
  [`${ROOT}/`, { type: 'text/html; charset=utf-8', body: built('page.html') }],
  [`${ROOT}/page.js`, { type: 'text/javascript; charset=utf-8', body: built('page.js') }],
  [`${ROOT}/page.css`, { type: 'text/css; charset=utf-8', body: built('page.css') }],
  [`${ROOT}/icon.svg`, { type: 'image/svg+xml', body: built('icon.svg') }],
])

/** Whether a path is of the page. @param {string | undefined} path */
export const isOfPage = (path) => path === ROOT || path?.startsWith(`${ROOT}/`) === true

/** What can be read, by its name in the address. */
const VIEWS = { overview, servers, tools, tool, sessions, calls, audit, approvals, settings }
/** What can be done. A search is among it: what a person types belongs into no address. */
const ACTS = { approve, call, login, reload, restart, search, switch: switchIt }
/** Acts that change nothing of the gateway; a call has a row of its own. */
const LOOKS = ['call', 'search']
/** What an audit calls an act. @param {string} what @param {Record<string, unknown>} asked */
const actOf = (what, { tool, on }) =>
  [what, ...(typeof on === 'boolean' ? [on ? 'on' : 'off'] : []), ...(typeof tool === 'string' ? [tool] : [])].join(' ')

export class Page {
  #gateway
  #door
  #personOf
  /** By gateway: all of it, and those of profiles. @type {Map<object, Changes>} */
  #changes = new Map()

  /**
   * @param {import('../activity/activity.mjs').Gateway} gateway
   * @param {{ token: string, port: number, personOf: (token: string) => Promise<Visitor | undefined> }} endpoint `personOf`: of a
   * key or a token of the issuer
   */
  constructor(gateway, { token, port, personOf }) {
    this.#gateway = gateway
    this.#personOf = personOf
    const { publicUrl } = gateway.config.settings
    // Behind one address all gateways have one cookie.
    const place = publicUrl === undefined ? port : new URL(publicUrl).port || 443
    this.#door = new Door(token, () => gateway.config.profiles, place)
    this.#changesOf(gateway)
  }

  /** The part of an address that lets one browser in. It stands behind `#`, which no browser sends. */
  entrance() {
    return `${ROOT}/#${this.#door.ticket()}`
  }

  /** Who asks, by cookie and key. @param {import('node:http').IncomingMessage} request */
  visitorOf({ headers }) {
    return this.#door.visitorOf(headers)
  }

  /**
   * @param {import('node:http').IncomingMessage} request whose host and origin were looked at
   * @param {import('node:http').ServerResponse} response
   * @param {Visitor | undefined} visitor undefined for a stranger
   */
  async answer(request, response, visitor) {
    try {
      await this.#answer(request, response, visitor)
    } catch (error) {
      if (response.headersSent) return void response.destroy()
      const { status, message, headers } = error instanceof Refused ? error : failure(error)
      replyJson(response, { error: message }, headers, status)
    }
  }

  async #answer(request, response, visitor) {
    const { method } = request
    if (request.url.length > MAX_ADDRESS) throw new Refused(414, 'the address is too long')
    const { pathname: path, searchParams } = new URL(request.url, 'http://page')
    if (path === ROOT) return this.#static(method, () => reply(response, 308, { Location: `${ROOT}/` }))
    const file = FILES.get(path)
    if (file) return this.#static(method, () => reply(response, 200, { 'Content-Type': file.type }, file.body))
    if (path === `${ROOT}/enter`) return this.#enter(request, response)
    if (visitor === undefined) throw new Refused(401, 'come in by the address that the gateway prints, or with a token')
    if (path === `${ROOT}/leave`) return this.#leave(request, response)
    if (path === TICKET) return this.#giveTicket(request, response, visitor.guest)
    const [, named, what] = DATA.exec(path) ?? []
    if (what === undefined) throw new Refused(404, 'nothing is served here; try /ui/')
    const profile = profileOf(visitor.guest, named, this.#gateway.config.profiles)
    const gateway = profile === ALL ? this.#gateway : await this.#gateway.profiles.of(profile)
    return this.#data(gateway, what, request, response, { searchParams, visitor })
  }

  /** @param {string} method @param {() => void} answer */
  #static(method, answer) {
    if (method !== 'GET' && method !== 'HEAD') throw new Refused(405, 'only GET', { Allow: 'GET, HEAD' })
    answer()
  }

  async #data(gateway, what, request, response, { searchParams, visitor: { guest, person } }) {
    const { method } = request
    // Who is known by name has no more rights here than in a client.
    const canAct = guest === ALL && person === undefined
    const [act, view] = [own(ACTS, what), own(VIEWS, what)]
    const isStream = what === 'events'
    if (!act && !view && !isStream) throw new Refused(404, 'nothing is served here; try /ui/')
    if (method !== (act ? 'POST' : 'GET'))
      throw new Refused(405, `only ${act ? 'POST' : 'GET'}`, { Allow: act ? 'POST' : 'GET' })
    // Of calls that person's own are shown.
    if (person !== undefined && what === 'sessions')
      throw new Refused(403, 'what others did is shown to who comes in by the token of the gateway or of a profile')
    const changes = this.#changesOf(gateway)
    if (isStream) return changes.tell(response)
    if (act) {
      const asked = await bodyOf(request)
      // A profile's servers, logins and approvals are those of others too.
      if (!canAct && !LOOKS.includes(what))
        throw new Refused(403, 'others share these servers; come in by the token of the gateway to change something')
      const done = await act(gateway, asked)
      if (!LOOKS.includes(what)) gateway.activity.acted('page', String(asked.server ?? ''), actOf(what, asked))
      return replyJson(response, done)
    }
    return replyJson(response, await view(gateway, searchParams, { canAct, person }))
  }

  async #enter(request, response) {
    if (request.method !== 'POST') throw new Refused(405, 'only POST', { Allow: 'POST' })
    const { ticket, token } = await bodyOf(request)
    const proof = typeof ticket === 'string' ? { ticket } : { token: typeof token === 'string' ? token : '' }
    const visit = this.#door.enter(proof) ?? (await this.#admitted(proof.token))
    if (!visit)
      throw new Refused(
        401,
        typeof ticket === 'string' ? 'this address was used before, or is too old' : 'this token is not known here',
      )
    const { guest, key, cookie } = visit
    replyJson(response, { key, profile: guest === ALL ? null : [guest].flat().join(', ') }, { 'Set-Cookie': cookie })
  }

  /** @param {string} [token] */
  async #admitted(token = '') {
    const visitor = token === '' ? undefined : await this.#personOf(token)
    return visitor && this.#door.admit(visitor)
  }

  /** Not to a browser that has come in, nor for the token of a profile: a ticket opens the page of all. */
  #giveTicket(request, response, guest) {
    if (request.method !== 'POST') throw new Refused(405, 'only POST', { Allow: 'POST' })
    if (guest !== ALL || this.#door.visitorOf(request.headers) !== undefined)
      throw new Refused(403, 'a ticket is for the bearer token of the gateway')
    replyJson(response, { path: this.entrance() })
  }

  #leave(request, response) {
    if (request.method !== 'POST') throw new Refused(405, 'only POST', { Allow: 'POST' })
    replyJson(response, {}, { 'Set-Cookie': this.#door.leave(request.headers) })
  }

  #changesOf(gateway) {
    const known = this.#changes.get(gateway)
    if (known) return known
    gateway.activity.begin()
    const changes = new Changes(gateway)
    this.#changes.set(gateway, changes)
    const close = async () => {
      changes.close()
      this.#changes.delete(gateway)
    }
    if (gateway !== this.#gateway) gateway.serves({ drain: async () => {}, close })
    return changes
  }

  close() {
    for (const changes of this.#changes.values()) changes.close()
  }
}

/** @typedef {import('../doors/page-door.mjs').Visitor} Visitor */

/** Whose data is asked for. What a guest may not see is not there for it. */
function profileOf(guest, named, profiles) {
  const isThere = (name) => profiles.has(name)
  if (named === undefined && !Array.isArray(guest)) return guest
  const open = [guest].flat().filter(isThere)
  if (named === undefined && open.length > 0) return open
  const name = decoded(named ?? '')
  if (isThere(name) && (guest === ALL || open.includes(name))) return name
  throw new Refused(404, 'nothing is served here; try /ui/')
}

function decoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

function own(table, name) {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

/** Words of this package are told; those of others may repeat what they were given. */
function failure(error) {
  const isOurs = error?.name === 'ToolRouterError'
  return {
    status: isOurs ? 400 : 424,
    message: isOurs ? error.message : 'this cannot be answered now; try again',
    headers: {},
  }
}
