// Modules and modes of a configuration: named groups of tools, and kinds of tasks with the tools they are done with.

import { invalid, shown } from '../base/errors.mjs'
import { flag, known, oneOf, record, text } from '../base/values.mjs'
import { list, names, readName } from './values.mjs'

/**
 * Named groups of tools: of whole servers, of single tools, or both.
 *
 * @param {unknown} value
 * @param {Set<string>} servers names of the configuration, those that are off or left out among them
 * @param {(at: string, name: string, error: Error) => void} leaveOut what is done with a bad one
 */
export function readModules(value, servers, leaveOut) {
  return each(value, 'config.modules', leaveOut, (name, entry, at) => {
    if (servers.has(name)) throw invalid(at, 'a name that no server has: every server is a module already', name)
    const group = known(entry, at, ['description', 'servers', 'tools', 'essential'])
    return {
      name,
      description: group.description === undefined ? undefined : text(group.description, `${at}.description`),
      servers: serverNames(group.servers, `${at}.servers`, servers),
      tools: toolRefs(group.tools, `${at}.tools`, servers),
      essential: flag(group.essential, `${at}.essential`),
    }
  })
}

/** Needs of one mode: each is a ranking. */
const NEEDS = { entries: 20, characters: 200 }
/** What a mode may say. */
const MODE_KEYS = ['description', 'examples', 'servers', 'modules', 'tools', 'needs', 'parameters', 'definitions']

/**
 * Modes: a kind of task, and the tools it is done with.
 *
 * @typedef {import('../catalogue/catalogue-entry.mjs').ToolId} ToolId
 *
 * @typedef {object} Mode
 * @property {string} name
 * @property {string} description
 * @property {string[]} examples
 * @property {string[]} servers
 * @property {string[]} modules
 * @property {ToolId[]} tools
 * @property {string[]} needs
 * @property {Map<string, { fixed: Map<string, unknown>, hidden: Set<string> }>} parameters what is fixed and hidden, by `server/tool`
 * @property {boolean} compact
 *
 * @returns {{ modes: Map<string, Mode>, defaultMode: string | null | undefined }} `defaultMode`: what serves a task that
 * no mode matches; null: the servers that suit it; undefined: the nearest mode
 */
export function readModes(value, servers, modules, leaveOut) {
  const { default: otherwise, ...rest } = record(value ?? {}, 'config.modes')
  // A mode may be called `default` too.
  const isMode = otherwise !== null && typeof otherwise === 'object'
  const modes = readEach(isMode ? value : rest, servers, modules, leaveOut)
  if (isMode || otherwise === undefined || otherwise === null || modes.has(otherwise))
    return { modes, defaultMode: isMode ? undefined : otherwise }
  leaveOut('default', invalid('config.modes.default', 'the name of a mode, or null for none', otherwise))
  return { modes, defaultMode: undefined }
}

function readEach(value, servers, modules, leaveOut) {
  return each(value, 'config.modes', leaveOut, (name, entry, at) => {
    const mode = known(entry, at, MODE_KEYS)
    const ofModules = names(mode.modules, `${at}.modules`)
    for (const module of ofModules) {
      if (!modules.has(module) && !servers.has(module)) throw invalid(`${at}.modules`, 'names of modules', module)
    }
    return {
      name,
      description: text(mode.description, `${at}.description`),
      examples: names(mode.examples, `${at}.examples`),
      servers: serverNames(mode.servers, `${at}.servers`, servers),
      modules: ofModules,
      tools: toolRefs(mode.tools, `${at}.tools`, servers),
      needs: names(mode.needs, `${at}.needs`, NEEDS),
      parameters: readParameters(mode.parameters, `${at}.parameters`, servers),
      compact: oneOf(mode.definitions ?? 'compact', `${at}.definitions`, ['compact', 'whole']) === 'compact',
    }
  })
}

/** Values of a file that are sent: a number that was changed when it was read would reach another row. */
function exact(value, at) {
  JSON.stringify(value, (key, each) => {
    if (Number.isInteger(each) && !Number.isSafeInteger(each))
      throw invalid(at, `whole numbers of at most ${Number.MAX_SAFE_INTEGER}`, `a larger one in ${shown(key)}`)
    return each
  })
  return value
}

/** What a mode fixes and hides, by `server/tool`. */
function readParameters(value, at, servers) {
  const found = new Map()
  for (const [tool, entry] of Object.entries(record(value ?? {}, at))) {
    const where = `${at}[${shown(tool)}]`
    const [{ serverName, toolName }] = toolRefs([tool], where, servers)
    const { fixed, hidden } = known(entry, where, ['fixed', 'hidden'])
    found.set(`${serverName}/${toolName}`, {
      fixed: new Map(Object.entries(exact(record(fixed ?? {}, `${where}.fixed`), `${where}.fixed`))),
      hidden: new Set(names(hidden, `${where}.hidden`)),
    })
  }
  return found
}

function each(value, at, leaveOut, read) {
  const found = new Map()
  for (const [name, entry] of Object.entries(record(value ?? {}, at))) {
    const where = `${at}[${shown(name)}]`
    try {
      readName(name, where)
      found.set(name, read(name, entry, where))
    } catch (error) {
      leaveOut(name, error)
    }
  }
  return found
}

export function serverNames(value, at, servers) {
  const found = names(value, at)
  for (const name of found) if (!servers.has(name)) throw invalid(at, 'names of mcpServers', name)
  return found
}

/** `server/tool`, or `{ serverName, toolName }` where a name holds a slash. */
export function toolRefs(value, at, servers) {
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
