// SPDX-License-Identifier: Apache-2.0
//
// Profiles of a configuration: named sets of servers, tools and limits. A gateway of one profile reads nothing of the other
// servers: they are not started, listed, named or found.

import { invalid, shown } from '../errors.mjs'
import { known, record } from '../values.mjs'
import { serverNames, toolRefs } from './groups.mjs'

const KEYS = ['description', 'servers', 'tools', 'disabledTools', 'gateway']

/**
 * @typedef {object} Profile
 * @property {object} settings that replace those of the configuration
 * @property {(serverName: string) => boolean} has
 * @property {(definition: object) => object} narrowed a server as the profile has it
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

/** A server with fewer tools. `only`: all when it is empty. */
function narrowed(definition, only, off) {
  const { disabledTools, onlyAllow } = definition
  // What is on must be on in both, and an empty list of tools that are on means all.
  const wanted =
    only.length === 0 ? onlyAllow : onlyAllow.length === 0 ? only : only.filter((tool) => onlyAllow.includes(tool))
  const isNone = only.length > 0 && wanted.length === 0
  const on = wanted.filter((tool) => !off.includes(tool) && !(onlyAllow.length === 0 && disabledTools.includes(tool)))
  if (isNone || (wanted.length > 0 && on.length === 0)) return undefined
  return { ...definition, onlyAllow: on, disabledTools: [...disabledTools, ...off] }
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
