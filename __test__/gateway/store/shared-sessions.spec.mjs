// Sessions of the older era over several gateways: any of them goes on with what another one began.
import { randomUUID } from 'node:crypto'

import { StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import test from 'ava'
import pg from 'pg'

import { readStoreAddress } from '../../../packages/gateway/config/address.mjs'
import { PostgresStore } from '../../../packages/gateway/store/postgres/store.mjs'
import * as eras from '../../helpers/eras.mjs'
import { LONG_MS, odd, until } from '../../helpers/gateway.mjs'
import { MISSING, PASSWORD, sharedPostgres } from '../../helpers/postgres.mjs'
import { replica } from '../../helpers/replica.mjs'

// One after the other: some take the database away.
const claim = MISSING === undefined ? test.serial : test.serial.skip
const outage = process.env.TOOL_ROUTER_POSTGRES_NEEDED ? claim : test.serial.skip

const server = sharedPostgres(test)
const nameOf = (store) => new URL(store).pathname.slice(1)
const rows = (store, text) => server.query(nameOf(store), text)

/** Gateways over a database of their own, and a client of the older era whose requests go where `next` says. */
async function served(t, { count = 2, mcpServers = { odd: odd() }, next, ...options }) {
  const store = server.addressOf(await server.database())
  const replicas = await Promise.all(Array.from({ length: count }, () => replica(t, store, { mcpServers })))
  const requestInit = { headers: { Authorization: `Bearer ${replicas[0].token}` } }
  const route = (_, init) => fetch(next(replicas, init).url, init)
  const transport = new StreamableHTTPClientTransport(new URL(replicas[0].url), { requestInit, fetch: route })
  const client = await eras.legacyClient(t, transport, options)
  return { store, replicas, client, id: () => transport.sessionId }
}

/** As a proxy without memory: to the next one that is there. */
function byTurns() {
  const gone = new Set()
  let turn = 0
  const next = (replicas) => {
    const left = replicas.filter((each) => !gone.has(each))
    return left[turn++ % left.length]
  }
  return { next, gone }
}

const isInitialize = ({ body }) => typeof body === 'string' && JSON.parse(body).method === 'initialize'
const isAnswer = ({ body }) => typeof body === 'string' && JSON.parse(body).method === undefined
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

/** A request of a session as its client would send it. */
function sent({ url, token }, id, body, { method = 'POST', ...headers } = {}) {
  return fetch(url, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
      ...(id && { 'mcp-session-id': id }),
      ...headers,
    },
    body: body && JSON.stringify(body),
  })
}
const LIST = { jsonrpc: '2.0', id: 7, method: 'tools/list' }

claim(
  'a session is answered by any gateway with the same attached tools, also when the first one is killed',
  async (t) => {
    t.timeout(LONG_MS)
    const { next, gone } = byTurns()
    const { store, replicas, client } = await served(t, { count: 3, next })
    await loaded(t, client, 'mcp--odd--tell_pid', 'mcp--odd--grow')
    const names = await client.names()
    const pids = new Set()
    for (let at = 0; at < 9; at++) {
      t.deepEqual(await client.names(), names)
      pids.add(await client.said('mcp--odd--tell_pid'))
      if (at !== 4) continue
      gone.add(replicas[0])
      await replicas[0].kill()
    }
    t.true(pids.size >= 2)
    await client.ask('mcp_load', { query: 'mcp--odd--echo' })
    for (let at = 0; at < 3; at++) t.deepEqual(await client.names(), [...names, 'mcp--odd--echo'])
    await client.ask('manage_modules', { action: 'unload', module: 'odd' })
    for (let at = 0; at < 3; at++) t.false((await client.names()).includes('mcp--odd--echo'))
    const [{ count, text }] = await rows(
      store,
      'select count(*)::int, max(state::text) as text from tool_router.sessions',
    )
    t.is(count, 1)
    t.deepEqual(Object.keys(JSON.parse(text)).toSorted(), ['attached', 'client', 'introduced', 'subscribed'])
  },
)

claim('what two gateways attach at the same time for one session is all there', async (t) => {
  t.timeout(LONG_MS)
  const { next } = byTurns()
  const { client } = await served(t, { next })
  const wanted = ['echo', 'count_calls', 'tell_pid', 'grow', 'shrink', 'flood'].map((name) => `mcp--odd--${name}`)
  await loaded(t, client, wanted[0])
  await Promise.all(wanted.map((name) => client.ask('mcp_load', { query: name })))
  for (let at = 0; at < 2; at++) {
    const names = await client.names()
    t.deepEqual(
      wanted.filter((name) => !names.includes(name)),
      [],
    )
  }
})

claim('the answer to a question reaches the gateway that asks, wherever the client sends it', async (t) => {
  t.timeout(LONG_MS)
  const answers = eras.answering()
  // Calls go to the first gateway, and answers to the second.
  const next = ([first, second], init) => (isAnswer(init) ? second : first)
  const mcpServers = { asks: eras.asking() }
  const { client } = await served(t, { mcpServers, next, capabilities: eras.EVERYTHING, answers })
  await loaded(t, client, 'mcp--asks--ask_user_twice', 'mcp--asks--ask_model')
  const twice = JSON.parse(await client.said('mcp--asks--ask_user_twice'))
  t.deepEqual(twice, [
    { action: 'accept', content: { value: 'blue' } },
    { action: 'accept', content: { value: 'blue' } },
  ])
  t.regex(await client.said('mcp--asks--ask_model'), /Hello!/)
  t.is(answers.asked.length, 3 + answers.asked.filter(([method]) => method === 'roots/list').length)
})

claim('a question outside of a call goes through the gateway that the client listens to', async (t) => {
  t.timeout(LONG_MS)
  const next = ([first, second], { method }) => (method === 'GET' ? second : first)
  const mcpServers = { asks: eras.asking() }
  const { client } = await served(t, { mcpServers, next, capabilities: eras.EVERYTHING })
  await loaded(t, client, 'mcp--asks--roots_of_start')
  await client.sendRootsListChanged()
  await until(
    t,
    async () => /file:\/\/\/project/.test(await client.said('mcp--asks--roots_of_start')),
    'the server of the first gateway knows the folders',
  )
  t.pass()
})

claim(
  'a client is told of changes of a resource by the gateway that it listens to, also when it subscribed at another',
  async (t) => {
    t.timeout(LONG_MS)
    const { replicas, client } = await served(t, {
      next: ([first, second], { method }) => (method === 'GET' ? second : first),
    })
    await loaded(t, client, 'mcp--odd--touch_note')
    await client.subscribeResource({ uri: 'odd://notes/1' })
    const other = await eras.legacyOverHttp(t, replicas[1])
    await until(
      t,
      async () => (await other.said('mcp--odd--list_subscribed')).includes('odd://notes/1'),
      'the second gateway follows the resource',
    )
    await other.use('mcp--odd--touch_note')
    const updates = () => client.heard.filter(({ method }) => method === 'notifications/resources/updated')
    await until(t, () => updates().length > 0, 'the client is told')
    t.deepEqual(
      updates().map(({ params }) => params.uri),
      ['odd://notes/1'],
    )
    await client.unsubscribeResource({ uri: 'odd://notes/1' })
    await until(
      t,
      async () => (await other.said('mcp--odd--list_subscribed')) === '[]',
      'the second gateway follows it no more',
    )
  },
)

claim('a question that no gateway can ask is refused in words', async (t) => {
  t.timeout(LONG_MS)
  const mcpServers = { asks: eras.asking() }
  const { client } = await served(t, {
    mcpServers,
    // As a client that listens to nothing.
    next: ([first], { method }) => (method === 'GET' ? { url: `${first.url}/nothing` } : first),
    capabilities: eras.EVERYTHING,
  })
  await loaded(t, client, 'mcp--asks--roots_of_start')
  await client.sendRootsListChanged()
  await until(
    t,
    async () => /listens to no gateway/.test(await client.said('mcp--asks--roots_of_start')),
    'the server is told why',
  )
  t.pass()
})

claim('a part of a long result is read at any gateway, by the client that has it alone', async (t) => {
  t.timeout(LONG_MS)
  const { next } = byTurns()
  const { replicas, client } = await served(t, { next })
  await loaded(t, client, 'mcp--odd--write_much')
  const answer = await client.said('mcp--odd--write_much', { rows: 2_000 })
  const [handle] = /res_\w+/.exec(answer)
  for (let at = 0; at < 4; at++)
    t.regex(await client.said('read_result', { handle, need: 'the lighthouse' }), /the one with the lighthouse/)
  for (const each of replicas) {
    const other = await eras.legacyOverHttp(t, each)
    t.true((await other.use('read_result', { handle, need: 'the lighthouse' })).isError)
  }
})

claim('a modern client comes back with its answer at any gateway', async (t) => {
  t.timeout(LONG_MS)
  const store = server.addressOf(await server.database())
  const mcpServers = { asks: eras.asking() }
  const replicas = await Promise.all([1, 2, 3].map(() => replica(t, store, { mcpServers })))
  const { next } = byTurns()
  const requestInit = { headers: { Authorization: `Bearer ${replicas[0].token}` } }
  const transport = new ModernTransport(new URL(replicas[0].url), {
    requestInit,
    fetch: (_, init) => fetch(next(replicas).url, init),
  })
  const answers = eras.answering()
  const client = await eras.modernClient(t, transport, { capabilities: eras.EVERYTHING, answers })
  const call = { name: 'mcp--asks--ask_user_twice', arguments: {} }
  await until(t, async () => (await client.said('call_tool', call)).startsWith('['), 'the tool is there')
  for (let at = 0; at < 3; at++)
    t.deepEqual(
      JSON.parse(await client.said('call_tool', call)).map(({ action }) => action),
      ['accept', 'accept'],
    )
})

claim('a session that its client ends is over at every gateway', async (t) => {
  t.timeout(LONG_MS)
  const { next } = byTurns()
  const { store, replicas, client, id } = await served(t, { next })
  const session = id()
  for (const each of replicas) t.is((await sent(each, session, LIST)).status, 200)
  t.is((await sent(replicas[1], session, undefined, { method: 'DELETE' })).status, 200)
  for (const each of replicas) t.is((await sent(each, session, LIST)).status, 404)
  t.deepEqual(await rows(store, 'select id from tool_router.sessions'), [])
  for (const other of [randomUUID(), 'not-an-id', `${session}'`])
    t.is((await sent(replicas[0], other, LIST)).status, 404)
  await client.close()
})

claim(
  'a call whose gateway has ended is answered elsewhere with a code that says so, and is not repeated',
  async (t) => {
    t.timeout(LONG_MS)
    const { replicas, client, id } = await served(t, {
      next: ([first, second], init) => (isInitialize(init) ? first : second),
    })
    await loaded(t, client, 'mcp--odd--never', 'mcp--odd--count_calls')
    const version = { 'mcp-protocol-version': '2025-11-25' }
    const call = { jsonrpc: '2.0', id: 'a-call', method: 'tools/call', params: { name: 'mcp--odd--never' } }
    const stream = await sent(replicas[0], id(), call, version)
    const first = new TextDecoder().decode((await stream.body.getReader().read()).value)
    const [, event] = /^id: (\S+)$/m.exec(first)
    await replicas[0].kill()
    const before = await client.said('mcp--odd--count_calls')
    const resumed = await sent(replicas[1], id(), undefined, { method: 'GET', 'last-event-id': event, ...version })
    const [, told] = /^data: (.*)$/m.exec(await resumed.text())
    t.like(JSON.parse(told), { id: 'a-call', error: { data: { code: 'ERR_OUTCOME_UNKNOWN' } } })
    t.is(Number(await client.said('mcp--odd--count_calls')), Number(before) + 1)
  },
)

claim('sessions are kept apart by profile, forgotten when nobody uses them, and bounded in size', async (t) => {
  const database = await server.database()
  const user = `owner_of_${database}`
  await server.query('postgres', `create user ${user} password '${PASSWORD}'`)
  await server.query('postgres', `alter database ${database} owner to ${user}`)
  const open = (profile) => {
    const servers = profile === undefined ? undefined : () => []
    const store = new PostgresStore(pg, readStoreAddress(server.addressOf(database, user), 'store'), {
      profile,
      servers,
    })
    t.teardown(() => store.close())
    return store.sessions
  }
  const [all, work, home] = [open(), open('work'), open('home')]
  const state = { client: {}, attached: [], introduced: [], subscribed: [] }
  const id = randomUUID()
  await work.begin(id, state)
  await work.listens(id, randomUUID())
  t.deepEqual(await work.look(id), { version: 1, state })
  for (const other of [all, home]) {
    t.is(await other.look(id), undefined)
    t.is(await other.change(id, (each) => each), undefined)
    t.is(await other.send(id, {}), undefined)
    await other.end(id)
  }
  t.deepEqual(await work.look(id, 1), { version: 1, state: undefined })
  t.is(await work.begin(randomUUID(), { ...state, client: { text: 'x'.repeat(300_000) } }), undefined)
  await home.sweep(0, [])
  t.not(await work.look(id), undefined)
  await work.sweep(LONG_MS, [])
  t.not(await work.look(id), undefined)
  await work.sweep(0, [])
  t.is(await work.look(id), undefined)
})

outage(
  'while the database is gone a session goes on where it is, waits elsewhere, and is the same everywhere after',
  async (t) => {
    t.timeout(LONG_MS)
    const next = ([first]) => first
    const { store, replicas, client, id } = await served(t, { next })
    await loaded(t, client, 'mcp--odd--echo')
    await server.stop()
    for (const each of replicas) await each.line(/cannot be reached/)
    await client.ask('mcp_load', { query: 'mcp--odd--tell_pid' })
    t.true((await client.names()).includes('mcp--odd--tell_pid'))
    t.is((await sent(replicas[1], id(), LIST)).status, 503)
    await server.start()
    for (const each of replicas) await each.line(/is back/)
    await until(
      t,
      async () => (await (await sent(replicas[1], id(), LIST)).text()).includes('mcp--odd--tell_pid'),
      'the other gateway has what was attached meanwhile',
    )
    t.is((await rows(store, 'select id from tool_router.sessions')).length, 1)
  },
)

claim('of one profile the latest 10,000 sessions are kept, and those of others stay as they are', async (t) => {
  const database = await server.database()
  const open = async (profile) => {
    const store = new PostgresStore(pg, readStoreAddress(server.addressOf(database), 'store'), { profile })
    t.teardown(() => store.close())
    await store.listen()
    return store.sessions
  }
  const [ofWork, ofAll] = [await open('work'), await open(undefined)]
  const fill = (profile, count) =>
    server.query(
      database,
      `insert into tool_router.sessions (id, profile, state, used_at)
       select gen_random_uuid(), $1, '{}', now() - make_interval(secs => at) from generate_series(1, $2::int) as at`,
      [profile, count],
    )
  await fill('work', 10_000)
  await fill(null, 7)
  const mine = randomUUID()
  await ofWork.begin(mine, {})
  const day = 24 * 3_600_000
  await ofWork.sweep(day, [])
  const left = await server.query(
    database,
    `select profile, count(*)::int, max(now() - used_at) >= interval '10000 seconds' as oldest
     from tool_router.sessions group by profile order by profile nulls last`,
  )
  t.deepEqual(
    left.map(({ profile, count, oldest }) => [profile, count, oldest]),
    [
      ['work', 10_000, false],
      [null, 7, false],
    ],
  )
  t.truthy(await ofWork.look(mine))
  await fill(null, 10_000)
  await ofAll.sweep(day, [])
  const counts = await server.query(
    database,
    'select count(*)::int from tool_router.sessions group by profile order by profile nulls last',
  )
  t.deepEqual(
    counts.map(({ count }) => count),
    [10_000, 10_000],
  )
})
