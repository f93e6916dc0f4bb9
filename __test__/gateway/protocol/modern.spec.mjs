import test from 'ava'
import { CALLS_BY_KIND, DEFAULT_META_TOOLS } from '../../../packages/gateway/names/meta-tools.mjs'
import { inProcess, overHttp } from '../../helpers/eras.mjs'
import * as older from '../../helpers/gateway.mjs'
import { send } from '../../helpers/http-door.mjs'
import { oddGateway } from '../../helpers/odd-gateway.mjs'

const META = DEFAULT_META_TOOLS

const CLAIM = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** A request as any program can send it. */
async function post(endpoint, body, headers = {}) {
  const params = { ...body.params, _meta: { ...CLAIM, ...body.params?._meta } }
  const answer = await send(endpoint, {
    headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': body.method, ...headers },
    body: { jsonrpc: '2.0', id: 1, ...body, params },
  })
  return { status: answer.status, ...answer.json() }
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
    const { status, result } = await post(endpoint, { method, params }, headers)
    t.is(status, 200, method)
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
    const { error, id, status: told } = await post(endpoint, body, headers)
    t.deepEqual([told, error.code, id], [status, code, 1], what)
  }
  const other = { method: 'tools/list', params: { _meta: version } }
  const { error } = await post(endpoint, other, { 'MCP-Protocol-Version': '1900-01-01' })
  t.deepEqual(error.data, { supported: ['2026-07-28'], requested: '1900-01-01' })
})
