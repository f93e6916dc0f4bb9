// A server that is away: when it is tried again, by itself or by who asks for it.

import { helpOf } from '../reach/headers-helper.mjs'
import { MIN_MS, Pauses } from '../reach/pauses.mjs'

/** By who asks for it, a server is tried again after this time, whatever its pause is by now. */
const ASKED_MS = 60_000
/** The longest pause where a try costs one request, and where it may cost three. */
const LONGEST_MS = { soon: 10 * 60_000, seldom: 30 * 60_000 }
/** A server that lived this long has earned the first pause again. */
const STABLE_MS = 10_000

export class Waiting {
  #pauses = new Pauses()
  #until = 0
  #readyAt = 0
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  /** Whether it comes back without a change or a call. */
  isOverByItself = true

  /** The server has started. */
  started() {
    this.#readyAt = Date.now()
    this.clear()
  }

  /** Seconds until who asks for the server may have it tried; 0 for now. */
  get secondsLeft() {
    return Math.max(0, Math.ceil((this.#until - Date.now()) / 1000))
  }

  /**
   * Waits for what lets the server be tried again.
   *
   * @param {{ again: import('./meaning.mjs').Meaning['again'], retryAfterMs?: number }} meaning
   * @param {import('./downstream.mjs').ServerDefinition} definition
   * @param {(() => void) | undefined} connect undefined where nothing is to happen by itself
   */
  begin({ again, retryAfterMs }, definition, connect) {
    clearTimeout(this.#timer)
    if (this.#readyAt > 0 && Date.now() - this.#readyAt > STABLE_MS) this.#pauses.reset()
    this.#readyAt = 0
    this.isOverByItself = again !== 'change'
    const pauseMs = this.#pauses.next(retryAfterMs, LONGEST_MS[again] ?? LONGEST_MS.soon)
    const askedMs = this.isOverByItself ? Math.min(pauseMs, ASKED_MS) : ASKED_MS
    this.#until = Date.now() + Math.max(askedMs, retryAfterMs ?? 0)
    if (connect === undefined) return
    if (this.isOverByItself) this.#after(spread(pauseMs), connect)
    else if (definition.headersHelper !== undefined) void this.#followHelper(definition, connect)
  }

  /** A key that a program gives is tried again when it is another one: to ask the program costs the server nothing. */
  async #followHelper(definition, connect) {
    const before = await helpOf(definition).catch(() => undefined)
    const look = async () => {
      const now = await helpOf(definition).catch(() => undefined)
      if (now !== undefined && now !== before) return connect()
      this.#after(this.#pauses.next(), look)
    }
    this.#after(this.#pauses.next(), look)
  }

  /** Looks each second whether what is waited for has come. */
  look(act) {
    this.clear()
    this.#timer = setInterval(act, MIN_MS)
    this.#timer.unref()
  }

  #after(ms, act) {
    this.#timer = setTimeout(() => {
      this.#until = 0
      void act()
    }, ms)
    this.#timer.unref()
  }

  /** Nothing is waited for any more. */
  clear() {
    clearTimeout(this.#timer)
    this.#until = 0
  }
}

/** Servers that died together do not all come back in the same moment. */
function spread(ms) {
  return ms <= MIN_MS ? ms : ms * (1 + Math.random() / 4)
}
