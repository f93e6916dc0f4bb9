// SPDX-License-Identifier: Apache-2.0
//
// What `schemaDetail` saves on a catalogue, and whether each schema still accepts what it accepted:
//
//   node benchmark/schema-detail/main.mjs --data <folder with tools.jsonl> [--instances 40] [--seed 1]
//
// Exit code: 0 all hold, 1 some do not, 2 wrong arguments.

import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'

import { readArguments } from '../../scripts/arguments.mjs'
import { catalogueOf } from '../catalogue.mjs'
import { compare } from './compare.mjs'

const { ToolRouter } = createRequire(import.meta.url)('../../index.js')

const USAGE = `usage: node benchmark/schema-detail/main.mjs --data <folder> [--instances <n>] [--seed <n>]
`
/** Problems that are printed. */
const MOST_SHOWN = 10

async function main({ data, instances, seed }) {
  const router = ToolRouter.shared()
  router.configure({})
  const lines = fs.readFileSync(path.join(data, 'tools.jsonl'), 'utf8').trim().split('\n')
  const { servers } = catalogueOf(lines.map((line) => JSON.parse(line)))
  await router.setServers(servers, { replace: true })
  const tools = Object.fromEntries(
    ['full', 'compact', 'brief'].map((schemaDetail) => [
      schemaDetail,
      JSON.parse(router.openSession({ settings: { schemaDetail, threshold: 100_000 } }).tools()),
    ]),
  )
  const count = async (list) => {
    let sum = 0
    for (const tool of list) sum += await router.countTokens(JSON.stringify(tool))
    return sum
  }
  // Schemas may come with white space: what is compared is written alike.
  const full = await count(tools.full)
  for (const detail of ['compact', 'brief']) {
    const tokens = await count(tools[detail])
    process.stdout.write(`${detail}: ${tokens} of ${full} tokens, ${(100 * (1 - tokens / full)).toFixed(1)} % fewer\n`)
  }
  const sums = { tried: 0, accepted: 0, unread: 0, problems: 0 }
  tools.full.forEach(({ function: { name, parameters } }, at) => {
    const others = { compact: tools.compact[at].function.parameters, brief: tools.brief[at].function.parameters }
    const { problems, tried, accepted, unread } = compare(parameters, others, { seed: seed + at, instances })
    sums.tried += tried
    sums.accepted += accepted
    sums.unread += unread ? 1 : 0
    sums.problems += problems.length
    if (unread) process.stdout.write(`${name}: its own schema is not valid; not compared\n`)
    for (const problem of problems.slice(0, Math.max(0, MOST_SHOWN - sums.problems + problems.length)))
      process.stdout.write(`${name}: ${JSON.stringify(problem).slice(0, 400)}\n`)
  })
  process.stdout.write(
    `${tools.full.length} schemas, ${sums.tried} instances, ${sums.accepted} accepted by the original, ${sums.unread} not valid themselves, ${sums.problems} problems\n`,
  )
  return sums.problems === 0
}

const given = readArguments(USAGE, {
  data: { type: 'string', required: true },
  instances: { type: 'integer', default: 40, least: 1 },
  seed: { type: 'integer', default: 1 },
})
if (given && !(await main(given.values))) process.exitCode = 1
