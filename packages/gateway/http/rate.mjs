// A bound on how many requests are taken: of all clients together, of one person, of strangers.

// Not by its front door, which loads a driver for each database.
import BurstyRateLimiter from 'rate-limiter-flexible/lib/BurstyRateLimiter.js'
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'

/** In which time a burst may come again. */
const BURST_S = 10

export class Rate {
  #limiter

  /** @param {number} perSecond @param {number} burst how many more may come together */
  constructor(perSecond, burst) {
    this.#limiter = new BurstyRateLimiter(
      new RateLimiterMemory({ points: perSecond, duration: 1 }),
      new RateLimiterMemory({ points: burst, duration: BURST_S, keyPrefix: 'burst' }),
    )
  }

  /** Takes a request, if it is not too many. @param {string} [who] whose they are counted as */
  async take(who = '') {
    try {
      await this.#limiter.consume(who)
      return true
    } catch (refused) {
      if (refused instanceof Error) throw refused
      return false
    }
  }
}
