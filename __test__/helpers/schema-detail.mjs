// What `schemaDetail` saves on a catalogue, and whether each schema still accepts what it accepted.

import { ToolRouter } from '../../index.js'
import { compare } from './schema-compare.mjs'

/** So that every tool is rendered. */
const ALL_TOOLS = 100_000

/**
 * @param {{ name: string, tools: object[] }[]} servers
 * @param {{ instances: number, seed: number }} options instances per schema and detail, made for the original and for what is
 *   shown
 * @returns {Promise<{ tokens: Record<string, number>, schemas: number, tried: number, accepted: number, unread: string[],
 *   problems: object[] }>} `unread` are tools whose own schema is not valid: nothing can be compared there
 */
export async function measure(servers, { instances, seed }) {
  const router = ToolRouter.shared()
  router.configure({})
  await router.setServers(servers, { replace: true })
  const shown = (schemaDetail) => {
    const session = router.openSession({ settings: { schemaDetail, threshold: ALL_TOOLS } })
    const tools = JSON.parse(session.tools())
    session.close()
    return tools
  }
  const [full, compact, brief] = ['full', 'compact', 'brief'].map(shown)
  const result = { tokens: {}, schemas: full.length, tried: 0, accepted: 0, unread: [], problems: [] }
  for (const [detail, tools] of Object.entries({ full, compact, brief })) {
    let sum = 0
    // Schemas may come with white space: what is compared is written alike.
    for (const tool of tools) sum += await router.countTokens(JSON.stringify(tool))
    result.tokens[detail] = sum
  }
  full.forEach(({ function: { name, parameters } }, at) => {
    const others = { compact: compact[at].function.parameters, brief: brief[at].function.parameters }
    const { problems, tried, accepted, unread } = compare(parameters, others, { seed: seed + at, instances })
    result.tried += tried
    result.accepted += accepted
    if (unread) result.unread.push(name)
    result.problems.push(...problems.map((problem) => ({ name, ...problem })))
  })
  return result
}
