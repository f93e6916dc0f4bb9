// Who may see the page. An address that the terminal prints holds a ticket that works once; the token of the gateway or of a
// profile does the same. For it a browser gets two things: a cookie that no script reads, and a key that the page sends
// with each request. A browser sends cookies to all ports of this machine, so that the cookie alone opens nothing.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

import { ALL, guestOf } from './door.mjs'

/** The header that the key comes in. A form or a link of a foreign page cannot send it. */
export const KEY_HEADER = 'x-page-key'
/** How long a ticket waits to be used, and a browser to be seen again. */
const TICKET_MS = 60 * 60_000
const IDLE_MS = 12 * 60 * 60_000
/** Tickets and browsers at most; the oldest makes room, and of browsers that of the guest who has most: one profile puts out itself. */
const MOST = 32
const BYTES = 32

/**
 * @typedef {string | typeof ALL} Guest the name of a profile, or all
 *
 * @typedef {object} Visit a browser that has come in
 * @property {Guest} guest
 * @property {string} token that it came in by, which may have changed since
 * @property {Buffer} key as a digest
 * @property {number} usedAt
 */

export class Door {
  /** @type {Map<string, number>} when each was made, by digest */
  #tickets = new Map()
  /** @type {Map<string, Visit>} by digest of the cookie */
  #visits = new Map()
  #own
  #profiles
  #cookie

  /**
   * @param {string} own the token of the gateway
   * @param {() => Map<string, { token?: string }>} profiles
   * @param {number} port a part of the cookie's name: two gateways of one machine do not overwrite each other's
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
    keepLast(this.#tickets)
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
    const proof = guest === undefined ? undefined : this.#tokenOf(guest)
    if (guest === undefined || proof === undefined) return undefined
    const [id, key] = [random(), random()]
    this.#visits.set(digest(id).toString('hex'), { guest, token: proof, key: digest(key), usedAt: Date.now() })
    keepLast(this.#visits, ({ guest: other }) => other)
    return { guest, key, cookie: `${this.#cookie}=${id}; Path=/ui; HttpOnly; SameSite=Strict` }
  }

  /** Who asks; undefined for a stranger. @param {import('node:http').IncomingHttpHeaders} headers */
  guestOf(headers) {
    const [, visit] = this.#found(headers) ?? []
    if (visit) visit.usedAt = Date.now()
    return visit?.guest
  }

  /** Forgets a browser. @returns {string} the header that has it forget its cookie */
  leave(headers) {
    const [id] = this.#found(headers) ?? []
    if (id !== undefined) this.#visits.delete(id)
    return `${this.#cookie}=; Path=/ui; HttpOnly; SameSite=Strict; Max-Age=0`
  }

  /** @param {import('node:http').IncomingHttpHeaders} headers @returns {[string, Visit] | undefined} */
  #found({ cookie = '', ...headers }) {
    const key = headers[KEY_HEADER]
    const sent = cookie.split(/;\s*/).find((each) => each.startsWith(`${this.#cookie}=`))
    const id = digest(sent?.slice(this.#cookie.length + 1) ?? '').toString('hex')
    const visit = this.#visits.get(id)
    if (!visit || typeof key !== 'string') return undefined
    const isOver = Date.now() - visit.usedAt > IDLE_MS || this.#tokenOf(visit.guest) !== visit.token
    if (isOver) this.#visits.delete(id)
    return !isOver && timingSafeEqual(digest(key), visit.key) ? [id, visit] : undefined
  }

  /** Takes a ticket: it works once. */
  #take(ticket) {
    const id = digest(ticket).toString('hex')
    const madeAt = this.#tickets.get(id)
    this.#tickets.delete(id)
    return madeAt !== undefined && Date.now() - madeAt < TICKET_MS ? ALL : undefined
  }

  #tokenOf(guest) {
    return guest === ALL ? this.#own : this.#profiles().get(guest)?.token
  }
}

const random = () => randomBytes(BYTES).toString('base64url')
const digest = (text) => createHash('sha256').update(text).digest()

/** @template T @param {Map<string, T>} map @param {(each: T) => unknown} [ofWhom] */
function keepLast(map, ofWhom = () => '') {
  if (map.size <= MOST) return
  const counts = new Map()
  for (const each of map.values()) counts.set(ofWhom(each), (counts.get(ofWhom(each)) ?? 0) + 1)
  const most = Math.max(...counts.values())
  const [oldest] = [...map].find(([, each]) => counts.get(ofWhom(each)) === most) ?? []
  if (oldest !== undefined) map.delete(oldest)
}
