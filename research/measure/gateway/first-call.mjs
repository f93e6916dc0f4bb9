// How long the first call of a client takes, over real servers (examples/servers) and the command line: the first time,
// when no list of a server is known, and the next time, when all are.
//
//   node research/measure/gateway/first-call.mjs [--rounds 3] [--lexical] [--reach 500]
//
// With --reach the exit code is 1 when a first call over known lists takes longer, in the median.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

import { readArguments } from '../../../scripts/arguments.mjs'
import { percentile } from '../ranking/eval/metrics.mjs'
import { configuration } from './gateway-operations.mjs'

const CLI = fileURLToPath(new URL('../../../packages/gateway/cli.mjs', import.meta.url))
/** The first question of a client, each in a gateway of its own. */
const QUESTIONS = {
  'mcp_load, a need': ['mcp_load', { query: 'remember what Ada likes' }],
  'mcp_load, an exact name': ['mcp_load', { query: 'mcp--memory--read_graph' }],
  'search_mcps, a need': ['search_mcps', { query: 'remember what Ada likes' }],
}

const given = readArguments('usage: first-call.mjs [--rounds 3] [--lexical] [--reach 500]\n', {
  rounds: { type: 'integer', default: 3, least: 1 },
  lexical: { type: 'boolean' },
  reach: { type: 'integer' },
})
if (!given) process.exit()
const { values } = given

const folder = mkdtempSync(path.join(os.tmpdir(), 'tool-router-first-'))
const file = path.join(folder, 'mcp.json')
const config = configuration(folder)
config.gateway = { ...config.gateway, cacheDir: path.join(folder, 'cache') }
writeFileSync(file, JSON.stringify(config))

const took = new Map()
try {
  await ask('mcp_load, a need', 'lists unknown')
  for (let round = 0; round < values.rounds; round++)
    for (const question of Object.keys(QUESTIONS)) await ask(question, 'lists known')
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

console.log(`${Object.keys(config.mcpServers).length} servers; medians in ms from the question to its answer`)
for (const [what, { list, answer, starting, found }] of took)
  console.log(
    `${what.padEnd(46)} list after ${median(list)}, answer ${median(answer)}, ${Math.round(median(starting))} still starting, found ${found}`,
  )
const slowest = Math.max(
  ...[...took].filter(([what]) => what.startsWith('lists known')).map(([, each]) => median(each.answer)),
)
if (values.reach !== undefined && slowest > values.reach) process.exitCode = 1

/** A gateway is started, lists, and is asked one thing. It goes on until all servers have answered, for the lists on disk. */
async function ask(question, when) {
  const [name, args] = QUESTIONS[question]
  const client = new Client({ name: 'benchmark', version: '0.0.0' })
  const command = [CLI, 'gateway', '--config', file, '--quiet', ...(values.lexical ? ['--lexical'] : [])]
  const begun = performance.now()
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: command, env: process.env, stderr: 'ignore' }),
  )
  await client.listTools()
  const listed = performance.now()
  const answer = await call(client, name, args)
  const answered = performance.now()
  const key = `${when}: ${question}`
  const each = took.get(key) ?? { list: [], answer: [], starting: [], found: 0 }
  took.set(key, each)
  each.list.push(listed - begun)
  each.answer.push(answered - listed)
  each.starting.push(answer.still_starting?.length ?? 0)
  if ((answer.loaded ?? answer.servers).length > 0) each.found += 1
  if (when === 'lists unknown')
    while ((await call(client, 'manage_modules', { action: 'list' })).still_starting)
      await new Promise((resolve) => setTimeout(resolve, 200))
  await client.close()
}

async function call(client, name, args) {
  const { content } = await client.callTool({ name, arguments: args }, undefined, { timeout: 300_000 })
  return JSON.parse(content[0].text)
}

function median(times) {
  return Math.round(percentile(times, 0.5))
}
