// Tools in the answers to a model: found ones as signatures, a line of TypeScript each, and those that it asks for by name
// with their schemas.

import { stringify } from '@zoo-code/tool-router/exact-json'

import { calling, DEFINED_BYTES, describe, renderTool } from './rendering.mjs'
import { toolKnown, unknownTool } from './tool-names.mjs'

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
  const names = [...new Set(ids.flatMap((id) => catalogue.providerName(id) ?? []))]
  const none = { tools: [] }
  const { tools } = names.length > 0 ? await router.signatures({ names, optional }).catch(() => none) : none
  // The name stands beside it.
  const withoutName = ({ toolName, signature }) =>
    signature.startsWith(`${toolName}: `) ? signature.slice(toolName.length + 2) : signature
  const lines = new Map(tools.map((tool) => /** @type {const} */ ([tool.name, withoutName(tool)])))
  return (id) => lines.get(catalogue.providerName(id) ?? '')
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
    const tool = toolKnown(session, name)
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
