// Requests of one client that are answered at the same time; more of them wait for their turn.

import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'

const MAX_UNDER_WAY = 256
const MAX_WAITING = 10_000

export class Gate {
  #underWay = 0
  #waiting = []

  /** Whether anything goes through it now. */
  get isBusy() {
    return this.#underWay > 0
  }

  /** @template T @param {() => Promise<T>} work */
  async pass(work) {
    if (this.#waiting.length >= MAX_WAITING)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        `more than ${MAX_UNDER_WAY + MAX_WAITING} requests of one client under way; wait for answers`,
      )
    if (this.#underWay >= MAX_UNDER_WAY) await new Promise((resolve) => this.#waiting.push(resolve))
    else this.#underWay += 1
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#underWay -= 1
    }
  }
}
