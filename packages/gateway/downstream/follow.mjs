// Changes that a modern server announces: it does so in a stream that must be asked for, and asked for again when it ends.

import { setTimeout as pause } from 'node:timers/promises'

import { Pauses } from '../reach/pauses.mjs'

/** A stream that lived this long has earned the first pause again. */
const STABLE_MS = 30_000

/**
 * Keeps a stream of announcements open as long as somebody wants it.
 *
 * @param {import('@modelcontextprotocol/client').Client} client
 * @param {object} filter what is to be announced
 * @returns {{ opened: Promise<void>, close: () => Promise<void> }} `opened` settles when the server was asked once
 */
export function follow(client, filter) {
  const ended = new AbortController()
  let subscription
  let asked
  const opened = new Promise((resolve) => (asked = resolve))
  const run = async () => {
    for (const pauses = new Pauses(); !ended.signal.aborted && client.transport; ) {
      const since = Date.now()
      subscription = await client.listen(filter, { signal: ended.signal }).catch(() => undefined)
      asked()
      await subscription?.closed
      if (Date.now() - since > STABLE_MS) pauses.reset()
      await pause(pauses.next(), undefined, { signal: ended.signal, ref: false }).catch(() => {})
    }
    asked()
  }
  void run()
  return {
    opened,
    close: async () => {
      ended.abort()
      await subscription?.close().catch(() => {})
    },
  }
}
