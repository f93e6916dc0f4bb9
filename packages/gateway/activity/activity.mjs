// What the page tells about clients: their calls with times and sizes, and what their lists and answers have cost. Nothing
// of arguments and results is kept, and nothing at all before somebody serves the page. Calls are told to whoever keeps an
// audit, which is of servers' tools and of what is refused, and to OpenTelemetry where that is on.

import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import os from 'node:os'
import { performance } from 'node:perf_hooks'

import { stringify } from '@zoo-code/tool-router/exact-json'

import { plain } from '../base/errors.mjs'

/** Calls that are kept. */
const KEPT = 200
/** Characters of a name. */
const NAME = 120
/** How often requests with a token that opens nothing have a row: whoever sends many fills no audit. */
const KNOCKS_MS = 60_000
const REPLICA = `${os.hostname()}/${process.pid}`

/**
 * The parts of a gateway that the page looks at.
 *
 * @typedef {object} Gateway
 * @property {import('../config/read.mjs').Config} config
 * @property {import('../catalogue/catalogue.mjs').Catalogue} catalogue
 * @property {import('@zoo-code/tool-router/internal').ToolRouter} router
 * @property {Activity} activity
 * @property {import('../store/store.mjs').Store} store
 * @property {import('../login/logins.mjs').Logins} logins
 * @property {import('../gateway/profiles.mjs').ProfileGateways} profiles
 * @property {{ reload: () => Promise<object> } | undefined} reloader
 * @property {string} [configFile] where its configuration is
 * @property {{ name: string, version: string }} clientInfo
 * @property {import('../protocol/client-session.mjs').ClientSession[]} sessions
 * @property {number} sessionCount
 * @property {() => { entry: import('../catalogue/catalogue.mjs').Entry, toolName: string }[]} allTools
 * @property {(line: string) => void} log
 *
 * @typedef {object} Call
 * @property {number} number counts up
 * @property {string} id
 * @property {number} at when it began, in milliseconds of the clock
 * @property {string} person who asked, as far as that is known
 * @property {string} replica the gateway: machine and process
 * @property {string} session that of an older client; empty for a request that is of none
 * @property {string} client
 * @property {string} server empty for a tool of the gateway itself
 * @property {string} tool
 * @property {number} ms
 * @property {number} sent bytes of its arguments
 * @property {number} received bytes of its result
 * @property {'begun' | 'ok' | 'error' | 'refused' | 'unavailable' | 'failed'} outcome `error`: the tool says so itself; `begun`: how
 * it ended is not known
 * @property {string} [why] it was not made, or came to nothing; on the page alone
 *
 * @typedef {object} Audit
 * @property {(call: Omit<Call, 'number'>) => Promise<void>} begin settles when it is written, or will be later
 * @property {(call: Omit<Call, 'number'>) => void} record
 *
 * @typedef {{ clientName?: string, auditId?: string }} Asking the session or question that a call is of
 *
 * @typedef {object} Bill what one session has cost, in tokens
 * @property {number} lists how often it has read its list
 * @property {number} listTokens
 * @property {number} answers of the gateway's own tools
 * @property {number} answerTokens
 * @property {number} calls of servers' tools
 */

/** Emits `change` with what has changed: `calls` or `sessions`. */
export class Activity extends EventEmitter {
  #router
  #isOn = false
  #count = 0
  /** @type {Call[]} the oldest first */
  #calls = []
  /** @type {Map<string, number>} when servers have entered their states */
  #since = new Map()
  /** @type {WeakMap<object, Bill>} */
  #bills = new WeakMap()
  /** @type {Set<Promise<void>>} */
  #counting = new Set()

  #audit
  #who
  #telemetry
  /** Requests with a token that opens nothing, of which there is no row yet. */
  #knocks = 0
  #knocking

  /**
   * @param {{ countTokens: (text: string) => Promise<number> }} router
   * @param {{ audit?: Audit, who?: () => string, telemetry?: import('../base/telemetry.mjs').Telemetry }} [told] `who`: the person
   * whose request is being answered
   */
  constructor(router, { audit, who = () => '', telemetry } = {}) {
    super()
    this.setMaxListeners(0) // one per open page, which are bounded elsewhere
    this.#router = router
    this.#audit = audit
    this.#who = who
    this.#telemetry = telemetry
  }

  /** Somebody serves the page: from now on it is counted. */
  begin() {
    this.#isOn = true
  }

  /** A server has entered a state. @param {string} server */
  entered(server) {
    this.#since.set(server, Date.now())
  }

  /** Since when a server is in its state, as far as it is known. @param {string} server */
  since(server) {
    return this.#since.get(server)
  }

  /** The latest first. */
  get calls() {
    return this.#calls.toReversed()
  }

  /** @param {object} desk */
  billOf(desk) {
    const bill = this.#bills.get(desk) ?? { lists: 0, listTokens: 0, answers: 0, answerTokens: 0, calls: 0 }
    this.#bills.set(desk, bill)
    return bill
  }

  /** Tells that the sessions, or what they have, are others now. */
  sessions() {
    this.emit('change', 'sessions')
  }

  /** A list of tools that a client has read. @param {object} desk @param {object[]} tools */
  listed(desk, tools) {
    if (this.#isOn) this.billOf(desk).lists += 1
    this.#charge(desk, 'listTokens', tools)
  }

  /**
   * A call begins.
   *
   * @param {Asking} desk
   * @param {{ server?: string, tool: string, args?: unknown }} called
   * @returns {{ noted: () => Promise<void>, ended: (outcome: Call['outcome'], result?: unknown, why?: string) => void }} `noted` before it is
   * made, for one that does not only read: whatever ends this process, the audit has it. `ended` when it has ended
   */
  began(desk, { server = '', tool, args }) {
    const audit = server === '' ? undefined : this.#audit
    if (!this.#isOn && this.#telemetry === undefined && !audit) return { noted: async () => {}, ended: () => {} }
    const began = this.#by(desk, { server, tool, args })
    const noted = async () => audit?.begin(callOf(began, 'begun'))
    const ended = (outcome, result, why = '') => {
      const call = callOf(began, outcome, result)
      audit?.record(call)
      this.#telemetry?.ended(call)
      if (server === '') this.#charge(desk, 'answerTokens', result)
      if (this.#isOn) this.#show(desk, { ...call, why: plain(why) })
    }
    return { noted, ended }
  }

  #by({ clientName = '', auditId = '' }, called) {
    const whose = { id: randomUUID(), person: this.#who(), session: auditId, client: clientName }
    return { at: Date.now(), begun: performance.now(), ...whose, ...called }
  }

  /** A call of a tool that this client cannot call, or that nobody has. @param {Asking} desk @param {string} tool */
  refused(desk, tool) {
    this.#audit?.record(callOf(this.#by(desk, { server: '', tool }), 'refused'))
  }

  /**
   * A client reads a resource or a prompt.
   *
   * @param {Asking} desk
   * @param {string} tool what it reads, as `resource file:///notes`
   * @returns {(server: string, outcome: Call['outcome'], result?: unknown) => void} told when that has ended
   */
  reads(desk, tool) {
    const began = this.#by(desk, { tool })
    return (server, outcome, result) => this.#audit?.record(callOf({ ...began, server }, outcome, result))
  }

  /** A key has begun to open something, or does not. @param {string} person @param {'ok' | 'refused'} outcome */
  keyed(person, outcome) {
    this.#audit?.record(callOf({ ...this.#by({ clientName: person }, { server: '', tool: 'key' }), person }, outcome))
  }

  /** A request with a token that opens nothing. The first one has a row, and those of each minute after it have one together. */
  knocked() {
    this.#knocks += 1
    if (this.#knocking) return
    this.#tellKnocks()
    this.#knocking = setInterval(() => this.#tellKnocks(), KNOCKS_MS)
    this.#knocking.unref()
  }

  #tellKnocks() {
    if (this.#knocks === 0) {
      clearInterval(this.#knocking)
      this.#knocking = undefined
      return
    }
    const clientName = `${this.#knocks} ${this.#knocks === 1 ? 'request' : 'requests'}`
    this.#knocks = 0
    this.#audit?.record(callOf({ ...this.#by({ clientName }, { server: '', tool: 'token' }), person: '' }, 'refused'))
  }

  /** Somebody has changed what is served. @param {string} clientName by what @param {string} server @param {string} tool as `approve create_issue` */
  acted(clientName, server, tool) {
    this.#audit?.record(callOf(this.#by({ clientName }, { server, tool }), 'ok'))
  }

  #show(desk, call) {
    const bill = this.billOf(desk)
    bill[call.server === '' ? 'answers' : 'calls'] += 1
    this.#count += 1
    this.#calls.push({ number: this.#count, ...call })
    if (this.#calls.length > KEPT) this.#calls.shift()
    this.emit('change', 'calls')
  }

  /** @param {object} desk @param {'listTokens' | 'answerTokens'} part @param {unknown} value */
  #charge(desk, part, value) {
    if (!this.#isOn && this.#telemetry === undefined) return
    const add = (count) => {
      this.#telemetry?.read(part === 'listTokens' ? 'list' : 'answer', count)
      if (!this.#isOn) return
      this.billOf(desk)[part] += count
      this.sessions()
    }
    const counting = this.#router
      .countTokens(stringify(value ?? null))
      .then(add)
      .catch(() => {})
    this.#counting.add(counting)
    void counting.then(() => this.#counting.delete(counting))
  }

  /** Settles when all that was read until now is counted. */
  async counted() {
    if (this.#knocks > 0) this.#tellKnocks()
    clearInterval(this.#knocking)
    await Promise.all(this.#counting)
  }
}

/** @returns {Omit<Call, 'number'>} */
function callOf({ id, at, begun, person, session, client, server, tool, args }, outcome, result) {
  const [shownClient, shownServer, shownTool] = [client, server, tool].map((name) => plain(name, NAME))
  return {
    id,
    at,
    person,
    replica: REPLICA,
    session,
    client: shownClient,
    server: shownServer,
    tool: shownTool,
    ms: performance.now() - begun,
    sent: bytesOf(args),
    received: bytesOf(result),
    outcome,
  }
}

function bytesOf(value) {
  return value === undefined ? 0 : Buffer.byteLength(stringify(value) ?? '')
}
