// Definitions of the tools of a mode: as short as a call still works by them, and with what the mode fixes left out.

import { stringify } from '@zoo-code/tool-router/exact-json'

import { plain } from '../base/errors.mjs'

/**
 * Bytes of one compact definition, about 90 tokens: 15 of them and the meta tools stay under 2,000 tokens. Of 1,123
 * real tools two in five are shorter as they are.
 */
const COMPACT_BYTES = 360
/** Characters of a compact description: one sentence of most tools. */
const SENTENCE = 110
/** Characters of a parameter's description, where there is room for any. */
const WORDS = 48
/** Values of an enumeration that stand; a model that does not know them gets the server's own answer. */
const MOST_VALUES = 8
/** Keywords that a model needs to write a value; what else a schema says, the server checks. */
const NEEDED = ['type', 'enum', 'const', 'format', 'items', 'properties', 'required', 'anyOf', 'oneOf']

/** Compact definitions by the rendered tool: a list is rendered after each change. */
const compacted = new WeakMap()

/**
 * @typedef {object} Shape how a mode shows a tool
 * @property {boolean} compact
 * @property {string} [mode] its name
 * @property {{ fixed: Map<string, unknown>, hidden: Set<string> }} [parameters] what the mode fixes and hides
 */

/**
 * A definition in the shape of its mode.
 *
 * @param {import('../catalogue/catalogue.mjs').Tool} tool as the gateway lists it
 * @param {Shape | undefined} shape undefined for the tool as it is
 */
export function shapedTool(tool, shape) {
  if (shape === undefined) return tool
  if (shape.parameters) {
    const shown = { ...tool, inputSchema: without(tool.inputSchema, shape.parameters) }
    return shape.compact ? compactTool(shown) : shown
  }
  if (!shape.compact) return tool
  if (!compacted.has(tool)) compacted.set(tool, compactTool(tool))
  return compacted.get(tool)
}

/** The arguments of a call with what its mode fixes. What the mode hides is not taken from a model. */
export function withFixed(args, parameters) {
  if (parameters === undefined) return args
  const made = {}
  for (const [key, value] of Object.entries(args ?? {})) if (!parameters.hidden.has(key)) define(made, key, value)
  for (const [key, value] of parameters.fixed) define(made, key, value)
  return made
}

/** A schema without parameters that are fixed or hidden. One that the server requires stays, unless it is fixed. */
function without(schema, { fixed, hidden }) {
  const required = Array.isArray(schema.required) ? schema.required : []
  const goes = (key) => fixed.has(key) || (hidden.has(key) && !required.includes(key))
  const properties = {}
  for (const [key, value] of Object.entries(schema.properties ?? {})) if (!goes(key)) define(properties, key, value)
  return { ...schema, properties, ...('required' in schema && { required: required.filter((key) => !goes(key)) }) }
}

/** @param {import('../catalogue/catalogue.mjs').Tool} tool */
export function compactTool({ name, description, inputSchema }) {
  const said = description === undefined ? {} : { description: sentence(description) }
  for (const simpler of SIMPLER) {
    const made = { name, ...said, inputSchema: simpler(inputSchema) }
    if (Buffer.byteLength(stringify(made)) <= COMPACT_BYTES) return made
  }
  return {
    name,
    ...said,
    inputSchema: asManyAsFit(inputSchema, COMPACT_BYTES - stringify({ name, ...said }).length),
  }
}

const SIMPLER = [(schema) => bare(schema, WORDS), (schema) => bare(schema, 0), (schema) => bare(schema, 0, 2)]

/** What a model needs to write a value. Below `depth` only the type is left. */
function bare(schema, words, depth = 12) {
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return schema
  const made = {}
  for (const key of NEEDED) {
    const value = schema[key]
    if (value === undefined || (depth === 0 && key !== 'type')) continue
    if (key === 'enum' && (!Array.isArray(value) || value.length > MOST_VALUES)) continue
    if (key === 'required' && Array.isArray(value) && value.length === 0) continue
    if (key === 'items') made.items = bare(value, words, depth - 1)
    else if (key === 'properties' && value !== null && typeof value === 'object') {
      made.properties = {}
      for (const [name, each] of Object.entries(value)) define(made.properties, name, bare(each, words, depth - 1))
    } else if (Array.isArray(value) && key.endsWith('Of')) made[key] = value.map((each) => bare(each, words, depth - 1))
    else made[key] = value
  }
  // Of the schema as a whole the tool's own description speaks.
  if (words > 0 && depth < 12 && typeof schema.description === 'string')
    made.description = plain(schema.description, words)
  return made
}

/** The parameters that the server requires, then others while there is room; names of the rest are told. */
/**
 * @param {{ properties?: object, required?: unknown }} schema
 * @param {number} room
 */
function asManyAsFit({ properties = {}, required }, room) {
  const needs = new Set(Array.isArray(required) ? required : [])
  const names = Object.keys(properties).toSorted((a, b) => Number(needs.has(b)) - Number(needs.has(a)))
  const made = { type: 'object', properties: {} }
  const left = []
  for (const name of names) {
    const before = made.properties
    made.properties = { ...before }
    define(made.properties, name, bare(properties[name], 0, 1))
    if (needs.has(name) || stringify(made).length <= room - 60) continue
    made.properties = before
    left.push(name)
  }
  if (needs.size > 0) made.required = [...needs]
  if (left.length > 0) made.description = plain(`Also: ${left.join(', ')}`, Math.max(60, room - stringify(made).length))
  return made
}

/** The first sentence. */
function sentence(text) {
  const [first] = text.split(/(?<=[.!?])\s|\n\s*\n/, 1)
  return plain(first.length >= 12 ? first : text, SENTENCE)
}

/** Also a key that is `__proto__`. */
function define(object, key, value) {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}
