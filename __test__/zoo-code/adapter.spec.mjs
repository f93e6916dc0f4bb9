// The session and the hub of zoo-kit over the real addon and real MCP servers. `npm run zoo:check` plays the same in the extension.

import test from 'ava'

import { router } from '../helpers/router.mjs'
import { LATE_SERVER, SdkHub } from '../fixtures/sdk-hub.mjs'
import { ModelView } from '../helpers/seen.mjs'
import { Chat, loadUnit, memoryStore } from '../helpers/zoo-kit.mjs'

const hub = new SdkHub()
const problems = []
const onProblem = (problem) => problems.push(problem)
/** Small numbers, so that 37 tools are many. */
const SETTINGS = { threshold: 5, initialK: 4, searchK: 3 }
const AS_SENT = { delivery: 'call', provider: 'openai-chat', schemaStyle: 'host' }

let HubTools
let ToolSession
let source

test.before(async (t) => {
  t.timeout(180_000)
  ;({ HubTools } = await loadUnit('0-router/src/services/tools/HubTools.ts'))
  ;({ ToolSession } = await loadUnit('1-session/src/services/tools/ToolSession.ts'))
  await hub.connect('memory', 'filesystem', 'everything')
  source = new HubTools(router, hub, onProblem)
  await source.refresh()
})
test.after.always(() => hub.close())
test.beforeEach(() => {
  problems.length = 0
})

/** As the extension makes one: the hub's tools are its own list, which the session gets for each request. */
function taskOf(taskId, { store = memoryStore(), chat = new Chat(), settings = () => SETTINGS, parentTaskId } = {}) {
  const session = new ToolSession({
    taskId,
    parentTaskId,
    messages: () => chat.messages,
    contextTokens: () => 1_000 * chat.messages.length,
    settings,
    window: async () => ({
      router,
      ready: (given) => {
        router.configure({ ...given, ...AS_SENT })
        return source.refresh()
      },
    }),
    store,
    onProblem,
  })
  const all = () =>
    hub
      .getServers()
      .flatMap(({ name, tools }) => tools.map((tool) => ({ function: { name: `mcp--${name}--${tool.name}` } })))
  const request = async (scope = {}) => {
    const given = all()
    const tools = await session.select(given, { mode: 'code', ...scope })
    return { tools, isAll: tools === given, told: (await session.takeTexts()).join('\n') }
  }
  return { chat, session, store, request }
}
const named = (text) => [...text.matchAll(/"name":"(mcp--[\w-]+)"/g)].map(([, name]) => name)
const isOf = (server) => (name) => name.startsWith(`mcp--${server}--`)

test.serial('off, and up to the threshold, the list is the very object that it was', async (t) => {
  for (const settings of [() => undefined, () => ({ threshold: 1_000 })]) {
    const task = taskOf('off', { settings })
    task.chat.user('read a text file')
    t.true((await task.request()).isAll)
  }
})

test.serial('a hub in which nothing changed costs no call of the router', async (t) => {
  let calls = 0
  const counted = { setServer: async () => void calls++, removeServer: async () => void calls++ }
  const own = new HubTools(counted, hub, onProblem)
  await own.refresh()
  const before = calls
  for (let round = 0; round < 1_000; round++) await own.refresh()
  t.deepEqual([before, calls], [3, 3])
})

test.serial('the model reads each tool that the session has attached or named, message by message', async (t) => {
  const task = taskOf('seen')
  const view = new ModelView()
  for (const text of [
    'read a text file',
    'now create an entity in the graph',
    'add two numbers',
    'list the directory',
  ]) {
    task.chat.user(text)
    const { tools, told } = await task.request()
    view.read({ tools: JSON.stringify(tools), messages: JSON.stringify([told]) })
    const { attached, directory } = task.session.session.selection
    t.true(attached.length + directory.length > 0)
    t.deepEqual(
      [...attached, ...directory].filter((name) => !view.sees(name)),
      [],
      text,
    )
  }
})

test.serial('the list never changes, definitions come once, and a call goes through mcp_call', async (t) => {
  const task = taskOf('cached')
  task.chat.user('read a text file')
  const first = await task.request()
  t.deepEqual(
    first.tools.map((tool) => tool.function.name),
    ['mcp_load', 'mcp_call'],
  )
  t.regex(first.told, /mcp--filesystem--read_text_file/)
  t.is((await task.request()).told, '', 'each is said once')
  task.chat.user('ok, go on')
  t.is((await task.request()).told, '')
  const call = ['mcp--everything--get-sum', { a: 20, b: 22 }]
  t.regex((await task.session.check(...call)).problem, /is not loaded/)
  const { text, loaded } = await task.session.load('mcp--everything--get-sum', 'call-1')
  t.regex(text, /mcp--everything--get-sum/)
  t.like(loaded[0], { serverName: 'everything', toolName: 'get-sum' })
  const checked = await task.session.check(...call)
  t.deepEqual(checked, { tool: { serverName: 'everything', toolName: 'get-sum' }, arguments: { a: 20, b: 22 } })
  t.regex((await task.session.check(call[0], { a: 'x' })).problem, /The call was not made/)
  await task.session.used(checked.tool)
  task.chat.user('store entities and relations in the knowledge graph')
  const later = await task.request()
  t.regex(later.told, /memory/)
  t.deepEqual(later.tools, first.tools)
  t.deepEqual(problems, [])
})

test.serial('a mode has its own servers, from the beginning and where it is switched', async (t) => {
  const task = taskOf('modes')
  task.chat.user('read a text file and store its entities')
  const files = await task.request({ mode: 'files', allowedMcpServers: ['filesystem'] })
  t.true(named(files.told).length > 0)
  t.true(named(files.told).every(isOf('filesystem')))
  const graph = await task.request({ mode: 'graph', allowedMcpServers: ['memory'] })
  t.true(named(graph.told).length > 0, 'without a new text')
  t.true(named(graph.told).every(isOf('memory')))
  t.truthy((await task.session.check('mcp--filesystem--read_text_file', { path: 'a' })).problem)
  t.deepEqual(problems, [])
})

test.serial('a task resumed goes on where it was, and may be switched to another mode', async (t) => {
  const { store, chat, request, session } = taskOf('resumed')
  const scope = { mode: 'files', allowedMcpServers: ['filesystem'] }
  chat.user('read a text file and store its entities')
  const { tools } = await request(scope)
  await session.load('mcp--filesystem--write_file')
  const again = taskOf('resumed', { store, chat })
  const resumed = await again.request(scope)
  t.deepEqual([resumed.tools, resumed.told], [tools, ''])
  const switched = taskOf('resumed', { store, chat })
  const { told } = await switched.request({ mode: 'graph', allowedMcpServers: ['memory'] })
  t.true(named(told).some(isOf('memory')))
  t.deepEqual(problems, [])
})

for (const [what, damage] of [
  ['cut short', (state) => state.slice(0, 40)],
  ['no JSON at all', () => 'nonsense'],
  ['of another router', () => '{"heard":1,"mode":"code","session":{"ranker":"words"}}'],
]) {
  test.serial(`a state that is ${what} is told, and the task is chosen for again`, async (t) => {
    const store = memoryStore()
    const first = taskOf('damaged', { store })
    first.chat.user('read a text file')
    await first.request()
    store.states.set('damaged', damage(store.states.get('damaged')))
    const { told, isAll } = await taskOf('damaged', { store, chat: first.chat }).request()
    t.false(isAll)
    t.true(named(told).some(isOf('filesystem')))
    t.is(problems.length, 1)
  })
}

test.serial('condensed or taken back, a conversation is told of its tools again', async (t) => {
  const { chat, request } = taskOf('long')
  chat.user('read a text file')
  await request()
  chat.condensed('The file was read. Next the sum of two numbers.')
  t.true(named((await request()).told).length > 0)
  chat.user('store entities in the knowledge graph')
  await request()
  chat.messages.pop()
  t.true(named((await request()).told).length > 0)
  t.deepEqual(problems, [])
})

test.serial('a subtask has a session of its own, and its parent stays the one that it was', async (t) => {
  const store = memoryStore()
  const parent = taskOf('parent', { store })
  parent.chat.user('read a text file')
  await parent.request()
  await parent.session.load('mcp--everything--get-sum')
  const sub = taskOf('sub', { store, parentTaskId: 'parent' })
  sub.chat.user('create entities in the knowledge graph')
  t.true(named((await sub.request()).told).some(isOf('memory')))
  t.deepEqual((await parent.session.check('mcp--everything--get-sum', { a: 1, b: 2 })).arguments, { a: 1, b: 2 })
  t.deepEqual(problems, [])
})

test.serial('a server that comes, grows, connects again and goes is followed', async (t) => {
  t.timeout(60_000)
  await hub.connect(LATE_SERVER)
  await source.refresh()
  t.is(router.resolveTool('mcp--late--weather_forecast'), null)
  await hub.callTool('late', 'grow', {})
  await hub.refreshTools('late')
  await source.refresh()
  t.not(router.resolveTool('mcp--late--weather_forecast'), null)
  const server = hub.find('late')
  const { tools } = server
  Object.assign(server, { status: 'connecting', tools: undefined })
  await source.refresh()
  t.not(router.resolveTool('mcp--late--grow'), null, 'its tools stay while it connects again')
  Object.assign(server, { status: 'connected', tools })
  await hub.remove('late')
  await source.refresh()
  t.is(router.resolveTool('mcp--late--grow'), null)
  t.deepEqual(problems, [])
})

test.serial('a disabled server of the project hides no enabled one of the user', async (t) => {
  const server = (source, tool, more) => ({
    name: 'twice',
    config: '{"env":{"TOKEN":"s3cret"}}',
    status: 'connected',
    source,
    tools: [{ name: tool, inputSchema: { type: 'object' } }],
    ...more,
  })
  hub.add(server('global', 'theirs'))
  hub.add(server('project', 'mine', { disabled: true }))
  await source.refresh()
  t.not(router.resolveTool('mcp--twice--theirs'), null)
  await hub.remove('twice')
  await source.refresh()
  t.is(router.resolveTool('mcp--twice--theirs'), null)
})
