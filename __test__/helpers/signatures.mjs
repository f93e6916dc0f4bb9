// What signatures cost, and whether TypeScript reads in them what the schemas say.

import { router } from './router.mjs'
import { literalsOf, parse, saidBy } from './signatures-parse.mjs'

/** An enum is whole up to so many values, of strings that are not longer. */
const MAX_VALUES = 24
const MAX_BYTES = 80

/** What differs between a tool's schema and its signature, as text. */
export function differences(schema, { isCut, parameters }) {
  const { properties, required, sure } = saidBy(schema)
  const problems = []
  const shown = new Map(parameters.map((parameter) => [parameter.name, parameter]))
  for (const name of required) {
    if (!shown.has(name)) problems.push(`${name} is required and left out`)
    else if (shown.get(name).optional) problems.push(`${name} is required and shown as optional`)
  }
  for (const [name, { optional }] of shown) {
    if (sure && !properties.has(name) && !required.has(name)) problems.push(`${name} is no parameter`)
    if (sure && !optional && !required.has(name)) problems.push(`${name} is optional and shown as required`)
  }
  for (const [name, property] of properties) {
    if (!shown.has(name)) {
      if (!isCut) problems.push(`${name} is left out without a mark`)
      continue
    }
    const values = property?.enum
    const isPlain = (value) =>
      value === null || (typeof value !== 'object' && Buffer.byteLength(`${value}`) <= MAX_BYTES)
    if (!Array.isArray(values) || values.length > MAX_VALUES || !values.every(isPlain) || !sure || property.$ref)
      continue
    const literals = new Set(literalsOf(shown.get(name).type))
    for (const value of values) if (!literals.has(value)) problems.push(`${name} may be ${value}, which is left out`)
  }
  return problems
}

/**
 * @param {{ name: string, tools: object[] }[]} servers
 * @returns {Promise<{ tools: number, alone: number, together: number, errors: string[], problems: string[] }>} sums of tokens:
 *   of signatures one by one, and of all of them as one text
 */
export async function measure(servers) {
  router.configure({})
  await router.setServers(servers, { replace: true })
  const { text, tokenCount, tools } = await router.signatures()
  const session = router.openSession({ settings: { threshold: 100_000 } })
  const definitions = JSON.parse(session.tools())
  session.close()
  const schemas = new Map(definitions.map(({ function: { name, parameters } }) => [name, parameters]))
  const { errors, interfaces } = parse(text)
  const read = interfaces.flatMap(({ tools: own }) => own)
  const problems = read.length === tools.length ? [] : [`${tools.length} tools, ${read.length} members`]
  // The text groups tools by server, as the catalogue does.
  for (const [at, { name, toolName }] of tools.entries()) {
    if (read[at]?.name !== toolName) problems.push(`${name} is read as ${read[at]?.name}`)
    else problems.push(...differences(schemas.get(name), read[at]).map((problem) => `${name}: ${problem}`))
  }
  const alone = tools.reduce((sum, { tokenCount: own }) => sum + own, 0)
  return { tools: tools.length, alone, together: tokenCount, errors, problems }
}
