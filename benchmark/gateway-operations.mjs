// SPDX-License-Identifier: Apache-2.0
//
// Random operations on a gateway over real servers, from a seed: loads, unloads, calls, kills of servers, clients that
// leave and come back. Counts what was answered, and how. The benchmark runs many, a test some hundreds.

import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'

import { commandOf, readDefinitions } from '../examples/demo/servers.mjs'
import { createGateway } from '../gateway/index.mjs'
import { lives, signalProcess } from '../gateway/processes.mjs'

/** Calls whose answer is known, by server. */
const CALLS = [
  (random) => ({ name: 'mcp--everything--get-sum', args: { a: 2, b: random(1000) }, answers: ({ b }) => `${b + 2}` }),
  (random) => ({
    name: 'mcp--everything--echo',
    args: { message: `m${random(1e6)}` },
    answers: ({ message }) => message,
  }),
  () => ({ name: 'mcp--filesystem--list_allowed_directories', args: {}, answers: () => 'Allowed directories' }),
  () => ({ name: 'mcp--memory--read_graph', args: {}, answers: () => 'entities' }),
]
const QUERIES = [
  'add two numbers',
  'read a file',
  'remember a fact',
  'post a message to the team',
  'list issues',
  'search pages',
  'think in steps',
  'move a folder',
  'memory',
  'mcp--everything--echo, mcp--memory--read_graph',
]
/** How long a client waits that is told to slow down. */
const SLOW_DOWN_MS = 200
/** How often each operation comes, of a hundred. */
const WEIGHTS = [
  ['call', 40],
  ['load', 18],
  ['loadModule', 12],
  ['unloadModule', 12],
  ['list', 8],
  ['select', 4],
  ['search', 3],
  ['reconnect', 2],
  ['kill', 1],
]

/** Numbers that a seed determines: mulberry32. */
export function generator(seed) {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** A configuration of real servers, each with a folder of its own under `folder`. */
export function configuration(folder, names) {
  const entries = readDefinitions(names).map((definition) => {
    const own = mkdtempSync(path.join(folder, `${definition.name}-`))
    return [definition.name, commandOf(definition, own)]
  })
  return { mcpServers: Object.fromEntries(entries), gateway: { cacheDir: false } }
}

/** One client at a time in a lane, in this process or over HTTP by turns. */
class Lane {
  constructor(gateway, endpoint, random, result) {
    Object.assign(this, { gateway, endpoint, random, result })
  }

  /** As a client that is told to slow down: it waits and sends again. */
  async #fetch(url, init) {
    for (;;) {
      const response = await fetch(url, init)
      if (response.status !== 429) return response
      this.result.limited += 1
      await response.body?.cancel()
      await pause(SLOW_DOWN_MS)
    }
  }

  async open() {
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    const overHttp = this.random(2) === 0
    if (!overHttp) await this.gateway.connect(theirs)
    const { url, token } = this.endpoint
    const transport = overHttp
      ? new StreamableHTTPClientTransport(new URL(url), {
          fetch: (...request) => this.#fetch(...request),
          requestInit: { headers: { Authorization: `Bearer ${token}` } },
        })
      : ours
    const client = new Client({ name: 'benchmark', version: '0.0.0' })
    client.onerror = () => {}
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => (this.changes += 1))
    this.changes = 0
    await client.connect(transport)
    this.client = client
    this.names = await this.list()
  }

  async close() {
    await this.client.transport?.terminateSession?.().catch(() => {})
    await this.client.close()
  }

  async list() {
    return (await this.client.listTools()).tools.map(({ name }) => name)
  }

  use(name, args) {
    return this.client.callTool({ name, arguments: args })
  }

  pick(choices) {
    return choices[this.random(choices.length)]
  }
}

/**
 * Runs operations in several lanes at once.
 *
 * @param {{ operations: number, seed: number, servers?: string[], lanes?: number, onProgress?: (done: number) => void }} options
 * @returns {Promise<object>} counts; `lost`, `wrong`, `untold` and `left` are empty when all is well
 */
export async function runOperations({
  operations,
  seed,
  servers = ['filesystem', 'memory', 'everything', 'sequential-thinking', 'github', 'slack', 'airtable', 'notion'],
  lanes = 6,
  onProgress = () => {},
}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tool-router-operations-'))
  const gateway = await createGateway({ config: configuration(folder, servers) })
  const result = {
    operations: 0,
    calls: 0,
    answered: 0,
    unavailable: 0,
    registrations: 0,
    registered: 0,
    limited: 0,
    kills: 0,
    reconnects: 0,
    lost: [],
    wrong: [],
    untold: [],
    left: [],
  }
  const seen = new Set()
  const note = () => {
    for (const { pid } of gateway.servers) if (pid) seen.add(pid)
  }
  try {
    await gateway.ready()
    note()
    const endpoint = await gateway.listen()
    await Promise.all(
      Array.from({ length: lanes }, async (_, at) => {
        // Each lane has its own numbers: which operation comes does not depend on how fast another lane is.
        const lane = new Lane(gateway, endpoint, generator(seed + 1 + at), result)
        await lane.open()
        while (result.operations < operations) {
          result.operations += 1
          onProgress(result.operations)
          const kind = chosen(lane.random(100))
          try {
            await OPERATIONS[kind](lane, result, gateway)
          } catch (error) {
            result.lost.push(`${kind}: ${error.message}`)
          }
          note()
        }
        await lane.close()
      }),
    )
    result.sessionsLeft = gateway.sessionCount
  } finally {
    await gateway.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  await pause(100)
  result.processes = seen.size
  result.left = [...seen].filter(lives)
  return result
}

function chosen(number) {
  let sum = 0
  for (const [kind, weight] of WEIGHTS) {
    sum += weight
    if (sum > number) return kind
  }
  throw new RangeError(`expected less than ${sum}, got ${number}`)
}

const OPERATIONS = {
  async call(lane, result) {
    const { name, args, answers } = lane.pick(CALLS)(lane.random)
    const direct = lane.random(2) === 0
    result.calls += 1
    const answer = await (direct ? lane.use(name, args) : lane.use('call_tool', { name, arguments: args }))
    const text = answer.content[0].text
    if (!answer.isError && text.includes(answers(args))) result.answered += 1
    else if (answer.isError && /unavailable|ended during|could not be reached|cannot be started/.test(text))
      result.unavailable += 1
    else result.wrong.push(`${name}: ${text.slice(0, 200)}`)
  },
  async load(lane, result) {
    await registering(lane, result, 'mcp_load', { query: lane.pick(QUERIES) })
  },
  async loadModule(lane, result, gateway) {
    await registering(lane, result, 'manage_modules', { action: 'load', module: lane.pick(gateway.servers).name })
  },
  async select(lane, result) {
    await registering(lane, result, 'select_mode', { task_description: lane.pick(QUERIES) })
  },
  async unloadModule(lane, result, gateway) {
    const { name } = lane.pick(gateway.servers)
    await registering(lane, result, 'manage_modules', { action: 'unload', module: name })
    if (lane.names.some((tool) => tool.startsWith(`mcp--${name}--`))) result.wrong.push(`unload of ${name} left a tool`)
  },
  async search(lane) {
    await lane.use('search_mcps', { query: lane.pick(QUERIES) })
  },
  async list(lane) {
    lane.names = await lane.list()
  },
  async reconnect(lane, result) {
    result.reconnects += 1
    await lane.close()
    await lane.open()
  },
  async kill(lane, result, gateway) {
    const { pid } = lane.pick(gateway.servers)
    if (pid === null) return
    result.kills += 1
    signalProcess(pid, 'SIGKILL')
  },
}

/** Changes the list by a meta tool, lists again, and looks whether what was answered is there and was told. */
async function registering(lane, result, name, args) {
  const before = lane.names
  const told = lane.changes
  const answer = await lane.use(name, args)
  if (answer.isError) return void result.wrong.push(`${name}: ${answer.content[0].text.slice(0, 200)}`)
  const { loaded = [], tools = [], unloaded = [] } = JSON.parse(answer.content[0].text)
  const added = [...loaded, ...tools].map((tool) => tool.name)
  lane.names = await lane.list()
  const changed = JSON.stringify(before) !== JSON.stringify(lane.names)
  if (changed && lane.changes === told) result.untold.push(`${name} ${JSON.stringify(args)}`)
  if (added.length + unloaded.length === 0) return undefined
  result.registrations += 1
  const right = added.every((tool) => lane.names.includes(tool)) && unloaded.every((tool) => !lane.names.includes(tool))
  if (right) result.registered += 1
  return undefined
}
