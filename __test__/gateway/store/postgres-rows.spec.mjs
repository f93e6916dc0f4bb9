// What rows of a shared database a gateway sees, and what lasts while the database is gone.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import test from 'ava'
import pg from 'pg'
import { readStoreAddress } from '../../../packages/gateway/config/address.mjs'
import { PostgresStore } from '../../../packages/gateway/store/postgres/store.mjs'
import * as eras from '../../helpers/eras.mjs'
import { folder, LONG_MS, overHttp, until } from '../../helpers/gateway.mjs'
import { MISSING, PASSWORD } from '../../helpers/postgres.mjs'
import { definitions } from '../../helpers/store-claims.mjs'
import { where } from '../../helpers/skips.mjs'
import { ownDatabase, keyed, statusAt, server } from '../../helpers/keys.mjs'

const claim = where(MISSING === undefined, MISSING)

const modulesOf = async (client) =>
  (await client.ask('manage_modules', { action: 'list' })).modules.map(({ module }) => module)

claim('who says nothing of rights sees no row, and who wants all rows says so', async (t) => {
  const { store, newKey } = await keyed(t)
  await newKey('all')
  const rowsOf = async (first) => {
    const client = new pg.Client({ connectionString: store })
    await client.connect()
    if (first) await client.query(first)
    const { rows } = await client.query('select name from tool_router.keys')
    await client.end()
    return rows.length
  }
  t.deepEqual(
    [await rowsOf(), await rowsOf("set tool_router.rights = '*'"), await rowsOf("set tool_router.rights = '[]'")],
    [0, 1, 0],
  )
})

claim('each call of a tool is in the audit with its sizes and times, and nothing of its contents', async (t) => {
  const { a, b, database, newKey, gateway, at } = await keyed(t)
  const all = await eras.overHttp(t, at(await newKey('all')))
  const one = await overHttp(t, at(await newKey('one', '--profile', 'one')))
  const secret = 'an-argument-of-nobody-else'
  await all.use('call_tool_read', { name: `mcp--${b}--${b}_list_t1`, arguments: { [`${b}t1`]: secret } })
  await one.use('call_tool_read', { name: `mcp--${a}--${a}_list_t2`, arguments: { [`${a}t2`]: secret } })
  await one.use('call_tool_destructive', { name: `mcp--${a}--${a}_list_t2`, arguments: {} })
  const read = () => server.query(database, "select * from tool_router.calls where server <> '' order by server, at")
  await until(t, async () => (await read()).length >= 3, 'the calls are written')
  const rows = await read()
  t.deepEqual(
    rows.map(({ person }) => person),
    ['key one', 'key one', 'key all'],
  )
  t.is(new Set(rows.map(({ replica }) => replica)).size, 1, 'profiles share what runs')
  const audit = async (wanted) => (await gateway.store.calls.list({ since: 0, most: 100, ...wanted })).length
  t.is(await audit({ is: { person: 'key one', server: a } }), 2)
  t.is(await audit({ is: { server: a, outcome: 'ok' } }), 1)
  t.is(await audit({ words: `${b}_LIST` }), 1)
  t.is(await audit({ words: 'no such word' }), 0)
  t.deepEqual(
    rows.map(({ profile, server: of, tool, outcome }) => [profile, of, tool, outcome]),
    [
      ['one', a, `${a}_list_t2`, 'ok'],
      ['one', a, `${a}_list_t2`, 'refused'],
      [null, b, `${b}_list_t1`, 'ok'],
    ],
  )
  for (const { client, ms, sent, received, outcome } of rows) {
    t.regex(client, /^test/)
    t.true(ms >= 0 && Number(sent) > 0 && Number(received) > 0 === (outcome === 'ok'))
  }
  t.notRegex(JSON.stringify(rows), /an-argument|called/)
})

claim('health and readiness are told without a token, and nothing else is', async (t) => {
  const { a, b, at } = await keyed(t)
  const { origin } = new URL(at('').url)
  for (const place of ['/health', '/ready']) {
    const response = await fetch(origin + place)
    t.is(response.status, 200)
    const text = await response.text()
    t.deepEqual(JSON.parse(text), { status: 'ok' })
    for (const mark of [a, b, PASSWORD]) t.false(text.includes(mark))
  }
  t.is((await fetch(`${origin}/healthy`)).status, 401)
  // Whoever has no token and floods the port does not have the gateway taken out by what watches it.
  const flood = (places) => Promise.all(places.map(async (place) => (await fetch(origin + place)).status))
  const places = [...Array(400).fill('/mcp'), ...Array(50).fill('/health'), ...Array(50).fill('/ready')]
  let statuses = []
  for (let round = 0; round < 50 && !statuses.includes(429); round++) statuses = await flood(places)
  t.true(statuses.slice(0, 400).includes(429))
  t.deepEqual(statuses.slice(400), Array(100).fill(200))
})

claim('a dump of the schema, restored elsewhere, has lists, approvals and keys', async (t) => {
  const { database, store: address } = await ownDatabase()
  const open = async (where) => {
    const store = new PostgresStore(pg, readStoreAddress(where, 'store'))
    t.teardown(() => store.close())
    return store
  }
  const [one] = definitions({ one: { command: 'one' } })
  const before = await open(address)
  await before.writeList(one, { tools: [{ name: 'a' }] })
  await before.changeApprovals(one, (kept) => ({
    after: { ...kept, accepted: new Map([['a', { hash: 'h', definition: '{}' }]]) },
    result: undefined,
  }))
  await before.keys.add({ name: 'ann', hash: 'hash' })
  const file = path.join(folder(t), 'router.dump')
  // As docs/operating.md says.
  const dump = ['--schema=tool_router', '--enable-row-security', '--format=custom', `--file=${file}`]
  const env = { ...process.env, PGOPTIONS: '-c tool_router.rights=*' }
  execFileSync(server.program('pg_dump'), [...dump, address], { env })
  const other = await ownDatabase()
  execFileSync(server.program('pg_restore'), ['--no-owner', `--dbname=${other.store}`, file])
  const after = await open(other.store)
  t.is((await after.readList(one)).tools.length, 1)
  t.is((await after.readApprovals(one)).accepted.get('a').definition, '{}')
  t.is((await after.keys.find('hash')).name, 'ann')
  t.not(database, other.database)
})

// It takes the database away; serial tests run before the others.
const alone = MISSING === undefined ? test.serial : test.serial.skip

alone(
  'while the database is gone a key that was used opens what it did, and another one is told to wait',
  async (t) => {
    t.timeout(LONG_MS)
    const { a, newKey, gateway, at } = await keyed(t)
    const [used, unused] = [await newKey('used', '--profile', 'one'), await newKey('unused', '--profile', 'one')]
    t.deepEqual(await modulesOf(await overHttp(t, at(used))), [a])
    await server.stop()
    await until(t, () => gateway.store.away !== undefined, 'the gateway notices')
    t.deepEqual(await modulesOf(await overHttp(t, at(used))), [a])
    t.is(await statusAt(at(unused)), 503)
    const { origin } = new URL(at('').url)
    t.deepEqual(await (await fetch(`${origin}/ready`)).json(), { status: 'ok', database: 'away' })
    await server.start()
    await until(t, async () => (await statusAt(at(unused))) !== 503, 'the other one opens when the database is back')
  },
)
