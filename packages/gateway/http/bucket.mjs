// SPDX-License-Identifier: Apache-2.0
//
// A bound on how many requests are taken per second.

/** Fills by time; each request takes one. */
export class Bucket {
  #perSecond
  #most
  #content
  #filledAt = Date.now()

  constructor(perSecond, most) {
    this.#perSecond = perSecond
    this.#most = most
    this.#content = most
  }

  take() {
    const now = Date.now()
    this.#content = Math.min(this.#most, this.#content + ((now - this.#filledAt) / 1000) * this.#perSecond)
    this.#filledAt = now
    if (this.#content < 1) return false
    this.#content -= 1
    return true
  }
}
