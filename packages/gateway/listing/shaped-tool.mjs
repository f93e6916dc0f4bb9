// Definitions of the tools of a mode: in fewer tokens, and with what the mode fixes left out.

import { parse, stringify } from '@zoo-code/tool-router/exact-json'
import addon from '@zoo-code/tool-router/internal'
import { plain } from '../base/errors.mjs'

/** Characters of a compact description: one sentence of most tools. */
const SENTENCE = 110

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

/** A tool with one sentence, and its parameters. @param {import('../catalogue/catalogue.mjs').Tool} tool */
function compactTool(tool) {
  const { name, description } = tool
  return {
    name,
    ...(description !== undefined && { description: sentence(description) }),
    inputSchema: compactSchema(tool, { descriptions: false }),
  }
}

/**
 * A schema that accepts the same in fewer tokens.
 *
 * @param {import('../catalogue/catalogue.mjs').Tool} tool
 * @param {{ descriptions?: boolean }} [options] whether descriptions of parameters stay
 */
export function compactSchema({ name, description, inputSchema }, options = {}) {
  try {
    const said = typeof description === 'string' ? description.toWellFormed() : undefined
    return parse(addon.ToolRouter.compactSchema(stringify(inputSchema), { name, description: said, ...options }))
  } catch {
    // Larger than any schema that the router takes, or none that JSON can say.
    return inputSchema
  }
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
