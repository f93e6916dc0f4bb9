// What a client of the current era (2026-07-28) is answered and told, with real servers.
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import test from 'ava'
import { askedBy } from '../../../packages/gateway/calls/asking.mjs'
import { answering, inProcess, modern, modernClient, overHttp } from '../../helpers/eras.mjs'
import { gateway, late, odd, startCli, unique, until } from '../../helpers/gateway.mjs'
import * as older from '../../helpers/gateway.mjs'
import { oddGateway } from '../../helpers/odd-gateway.mjs'

test('a call that the client leaves is cancelled at the server', async (t) => {
  const { opened, tool } = await oddGateway(t)
  const client = await overHttp(t, await opened.listen())
  const controller = new AbortController()
  const call = client.use(
    tool('slow_report'),
    { ms: 600_000, steps: 600 },
    { signal: controller.signal, onprogress() {} },
  )
  await until(t, async () => Number(await client.said(tool('count_calls'))) > 1, 'the call arrives')
  controller.abort()
  await t.throwsAsync(call)
  await until(t, async () => (await client.said(tool('count_cancelled'))) === '1', 'the server hears of it')
})

test('manage_modules and select_mode answer definitions too, and there is nothing to unload', async (t) => {
  const { opened, name, tool } = await oddGateway(t)
  const client = await inProcess(t, opened)
  const { tools } = await client.listTools()
  const { action } = tools.find((each) => each.name === 'manage_modules').inputSchema.properties
  t.deepEqual(action.enum, ['list', 'load'])
  const { loaded } = await client.ask('manage_modules', { action: 'load', module: name })
  t.is(loaded.length, 10, 'the core')
  t.true(loaded.every(({ inputSchema }) => inputSchema.type === 'object'))
  const { error } = await client.ask('manage_modules', { action: 'unload', module: name })
  t.regex(error, /manage_modules\.action: expected list or load/)
  const chosen = await client.ask('select_mode', { task_description: 'draw a picture' })
  t.is(chosen.selected_mode, name)
  t.truthy(chosen.tools.find((each) => each.name === tool('draw_picture')).inputSchema)
})

test('answers with many definitions are bounded: what does not fit is told in short', async (t) => {
  const { opened, name } = await oddGateway(t, { args: ['--odd'], fixed: { maxToolBytes: 1_000_000 } })
  const client = await inProcess(t, opened)
  const { loaded } = await older.loadAll(client, opened, name)
  t.true(JSON.stringify(loaded).length < 60_000)
  t.true(
    loaded.every(
      ({ name: each, signature, inputSchema, parameters }) => each && (signature || inputSchema || parameters),
    ),
  )
  const long = `mcp--${name}--endless_text, mcp--${name}--endless_schema`
  const { tools } = await client.ask('describe_tool', { names: long })
  t.true(JSON.stringify(tools).length < 60_000)
})

test('the loop of missing capabilities ends by its handle, since nothing of a client is kept', async (t) => {
  const [one, two] = [unique('odd'), unique('late')]
  const opened = await gateway(t, {
    mcpServers: { [one]: odd(), [two]: late() },
    gateway: { metaTools: ['report_missing_capability'] },
  })
  const client = await inProcess(t, opened)
  const signal = {
    original_query: 'draw the weather',
    attempted_mcps: [one],
    checkpoint: 'frame drawn',
    missing_capability: 'describe the weather forecast',
  }
  const found = await client.ask('report_missing_capability', signal)
  t.like(found, { status: 'CONTINUE', checkpoint: 'frame drawn', servers: [two], handle: 'reroute-1' })
  t.true(found.loaded.every(({ name, inputSchema }) => name.startsWith(`mcp--${two}--`) && inputSchema))
  const none = { ...signal, missing_capability: 'zzzz qqqq' }
  const second = await client.ask('report_missing_capability', { ...none, handle: found.handle })
  t.like(second, { status: 'INCOMPLETE', handle: 'reroute-2' })
  const third = await client.ask('report_missing_capability', { ...signal, handle: second.handle })
  const fourth = await client.ask('report_missing_capability', { ...signal, handle: third.handle })
  t.is(fourth.status, 'MAX_REROUTES_EXCEEDED')
  t.regex(
    (await client.ask('report_missing_capability', { ...signal, handle: 'mine' })).error,
    /\.handle: expected the handle/,
  )
})

for (const [where, open] of [
  ['in this process', (t, opened) => inProcess(t, opened)],
  ['over HTTP', async (t, opened) => overHttp(t, await opened.listen())],
]) {
  test(`${where} a client that listens is told about changes that it asked for, and of no others`, async (t) => {
    const name = unique('odd')
    const config = { mcpServers: { [name]: odd({ alwaysLoad: ['tell_pid'] }) }, gateway: { changedTools: 'tell' } }
    const opened = await gateway(t, config)
    const client = await open(t, opened)
    const tool = (toolName) => `mcp--${name}--${toolName}`
    const heard = () => client.heard.map(({ method, params }) => [method, params?.uri].filter(Boolean).join(' '))
    await client.names()
    // The list is compared a moment after its server has said it: who listens before that is told of it, too.
    const over = new Promise((resolve) => {
      const end = opened.modern.listen({ toolsChanged: () => resolve(end()) })
    })
    await client.use(tool('reword')) // no client listens
    await over
    const uri = 'odd://notes/1'
    const { honoredFilter, close } = await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] })
    t.deepEqual(honoredFilter, { toolsListChanged: true, resourceSubscriptions: [uri] })
    await until(t, async () => (await client.said(tool('list_subscribed'))) === `["${uri}"]`, 'its server is asked')
    await client.names()
    await client.use(tool('reword'))
    await client.use(tool('touch_note'))
    // A busy machine may hear of one change twice.
    const kinds = () => [...new Set(heard())]
    await until(t, () => kinds().length >= 2, 'both are heard')
    t.deepEqual(kinds().sort(), [`notifications/resources/updated ${uri}`, 'notifications/tools/list_changed'])
    const [{ params }] = client.heard
    t.truthy(params._meta['io.modelcontextprotocol/subscriptionId'])
    await close()
    await until(t, async () => (await client.said(tool('list_subscribed'))) === '[]', 'its server is told')
  })
}

test('two gateways behind a plain load balancer serve one client as one does', async (t) => {
  t.timeout(180_000)
  const token = 't'.repeat(43)
  const mcpServers = { odd: odd({ alwaysLoad: ['tell_pid'] }), fresh: modern() }
  const file = older.configFile(t, { mcpServers, gateway: { dir: older.folder(t) } })
  const start = async () => {
    const started = startCli(t, ['gateway', '--config', file, '--lexical', '--http', '0'], {
      env: { ZOO_TOOL_ROUTER_TOKEN: token },
    })
    const [, url] = await started.line(/listening on (\S+)/)
    return url
  }
  const gateways = [await start(), await start()]
  let turn = 0
  const transport = new StreamableHTTPClientTransport(new URL(gateways[0]), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
    // One request to the one, the next to the other.
    fetch: (_, init) => fetch(gateways[turn++ % 2], init),
  })
  const asked = []
  const client = await modernClient(t, transport, {
    capabilities: { elicitation: { form: {} } },
    answers: answering({ elicit: ({ message }) => message, asked }),
  })
  const list = JSON.stringify((await client.listTools(undefined, { cacheMode: 'bypass' })).tools)
  for (let at = 0; at < 4; at++) {
    const again = JSON.stringify((await client.listTools(undefined, { cacheMode: 'bypass' })).tools)
    t.is(again, list, 'the same list, byte by byte')
    const { loaded } = await client.ask('mcp_load', { query: 'mcp--odd--echo' })
    t.is(loaded[0].name, 'mcp--odd--echo')
    t.is(await client.said('call_tool', { name: 'mcp--odd--echo', arguments: { value: at } }), `{"value":${at}}`)
  }
  const pids = new Set()
  for (let at = 0; at < 6; at++) pids.add(await client.said('mcp--odd--tell_pid'))
  t.is(pids.size, 2, 'both have answered')
  // A modern server asks back; the answer reaches whichever gateway it reaches.
  for (let at = 0; at < 3; at++)
    t.is(
      await client.said('call_tool', { name: 'mcp--fresh--ask_twice', arguments: {} }),
      'server fresh asks: Who? server fresh asks: How old?',
    )
  t.is(asked.length, 6)
})

test("what is held for one person of a gateway is nobody else's to read", async (t) => {
  const { opened } = await oddGateway(t)
  const desk = { holder: opened, isMetaTool: () => true }
  const long = { content: [{ type: 'text', text: 'a long word '.repeat(50_000) }] }
  const { content } = await askedBy({ client: 'ann' }, () => opened.results.bounded(desk, long))
  const [handle] = /res_\w+/.exec(content[0].text)
  const read = (client) => askedBy({ client }, () => opened.results.read(opened, { handle, asked: { range: '1' } }))
  t.regex((await read('ann')).content[0].text, /a long word/)
  await t.throwsAsync(read('bob'), { code: 'ERR_RESULT_NOT_FOUND' })
})
