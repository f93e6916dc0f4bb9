// Extensions of the protocol: what clients and servers declare of them, as far as a gateway can keep what is declared.

import { isDeep, isObject } from './values.mjs'

const UI = 'io.modelcontextprotocol/ui'

/** Extensions of one side, characters of a name, and of the settings of one. */
const MAX_COUNT = 32
const MAX_NAME = 200
const MAX_SETTINGS = 16_384

/**
 * Not declared on: the gateway waits for tasks itself, so that nobody behind it knows their ids; it passes no methods of skills,
 * whose files are resources; and it is the gateway that logs in to servers and to which clients log in.
 */
const NOT_PASSED = new Set([
  'io.modelcontextprotocol/tasks',
  'io.modelcontextprotocol/skills',
  'io.modelcontextprotocol/oauth-client-credentials',
  'io.modelcontextprotocol/enterprise-managed-authorization',
])

/** What servers that many clients share are told: of the extensions that are known, all that a client could show. */
export const CLIENT_EXTENSIONS = { [UI]: { mimeTypes: ['text/html;profile=mcp-app'] } }

/** @typedef {Record<string, Record<string, unknown>>} Extensions settings by name */

/**
 * Extensions as a peer declares them, without those that a gateway cannot keep and those that are too large.
 *
 * @param {unknown} declared `capabilities.extensions`
 * @returns {Extensions | undefined} undefined when nothing is left
 */
export function passedExtensions(declared) {
  if (!isObject(declared)) return undefined
  const passed = Object.entries(declared)
    .filter(([name, settings]) => name.length <= MAX_NAME && !NOT_PASSED.has(name) && isObject(settings))
    .filter(([, settings]) => !isDeep(settings) && JSON.stringify(settings).length <= MAX_SETTINGS)
    .slice(0, MAX_COUNT)
  return passed.length === 0 ? undefined : Object.fromEntries(passed)
}

/** Capabilities of a client as its servers are told them. @param {Record<string, any> | undefined} capabilities */
export function passedCapabilities(capabilities = {}) {
  if (capabilities.extensions === undefined) return capabilities
  const { extensions, ...rest } = capabilities
  const passed = passedExtensions(extensions)
  return passed === undefined ? rest : { ...rest, extensions: passed }
}

/**
 * What clients are told: every extension that a server declares. Where several declare one, of its settings those that all
 * of them have, so that no server is promised to do more than it does.
 *
 * @param {(Extensions | undefined)[]} ofServers
 * @returns {Extensions}
 */
export function declaredExtensions(ofServers) {
  /** @type {Map<string, any>} */
  const found = new Map()
  for (const extensions of ofServers)
    for (const [name, settings] of Object.entries(extensions ?? {}))
      if (found.has(name)) found.set(name, shared(found.get(name), settings))
      else if (found.size < MAX_COUNT) found.set(name, settings)
  return Object.fromEntries(found)
}

/** What two values have in common; undefined for nothing. */
function shared(one, other) {
  if (Array.isArray(one) && Array.isArray(other)) {
    const others = new Set(other.map((each) => JSON.stringify(each)))
    return one.filter((each) => others.has(JSON.stringify(each)))
  }
  if (isObject(one) && isObject(other)) {
    const both = Object.entries(one).filter(([key]) => Object.hasOwn(other, key))
    const values = both.map(([key, value]) => [key, shared(value, other[key])])
    return Object.fromEntries(values.filter(([, value]) => value !== undefined))
  }
  return one === other ? one : undefined
}
