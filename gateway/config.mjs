// SPDX-License-Identifier: Apache-2.0
//
// What stands before the gateway: the `mcpServers` JSON that MCP clients share, with our fields for scope, and the
// gateway's own `modules`, `modes` and `gateway`. Read by hand, so that a mistake is named with its path.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { invalid, routerError, shown } from './errors.mjs'
import { DEFAULT_META_TOOLS, META_TOOL_NAMES } from './meta-tools.mjs'

/** Bytes of a configuration file: far more than anybody writes, far less than memory. */
const MAX_FILE_BYTES = 4 * 1024 * 1024
/** Servers of one gateway: each may be a process. */
const MAX_SERVERS = 500
/** Entries of one list in the configuration. */
const MAX_LIST = 5_000
/** Characters of a name: what the router takes is 512 bytes, and 128 characters may be that. */
const MAX_NAME = 128
/** Characters of any other text. */
const MAX_TEXT = 32_768
/** What the router takes of a registry entry, were each character three bytes long. */
const REGISTRY = {
  description: 5_000,
  capability: { entries: 100, characters: 66 },
  syntheticQuery: { entries: 100, characters: 333 },
}
/** Seconds a call may take when nothing is said: what other MCP clients use. */
const DEFAULT_TIMEOUT_S = 60

const TRANSPORTS = { stdio: 'stdio', http: 'http', 'streamable-http': 'http', streamableHttp: 'http' }

/** The gateway's settings, each with its default. */
const DEFAULTS = {
  /** The meta tools that are offered, in this order. */
  metaTools: DEFAULT_META_TOOLS,
  /** Tools that one `mcp_load` attaches. */
  searchK: 10,
  /** Tools of a focused set: models choose worse past 15, and a task needs several. */
  focusK: 12,
  /** Tools listed at most, meta tools included: the limit of several model APIs. */
  maxTools: 128,
  /** Tokens of the first list at most. Pins that do not fit wait until they are asked for. */
  initialTokens: 2_000,
  /** Clients of one HTTP endpoint at most. */
  maxSessions: 100,
  /** Seconds after which a silent HTTP session ends. */
  sessionIdleS: 1_800,
  /** Seconds after which an unused lazy server is stopped; it starts again on use. */
  serverIdleS: 600,
  /** Folder of tool lists of lazy servers; `false`: each is started once to be asked. */
  cacheDir: undefined, // that of the user
  /** Passes `outputSchema` on. Off: one schema that a client cannot compile costs it the whole list. */
  outputSchemas: false,
}

/**
 * Reads a configuration file.
 *
 * @param {string} file
 * @throws {ToolRouterError} `ERR_CONFIG_INVALID` for what is no JSON; `ERR_INVALID_ARGUMENT` that names the field, what
 * was expected and what came
 */
export function readConfigFile(file) {
  let text
  try {
    const { size } = fs.statSync(file)
    if (size > MAX_FILE_BYTES) throw invalid('config', `a file of at most ${MAX_FILE_BYTES} bytes`, size)
    text = fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (error.name === 'ToolRouterError') throw error
    throw routerError('ERR_INVALID_ARGUMENT', `config: cannot be read (${error.code ?? error.message}); check the path`, error)
  }
  let json
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    // V8 quotes the text in its message, and this file may hold tokens.
    const at = /position (\d+)/.exec(error.message)?.[1]
    const line = at === undefined ? '' : ` in line ${text.slice(0, Number(at)).split('\n').length}`
    throw routerError('ERR_CONFIG_INVALID', `config: expected JSON, got a syntax error${line}`)
  }
  return readConfig(json, { folder: path.dirname(path.resolve(file)) })
}

/**
 * Reads a configuration.
 *
 * @param {unknown} json `{ mcpServers, modules?, modes?, gateway? }`
 * @param {{ folder?: string, env?: NodeJS.ProcessEnv }} [where] what relative folders and `${env:NAME}` refer to
 */
export function readConfig(json, { folder = process.cwd(), env = process.env } = {}) {
  const config = record(json, 'config')
  const servers = new Map()
  const entries = Object.entries(record(config.mcpServers ?? config.servers, 'config.mcpServers'))
  if (entries.length > MAX_SERVERS) throw invalid('config.mcpServers', `at most ${MAX_SERVERS} servers`, entries.length)
  for (const [name, entry] of entries) servers.set(name, readServer(name, entry, { folder, env }))
  const modules = readModules(config.modules, servers)
  const modes = readModes(config.modes, servers, modules)
  return { servers, modules, modes, settings: readSettings(config.gateway, folder) }
}

/**
 * One server of the configuration. Unknown fields are left alone: the file is shared with other clients.
 *
 * @returns {import('./downstream.mjs').ServerDefinition}
 */
export function readServer(name, entry, { folder = process.cwd(), env = process.env } = {}) {
  const at = `config.mcpServers[${shown(name)}]`
  readName(name, at)
  const server = record(entry, at)
  const expand = (value, where) => expandVariables(text(value, where), where, env)
  const kind = server.type ?? server.transport ?? (server.url === undefined ? 'stdio' : 'http')
  if (typeof kind !== 'string' || !Object.hasOwn(TRANSPORTS, kind)) throw invalid(`${at}.type`, 'stdio or streamable-http', kind)
  const transport = TRANSPORTS[kind]
  const how =
    transport === 'stdio'
      ? {
          command: expand(server.command, `${at}.command`),
          args: list(server.args, `${at}.args`).map((value, index) => expand(value, `${at}.args[${index}]`)),
          env: texts(server.env, `${at}.env`, env),
          cwd: server.cwd === undefined ? undefined : path.resolve(folder, expand(server.cwd, `${at}.cwd`)),
        }
      : { url: readUrl(expand(server.url, `${at}.url`), `${at}.url`), headers: texts(server.headers, `${at}.headers`, env) }
  return {
    name,
    transport,
    ...how,
    disabled: flag(server.disabled, `${at}.disabled`),
    lazy: flag(server.lazy, `${at}.lazy`),
    essential: flag(server.essential, `${at}.essential`),
    timeoutMs: 1000 * integer(server.timeout, `${at}.timeout`, 1, 3_600, DEFAULT_TIMEOUT_S),
    description: server.description === undefined ? undefined : text(server.description, `${at}.description`, REGISTRY.description),
    disabledTools: names(server.disabledTools, `${at}.disabledTools`),
    onlyAllow: names(server.onlyAllow, `${at}.onlyAllow`),
    alwaysLoad:
      typeof server.alwaysLoad === 'boolean' ? server.alwaysLoad : names(server.alwaysLoad, `${at}.alwaysLoad`),
    toolDescriptionOverrides: texts(server.toolDescriptionOverrides, `${at}.toolDescriptionOverrides`),
    searchDescriptions: texts(server.searchDescriptions, `${at}.searchDescriptions`),
    capabilities: names(server.capabilities, `${at}.capabilities`, REGISTRY.capability),
    syntheticQueries: names(server.syntheticQueries, `${at}.syntheticQueries`, REGISTRY.syntheticQuery),
  }
}

/** Named groups of tools: of whole servers, of single tools, or both. */
function readModules(value, servers) {
  const modules = new Map()
  for (const [name, entry] of Object.entries(record(value ?? {}, 'config.modules'))) {
    const at = `config.modules[${shown(name)}]`
    readName(name, at)
    if (servers.has(name)) throw invalid(at, 'a name that no server has: every server is a module already', name)
    const group = known(record(entry, at), at, ['description', 'servers', 'tools', 'essential'])
    modules.set(name, {
      name,
      description: group.description === undefined ? undefined : text(group.description, `${at}.description`),
      servers: serverNames(group.servers, `${at}.servers`, servers),
      tools: toolRefs(group.tools, `${at}.tools`, servers),
      essential: flag(group.essential, `${at}.essential`),
    })
  }
  return modules
}

/** Modes: a kind of task, and the tools it is done with. */
function readModes(value, servers, modules) {
  const modes = new Map()
  for (const [name, entry] of Object.entries(record(value ?? {}, 'config.modes'))) {
    const at = `config.modes[${shown(name)}]`
    readName(name, at)
    const mode = known(record(entry, at), at, ['description', 'examples', 'servers', 'modules', 'tools'])
    const ofModules = names(mode.modules, `${at}.modules`)
    for (const module of ofModules) {
      if (!modules.has(module) && !servers.has(module)) throw invalid(`${at}.modules`, 'names of modules', module)
    }
    modes.set(name, {
      name,
      description: text(mode.description, `${at}.description`),
      examples: names(mode.examples, `${at}.examples`),
      servers: serverNames(mode.servers, `${at}.servers`, servers),
      modules: ofModules,
      tools: toolRefs(mode.tools, `${at}.tools`, servers),
    })
  }
  return modes
}

function readSettings(value, folder) {
  const at = 'config.gateway'
  const given = known(record(value ?? {}, at), at, Object.keys(DEFAULTS))
  const number = (key, least, most) => integer(given[key], `${at}.${key}`, least, most, DEFAULTS[key])
  const metaTools = given.metaTools === undefined ? DEFAULTS.metaTools : names(given.metaTools, `${at}.metaTools`)
  for (const name of metaTools) {
    if (!META_TOOL_NAMES.includes(name)) throw invalid(`${at}.metaTools`, `some of ${META_TOOL_NAMES.join(', ')}`, name)
  }
  return {
    metaTools: [...new Set(metaTools)],
    searchK: number('searchK', 1, 100),
    focusK: number('focusK', 1, 100),
    maxTools: number('maxTools', 8, 10_000),
    initialTokens: number('initialTokens', 0, 1_000_000),
    maxSessions: number('maxSessions', 1, 900),
    sessionIdleMs: 1000 * number('sessionIdleS', 1, 86_400),
    serverIdleMs: 1000 * number('serverIdleS', 1, 86_400),
    cacheDir: readCacheDir(given.cacheDir, `${at}.cacheDir`, folder),
    outputSchemas: flag(given.outputSchemas, `${at}.outputSchemas`),
  }
}

function readCacheDir(value, at, folder) {
  if (value === false) return undefined
  if (value !== undefined) return path.resolve(folder, text(value, at))
  const base = {
    win32: process.env.LOCALAPPDATA ?? path.join(os.homedir(), 'AppData', 'Local'),
    darwin: path.join(os.homedir(), 'Library', 'Caches'),
  }[process.platform]
  return path.join(base ?? (process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache')), 'zoo-tool-router', 'gateway')
}

// --- kinds of values ---------------------------------------------------------------------------

function record(value, at) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw invalid(at, 'an object', value)
  return value
}

function known(value, at, keys) {
  for (const key of Object.keys(value)) if (!keys.includes(key)) throw invalid(at, `only the keys ${keys.join(', ')}`, key)
  return value
}

function text(value, at, most = MAX_TEXT) {
  if (typeof value !== 'string' || value === '' || value.length > most || value.includes('\0')) {
    throw invalid(at, `text of 1 to ${most} characters`, typeof value === 'string' ? `${value.length} characters` : value)
  }
  return value
}

function readName(value, at) {
  // Control and format characters would let a name change what a person sees in a log.
  if (typeof value !== 'string' || value === '' || value.length > MAX_NAME || /[\p{Cc}\p{Cf}]/u.test(value)) {
    throw invalid(at, `a name of 1 to ${MAX_NAME} visible characters`, value)
  }
}

function list(value, at, most = MAX_LIST) {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length > most) throw invalid(at, `an array of at most ${most}`, value)
  return value
}

function names(value, at, { entries = MAX_LIST, characters = MAX_TEXT } = {}) {
  return list(value, at, entries).map((name, index) => text(name, `${at}[${index}]`, characters))
}

/** An object of texts as a Map: whatever its keys are called, `__proto__` included. Values are never shown. */
function texts(value, at, env) {
  const found = new Map()
  for (const [key, entry] of Object.entries(record(value ?? {}, at))) {
    if (typeof entry !== 'string' || entry.length > MAX_TEXT) throw invalid(`${at}[${shown(key)}]`, 'text', typeof entry)
    found.set(key, env === undefined ? entry : expandVariables(entry, `${at}[${shown(key)}]`, env))
  }
  return found
}

function flag(value, at) {
  if (value !== undefined && typeof value !== 'boolean') throw invalid(at, 'true or false', value)
  return value ?? false
}

function integer(value, at, least, most, otherwise) {
  if (value === undefined) return otherwise
  if (!Number.isInteger(value) || value < least || value > most) {
    throw invalid(at, `an integer from ${least} to ${most}`, value)
  }
  return value
}

function serverNames(value, at, servers) {
  const found = names(value, at)
  for (const name of found) if (!servers.has(name)) throw invalid(at, 'names of mcpServers', name)
  return found
}

/** `server/tool`, or `{ serverName, toolName }` where a name holds a slash. */
function toolRefs(value, at, servers) {
  return list(value, at).map((entry, index) => {
    const where = `${at}[${index}]`
    const slash = typeof entry === 'string' ? entry.indexOf('/') : -1
    const [serverName, toolName] =
      typeof entry === 'string'
        ? [entry.slice(0, Math.max(slash, 0)), entry.slice(slash + 1)]
        : [record(entry, where).serverName, entry.toolName]
    text(toolName, where)
    if (!servers.has(serverName)) throw invalid(where, '"server/tool" with a server of mcpServers', entry)
    return { serverName, toolName }
  })
}

/** Replaces `${env:NAME}`: the only way in which a variable of the gateway reaches a server. */
function expandVariables(value, at, env) {
  return value.replaceAll(/\$\{env:([A-Za-z_]\w*)\}/g, (_, name) => {
    const found = Object.hasOwn(env, name) ? env[name] : undefined
    if (found === undefined) throw invalid(at, `the environment variable ${name} to be set`, 'unset')
    return found
  })
}

function readUrl(value, at) {
  let url
  try {
    url = new URL(value)
  } catch {
    throw invalid(at, 'an http or https URL', 'what is none')
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw invalid(at, 'an http or https URL', url.protocol)
  if (url.username || url.password) throw invalid(at, 'a URL without user and password; use headers', 'one with them')
  return url
}
