// Profiles of a configuration: named sets of servers, tools and limits. Who has one sees, finds and calls nothing else.

import { invalid, shown } from '../base/errors.mjs'
import { known, readToken, record, text } from '../base/values.mjs'
import { serverNames, toolRefs } from './groups.mjs'
import { settingsThat } from './settings.mjs'
import { means } from './tool-spelling.mjs'
import { expand } from './variables.mjs'

const KEYS = ['description', 'servers', 'tools', 'disabledTools', 'gateway', 'token']
/**
 * What a profile has of a server.
 *
 * @typedef {object} Part
 * @property {string[]} [only] these tools, as they are spelt; all when it is left out
 * @property {string[]} off less these
 * @property {boolean} [readOnly] and of them what is known to only read
 *
 * @typedef {object} Profile
 * @property {Record<string, unknown>} settings that replace those of the configuration
 * @property {(serverName: string) => boolean} has
 * @property {(definition: ServerDefinition) => ServerDefinition | undefined} narrowed a server as the profile has it; undefined
 * when none of its tools is on
 *
 * @typedef {import('./server.mjs').ServerDefinition} ServerDefinition
 */

/**
 * Reads the profile that is asked for, or of several what any of them has. A mistake in one ends the start: it says what
 * somebody must not have.
 *
 * @param {unknown} value `profiles` of the configuration
 * @param {string | string[] | undefined} asked
 * @param {Set<string>} servers names of all servers of the configuration
 * @returns {Profile | undefined} undefined when none is asked for
 */
export function readProfile(value, asked, servers) {
  if (asked === undefined) return undefined
  const each = [asked].flat().map((name) => readOne(value, name, servers))
  // Of two that say how much there may be, the first counts.
  const settings = Object.assign({}, ...each.map((profile) => profile.settings).toReversed())
  if ('readOnly' in settings) settings.readOnly = each.every((profile) => profile.settings.readOnly === true)
  const has = (serverName) => each.some(({ partOf }) => partOf(serverName) !== undefined)
  const narrowed = (definition) => {
    const parts = each.flatMap(({ partOf }) => partOf(definition.name) ?? []).filter((part) => isSome(part, definition))
    if (parts.length === 0) return undefined
    return parts.some(isWhole) ? definition : { ...definition, parts }
  }
  return { settings, has, narrowed }
}

/** @returns {{ settings: Record<string, unknown>, partOf: (serverName: string) => Part | undefined }} */
function readOne(value, name, servers) {
  const profiles = record(value ?? {}, 'config.profiles')
  if (!Object.hasOwn(profiles, name))
    throw invalid(
      'profile',
      `a profile of the configuration (${Object.keys(profiles).join(', ') || 'it has none'})`,
      name,
    )
  const at = `config.profiles[${shown(name)}]`
  const profile = known(profiles[name], at, KEYS)
  const whole = new Set(serverNames(profile.servers, `${at}.servers`, servers))
  const single = toolRefs(profile.tools, `${at}.tools`, servers)
  const disabled = toolRefs(profile.disabledTools, `${at}.disabledTools`, servers)
  // Servers are shared, and what is withheld of them is withheld from all.
  const settings = known(profile.gateway ?? {}, `${at}.gateway`, settingsThat('profile'))
  if (settings.readOnly === false) throw invalid(`${at}.gateway.readOnly`, 'true, or nothing', false)
  const of = (refs, serverName) => refs.filter((ref) => ref.serverName === serverName).map(({ toolName }) => toolName)
  const partOf = (serverName) => {
    const only = of(single, serverName)
    if (!whole.has(serverName) && only.length === 0) return undefined
    const part = { off: of(disabled, serverName), ...(settings.readOnly === true && { readOnly: true }) }
    return whole.has(serverName) ? part : { ...part, only }
  }
  return { settings, partOf }
}

/** @param {Part} part */
const isWhole = ({ only, off, readOnly }) => only === undefined && off.length === 0 && !readOnly

/**
 * Whether a tool may be left: the configuration may have off what alone a profile has of a server.
 *
 * @param {Part} part
 * @param {ServerDefinition} definition
 */
function isSome(part, { name, disabledTools, onlyAllow }) {
  if (part.only === undefined) return true
  const isIn = (list, tool) => list.some((each) => means(name, each, tool) || means(name, tool, each))
  const isAllowed = (tool) => onlyAllow.length === 0 || isIn(onlyAllow, tool)
  return part.only.some((tool) => isAllowed(tool) && !isIn(disabledTools, tool) && !isIn(part.off, tool))
}

/**
 * Reads all profiles, for a gateway that serves each under a path of its own, or by its token. One with a mistake is left
 * out and told.
 *
 * @param {unknown} value `profiles` of the configuration
 * @param {Set<string>} servers names of all servers of the configuration
 * @param {import('./variables.mjs').Scope} scope what placeholders of tokens stand for
 * @param {{ check: (settings: object) => void, leaveOut: (name: string, error: Error) => void }} how `check` throws where
 * the settings of a profile are wrong
 * @returns {Map<string, { token?: string }>}
 */
export function readProfiles(value, servers, scope, { check, leaveOut }) {
  const found = new Map()
  for (const [name, entry] of Object.entries(value ?? {})) {
    try {
      const { settings } = readOne(value, name, servers)
      check(settings)
      found.set(name, { token: tokenOf(entry, `config.profiles[${shown(name)}].token`, scope, found) })
    } catch (error) {
      leaveOut(name, error)
    }
  }
  return found
}

function tokenOf({ token }, at, scope, others) {
  if (token === undefined) return undefined
  const found = readToken(expand(text(token, at), at, scope), at)
  // It says which profile is meant.
  if ([...others.values()].some((other) => other.token === found))
    throw invalid(at, 'a token that no other profile has', 'one that another has')
  return found
}

/** Groups and modes of a configuration without what is not of a profile; those of which nothing is left are gone. */
export function groupsOf(groups, profile) {
  const found = new Map()
  for (const [name, group] of groups) {
    const servers = group.servers.filter(profile.has)
    const tools = group.tools.filter(({ serverName }) => profile.has(serverName))
    // A mode that says what it needs is bound to what is there.
    const isEmpty =
      !group.needs?.length && servers.length + tools.length === 0 && group.servers.length + group.tools.length > 0
    if (!isEmpty) found.set(name, { ...group, servers, tools })
  }
  return found
}
