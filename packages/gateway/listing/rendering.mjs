// A tool of a server as the gateway lists it. One tool that a client's SDK refuses would cost the whole list, so what
// does not fit the protocol is left out field by field.

import { isSpecType } from '@modelcontextprotocol/server'

import addon from '@zoo-code/tool-router/internal'
import { parse, stringify } from '@zoo-code/tool-router/exact-json'
import { boundedTool } from './bounded-tool.mjs'
import { calledBy } from '../names/call-kinds.mjs'
import { shapedTool } from './shaped-tool.mjs'
import { plain } from '../base/errors.mjs'
import { isDown } from './unavailable.mjs'

/** Characters of `_meta` and `annotations`: hints, not documents. */
const MAX_HINTS = 4_096
/** Characters of a description in an answer. */
export const SUMMARY = 160
/** Definitions in one answer, in characters: some 10,000 tokens. What does not fit is told in short. */
export const DEFINED_BYTES = 40_000
/** Parameters named in an answer to the model. */
const MAX_PARAMETERS = 30

/** @typedef {Record<string, unknown> & { name: string }} Described a tool in an answer to the model */

/** Rendered tools by the tool as it was listed, for either era: checking one against the protocol takes longer than all else here. */
const rendered = { modern: new WeakMap(), legacy: new WeakMap() }

/**
 * An attached tool as the gateway lists it.
 *
 * @param {string} name the name that it is attached by
 * @param {{ entry: import('../catalogue/catalogue.mjs').Entry, toolName: string }} tool of the catalogue
 * @param {{ shape?: import('./shaped-tool.mjs').Shape }} attached how it is attached
 * @param {object} settings
 */
export function renderAttached(name, { entry, toolName }, { shape }, settings) {
  return shapedTool(renderTool(name, entry.tools.get(toolName), entry.definition, settings), shape)
}

/** A tool as the gateway lists it; to clients of the modern era with whatever JSON Schema has. */
export function renderTool(name, tool, definition, settings, isModern = false) {
  const known = isModern ? rendered.modern : rendered.legacy
  const kept = known.get(tool)
  if (kept?.name === name) return kept
  const made = render(name, tool, definition, settings, isModern)
  known.set(tool, made)
  return made
}

/**
 * @param {string} name the provider name
 * @param {import('../catalogue/catalogue.mjs').Tool} tool as its server listed it
 * @param {{ toolDescriptionOverrides: Map<string, string> }} definition
 * @param {{ maxToolBytes: number }} settings
 * @param {boolean} isModern
 */
function render(name, tool, definition, { maxToolBytes }, isModern) {
  /** @type {Record<string, unknown> & { name: string }} */
  const fitting = { name }
  const add = (key, value) => {
    if (value === undefined) return
    const more = { ...fitting, inputSchema: fitting.inputSchema ?? { type: 'object' }, [key]: value }
    if (isSpecType.Tool(more)) fitting[key] = value
  }
  add('title', tool.title)
  const said = definition.toolDescriptionOverrides.get(tool.name) ?? tool.description
  const { description, inputSchema } = accepted(said, tool.inputSchema, isModern)
  add('description', description)
  add('inputSchema', inputSchema)
  fitting.inputSchema ??= { type: 'object' }
  for (const key of ['annotations', '_meta']) {
    if (stringify(tool[key] ?? null).length <= MAX_HINTS) add(key, tool[key])
  }
  // Each of its fields has been held against the protocol.
  return boundedTool(/** @type {import('../catalogue/catalogue.mjs').Tool} */ (fitting), maxToolBytes)
}

/**
 * Description and schema as every provider takes them: nobody knows whose model reads the list. A client of the modern era takes
 * composition at the root (MCP 2026-07-28, SEP-2106), and is the one who knows its provider.
 *
 * @param {unknown} description
 * @param {unknown} schema
 * @param {boolean} isModern
 */
function accepted(description, schema, isModern) {
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return { description }
  try {
    const said = typeof description === 'string' ? description.toWellFormed() : undefined
    const { changes, ...made } = addon.ToolRouter.acceptedSchema(stringify(schema), {
      description: said,
      keepComposition: isModern,
    })
    if (changes.length === 0) return { description, inputSchema: schema }
    return { description: made.description ?? description, inputSchema: parse(made.inputSchema, { isOpen: true }) }
  } catch {
    // Larger than any schema that the router takes, or none that JSON can say.
    return { description, inputSchema: { ...schema, type: 'object' } }
  }
}

/**
 * Attached tools for an answer to the model: what each does, and how it is called.
 *
 * @param {import('../protocol/requests.mjs').Desk} session
 * @param {string[]} names
 */
export function describe(session, names) {
  const { attached, catalogue, config } = session
  let room = session.isModern ? DEFINED_BYTES : 0
  /** @type {(name: string) => Described[]} */
  const described = (name) => {
    const id = attached.get(name)
    const tool = id && catalogue.tool(id)
    if (!tool) return []
    const rendered = renderAttached(name, tool, id, config.settings)
    const how = calling(session, tool)
    // Whole definitions, where the list does not hold them.
    const whole = { name, description: rendered.description ?? '', inputSchema: rendered.inputSchema }
    const size = stringify(whole).length + (how.call_by?.length ?? 0)
    if (size <= room) {
      room -= size
      return [{ ...whole, ...how }]
    }
    const parameters = parameterNames(rendered)
    return [{ name, description: plain(rendered.description ?? '', SUMMARY), parameters, ...how }]
  }
  return [...new Set(names)].flatMap(described)
}

/** What a model is told of a call beside the tool itself. */
export function calling(session, tool) {
  const by = calledBy(session, tool)
  return { ...(by && { call_by: by }), ...(isDown(tool.entry.downstream) && { state: 'unavailable' }) }
}

/** Names of a tool's parameters; those that may be left out end in `?`. */
function parameterNames({ inputSchema }) {
  const required = Array.isArray(inputSchema.required) ? inputSchema.required : []
  const names = Object.keys(inputSchema.properties ?? {})
  return names.slice(0, MAX_PARAMETERS).map((name) => (required.includes(name) ? name : `${name}?`))
}
