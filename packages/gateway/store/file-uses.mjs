// How often tools were called, in a file per server. Two gateways of one user that write the same file at the same moment may
// lose some of it: counts are worth no lock.

import path from 'node:path'

import { readOwn } from '../base/own-files.mjs'
import { replaceFile } from '../base/replace-file.mjs'
import { KEPT_DAYS, keyOf, MAX_OF_SERVER, StoredUses } from './uses.mjs'

/** Counts up when the form of the files changes. */
const VERSION = 1
/** Bytes of a file: 5,000 tools with long names fit. */
const MAX_BYTES = 2 * 1024 * 1024
const DAY_MS = 86_400_000

const dayOf = (ms) => new Date(ms).toISOString().slice(0, 10)

/** @param {string} folder made when something is kept */
export function fileUses(folder) {
  const fileOf = (identity) => path.join(folder, `${identity}.json`)
  const countsOf = (identity) => read(fileOf(identity), identity)
  return new StoredUses({
    async insert(uses) {
      for (const identity of new Set(uses.map((use) => use.identity))) {
        const own = uses.filter((use) => use.identity === identity)
        await replaceFile(fileOf(identity), kept(await countsOf(identity), own))
      }
    },
    counts: async (identities) => (await Promise.all(identities.map(countsOf))).flat(),
  })
}

/** What a file holds after more uses. */
function kept(before, uses) {
  const today = dayOf(Date.now())
  const counts = new Map(before.map((each) => [keyOf(each), each]))
  for (const use of uses) {
    const { tool, definition } = use
    counts.set(keyOf(use), { tool, definition, count: (counts.get(keyOf(use))?.count ?? 0) + 1, usedOn: today })
  }
  const latest = [...counts.values()].toSorted((a, b) => (a.usedOn < b.usedOn ? 1 : -1)).slice(0, MAX_OF_SERVER)
  return {
    version: VERSION,
    uses: latest.map(({ tool, definition, count, usedOn }) => [tool, definition, count, usedOn]),
  }
}

/** @returns {Promise<import('./uses.mjs').UseCount[]>} none where a file is damaged, foreign or not there */
async function read(file, identity) {
  try {
    const { version, uses } = JSON.parse(await readOwn(file, MAX_BYTES))
    if (version !== VERSION) return []
    const oldest = dayOf(Date.now() - KEPT_DAYS * DAY_MS)
    return uses
      .map(([tool, definition, count, usedOn]) => ({ identity, tool, definition, count, usedOn }))
      .filter(isCount)
      .filter(({ usedOn }) => usedOn >= oldest)
  } catch {
    return []
  }
}

function isCount({ tool, definition, count, usedOn }) {
  return (
    [tool, definition, usedOn].every((text) => typeof text === 'string') && Number.isSafeInteger(count) && count > 0
  )
}
