// SPDX-License-Identifier: Apache-2.0
//
// Compiles examples/zoo-code with tsc, type errors included, and runs it against real MCP servers.

import { execFile } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

import test from 'ava'

import { ToolRouter } from '../index.js'
import { LATE_SERVER, SdkHub } from './fixtures/sdk-hub.mjs'

const router = ToolRouter.shared()
const output = fs.mkdtempSync(path.join(os.tmpdir(), 'tool-router-zoo-code-'))
const hub = new SdkHub()
const problems = []
const onProblem = (problem) => problems.push(problem)
/** Small numbers, so that 37 tools are many. */
const SETTINGS = { threshold: 5, initialK: 4, searchK: 3, delivery: 'append' }

let example
let source

/** Compiles with the type checker on; resolves to the modules. */
async function compileExample() {
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json')
  const tsc = path.join(path.dirname(manifest), 'bin', 'tsc')
  const project = fileURLToPath(new URL('../examples/zoo-code/', import.meta.url))
  const args = [tsc, '-p', project, '--noEmit', 'false', '--outDir', output, '--rootDir', project]
  await promisify(execFile)(process.execPath, args).catch(({ stdout, message }) => {
    throw new Error(`tsc: ${stdout || message}`)
  })
  fs.copyFileSync(path.join(project, 'package.json'), path.join(output, 'package.json'))
  const load = (name) => import(pathToFileURL(path.join(output, name)).href)
  return Object.assign({}, ...(await Promise.all(['hub.js', 'task-tools.js', 'host-settings.js'].map(load))))
}

function memoryStore(states = new Map()) {
  return { states, read: async (id) => states.get(id), write: async (id, state) => void states.set(id, state) }
}

const configure = (settings = {}) => router.configure(example.toSettings({ ...SETTINGS, ...settings }))
const taskTools = (store = memoryStore()) => new example.TaskTools(router, source, store, onProblem)
const names = (tools) => tools.map((tool) => tool.function.name)
const isOf = (server) => (name) => name.startsWith(`mcp--${server}--`)

test.before(async (t) => {
  t.timeout(180_000)
  example = await compileExample()
  await hub.connect('memory', 'filesystem', 'everything')
  configure()
  source = new example.HubTools(router, hub, onProblem)
  await source.refresh()
})

test.after.always(async () => {
  await hub.close()
  fs.rmSync(output, { recursive: true, force: true })
})

test.beforeEach(() => {
  problems.length = 0
  configure()
})

test.serial('the adapter to the hub has at most 60 lines', (t) => {
  const text = fs.readFileSync(new URL('../examples/zoo-code/hub.ts', import.meta.url), 'utf8')
  t.true(text.trim().split('\n').length <= 60)
})

test.serial(
  'under the threshold definitions stand in the order of the hub, and schemas are closed as the host closes them',
  async (t) => {
    configure({ threshold: 1_000 })
    const tools = taskTools()
    const task = { taskId: 'all' }
    tools.noteUserText(task, 'anything')
    const definitions = await tools.definitions(task)
    const expected = hub
      .getServers()
      .flatMap(({ name, tools }) => tools.map((tool) => [`mcp--${name}--${tool.name}`, tool]))
    t.deepEqual(
      names(definitions),
      expected.map(([name]) => name),
    )
    for (const {
      function: { parameters },
    } of definitions)
      t.is(parameters.additionalProperties, false)
    await tools.close('all')
  },
)

test.serial('a hub in which nothing changed costs no call of the router', async (t) => {
  const { version } = source
  for (let round = 0; round < 1_000; round++) await source.refresh()
  t.is(source.version, version)
})

test.serial('the text arrives synchronously, and the next definitions have waited for it', async (t) => {
  const tools = taskTools()
  const task = { taskId: 'grows' }
  t.is((await tools.definitions(task)).length, 36, 'before the first text all tools, as without the router')
  tools.noteUserText(task, 'read a text file')
  const before = await tools.definitions(task)
  t.is(names(before)[0], 'mcp_load')
  t.is(before.length, 5)
  tools.noteUserText(task, 'store entities and relations in the knowledge graph')
  const after = await tools.definitions(task)
  t.deepEqual(after.slice(0, before.length), before)
  t.true(after.length > before.length)
  await tools.close('grows')
  t.deepEqual(problems, [])
})

test.serial('mcp_load answers the model and names what it loaded, which is in the next request', async (t) => {
  const tools = taskTools()
  const task = { taskId: 'loads' }
  tools.noteUserText(task, 'read a text file')
  await tools.definitions(task)
  const query = '{"query":"mcp--everything--get-sum, mcp--filesystem--read_text_file"}'
  const { text, loaded } = await tools.load(task, query)
  t.deepEqual(
    loaded.map(({ toolName }) => toolName),
    ['get-sum'],
  )
  t.is(JSON.parse(text).loaded[0].name, 'mcp--everything--get-sum')
  t.is(names(await tools.definitions(task)).at(-1), 'mcp--everything--get-sum')
  const missed = await tools.load(task, '{"query":"get_summ"}')
  t.like(JSON.parse(missed.text).unavailable[0], { name: 'get_summ', reason: 'unknown' })
  t.regex((await tools.load(task, '{"query":')).text, /^mcp_load failed: /, 'the model can correct what it wrote')
  await tools.close('loads')
  t.deepEqual(problems, [], 'none of this is a problem of the host')
})

test.serial(
  'a call is checked for the host, which asks and calls; what is not attached or does not fit is told to the model',
  async (t) => {
    const tools = taskTools()
    const task = { taskId: 'calls' }
    tools.noteUserText(task, 'what is the sum of two numbers')
    await tools.definitions(task)
    await tools.load(task, '{"query":"mcp--everything--get-sum"}')
    const { tool, arguments: args } = await tools.check(task, 'mcp__everything__get_sum', '{"a":20,"b":22}')
    t.deepEqual(tool, { serverName: 'everything', toolName: 'get-sum' })
    const { content } = await hub.callTool(tool.serverName, tool.toolName, args)
    t.regex(content[0].text, /\b42\b/)
    await tools.used(task, tool)
    const problem = async (name, text) => (await tools.check(task, name, text)).problem
    t.regex(await problem('mcp--memory--delete_relations', '{}'), /is not loaded\. Call mcp_load/)
    t.regex(await problem('mcp--nowhere--nothing', '{}'), /nothing/)
    t.regex(await problem('mcp__everything__get_sum', '{"a":"x"}'), /The call was not made/)
    t.truthy(await problem('mcp__everything__get_sum', '{"a":'))
    await tools.close('calls')
    t.deepEqual(problems, [])
  },
)

test.serial(
  'a mode that is switched within the task takes its servers away, and back again they are there',
  async (t) => {
    configure({ modes: { ask: { blockedMcpServers: ['memory'] } } })
    const tools = taskTools()
    const task = { taskId: 'scoped' }
    tools.noteUserText(task, 'create entities and relations in the knowledge graph')
    const before = names(await tools.definitions(task))
    t.true(before.some(isOf('memory')))
    const during = names(await tools.definitions({ ...task, mode: 'ask' }))
    t.false(during.some(isOf('memory')))
    const { text } = await tools.load({ ...task, mode: 'ask' }, '{"query":"mcp--memory--read_graph"}')
    t.is(JSON.parse(text).unavailable[0].reason, 'out-of-scope')
    const after = names(await tools.definitions({ ...task, mode: 'a-mode-without-rules' }))
    t.deepEqual(
      after.filter((name) => before.includes(name)),
      before,
    )
    await tools.close('scoped')
    t.deepEqual(problems, [])
  },
)

test.serial('a task that begins in a mode is chosen for from the servers of that mode', async (t) => {
  configure({ modes: { files: { allowedMcpServers: ['filesystem'] } } })
  const tools = taskTools()
  const task = { taskId: 'begins', mode: 'files' }
  tools.noteUserText(task, 'create entities and relations in the knowledge graph')
  const definitions = names(await tools.definitions(task))
  t.is(definitions.length, 5)
  t.true(definitions.slice(1).every(isOf('filesystem')))
  await tools.close('begins')
})

test.serial("a mode with other servers has its own selection, made with the user's last text", async (t) => {
  const modes = { files: { allowedMcpServers: ['filesystem'] }, graph: { allowedMcpServers: ['memory'] } }
  configure({ modes })
  const tools = taskTools()
  const task = { taskId: 'switches', mode: 'files' }
  tools.noteUserText(task, 'read a text file and store its entities')
  t.is((await tools.definitions(task)).length, 5)
  const after = names(await tools.definitions({ ...task, mode: 'graph' }))
  t.is(after.length, 5, 'as many as at a beginning, without a new text')
  t.true(after.slice(1).every(isOf('memory')))
  await tools.close('switches')
})

test.serial(
  'by default the list never changes, definitions come as messages, and a call goes through mcp_call',
  async (t) => {
    configure({ delivery: undefined })
    const tools = taskTools()
    const task = { taskId: 'cached', contextTokens: 1_000 }
    tools.noteUserText(task, 'read a text file')
    await tools.definitions(task) // the count of the system prompt takes nothing from the request
    const first = await tools.request(task)
    t.deepEqual(names(first.tools), ['mcp_load', 'mcp_call'])
    t.is(first.messages.length, 1)
    t.regex(first.messages[0].content, /mcp--filesystem--read_text_file/)
    const call = '{"name":"mcp--everything--get-sum","arguments":{"a":20,"b":22}}'
    t.regex((await tools.check(task, 'mcp_call', call)).problem, /is not loaded/)
    const { text } = await tools.load(task, '{"query":"mcp--everything--get-sum"}', 'call-1')
    t.regex(text, /"name":"mcp--everything--get-sum","description"/)
    t.deepEqual(await tools.check(task, 'mcp_call', call), {
      tool: { serverName: 'everything', toolName: 'get-sum' },
      arguments: { a: 20, b: 22 },
    })
    tools.noteUserText({ ...task, contextTokens: 30_000 }, 'store entities and relations in the knowledge graph')
    const later = await tools.request(task)
    t.is(JSON.stringify(later.tools), JSON.stringify(first.tools))
    t.regex(later.messages[0].content, /"name":"mcp--memory--/)
    t.deepEqual((await tools.request(task)).messages, [], 'each is said once')
    await tools.close('cached')
    t.deepEqual(problems, [])
  },
)

test.serial(
  'with append a turn knows how long the conversation is, and its ledger has no unknown rewrite',
  async (t) => {
    const store = memoryStore()
    const tools = taskTools(store)
    const task = { taskId: 'ledger', contextTokens: 1_000 }
    tools.noteUserText(task, 'read a text file')
    await tools.request(task)
    tools.noteUserText({ ...task, contextTokens: 30_000 }, 'store entities and relations in the knowledge graph')
    await tools.request({ ...task, contextTokens: 30_000 })
    await tools.close('ledger')
    const session = await router.restoreSession(store.states.get('ledger'))
    const { ledger } = session.selection.tokens
    t.is(ledger.contextTokens, 30_000)
    t.is(ledger.uncountedRewrites, 0)
    session.close()
  },
)

test.serial('under the threshold the list is the same with every delivery', async (t) => {
  const lists = []
  for (const delivery of ['append', undefined]) {
    configure({ threshold: 1_000, delivery })
    const tools = taskTools()
    const task = { taskId: `all ${delivery}` }
    tools.noteUserText(task, 'anything')
    lists.push(JSON.stringify(await tools.request(task)))
    await tools.close(task.taskId)
  }
  t.is(lists[0], lists[1])
})

test.serial('the off switch holds in a running task', async (t) => {
  const tools = taskTools()
  const task = { taskId: 'off' }
  tools.noteUserText(task, 'read a text file')
  t.is((await tools.definitions(task)).length, 5)
  configure({ searchTurns: 0 })
  source.version++ // the host's listener of settings says so
  t.is((await tools.definitions(task)).length, 36)
  await tools.close('off')
})

test.serial(
  'a task resumed from its saved state goes on where it was; one without a state has all tools',
  async (t) => {
    const store = memoryStore()
    const task = { taskId: 'resumed' }
    const before = taskTools(store)
    before.noteUserText(task, 'read a text file')
    await before.definitions(task)
    await before.load(task, '{"query":"mcp--everything--get-sum"}')
    const definitions = await before.definitions(task)
    await before.close('resumed')
    const after = taskTools(store)
    t.deepEqual(await after.definitions(task), definitions)
    t.is((await after.definitions({ taskId: 'from before the update' })).length, 36)
    await after.close('resumed')
    t.deepEqual(problems, [])
  },
)

for (const [what, damage] of [
  ['cut short', (state) => state.slice(0, 40)],
  ['no JSON at all', () => 'nonsense'],
  ['from a later version', (state) => JSON.stringify({ ...JSON.parse(state), version: 99 })],
  ['of another task', (state) => JSON.stringify({ ...JSON.parse(state), sessionId: 'somebody' })],
]) {
  test.serial(`a state that is ${what} is reported, and the task has all tools`, async (t) => {
    const store = memoryStore()
    const task = { taskId: 'damaged' }
    const before = taskTools(store)
    before.noteUserText(task, 'read a text file')
    await before.definitions(task)
    await before.close('damaged')
    store.states.set('damaged', damage(store.states.get('damaged')))
    const after = taskTools(store)
    t.is((await after.definitions(task)).length, 36)
    t.deepEqual(
      problems.map(({ where, taskId }) => [where, taskId]),
      [['state', 'damaged']],
    )
    await after.close('damaged')
  })
}

test.serial('a turn that fails is reported, and the task has what it had', async (t) => {
  const tools = taskTools()
  const task = { taskId: 'fails' }
  tools.noteUserText(task, 42)
  t.is((await tools.definitions(task)).length, 36, 'all tools, not none')
  t.deepEqual(
    problems.map(({ where, error }) => [where, error.code]),
    [['turn', 'ERR_INVALID_ARGUMENT']],
  )
  await tools.close('fails')
})

test.serial('a condensed conversation chooses again, and a subtask has what its parent has', async (t) => {
  const tools = taskTools()
  const task = { taskId: 'long' }
  tools.noteUserText(task, 'read a text file')
  await tools.definitions(task)
  await tools.load(task, '{"query":"mcp--everything--get-sum, mcp--everything--echo"}')
  t.is((await tools.definitions(task)).length, 7)
  await tools.fork(task, { taskId: 'sub' })
  await tools.condensed(task, 'The file was read. Next the sum of two numbers.')
  const after = names(await tools.definitions(task))
  t.is(after.length, 5)
  t.is(after[0], 'mcp_load')
  tools.noteUserText({ taskId: 'sub' }, 'add two numbers')
  t.is((await tools.definitions({ taskId: 'sub' })).length, 5)
  await tools.close('long')
  await tools.close('sub')
})

test.serial('a list that the hub fetched again is seen by reference, and only what changed is set', async (t) => {
  t.timeout(60_000)
  await hub.connect(LATE_SERVER)
  await source.refresh()
  t.not(router.resolveTool('mcp--late--grow'), null)
  t.is(router.resolveTool('mcp--late--weather_forecast'), null)
  await hub.callTool('late', 'grow', {})
  await hub.refreshTools('late')
  await source.refresh()
  t.not(router.resolveTool('mcp--late--weather_forecast'), null)
  await hub.remove('late')
  await source.refresh()
  t.is(router.resolveTool('mcp--late--grow'), null)
  t.deepEqual(problems, [])
})

test.serial('a server that connects again keeps its tools meanwhile', async (t) => {
  const server = hub.find('memory')
  const { tools } = server
  Object.assign(server, { status: 'connecting', tools: undefined })
  await source.refresh()
  t.not(router.resolveTool('mcp--memory--read_graph'), null)
  Object.assign(server, { status: 'connected', tools })
  await source.refresh()
  t.deepEqual(problems, [])
})

test.serial('a disabled server goes from the definitions, mcp_load says so, and it returns to its place', async (t) => {
  const tools = taskTools()
  const task = { taskId: 'disables' }
  tools.noteUserText(task, 'create entities and relations in the knowledge graph')
  const before = await tools.definitions(task)
  t.true(names(before).some(isOf('memory')))
  hub.configure('memory', { disabled: true })
  t.false(names(await tools.definitions(task)).some(isOf('memory')))
  const { text } = await tools.load(task, '{"query":"mcp--memory--delete_entities"}')
  t.is(JSON.parse(text).unavailable[0].reason, 'disabled')
  hub.configure('memory', { disabled: false })
  const after = await tools.definitions(task)
  t.deepEqual(
    after.filter(({ function: { name } }) => names(before).includes(name)),
    before,
  )
  await tools.close('disables')
})

test.serial('a disabled server of the project hides no enabled one of the user', async (t) => {
  const tool = (name) => ({ name, inputSchema: { type: 'object' } })
  hub.add({ name: 'twice', config: '{}', status: 'connected', source: 'global', tools: [tool('theirs')] })
  hub.add({
    name: 'twice',
    config: '{}',
    status: 'connected',
    source: 'project',
    disabled: true,
    tools: [tool('mine')],
  })
  await source.refresh()
  t.not(router.resolveTool('mcp--twice--theirs'), null)
  await hub.remove('twice')
  await source.refresh()
  t.is(router.resolveTool('mcp--twice--theirs'), null)
})

test.serial('secrets of the configuration never reach the router, and a damaged one is reported alone', async (t) => {
  hub.add({ name: 'odd', config: '{"env":{"TOKEN":"s3cret"},', status: 'connected', tools: [{ name: 'x' }] })
  await source.refresh()
  t.deepEqual(
    problems.map(({ where, serverName }) => [where, serverName]),
    [['catalogue', 'odd']],
  )
  t.is(router.resolveTool('mcp--odd--x'), null)
  await hub.remove('odd')
  await source.refresh()
})

test.serial('telemetry has the fields of the host', async (t) => {
  const events = []
  example.sendTelemetry(router, (event, properties) => events.push([event, properties]))
  t.teardown(() => router.onTelemetry(null))
  const tools = taskTools()
  const task = { taskId: 'told' }
  tools.noteUserText(task, 'read a text file')
  await tools.definitions(task)
  await tools.load(task, '{"query":"mcp--everything--get-sum"}')
  tools.noteUserText(task, 'create entities and relations in the knowledge graph')
  const { length } = await tools.definitions(task)
  for (let tries = 0; tries < 100 && events.length < 5; tries++) await new Promise((resolve) => setTimeout(resolve, 20))
  const told = Object.fromEntries(events)
  t.deepEqual(told, {
    'dynamic_tools.task_start': { scopedCount: 36, attachedCount: 4, ranker: 'bm25' },
    'dynamic_tools.mcp_load_invoked': { taskTurn: 1, queryLength: 24, returnedCount: 1, alreadyAttachedCount: 0 },
    'dynamic_tools.rolling_window_step': { turn: 2, addedCount: length - 6, totalAttached: length - 1 },
    'dynamic_tools.ranker_fallback': { from: 'embeddings', to: 'bm25', reason: 'model-not-loaded' },
  })
  await tools.close('told')
})

test.serial("the host's embedder ranks where one is configured", async (t) => {
  const asked = []
  const createEmbeddings = async (texts) => {
    asked.push(...texts)
    return { embeddings: texts.map((text) => [text.length, 1, 0]) }
  }
  await example.useEmbedder(router, output, { createEmbeddings, embedderInfo: { name: 'code-index' } })
  await router.ready()
  t.is(router.status.embedder.modelId, 'code-index')
  t.true(asked.length >= 36)
  await router.setEmbedder(null)
  t.is(example.asHostTokens(101, 1.5), 152)
})
