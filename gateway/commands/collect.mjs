// SPDX-License-Identifier: Apache-2.0
//
// What `import` would take: servers of several clients in our spelling, each once, with where each came from and why one
// is not taken.

import path from 'node:path'

import { readFile } from '../config/file.mjs'
import { nearKeys } from '../config/keys.mjs'
import { placesOf, serversOf } from '../config/read.mjs'
import { isOff, spell } from '../config/spelling.mjs'
import { readUrl } from '../config/values.mjs'
import { inputVariable } from '../config/variables.mjs'
import { plain } from '../errors.mjs'

/** Fields of the gateway that an entry may have already. */
const OURS = [
  ...['lazy', 'essential', 'description', 'alwaysLoad', 'capabilities', 'syntheticQueries', 'oauth'],
  ...['toolDescriptionOverrides', 'searchDescriptions'],
]

/**
 * @typedef {object} Found one server of one file
 * @property {string} client
 * @property {string} file
 * @property {string} name the name it has there
 * @property {'taken' | 'same' | 'off' | 'ours' | 'bad'} state
 * @property {string} [as] the name it gets, where it is taken
 * @property {string} [why] where it is not
 * @property {object} [entry] as it is written
 * @property {string[]} pins tools that its client calls without asking
 */

/**
 * @param {{ client: string, file: string, ofProject: boolean }[]} files
 * @param {{ home?: string, project?: string, permissions?: string[] }} where `permissions`: files of Claude Code
 * @returns {{ found: Found[], unread: { client: string, file: string, why: string }[], servers: Map<string, object>,
 * pins: Map<string, string[]> }}
 */
export function collect(files, { home, project, permissions = [] } = {}) {
  const found = []
  const unread = []
  const disabled = rulesOf(permissions, (settings) => settings.disabledMcpjsonServers)
  for (const { client, file, ofProject } of files) {
    try {
      found.push(...entriesOf({ client, file, ofProject, home, project, disabled }))
    } catch (error) {
      unread.push({ client, file, why: plain(error.message) })
    }
  }
  const servers = new Map()
  const byIdentity = new Map()
  for (const each of found.filter(({ state }) => state === 'taken')) {
    const identity = identityOf(each.entry)
    const first = byIdentity.get(identity)
    if (first) {
      each.state = 'same'
      each.as = first.as
      first.pins = [...new Set([...first.pins, ...each.pins])]
      continue
    }
    each.as = freeName(servers, each)
    servers.set(each.as, each.entry)
    byIdentity.set(identity, each)
  }
  return { found, unread, servers, pins: pinsOf(byIdentity.values(), allowedBy(permissions)) }
}

function entriesOf({ client, file, ofProject, home, project, disabled }) {
  const config = readFile(file)
  const own = client === 'Claude Code' && !ofProject ? config.projects?.[project] : undefined
  const lists = [
    hasServers(config) ? serversOf({ ...config, ...(ofProject && { disabledMcpjsonServers: disabled }) }) : undefined,
    own?.mcpServers && serversOf(own),
  ]
  const places = placesOf(file, home)
  return lists.filter(Boolean).flatMap((list) =>
    [...list.entries].map(([name, entry]) => {
      const base = { client, file, name, pins: [] }
      if (isOff(entry) || list.isOffByName(name)) return { ...base, state: 'off', why: 'it is switched off there' }
      if (JSON.stringify(entry ?? null).includes('zoo-tool-router'))
        return { ...base, state: 'ours', why: 'it is this gateway' }
      try {
        const spelt = spell(entry, name, { client: list.client ?? dialectOf(client) })
        if (spelt.isOff) return { ...base, state: 'off', why: 'none of its tools is on there' }
        const written = write(entry, spelt, { ...list, ...places, ofProject })
        const near = nearKeys(entry).map(({ key, meant }) => `the key ${key} is not read; is ${meant} meant?`)
        return {
          ...base,
          state: 'taken',
          entry: written,
          pins: alwaysAllowed(entry),
          why: near.join('; ') || undefined,
        }
      } catch (error) {
        return { ...base, state: 'bad', why: plain(error.message) }
      }
    }),
  )
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

function dialectOf(client) {
  return client === 'Gemini CLI' || client === 'Qwen Code' ? 'gemini' : undefined
}

/** An entry in our spelling. Texts keep their placeholders, except for those that mean something else in another place. */
function write(entry, spelt, { inputs, folder, workspace, ofProject }) {
  const move = (value) => (typeof value === 'string' ? moved(value, spelt, { inputs, workspace, ofProject }) : value)
  const moveAll = (texts) =>
    Object.fromEntries(
      Object.entries(texts)
        .filter(([, value]) => value !== null)
        .map(([key, value]) => [key, move(value)]),
    )
  const place = (value) => {
    const text = move(value)
    return /^[~$]/.test(text) ? text : path.resolve(folder, text)
  }
  const { kind, command, args, env, url, headers } = spelt
  if (kind === 'stdio' ? typeof command !== 'string' : typeof url !== 'string')
    throw new Error(kind === 'stdio' ? 'it has no command' : 'it has no url')
  if (url !== undefined && !url.includes('$')) readUrl(url, 'url')
  const cwd = spelt.cwd ?? (ofProject ? folder : undefined)
  const all =
    kind === 'stdio'
      ? { command: move(command), args: args.map(move), env: moveAll(env), cwd: cwd && place(cwd) }
      : { type: kind === 'sse' ? 'sse' : 'streamable-http', url: move(url), headers: moveAll(headers) }
  const oauth = entry.oauth ?? (typeof entry.auth === 'object' ? entry.auth : undefined)
  const more = {
    envFile: spelt.envFile && place(spelt.envFile),
    timeout: spelt.timeout,
    startTimeout: spelt.startTimeout,
    onlyAllow: spelt.onlyAllow,
    disabledTools: spelt.onlyAllow.length > 0 ? [] : spelt.disabledTools,
    ...Object.fromEntries(OURS.map((key) => [key, entry[key]])),
    oauth,
  }
  return Object.fromEntries(Object.entries({ ...all, ...more }).filter(([, value]) => !isEmpty(value)))
}

function moved(value, { bareNames }, { inputs, workspace, ofProject }) {
  let text = value.replaceAll(/\$\{input:([^{}]+)\}/g, (_, id) => {
    const otherwise = inputs.get(id)?.default
    return `\${${inputVariable(id)}${typeof otherwise === 'string' ? `:-${otherwise}` : ''}}`
  })
  // Elsewhere the same word would mean another folder.
  if (ofProject)
    text = text
      .replaceAll(/\$\{(workspaceFolder|workspaceRoot)\}/g, () => workspace)
      .replaceAll('${workspaceFolderBasename}', () => path.basename(workspace))
  return bareNames ? text.replaceAll(/\$([A-Za-z_]\w*)/g, '${$1}') : text
}

function isEmpty(value) {
  if (value === undefined || value === null || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** What makes one server of two entries: what is started or reached, not how its tools are shown. */
function identityOf({ command, args = [], env = {}, cwd, url }) {
  return JSON.stringify([command, args, Object.entries(env).toSorted(), cwd, url?.replace(/\/$/, '')])
}

function freeName(servers, { name, client }) {
  if (!servers.has(name)) return name
  const other = `${name}-${client.toLowerCase().replaceAll(/\W+/g, '-')}`
  let free = other
  for (let number = 2; servers.has(free); number++) free = `${other}-${number}`
  return free
}

/** Tools that a client calls without asking: its user has found them useful, and safe. */
function alwaysAllowed(entry) {
  const lists = [entry.alwaysAllow, entry.autoApprove].filter(Array.isArray).flat()
  // Codex says it of each tool.
  const approved = Object.entries(entry.tools ?? {}).filter(([, tool]) => tool?.approval_mode === 'approve')
  const names = [...lists, ...approved.map(([name]) => name)]
  return [...new Set(names.filter((name) => typeof name === 'string' && name !== '' && !name.includes('*')))]
}

/** Claude Code's permissions: `mcp__server__tool`. A whole server is no tool. */
function allowedBy(files) {
  const allowed = new Map()
  for (const rule of rulesOf(files, (settings) => settings.permissions?.allow)) {
    const [, server, tool] = /^mcp__(.+?)__([^*(]+)$/.exec(String(rule)) ?? []
    if (tool !== undefined) allowed.set(server, [...(allowed.get(server) ?? []), tool])
  }
  return allowed
}

/** A list that several settings files have. One that cannot be read says nothing. */
function rulesOf(files, pick) {
  return files.flatMap((file) => {
    try {
      const rules = pick(readFile(file))
      return Array.isArray(rules) ? rules : []
    } catch {
      return []
    }
  })
}

function pinsOf(taken, allowed) {
  const pins = new Map()
  for (const { as, name, entry, pins: own } of taken) {
    const { onlyAllow = [], disabledTools = [] } = entry
    // A server's name has other characters for spaces and dots there.
    const more = allowed.get(name) ?? allowed.get(name.replaceAll(/[^\w-]/g, '_')) ?? []
    const on = [...new Set([...own, ...more])].filter(
      (tool) => !disabledTools.includes(tool) && (onlyAllow.length === 0 || onlyAllow.includes(tool)),
    )
    if (on.length > 0 && entry.alwaysLoad === undefined) pins.set(as, on)
  }
  return pins
}
