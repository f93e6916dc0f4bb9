// What a history says by itself, before anything is played: sessions, messages, calls, costs, broken caches. The newest sessions
// are kept to be played; of the others only numbers stay.

import { breaksOf, costOf, providerOf } from './bill.mjs'

/** Different names of tools that are counted: more are no longer a person's servers. */
const MAX_NAMES = 5_000
const OTHERS = 'others'
/** Broken caches that are told with their place. */
const MAX_PLACES = 20

/**
 * @typedef {object} CallCount
 * @property {string} name
 * @property {string} [server]
 * @property {string} [tool]
 * @property {number} count
 *
 * @typedef {{ messages: number, requests: number }} Part
 */

const part = () => ({ messages: 0, requests: 0 })

export class Tally {
  sessions = 0
  subtasks = 0
  /** Sessions of which the transcript says what their requests cost. */
  withCosts = 0
  messages = 0
  requests = 0
  searches = 0
  /** Messages by what followed: a call of a server's tool, only the program's own, none. */
  parts = { server: part(), code: part(), talk: part() }
  bill = { requests: 0, prompt: 0, read: 0, written: 0, output: 0, cost: 0 }
  /** @type {Map<string, { count: number, tokens: number }>} */
  causes = new Map()
  /** @type {(import('./bill.mjs').Break & { file: string })[]} the most expensive */
  breaks = []
  first = Number.POSITIVE_INFINITY
  last = 0
  /** @type {Map<string, CallCount>} */
  #calls = new Map()
  /** @type {import('./told.mjs').Session[]} */
  #newest = []
  #most

  /** @param {{ most: number }} options how many sessions are kept to be played */
  constructor({ most }) {
    this.#most = most
  }

  /** Calls of tools of servers, by name. */
  get calls() {
    return [...this.#calls.values()]
  }

  /** Sessions to be played, the oldest first. */
  get newest() {
    return this.#newest.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))
  }

  /** @param {import('./told.mjs').Session} session */
  add(session) {
    this.sessions += 1
    this.subtasks += Number(session.isSubtask)
    if (session.at !== undefined) {
      this.first = Math.min(this.first, session.at)
      this.last = Math.max(this.last, session.at)
    }
    for (const each of session.told) if (each.kind === 'called' && !each.isOwn) this.#count(each)
    this.#addParts(session)
    this.#addBill(session)
    this.#keep(session)
  }

  /** @param {{ name: string, server?: string, tool?: string }} called */
  #count({ name, server, tool }) {
    const key = JSON.stringify([name, server, tool])
    const known = this.#calls.get(key)
    if (known) known.count += 1
    else if (this.#calls.size < MAX_NAMES || name === OTHERS)
      this.#calls.set(key, { name, ...(tool && { server, tool }), count: 1 })
    else this.#count({ name: OTHERS })
  }

  #addParts({ told }) {
    for (const { said, calls, requests } of messagesOf(told)) {
      if (said === undefined) continue
      const kind = calls.some(({ isOwn }) => !isOwn) ? 'server' : calls.length > 0 ? 'code' : 'talk'
      this.parts[kind].messages += 1
      this.parts[kind].requests += requests.length
      this.messages += 1
      this.searches += calls.filter(({ name }) => /mcp_load$/.test(name)).length
    }
  }

  #addBill(session) {
    const provider = providerOf(session)
    let isKnown = false
    for (const each of session.told) {
      if (each.kind !== 'asked') continue
      this.requests += 1
      const cost = costOf(each, provider)
      if (cost === undefined) continue
      isKnown = true
      const { bill } = this
      bill.requests += 1
      bill.cost += cost
      for (const name of /** @type {const} */ (['read', 'written', 'output'])) bill[name] += each[name]
      bill.prompt += each.prompt ?? 0
    }
    this.withCosts += Number(isKnown)
    for (const broken of breaksOf(session).values()) {
      const cause = this.causes.get(broken.cause) ?? { count: 0, tokens: 0 }
      this.causes.set(broken.cause, { count: cause.count + 1, tokens: cause.tokens + broken.tokens })
      this.breaks.push({ ...broken, file: session.file })
    }
    this.breaks = this.breaks.toSorted((a, b) => b.tokens - a.tokens).slice(0, MAX_PLACES)
  }

  #keep(session) {
    if (this.#most === 0 || !session.told.some((each) => each.kind === 'said' && each.text !== '')) return
    this.#newest.push(session)
    if (this.#newest.length <= this.#most) return
    const oldest = this.#newest.reduce((a, b) => ((b.at ?? 0) < (a.at ?? 0) ? b : a))
    this.#newest.splice(this.#newest.indexOf(oldest), 1)
  }
}

/**
 * What was told, message by message. What stands before the first message has none.
 *
 * @param {import('./told.mjs').Told[]} told
 */
export function messagesOf(told) {
  /** @typedef {{ said?: import('./told.mjs').Said, calls: import('./told.mjs').Called[], requests: import('./told.mjs').Asked[] }} Message */
  /** @type {Message[]} */
  const messages = [{ calls: [], requests: [] }]
  for (const each of told) {
    const now = messages[messages.length - 1]
    if (each.kind === 'said') messages.push({ said: each, calls: [], requests: [] })
    else if (each.kind === 'called') now.calls.push(each)
    else if (each.kind === 'asked') now.requests.push(each)
  }
  return messages.filter(({ said, calls, requests }) => said || calls.length + requests.length > 0)
}
