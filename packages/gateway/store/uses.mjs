// How often tools were called, as a store keeps it: counts by definition, without who, when or what for. A tool that says
// something else later is another one.

import { identityOf } from './identity.mjs'
import { WaitingRows } from './waiting-rows.mjs'

/** How long a use waits to be written with others. */
const GATHER_MS = 1_000
/** Uses that are written together, and that wait at most while the store is gone; the oldest are lost first. */
const TOGETHER = 1_000
const MAX_WAITING = 10_000
/** How long a count is kept after the last use. */
export const KEPT_DAYS = 90
/** Counts of one server: as many as it may have tools. Those that were used last stay. */
export const MAX_OF_SERVER = 5_000

/**
 * @typedef {import('./store.mjs').ServerDefinition} ServerDefinition
 *
 * @typedef {object} Use one call of a tool
 * @property {string} identity of the server
 * @property {string} server its name
 * @property {string} tool
 * @property {string} definition what tells its definition from others
 *
 * @typedef {object} UseCount
 * @property {string} identity of the server
 * @property {string} tool
 * @property {string} definition
 * @property {number} count
 * @property {string} usedOn a day, as 2026-01-31
 */

export class StoredUses {
  #counts
  /** @type {WaitingRows<Use>} */
  #waiting
  /** What of the counts this gateway has written. @type {Map<string, number>} */
  #own = new Map()

  /**
   * @param {{ insert: (uses: Use[]) => Promise<unknown>, counts: (identities: string[]) => Promise<UseCount[]>,
   * sweep?: () => Promise<unknown> }} how uses are written and counts of servers read, and those deleted that are beyond the bounds
   */
  constructor({ insert, counts, sweep = async () => {} }) {
    this.#counts = counts
    this.#waiting = new WaitingRows({
      gatherMs: GATHER_MS,
      together: TOGETHER,
      most: MAX_WAITING,
      insert: async (uses) => {
        // Before they are written: what is read meanwhile is too little for a moment, never too much.
        this.#note(uses, 1)
        await insert(uses).catch((error) => {
          this.#note(uses, -1)
          throw error
        })
      },
      sweep,
    })
  }

  #note(uses, by) {
    for (const use of uses) this.#own.set(keyOf(use), (this.#own.get(keyOf(use)) ?? 0) + by)
  }

  /**
   * Counts a call, soon.
   *
   * @param {ServerDefinition} server
   * @param {{ tool: string, definition: string }} called
   */
  record(server, { tool, definition }) {
    this.#waiting.add([{ identity: identityOf(server), server: server.name, tool, definition }])
  }

  /** Writes what waits. What cannot be written now waits on. */
  flush() {
    return this.#waiting.flush()
  }

  /**
   * What others have counted for tools of these servers: other gateways, and earlier ones. What cannot be read is as good as
   * nothing.
   *
   * @param {ServerDefinition[]} servers
   * @returns {Promise<UseCount[]>}
   */
  async readOthers(servers) {
    const counts = await this.#counts(servers.map(identityOf)).catch(() => [])
    return counts
      .map((each) => ({ ...each, count: each.count - (this.#own.get(keyOf(each)) ?? 0) }))
      .filter(({ count }) => count > 0)
  }
}

/** What is counted together. @param {Pick<Use, 'identity' | 'tool' | 'definition'>} of */
export function keyOf({ identity, tool, definition }) {
  return JSON.stringify([identity, tool, definition])
}
