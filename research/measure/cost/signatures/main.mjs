// What signatures of a catalogue cost, and whether TypeScript reads in them what the schemas say:
//
//   node research/measure/cost/signatures/main.mjs                              the servers of examples/servers
//   node research/measure/cost/signatures/main.mjs --data <folder with tools.jsonl>
//
// Exit code: 0 all hold, 1 some do not, 2 wrong arguments.

import process from 'node:process'

import { readArguments } from '../../../../scripts/arguments.mjs'
import { liveServers, serversIn } from '../../catalogue.mjs'
import { measure } from './measure.mjs'

const USAGE = 'usage: node research/measure/cost/signatures/main.mjs [--data <folder>]\n'
/** Problems that are printed. */
const MOST_SHOWN = 20

async function main({ data }) {
  const { tools, definitions, alone, together, cut, errors, problems } = await measure(
    data ? serversIn(data) : await liveServers(),
  )
  const each = (sum) => `${(sum / tools).toFixed(1)} tokens`
  const lines = [
    `${tools} tools, per tool: a definition ${each(definitions)}, a signature ${each(alone)}, as one text ${each(together)}`,
    `${cut} signatures leave something out and say so`,
    ...errors.slice(0, MOST_SHOWN),
    ...problems.slice(0, MOST_SHOWN),
    `${errors.length} errors of the compiler, ${problems.length} differences from the schemas`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  return errors.length + problems.length === 0
}

const given = readArguments(USAGE, { data: { type: 'string' } })
if (given && !(await main(given.values))) process.exitCode = 1
