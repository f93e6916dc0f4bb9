// tool-router-gateway import: finds the files of installed clients, shows what it would take, and writes one file of it.

import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { commandLine } from '../base/command-line.mjs'
import { readFile } from '../config/file.mjs'
import { plain } from '../base/errors.mjs'
import { clientFiles, permissionFiles } from '../clients/clients.mjs'
import { collect } from '../clients/collect.mjs'
import { commonIn } from '../clients/environment.mjs'
import { identityOf, merge } from '../clients/identity.mjs'
import { shownEntry, shownPath } from '../reach/shown.mjs'
import { writeNew } from '../clients/write-file.mjs'

/** Tools named for one server. */
const NAMED = 8
const SIGNS = { taken: '+', same: '=', off: '-', ours: '-', bad: '!' }

/**
 * @typedef {object} Values
 * @property {string[]} [from]
 * @property {string} [project]
 * @property {string} [out]
 * @property {boolean} [pin]
 * @property {boolean} [force]
 * @property {boolean} [inherit-env]
 *
 * @typedef {import('../clients/collect.mjs').Collected} Collected
 *
 * @param {Values} values
 * @param {(line: string) => void} print
 * @returns {number} the exit code
 */
export function runImport(values, print) {
  const { from = [], project = process.cwd() } = values
  const home = os.homedir()
  const where = { home, project: path.resolve(project) }
  const letters = (name) => name.toLowerCase().replaceAll(/[^a-z\d]/g, '')
  const wanted = (client) => from.length === 0 || from.some((name) => letters(client).includes(letters(name)))
  const files = clientFiles(where).filter(({ client }) => wanted(client))
  const collected = collect(files, { ...where, permissions: permissionFiles(where) })
  const told = tell(files, collected, home, print)
  if (collected.servers.size === 0) {
    print(told === 0 ? 'no file of a client was found here' : 'none of these servers can be taken')
    return 1
  }
  propose(collected, values, print)
  return finish(collected, values, home, print)
}

/** What becomes of each entry, file by file. @returns {number} the files that were told of */
function tell(files, { found, unread, notes }, home, print) {
  const told = files.filter(({ file }) => [...found, ...unread, ...notes].some((each) => each.file === file))
  for (const { client, file } of told) {
    const isHere = (each) => each.file === file
    print(`${client}  ${shownPath(file, home)}`)
    for (const each of found.filter(isHere)) print(`  ${describe(each)}`)
    for (const { why } of unread.filter(isHere)) print(`  ! ${why}`)
    for (const { note } of notes.filter(isHere)) print(`  note: ${note}`)
    print('')
  }
  return told.length
}

function describe({ state, name, as, why, entry }) {
  const shown = plain(name, 60)
  const more = why.length > 0 ? ` (${why.join('; ')})` : ''
  if (state === 'taken') return `+ ${as === name ? shown : `${shown} as ${as}`}: ${shownEntry(entry)}${more}`
  if (state === 'same') return `= ${shown}: the same as ${as}${more}`
  return `${SIGNS[state]} ${shown}: ${why.join('; ')}`
}

/**
 * What may be written besides, when it is asked for.
 *
 * @param {Collected} collected
 * @param {Values} values
 * @param {(line: string) => void} print
 */
function propose({ pins, passedOn }, { pin, 'inherit-env': inheritEnv }, print) {
  if (pins.size > 0) {
    print('Your clients call these tools without asking. They could stand in the first list of the gateway:')
    for (const [name, tools] of pins) print(`  ${name}: ${listed(tools)}`)
    print(pin ? '' : 'Write them as pinned tools with --pin.\n')
  }
  const set = commonIn(process.env)
  if (passedOn.size === 0 || set.length === 0) return
  print(
    'Their clients give these servers the variables of your shell, and the gateway does not unless an entry says so:',
  )
  print(`  ${listed([...passedOn.keys()])}`)
  print(`Set here, for example: ${listed(set)}.`)
  print(inheritEnv ? '' : 'Write inheritEnv for them with --inherit-env.\n')
}

/**
 * @param {Collected} collected
 * @param {Values} values
 * @param {string} home
 * @param {(line: string) => void} print
 * @returns {number} the exit code
 */
function finish(collected, { out, pin, force, 'inherit-env': inheritEnv }, home, print) {
  const { found, servers, pins, passedOn } = collected
  const counts = { taken: 0, same: 0, off: 0, ours: 0, bad: collected.unread.length }
  for (const { state } of found) counts[state] += 1
  const rest = [
    { number: counts.same, what: 'the same as another' },
    { number: counts.off + counts.ours, what: 'left' },
    { number: counts.bad, what: 'not readable' },
  ].filter(({ number }) => number > 0)
  const others = rest.length === 0 ? '' : ` (${rest.map(({ number, what }) => `${number} ${what}`).join(', ')})`
  if (out === undefined) {
    print(
      `${count(servers.size)} would be written${others}. Nothing was. To write them: ${commandLine(['import', '--out', 'mcp.json'])}`,
    )
    return 0
  }
  if (pin) for (const [name, tools] of pins) servers.set(name, { ...servers.get(name), alwaysLoad: tools })
  if (inheritEnv) for (const [name, names] of passedOn) servers.set(name, { ...servers.get(name), inheritEnv: names })
  const file = path.resolve(out)
  const { own, kept } = force ? keepOwn(servers, file) : { own: {}, kept: [] }
  writeNew(file, `${JSON.stringify({ ...own, mcpServers: Object.fromEntries(servers) }, undefined, 2)}\n`, { force })
  if (kept.length > 0) print(`Kept, since no client has them and the file that was there did: ${listed(kept)}`)
  print(
    `${count(servers.size)} written to ${shownPath(file, home)}${others}. It may hold keys: it is readable for you alone.`,
  )
  print(`Try them: ${commandLine(['doctor'], { config: file })}`)
  print(`Serve them, instead of the others in your client: ${commandLine([], { config: file })}`)
  return 0
}

/**
 * What of a file that is replaced is its user's: settings, modules and modes, fields that no client has, and servers that
 * were taken out of the clients because the gateway serves them.
 *
 * @param {Map<string, Record<string, any>>} servers get it
 * @returns {{ own: object, kept: string[] }}
 */
function keepOwn(servers, file) {
  const kept = []
  let old
  try {
    old = readFile(file)
  } catch {
    return { own: {}, kept } // it is not there, or holds nothing that could be kept
  }
  const entries = old?.mcpServers
  if (entries === null || typeof entries !== 'object' || Array.isArray(entries)) return { own: {}, kept }
  const byIdentity = new Map([...servers].map(([name, entry]) => [identityOf(entry), name]))
  for (const [name, entry] of Object.entries(entries)) {
    if (entry === null || typeof entry !== 'object') continue
    const same = byIdentity.get(identityOf(entry)) ?? name
    if (servers.has(same)) merge(servers.get(same), entry)
    else {
      servers.set(name, entry)
      kept.push(name)
    }
  }
  return { own: old, kept }
}

function listed(names) {
  const more = names.length - NAMED
  return plain(names.slice(0, NAMED).join(', '), 400) + (more > 0 ? ` and ${more} more` : '')
}

const count = (servers) => (servers === 1 ? '1 server' : `${servers} servers`)
