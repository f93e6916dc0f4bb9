// Replicas over one database: a session is one replica's, and when that one has ended its client begins another session, which has
// what was loaded. What one replica alone can go on with names it.
import { randomUUID } from 'node:crypto'

import { StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import test from 'ava'
import pg from 'pg'

import { readStoreAddress } from '../../../packages/gateway/config/address.mjs'
import { PostgresStore } from '../../../packages/gateway/store/postgres/store.mjs'
import { Balancer } from '../../helpers/balancer.mjs'
import * as eras from '../../helpers/eras.mjs'
import { LONG_MS, odd, until } from '../../helpers/gateway.mjs'
import { MISSING, PASSWORD, sharedPostgres } from '../../helpers/postgres.mjs'
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

claim('a killed replica costs its client one initialize, and what was loaded is there again, once', async (t) => {
  t.timeout(LONG_MS)
  const world = await served(t, { count: 3 })
  const { replicas, killed, store } = world
  const client = await legacy(t, world)
  t.regex(client.id(), /^replica-\d\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
  await loaded(t, client, 'mcp--odd--tell_pid', 'mcp--odd--grow')
  const names = await client.names()
  const kept = await rows(store, 'select tools::text, session, person, client from tool_router.loaded')
  t.is(kept.length, 1)
  t.false(JSON.stringify(kept).includes(client.id()))

  const home = replicas.find(({ name }) => client.id().startsWith(`${name}.`))
  const pid = await client.said('mcp--odd--tell_pid')
  for (let at = 0; at < 4; at++) t.is(await client.said('mcp--odd--tell_pid'), pid, 'one replica answers')
  const [other] = replicas.filter((each) => each !== home)
  t.is((await sent(other, client.id(), LIST)).status, 404)

  await killed(home)
  await t.throwsAsync(client.listTools(), { code: 404 })
  // A client of another name is another one.
  const foreign = { name: 'foreign', version: '1' }
  const begun = { jsonrpc: '2.0', id: 1, method: 'initialize' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: foreign }
  const id = (await sent(other, undefined, { ...begun, params })).headers.get('mcp-session-id')
  t.false((await (await sent(other, id, LIST)).text()).includes('tell_pid'))
  const again = await legacy(t, world)
  t.deepEqual(await again.names(), names)
  t.not(await again.said('mcp--odd--tell_pid'), pid)
  const third = await legacy(t, world)
  t.false((await third.names()).includes('mcp--odd--tell_pid'))

  await again.ask('manage_modules', { action: 'unload', module: 'odd' })
  t.deepEqual(await rows(store, 'select session from tool_router.loaded'), [])
})

claim('a session that its client has ended is not loaded again', async (t) => {
  t.timeout(LONG_MS)
  const world = await served(t)
  const client = await legacy(t, world)
  await loaded(t, client, 'mcp--odd--tell_pid')
  const [home] = world.replicas.filter(({ name }) => client.id().startsWith(`${name}.`))
  t.is((await sent(home, client.id(), undefined, { method: 'DELETE' })).status, 200)
  t.is((await sent(home, client.id(), LIST)).status, 404)
  t.deepEqual(await rows(world.store, 'select session from tool_router.loaded'), [])
  t.false((await (await legacy(t, world)).names()).includes('mcp--odd--tell_pid'))
  for (const each of [randomUUID(), 'not-an-id', `${client.id()}'`, `replica-9.${randomUUID()}`])
    t.is((await sent(home, each, LIST)).status, 404)
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

/** What sessions have loaded, as one gateway of a profile has it. */
function opened(t, database, user, profile) {
  const servers = profile === undefined ? undefined : () => []
  const address = readStoreAddress(server.addressOf(database, user), 'store')
  const store = new PostgresStore(pg, address, { profile, servers })
  t.teardown(() => store.close())
  return store.loaded
}

const TOOL = { name: 'mcp--a--b', serverName: 'a', toolName: 'b', by: 'mcp_load' }
const ANN = { person: 'key ann', client: 'a client 1' }

claim('what was loaded is given to the person and client whose it was, in their profile, once', async (t) => {
  const database = await server.database()
  const user = `owner_of_${database}`
  await server.query('postgres', `create user ${user} password '${PASSWORD}'`)
  await server.query('postgres', `alter database ${database} owner to ${user}`)
  const [all, work, home] = [undefined, 'work', 'home'].map((profile) => opened(t, database, user, profile))
  const id = `replica-0.${randomUUID()}`
  await work.keep(id, ANN, [TOOL])
  t.deepEqual(await work.again(ANN), [], 'its session is not gone')
  await work.missed(id, 'key ben')
  t.deepEqual(await work.again(ANN), [], 'somebody else has asked for it')
  for (const other of [all, home]) await other.missed(id, ANN.person)
  t.deepEqual(await work.again(ANN), [], 'it was asked for in another profile')
  await work.missed(id, ANN.person)
  for (const other of [
    { ...ANN, person: 'key ben' },
    { ...ANN, client: 'another 1' },
  ])
    t.deepEqual(await work.again(other), [])
  for (const other of [all, home]) t.deepEqual(await other.again(ANN), [])
  t.deepEqual(await work.again(ANN), [TOOL])
  t.deepEqual(await work.again(ANN), [])
})

claim('what sessions have loaded is forgotten when nobody uses them, and bounded in size and number', async (t) => {
  const database = await server.database()
  const [work, all] = [opened(t, database, undefined, 'work'), opened(t, database)]
  const sessions = async () =>
    (await server.query(database, 'select session from tool_router.loaded where profile is not null')).length
  await work.keep('one', ANN, [TOOL])
  await work.keep('two', ANN, [{ ...TOOL, by: 'x'.repeat(300_000) }])
  t.is(await sessions(), 1)
  await work.sweep(LONG_MS, [])
  await work.sweep(0, ['one'])
  t.is(await sessions(), 1)
  await work.sweep(0, [])
  t.is(await sessions(), 0)
  await work.keep('one', ANN, [TOOL])
  await work.keep('one', ANN, [])
  t.is(await sessions(), 0)
  const fill = (profile, count) =>
    server.query(
      database,
      `insert into tool_router.loaded (session, profile, person, client, tools, used_at)
       select concat($1::text, at), $1, '', '', '[]', now() - make_interval(secs => at) from generate_series(1, $2::int) as at`,
      [profile, count],
    )
  await fill('work', 10_000)
  await fill(null, 7)
  await work.keep('mine', ANN, [TOOL])
  await work.sweep(24 * 3_600_000, [])
  const left = await server.query(
    database,
    `select profile, count(*)::int, bool_or(session = 'work10000') as has_oldest
     from tool_router.loaded group by profile order by profile nulls last`,
  )
  t.deepEqual(
    left.map((row) => Object.values(row)),
    [
      ['work', 10_000, false],
      [null, 7, false],
    ],
  )
  await work.missed('mine', ANN.person)
  t.deepEqual(await work.again(ANN), [TOOL])
  t.deepEqual(await all.again(ANN), [])
})

outage('while the database is gone a session goes on, and what it loads meanwhile outlives its replica', async (t) => {
  t.timeout(LONG_MS)
  const world = await served(t)
  const client = await legacy(t, world)
  await loaded(t, client, 'mcp--odd--echo')
  const home = world.replicas.find(({ name }) => client.id().startsWith(`${name}.`))
  const [other] = world.replicas.filter((each) => each !== home)
  await server.stop()
  for (const each of world.replicas) await each.line(/cannot be reached/)
  await client.ask('mcp_load', { query: 'mcp--odd--tell_pid' })
  t.true((await client.names()).includes('mcp--odd--tell_pid'))
  t.is((await sent(other, client.id(), LIST)).status, 503)
  await server.start()
  for (const each of world.replicas) await each.line(/is back/)
  const isKept = async () =>
    (await rows(world.store, 'select tools::text from tool_router.loaded'))[0]?.tools.includes('tell_pid')
  await until(t, isKept, 'it is written')
  await world.killed(home)
  await t.throwsAsync(client.listTools(), { code: 404 })
  t.true((await (await legacy(t, world)).names()).includes('mcp--odd--tell_pid'))
})
