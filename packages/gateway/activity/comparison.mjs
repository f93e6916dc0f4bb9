// Two sets of settings, and which of them a session gets: decided by a hash of its id, so that any gateway that goes on with
// the session decides alike. What is kept of a session are numbers.

import { createHash } from 'node:crypto'

/** How many values the first 32 bits of a hash have. */
const HASHES = 2 ** 32

/**
 * @typedef {'a' | 'b'} Arm `a`: the settings as configured; `b`: those of `compare`
 * @typedef {import('../store/compared.mjs').Counts} Counts
 *
 * @typedef {object} Compared a session of an arm
 * @property {Record<string, unknown>} settings that hold for it
 * @property {(counts: Partial<Counts>) => void} add counts more
 */

/**
 * What is compared, and what tells it from an earlier comparison: the values of both arms, and the share.
 *
 * @param {import('../config/read.mjs').Config['settings']} settings
 */
export function comparisonOf(settings) {
  if (settings.compare === undefined) return undefined
  const { settings: b, percent } = settings.compare
  const a = Object.fromEntries(Object.keys(b).map((name) => [name, settings[name]]))
  const parts = [
    percent,
    ...Object.keys(b)
      .toSorted()
      .map((name) => [name, a[name], b[name]]),
  ]
  return { a, b, percent, id: hashOf(JSON.stringify(parts)).toString('base64url') }
}

/**
 * @param {string} sessionId
 * @param {number} percent of the sessions that are in `b`
 * @returns {Arm}
 */
export function armOf(sessionId, percent) {
  return hashOf(sessionId).readUInt32BE() / HASHES < percent / 100 ? 'b' : 'a'
}

/**
 * @param {string} sessionId
 * @param {import('../config/read.mjs').Config['settings']} settings
 * @param {import('../store/compared.mjs').StoredCounts | undefined} stored
 * @returns {Compared | undefined} undefined where nothing is compared
 */
export function comparedSession(sessionId, settings, stored) {
  const comparison = comparisonOf(settings)
  if (comparison === undefined) return undefined
  const arm = armOf(sessionId, comparison.percent)
  // The id is a key to the session: what is kept is its hash.
  const session = hashOf(sessionId).toString('base64url')
  return {
    settings: comparison[arm],
    add: (counts) => stored?.record({ comparison: comparison.id, session, arm, ...counts }),
  }
}

function hashOf(text) {
  return createHash('sha256').update(text).digest()
}
