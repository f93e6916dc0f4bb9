// Replicas over one database: a session is one replica's, and when that one has ended its client begins another session. What one
// replica alone can go on with names it.
import { randomUUID } from 'node:crypto'

import { StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import test from 'ava'

import { Balancer } from '../../helpers/balancer.mjs'
import * as eras from '../../helpers/eras.mjs'
import { LONG_MS, odd, until } from '../../helpers/gateway.mjs'
import { MISSING, sharedPostgres } from '../../helpers/postgres.mjs'
import { replica } from '../../helpers/replica.mjs'

// One after the other: some take the database away.
const claim = MISSING === undefined ? test.serial : test.serial.skip
const outage = process.env.TOOL_ROUTER_POSTGRES_NEEDED ? claim : test.serial.skip

const server = sharedPostgres(test)
const rows = (store, text) => server.query(new URL(store).pathname.slice(1), text)
const VERSION = { 'mcp-protocol-version': '2025-11-25' }
const LIST = { jsonrpc: '2.0', id: 7, method: 'tools/list' }

/** Replicas over a database of their own, and the proxy before them. */
async function served(t, { count = 2, mcpServers = { odd: odd() }, gateway = {} } = {}) {
  const store = server.addressOf(await server.database())
  const replicas = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const name = `replica-${at}`
      const started = await replica(t, store, { mcpServers, gateway: { replica: name, ...gateway } })
      return { ...started, name, isUp: true }
    }),
  )
  const killed = async (each) => {
    each.isUp = false
    await each.kill()
  }
  return { store, replicas, killed, proxy: new Balancer(replicas) }
}

/** A client of the older era. */
async function legacy(t, { proxy, replicas: [{ url, token }] }, { headers = {}, ...options } = {}) {
  const requestInit = { headers: { Authorization: `Bearer ${token}`, ...headers } }
  const fetch = (_, init) => proxy.fetch(init)
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit, fetch })
  return Object.assign(await eras.legacyClient(t, transport, options), { id: () => transport.sessionId })
}

function modern(t, { proxy, replicas: [{ url, token }] }, options) {
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  const transport = new ModernTransport(new URL(url), { requestInit, fetch: (_, init) => proxy.fetch(init) })
  return eras.modernClient(t, transport, options)
}

/** A request of a session as its client would send it, straight to a replica. */
function sent({ url, token }, id, body, { method = 'POST', ...headers } = {}) {
  return fetch(url, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
      ...VERSION,
      ...(id && { 'mcp-session-id': id }),
      ...headers,
    },
    body: body && JSON.stringify(body),
  })
}

/** A modern call, straight to a replica. */
function asked({ url, token }, name, args, more = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': eras.EVERYTHING,
  }
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }
  const params = { name, arguments: args, _meta, ...more }
  return sent({ url, token }, undefined, { jsonrpc: '2.0', id: 'a-call', method: 'tools/call', params }, headers)
}

const answerIn = (text) => JSON.parse(/^data: (\{.*"id".*)$/m.exec(text)?.[1] ?? text)

const loaded = (t, client, ...names) =>
  until(
    t,
    async () => {
      await client.ask('mcp_load', { query: names.join(', ') })
      const listed = await client.names()
      return names.every((name) => listed.includes(name))
    },
    `${names} are listed`,
  )

claim('a killed replica costs its client one initialize, and what it had loaded is called by name', async (t) => {
  t.timeout(LONG_MS)
  const world = await served(t, { count: 3 })
  const { replicas, killed } = world
  const client = await legacy(t, world)
  t.regex(client.id(), /^replica-\d\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
  await loaded(t, client, 'mcp--odd--tell_pid')
  const home = replicas.find(({ name }) => client.id().startsWith(`${name}.`))
  const pid = await client.said('mcp--odd--tell_pid')
  for (let at = 0; at < 4; at++) t.is(await client.said('mcp--odd--tell_pid'), pid, 'one replica answers')
  const [other] = replicas.filter((each) => each !== home)
  t.is((await sent(other, client.id(), LIST)).status, 404)
  for (const each of [randomUUID(), 'not-an-id', `${client.id()}'`, `replica-9.${randomUUID()}`])
    t.is((await sent(home, each, LIST)).status, 404)
  await killed(home)
  await t.throwsAsync(client.listTools(), { code: 404 })
  const again = await legacy(t, world)
  t.not(await again.said('mcp--odd--tell_pid'), pid)
  const gone = replicas.find(({ name }) => again.id().startsWith(`${name}.`))
  t.is((await sent(gone, again.id(), undefined, { method: 'DELETE' })).status, 200)
  t.is((await sent(gone, again.id(), LIST)).status, 404)
})

claim('a call under way at a replica that is killed is told as unknown, and is not made again', async (t) => {
  t.timeout(LONG_MS)
  const world = await served(t)
  const client = await legacy(t, world)
  await loaded(t, client, 'mcp--odd--never', 'mcp--odd--count_calls')
  const home = world.replicas.find(({ name }) => client.id().startsWith(`${name}.`))
  const [other] = world.replicas.filter((each) => each !== home)
  const call = { jsonrpc: '2.0', id: 'a-call', method: 'tools/call', params: { name: 'mcp--odd--never' } }
  const stream = await sent(home, client.id(), call)
  const first = new TextDecoder().decode((await stream.body.getReader().read()).value)
  const [, event] = /^id: (\S+)$/m.exec(first)
  const audit = () => rows(world.store, "select outcome from tool_router.calls where tool = 'never'")
  await until(t, async () => (await audit()).length === 1, 'it has its row')
  await world.killed(home)
  const resumed = await sent(other, client.id(), undefined, { method: 'GET', 'last-event-id': event })
  const [, told] = /^data: (.*)$/m.exec(await resumed.text())
  t.like(JSON.parse(told), { id: 'a-call', error: { data: { code: 'ERR_OUTCOME_UNKNOWN' } } })
  t.deepEqual(await audit(), [{ outcome: 'begun' }])
  const { stdout } = await other.command('audit', '--tool', 'never')
  t.regex(stdout, /begun .*odd\/never .*how it ended is not known/)
  const again = await legacy(t, world)
  // The first call at this one's server.
  t.is(await again.said('mcp--odd--count_calls'), '1')
})

claim(
  'a modern client that is asked something goes on at the replica that asks, and elsewhere nothing is made',
  async (t) => {
    t.timeout(LONG_MS)
    const world = await served(t, { count: 3, mcpServers: { asks: eras.asking() } })
    const answers = eras.answering()
    const client = await modern(t, world, { capabilities: eras.EVERYTHING, answers })
    const call = { name: 'mcp--asks--ask_user_twice', arguments: {} }
    await until(t, async () => (await client.said('call_tool', call)).startsWith('['), 'the tool is there')
    for (let at = 0; at < 4; at++)
      t.deepEqual(
        JSON.parse(await client.said('call_tool', call)).map(({ action }) => action),
        ['accept', 'accept'],
      )
    const [first, second] = world.replicas
    const one = { name: 'mcp--asks--ask_user', arguments: {} }
    const { result } = answerIn(await (await asked(first, 'call_tool', one)).text())
    const back = {
      requestState: result.requestState,
      inputResponses: { 'question-1': { action: 'accept', content: { value: 'red' } } },
    }
    const elsewhere = await asked(second, 'call_tool', one, back)
    t.is(elsewhere.status, 421)
    t.is(elsewhere.headers.get('mcp-replica'), first.name)
    t.like(await elsewhere.json(), { id: 'a-call', error: { data: { code: 'ERR_OUTCOME_UNKNOWN' } } })
    t.regex(await (await asked(first, 'call_tool', one, back)).text(), /red/)
  },
)

claim('a part of a long result is read where the result is held, whichever replica is asked', async (t) => {
  t.timeout(LONG_MS)
  const world = await served(t, { count: 3 })
  const client = await modern(t, world)
  const call = { name: 'mcp--odd--write_much', arguments: { rows: 2_000 } }
  let handle
  await until(
    t,
    async () => {
      const answer = await client.said('call_tool', call)
      handle = /[\w-]+\.res_\w+/.exec(answer)?.[0]
      return handle !== undefined
    },
    'a result is held',
  )
  for (let at = 0; at < 4; at++)
    t.regex(await client.said('read_result', { handle, need: 'the lighthouse' }), /the one with the lighthouse/)
  const home = world.replicas.find(({ name }) => handle.startsWith(`${name}.`))
  const [other] = world.replicas.filter((each) => each !== home)
  const elsewhere = await asked(other, 'read_result', { handle, need: 'the lighthouse' })
  t.is(elsewhere.status, 421)
  t.like(await elsewhere.json(), { error: { data: { code: 'ERR_RESULT_NOT_FOUND' } } })
})

outage('while the database is gone a session goes on at its replica', async (t) => {
  t.timeout(LONG_MS)
  const world = await served(t)
  const client = await legacy(t, world)
  const home = world.replicas.find(({ name }) => client.id().startsWith(`${name}.`))
  const [other] = world.replicas.filter((each) => each !== home)
  await server.stop()
  for (const each of world.replicas) await each.line(/cannot be reached/)
  await loaded(t, client, 'mcp--odd--tell_pid')
  t.is((await sent(other, client.id(), LIST)).status, 404)
  await server.start()
  for (const each of world.replicas) await each.line(/is back/)
  t.true((await client.names()).includes('mcp--odd--tell_pid'))
})
