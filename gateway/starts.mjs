// SPDX-License-Identifier: Apache-2.0
//
// The order in which servers are started: a few together, and none before a client has said what it can do, where that
// is waited for.

import { settled } from './downstream/child-transport.mjs'

/** Servers started together: more only slows each of them down on a small machine. */
const TOGETHER = 8
/** How long a client may take to say hello before the servers are started for whoever comes. */
const CLIENT_MS = 5_000

export class Starts {
  #queue = []
  #running = 0
  #held

  /** Starts nothing before `begin`, which is called at the latest when a client should have come. */
  hold(begin) {
    this.#held = setTimeout(begin, CLIENT_MS)
    this.#held.unref()
  }

  get isHeld() {
    return this.#held !== undefined
  }

  release() {
    clearTimeout(this.#held)
    this.#held = undefined
    this.#next()
  }

  /** @param {{ run: () => Promise<unknown>, done: () => void }} start `done` is called in any case */
  push(start) {
    this.#queue.push(start)
    this.#next()
  }

  #next() {
    while (!this.isHeld && this.#running < TOGETHER && this.#queue.length > 0) {
      const { run, done } = this.#queue.shift()
      this.#running += 1
      void run().finally(() => {
        this.#running -= 1
        done()
        this.#next()
      })
    }
  }

  close() {
    clearTimeout(this.#held)
    for (const { done } of this.#queue.splice(0)) done()
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

/** Waits for the first list of servers that were added less than `ms` ago. One that hangs is waited for once. */
export async function listed(entries, ms) {
  const youngest = Math.max(0, ...entries.filter(({ isKnown }) => !isKnown).map(({ addedAt }) => addedAt))
  await settled(Promise.all(entries.map(({ known }) => known)), Math.max(0, youngest + ms - Date.now()))
}

/**
 * Looks for something until it exists, or until all servers were asked that were added less than `ms` ago.
 *
 * @template T
 * @param {() => Iterable<import('./catalogue.mjs').Entry>} entries
 * @param {() => T | undefined} look
 * @returns {Promise<T | undefined>}
 */
export async function eventually(entries, look, ms) {
  for (;;) {
    const found = look()
    const starting = [...entries()].filter(({ isStarting }) => isStarting)
    const waitMs = Math.max(0, ...starting.map(({ addedAt }) => addedAt + ms - Date.now()))
    if (found !== undefined || waitMs === 0) return found
    await settled(Promise.race(starting.map(({ started }) => started)), waitMs)
  }
}
