// What one tool may cost in a list. A definition that is too large is cut step by step, never refused: a tool with a
// shorter description can still be called, and a looser schema refuses nothing that the server takes.

import { stringify } from '@zoo-code/tool-router/exact-json'

/** Characters of a description within a schema after the first cut. */
const SHORT = 200
/** Values of an enumeration that stand after the first cut; longer ones are left out whole, never in part. */
const MOST_VALUES = 30
/** Bytes that a description is left at least. */
const LEAST_DESCRIPTION = 500

/** Keywords that say nothing a model needs to fill a parameter in. */
const DECORATION = new Set(['title', 'example', '$comment', '$schema', '$id', 'markdownDescription'])

/**
 * @param {import('../catalogue/catalogue.mjs').Tool} tool as it would be listed
 * @param {number} maxBytes of it as JSON
 * @returns {import('../catalogue/catalogue.mjs').Tool} the tool, or one that is cut
 */
export function boundedTool(tool, maxBytes) {
  if (bytesOf(tool) <= maxBytes) return tool
  const { outputSchema, _meta, ...bare } = tool
  const half = Math.max(LEAST_DESCRIPTION, Math.floor(maxBytes / 2))
  const described = { ...bare, ...('description' in bare && { description: cut(bare.description, half) }) }
  for (const simpler of SIMPLER) {
    const made = { ...described, inputSchema: simpler(tool.inputSchema) }
    if (bytesOf(made) <= maxBytes) return made
  }
  // The name, a description that fits, and a schema that takes anything.
  const { name, title, annotations, description } = described
  const small = { name, inputSchema: ANYTHING }
  for (const [key, value] of Object.entries({ title, annotations }))
    if (value !== undefined && bytesOf({ ...small, [key]: value }) <= maxBytes / 2) small[key] = value
  return description === undefined ? small : { ...small, description: cut(description, half / 2) }
}

const ANYTHING = { type: /** @type {const} */ ('object'), description: 'Left out: too large.' }

/** Schemas in fewer words, each cutting more than the previous one. */
const SIMPLER = [
  (schema) => schema,
  (schema) => rewritten(schema, { longest: SHORT }),
  (schema) => rewritten(schema, { longest: 0 }),
  outline,
  () => ANYTHING,
]

/** A schema without decoration, with short descriptions and enumerations. */
function rewritten(schema, { longest }) {
  if (Array.isArray(schema)) return schema.map((each) => rewritten(each, { longest }))
  if (schema === null || typeof schema !== 'object') return schema
  const made = {}
  for (const [key, value] of Object.entries(schema)) {
    if (DECORATION.has(key) && typeof value !== 'object') continue
    if (key === 'examples' && Array.isArray(value)) continue
    if (key === 'description' && typeof value === 'string') {
      if (longest > 0) made.description = cut(value, longest)
    } else if (key === 'enum' && Array.isArray(value) && value.length > MOST_VALUES) continue
    else define(made, key, rewritten(value, { longest }))
  }
  return made
}

/** The parameters' names and types alone. */
/** @param {{ properties?: object, required?: unknown }} schema */
function outline({ properties = {}, required }) {
  const made = {}
  for (const [key, value] of Object.entries(properties))
    define(made, key, typeof value?.type === 'string' ? { type: value.type } : {})
  return { type: 'object', properties: made, ...(Array.isArray(required) && { required }) }
}

/** Also a key that is `__proto__`. */
function define(object, key, value) {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}

/** A text of at most so many bytes, with what was cut said at its end. */
function cut(text, most) {
  const bytes = Buffer.byteLength(text)
  if (bytes <= most) return text
  const note = ` [cut, ${text.length} characters in all]`
  const room = Math.max(0, most - note.length)
  return (
    Buffer.from(text)
      .subarray(0, room)
      .toString('utf8')
      .replace(/\ufffd+$/, '') + note
  )
}

function bytesOf(value) {
  return Buffer.byteLength(stringify(value))
}
