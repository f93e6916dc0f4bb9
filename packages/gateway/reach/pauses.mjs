// How long is waited before something is tried again. One place for all that the gateway does by itself: servers that do
// not start, streams that end, logins that cannot be renewed, lists that change.

/** No server talks the gateway into less. */
export const MIN_MS = 1_000
const MINUTE_MS = 60_000
const LONGEST_MS = 10 * MINUTE_MS
/** A wish of the other side, as in `Retry-After`, is obeyed up to a day. */
const MAX_WISHED_MS = 24 * 60 * MINUTE_MS

/** Pauses, each twice as long as the last. */
export class Pauses {
  #first
  #longest
  #count = 0

  /** @param {{ firstMs?: number, longestMs?: number }} [bounds] */
  constructor({ firstMs = MIN_MS, longestMs = LONGEST_MS } = {}) {
    this.#first = firstMs
    this.#longest = longestMs
  }

  /** @param {number} [wishedMs] what the other side wants @param {number} [longestMs] */
  next(wishedMs, longestMs = this.#longest) {
    const grown = Math.min(longestMs, this.#first * 2 ** this.#count)
    this.#count += 1
    return Math.max(grown, boundedWish(wishedMs) ?? 0)
  }

  /** Something came. */
  reset() {
    this.#count = 0
  }
}

function boundedWish(ms) {
  return Number.isFinite(ms) && ms > 0 ? Math.min(MAX_WISHED_MS, ms) : undefined
}

/**
 * `Retry-After`, in seconds or as a date.
 *
 * @param {string | null | undefined} header
 * @returns {number | undefined} milliseconds
 */
export function retryAfterOf(header, now = Date.now()) {
  const text = header?.trim() ?? ''
  const ms = /^\d+(\.\d+)?$/.test(text)
    ? Number(text) * 1000
    : /[a-z]/i.test(text)
      ? Date.parse(text) - now
      : Number.NaN
  return boundedWish(ms)
}
