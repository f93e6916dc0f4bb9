// tool-router-gateway connect-client: writes the gateway into the file of a client, after showing what would change, and takes
// it out again.

import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { commandLine, shellLine } from '../base/command-line.mjs'
import { readFile, readText } from '../config/file.mjs'
import { stateFolder } from '../config/settings.mjs'
import { plain } from '../base/errors.mjs'
import { clientNamed } from '../clients/client-table.mjs'
import { permissionFiles } from '../clients/clients.mjs'
import { APPROVED_KEYS, collect, isThisGateway } from '../clients/collect.mjs'
import { changed, entriesIn } from '../clients/edits.mjs'
import { identityOf } from '../clients/identity.mjs'
import { shownPath } from '../reach/shown.mjs'
import { writeNew } from '../clients/write-file.mjs'

const CLI = fileURLToPath(new URL('../cli.mjs', import.meta.url))
const PACKAGE = '@zoo-code/tool-router-gateway'
/** What the gateway is called in a client, unless somebody says otherwise. */
const NAME = 'gateway'

/**
 * @typedef {object} Values
 * @property {string} [config]
 * @property {string} [project]
 * @property {string} [name]
 * @property {boolean} [bridge]
 * @property {boolean} [replace]
 * @property {boolean} [write]
 * @property {boolean} [undo]
 *
 * @param {Values} values
 * @param {string} clientName
 * @param {(line: string) => void} print
 * @returns {number} the exit code
 */
export function runConnectClient(values, clientName, print) {
  const home = os.homedir()
  const project = values.project === undefined ? undefined : path.resolve(values.project)
  const client = clientNamed(clientName, { home, project })
  if (values.undo) return undo(client, home, print)
  if (values.config === undefined)
    throw new Error('name the configuration of the gateway with --config, or take it out with --undo')
  const plan = planOf(client, { ...values, config: values.config }, { home, project })
  print(`${client.title}  ${shownPath(client.path, home)}`)
  for (const line of plan.lines) print(`  ${line}`)
  print('')
  if (!values.write) {
    print('Nothing was written. Write it with --write; --undo takes it back.')
    return 0
  }
  write(client, plan)
  print(`Written. Restart ${client.title}, or have it read its servers again.`)
  print(
    `Take it back: ${commandLine(['connect-client', clientName, ...(project ? ['--project', project] : []), '--undo'])}`,
  )
  return 0
}

/**
 * What would change: the gateway's entry, and entries that it serves.
 *
 * @param {ReturnType<typeof clientNamed>} client
 * @param {Values & { config: string }} values
 * @param {{ home: string, project?: string }} where
 */
function planOf(client, { config, name, replace, bridge }, { home, project }) {
  const file = path.resolve(config)
  const before = fs.existsSync(client.path) ? readText(client.path) : ''
  const entries = entriesIn(before, client.path, client.key)
  const own = [...entries].filter(([, entry]) => isThisGateway(entry ?? {})).map(([each]) => each)
  const ownName = name ?? own[0] ?? NAME
  if (entries.has(ownName) && !own.includes(ownName))
    throw new Error(`${client.title} has another server called ${plain(ownName, 60)}; choose a name with --name`)
  const command = commandOf(bridge ? 'connect' : 'gateway', file)
  /** @type {Map<string, object | undefined>} undefined: taken out */
  const changes = new Map()
  const lines = [`+ ${ownName}: ${plain([command.command, ...command.args].join(' '), 300)}`]
  for (const other of own.filter((each) => each !== ownName)) {
    changes.set(other, undefined)
    lines.push(`- ${plain(other, 60)}: the gateway under another name`)
  }
  const served = servedBy(file, client, { home, project })
  for (const other of [...entries.keys()].filter((each) => !own.includes(each))) {
    const isTaken = served.has(other) && replace
    if (isTaken) changes.set(other, undefined)
    const stays = served.has(other)
      ? 'it stays; --replace takes out what the gateway serves'
      : 'it stays, since the configuration does not have it as it is here'
    lines.push(isTaken ? `- ${plain(other, 60)}: behind the gateway` : `= ${plain(other, 60)}: ${stays}`)
  }
  const taken = new Map([...served].filter(([each]) => changes.has(each)))
  const { lists, asked } = approvals(new Map([...entries].filter(([each]) => each === ownName || taken.has(each))), {
    ownName,
    taken,
    // Whether tools keep their own names behind the gateway.
    hasOwnNames: /** @type {any} */ (readFile(file, [])).gateway?.namespacing === 'none',
  })
  for (const [key, names] of Object.entries(lists)) lines.push(`  ${key}: ${plain(names.join(', '), 300)}`)
  if (asked.length > 0) lines.push(`  asked for again: ${plain(asked.join(', '), 300)}`)
  changes.set(ownName, { ...client.entry(command, ownName), ...lists })
  for (const [folder, names] of ofProjects(client)) {
    const there = servedBy(file, client, { home, project: folder, ofProject: false })
    const remove = (each) => shellLine(['claude', 'mcp', 'remove', '--scope', 'local', '--', each])
    for (const other of names.filter((each) => there.has(each)))
      lines.push(
        `= ${plain(other, 60)} of ${shownPath(folder, home)}: it runs there beside the gateway, until: ${remove(other)}`,
      )
  }
  const removed = [...changes].filter(([each, entry]) => entry === undefined && !own.includes(each))
  return {
    lines,
    name: ownName,
    removed: removed.map(([each]) => [each, entries.get(each)]),
    after: changed(before, client.path, client.key, changes),
  }
}

/** A name that stands in the gateway's names as it is, and how long those are at most. */
const CLEAN = /^[A-Za-z_](?:-?[A-Za-z0-9_])*$/
const MAX_NAME = 64

/**
 * Tools that a client calls without asking, of servers that go behind the gateway: they stay so, by the names that the gateway lists.
 *
 * @param {Map<string, any>} entries those that go, and the gateway's own
 * @param {{ ownName: string, taken: Map<string, string | undefined>, hasOwnNames: boolean }} how `taken`: what servers that go are called in the
 * configuration of the gateway
 * @returns {{ lists: Record<string, string[]>, asked: string[] }} `asked`: tools whose names are known only when they are listed
 */
function approvals(entries, { ownName, taken, hasOwnNames }) {
  /** @type {Record<string, string[]>} */
  const lists = {}
  const asked = []
  for (const key of APPROVED_KEYS) {
    const names = [...(entries.get(ownName)?.[key] ?? [])]
    for (const [client, server] of taken) {
      const tools = entries.get(client)?.[key]
      for (const tool of Array.isArray(tools) ? tools.filter((each) => typeof each === 'string') : []) {
        const name = hasOwnNames ? tool : `mcp--${server}--${tool}`
        const isListed = hasOwnNames || (CLEAN.test(server ?? '') && CLEAN.test(tool) && name.length <= MAX_NAME)
        ;(isListed ? names : asked).push(isListed ? name : tool)
      }
    }
    if (names.length > 0) lists[key] = [...new Set(names)]
  }
  return { lists, asked }
}

/** What Claude Code has for one project alone, in the file of all: names of servers, by folder. @returns {[string, string[]][]} */
function ofProjects({ path: file, title }) {
  if (title !== 'Claude Code' || !fs.existsSync(file)) return []
  const { projects } = /** @type {any} */ (readFile(file, []))
  return Object.entries(projects ?? {}).map(([folder, its]) => [folder, Object.keys(its?.mcpServers ?? {})])
}

/** Names of entries of a client that the configuration of the gateway has, each with what it is called there. */
function servedBy(file, client, { home, project, ofProject = project !== undefined }) {
  const where = { home, project, permissions: permissionFiles({ home, project }) }
  const of = (source) =>
    collect([source], where).found.flatMap(({ name, entry }) =>
      entry === undefined ? [] : [{ name, identity: identityOf(entry) }],
    )
  const known = new Map(of({ client: 'gateway', file, ofProject: false }).map(({ name, identity }) => [identity, name]))
  const theirs = fs.existsSync(client.path) ? of({ client: client.title, file: client.path, ofProject }) : []
  return new Map(theirs.flatMap(({ name, identity }) => (known.has(identity) ? [[name, known.get(identity)]] : [])))
}

/** How a client starts the gateway: by the program that runs now, which is there whatever PATH the client has. */
function commandOf(command, config) {
  const args = [command, '--config', config]
  // What npx has fetched for one run may be gone tomorrow.
  if (!/[\\/]_npx[\\/]/.test(CLI)) return { command: process.execPath, args: [CLI, ...args] }
  const npx = ['-y', PACKAGE, ...args]
  return process.platform === 'win32' ? { command: 'cmd', args: ['/c', 'npx', ...npx] } : { command: 'npx', args: npx }
}

function write({ path: file, key }, { after, name, removed }) {
  const bytes = fs.existsSync(file) ? fs.readFileSync(file) : undefined
  const earlier = readRecord(file)
  // Written twice: what was there first is what comes back.
  const before = earlier && bytes && earlier.after === digest(bytes) ? earlier.before : bytes?.toString('base64')
  const again = earlier && before === earlier.before ? earlier.removed : []
  const record = { file, key, name, before, after: digest(after), removed: [...again, ...removed] }
  writeNew(recordFile(file), JSON.stringify(record), { force: true })
  if (bytes === undefined) writeNew(file, after, { force: true, mode: 0o600 })
  else overwrite(file, after)
}

/** A link leads to the file that is meant, as in a folder of dotfiles. */
function overwrite(file, content) {
  const real = fs.realpathSync(file)
  writeNew(real, content, { force: true, mode: fs.statSync(real).mode & 0o777 })
}

/** Puts back what was there, or where the file has changed since, takes out the gateway's entry alone. */
function undo(client, home, print) {
  const { path: file } = client
  const record = readRecord(file)
  if (record === undefined) throw new Error(`nothing of the gateway was written to ${shownPath(file, home)} from here`)
  const bytes = fs.existsSync(file) ? fs.readFileSync(file) : undefined
  if (bytes !== undefined && digest(bytes) === record.after) {
    if (record.before === undefined) fs.rmSync(file)
    else overwrite(file, Buffer.from(record.before, 'base64'))
    print(`${shownPath(file, home)} is as it was.`)
  } else if (bytes !== undefined) {
    const text = readText(file)
    const entries = entriesIn(text, file, client.key)
    const back = record.removed.filter(([name]) => !entries.has(name))
    const changes = new Map(back)
    if (isThisGateway(entries.get(record.name) ?? {})) changes.set(record.name, undefined)
    overwrite(file, changed(text, file, client.key, changes))
    print(
      `${shownPath(file, home)} has changed since: the gateway is taken out, and ${back.length} servers are put back.`,
    )
  }
  fs.rmSync(recordFile(file))
  return 0
}

const digest = (content) => createHash('sha256').update(content).digest('hex')

/** Where it is kept what a file held: it may hold keys, as the file does. */
function recordFile(file) {
  return path.join(stateFolder(), 'clients', `${digest(file).slice(0, 32)}.json`)
}

function readRecord(file) {
  try {
    return JSON.parse(fs.readFileSync(recordFile(file), 'utf8'))
  } catch {
    return undefined
  }
}
