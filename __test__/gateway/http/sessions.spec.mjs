// Sessions over Streamable HTTP: clients do not meet, and silent ones end.
import net from 'node:net'
import test from 'ava'
import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import { gateway, META_COUNT, overHttp, unique, until } from '../../helpers/gateway.mjs'
import { listening, send } from '../../helpers/http-door.mjs'
import { send as sent } from '../../helpers/visits.mjs'

test('two clients have their own tools, their own notifications and their own sessions', async (t) => {
  const { endpoint, opened, tool } = await listening(t)
  const [one, two] = [await overHttp(t, endpoint), await overHttp(t, endpoint)]
  await one.ask('mcp_load', { query: 'draw_picture' })
  await two.ask('mcp_load', { query: tool('tell_pid') })
  const [ofOne, ofTwo] = [await one.names(), await two.names()]
  t.deepEqual(ofOne.slice(META_COUNT), [tool('draw_picture')])
  t.deepEqual(ofTwo.slice(META_COUNT), [tool('tell_pid')])
  t.deepEqual([one.changes, two.changes], [1, 1])
  await one.ask('manage_modules', { action: 'unload', module: opened.servers[0].name })
  t.deepEqual(await two.names(), ofTwo)
  t.is(two.changes, 1)
})

test('a session ends with DELETE, and its id is worth nothing then', async (t) => {
  const { endpoint, opened } = await listening(t)
  const client = await overHttp(t, endpoint)
  t.is(opened.sessionCount, 1)
  const id = client.transport.sessionId
  await client.transport.terminateSession()
  t.is(opened.sessionCount, 0)
  t.is(
    (await send(endpoint, { headers: { 'Mcp-Session-Id': id }, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }))
      .status,
    404,
  )
})

test('a silent session ends, and one that listens does not', async (t) => {
  const { endpoint, opened } = await listening(t, { fixed: { sessionIdleMs: 10_000 } })
  const listens = await overHttp(t, endpoint)
  const silent = await send(endpoint) // initializes, and is never heard of again
  t.is(silent.status, 200)
  await until(t, () => opened.sessionCount === 1, 'one ends')
  t.is((await listens.names()).length, META_COUNT)
  const headers = { 'Mcp-Session-Id': silent.headers['mcp-session-id'] }
  t.is((await send(endpoint, { headers, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } })).status, 404)
})

test('the number of sessions is bounded: the one that was silent longest makes room, one in use does not', async (t) => {
  const { endpoint, opened } = await listening(t, { fixed: { maxSessions: 2 } })
  const listens = await overHttp(t, endpoint)
  await until(t, async () => (await send(endpoint)).status === 200, 'a second one')
  for (let at = 0; at < 5; at++) t.is((await send(endpoint)).status, 200)
  t.is(opened.sessionCount, 2)
  t.is((await listens.names()).length, META_COUNT)
  const second = await overHttp(t, endpoint)
  await second.names()
  await until(t, async () => (await send(endpoint)).status === 503, 'both listen, so there is no room')
})

test('a client that begins to listen late is told of what it missed', async (t) => {
  const { endpoint, tool, opened } = await listening(t, { gateway: { metaTools: ['mcp_load'] } })
  const initialized = await send(endpoint)
  const headers = { 'Mcp-Session-Id': initialized.headers['mcp-session-id'], 'Mcp-Protocol-Version': '2025-06-18' }
  await send(endpoint, { headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } })
  const call = (id, name, args) =>
    send(endpoint, { headers, body: { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } } })
  const loaded = await call(2, 'mcp_load', { query: 'tell_pid, reword' })
  t.regex(
    loaded.text,
    /notifications\/tools\/list_changed[\s\S]*"id":2/,
    'the answer carries it, since nothing else is listened to',
  )
  await send(endpoint, { headers, body: { jsonrpc: '2.0', id: 3, method: 'tools/list' } })
  // Changes while nobody listens: nothing can carry that.
  await call(4, tool('reword'), {})
  await until(
    t,
    () => opened.catalogue.entries.get(opened.servers[0].name).tools.get('tell_pid').description.includes('(1)'),
    'the list has changed',
  )
  const listens = { ...headers, Accept: 'text/event-stream', Authorization: `Bearer ${endpoint.token}` }
  const stream = await sent(endpoint, { path: '/mcp', headers: listens, stream: true })
  await stream.next(/notifications\/tools\/list_changed/)
  stream.close()
})

test('a connection that sends nothing does not hold the gateway open', async (t) => {
  const { endpoint, opened } = await listening(t)
  const { port } = new URL(endpoint.url)
  const socket = net.connect(Number(port), '127.0.0.1')
  socket.on('error', () => {})
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.write('POST /mcp HTTP/1.1\r\n')
  const client = await overHttp(t, endpoint)
  await opened.close()
  t.is(opened.sessionCount, 0)
  await t.throwsAsync(client.names())
  await t.throwsAsync(send(endpoint))
})

test('a downstream over HTTP gets its headers, and is found again after it was away', async (t) => {
  const { spawn } = await import('node:child_process')
  const { ODD } = await import('../../helpers/gateway.mjs')
  const start = (port) =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [ODD, '--http', String(port)], { stdio: ['pipe', 'pipe', 'inherit'] })
      t.teardown(() => child.kill('SIGKILL'))
      child.stdout.once('data', (chunk) => resolve({ child, port: Number(chunk) }))
    })
  const first = await start(0)
  const name = unique('far')
  process.env.GATEWAY_TEST_KEY = 'secret'
  const opened = await gateway(t, {
    mcpServers: {
      [name]: {
        type: 'streamable-http',
        url: `http://127.0.0.1:${first.port}/mcp`,
        headers: { 'X-Key': '${env:GATEWAY_TEST_KEY}' },
      },
    },
  })
  const endpoint = await opened.listen()
  const client = await overHttp(t, endpoint)
  const tool = `mcp--${name}--tell_pid`
  t.is((await client.use(tool)).content[0].text, String(first.child.pid))
  first.child.kill('SIGKILL')
  const second = await start(first.port)
  // It does not know the gateway's session; the call is made once more in a new one.
  await until(
    t,
    async () => (await client.use(tool)).content[0].text === String(second.child.pid),
    'the new server answers',
  )
  t.is(opened.servers[0].state, 'ready')
})

test('a gateway that is closed listens no more', async (t) => {
  const opened = await createGateway({ config: { mcpServers: {} } })
  await opened.close()
  await opened.close()
  t.is((await t.throwsAsync(opened.listen())).code, 'ERR_INVALID_ARGUMENT')
})
