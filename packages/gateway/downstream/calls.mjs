// One request to a server: how long it may take.

import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client'

import { Unavailable } from '../base/errors.mjs'
import { isDeep, MAX_DEPTH } from '../base/values.mjs'

/** Notifications of progress of one call that are passed on. */
const MAX_PROGRESS = 10_000
/** How much longer than its time-out a call may take that keeps reporting progress. */
const PROGRESS_FACTOR = 10
/** Questions of one call that are asked together arrive within this time; a later one needs the answer first. */
const SILENT_MS = 1_000
/** The longest time-out that there is: the SDK's own is not used, since it cannot be stopped while a user is asked. */
const FOREVER_MS = 2_147_483_647

/** @typedef {import('../calls/caller.mjs').Caller} Caller */

/** A request of a client that is under way at a server. */
export class Call {
  #timeoutMs
  #late = new AbortController()
  #timer
  #leftMs
  #since
  #paused = 0
  #pausedAt = 0
  #progresses = 0
  #isOver = false
  /** Of its request at the server. @type {unknown} */
  id

  /** @param {Caller} caller @param {number} timeoutMs without progress; with it, ten times as long */
  constructor(caller, timeoutMs) {
    this.caller = caller
    this.#timeoutMs = timeoutMs
    this.#leftMs = timeoutMs * PROGRESS_FACTOR
    this.#start()
  }

  /** For the SDK. */
  get options() {
    const { signal } = this.caller
    return {
      signal: signal === undefined ? this.#late.signal : AbortSignal.any([signal, this.#late.signal]),
      // Asked for whether the client wants it or not: a server at work is waited for.
      onprogress: (told) => this.#progressed(told),
      timeout: FOREVER_MS,
    }
  }

  #start() {
    // It may end while its client is still asked.
    if (this.#isOver) return
    this.#since = Date.now()
    const isTotal = this.#leftMs < this.#timeoutMs
    const withinMs = isTotal ? this.#timeoutMs * PROGRESS_FACTOR : this.#timeoutMs
    const error = Object.assign(new SdkError(SdkErrorCode.RequestTimeout, 'no answer'), { withinMs, isTotal })
    this.#timer = setTimeout(() => this.#late.abort(error), isTotal ? Math.max(0, this.#leftMs) : withinMs)
  }

  #stop() {
    clearTimeout(this.#timer)
    this.#leftMs -= Date.now() - this.#since
  }

  /** The server is at work: its time-out begins again. */
  working() {
    if (this.#paused > 0) return
    this.#stop()
    this.#start()
  }

  #progressed(told) {
    this.#progresses += 1
    this.working()
    if (this.#progresses <= MAX_PROGRESS) this.caller.progress?.(told)
  }

  /** While somebody is asked for what the server wants to know, its time does not run. */
  pause() {
    this.#paused += 1
    this.#pausedAt = Date.now()
    if (this.#paused === 1) this.#stop()
  }

  /** Whether it waits for an answer, and for so long that it asks for nothing else meanwhile. */
  get isSilent() {
    return this.#paused > 0 && Date.now() - this.#pausedAt > SILENT_MS
  }

  /** Whether nobody waits for its answer any more. */
  get isLeft() {
    return this.#late.signal.aborted || this.caller.signal?.aborted === true
  }

  resume() {
    this.#paused -= 1
    if (this.#paused === 0) this.#start()
  }

  end() {
    this.#isOver = true
    clearTimeout(this.#timer)
  }
}

/** @throws {Unavailable} for a result that is nested too deeply to be passed on */
export function assertFlat(result, name) {
  if (isDeep(result))
    throw new Unavailable(`server ${name} answered what is nested deeper than ${MAX_DEPTH}; it was dropped`)
}
