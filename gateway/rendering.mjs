// SPDX-License-Identifier: Apache-2.0
//
// A tool of a server as the gateway lists it. One tool that a client's SDK refuses would cost the whole list, so what
// does not fit the protocol is left out field by field.

import { ToolSchema } from '@modelcontextprotocol/sdk/types.js'

import { plain } from './errors.mjs'

/** Characters of `_meta` and `annotations`: hints, not documents. */
const MAX_HINTS = 4_096
/** Characters of a description in an answer. */
export const SUMMARY = 160
/** Parameters named in an answer to the model. */
const MAX_PARAMETERS = 30

/** Rendered tools by the tool as it was listed: checking one against the protocol takes longer than all else here. */
const rendered = new WeakMap()

/** A tool as the gateway lists it. */
export function renderTool(name, tool, definition, settings) {
  const kept = rendered.get(tool)
  if (kept?.name === name) return kept
  const made = render(name, tool, definition, settings)
  rendered.set(tool, made)
  return made
}

/**
 * @param {string} name the provider name
 * @param {object} tool as its server listed it
 * @param {{ toolDescriptionOverrides: Map<string, string> }} definition
 * @param {{ outputSchemas: boolean }} settings
 */
function render(name, tool, definition, { outputSchemas }) {
  const fitting = { name }
  const add = (key, value) => {
    if (value === undefined) return
    const more = { ...fitting, inputSchema: fitting.inputSchema ?? { type: 'object' }, [key]: value }
    if (ToolSchema.safeParse(more).success) fitting[key] = value
  }
  add('title', tool.title)
  add('description', definition.toolDescriptionOverrides.get(tool.name) ?? tool.description)
  add('inputSchema', objectSchema(tool.inputSchema))
  fitting.inputSchema ??= { type: 'object' }
  if (outputSchemas) add('outputSchema', tool.outputSchema)
  for (const key of ['annotations', '_meta']) {
    if (JSON.stringify(tool[key] ?? null).length <= MAX_HINTS) add(key, tool[key])
  }
  return fitting
}

/** The schema as it came when it is one of an object; with the `type` that the protocol asks for when it has none. */
function objectSchema(schema) {
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return undefined
  return schema.type === 'object' ? schema : { ...schema, type: 'object' }
}

/** Attached tools for an answer to the model: what each does, and how it is called. */
export function describe(session, names, { schemas = false } = {}) {
  const wanted = new Set(names)
  const { attached, catalogue } = session
  const isDown = (name) => catalogue.entries.get(attached.get(name).serverName)?.downstream.state === 'waiting'
  return session
    .tools()
    .filter(({ name }) => wanted.has(name))
    .map((tool) => ({
      name: tool.name,
      description: plain(tool.description ?? '', SUMMARY),
      ...(schemas ? { inputSchema: tool.inputSchema } : { parameters: parameterNames(tool) }),
      ...(isDown(tool.name) && { state: 'unavailable' }),
    }))
}

/** Names of a tool's parameters; those that may be left out end in `?`. */
function parameterNames({ inputSchema }) {
  const required = Array.isArray(inputSchema.required) ? inputSchema.required : []
  const names = Object.keys(inputSchema.properties ?? {})
  return names.slice(0, MAX_PARAMETERS).map((name) => (required.includes(name) ? name : `${name}?`))
}
