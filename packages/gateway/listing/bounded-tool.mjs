// What one tool may cost in a list. A definition that is too large is cut step by step, never refused: a tool with a
// shorter description can still be called, and a looser schema refuses nothing that the server takes.

import { stringify } from '@zoo-code/tool-router/exact-json'

import { compactSchema } from './shaped-tool.mjs'

/** Bytes that a description is left at least. */
const MIN_DESCRIPTION = 500

/**
 * @param {import('../catalogue/catalogue.mjs').Tool} tool as it would be listed
 * @param {number} maxBytes of it as JSON
 * @returns {import('../catalogue/catalogue.mjs').Tool} the tool, or one that is cut
 */
export function boundedTool(tool, maxBytes) {
  if (bytesOf(tool) <= maxBytes) return tool
  const { outputSchema, _meta, ...bare } = tool
  const half = Math.max(MIN_DESCRIPTION, Math.floor(maxBytes / 2))
  const described = { ...bare, ...('description' in bare && { description: cut(bare.description, half) }) }
  for (const shorter of [(schema) => schema, () => compactSchema(tool), parameters, () => ANYTHING]) {
    const made = { ...described, inputSchema: shorter(tool.inputSchema) }
    if (bytesOf(made) <= maxBytes) return made
  }
  const { name, description = '' } = described
  return { name, description: cut(description, half / 2), inputSchema: ANYTHING }
}

const ANYTHING = { type: /** @type {const} */ ('object'), description: 'Left out: too large.' }

/** The parameters' names and types alone. */
/** @param {{ properties?: object, required?: unknown }} schema */
function parameters({ properties = {}, required }) {
  const made = Object.entries(properties).map(([key, value]) => [
    key,
    typeof value?.type === 'string' ? { type: value.type } : {},
  ])
  return { type: 'object', properties: Object.fromEntries(made), ...(Array.isArray(required) && { required }) }
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
