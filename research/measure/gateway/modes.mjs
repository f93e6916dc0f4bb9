// How far one `select_mode` serves a task: labelled tasks over the real servers of examples/servers, each asked by a
// client of its own. A task is fully served when for each of its needs a tool that serves it is in the list afterwards.
// `mode-tasks` say what is to be done, as a task is described; `tasks` are first messages whose needs come step by step.
//
//   node research/measure/gateway/modes.mjs [--set mode-tasks|tasks] [--half tuning|held-out] [--modes <config.json>] [--lexical] [--verbose]
//
// `--modes` takes `modes` and `modules` of a configuration; without it servers are the modes.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'

import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import { readArguments } from '../../../scripts/arguments.mjs'
import { percentile } from '../ranking/eval/metrics.mjs'
import { configuration } from './gateway-operations.mjs'

const given = readArguments(
  'usage: modes.mjs [--set mode-tasks] [--half tuning] [--modes <config.json>] [--lexical] [--verbose]\n',
  {
    half: { type: 'string', choices: ['tuning', 'held-out'], default: 'tuning' },
    set: { type: 'string', choices: ['mode-tasks', 'tasks'], default: 'mode-tasks' },
    modes: { type: 'string' },
    lexical: { type: 'boolean' },
    verbose: { type: 'boolean' },
  },
)
if (!given) process.exit()
const { values } = given

const tasks = readFileSync(new URL(`../../labelled/${values.set}.jsonl`, import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
  .filter(({ half, needs }) => half === values.half && needs.length > 0)

const folder = mkdtempSync(path.join(os.tmpdir(), 'tool-router-modes-'))
const { modes, modules } = values.modes ? JSON.parse(readFileSync(values.modes, 'utf8')) : {}
const gateway = await createGateway({
  config: { ...configuration(folder), ...(modes && { modes }), ...(modules && { modules }) },
})
try {
  await gateway.ready()
  if (!values.lexical) {
    await gateway.router.loadModel()
    await gateway.router.ready()
  }
  const results = []
  for (const task of tasks) results.push(await measure(task))
  report('all tasks', results)
  report(
    'tasks that need two servers or more',
    results.filter(({ servers }) => servers > 1),
  )
} finally {
  await gateway.close()
  rmSync(folder, { recursive: true, force: true })
}
process.exit()

async function measure({ id, text, needs }) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await gateway.connect(theirs)
  const client = new Client({ name: 'benchmark', version: '0.0.0' })
  await client.connect(ours)
  const { content } = await client.callTool({ name: 'select_mode', arguments: { task_description: text } })
  const answer = JSON.parse(content[0].text)
  const { tools } = await client.listTools()
  await client.close()
  const names = new Set(tools.map(({ name }) => name))
  const nameOf = (tool) => {
    const [serverName, toolName] = tool.split('::')
    return gateway.catalogue.providerName({ serverName, toolName }) ?? tool
  }
  const missing = needs.filter((any) => !any.some((tool) => names.has(nameOf(tool))))
  if (values.verbose && missing.length > 0)
    console.log(`${id} ${answer.selected_mode}: ${text.slice(0, 90)}\n    ${missing.map(([tool]) => tool).join(', ')}`)
  return {
    needs: needs.length,
    met: needs.length - missing.length,
    servers: new Set(needs.map(([tool]) => tool.split('::')[0])).size,
    tools: answer.tools?.length ?? 0,
    tokens: await gateway.router.countTokens(JSON.stringify(tools)),
    answerTokens: await gateway.router.countTokens(content[0].text),
  }
}

function report(what, results) {
  const sum = (key) => results.reduce((total, result) => total + result[key], 0)
  const median = (key) =>
    percentile(
      results.map((result) => result[key]).toSorted((a, b) => a - b),
      0.5,
    )
  console.log(
    `${what}: ${results.filter(({ needs, met }) => needs === met).length} of ${results.length} fully served, ` +
      `${sum('met')} of ${sum('needs')} needs; medians: ${median('tools')} tools, list of ${median('tokens')} tokens, ` +
      `answer of ${median('answerTokens')} tokens`,
  )
}
