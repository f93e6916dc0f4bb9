// tool-router-gateway import --check: whether a file that was written still holds what the clients have.

import { readFile } from '../config/file.mjs'
import { serversOf } from '../config/places.mjs'
import { isOff } from '../config/restrictions.mjs'
import { plain } from '../base/errors.mjs'
import { differences, identityOf } from '../clients/identity.mjs'
import { shownEntry, shownPath } from '../reach/shown.mjs'

/**
 * @param {import('../clients/collect.mjs').Collected} collected what the clients have
 * @param {{ file: string, home: string }} where
 * @param {(line: string) => void} print
 * @returns {number} the exit code: 0 when the file holds all of it, and the same
 */
export function compare({ found, servers, unread }, { file, home }, print) {
  const written = new Map([...serversOf(readFile(file)).entries].filter(([, entry]) => isEntry(entry)))
  const left = new Set(written.keys())
  const byIdentity = new Map(
    [...written].map(([name, entry]) => [identityOf(/** @type {Record<string, any>} */ (entry)), name]),
  )
  const lines = []
  const pending = []
  for (const [name, entry] of servers) {
    const same = byIdentity.get(identityOf(entry))
    // Time-outs, pins and the like are the user's to change in the file.
    if (same === undefined) pending.push([name, entry])
    else left.delete(same)
  }
  for (const [name, entry] of pending) {
    if (!left.delete(name))
      lines.push(['+', name, `${origin(found, name, home)}, and not in the file: ${shownEntry(entry)}`])
    // What the user has switched off in the file need not be as it was.
    else if (!isOff(written.get(name)))
      lines.push([
        '~',
        name,
        `differs in ${differences(entry, /** @type {Record<string, any>} */ (written.get(name))).join(', ')} from ${origin(found, name, home)}`,
      ])
  }
  for (const name of left) lines.push(['-', name, 'in no file of a client'])
  for (const { file: source, why } of unread) lines.push(['!', shownPath(source, home), why])
  for (const [sign, name, text] of lines) print(`${sign} ${plain(name, 128)}: ${plain(text, 300)}`)
  const same = servers.size - lines.filter(([sign]) => sign === '+' || sign === '~').length
  print(`${same} of ${servers.size} servers of your clients are in ${shownPath(file, home)} as they are.`)
  return lines.some(([sign]) => sign !== '-') ? 1 : 0
}

const isEntry = (entry) => entry !== null && typeof entry === 'object' && !Array.isArray(entry)

function origin(found, name, home) {
  const { client, file } = found.find(({ as, state }) => as === name && state === 'taken')
  return `${client}'s ${shownPath(file, home)}`
}
