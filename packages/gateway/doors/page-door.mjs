// Who may see the page. An address that the terminal prints holds a ticket that works once; the token of the gateway or of a
// profile does the same, and so does what opens something to a client: a key, or a token of the issuer. For it a browser gets two things: a cookie that no script reads, and a key that the page sends
// with each request. A browser sends cookies to all ports of this machine, so that the cookie alone opens nothing. The cookie is
// sealed by that token, of a person by that of the gateway: each gateway that has it takes the visits of the others, and who
// changes it ends them.

import { createHash, createHmac, randomBytes } from 'node:crypto'

import { ALL, guestOf, isEqual } from './door.mjs'

/** The header that the key comes in. A form or a link of a foreign page cannot send it. */
const KEY_HEADER = 'x-page-key'
/** How long a ticket waits to be used, and a visit lasts. */
const TICKET_MS = 60 * 60_000
const VISIT_MS = 12 * 60 * 60_000
/** Tickets at most, and visits that were left and are remembered; the oldest makes room. */
const MOST = 32
const MAX_LEFT = 1_000
const BYTES = 32
/** Characters of a cookie, of which browsers keep 4,096: names of profiles are the longest part of it. */
const MAX_COOKIE = 4_000

/**
 * @typedef {string | string[] | typeof ALL} Guest the name of a profile, several of them, or all
 *
 * @typedef {object} Visitor
 * @property {Guest} guest
 * @property {string} [person] who it is, where that is known; nobody who is known changes what others share
 * @property {string} [key] a hash of the key that has let a person in: when that ends, the visit ends
 * @property {number} [until] when what has let a person in ends by itself
 */

export class Door {
  /** @type {Map<string, number>} when each was made, by digest */
  #tickets = new Map()
  /** Seals of visits that were left. @type {Set<string>} */
  #left = new Set()
  #own
  #profiles
  #cookie

  /**
   * @param {string} own the token of the gateway
   * @param {() => Map<string, { token?: string }>} profiles
   * @param {number | string} port a part of the cookie's name: two gateways of one machine do not overwrite each other's
   */
  constructor(own, profiles, port) {
    this.#own = own
    this.#profiles = profiles
    this.#cookie = `zoo-page-${port}`
  }

  /** A ticket for one browser. */
  ticket() {
    const ticket = random()
    this.#tickets.set(digest(ticket).toString('hex'), Date.now())
    keepLast(this.#tickets, MOST)
    return ticket
  }

  /**
   * Lets a browser in.
   *
   * @param {{ ticket?: string, token?: string }} proof
   * @returns {{ guest: Guest, key: string, cookie: string } | undefined} `cookie` for the header
   */
  enter({ ticket, token }) {
    const guest = ticket === undefined ? guestOf(token ?? '', this.#own, this.#profiles()) : this.#take(ticket)
    return guest === undefined ? undefined : this.admit({ guest })
  }

  /**
   * Lets a browser in whose person is known otherwise.
   *
   * @param {Visitor} visitor
   * @returns {{ guest: Guest, key: string, cookie: string } | undefined} `cookie` for the header
   */
  admit({ guest, person, key: by, until = Infinity }) {
    const proof = this.#tokenOf(guest, person)
    if (proof === undefined) return undefined
    const key = random()
    const end = Math.min(Date.now() + VISIT_MS, until)
    const who = person === undefined ? [] : [person, by ?? null]
    const said = [guest === ALL ? null : guest, end, digest(key).toString('base64url'), ...who]
    const visit = Buffer.from(JSON.stringify(said)).toString('base64url')
    const cookie = `${this.#cookie}=${visit}.${sealOf(visit, proof)}; Path=/ui; HttpOnly; SameSite=Strict`
    return { guest, key, cookie }
  }

  /** Who asks; undefined for a stranger. @param {import('node:http').IncomingHttpHeaders} headers @returns {Visitor | undefined} */
  visitorOf(headers) {
    return this.#found(headers)?.visitor
  }

  /** Ends the visit of a browser. @returns {string} the header that has it forget its cookie */
  leave(headers) {
    const { seal } = this.#found(headers) ?? {}
    if (seal !== undefined) this.#left.add(seal)
    keepLast(this.#left, MAX_LEFT)
    return `${this.#cookie}=; Path=/ui; HttpOnly; SameSite=Strict; Max-Age=0`
  }

  /** @param {import('node:http').IncomingHttpHeaders} headers */
  #found({ cookie = '', ...headers }) {
    const key = headers[KEY_HEADER]
    const sent = cookie.split(/;\s*/).find((each) => each.startsWith(`${this.#cookie}=`)) ?? ''
    const [visit = '', seal = ''] = sent.slice(this.#cookie.length + 1).split('.')
    if (typeof key !== 'string' || visit === '' || sent.length > MAX_COOKIE) return undefined
    const [named, end, hash, person, by] = read(visit)
    const guest = named === null ? ALL : named
    const proof = this.#tokenOf(guest, person)
    const isSealed = proof !== undefined && isEqual(seal, sealOf(visit, proof))
    if (!isSealed || Date.now() > end || this.#left.has(seal)) return undefined
    if (!isEqual(digest(key).toString('base64url'), hash)) return undefined
    return { seal, visitor: { guest, ...(person !== undefined && { person }), ...(by && { key: by }) } }
  }

  /** Takes a ticket: it works once. */
  #take(ticket) {
    const id = digest(ticket).toString('hex')
    const madeAt = this.#tickets.get(id)
    this.#tickets.delete(id)
    return madeAt !== undefined && Date.now() - madeAt < TICKET_MS ? ALL : undefined
  }

  /** What a visit is sealed by. */
  #tokenOf(guest, person) {
    return guest === ALL || person !== undefined ? this.#own : this.#profiles().get(guest)?.token
  }
}

/** What a cookie says; nothing of it is believed before its seal is. */
function read(visit) {
  try {
    const said = JSON.parse(Buffer.from(visit, 'base64url').toString())
    return Array.isArray(said) ? said : []
  } catch {
    return []
  }
}

const random = () => randomBytes(BYTES).toString('base64url')
const digest = (text) => createHash('sha256').update(text).digest()
const sealOf = (visit, token) => createHmac('sha256', token).update(`visit of the page ${visit}`).digest('base64url')

/** @param {Map<string, number> | Set<string>} kept @param {number} most */
function keepLast(kept, most) {
  const [oldest] = kept.keys()
  if (kept.size > most) kept.delete(oldest)
}
