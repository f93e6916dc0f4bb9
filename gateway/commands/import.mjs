// SPDX-License-Identifier: Apache-2.0
//
// zoo-tool-router import: finds the files of installed clients, shows what it would take, and writes one file of it.

import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { plain } from '../errors.mjs'
import { Secrets } from '../reach/secrets.mjs'
import { clientFiles, permissionFiles } from './clients.mjs'
import { collect } from './collect.mjs'

/** Tools named for one server. */
const NAMED = 8
const SIGNS = { taken: '+', same: '=', off: '-', ours: '-', bad: '!' }

/**
 * @param {{ from?: string[], project?: string, out?: string, pin?: boolean, force?: boolean }} values
 * @param {(line: string) => void} print
 * @returns {number} the exit code
 */
export function runImport({ from = [], project = process.cwd(), out, pin, force }, print) {
  const home = os.homedir()
  const where = { home, project: path.resolve(project) }
  const wanted = (client) =>
    from.length === 0 || from.some((name) => client.toLowerCase().includes(name.toLowerCase().replaceAll('-', ' ')))
  const files = clientFiles(where).filter(({ client }) => wanted(client))
  const { found, unread, servers, pins } = collect(files, { ...where, permissions: permissionFiles(where) })
  const told = files.filter(({ file }) => [...found, ...unread].some((each) => each.file === file))
  for (const { client, file } of told) {
    print(`${client}  ${short(file, home)}`)
    for (const each of found.filter((entry) => entry.file === file)) print(`  ${describe(each)}`)
    for (const { why } of unread.filter((entry) => entry.file === file)) print(`  ! ${why}`)
    print('')
  }
  if (servers.size === 0) {
    print(told.length === 0 ? 'no file of a client was found here' : 'none of these servers can be taken')
    return 1
  }
  if (pins.size > 0) {
    print('Your clients call these tools without asking. They could stand in the first list of the gateway:')
    for (const [name, tools] of pins) print(`  ${name}: ${listed(tools)}`)
    print(pin ? '' : 'Write them as pinned tools with --pin.\n')
  }
  if (out === undefined) {
    print(`${count(servers.size)} would be written. Nothing was. To write them: zoo-tool-router import --out mcp.json`)
    return 0
  }
  if (pin) for (const [name, tools] of pins) servers.set(name, { ...servers.get(name), alwaysLoad: tools })
  const file = path.resolve(out)
  writeNew(file, `${JSON.stringify({ mcpServers: Object.fromEntries(servers) }, undefined, 2)}\n`, force)
  print(`${count(servers.size)} written to ${short(file, home)}. It may hold keys: it is readable for you alone.`)
  print(`Try them:   zoo-tool-router doctor --config ${out}`)
  print(`Serve them: zoo-tool-router gateway --config ${out}, in place of the others in your client`)
  return 0
}

function describe({ state, name, as, why, entry, client }) {
  const sign = SIGNS[state]
  const shown = plain(name, 60)
  if (state === 'taken')
    return `${sign} ${as === name ? shown : `${shown} as ${as}`}: ${inShort(entry)}${why ? ` (${why})` : ''}`
  if (state === 'same') return `${sign} ${shown}: the same as ${as}`
  return `${sign} ${shown}: ${why ?? client}`
}

/** What is started or reached, without what may be a secret. */
function inShort({ command, args = [], env = {}, url, headers = {} }) {
  if (url !== undefined) return plain(url.split('?')[0].replace(/\/\/[^/@]*@/, '//'), 80)
  const secrets = new Secrets({
    command,
    args,
    env: new Map(Object.entries(env).map(([key, value]) => [key, String(value)])),
    headers: new Map(Object.entries(headers)),
  })
  return plain(secrets.hide([path.basename(command.split(/\s+/)[0]), ...args].join(' ')), 80)
}

/** Written beside and renamed, under a name that nobody can guess, so that a link that waits there is not followed. */
function writeNew(file, text, force = false) {
  const exists = fs.lstatSync(file, { throwIfNoEntry: false })
  if (exists && !force) throw new Error(`${file} is there already; name another file, or replace it with --force`)
  if (exists && !exists.isFile()) throw new Error(`${file} is no regular file; name another one`)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const draft = `${file}.${randomUUID()}`
  try {
    fs.writeFileSync(draft, text, { mode: 0o600, flag: 'wx' })
    fs.renameSync(draft, file)
  } catch (error) {
    fs.rmSync(draft, { force: true })
    throw error
  }
}

function listed(tools) {
  const more = tools.length - NAMED
  return plain(tools.slice(0, NAMED).join(', '), 400) + (more > 0 ? ` and ${more} more` : '')
}

const count = (servers) => (servers === 1 ? '1 server' : `${servers} servers`)
const short = (file, home) => (file.startsWith(home + path.sep) ? `~${file.slice(home.length)}` : file)
