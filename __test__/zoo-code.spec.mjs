// SPDX-License-Identifier: Apache-2.0
//
// Compiles examples/zoo-code with tsc, type errors included, and runs it against real MCP servers.

import { execFile } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

import test from 'ava'

import { ToolRouter } from '../index.js'
import { LATE_SERVER, SdkHub } from './fixtures/sdk-hub.mjs'

const router = ToolRouter.shared()
const output = fs.mkdtempSync(path.join(os.tmpdir(), 'tool-router-zoo-code-'))
const hub = new SdkHub()
const problems = []
const onProblem = (problem) => problems.push(problem)
const changes = []
const onChange = (serverName, change) => changes.push({ serverName, ...change })
/** Small numbers, so that 37 tools are many. */
const SETTINGS = { threshold: 5, initialK: 4, turnK: 2, searchK: 3 }

let example
let source

/** Compiles with the type checker on; resolves to the module. */
async function compileExample() {
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json')
  const tsc = path.join(path.dirname(manifest), 'bin', 'tsc')
  const project = fileURLToPath(new URL('../examples/zoo-code/', import.meta.url))
  const args = [tsc, '-p', project, '--noEmit', 'false', '--outDir', output, '--rootDir', project]
  await promisify(execFile)(process.execPath, args).catch(({ stdout, message }) => {
    throw new Error(`tsc: ${stdout || message}`)
  })
  fs.copyFileSync(path.join(project, 'package.json'), path.join(output, 'package.json'))
  return import(pathToFileURL(path.join(output, 'mcp-tools.js')).href)
}

/** A store in memory; `states` is what the host's task history would hold. */
function memoryStore(states = new Map()) {
  return {
    states,
    read: async (taskId) => states.get(taskId),
    write: async (taskId, state) => void states.set(taskId, state),
  }
}

function taskTools(options = {}) {
  return new example.McpTaskTools(router, hub, { store: memoryStore(), onProblem, settings: SETTINGS, ...options })
}

const names = (tools) => tools.map((tool) => tool.function.name)

/** Waits for an announcement of a server, then for what follows from it. */
async function afterListChanged(act) {
  const announced = new Promise((resolve) => {
    const stop = hub.onEvent(({ kind }) => {
      if (kind !== 'listChanged') return
      stop()
      resolve()
    })
  })
  await act()
  await announced
  await source.settled()
}

test.before(async (t) => {
  t.timeout(180_000)
  example = await compileExample()
  await hub.connect('filesystem', 'memory', 'everything')
  source = new example.McpToolSource(router, hub, { onProblem, onChange, debounceMs: 10 })
  await source.start()
})

test.after.always(async () => {
  await source?.dispose()
  await hub.close()
  fs.rmSync(output, { recursive: true, force: true })
})

test.beforeEach(() => {
  problems.length = 0
  changes.length = 0
})

test.serial('the servers that the hub has are in the catalogue after start', (t) => {
  const tools = hub.servers().reduce((sum, server) => sum + server.tools.length, 0)
  t.deepEqual([router.status.serverCount, router.status.toolCount], [3, tools])
  t.deepEqual(problems, [])
})

test.serial('the first message selects, later ones add, and definitions only ever grow at their end', async (t) => {
  const tools = taskTools()
  const task = { taskId: 'grows' }
  const all = await tools.getMcpServerTools(task)
  t.is(all.length, router.status.toolCount, 'before the first message all tools are there, as without a router')

  const first = await tools.onUserMessage(task, 'read a text file')
  t.deepEqual([first.mode, first.turn, first.attached.length], ['dynamic', 1, 4])
  const before = await tools.getMcpServerTools(task)
  t.deepEqual(names(before), ['mcp_load', ...first.attached])
  t.true(before.every(({ type, function: { parameters } }) => type === 'function' && parameters.type === 'object'))

  const second = await tools.onUserMessage(task, 'store entities and relations in the knowledge graph')
  t.deepEqual([second.turn, second.added.length], [2, 2])
  const after = await tools.getMcpServerTools(task)
  t.deepEqual(after.slice(0, before.length), before)
  t.deepEqual(names(after.slice(before.length)), second.added)
  await tools.closeTask('grows')
  t.deepEqual(problems, [])
})

test.serial('mcp_load answers the model in words, and what it loads is in the next request', async (t) => {
  const tools = taskTools()
  const task = { taskId: 'loads' }
  await tools.onUserMessage(task, 'read a text file')

  const loaded = await tools.handleMcpLoad(
    task,
    '{"query":"mcp--everything--get-sum, mcp--filesystem--read_text_file"}',
  )
  t.regex(loaded, /^- mcp--everything--get-sum: .+/m)
  t.regex(loaded, /^Attached before: mcp--filesystem--read_text_file$/m)
  t.is(names(await tools.getMcpServerTools(task)).at(-1), 'mcp--everything--get-sum')

  const unknown = await tools.handleMcpLoad(task, '{"query":"get_summ"}')
  t.regex(unknown, /^Not available: get_summ \(unknown\); near names: .*mcp--everything--get-sum/m)
  t.regex(await tools.handleMcpLoad(task, '{"query":"zxqv wvkj"}'), /^No tool matches/)
  t.regex(await tools.handleMcpLoad(task, '{"query":'), /^mcp_load failed: /, 'the model can correct what it wrote')
  t.regex(await tools.handleMcpLoad(task, '{}'), /^mcp_load failed: /)
  await tools.closeTask('loads')
  t.deepEqual(problems, [], 'none of this is a problem of the host')
})

test.serial('a call reaches the server under its own names, however the model spells the provider name', async (t) => {
  const tools = taskTools()
  const task = { taskId: 'calls' }
  await tools.onUserMessage(task, 'what is the sum of two numbers; also create entities')
  await tools.handleMcpLoad(
    task,
    '{"query":"mcp--everything--get-sum, mcp--memory--create_entities, mcp--memory--read_graph"}',
  )

  const sum = await tools.callTool(task, 'mcp__everything__get_sum', { a: 20, b: 22 })
  t.regex(sum.content[0].text, /\b42\b/)

  const entities = [{ name: 'Anna', entityType: 'person', observations: ['likes tea'] }]
  t.not((await tools.callTool(task, 'mcp--memory--create_entities', { entities })).isError, true)
  const graph = await tools.callTool(task, 'mcp--memory--read_graph', {})
  t.regex(graph.content[0].text, /likes tea/)
  await tools.closeTask('calls')
  t.deepEqual(problems, [])
})

test.serial('a call that succeeds is remembered, and one that fails is not', async (t) => {
  const tools = taskTools()
  const task = { taskId: 'remembers' }
  const boost = async (toolName) => {
    const ranking = await router.rank('numbers and messages', { topK: 1000 })
    return ranking.tools.find((tool) => tool.toolName === toolName).boost
  }
  await tools.onUserMessage(task, 'read a text file')
  await tools.handleMcpLoad(task, '{"query":"mcp--everything--echo, mcp--everything--get-annotated-message"}')
  t.is(await boost('echo'), 0)

  await tools.callTool(task, 'mcp--everything--echo', { message: 'hello' })
  t.true((await boost('echo')) > 0)
  const failed = await tools.callTool(task, 'mcp--everything--get-annotated-message', { messageType: 'no such type' })
  t.true(failed.isError)
  t.is(await boost('get-annotated-message'), 0)
  await tools.closeTask('remembers')
})

test.serial('a tool that is not attached is not called, though its server offers it', async (t) => {
  const tools = taskTools()
  const task = { taskId: 'guesses' }
  await tools.onUserMessage(task, 'read a text file')
  t.deepEqual(router.resolveTool('mcp--memory--read_graph'), { serverName: 'memory', toolName: 'read_graph' })
  for (const name of ['mcp--memory--read_graph', 'mcp--nowhere--nothing']) {
    const answer = await tools.callTool(task, name, {})
    t.true(answer.isError)
    t.regex(answer.content[0].text, /not attached/)
  }
  await tools.closeTask('guesses')
})

test.serial('what a mode blocks is neither selected nor loaded', async (t) => {
  const { hostModes: modes } = router.settings
  router.configure({ hostModes: { ask: { blockedMcpServers: ['memory'] } } })
  const tools = taskTools()
  const task = { taskId: 'scoped', mode: 'ask' }
  await tools.onUserMessage(task, 'create entities and relations in the knowledge graph')
  t.regex(await tools.handleMcpLoad(task, '{"query":"mcp--memory--read_graph"}'), /\(out-of-scope\)/)
  t.false(names(await tools.getMcpServerTools(task)).some((name) => name.startsWith('mcp--memory--')))
  t.not(await tools.onUserMessage({ taskId: 'free', mode: 'a-mode-without-rules' }, 'read a file'), null)
  router.configure({ hostModes: modes })
  await tools.closeTask('scoped')
  await tools.closeTask('free')
  t.deepEqual(problems, [])
})

test.serial('a task resumed from its saved state goes on where it was', async (t) => {
  const store = memoryStore()
  const task = { taskId: 'resumed' }
  const before = taskTools({ store })
  await before.onUserMessage(task, 'read a text file')
  await before.handleMcpLoad(task, '{"query":"mcp--everything--get-sum"}')
  const definitions = await before.getMcpServerTools(task)
  await before.closeTask('resumed')
  t.throws(() => router.session('resumed'), { code: 'ERR_SESSION_NOT_FOUND' })

  const after = taskTools({ store })
  t.deepEqual(await after.getMcpServerTools(task), definitions)
  const selection = await after.onUserMessage(task, 'search files in a directory')
  t.is(selection.turn, 2)
  t.deepEqual((await after.getMcpServerTools(task)).slice(0, definitions.length), definitions)
  await after.closeTask('resumed')
  t.deepEqual(problems, [])
})

const DAMAGED = [
  ['cut short', (state) => state.slice(0, 40)],
  ['no JSON at all', () => 'nonsense'],
  ['from a later version', (state) => JSON.stringify({ ...JSON.parse(state), version: 99 })],
  ['of another task', (state) => JSON.stringify({ ...JSON.parse(state), sessionId: 'somebody' })],
]
for (const [what, damage] of DAMAGED) {
  test.serial(`a state that is ${what} is reported, and the task starts anew`, async (t) => {
    const store = memoryStore()
    const task = { taskId: 'damaged' }
    const before = taskTools({ store })
    await before.onUserMessage(task, 'read a text file')
    await before.closeTask('damaged')
    store.states.set('damaged', damage(store.states.get('damaged')))

    const after = taskTools({ store })
    const selection = await after.onUserMessage(task, 'read a text file')
    t.is(selection.turn, 1)
    t.deepEqual(
      problems.map(({ where, taskId }) => [where, taskId]),
      [['state', 'damaged']],
    )
    await after.closeTask('damaged')
  })
}

test.serial('a store that fails is reported and costs the task nothing', async (t) => {
  const fail = async () => {
    throw new Error('disk on fire')
  }
  const tools = taskTools({ store: { read: fail, write: fail } })
  const selection = await tools.onUserMessage({ taskId: 'unsaved' }, 'read a text file')
  t.is(selection.attached.length, 4)
  t.deepEqual(
    problems.map(({ where, error }) => [where, error.message]),
    [
      ['store', 'disk on fire'],
      ['store', 'disk on fire'],
    ],
  )
  await tools.closeTask('unsaved')
})

test.serial('a turn that fails is reported, and what is attached stays', async (t) => {
  const tools = taskTools()
  const task = { taskId: 'fails' }
  await tools.onUserMessage(task, 'read a text file')
  const before = await tools.getMcpServerTools(task)
  t.is(await tools.onUserMessage(task, 42), null)
  t.deepEqual(
    problems.map(({ where, error }) => [where, error.code]),
    [['turn', 'ERR_INVALID_ARGUMENT']],
  )
  t.deepEqual(await tools.getMcpServerTools(task), before)
  await tools.closeTask('fails')
})

test.serial('messages and loads that are not awaited are taken in order', async (t) => {
  const tools = taskTools()
  const task = { taskId: 'ordered' }
  const [first, , second] = await Promise.all([
    tools.onUserMessage(task, 'read a text file'),
    tools.handleMcpLoad(task, '{"query":"mcp--everything--get-sum"}'),
    tools.onUserMessage(task, 'store entities in the knowledge graph'),
  ])
  t.deepEqual([first.turn, second.turn], [1, 2])
  t.deepEqual(second.attached.slice(0, 5), [...first.attached, 'mcp--everything--get-sum'])
  await tools.closeTask('ordered')
})

test.serial('list_changed of a real server sets what changed and keeps the rest', async (t) => {
  t.timeout(60_000)
  await hub.connect(LATE_SERVER)
  await source.settled()
  changes.length = 0
  const call = (name) => afterListChanged(() => hub.callTool('late', name, {}))
  const forecast = { serverName: 'late', toolName: 'weather_forecast' }

  await call('grow')
  await call('reword')
  await call('shrink')
  const change = { serverName: 'late', added: [], changed: [], removed: [], unchanged: 3, refused: [] }
  const quiet = { warnings: [], serverPins: 0, ignoredPins: 0 }
  const reworded = { code: 'definition-changed', ...forecast, detail: 'changed: its description' }
  t.deepEqual(changes, [
    { ...change, ...quiet, added: [forecast] },
    { ...change, ...quiet, changed: [forecast], warnings: [reworded] },
    { ...change, ...quiet, removed: [forecast] },
  ])

  await hub.remove('late')
  await source.settled()
  t.is(changes.at(-1).removed.length, 3)
  t.deepEqual(problems, [])
})

test.serial('many events of one server become one change', async (t) => {
  for (let round = 0; round < 20; round++) hub.announce('listChanged', 'memory')
  await source.settled()
  t.is(changes.length, 1)
  t.deepEqual([changes[0].serverName, changes[0].unchanged, changes[0].added], ['memory', 9, []])
})

test.serial('list_changed counts, whatever other event came before it', async (t) => {
  const asked = []
  const refresh = hub.refreshTools
  hub.refreshTools = async (name) => void asked.push(name)
  hub.announce('changed', 'memory')
  hub.announce('listChanged', 'memory')
  await source.settled()
  hub.announce('changed', 'memory')
  await source.settled()
  hub.refreshTools = refresh
  t.deepEqual(asked, ['memory'])
  t.is(changes.length, 2)
})

test.serial('a server that never stops announcing is read all the same', async (t) => {
  for (let round = 0; changes.length === 0 && round < 2_000; round++) {
    hub.announce('changed', 'memory')
    await sleep(1)
  }
  t.true(changes.length > 0)
  await source.settled()
})

test.serial('a disabled server goes from the definitions and returns to its place', async (t) => {
  const tools = taskTools()
  const task = { taskId: 'disables' }
  await tools.onUserMessage(task, 'create entities and relations in the knowledge graph')
  const before = await tools.getMcpServerTools(task)
  t.true(names(before).some((name) => name.startsWith('mcp--memory--')))

  hub.configure('memory', { disabled: true })
  await source.settled()
  t.false(names(await tools.getMcpServerTools(task)).some((name) => name.startsWith('mcp--memory--')))
  t.regex(await tools.handleMcpLoad(task, '{"query":"mcp--memory--delete_entities"}'), /\(disabled\)/)

  hub.configure('memory', { disabled: false })
  await source.settled()
  t.deepEqual(await tools.getMcpServerTools(task), before)
  await tools.closeTask('disables')
})

test.serial('onlyAllow of a server holds for selections and loads', async (t) => {
  hub.configure('memory', { onlyAllow: ['read_graph'] })
  await source.settled()
  const tools = taskTools()
  const task = { taskId: 'allows' }
  await tools.onUserMessage(task, 'delete relations and entities of the knowledge graph')
  await tools.handleMcpLoad(task, '{"query":"memory"}')
  const attached = names(await tools.getMcpServerTools(task)).filter((name) => name.startsWith('mcp--memory--'))
  t.deepEqual(attached, ['mcp--memory--read_graph'])
  hub.configure('memory', { onlyAllow: undefined })
  await source.settled()
  await tools.closeTask('allows')
})

test.serial('a server that crashes takes its tools along, and its reconnect brings them back', async (t) => {
  t.timeout(60_000)
  await hub.disconnect('memory')
  await source.settled()
  t.is(changes.at(-1).removed.length, 9)
  t.is(router.resolveTool('mcp--memory--read_graph'), null)
  await hub.connect('memory')
  await source.settled()
  t.is(changes.at(-1).added.length, 9)
  t.deepEqual(problems, [])
})

test.serial('a server that cannot be listed is reported, and the tools known so far stay', async (t) => {
  const refresh = hub.refreshTools
  hub.refreshTools = async () => {
    throw new Error('the server does not answer')
  }
  hub.announce('listChanged', 'memory')
  await source.settled()
  hub.refreshTools = refresh
  t.deepEqual(
    problems.map(({ where, serverName }) => [where, serverName]),
    [['list', 'memory']],
  )
  t.deepEqual(changes, [])
  t.not(router.resolveTool('mcp--memory--read_graph'), null)
})

test.serial('a tool that cannot be used is reported alone, and its siblings stay', async (t) => {
  const server = hub.servers().find(({ name }) => name === 'memory')
  const { tools } = server
  server.tools = [...tools, { name: 'broken', inputSchema: 'no schema' }]
  hub.announce('changed', 'memory')
  await source.settled()
  t.deepEqual(
    problems.map(({ where, serverName }) => [where, serverName]),
    [['catalogue', 'memory']],
  )
  t.regex(problems[0].error.message, /broken/)
  t.is(changes.at(-1).unchanged, 9)
  server.tools = tools
  hub.announce('changed', 'memory')
  await source.settled()
})

test.serial('a disposed source follows nothing and leaves no server behind', async (t) => {
  await source.dispose()
  t.is(hub.listenerCount, 0)
  t.deepEqual([router.status.serverCount, router.status.toolCount], [0, 0])
  hub.announce('changed', 'memory')
  await source.settled()
  t.is(router.status.serverCount, 0)
  t.deepEqual(problems, [])
})
