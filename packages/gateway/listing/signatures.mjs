// Tools in the answers to a model: found ones as signatures, a line of TypeScript each, and those that it asks for by name
// with their schemas.

import { stringify } from '@zoo-code/tool-router/exact-json'

import { calledBy } from '../names/call-kinds.mjs'
import { describe, renderTool } from './rendering.mjs'
import { toolSpelt, unknownTool } from './tool-names.mjs'
import { isDown } from './unavailable.mjs'

/** Definitions in one answer, in characters: some 10,000 tokens. Of what does not fit the name is told. */
const DEFINED_BYTES = 40_000
/** Characters of one signature; a longer one, of hundreds of parameters, is told in short. */
const MAX_OF_SIGNATURE = 4_000
/**
 * Of what a search found, so many have their optional parameters too: the best is mostly among them. The others have those that
 * a call needs, and `…`.
 */
const FULLY_SIGNED = 3
/** Names of one call that are read. */
const MAX_NAMES = 100

/**
 * What the arguments of tools are, and what the tools do: `{owner: string, state?: 'open'|'closed'} // Lists issues`.
 *
 * @param {import('../protocol/requests.mjs').Desk} session
 * @param {{ serverName: string, toolName: string }[]} ids
 * @param {boolean} [optional] whether optional parameters are shown
 * @returns {Promise<(id: { serverName: string, toolName: string }) => string | undefined>} undefined for a tool that the
 *   router has no more
 */
export async function signaturesOf({ router, catalogue }, ids, optional = true) {
  const names = [...new Set(ids.map((id) => catalogue.providerName(id)).filter(Boolean))]
  const found = names.length > 0 ? await signed(router, { names, optional }) : { tools: [] }
  const lines = new Map(found.tools.map(({ name, toolName, signature }) => [name, withoutName(signature, toolName)]))
  return (id) => lines.get(catalogue.providerName(id))
}

const signed = (router, options) => router.signatures(options).catch(() => ({ tools: [] }))

/** The name stands beside it. */
function withoutName(signature, toolName) {
  return signature.startsWith(`${toolName}: `) ? signature.slice(toolName.length + 2) : signature
}

/**
 * Attached tools as signatures. One whose parameters a mode fixes is described by what is left of them.
 *
 * @param {import('../protocol/requests.mjs').Desk} session
 * @param {string[]} names the best first
 * @param {{ wereSearched?: boolean }} [how] `wereSearched`: nobody asked for them by name
 */
export async function sign(session, names, { wereSearched = false } = {}) {
  const { attached, catalogue } = session
  const ids = names.flatMap((name) => attached.get(name) ?? [])
  const whole = wereSearched ? FULLY_SIGNED : ids.length
  const [fully, briefly] = await Promise.all([
    signaturesOf(session, ids.slice(0, whole)),
    signaturesOf(session, ids.slice(whole), false),
  ])
  const signatureOf = (id) => fully(id) ?? briefly(id)
  let room = DEFINED_BYTES
  return [...new Set(names)].flatMap((name) => {
    const id = attached.get(name)
    const tool = id && catalogue.tool(id)
    if (!tool) return []
    const signature = id.shape?.parameters ? undefined : signatureOf(id)
    const isShort = signature !== undefined && signature.length <= MAX_OF_SIGNATURE
    const [told] = isShort ? [{ name, signature, ...calling(session, tool) }] : describe(session, [name])
    room -= stringify(told).length
    return [room >= 0 ? told : { name }]
  })
}

/** What a model is told of a call beside the tool itself. */
function calling(session, tool) {
  const by = calledBy(session, tool)
  return { ...(by && { call_by: by }), ...(isDown(tool.entry.downstream) && { state: 'unavailable' }) }
}

/**
 * Tools by their names, separated by commas, with their schemas. Nothing is attached.
 *
 * @param {import('../protocol/requests.mjs').Desk} session
 * @param {{ names: string }} asked
 */
export function describeTools(session, { names }) {
  let room = DEFINED_BYTES
  /** @type {{ tools: object[], unavailable: { name: string, reason: string }[] }} */
  const answer = { tools: [], unavailable: [] }
  const asked = names.split(/[,\n]/).map((name) => name.trim())
  for (const name of asked.filter((each) => each !== '').slice(0, MAX_NAMES)) {
    const id = session.attached.get(name)
    const tool = id ? session.catalogue.tool(id) : toolSpelt(session.catalogue, name)
    if (!tool) {
      answer.unavailable.push({ name, reason: unknownTool(session, name) })
      continue
    }
    const { description = '', inputSchema } = rendered(session, tool)
    const whole = { name: tool.name, description, inputSchema, ...calling(session, tool) }
    room -= stringify(whole).length
    if (room >= 0) answer.tools.push(whole)
    else answer.unavailable.push({ name, reason: 'the answer would be too long; ask for it alone' })
  }
  return { tools: answer.tools, ...(answer.unavailable.length > 0 && { unavailable: answer.unavailable }) }
}

const rendered = ({ config }, { name, entry, toolName }) =>
  renderTool(name, entry.tools.get(toolName), entry.definition, config.settings)

/** Characters of a schema in a refusal; a longer one is asked for. */
const MAX_OF_REFUSAL = 6_000

/** What is wrong with a call, with the schema that it has to fit. */
export function refusal(session, tool, problem) {
  const schema = stringify(rendered(session, tool).inputSchema)
  if (schema.length <= MAX_OF_REFUSAL) return `${problem}\nIts schema: ${schema}`
  return session.isMetaTool('describe_tool') ? `${problem}\ndescribe_tool answers its schema.` : problem
}
