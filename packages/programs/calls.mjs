// The calls of one program. Each is a call like any other: in scope, of fitting arguments, approved where it destroys; and
// of each it is known whether it was made.

import { asNumbers, withNumbers } from '@zoo-code/tool-router/exact-json'

import { contentOf, errorOf, inexactIn, isDeeper } from './values.mjs'

/** Characters of an error of the host's that a program reads. */
const MAX_OF_ERROR = 4_000

/** Characters of what is looked for in a value, as of a tool's name. */
export const MAX_OF_NEED = 2_400

/** Why a call was not made; its text is for the program. */
export class Refusal extends Error {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message)
    this.code = code
    /** @type {string | undefined} the tool that was to be called */
    this.tool = undefined
  }

  /** An error of a host as a program reads it. */
  static of(error, tool = /** @type {string | undefined} */ (undefined)) {
    const message = String(error?.message ?? error).slice(0, MAX_OF_ERROR)
    const refusal = error instanceof Refusal ? error : new Refusal(String(error?.code ?? 'failed'), message)
    refusal.tool ??= tool
    return refusal
  }
}

/**
 * Whoever has the tools: a session, or a gateway.
 *
 * @typedef {object} Host
 * @property {(server: string, tool: string) => Promise<Found>} resolve throws a {@link Refusal} for what is not in scope
 * @property {(found: Found, args: object) => Promise<object>} check the arguments to send; throws a {@link Refusal}
 * @property {(found: Found, args: object, options: { signal: AbortSignal }) => Promise<unknown>} call
 * @property {(found: Found) => void} used
 * @property {(need: string) => Promise<unknown>} search
 * @property {(name: string) => Promise<unknown>} describe
 * @property {(text: string, need: string) => Promise<unknown>} find
 *
 * @typedef {{ serverName: string, toolName: string, kind: 'read' | 'write' | 'destructive', name?: string }} Found
 */

export class Calls {
  /** @type {import('./index.d.mts').ProgramCall[]} */
  made = []
  #host
  #limits
  #options
  #end
  #running = 0
  #waiting = []
  #approving = Promise.resolve()
  /** @type {Promise<unknown>} */
  #finding = Promise.resolve()
  #stop = new AbortController()

  /**
   * @param {Host} host
   * @param {import('./index.d.mts').Limits} limits
   * @param {{ approve?: Function, progress?: Function, pause: () => (() => void) | undefined }} options
   * @param {(reason: string, message: string) => void} end ends the program
   */
  constructor(host, limits, options, end) {
    this.#host = host
    this.#limits = limits
    this.#options = options
    this.#end = end
  }

  /** Answers one thing that the program asks for. @param {{ what: string, path: string, said?: string }} asked */
  async answer({ what, path, said }) {
    try {
      if (said === undefined) throw this.#tooLong(what)
      return { isAnswer: true, text: this.#bounded(await this.#asked(what, path, said)) }
    } catch (error) {
      const { message, code, tool } = Refusal.of(error)
      return { isAnswer: false, text: JSON.stringify({ message, code, tool }) }
    }
  }

  /** Calls that are under way are told to stop; those that wait are not made. */
  stop() {
    this.#stop.abort()
    for (const { reject } of this.#waiting.splice(0)) reject(new Refusal('ended', 'the program has ended'))
  }

  #bounded(value) {
    // Marks stay: the program reads them as numbers that it passes on unchanged.
    const text = JSON.stringify(asNumbers(value ?? null))
    const { resultCharacters: most } = this.#limits
    if (text.length <= most) return text
    throw new Refusal(
      'result-too-long',
      `it was called; its result has ${text.length} characters, ${most} are the most`,
    )
  }

  #asked(what, path, said) {
    if (what === 'call') return this.#inTurn(path, said)
    return what === 'find' ? this.#find(path, said) : this.#ask(what, JSON.parse(said))
  }

  #tooLong(what) {
    const { argumentCharacters, resultCharacters } = this.#limits
    if (what === 'find') return new Refusal('too-long', `a value has at most ${resultCharacters} characters as JSON`)
    return new Refusal('too-long', `arguments have at most ${argumentCharacters} characters as JSON`)
  }

  /** Looks through one value after the other, as each is held meanwhile. */
  #find(need, said) {
    if (need.trim() === '')
      throw new Refusal(
        'invalid-arguments',
        `tools.find(value, need): expected need as text of 1 to ${MAX_OF_NEED} characters`,
      )
    const found = this.#finding.then(() => {
      if (this.#stop.signal.aborted) throw new Refusal('ended', 'the program has ended')
      const text = withNumbers(said)
      return this.#host.find(text.startsWith('"') ? JSON.parse(text) : text, need)
    })
    this.#finding = found.catch(() => {})
    return found
  }

  async #ask(what, asked) {
    // A search reads what models write in every shape.
    const text = what === 'search' && asked !== null && typeof asked === 'object' ? JSON.stringify(asked) : asked
    if (typeof text !== 'string' || text.trim() === '')
      throw new Refusal(
        'invalid-arguments',
        `tools.${what}: expected text, got ${text === null ? 'null' : typeof text}`,
      )
    return this.#host[what](text)
  }

  async #inTurn(path, said) {
    if (this.#running >= this.#limits.concurrentCalls)
      await new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
    else this.#running += 1
    try {
      return await this.#call(path, said)
    } finally {
      const next = this.#waiting.shift()
      if (next) next.resolve()
      else this.#running -= 1
    }
  }

  async #call(path, said) {
    const [server, tool] = path === '' ? ['', ''] : JSON.parse(path)
    const args = JSON.parse(said)
    const found = await this.#host.resolve(server, tool)
    const call = { serverName: found.serverName, toolName: found.toolName, kind: found.kind, state: 'refused' }
    this.made.push(/** @type {any} */ (call))
    try {
      const sent = await this.#checked(found, args)
      if (this.#stop.signal.aborted) throw new Refusal('ended', 'the program has ended')
      call.state = 'under-way'
      this.#options.progress?.({ calls: this.made.length, tool: idOf(found) })
      const result = await this.#host.call(found, sent, { signal: this.#stop.signal })
      const isError = /** @type {any} */ (result)?.isError === true
      call.state = isError ? 'failed' : 'done'
      if (isError) throw new Refusal('tool-error', errorOf(result))
      this.#host.used(found)
      return contentOf(result)
    } catch (error) {
      // What was taken back, or ended in its midst, may have been done.
      if (call.state === 'under-way' && !this.#stop.signal.aborted) call.state = 'failed'
      throw Refusal.of(error, nameOf(found))
    }
  }

  async #checked(found, args) {
    if (args === null || typeof args !== 'object' || Array.isArray(args))
      throw new Refusal('invalid-arguments', `${nameOf(found)} takes one object of arguments`)
    const { argumentDepth: most } = this.#limits
    if (isDeeper(args, most)) throw new Refusal('too-deep', `arguments have at most ${most} levels`)
    const inexact = inexactIn(args, 'arguments')
    if (inexact !== undefined)
      throw new Refusal(
        'invalid-arguments',
        `${inexact} cannot be carried exactly; nothing was called. Write a whole number beyond 2^53 with an n behind it`,
      )
    const sent = await this.#host.check(found, args)
    if (found.kind === 'destructive') await this.#approved(found, sent)
    return sent
  }

  /** Asks for one call after the other: who is asked reads each of them. */
  #approved(found, args) {
    const asked = this.#approving.then(() => this.#approve(found, args))
    this.#approving = asked.catch(() => {})
    return asked
  }

  async #approve(found, args) {
    const { approve, pause } = this.#options
    const refuse = (why) => {
      this.#end('refused', `${nameOf(found)} may destroy something, and ${why}`)
      throw new Refusal('refused', why)
    }
    if (this.#stop.signal.aborted) throw new Refusal('ended', 'the program has ended')
    if (!approve) return refuse('nobody can be asked from within a program; call it outside of one')
    const resume = pause()
    if (resume === undefined) return refuse('nobody can be asked now: too many programs wait for an answer; try later')
    try {
      const answer = await this.#answered(approve, found, args)
      if (answer === LATE) refuse(`nobody answered within ${this.#limits.askMs} ms`)
      if (typeof answer?.refused === 'string') refuse(answer.refused)
      if (answer !== true) refuse('it was not approved')
    } finally {
      resume()
    }
  }

  /** What is answered, or {@link LATE}: who does not answer keeps no program for ever. */
  async #answered(approve, found, args) {
    const late = new AbortController()
    const signal = AbortSignal.any([this.#stop.signal, late.signal])
    let timer
    const end = new Promise((resolve) => {
      timer = setTimeout(() => resolve(LATE), this.#limits.askMs)
    })
    const asked = (async () => approve({ ...idOf(found), kind: found.kind, arguments: args, signal }))()
    try {
      return await Promise.race([asked.catch(() => false), end])
    } finally {
      clearTimeout(timer)
      late.abort()
    }
  }
}

/** The answer of who gave none; no host can say it. */
const LATE = Symbol('late')

const idOf = ({ serverName, toolName }) => ({ serverName, toolName })
const nameOf = ({ serverName, toolName }) => `${serverName}/${toolName}`
