// SPDX-License-Identifier: Apache-2.0
//
// Profiles of a configuration: named sets of servers, tools and limits. A gateway of one profile reads nothing of the other
// servers: they are not started, listed, named or found.

import { invalid, shown } from '../base/errors.mjs'
import { known, readToken, record, text } from '../base/values.mjs'
import { serverNames, toolRefs } from './groups.mjs'
import { means } from './tool-spelling.mjs'
import { expand } from './variables.mjs'

const KEYS = ['description', 'servers', 'tools', 'disabledTools', 'gateway', 'token']

/**
 * @typedef {object} Profile
 * @property {object} settings that replace those of the configuration
 * @property {(serverName: string) => boolean} has
 * @property {(definition: ServerDefinition) => ServerDefinition | undefined} narrowed a server as the profile has it; undefined
 * when none of its tools is on
 *
 * @typedef {import('./server.mjs').ServerDefinition} ServerDefinition
 */

/**
 * Reads the profile that is asked for. A mistake in it ends the start: it says what somebody must not have.
 *
 * @param {unknown} value `profiles` of the configuration
 * @param {string | undefined} name
 * @param {Set<string>} servers names of all servers of the configuration
 * @returns {Profile | undefined} undefined when none is asked for
 */
export function readProfile(value, name, servers) {
  if (name === undefined) return undefined
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
  const off = toolRefs(profile.disabledTools, `${at}.disabledTools`, servers)
  const of = (refs, serverName) => refs.filter((ref) => ref.serverName === serverName).map(({ toolName }) => toolName)
  const has = (serverName) => whole.has(serverName) || single.some((ref) => ref.serverName === serverName)
  return {
    settings: record(profile.gateway ?? {}, `${at}.gateway`),
    has,
    narrowed: (definition) =>
      narrowed(definition, whole.has(definition.name) ? [] : of(single, definition.name), of(off, definition.name)),
  }
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
      check(readProfile(value, name, servers)?.settings ?? {})
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

/**
 * A server with fewer tools. `only`: all when it is empty.
 *
 * @param {ServerDefinition} definition
 * @param {string[]} only
 * @param {string[]} off
 */
function narrowed(definition, only, off) {
  const { name, disabledTools, onlyAllow } = definition
  // What is on must be on in both, and an empty list of tools that are on means all.
  const isIn = (list, tool) => list.some((each) => means(name, each, tool) || means(name, tool, each))
  const wanted =
    only.length === 0 ? onlyAllow : onlyAllow.length === 0 ? only : only.filter((tool) => isIn(onlyAllow, tool))
  const isNone = only.length > 0 && wanted.length === 0
  const on = wanted.filter((tool) => !isIn(off, tool) && !(onlyAllow.length === 0 && isIn(disabledTools, tool)))
  if (isNone || (wanted.length > 0 && on.length === 0)) return undefined
  const ofEntry = { onlyAllow, disabledTools }
  return { ...definition, onlyAllow: on, disabledTools: [...disabledTools, ...off], ofEntry }
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
