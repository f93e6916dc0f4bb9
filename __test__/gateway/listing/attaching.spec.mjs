// What a client of the gateway attaches, and how it is told. In this process, over the official SDK, with real servers
// as child processes.
import test from 'ava'
import { DEFAULT_META_TOOLS } from '../../../packages/gateway/names/meta-tools.mjs'
import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import { folder, gateway, inProcess, late, odd, unique } from '../../helpers/gateway.mjs'
import { oddClient } from '../../helpers/odd-gateway.mjs'
import { rawServer } from '../../helpers/raw-server.mjs'

const META = DEFAULT_META_TOOLS

test('the first list holds the meta tools and nothing else, and says that it will change', async (t) => {
  const { client } = await oddClient(t)
  t.deepEqual(await client.names(), META)
  t.true(client.getServerCapabilities().tools.listChanged)
})

test('a tool of a server that is there is loaded by its name while another server hangs', async (t) => {
  const [name, hanging] = [unique('odd'), unique('hanging')]
  const silent = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] }
  const opened = await gateway(t, { mcpServers: { [name]: odd(), [hanging]: silent } }, { ready: false })
  opened.catalogue.patienceMs = 600_000
  const client = await inProcess(t, opened)
  const { loaded, still_starting: starting } = await client.ask('mcp_load', { query: `mcp--${name}--echo` })
  t.is(loaded[0].name, `mcp--${name}--echo`)
  t.deepEqual(starting, [hanging])
})

test('the only client is answered before the lists of the last time are put in order', async (t) => {
  const [name, dir] = [unique('odd'), folder(t)]
  const config = { mcpServers: { [name]: odd() }, gateway: { dir } }
  await (await gateway(t, config, { keepsLists: true })).close()
  const opened = await createGateway({ config, oneClient: true })
  t.teardown(() => opened.close())
  const order = []
  opened.catalogue.once('tools', () => order.push('list'))
  await inProcess(t, opened)
  order.push('hello')
  await opened.catalogue.kept()
  t.deepEqual(order, ['hello', 'list'])
})

test('which meta tools are offered is configured, and those that are not cannot be called', async (t) => {
  const { client } = await oddClient(t, { gateway: { metaTools: ['select_mode'] } })
  t.deepEqual(await client.names(), ['select_mode'])
  const answer = await client.use('mcp_load', { query: 'x' })
  t.true(answer.isError)
})

test('mcp_load attaches what it finds, and the client is told once before the answer', async (t) => {
  const { client, tool } = await oddClient(t)
  const { loaded } = await client.ask('mcp_load', { query: 'draw_picture, tell_pid' })
  t.deepEqual(
    loaded.map(({ name }) => name),
    [tool('draw_picture'), tool('tell_pid')],
  )
  t.is(client.changes, 1)
  t.deepEqual(await client.names(), [...META, tool('draw_picture'), tool('tell_pid')])
})

test('what is attached keeps its place, and the list before is a prefix of the list after', async (t) => {
  const { client } = await oddClient(t)
  await client.ask('mcp_load', { query: 'draw_picture' })
  const before = JSON.stringify((await client.listTools()).tools)
  await client.ask('mcp_load', { query: 'tell_pid, draw_picture, echo' })
  const after = JSON.stringify((await client.listTools()).tools)
  t.true(after.startsWith(before.slice(0, -1)))
})

test('loading what is attached changes nothing, and nobody is told', async (t) => {
  const { client, tool } = await oddClient(t)
  await client.ask('mcp_load', { query: 'echo' })
  const again = await client.ask('mcp_load', { query: 'echo' })
  t.deepEqual(again.alreadyAttached, [tool('echo')])
  t.deepEqual(again.loaded, [])
  t.is(client.changes, 1)
})

test('an answer has signatures, and describe_tool the schema of a tool that the client does not list', async (t) => {
  const { client, opened, name, tool } = await oddClient(t)
  const { loaded } = await client.ask('mcp_load', { query: 'slow_report' })
  t.deepEqual(Object.keys(loaded[0]), ['name', 'signature', 'call_by'])
  t.regex(loaded[0].signature, /^\{.*steps\?: number.*\} \/\/ Takes its time/)
  const { tools, unavailable } = await client.ask('describe_tool', { names: 'slow_report, no_such_tool' })
  t.regex(unavailable[0].reason, /unknown tool no_such_tool/)
  t.deepEqual(tools[0].inputSchema, opened.catalogue.entries.get(name).tools.get('slow_report').inputSchema)
  const answer = await client.use('call_tool', { name: tool('slow_report'), arguments: { steps: 1 } })
  t.is(answer.content[0].text, 'done')
})

test('bad arguments of a meta tool come back as what was expected and what was received', async (t) => {
  const { client } = await oddClient(t)
  const bad = [
    ['mcp_load', {}, /mcp_load\.query: expected words, as {"query": "…"}/],
    ['mcp_load', { query: 7 }, /got 7/],
    ['mcp_load', { query: 'x'.repeat(40_000) }, /got "40000 characters"/],
    ['search_mcps', { query: 'x', top_k: 0 }, /top_k: expected an integer from 1 to 50, got 0/],
    ['search_mcps', { query: 'x', top_k: 1.5 }, /got 1\.5/],
    ['manage_modules', { action: 'drop' }, /one of list, load, unload/],
    ['manage_modules', { action: 'list', server: 'x' }, /only the keys action, module/],
    ['read_result', { x: 1 }, /only the keys handle/],
    ['manage_modules', { action: 'load' }, /manage_modules\.module/],
    ['manage_modules', { action: 'load', module: '__proto__' }, /a module that action list names/],
    ['select_mode', { task_description: 'x', confidence_level: 'sure' }, /exploring, low, medium, high/],
    ['select_mode', { task_description: 'x', context_files: [1] }, /context_files\[0\]/],
    ['call_tool', { name: 'x', arguments: [] }, /unknown tool x/],
  ]
  for (const [name, args, message] of bad) t.regex((await client.ask(name, args)).error, message)
  t.is(client.changes, 0)
})

test('search_mcps ranks servers, names their best tools, and attaches nothing', async (t) => {
  const [weather, other] = [unique('late'), unique('odd')]
  const opened = await gateway(t, { mcpServers: { [weather]: late(), [other]: odd() } })
  const client = await inProcess(t, opened)
  const { servers } = await client.ask('search_mcps', { query: 'describes the weather forecast', top_k: 1 })
  t.is(servers.length, 1)
  t.is(servers[0].server, weather)
  const best = servers[0].best_tools.find((each) => each.name === `mcp--${weather}--reword`)
  t.truthy(best)
  t.regex(servers[0].best_tools[0].signature, /^\{/)
  t.is(client.changes, 0)
})

test('a missing capability is looked for among servers that were not tried, until the signals are too many', async (t) => {
  const [one, two] = [unique('odd'), unique('late')]
  const opened = await gateway(t, {
    mcpServers: { [one]: odd(), [two]: late() },
    gateway: { metaTools: ['manage_modules', 'report_missing_capability'] },
  })
  const client = await inProcess(t, opened)
  await client.ask('manage_modules', { action: 'load', module: one })
  const signal = {
    original_query: 'draw the weather',
    attempted_mcps: [one],
    completed_steps: ['drew the frame'],
    checkpoint: 'frame drawn',
    missing_capability: 'describe the weather forecast',
    reasoning: 'only drawing',
  }
  const found = await client.ask('report_missing_capability', signal)
  t.like(found, { status: 'CONTINUE', checkpoint: 'frame drawn', completed_steps: ['drew the frame'] })
  t.true(found.servers.includes(two))
  t.true((await client.names()).includes(`mcp--${two}--reword`))
  t.is(client.changes, 2)
  const none = await client.ask('report_missing_capability', { ...signal, missing_capability: 'zzzz qqqq' })
  t.is(none.status, 'INCOMPLETE')
  await client.ask('report_missing_capability', { ...signal, missing_capability: 'zzzz qqqq' })
  t.is((await client.ask('report_missing_capability', signal)).status, 'MAX_REROUTES_EXCEEDED')
})

test('the client of a static gateway is told what its servers say about their use', async (t) => {
  const { name, opened } = await oddClient(t, { args: ['--manual'], gateway: { mode: 'static' } })
  const client = await inProcess(t, opened)
  t.true(client.getInstructions().startsWith(`${name}: An odd`))
})

test('what a server says about its use comes with the first tools of it, and once', async (t) => {
  const { client, name } = await oddClient(t)
  t.deepEqual((await client.ask('mcp_load', { query: 'tell_pid' })).server_instructions, { [name]: 'An odd server.' })
  t.is((await client.ask('mcp_load', { query: 'draw_picture' })).server_instructions, undefined)
})

test.serial(
  'what the host of the process has set for its own tasks does not hold for clients of the gateway',
  async (t) => {
    const { client, opened, tool } = await oddClient(t)
    t.teardown(() => opened.router.configure({}))
    for (const settings of [
      { searchTurns: 0 },
      { maxTools: 1 },
      { scopeBy: 'server' },
      { threshold: 0, initialK: 1 },
    ]) {
      opened.router.configure(settings)
      const other = await inProcess(t, opened)
      const { loaded } = await other.ask('mcp_load', { query: 'draw_picture, tell_pid, echo' })
      t.is(loaded.length, 3, JSON.stringify(settings))
    }
    t.false((await client.names()).includes(tool('echo')))
  },
)

test('a server with two accounts has one place for each tool in a search, and the other is named', async (t) => {
  const tools = Array.from({ length: 8 }, (_, at) => `list_orders_${at}`)
  const { url } = await rawServer(t, () => false, { tools })
  const [one, two] = [unique('shop'), unique('shop')]
  const entry = (key) => ({ url, headers: { Authorization: `Bearer ${key}` } })
  const client = await inProcess(t, await gateway(t, { mcpServers: { [one]: entry('a'), [two]: entry('b') } }))
  const { loaded, other_accounts: others } = await client.ask('mcp_load', { query: 'list orders' })
  const names = loaded.map(({ name }) => name.split('--').at(-1))
  t.deepEqual(names.toSorted(), tools)
  t.true(others.length > 0 && others.every((name) => names.includes(name.split('--').at(-1))))
  const [other] = others
  t.is((await client.ask('mcp_load', { query: other })).loaded[0]?.name, other, 'by its name it is there')
  const found = await client.ask('search_mcps', { query: 'list orders' })
  t.deepEqual([...found.servers.map(({ server }) => server), ...found.other_accounts].toSorted(), [one, two].toSorted())
  t.is(found.servers.length, 1)
  const { tools: focused } = await client.ask('select_mode', { task_description: 'list orders' })
  t.is(new Set(focused.map(({ name: each }) => each.split('--').at(-1))).size, focused.length)
  t.is(new Set(focused.map(({ name: each }) => each.split('--')[1])).size, 1)
})
