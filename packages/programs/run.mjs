// One program, from its start to its end: its thread, its time, and what of it reaches the model.

import { performance } from 'node:perf_hooks'

import { MARK } from '@zoo-code/tool-router/exact-json'

import { Calls, MAX_OF_NEED } from './calls.mjs'
import { MAX_OF_CODE } from './limits.mjs'
import { ask, end, give, take } from './pool.mjs'
import { messageOf } from './report.mjs'

/** How much longer than it may compute a thread is waited for, that should have stopped by itself. */
const GRACE_MS = 2_000
/** Characters of a search or of a name, of an error, and of a server's and a tool's names. */
const SIZES = { search: 32_768, describe: 2_400, threw: 16_000, path: MAX_OF_NEED }
/** Characters of what a program returns that are kept for the host, or held; longer ones are not even copied. */
const MAX_RETURNED = 8_388_608

let count = 0

/**
 * Runs a program against a host.
 *
 * @param {string} code
 * @param {import('./calls.mjs').Host} host
 * @param {{ limits: import('./index.d.mts').Limits, signal?: AbortSignal, approve?: Function, progress?: Function, parameters?: string,
 *   client: object }} options `client` is whose program it is
 * @returns {Promise<import('./index.d.mts').ProgramResult>}
 */
export async function runCode(code, host, options) {
  const run = new Run(host, options)
  if (code.length > MAX_OF_CODE) return run.ended('too-long', { most: MAX_OF_CODE, size: code.length })
  if (options.signal?.aborted) return run.ended('cancelled')
  return run.start(await take(options.client), code)
}

class Run {
  #id
  #calls
  #limits
  #options
  #thread
  #printed = ''
  /** The computing that it has used, and what is left of its time, which stands still while a person is asked. */
  #clock = {
    spentMs: 0,
    startedAt: performance.now(),
    leftMs: 0,
    since: 0,
    timer: /** @type {NodeJS.Timeout | undefined} */ (undefined),
  }
  #watchdog
  /** Answers that the thread has been given, and not yet been done with. */
  #isBusy = true
  #finish
  #outcome
  #underWay = new Set()

  constructor(host, options) {
    count += 1
    this.#id = count
    this.#limits = options.limits
    this.#options = options
    this.#clock.leftMs = options.limits.timeMs
    const { approve, progress } = options
    const pause = () => this.#pause()
    this.#calls = new Calls(host, options.limits, { approve, progress, pause }, (how, message) =>
      this.#end(how, { message }),
    )
  }

  start(thread, code) {
    const { signal, parameters = '{}' } = this.#options
    const { computeMs, memoryBytes, calls, outputCharacters, argumentCharacters, resultCharacters } = this.#limits
    const ofCalls = { call: argumentCharacters, find: resultCharacters }
    const sizes = { ...SIZES, ...ofCalls, print: outputCharacters, returned: MAX_RETURNED }
    this.#thread = thread
    thread.listener = (message) => this.#hear(message)
    const cancelled = () => this.#end('cancelled')
    signal?.addEventListener('abort', cancelled, { once: true })
    return new Promise((resolve) => {
      this.#finish = (result) => {
        signal?.removeEventListener('abort', cancelled)
        resolve(result)
      }
      this.#resume()
      this.#watch()
      thread.post({
        kind: 'run',
        program: this.#id,
        code,
        parameters,
        mark: MARK,
        limits: { computeMs, memoryBytes, calls, sizes },
      })
      if (signal?.aborted) cancelled()
    })
  }

  #hear(message) {
    if (message.kind === 'gone') return this.#end('broke')
    if (message.program !== this.#id) return
    if (message.kind === 'print') this.#print(message.said)
    else if (message.kind === 'ask') this.#ask(message)
    else if (message.kind === 'idle') this.#idle(message)
    else if (message.kind === 'end') this.#ending(message)
  }

  #print(said) {
    const room = this.#limits.outputCharacters - this.#printed.length
    if (room > 0) this.#printed += said.slice(0, room)
  }

  #ask(message) {
    const answered = this.#calls.answer(message).then(({ isAnswer, text }) => {
      this.#underWay.delete(answered)
      if (this.#outcome || !this.#thread) return
      this.#watch()
      this.#thread.post({ kind: 'settle', program: this.#id, call: message.call, isAnswer, text })
    })
    this.#underWay.add(answered)
  }

  #idle({ spentMs }) {
    this.#clock.spentMs = spentMs
    this.#isBusy = false
    clearTimeout(this.#watchdog)
  }

  /** Ends the thread where it does not stop by itself: an operation of the sandbox may take long without being asked. */
  #watch() {
    this.#isBusy = true
    clearTimeout(this.#watchdog)
    const most = this.#limits.computeMs - this.#clock.spentMs + GRACE_MS
    this.#watchdog = setTimeout(() => this.#end('compute'), Math.max(0, most))
  }

  /** The program has come to its end; calls that it did not wait for are waited for, as long as its time lasts. */
  #ending({ how, spentMs, ...more }) {
    this.#clock.spentMs = spentMs
    this.#isBusy = false
    clearTimeout(this.#watchdog)
    const thread = this.#thread
    this.#thread = undefined
    if (thread) give(thread)
    if (how !== 'returned' && how !== 'threw') return this.#end(how, more)
    void Promise.all(this.#underWay).then(() => this.#end(how, more))
    if (this.#underWay.size > 0) this.#last = () => this.#end(how, more)
  }

  /** What the time's end means for a program that has ended and waits for its calls. */
  #last = () => this.#end('time')

  /** Calls are approved one after the other, so there is one pause at a time. */
  #pause() {
    const asked = ask(this.#thread)
    if (asked === undefined) return undefined
    clearTimeout(this.#clock.timer)
    this.#clock.leftMs -= performance.now() - this.#clock.since
    return () => {
      asked()
      this.#resume()
    }
  }

  #resume() {
    if (this.#outcome) return
    this.#clock.since = performance.now()
    this.#clock.timer = setTimeout(() => this.#last(), Math.max(0, this.#clock.leftMs))
  }

  #end(how, more = {}) {
    if (this.#outcome) return
    this.#outcome = how
    clearTimeout(this.#clock.timer)
    clearTimeout(this.#watchdog)
    this.#calls.stop()
    const thread = this.#thread
    this.#thread = undefined
    if (thread && this.#isBusy) end(thread)
    else if (thread) {
      thread.post({ kind: 'drop' })
      give(thread)
    }
    this.#finish?.(this.ended(how, more))
  }

  /**
   * @param {string} how
   * @param {{ said?: string, size?: number, most?: number, message?: string }} [more]
   * @returns {import('./index.d.mts').ProgramResult}
   */
  ended(how, more = {}) {
    const elapsedMs = Math.round(performance.now() - this.#clock.startedAt)
    const calls = this.#calls.made.map((call) => ({ ...call }))
    const printed = this.#printed
    const told = { calls, printed, computeMs: Math.round(this.#clock.spentMs), elapsedMs }
    return messageOf(how, more, told, this.#limits)
  }
}
