// What `schemaDetail` saves on a catalogue, and whether each schema still accepts what it accepted:
//
//   node research/measure/cost/schema-detail/main.mjs                              the servers of examples/servers
//   node research/measure/cost/schema-detail/main.mjs --data <folder with tools.jsonl> [--instances 40] [--seed 1]
//
// Exit code: 0 all hold, 1 some do not, 2 wrong arguments.

import process from 'node:process'

import { readArguments } from '../../../../scripts/arguments.mjs'
import { liveServers, serversIn } from '../../catalogue.mjs'
import { measure } from './measure.mjs'

const USAGE = `usage: node research/measure/cost/schema-detail/main.mjs [--data <folder>] [--instances <n>] [--seed <n>]
`
/** Problems that are printed. */
const MOST_SHOWN = 10

async function main({ data, ...options }) {
  const { tokens, schemas, tried, accepted, unread, problems } = await measure(
    data ? serversIn(data) : await liveServers(),
    options,
  )
  const say = (line) => process.stdout.write(`${line}\n`)
  for (const detail of ['compact', 'brief']) {
    const saved = (100 * (1 - tokens[detail] / tokens.full)).toFixed(1)
    say(`${detail}: ${tokens[detail]} of ${tokens.full} tokens, ${saved} % fewer`)
  }
  for (const name of unread) say(`${name}: its own schema is not valid; not compared`)
  for (const problem of problems.slice(0, MOST_SHOWN)) say(JSON.stringify(problem).slice(0, 400))
  say(
    `${schemas} schemas, ${tried} instances, ${accepted} accepted by the original, ${unread.length} not valid themselves, ${problems.length} problems`,
  )
  return problems.length === 0
}

const given = readArguments(USAGE, {
  data: { type: 'string' },
  instances: { type: 'integer', default: 40, least: 1 },
  seed: { type: 'integer', default: 1 },
})
if (given && !(await main(given.values))) process.exitCode = 1
