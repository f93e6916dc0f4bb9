// `x-mcp-header`: a parameter that a modern server over HTTP wants to see in a header too, so that what stands between
// may route by it.

import { numberOf } from '@zoo-code/tool-router/exact-json'

const KEY = 'x-mcp-header'
const PREFIX = 'Mcp-Param-'
/** A field name of RFC 9110, 5.1. */
const FIELD_NAME = /^[\w!#$%&'*+\-.^`|~]+$/
const TYPES = ['string', 'integer', 'boolean']
/** Keywords whose values are instances, not schemas. */
const INSTANCES = new Set(['default', 'examples', 'enum', 'const'])
/** What a header value may hold as it is; anything else is written in base64. */
const PLAIN = /^(?! )[\x20-\x7e]*(?<! )$/
const ENCODED = /^=\?base64\?.*\?=$/

/**
 * The parameters of a tool that are to stand in headers.
 *
 * @param {unknown} inputSchema as a server wrote it
 * @returns {{ path: string[], name: string }[] | undefined} undefined when the schema asks for what the protocol forbids:
 * such a tool must not be used over HTTP
 */
export function headerParameters(inputSchema) {
  const found = []
  const collect = (schema, path) => {
    for (const [key, property] of Object.entries(schema?.properties ?? {})) {
      if (property === null || typeof property !== 'object') continue
      const inner = [...path, key]
      if (isAnnotation(property)) found.push({ path: inner, name: property[KEY], type: property.type })
      collect(property, inner)
    }
  }
  collect(inputSchema, [])
  const isAllowed = ({ name, type }) => typeof name === 'string' && FIELD_NAME.test(name) && TYPES.includes(type)
  const names = new Set(found.map(({ name }) => String(name).toLowerCase()))
  // One that stands anywhere else is not reached by its path.
  if (names.size < found.length || !found.every(isAllowed) || countAnnotations(inputSchema) > found.length)
    return undefined
  return found.map(({ path, name }) => ({ path, name }))
}

function isAnnotation(schema) {
  return Object.hasOwn(schema, KEY) && (schema[KEY] === null || typeof schema[KEY] !== 'object')
}

function countAnnotations(value) {
  if (value === null || typeof value !== 'object') return 0
  let count = !Array.isArray(value) && isAnnotation(value) ? 1 : 0
  for (const [key, inner] of Object.entries(value)) if (!INSTANCES.has(key)) count += countAnnotations(inner)
  return count
}

/** The headers of one call. @param {{ path: string[], name: string }[]} parameters @param {object} [args] */
export function parameterHeaders(parameters, args) {
  const headers = {}
  for (const { path, name } of parameters) {
    const given = path.reduce((inner, key) => inner?.[key], args)
    const value = numberOf(given) ?? given
    const text =
      typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : undefined
    if (text !== undefined) headers[PREFIX + name] = encoded(text)
  }
  return headers
}

function encoded(text) {
  if (PLAIN.test(text) && !ENCODED.test(text)) return text
  return `=?base64?${Buffer.from(text).toString('base64')}?=`
}
