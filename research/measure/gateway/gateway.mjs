// The gateway over real servers (examples/servers): what routing adds to a call, and what 10,000 random operations
// of clients of each era do.
//
//   node research/measure/gateway/gateway.mjs [--operations 10000] [--seed 7] [--all] [--lexical] [--skip-latency] [--era legacy|modern]
//
// Latency is measured with 8 servers of 411 tools, or with --all 19.
// Exit code 1 when an operation got no answer, a wrong one, or a process was left.

import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'

import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import { readArguments } from '../../../scripts/arguments.mjs'
import { percentile } from '../ranking/eval/metrics.mjs'
import { configuration, runOperations } from './gateway-operations.mjs'

/** Servers with more than 300 tools together. */
const SERVERS = ['everything', 'memory', 'filesystem', 'gitlab', 'github', 'playwright', 'chrome-devtools', 'jira']
const WARM_UP = 20
const ROUNDS = 300
const TASKS = [
  'open a merge request for the branch',
  'take a screenshot of the login page',
  'remember what Ada likes',
  'move the drafts to another folder',
  'add two numbers',
  'list the open issues of the sprint',
]

const given = readArguments(
  'usage: gateway.mjs [--operations 10000] [--seed 7] [--all] [--lexical] [--skip-latency] [--era modern]\n',
  {
    operations: { type: 'integer', default: 10_000, least: 0 },
    seed: { type: 'integer', default: 7 },
    all: { type: 'boolean' },
    lexical: { type: 'boolean' },
    'skip-latency': { type: 'boolean' },
    era: { type: 'string', choices: ['legacy', 'modern'] },
  },
)
if (!given) process.exit()
const { values } = given

async function latency() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tool-router-benchmark-'))
  const config = configuration(folder, values.all ? undefined : SERVERS)
  const gateway = await createGateway({ config })
  const { command, args, env, cwd } = config.mcpServers.everything
  const direct = new Client({ name: 'benchmark', version: '0.0.0' })
  try {
    await Promise.all([
      gateway.ready(),
      direct.connect(new StdioClientTransport({ command, args, env, cwd, stderr: 'ignore' })),
    ])
    const count = gateway.servers.reduce((sum, server) => sum + server.scopedCount, 0)
    if (!values.lexical) {
      await gateway.router.loadModel()
      await gateway.router.ready()
    }
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    await gateway.connect(theirs)
    const client = new Client({ name: 'benchmark', version: '0.0.0' })
    await client.connect(ours)
    const { tools } = await client.listTools()
    const shown = await gateway.router.countTokens(JSON.stringify(tools))
    const all = await gateway.router.countTokens(
      JSON.stringify([...gateway.catalogue.entries.values()].flatMap((entry) => [...entry.tools.values()])),
    )
    console.log(`${gateway.servers.length} servers, ${count} tools, ranker ${gateway.router.status.ranker}`)
    console.log(`first list: ${shown} of ${all} tokens, ${(100 * (1 - shown / all)).toFixed(1)} % less`)

    // By turns, so that what else the machine does falls on both.
    const echo = { message: 'hello' }
    const [alone, through] = [[], []]
    for (let at = -WARM_UP; at < ROUNDS; at++) {
      const timeAlone = await once(() => direct.callTool({ name: 'echo', arguments: echo }))
      const timeThrough = await once(() => client.callTool({ name: 'mcp--everything--echo', arguments: echo }))
      if (at >= 0) {
        alone.push(timeAlone)
        through.push(timeThrough)
      }
    }
    report('call, straight to the server', alone)
    report('call, through the gateway', through)
    console.log(`added to a call, median: ${(median(through) - median(alone)).toFixed(2)} ms`)
    for (const [name, argument] of [
      ['mcp_load', 'query'],
      ['search_mcps', 'query'],
      ['select_mode', 'task_description'],
    ]) {
      const asked = (at) => ({ name, arguments: { [argument]: `${TASKS[at % TASKS.length]} ${at}` } })
      report(name, await timed((at) => client.callTool(asked(at))))
    }
    report('tools/list', await timed(() => client.listTools()))
    await client.close()
  } finally {
    await direct.close().catch(() => {})
    await gateway.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function timed(work) {
  for (let at = 0; at < WARM_UP; at++) await work(ROUNDS + at)
  const times = []
  for (let at = 0; at < ROUNDS; at++) times.push(await once(() => work(at)))
  return times
}

async function once(work) {
  const started = performance.now()
  await work()
  return performance.now() - started
}

const median = (times) => percentile(times, 0.5)

function report(what, times) {
  console.log(
    `${what.padEnd(30)} median ${median(times).toFixed(2)} ms, 95th percentile ${percentile(times, 0.95).toFixed(2)} ms`,
  )
}

async function operations(era) {
  const started = performance.now()
  const every = Math.max(500, values.operations / 10)
  const result = await runOperations({
    operations: values.operations,
    seed: values.seed,
    era,
    onProgress: (done) => done % every === 0 && console.log(`  ${done} operations`),
  })
  const { lost, wrong, untold, left, ...counts } = result
  console.log(
    `random operations, ${era} clients, seed ${values.seed}, ${Math.round((performance.now() - started) / 1000)} s`,
  )
  for (const [name, count] of Object.entries(counts)) console.log(`  ${name.padEnd(16)} ${count}`)
  console.log(`  registration success ${((100 * result.registered) / result.registrations).toFixed(2)} %`)
  for (const [name, list] of Object.entries({ lost, wrong, untold, left })) {
    console.log(`  ${name.padEnd(16)} ${list.length}`)
    for (const entry of list.slice(0, 5)) console.log(`    ${entry}`)
    if (list.length > 0) process.exitCode = 1
  }
}

if (!values['skip-latency']) await latency()
const eras = values.era === undefined ? ['legacy', 'modern'] : [values.era]
if (values.operations > 0) for (const era of eras) await operations(era)
