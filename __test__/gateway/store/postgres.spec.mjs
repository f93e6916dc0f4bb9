// A store in PostgreSQL: the claims of every store, and what is so of a shared one alone. Without PostgreSQL the tests are
// skipped; `npm run test:postgres` fails then.
import { createHash } from 'node:crypto'

import test from 'ava'
import pg from 'pg'

import { Approvals } from '../../../packages/gateway/store/approvals.mjs'
import { readStoreAddress } from '../../../packages/gateway/config/address.mjs'
import { PostgresStore } from '../../../packages/gateway/store/postgres/store.mjs'
import { MAX_OF_SERVER } from '../../../packages/gateway/store/uses.mjs'
import { until } from '../../helpers/gateway.mjs'
import { MISSING, PASSWORD, sharedPostgres } from '../../helpers/postgres.mjs'
import { claimsOf, definitions, use, usesOf } from '../../helpers/store-claims.mjs'
import { where } from '../../helpers/skips.mjs'

const claim = where(MISSING === undefined, MISSING)

const server = sharedPostgres(test)
if (MISSING !== undefined) {
  const tell = process.env.TOOL_ROUTER_POSTGRES_NEEDED ? test : test.skip
  tell(MISSING, (t) => t.fail(MISSING))
}

/** A store over a database, as one gateway opens it. */
async function open(t, database, { user, password, log } = {}) {
  const address = readStoreAddress(server.addressOf(database, user, password), 'store')
  const store = new PostgresStore(pg, address, { log })
  t.teardown(() => store.close())
  await store.listen()
  return store
}

if (MISSING === undefined)
  claimsOf('postgres', async (t) => {
    const database = await server.database()
    return () => open(t, database)
  })

const [ONE] = definitions({ one: { command: 'one', env: { KEY: 'a-secret-value' } } })
const TOOLS = [{ name: 'a', description: 'does a' }, { name: 'b' }]

claim('gateways that start together make the tables once', async (t) => {
  const database = await server.database()
  const stores = await Promise.all(Array.from({ length: 6 }, () => open(t, database)))
  await Promise.all(stores.map((store) => store.writeList(ONE, { tools: TOOLS })))
  const [{ count }] = await server.query(database, 'select count(*)::int from tool_router.migrations where version = 1')
  t.is(count, 1)
  t.is((await stores[0].readList(ONE)).tools.length, 2)
})

claim('tables of a later gateway are refused in words and left alone', async (t) => {
  const database = await server.database()
  await (await open(t, database)).writeList(ONE, { tools: TOOLS })
  await server.query(database, 'insert into tool_router.migrations (version) values (1000)')
  const lines = []
  const store = await open(t, database, { log: (line) => lines.push(line) })
  await t.throwsAsync(store.readApprovals(ONE), {
    message: /version 1000, and this gateway knows \d+; upgrade the gateway/,
  })
  t.true(lines.some((line) => /upgrade the gateway/.test(line)))
  const [{ count }] = await server.query(database, 'select count(*)::int from tool_router.catalogue_tools')
  t.is(count, 2)
})

claim('a role for which row-level security does nothing is told once, and a plain one is not', async (t) => {
  const database = await server.database()
  const told = async (attributes, role) => {
    await server.query(database, `create role ${role} login ${attributes} password '${PASSWORD}'`)
    await server.query(database, `grant all on database ${database} to ${role}`)
    const lines = []
    const store = await open(t, database, { user: role, password: PASSWORD, log: (line) => lines.push(line) })
    await store.readApprovals(ONE).catch(() => {})
    return lines.filter((line) => line.includes('row-level security'))
  }
  t.deepEqual(await told('nosuperuser nobypassrls', `plain_${database}`), [])
  for (const [attributes, role] of [
    ['superuser', `super_${database}`],
    ['nosuperuser bypassrls', `bypass_${database}`],
  ]) {
    const lines = await told(attributes, role)
    t.is(lines.length, 1, attributes)
    t.true(lines[0].includes(`"${role}"`) && lines[0].includes('NOSUPERUSER NOBYPASSRLS'), lines[0])
    t.false(lines[0].includes(PASSWORD))
  }
})

claim('a user who may only use the tables needs no right to make them', async (t) => {
  const database = await server.database()
  await (await open(t, database)).writeList(ONE, { tools: TOOLS })
  const user = `user_of_${database}`
  await server.query(
    database,
    `create user ${user} password '${PASSWORD}'; grant usage on schema tool_router to ${user};
     grant select, insert, update, delete on all tables in schema tool_router to ${user}`,
  )
  const store = await open(t, database, { user })
  t.is((await store.readList(ONE)).tools.length, 2)
  await store.writeList(ONE, { tools: [TOOLS[1]] })
  t.is((await store.readList(ONE)).tools.length, 1)
})

claim('approvals that gateways change together are all kept', async (t) => {
  const database = await server.database()
  const all = await Promise.all(Array.from({ length: 5 }, async () => new Approvals(await open(t, database))))
  await Promise.all(all.map((approvals, at) => approvals.changed(ONE, [{ name: `of_${at}` }, { name: 'shared' }])))
  const store = await open(t, database)
  t.deepEqual([...(await store.readApprovals(ONE)).accepted.keys()].toSorted(), [
    ...all.map((_, at) => `of_${at}`),
    'shared',
  ])
})

claim('what one gateway withholds waits on, also when another one still has the accepted definition', async (t) => {
  const database = await server.database()
  const [first, second] = [await open(t, database), await open(t, database)]
  const [one, other] = [new Approvals(first), new Approvals(second)]
  const [was, is] = [[{ name: 'a', description: 'was' }], [{ name: 'a', description: 'is' }]]
  await one.changed(ONE, was)
  // As the catalogue of a gateway that withholds the tool.
  t.teardown(await one.watch(ONE, () => void one.changed(ONE, is)))
  await one.changed(ONE, is)
  await other.changed(ONE, was)
  await until(t, async () => (await other.waiting(ONE)).length === 1, 'it waits again')
  t.deepEqual(await other.approve(ONE, 'a'), ['a'])
})

claim('a list that one gateway keeps is told to the others once, and not to itself', async (t) => {
  const database = await server.database()
  const [first, second] = [await open(t, database), await open(t, database)]
  const told = { first: [], second: [] }
  first.watchLists((identity) => told.first.push(identity))
  second.watchLists((identity) => told.second.push(identity))
  await first.writeList(ONE, { tools: TOOLS })
  await first.writeList(ONE, { tools: TOOLS })
  await first.writeList(ONE, { tools: [TOOLS[0]] })
  await until(t, () => told.second.length >= 2, 'the second gateway is told')
  const [other] = definitions({ other: { command: 'other' } })
  await second.writeList(other, { tools: TOOLS })
  await until(t, () => told.first.length >= 1, 'the first gateway is told')
  t.deepEqual([told.first.length, told.second.length], [1, 2])
})

claim('no value of a variable is in the database, and no password in what is printed', async (t) => {
  const database = await server.database()
  const store = await open(t, database)
  await store.writeList(ONE, { tools: TOOLS })
  const [{ text }] = await server.query(database, 'select json_agg(c)::text as text from tool_router.catalogues c')
  t.false(text.includes('a-secret-value'))
  const lines = []
  const address = readStoreAddress(server.addressOf(database, 'owner', 'wrong-password-of-nobody'), 'store')
  const refused = new PostgresStore(pg, address, { log: (line) => lines.push(line) })
  t.teardown(() => refused.close())
  await refused.listen()
  const error = await t.throwsAsync(refused.readApprovals(ONE), { message: /it does not take the password/ })
  const { inspect } = await import('node:util')
  const printed = [
    ...lines,
    inspect(error, { depth: 9 }),
    error.stack,
    String(address),
    JSON.stringify({ address }),
    inspect(address),
  ]
  for (const each of printed) t.false(each.includes('wrong-password-of-nobody'), each)
  t.true(lines.length > 0)
})

claim('what gateways count together is all counted, in whatever order they write', async (t) => {
  const database = await server.database()
  const stores = await Promise.all(Array.from({ length: 4 }, () => open(t, database)))
  const calls = Array.from({ length: 200 }, (_, at) => [`tool_${at}`, 1 + (at % 3)])
  await Promise.all(stores.map((store, at) => use(store, ONE, at % 2 ? calls : calls.toReversed())))
  const counts = new Map((await usesOf(await open(t, database), ONE)).map(([tool, count]) => [tool, count]))
  t.deepEqual(
    calls.map(([tool]) => counts.get(tool)),
    calls.map(([, times]) => 4 * times),
  )
})

claim(
  'rows of counts that no gateway has written take nothing from the others, and are read within bounds',
  async (t) => {
    const database = await server.database()
    const [one, other] = [await open(t, database), await open(t, database)]
    await use(one, ONE, [['a', 1]])
    const insert = (tool, count = 1, day = 'current_date') =>
      server.query(
        database,
        `insert into tool_router.uses select identity, server, ${tool}, definition, ${count}, ${day}
       from tool_router.uses where tool = 'a'`,
      )
    for (const tool of [`'bad"'`, `'bad\\'`, `'bad' || chr(10)`, `repeat('b', 2000) || md5('b')`]) await insert(tool)
    t.deepEqual(await usesOf(other, ONE), [
      ['a', 1, 'a definition'],
      [`${'b'.repeat(2_000)}${createHash('md5').update('b').digest('hex')}`, 1, 'a definition'],
    ])
    await server.query(database, 'update tool_router.uses set count = 9223372036854775807')
    await use(one, ONE, [
      ['a', 1],
      ['c', 1],
    ])
    t.deepEqual(
      (await usesOf(other, ONE)).map(([tool, count]) => [tool, count]).filter(([tool]) => tool.length === 1),
      [
        ['a', Number.MAX_SAFE_INTEGER],
        ['c', 1],
      ],
    )
    await insert(`'later'`, 1, `date '9999-12-31'`)
    const later = (await other.uses.readOthers([ONE])).find(({ tool }) => tool === 'later')
    t.true(later.usedOn < '9999')
    await server.query(
      database,
      `insert into tool_router.uses select identity, server, 'many' || at, definition, 1, current_date
     from tool_router.uses, generate_series(1, 6000) as at where tool = 'a'`,
    )
    const { length } = await other.uses.readOthers([ONE])
    t.true(length > MAX_OF_SERVER - 10 && length <= MAX_OF_SERVER, `${length}`)
  },
)

claim('a count is kept for 90 days after the last use', async (t) => {
  const database = await server.database()
  await use(await open(t, database), ONE, [
    ['a', 1],
    ['b', 1],
  ])
  await server.query(
    database,
    `update tool_router.uses set used_on = current_date - case when tool = 'a' then 90 else 91 end`,
  )
  t.deepEqual(await usesOf(await open(t, database), ONE), [['a', 1, 'a definition']])
  await use(await open(t, database), ONE, [['c', 1]])
  const rows = await server.query(database, 'select tool from tool_router.uses order by tool')
  t.deepEqual(
    rows.map(({ tool }) => tool),
    ['a', 'c'],
  )
})

claim('of uses no text, person or time of day is in the database', async (t) => {
  const database = await server.database()
  await use(await open(t, database), ONE, [['a', 1]])
  const rows = await server.query(database, 'select * from tool_router.uses')
  t.deepEqual(Object.keys(rows[0]), ['identity', 'server', 'tool', 'definition', 'count', 'used_on'])
  const [{ text }] = await server.query(database, 'select used_on::text as text from tool_router.uses')
  t.regex(text, /^\d{4}-\d\d-\d\d$/)
})
