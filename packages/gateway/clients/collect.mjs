// What `import` would take: servers of several clients in our spelling, each once, with where each came from and why one
// is not taken.

import os from 'node:os'
import process from 'node:process'

import { readFile } from '../config/file.mjs'
import { notesOn } from '../config/keys.mjs'
import { serversOf } from '../config/places.mjs'
import { MAX_SERVERS, placesOf } from '../config/read.mjs'
import { entryOf, readServer } from '../config/server.mjs'
import { isOff } from '../config/restrictions.mjs'
import { spell } from '../config/spelling.mjs'
import { means } from '../config/tool-spelling.mjs'
import { invalid, plain } from '../base/errors.mjs'
import { programOf } from '../reach/failure.mjs'
import { hasOwnKey, NO_SECRETS } from '../base/secrets.mjs'
import { passedOn } from './environment.mjs'
import { identityOf, merge } from './identity.mjs'
import { Permissions } from './permissions.mjs'
import { write } from './written.mjs'

/** Who writes entries in a way of its own. */
const DIALECTS = { 'Gemini CLI': 'gemini', 'Qwen Code': 'gemini', goose: 'goose', opencode: 'opencode' }
/** Other projects that are named, and characters of each. */
const TOLD = 5
const NAME = 200

/**
 * @typedef {object} Found one server of one file
 * @property {string} client
 * @property {string} file
 * @property {string} name the name it has there
 * @property {'taken' | 'same' | 'off' | 'ours' | 'bad'} state
 * @property {string} [as] the name it gets, where it is taken
 * @property {string[]} why where it is not taken, the reason; otherwise what a person should know
 * @property {Record<string, any>} [entry] as it is written
 * @property {string[]} pins tools that its client calls without asking
 */

/**
 * @typedef {object} Collected
 * @property {Found[]} found
 * @property {{ client: string, file: string, why: string }[]} unread
 * @property {{ file: string, note: string }[]} notes
 * @property {Map<string, Record<string, any>>} servers
 * @property {Map<string, string[]>} pins
 * @property {Map<string, true | string[]>} passedOn what clients give to these servers of their own variables
 */

/**
 * @param {{ client: string, file: string, ofProject: boolean }[]} files
 * @param {{ home?: string, project?: string, permissions?: string[], env?: NodeJS.ProcessEnv }} where `permissions`: files
 * of Claude Code and Zed
 * @returns {Collected}
 */
export function collect(files, { home = os.homedir(), project, permissions = [], env = process.env } = {}) {
  const found = []
  const unread = []
  const notes = []
  const rules = new Permissions(permissions)
  for (const { client, file, ofProject } of files) {
    try {
      const own = []
      found.push(...entriesOf({ client, file, ofProject, home, project, rules, env, notes: own }))
      notes.push(...own.map((note) => ({ file, note: plain(note) })))
    } catch (error) {
      unread.push({ client, file, why: plain(error.message) })
    }
  }
  const taken = new Map()
  const servers = new Map()
  const passed = new Map()
  for (const each of found.filter(({ state }) => state === 'taken')) {
    const twin = taken.get(identityOf(each.entry))
    if (twin && isOtherAccount(twin, each)) each.entry.oauth = { ...each.entry.oauth, account: each.name }
    const identity = identityOf(each.entry)
    const first = taken.get(identity)
    if (first) join(first, each)
    else {
      each.as = freeName(servers, each)
      servers.set(each.as, each.entry)
      taken.set(identity, each)
    }
    const given = each.entry.command === undefined ? undefined : passedOn(each.client)
    if (given !== undefined && passed.get(each.as) !== true && each.entry.inheritEnv === undefined)
      passed.set(each.as, given)
  }
  return { found, unread, notes, servers, pins: pinsOf(taken.values(), rules), passedOn: passed }
}

/** Nobody writes one address twice into one file, except for another account that a browser logs in to. */
function isOtherAccount(first, { file, name, entry }) {
  const headers = new Map(Object.entries(entry.headers ?? {}))
  return first.file === file && first.name !== name && entry.url !== undefined && !hasOwnKey({ ...entry, headers })
}

/** A second entry of one server: what it has more of is taken. */
function join(first, each) {
  each.state = 'same'
  each.as = first.as
  first.pins = [...new Set([...first.pins, ...each.pins])]
  const more = merge(first.entry, each.entry)
  each.why = more.length > 0 ? [`its ${more.join(', ')} is taken`] : []
}

function entriesOf({ client, file, ofProject, home, project, rules, env, notes }) {
  /** @type {any} what some client wrote: an object or a list of servers, or anything else */
  const config = readFile(file, notes)
  const own = client === 'Claude Code' && !ofProject ? config?.projects?.[project] : undefined
  // What `claude mcp add` writes by default is of one project, and starts in its folder.
  const others = client === 'Claude Code' && !ofProject ? otherProjects(config?.projects, project) : []
  if (others.length > 0)
    notes.push(`it has servers of other projects, to be imported from there: ${others.slice(0, TOLD).join(', ')}`)
  const switches = ofProject ? { disabledMcpjsonServers: rules.disabled } : {}
  const lists = [
    hasServers(config) ? serversOf(Array.isArray(config) ? config : { ...config, ...switches }, project) : undefined,
    own?.mcpServers && serversOf(own),
  ]
  const ofFile = { ...placesOf(file, home), ofProject }
  return lists.filter(Boolean).flatMap((list) => {
    const places =
      own !== undefined && list === lists[1] ? { folder: project, workspace: project, ofProject: true } : ofFile
    if (list.entries.size > MAX_SERVERS)
      throw invalid('mcpServers', `at most ${MAX_SERVERS} servers`, list.entries.size)
    notes.push(...list.notes)
    return [...list.entries].map(([name, entry]) => {
      const base = { client, file, name, pins: [], why: [] }
      const left = (state, why) => ({ ...base, state, why: [why] })
      if (isOff(entry) || list.isOffByName(name)) return left('off', 'it is switched off there')
      if (isThisGateway(entry ?? {})) return left('ours', 'it is this gateway')
      try {
        const dialect = list.client ?? DIALECTS[client]
        const spelt = spell(entryOf(entry, 'entry'), 'entry', { client: dialect })
        const denied = deny(spelt, rules.denied(name), name)
        if (spelt.isOff)
          return left('off', denied.length > 0 ? 'its tools are never called there' : 'none of its tools is on there')
        const written = write(entry, spelt, { ...list, ...places })
        const about = notesOn(entry, '', dialect).map((note) => note.replace(/^(: |\.)/, ''))
        // Of a project, and from now on for every window.
        if (places.ofProject && written.cwd === places.folder)
          about.push(`it starts in ${plain(places.folder, NAME)}, whatever project is open`)
        if (denied.length > 0) about.push(`off, since its clients never call it: ${plain(denied.join(', '))}`)
        about.push(...ask(written, rules.asked(name)))
        if (written.command !== undefined && !programOf(written.command)[1])
          about.push('its command holds more than a program; arguments belong in args')
        const missing = missingFor(name, written, { home, env, ...places })
        if (missing !== undefined) about.push(`the gateway leaves it out as long as this is so: ${missing}`)
        return { ...base, state: 'taken', entry: written, pins: alwaysAllowed(entry), why: about }
      } catch (error) {
        return left('bad', plain(NO_SECRETS.hide(error.message).replace(/^entry(\.|: )/, '')))
      }
    })
  })
}

/** Folders of other projects that have servers in Claude Code's own file. */
function otherProjects(projects, project) {
  const named = projects !== null && typeof projects === 'object' ? Object.entries(projects) : []
  const has = (its) => Object.keys(its?.mcpServers ?? {}).length > 0
  return named.filter(([folder, its]) => folder !== project && has(its)).map(([folder]) => plain(folder, NAME))
}

/** Many of these files hold settings of other kinds, and no servers at all. */
function hasServers(config) {
  try {
    serversOf(config)
    return true
  } catch {
    return false
  }
}

/** Whether an entry starts this program as a gateway. A folder of that name makes no gateway of a server. */
export function isThisGateway({ command, cmd, args }) {
  const words = [command, cmd, args].flat().flatMap((word) => String(word).split(/\s+/))
  return words.some((word) => /(^|[\\/])(tool-router-gateway|gateway[\\/]cli\.mjs)(@[\w.-]+)?$/.test(word))
}

/** Switches off in an entry what a rule denies. @returns {string[]} the tools of the rule */
function deny(spelt, denied, name) {
  if (denied.includes('*')) spelt.isOff = true
  spelt.disabledTools = [...new Set([...spelt.disabledTools, ...denied])]
  if (spelt.onlyAllow.length > 0) {
    spelt.onlyAllow = spelt.onlyAllow.filter((tool) => !denied.some((rule) => means(name, rule, tool)))
    spelt.isOff ||= spelt.onlyAllow.length === 0
  }
  return denied
}

/** Has a person asked by the gateway's clients about what their own ask about: as before what destroys. */
function ask(written, asked) {
  const tools = asked.filter((tool) => !tool.includes('*'))
  const rest = asked.filter((tool) => tool.includes('*'))
  if (tools.length > 0)
    written.toolKinds = { ...Object.fromEntries(tools.map((tool) => [tool, 'destructive'])), ...written.toolKinds }
  return [
    ...(tools.length > 0 ? [`asked about before each call, as what destroys is: ${plain(tools.join(', '))}`] : []),
    ...(rest.length > 0
      ? [`its clients ask before ${plain(rest.join(', '))}; name these tools in toolKinds, which takes no *`]
      : []),
  ]
}

/** Why the gateway would leave a written entry out here and now: a variable that is not set, for one. */
function missingFor(name, entry, where) {
  try {
    readServer(name, entry, where)
    return undefined
  } catch (error) {
    return plain(NO_SECRETS.hide(error.message).replace(/^config\.mcpServers\[".*?"\]\.?/, ''))
  }
}

function freeName(servers, { name, client }) {
  if (!servers.has(name)) return name
  const other = `${name}-${client.toLowerCase().replaceAll(/\W+/g, '-')}`
  let free = other
  for (let number = 2; servers.has(free); number++) free = `${other}-${number}`
  return free
}

/** Keys of entries that list the tools that a client calls without asking. */
export const APPROVED_KEYS = ['alwaysAllow', 'autoApprove']

/** Tools that a client calls without asking: its user has found them useful, and safe. */
function alwaysAllowed(entry) {
  const lists = APPROVED_KEYS.flatMap((key) => (Array.isArray(entry[key]) ? entry[key] : []))
  // Codex says it of each tool.
  const approved = Object.entries(entry.tools ?? {}).filter(([, tool]) => tool?.approval_mode === 'approve')
  const names = [...lists, ...approved.map(([name]) => name)]
  return [...new Set(names.filter((name) => typeof name === 'string' && name !== '' && !name.includes('*')))]
}

function pinsOf(taken, rules) {
  const pins = new Map()
  for (const { as, name, entry, pins: own } of taken) {
    const { onlyAllow = [], disabledTools = [] } = entry
    const on = [...new Set([...own, ...rules.allowed(name)])].filter(
      (tool) =>
        !disabledTools.some((off) => means(name, off, tool)) &&
        (onlyAllow.length === 0 || onlyAllow.some((on) => means(name, on, tool))),
    )
    if (on.length > 0 && entry.alwaysLoad === undefined) pins.set(as, on)
  }
  return pins
}
