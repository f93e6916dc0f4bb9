// Random operations on a gateway over real servers, from a seed: loads, unloads, calls, kills of servers, clients that
// leave and come back, of either era. Counts what was answered, and how. The benchmark runs many, a test some hundreds.

import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { commandOf, readDefinitions } from '../../../examples/demo/servers.mjs'
import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import { lives, signalProcess } from '../../../packages/gateway/base/processes.mjs'
import { LANES } from './gateway-lanes.mjs'

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
  return { mcpServers: Object.fromEntries(entries), gateway: { dir: folder } }
}

/**
 * Runs operations in several lanes at once.
 *
 * @param {{ operations: number, seed: number, era?: 'legacy' | 'modern', servers?: string[], lanes?: number,
 *   onProgress?: (done: number) => void }} options `era`: of the clients; the servers are of the older one
 * @returns {Promise<object>} counts; `lost`, `wrong`, `untold` and `left` are empty when all is well
 */
export async function runOperations({
  operations,
  seed,
  era = 'legacy',
  servers = ['filesystem', 'memory', 'everything', 'sequential-thinking', 'github', 'slack', 'airtable', 'notion'],
  lanes = 6,
  onProgress = () => {},
}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tool-router-operations-'))
  const gateway = await createGateway({ config: configuration(folder, servers) })
  const result = newResult()
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
        const lane = new LANES[era](gateway, endpoint, generator(seed + 1 + at), result)
        await lane.open()
        while (result.operations < operations) {
          await operate(lane, result, gateway)
          onProgress(result.operations)
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

/** Counts of a run. */
export function newResult() {
  const counts = ['operations', 'calls', 'answered', 'unavailable', 'registrations', 'registered', 'limited']
  const lists = ['lost', 'wrong', 'untold', 'left']
  return {
    ...Object.fromEntries([...counts, 'kills', 'reconnects'].map((name) => [name, 0])),
    ...Object.fromEntries(lists.map((name) => [name, []])),
  }
}

/** One operation of a lane, as its numbers have it. */
export async function operate(lane, result, gateway) {
  result.operations += 1
  const kind = chosen(lane.random(100))
  try {
    await OPERATIONS[kind](lane, result, gateway)
  } catch (error) {
    result.lost.push(`${kind}: ${error.message} ${error.cause?.code ?? ''}`)
  }
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
  async load(lane) {
    await lane.registering('mcp_load', { query: lane.pick(QUERIES) })
  },
  async loadModule(lane, _, gateway) {
    await lane.registering('manage_modules', { action: 'load', module: lane.pick(gateway.servers).name })
  },
  async select(lane) {
    await lane.registering('select_mode', { task_description: lane.pick(QUERIES) })
  },
  async unloadModule(lane, _, gateway) {
    await lane.unload(lane.pick(gateway.servers).name)
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
