// Whether a schema accepts what another one accepts, by instances made for both. JSON Schema is judged by ajv.

import Ajv from 'ajv'
import Ajv2020 from 'ajv/dist/2020.js'

import { instancesOf } from './schema-instances.mjs'

const OPTIONS = { strict: false, validateFormats: false, logger: false, inlineRefs: false }

/** A validator; throws for a schema that is not valid. */
function validatorOf(schema, isOld) {
  const { $schema: _, ...rest } = schema
  const ajv = isOld ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS)
  return ajv.compile(rest)
}

/**
 * @param {object} original
 * @param {Record<string, object>} others the same in other words
 * @param {{ seed: number, instances: number }} options
 * @returns {{ problems: { kind: 'invalid' | 'accepts less' | 'accepts more', detail: string, instance?: unknown }[],
 *   accepted: number, tried: number, unread: boolean }} `unread`: the original itself is not valid
 */
export function compare(original, others, { seed, instances }) {
  const result = { problems: [], accepted: 0, tried: 0, unread: false }
  const isOld = /draft-0[3467]/.test(original.$schema ?? '')
  let accepts
  try {
    accepts = validatorOf(original, isOld)
  } catch {
    return { ...result, unread: true }
  }
  for (const [detail, schema] of Object.entries(others)) {
    let acceptsToo
    try {
      acceptsToo = validatorOf(schema, isOld)
    } catch (error) {
      result.problems.push({ kind: 'invalid', detail: `${detail}: ${error.message}` })
      continue
    }
    const made = [...instancesOf(original, seed, instances), ...instancesOf(schema, seed + 1, instances)]
    for (const instance of made) {
      const [before, after] = [accepts(instance), acceptsToo(instance)]
      result.tried += 1
      result.accepted += before ? 1 : 0
      if (before && !after) result.problems.push({ kind: 'accepts less', detail, instance })
      if (!before && after) result.problems.push({ kind: 'accepts more', detail, instance })
    }
  }
  return result
}
