// What calls teach the router about tools: which ones are used. Where the store keeps counts, those of other gateways, and of
// this one before it was started again, are taken over: ranking prefers what was called there as if it had been called here.
// A tool that is not in scope here counts for nothing here, whoever calls it.

import { hashOf, textOf } from '../store/definitions.mjs'
import { identityOf } from '../store/identity.mjs'
import { keyOf } from '../store/uses.mjs'

/** How soon after a list of tools has changed counts are looked up, and how often besides. */
const SOON_MS = 500
const EVERY_MS = 300_000
/**
 * Uses of one tool, and of all tools of one server, that are taken over in a day. After six of them the router's preference for
 * a tool is at 86 % of its maximum. A use counts half after 50 later ones: calls without end, wherever they are made, at most
 * halve what is known of others.
 */
export const MAX_OF_TOOL = 6
const MAX_OF_SERVER = 50

/**
 * @typedef {import('./catalogue-entry.mjs').ToolInScope} ToolInScope
 * @typedef {import('../store/uses.mjs').UseCount} UseCount
 * @typedef {UseCount & { id: import('./catalogue-entry.mjs').ToolId, more: number }} Fresh `more`: uses that were not taken yet
 */

export class LearnedUses {
  #router
  #catalogue
  #uses
  /** Counts of others as far as they were taken over, by what is counted. @type {Map<string, number>} */
  #taken = new Map()
  /** What was taken over on this day, by what is counted and by server. */
  #today = { day: '', spent: new Map() }
  /** @type {WeakMap<object, string>} */
  #definitions = new WeakMap()
  #soon
  #timer
  #looking = Promise.resolve()

  /**
   * @param {{ router: import('@zoo-code/tool-router/internal').ToolRouter, catalogue: import('./catalogue.mjs').Catalogue,
   * uses?: import('../store/uses.mjs').StoredUses }} parts
   */
  constructor({ router, catalogue, uses }) {
    this.#router = router
    this.#catalogue = catalogue
    this.#uses = uses
    if (uses === undefined) return
    catalogue.on('tools', () => this.#lookSoon())
    // What is known of a server goes with it, in the router as well.
    catalogue.on('servers', () => this.#forgetGone())
    this.#timer = setInterval(() => void this.look(), EVERY_MS)
    this.#timer.unref()
  }

  /** A tool was called, and did what was asked. @param {ToolInScope} tool */
  record({ entry, serverName, toolName }) {
    void this.#router.recordUse({ serverName, toolName }).catch(() => {})
    const tool = entry.tools.get(toolName)
    if (tool !== undefined) this.#uses?.record(entry.definition, { tool: toolName, definition: this.#hashOf(tool) })
  }

  #lookSoon() {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined
      void this.look()
    }, SOON_MS)
    this.#soon.unref()
  }

  /** Takes over what others have counted since the last look. */
  look() {
    this.#looking = this.#looking.then(() => this.#look())
    return this.#looking
  }

  async #look() {
    if (this.#uses === undefined) return
    const entries = new Map([...this.#catalogue.entries.values()].map((entry) => [identityOf(entry.definition), entry]))
    const counts = await this.#uses.readOthers([...entries.values()].map(({ definition }) => definition))
    const fresh = counts.flatMap((count) => this.#fresh(count, entries.get(count.identity)))
    const shares = this.#shares(fresh)
    for (const each of fresh) this.#taken.set(keyOf(each), each.count)
    // The least used first, and of every tool one use after the other: later ones count more.
    const rounds = Array.from({ length: MAX_OF_TOOL }, (_, at) => MAX_OF_TOOL - at)
    const inOrder = rounds.flatMap((round) => shares.filter(({ share }) => share >= round)).map(({ id }) => id)
    // What has gone meanwhile is not in the catalogue any more.
    await Promise.all(inOrder.map((id) => this.#router.recordUse(id).catch(() => {})))
  }

  /** @returns {Fresh[]} none where the tool is not in scope, or is another one by now */
  #fresh(counted, entry) {
    const tool = entry?.names.has(counted.tool) ? entry.tools.get(counted.tool) : undefined
    if (tool === undefined || this.#hashOf(tool) !== counted.definition) return []
    const more = counted.count - (this.#taken.get(keyOf(counted)) ?? 0)
    return more > 0 ? [{ ...counted, id: { serverName: entry.definition.name, toolName: counted.tool }, more }] : []
  }

  /**
   * How often each of these is taken over: the latest and most used of a server have their share first.
   *
   * @param {Fresh[]} fresh
   * @returns {(Fresh & { share: number })[]} the latest and most used last
   */
  #shares(fresh) {
    const day = new Date().toISOString().slice(0, 10)
    if (this.#today.day !== day) this.#today = { day, spent: new Map() }
    const { spent } = this.#today
    const left = (key, most) => most - (spent.get(key) ?? 0)
    const spend = (key) => spent.set(key, (spent.get(key) ?? 0) + 1)
    const wanted = fresh
      .map((each) => ({ ...each, share: 0, more: Math.min(each.more, MAX_OF_TOOL) }))
      .toSorted((a, b) => compare(a.usedOn, b.usedOn) || a.more - b.more || compare(keyOf(a), keyOf(b)))
    for (let round = 1; round <= MAX_OF_TOOL; round++) {
      for (const each of wanted.toReversed()) {
        const isLeft = left(keyOf(each), MAX_OF_TOOL) > 0 && left(each.identity, MAX_OF_SERVER) > 0
        if (each.more < round || !isLeft) continue
        each.share += 1
        spend(keyOf(each))
        spend(each.identity)
      }
    }
    return wanted
  }

  #forgetGone() {
    const identities = new Set([...this.#catalogue.entries.values()].map(({ definition }) => identityOf(definition)))
    for (const key of this.#taken.keys()) if (!identities.has(JSON.parse(key)[0])) this.#taken.delete(key)
  }

  #hashOf(tool) {
    const known = this.#definitions.get(tool) ?? hashOf(textOf(tool))
    this.#definitions.set(tool, known)
    return known
  }

  close() {
    clearInterval(this.#timer)
    clearTimeout(this.#soon)
    return this.#looking
  }
}

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0)
