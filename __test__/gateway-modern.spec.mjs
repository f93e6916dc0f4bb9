// Clients of the current era of the protocol (2026-07-28): a fixed list, definitions in answers, nothing kept between
// requests. Over the official SDK, in this process, over stdio and over HTTP, with real servers.
import http from 'node:http'

import test from 'ava'

import { CALLS_BY_KIND, DEFAULT_META_TOOLS } from '../packages/gateway/names/meta-tools.mjs'
import { inProcess, modern, overHttp, overStdio } from './helpers/eras.mjs'
import { gateway, late, odd, startCli, unique, until } from './helpers/gateway.mjs'
import * as older from './helpers/gateway.mjs'

const META = DEFAULT_META_TOOLS
const CLAIM = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

async function oddGateway(t, { server = {}, args = [], ...config } = {}) {
  const name = unique('odd')
  const opened = await gateway(t, { mcpServers: { [name]: odd(server, ...args) }, ...config })
  return { name, opened, tool: (toolName) => `mcp--${name}--${toolName}` }
}

/** A request as any program can send it. */
function post(endpoint, body, headers = {}) {
  return fetch(endpoint.url, {
    method: 'POST',
    headers: {
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
      Authorization: `Bearer ${endpoint.token}`,
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': body.method,
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      ...body,
      params: { ...body.params, _meta: { ...CLAIM, ...body.params?._meta } },
    }),
  })
}

for (const [where, open] of [
  ['in this process', (t, opened) => inProcess(t, opened)],
  ['over HTTP', async (t, opened) => overHttp(t, await opened.listen())],
]) {
  test(`${where} a modern client finds tools, gets their definitions and calls them, with progress`, async (t) => {
    const { opened, name, tool } = await oddGateway(t)
    const client = await open(t, opened)
    t.is(client.getProtocolEra(), 'modern')
    t.deepEqual(await client.names(), META)
    const { loaded, server_instructions: said } = await client.ask('mcp_load', { query: 'slow_report' })
    t.regex(loaded[0].signature, /^\{.*\} \/\/ Takes its time and reports progress$/)
    const { tools } = await client.ask('describe_tool', { names: tool('slow_report') })
    t.deepEqual(tools[0].inputSchema, opened.catalogue.entries.get(name).tools.get('slow_report').inputSchema)
    t.deepEqual(said, { [name]: 'An odd server.' })
    const told = []
    const args = { name: tool('slow_report'), arguments: { steps: 5, ms: 200 } }
    const answer = await client.use('call_tool', args, { onprogress: ({ progress }) => told.push(progress) })
    t.is(answer.content[0].text, 'done')
    t.deepEqual(told.slice(0, 3), [1, 2, 3])
    t.deepEqual(await client.names(), META, 'the list is as it was')
  })
}

test('over stdio of the command line a modern client is served as well', async (t) => {
  const client = await overStdio(t, { mcpServers: { odd: odd() } })
  t.is(client.getProtocolEra(), 'modern')
  t.deepEqual(await client.names(), META)
  const { loaded } = await client.ask('mcp_load', { query: 'tell_pid' })
  t.is(loaded[0].name, 'mcp--odd--tell_pid')
  t.true(Number(await client.said('call_tool', { name: 'tell_pid', arguments: {} })) > 0)
})

test('a client that tries the current era first, and one that knows the older one alone, get what they speak', async (t) => {
  const { opened } = await oddGateway(t)
  const endpoint = await opened.listen()
  const both = await overHttp(t, endpoint, { mode: 'auto' })
  t.is(both.getProtocolEra(), 'modern')
  const legacy = await overHttp(t, endpoint, { mode: 'legacy' })
  t.is(legacy.getProtocolEra(), 'legacy')
  const old = await older.overHttp(t, endpoint)
  await old.ask('mcp_load', { query: 'tell_pid' })
  await legacy.ask('mcp_load', { query: 'echo' })
  t.deepEqual(
    [(await old.names()).length, (await legacy.names()).length, (await both.names()).length],
    [META.length + 1, META.length + 1, META.length],
  )
  t.is(opened.sessionCount, 2, 'nothing is kept of the modern one')
})

test('server/discover names the version, what there is, and how long that holds', async (t) => {
  const { opened } = await oddGateway(t)
  const client = await overHttp(t, await opened.listen())
  const { supportedVersions, capabilities, instructions, ttlMs, cacheScope, _meta } = client.getDiscoverResult()
  t.deepEqual(supportedVersions, ['2026-07-28'])
  t.deepEqual(Object.keys(capabilities).sort(), [
    'completions',
    'extensions',
    'logging',
    'prompts',
    'resources',
    'tools',
  ])
  t.regex(instructions, /call_tool/)
  t.deepEqual([ttlMs, cacheScope], [3_600_000, 'private'])
  t.is(_meta['io.modelcontextprotocol/serverInfo'].name, 'zoo-tool-router')
})

test('the list holds meta tools, pinned tools and call_tool, in this order, as far as the tokens of it go', async (t) => {
  const { opened, tool } = await oddGateway(t, {
    server: { alwaysLoad: ['tell_pid', 'echo'] },
    args: ['--odd'],
    gateway: { metaTools: ['call_tool', 'select_mode', 'mcp_load'] },
  })
  const client = await inProcess(t, opened)
  const list = ['select_mode', 'mcp_load', tool('echo'), tool('tell_pid'), 'call_tool']
  t.deepEqual(await client.names(), list)
  await client.ask('mcp_load', { query: 'draw_picture' })
  t.deepEqual(await client.names(), list)
  t.is(await client.said(tool('echo'), { value: 1 }), '{"value":1}')
})

test('the way to all tools, and what is pinned, ask a client with a search of its own to be shown', async (t) => {
  const { opened, tool } = await oddGateway(t, { server: { alwaysLoad: ['tell_pid'] } })
  const shown = ({ tools }) =>
    tools.filter(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true).map(({ name }) => name)
  const client = await inProcess(t, opened)
  t.deepEqual(shown(await client.listTools()), ['mcp_load', tool('tell_pid'), ...CALLS_BY_KIND])
  t.deepEqual(shown(await (await older.inProcess(t, opened)).listTools()), ['mcp_load', ...CALLS_BY_KIND])
})

test('what calls tools is there for modern clients whatever is configured: nothing else calls what is not listed', async (t) => {
  const { opened } = await oddGateway(t, { gateway: { metaTools: ['mcp_load'] } })
  t.deepEqual(await (await inProcess(t, opened)).names(), ['mcp_load', ...CALLS_BY_KIND])
})

test('results say that they are complete and how long they hold, and who has answered', async (t) => {
  const { opened, tool } = await oddGateway(t)
  const endpoint = await opened.listen()
  for (const [method, params, headers, fields] of [
    ['tools/list', {}, {}, { ttlMs: 300_000, cacheScope: 'private' }],
    ['resources/list', {}, {}, { ttlMs: 0, cacheScope: 'private' }],
    ['resources/templates/list', {}, {}, { ttlMs: 0, cacheScope: 'private' }],
    ['prompts/list', {}, {}, { ttlMs: 0, cacheScope: 'private' }],
    ['resources/read', { uri: 'odd://notes/1' }, { 'Mcp-Name': 'odd://notes/1' }, { ttlMs: 0, cacheScope: 'private' }],
    ['tools/call', { name: tool('fail_politely') }, { 'Mcp-Name': tool('fail_politely') }, {}],
  ]) {
    const answer = await post(endpoint, { method, params }, headers)
    t.is(answer.status, 200, method)
    const { result } = await answer.json()
    t.like(result, { resultType: 'complete', ...fields }, method)
    t.is(result._meta['io.modelcontextprotocol/serverInfo'].name, 'zoo-tool-router')
  }
  t.is(opened.sessionCount, 0)
})

test('requests that are wrong are refused by the codes and the status of the current era', async (t) => {
  const { opened } = await oddGateway(t)
  const endpoint = await opened.listen()
  const version = { 'io.modelcontextprotocol/protocolVersion': '1900-01-01' }
  for (const [what, body, headers, status, code] of [
    ['a method that there is not', { method: 'secrets/list' }, {}, 404, -32601],
    ['a method of the older era', { method: 'logging/setLevel', params: { level: 'info' } }, {}, 404, -32601],
    ['ping', { method: 'ping' }, {}, 404, -32601],
    [
      'another version',
      { method: 'tools/list', params: { _meta: version } },
      { 'MCP-Protocol-Version': '1900-01-01' },
      400,
      -32022,
    ],
    [
      'a header that says another version',
      { method: 'tools/list' },
      { 'MCP-Protocol-Version': '2025-11-25' },
      400,
      -32020,
    ],
    ['a header that says another method', { method: 'tools/list' }, { 'Mcp-Method': 'tools/call' }, 400, -32020],
    [
      'a header that says another name',
      { method: 'tools/call', params: { name: 'a' } },
      { 'Mcp-Name': 'b' },
      400,
      -32020,
    ],
    ['no header with the name', { method: 'tools/call', params: { name: 'a' } }, {}, 400, -32020],
    [
      'no capabilities',
      { method: 'tools/list', params: { _meta: { 'io.modelcontextprotocol/clientCapabilities': undefined } } },
      {},
      400,
      -32602,
    ],
    [
      'a resource that nobody has',
      { method: 'resources/read', params: { uri: 'no://x' } },
      { 'Mcp-Name': 'no://x' },
      200,
      -32602,
    ],
  ]) {
    const answer = await post(endpoint, body, headers)
    const { error, id } = await answer.json()
    t.deepEqual([answer.status, error.code, id], [status, code, 1], what)
  }
  const { error } = await (
    await post(endpoint, { method: 'tools/list', params: { _meta: version } }, { 'MCP-Protocol-Version': '1900-01-01' })
  ).json()
  t.deepEqual(error.data, { supported: ['2026-07-28'], requested: '1900-01-01' })
})

test('the door is the same for both eras: token, host, origin', async (t) => {
  const { opened } = await oddGateway(t)
  const endpoint = await opened.listen()
  const { port } = new URL(endpoint.url)
  const list = { method: 'tools/list' }
  t.is((await post({ ...endpoint, url: endpoint.url, token: 'x'.repeat(43) }, list)).status, 401)
  t.is((await post(endpoint, list, { Origin: 'https://evil.example' })).status, 403)
  const status = await new Promise((resolve) => {
    const headers = {
      Host: 'evil.example',
      'Content-Type': 'application/json',
      Authorization: `Bearer ${endpoint.token}`,
    }
    http
      .request({ port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers }, (response) =>
        resolve(response.resume().statusCode),
      )
      .end('{}')
  })
  t.is(status, 403)
})

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
  const { opened, name } = await oddGateway(t, { args: ['--odd'], gateway: { maxToolBytes: 1_000_000 } })
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
  const config = { mcpServers: { odd: odd({ alwaysLoad: ['tell_pid'] }), fresh: modern() } }
  const { writeFileSync } = await import('node:fs')
  const path = await import('node:path')
  const file = path.join(older.folder(t), 'mcp.json')
  writeFileSync(file, JSON.stringify({ ...config, gateway: { cacheDir: false } }))
  const start = async () => {
    const started = startCli(t, ['gateway', '--config', file, '--lexical', '--http', '0'], {
      env: { ZOO_TOOL_ROUTER_TOKEN: token },
    })
    const [, url] = await started.line(/listening on (\S+)/)
    return new URL(url)
  }
  const gateways = [await start(), await start()]
  // One request to the one, the next to the other.
  const served = [0, 0]
  let turn = 0
  const balancer = http.createServer((request, response) => {
    const at = turn++ % 2
    served[at] += 1
    const { port, host } = gateways[at]
    const passed = http.request(
      { port, host: '127.0.0.1', path: request.url, method: request.method, headers: { ...request.headers, host } },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers)
        answer.pipe(response)
      },
    )
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  })
  await new Promise((resolve) => balancer.listen(0, '127.0.0.1', resolve))
  t.teardown(() => balancer.close())
  const endpoint = { url: `http://127.0.0.1:${balancer.address().port}/mcp`, token }
  const asked = []
  const { answering } = await import('./helpers/eras.mjs')
  const client = await overHttp(t, endpoint, {
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
    t.is(await client.said('call_tool', { name: 'mcp--fresh--ask_twice', arguments: {} }), 'Who? How old?')
  t.is(asked.length, 6)
  t.true(served.every((count) => count > 10))
})
