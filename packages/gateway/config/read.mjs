// What stands before the gateway: the servers as any MCP client writes them, with our fields for scope, and the gateway's
// own `modules`, `modes` and `gateway`. Read by hand, so that a mistake is named with its path. One bad entry is left
// out and told; it stops no other.

import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { invalid, plain, shown } from '../base/errors.mjs'
import { NO_SECRETS } from '../base/secrets.mjs'
import { record } from '../base/values.mjs'
import { readFile } from './file.mjs'
import { readModes, readModules } from './groups.mjs'
import { groupsOf, readProfile, readProfiles } from './profiles.mjs'
import { notesOn, restrictionsBeside, restrictionsOf } from './keys.mjs'
import { SERVER_KEYS, serversOf } from './places.mjs'
import { entryOf, readServer } from './server.mjs'
import { readSettings } from './settings.mjs'
import { withShipped } from './shipped.mjs'
import { isOff } from './restrictions.mjs'
import { spell } from './spelling.mjs'

/** Servers of one gateway: each may be a process. */
export const MAX_SERVERS = 500
/** What is read beside the servers, by the gateway or where a client switches its servers. */
const BESIDE = [
  ...['gateway', 'modules', 'modes', 'profiles', 'programs', 'inputs', 'projects', ...SERVER_KEYS],
  ...['mcp', 'extensions', 'experimental', 'allowMCPServers', 'excludeMCPServers'],
  ...['disabledMcpServers', 'disabledMcpjsonServers'],
]
/** Folders in a project that clients keep their files in. The project is the folder above. */
const CLIENT_FOLDERS = [
  ...['.vscode', '.cursor', '.roo', '.zoo', '.kilocode', '.gemini', '.qwen', '.codex', '.claude', '.amazonq', '.junie'],
  ...['.kiro', '.windsurf', '.zed', '.trae', '.opencode', '.continue'],
]

/**
 * @typedef {object} Config
 * @property {Map<string, import('./server.mjs').ServerDefinition>} servers those that are on and can be read
 * @property {{ kind: 'server' | 'module' | 'mode' | 'profile', name: string, reason: string }[]} leftOut bad entries
 * @property {string} [profile] that is served, if not all; of several their names as JSON
 * @property {(definition: import('./server.mjs').ServerDefinition) => import('./server.mjs').ServerDefinition | undefined} narrowed a
 * server as the profile has it
 * @property {Map<string, { token?: string }>} profiles that are served beside all of it; none by a gateway of one profile
 * @property {Set<string>} off servers that the user has switched off; nothing else of them is read
 * @property {string[]} unsure servers that another gateway may restrict in a way that is not read
 * @property {import('../base/command-line.mjs').From} [from] what was read
 * @property {string[]} notes what a person should look at
 * @property {ReturnType<typeof readModules>} modules
 * @property {ReturnType<typeof readModes>['modes']} modes
 * @property {ReturnType<typeof readModes>['defaultMode']} defaultMode
 * @property {ReturnType<typeof readSettings>} settings
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
  const notes = []
  const { workspace } = where
  const from = { config: path.resolve(file), ...(workspace !== undefined && { workspace: path.resolve(workspace) }) }
  const config = readConfig(readFile(file, notes), { ...placesOf(file, where.home), from, ...where })
  return { ...config, notes: [...notes, ...config.notes] }
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
  const { folder = process.cwd(), workspace = folder, env = process.env, home } = where
  const { entries, inputs, client, isBare, notes, isOffByName } = serversOf(json, where.workspace)
  // Nothing beside the servers is read where they are all that there is.
  const config = isBare ? {} : record(json, 'config')
  const known = new Set(entries.keys())
  const profile = readProfile(config.profiles, where.profile, known)
  const scope = { env, workspace, folder, home }
  const given = profile ? { ...config.gateway, ...profile.settings } : config.gateway
  const settings = readSettings(given, folder, scope, where.fixed)
  const narrowed = (definition) => (profile ? profile.narrowed(definition) : definition)
  if (entries.size > MAX_SERVERS) throw invalid('config.mcpServers', `at most ${MAX_SERVERS} servers`, entries.size)
  /** @type {Pick<Config, 'servers' | 'leftOut' | 'off' | 'unsure' | 'notes'>} */
  const found = { servers: new Map(), leftOut: [], off: new Set(), unsure: [], notes }
  // A token that stands where the name of a variable should is quoted as one.
  const leaveOut = (/** @type {Config['leftOut'][number]['kind']} */ kind) => (name, error) =>
    found.leftOut.push({ kind, name: plain(name, 128), reason: plain(NO_SECRETS.hide(error.message), 300) })
  for (const [name, entry] of entries) {
    if (profile && !profile.has(name)) continue
    if (isComment(name, entry)) continue
    if (isOff(entry) || isOffByName(name)) {
      found.off.add(name)
      continue
    }
    try {
      const at = `config.mcpServers[${shown(name)}]`
      const written = entryOf(entry, at)
      notes.push(...notesOn(written, at, client))
      if (restrictionsOf(written, client).length > 0) found.unsure.push(name)
      const options = { inputs, client, timeoutS: settings.timeout, inheritEnv: settings.inheritEnv, ...where }
      // All of its tools may be off, which no list of the gateway can say.
      if (spell(written, at, options).isOff) found.off.add(name)
      else {
        const definition = readServer(name, entry, options)
        const served = narrowed(definition)
        if (served) found.servers.set(name, served)
        else found.off.add(name)
      }
    } catch (error) {
      leaveOut('server')(name, error)
    }
  }
  const beside = isBare ? [] : restrictionsBeside(config, [...entries.keys()], readBeside(client))
  notes.push(...beside.map((key) => `config: the key ${shown(key)} may restrict a server, and is not read here`))
  if (beside.length > 0) found.unsure.push(...found.servers.keys())
  const modules = readModules(config.modules, known, leaveOut('module'))
  const { modes, defaultMode } = readModes(withShipped(config.modes, where.modes), known, modules, leaveOut('mode'))
  const of = (groups) => (profile ? groupsOf(groups, profile) : groups)
  const check = (own) => readSettings({ ...config.gateway, ...own }, folder, scope)
  const profiles = profile
    ? new Map()
    : readProfiles(config.profiles, known, scope, { check, leaveOut: leaveOut('profile') })
  // Reasons for modules and modes name servers of other profiles.
  if (profile) found.leftOut = found.leftOut.filter(({ kind }) => kind === 'server')
  return {
    ...found,
    ...(where.from && { from: where.from }),
    narrowed,
    modules: of(modules),
    modes: of(modes),
    defaultMode,
    settings,
    profiles,
    profile: Array.isArray(where.profile) ? JSON.stringify(where.profile) : where.profile,
  }
}

const readBeside = (client) => (client === 'opencode' ? [...BESIDE, 'tools', 'permission'] : BESIDE)

/** A text where an entry should be, under a name as people give it to a comment. */
const isComment = (name, entry) => typeof entry === 'string' && /^(_|\/\/|#|\$)/.test(name)
