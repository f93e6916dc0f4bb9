// Where a file keeps its servers: under the key of its client, in a list, or with nothing around them; and what switches a
// server or its tools off beside the entry itself.

import { invalid, plain, shown } from '../base/errors.mjs'
import { isObject, record } from '../base/values.mjs'
import { isOfGoose, isServer } from './dialects.mjs'
import { nearKeys } from './keys.mjs'

/** Where clients keep their servers, and how the key is called. */
export const SERVER_KEYS = ['mcpServers', 'servers', 'mcp_servers', 'context_servers', 'amp.mcpServers']
/** Extensions that are parts of goose itself, not servers. */
const PARTS_OF_GOOSE = ['builtin', 'platform', 'frontend']

/**
 * @typedef {object} Servers
 * @property {Map<string, unknown>} entries
 * @property {Map<string, { default?: unknown }>} inputs VS Code's `inputs` by id
 * @property {string} [client] whose file it is, where its form says so
 * @property {boolean} isBare whether the servers are all that the file holds
 * @property {string[]} notes
 * @property {(name: string) => boolean} isOffByName whether the file switches a server off beside its entry
 */

/**
 * The entries of a configuration, whichever key its client keeps them under.
 *
 * @param {unknown} config
 * @param {string} [project] its folder, for Claude Code's file of the user, which has switches for each project
 * @returns {Servers}
 */
export function serversOf(config, project) {
  /** @type {string[]} */
  const notes = []
  const { places, client, isBare } = placesIn(config, notes)
  const entries = new Map()
  for (const [key, value] of places) {
    for (const [name, entry] of namedEntries(value, key)) {
      if (entries.has(name)) notes.push(`${key}[${shown(name)}]: another server has this name; the first counts`)
      else entries.set(name, entry)
    }
  }
  if (isBare) return { entries, inputs: new Map(), client, isBare, notes, isOffByName: () => false }
  const whole = record(config, 'config')
  const { inputs: asked = whole.mcp?.inputs } = whole
  const inputs = new Map((Array.isArray(asked) ? asked : []).filter(isObject).map((input) => [String(input.id), input]))
  if (client === 'goose') leaveToGoose(entries, notes)
  if (client === 'opencode') switchTools(entries, whole)
  return { entries, inputs, client, isBare, notes, isOffByName: offByName(whole, project) }
}

/** Where servers are, with whose file it is by its form. */
function placesIn(config, notes) {
  if (Array.isArray(config)) return { places: [['config', config]], isBare: true }
  const { mcp, extensions, experimental } = record(config, 'config')
  const places = SERVER_KEYS.filter((key) => config[key] !== undefined).map((key) => [`config.${key}`, config[key]])
  // VS Code's settings hold what its mcp.json holds; opencode's `mcp` are the servers; Gemini's are switches.
  if (isObject(mcp) && isObject(mcp.servers)) places.push(['config.mcp.servers', mcp.servers])
  else if (isObject(mcp) && Object.values(mcp).some((entry) => ['local', 'remote'].includes(entry?.type))) {
    places.push(['config.mcp', mcp])
    if (places.length === 1) return { places, client: 'opencode', isBare: false }
  } else if (isObject(mcp) && Object.values(mcp).some(isServer)) places.push(['config.mcp', mcp])
  if (Array.isArray(experimental?.modelContextProtocolServers))
    places.push(['config.experimental.modelContextProtocolServers', experimental.modelContextProtocolServers])
  if (places.length > 0) return { places, isBare: false }
  if (isObject(extensions) && Object.values(extensions).some(isOfGoose))
    return { places: [['config.extensions', extensions]], client: 'goose', isBare: false }
  if (isServer(config)) {
    notes.push('config: this is one server with nothing around it; it is read as one')
    return {
      places: [['config', { [typeof config.name === 'string' ? config.name : 'server']: config }]],
      isBare: true,
    }
  }
  const values = Object.values(config)
  if (values.every(isObject) && values.some(isServer)) {
    notes.push('config: these are servers without mcpServers around them; they are read as such')
    return { places: [['config', config]], isBare: true }
  }
  const [near] = nearKeys(config, ['mcpServers', 'servers', 'mcp_servers'])
  if (near) throw invalid('config', near.meant, near.key)
  throw invalid('config.mcpServers', 'an object', undefined)
}

/** Names and entries, also of a list whose entries name themselves, as Continue has it. */
function namedEntries(value, at) {
  const isList = Array.isArray(value) && (value.length === 0 || value.some(isObject))
  if (!isList) return Object.entries(record(value, at))
  const names = new Set()
  return value.map((entry, index) => {
    const own = typeof entry?.name === 'string' && entry.name !== '' ? entry.name : `server-${index + 1}`
    // Two of one name in a list are two servers.
    const name = names.has(own) ? `${own}-${index + 1}` : own
    names.add(name)
    return [name, entry]
  })
}

/**
 * Gemini CLI's lists of servers that are allowed and excluded, and Claude Code's of those that are disabled, in one project
 * or everywhere.
 */
function offByName(config, project) {
  const { mcp, allowMCPServers, excludeMCPServers, disabledMcpServers, disabledMcpjsonServers, projects } = config
  const here = isObject(projects) && project !== undefined && Object.hasOwn(projects, project) ? projects[project] : {}
  const allowed = [mcp?.allowed, allowMCPServers].find(Array.isArray)
  const lists = [mcp?.excluded, excludeMCPServers, disabledMcpServers, disabledMcpjsonServers, here?.disabledMcpServers]
  const excluded = lists.filter(Array.isArray).flat()
  return (name) => excluded.includes(name) || (allowed !== undefined && !allowed.includes(name))
}

function leaveToGoose(entries, notes) {
  const own = [...entries].filter(([, entry]) => PARTS_OF_GOOSE.includes(entry?.type)).map(([name]) => name)
  for (const name of own) entries.delete(name)
  if (own.length > 0) notes.push(`config.extensions: ${plain(own.join(', '))}: parts of goose, not servers`)
}

/**
 * opencode switches tools beside its servers: `"tools": { "files_delete*": false }`, or `deny` in `permission`. Of those
 * about a whole server the last of the longest counts; a tool that is off stays off.
 */
function switchTools(entries, { tools, permission }) {
  const read = (said, off) =>
    Object.entries(isObject(said) ? said : {}).map(([pattern, value]) => ({ pattern, isOn: value !== off }))
  const switches = [...read(tools, false), ...read(permission, 'deny')].toSorted(
    (a, b) => a.pattern.length - b.pattern.length,
  )
  for (const [name, entry] of entries) {
    if (!isObject(entry)) continue
    const prefix = `${name.replaceAll(/[^\w-]/g, '_')}_`
    let isOff = false
    const disabledTools = []
    for (const { pattern, isOn } of switches) {
      // One that matches every tool of a server: `*`, `files*` and `files_*` for the server `files`.
      if (/^[^*]*\*$/.test(pattern) && prefix.startsWith(pattern.slice(0, -1))) isOff = !isOn
      else if (pattern.startsWith(prefix) && !isOn) disabledTools.push(pattern.slice(prefix.length))
    }
    if (isOff) entries.set(name, { ...entry, enabled: false })
    else if (disabledTools.length > 0)
      entries.set(name, { ...entry, disabledTools: [...(entry.disabledTools ?? []), ...disabledTools] })
  }
}
