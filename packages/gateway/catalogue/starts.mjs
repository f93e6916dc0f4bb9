// The order in which servers are started: a few together, and none before a client has said what it can do, where that
// is waited for.

import os from 'node:os'
import { setImmediate as turn } from 'node:timers/promises'

import { settled } from '../base/settled.mjs'

/** Servers started together: more only slows each of them down on a small machine. */
const TOGETHER = 8
/** The same where the lists of servers are known: nobody waits for them, and what is asked meanwhile comes first. */
const AHEAD = Math.min(TOGETHER, Math.max(2, os.availableParallelism() - 1))
/** How long what a server has besides tools is waited for where it listed no tool the last time, or hung. */
const EMPTY_MS = 2_000
/** How long a client may take to say hello before the servers are started for whoever comes. */
const CLIENT_MS = 5_000

export class Starts {
  /** Servers of which nothing is known come first. */
  #unknown = []
  #known = []
  #running = 0
  #closed = false
  #held
  /** Names of servers that are started although others are held. */
  #wanted = new Set()

  /** Starts nothing before `begin`, which is called at the latest when a client should have come. */
  hold(begin) {
    this.#held = setTimeout(begin, CLIENT_MS)
    this.#held.unref()
  }

  get isHeld() {
    return this.#held !== undefined
  }

  /**
   * Starts what is held, or of it the servers of these names.
   *
   * @param {string[]} [names]
   * @returns {string[] | undefined} those of the names that were held until now; undefined for all
   */
  release(names) {
    const fresh = names?.filter((name) => !this.#wanted.has(name))
    if (fresh === undefined) {
      clearTimeout(this.#held)
      this.#held = undefined
    }
    for (const name of fresh ?? []) this.#wanted.add(name)
    this.#next()
    return fresh
  }

  /**
   * @param {{ name: string, run: () => Promise<unknown>, done: () => void, isKnown: boolean }} start `done` is called in any case;
   * `isKnown`: whether a list of its tools is
   */
  push(start) {
    if (this.#closed) return void start.done()
    const queue = start.isKnown ? this.#known : this.#unknown
    queue.push(start)
    return this.#next()
  }

  #next() {
    for (;;) {
      if (this.#running >= TOGETHER) return
      const start = this.#taken(this.#unknown) ?? (this.#running < AHEAD ? this.#taken(this.#known) : undefined)
      if (start === undefined) return
      void this.#begin(start)
    }
  }

  /** The first that may be started. */
  #taken(queue) {
    const at = this.isHeld ? queue.findIndex(({ name }) => this.#wanted.has(name)) : 0
    return at === -1 ? undefined : queue.splice(at, 1)[0]
  }

  async #begin({ run, done }) {
    this.#running += 1
    // To start a process takes a while in which nothing is answered: what waits now comes first.
    await turn()
    await run().catch(() => {})
    this.#running -= 1
    done()
    this.#next()
  }

  close() {
    this.#closed = true
    clearTimeout(this.#held)
    for (const { done } of [...this.#unknown.splice(0), ...this.#known.splice(0)]) done()
  }
}

/**
 * Two things that are waited for with each start: that a list of tools is known (`known`, `isKnown`), be it from disk, and
 * that the server itself was asked (`started`, `isStarting`).
 *
 * @param {import('./catalogue.mjs').Entry} entry
 * @param {() => boolean} isCurrent whether the entry still has the server of this start
 */
export function milestones(entry, isCurrent) {
  let known
  let started
  entry.known = new Promise((resolve) => (known = resolve))
  entry.started = new Promise((resolve) => (started = resolve))
  entry.isKnown = false
  entry.isStarting = true
  const isListed = () => {
    if (isCurrent()) entry.isKnown = true
    known()
    return true
  }
  const isAsked = () => {
    if (isCurrent()) entry.isStarting = false
    isListed()
    started()
  }
  return { isListed, isAsked }
}

/** Names of servers that were not asked for their tools yet. */
export function startingOf(entries) {
  return entries.filter(({ isStarting }) => isStarting).map(({ definition }) => definition.name)
}

/**
 * Waits for the first list of servers that were added less than `ms` ago, or until what is known is enough. One that hangs is
 * waited for once.
 */
export async function listed(entries, ms, isEnough = () => false) {
  for (;;) {
    const open = entries.filter(({ isKnown }) => !isKnown)
    const waitMs = Math.max(0, ...open.map(({ addedAt }) => addedAt + ms - Date.now()))
    if (waitMs === 0 || isEnough()) return
    await settled(Promise.race(open.map(({ known }) => known)), waitMs)
  }
}

/** Waits until servers were asked that were added less than `ms` ago; for one that hung the last time not as long. */
export async function answered(entries, ms) {
  const patience = ({ isKnown, tools }) => (isKnown && tools.size === 0 ? Math.min(ms, EMPTY_MS) : ms)
  const left = (entry) => Math.max(0, entry.addedAt + patience(entry) - Date.now())
  const starting = entries.filter(({ isStarting }) => isStarting)
  await Promise.all(starting.map((entry) => settled(entry.started, left(entry))))
  return startingOf(entries)
}

/**
 * Looks for something until it exists, or until all servers were asked that were added less than `ms` ago.
 *
 * @template T
 * @param {() => Iterable<import('./catalogue.mjs').Entry>} entries
 * @param {() => T | undefined} look
 */
export async function eventually(entries, look, ms) {
  for (;;) {
    const found = look()
    const starting = [...entries()].filter(({ isStarting }) => isStarting)
    const waitMs = Math.max(0, ...starting.map(({ addedAt }) => addedAt + ms - Date.now()))
    if (found !== undefined || waitMs === 0) return found
    await settled(Promise.race(starting.map(({ isKnown, known, started }) => (isKnown ? started : known))), waitMs)
  }
}

/**
 * Of a server that has listed nothing after `ms` it is kept that it hung: the next gateway of this machine waits for others
 * alone. What gateways of a team know of a server is not overwritten by one at which it hangs.
 *
 * @param {import('./catalogue.mjs').Entry} entry
 * @param {number} ms
 * @param {import('../store/store.mjs').Store} store
 */
export function noteHung(entry, ms, store) {
  const { definition, downstream } = entry
  if (definition.lazy || store.isShared) return
  const timer = setTimeout(() => {
    if (entry.downstream === downstream && !entry.isKnown) void store.writeList(definition, { tools: [] })
  }, ms)
  timer.unref()
}
