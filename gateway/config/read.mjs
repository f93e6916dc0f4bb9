// SPDX-License-Identifier: Apache-2.0
//
// What stands before the gateway: the servers as any MCP client writes them, with our fields for scope, and the gateway's
// own `modules`, `modes` and `gateway`. Read by hand, so that a mistake is named with its path. One bad entry is left
// out and told; it stops no other.

import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { invalid, plain, shown } from '../errors.mjs'
import { Secrets } from '../reach/secrets.mjs'
import { record } from '../values.mjs'
import { readFile } from './file.mjs'
import { readModes, readModules } from './groups.mjs'
import { nearKeys } from './keys.mjs'
import { entryOf, readServer } from './server.mjs'
import { readSettings } from './settings.mjs'
import { isOff, spell } from './spelling.mjs'

/** Hides what looks like a secret, of nobody in particular. */
const NO_SECRETS = new Secrets({})
/** Servers of one gateway: each may be a process. */
const MAX_SERVERS = 500
/** Folders in a project that clients keep their files in. The project is the folder above. */
const CLIENT_FOLDERS = [
  ...['.vscode', '.cursor', '.roo', '.zoo', '.kilocode', '.gemini', '.qwen', '.codex', '.claude', '.amazonq', '.junie'],
  ...['.kiro', '.windsurf', '.zed', '.trae', '.opencode'],
]

/** Where clients keep their servers, and how the key is called. */
const SERVER_KEYS = ['mcpServers', 'servers', 'mcp_servers', 'context_servers', 'amp.mcpServers']

/**
 * @typedef {object} Config
 * @property {Map<string, import('../downstream/downstream.mjs').ServerDefinition>} servers those that are on and can be read
 * @property {{ kind: 'server' | 'module' | 'mode', name: string, reason: string }[]} leftOut bad entries
 * @property {Set<string>} off servers that the user has switched off; nothing else of them is read
 * @property {string[]} notes what a person should look at
 */

/**
 * Reads a configuration file.
 *
 * @param {string} file
 * @param {import('./server.mjs').Where} [where]
 * @returns {Config}
 * @throws {ToolRouterError} `ERR_CONFIG_INVALID` for what is neither JSON nor TOML; `ERR_INVALID_ARGUMENT` that names the
 * field, what was expected and what was received
 */
export function readConfigFile(file, where = {}) {
  return readConfig(readFile(file), { ...placesOf(file, where.home), ...where })
}

/**
 * Folders that a file speaks of. `.cursor/mcp.json` is about the folder above it, and so is `settings/mcp.json` in
 * `.kiro`; other files are about where the gateway was started.
 *
 * @returns {import('./server.mjs').Where}
 */
export function placesOf(file, home = os.homedir()) {
  const folder = path.dirname(path.resolve(file))
  const parts = folder.split(path.sep)
  const at = parts.findLastIndex((part) => CLIENT_FOLDERS.includes(part))
  const project = at > 0 && parts.length - at <= 2 ? parts.slice(0, at).join(path.sep) || path.sep : undefined
  // In the user's own folder such a file is for all projects.
  if (project === undefined || project === home) return { folder, workspace: process.cwd() }
  return { folder: project, workspace: project, cwd: project }
}

/**
 * Reads a configuration.
 *
 * @param {unknown} json `{ mcpServers, modules?, modes?, gateway? }`, or what another client has
 * @param {import('./server.mjs').Where} [where] what relative folders and placeholders refer to
 * @returns {Config}
 */
export function readConfig(json, where = {}) {
  const config = record(json, 'config')
  const { folder = process.cwd() } = where
  const { entries, inputs, client, notes, isOffByName } = serversOf(config)
  if (entries.size > MAX_SERVERS) throw invalid('config.mcpServers', `at most ${MAX_SERVERS} servers`, entries.size)
  const found = { servers: new Map(), leftOut: [], off: new Set(), notes }
  // A token that stands where the name of a variable should is quoted as one.
  const leaveOut = (kind) => (name, error) =>
    found.leftOut.push({ kind, name: plain(name, 128), reason: plain(NO_SECRETS.hide(error.message), 300) })
  for (const [name, entry] of entries) {
    if (isOff(entry) || isOffByName(name)) {
      found.off.add(name)
      continue
    }
    try {
      const at = `config.mcpServers[${shown(name)}]`
      for (const { key, meant } of nearKeys(entryOf(entry, at)))
        notes.push(`${at}: the key ${shown(key)} is not read; is ${meant} meant?`)
      const options = { inputs, client, ...where }
      // All of its tools may be off, which no list of the gateway can say.
      if (spell(entry, at, options).isOff) found.off.add(name)
      else found.servers.set(name, readServer(name, entry, options))
    } catch (error) {
      leaveOut('server')(name, error)
    }
  }
  const known = new Set(entries.keys())
  const modules = readModules(config.modules, known, leaveOut('module'))
  const { modes, defaultMode } = readModes(config.modes, known, modules, leaveOut('mode'))
  return { ...found, modules, modes, defaultMode, settings: readSettings(config.gateway, folder) }
}

/** Gemini CLI's lists of servers that are allowed and excluded, and Claude Code's of those that are disabled. */
function offByName({ mcp, allowMCPServers, excludeMCPServers, disabledMcpServers, disabledMcpjsonServers }) {
  const allowed = [mcp?.allowed, allowMCPServers].find(Array.isArray)
  const excluded = [mcp?.excluded, excludeMCPServers, disabledMcpServers, disabledMcpjsonServers]
    .filter(Array.isArray)
    .flat()
  return (name) => excluded.includes(name) || (allowed !== undefined && !allowed.includes(name))
}

/**
 * The entries of a configuration, whichever key its client keeps them under.
 *
 * @returns {{ entries: Map<string, unknown>, inputs: Map<string, object>, client?: string, notes: string[],
 * isOffByName: (name: string) => boolean }} `isOffByName`: whether the file switches a server off beside its entry
 */
export function serversOf(config) {
  const notes = []
  const entries = new Map()
  const { mcp } = config
  const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value)
  // VS Code's settings hold what its mcp.json holds; opencode's `mcp` are the servers; Gemini's are switches.
  const inSettings = isObject(mcp) && isObject(mcp.servers) ? mcp : undefined
  const isOpencode =
    isObject(mcp) && Object.values(mcp).some((entry) => isObject(entry) && ['local', 'remote'].includes(entry.type))
  const places = SERVER_KEYS.filter((key) => config[key] !== undefined).map((key) => [key, config[key]])
  if (inSettings) places.push(['mcp.servers', inSettings.servers])
  else if (isOpencode) places.push(['mcp', mcp])
  if (places.length === 0) {
    const [near] = nearKeys(config, ['mcpServers', 'servers', 'mcp_servers'])
    if (near) throw invalid('config', near.meant, near.key)
    record(undefined, 'config.mcpServers')
  }
  for (const [key, value] of places) {
    for (const [name, entry] of Object.entries(record(value, `config.${key}`))) {
      if (entries.has(name)) notes.push(`config.${key}[${shown(name)}]: another server has this name; the first counts`)
      else entries.set(name, entry)
    }
  }
  const asked = config.inputs ?? inSettings?.inputs
  const inputs = new Map((Array.isArray(asked) ? asked : []).filter(isObject).map((input) => [String(input.id), input]))
  const client = isOpencode && places.length === 1 ? 'opencode' : undefined
  return { entries, inputs, client, notes, isOffByName: offByName(config) }
}
