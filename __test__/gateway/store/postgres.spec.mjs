// A store in PostgreSQL: the claims of every store, and what is so of a shared one alone. Without PostgreSQL the tests are
// skipped; `npm run test:postgres` fails then.
import test from 'ava'
import pg from 'pg'

import { Approvals } from '../../../packages/gateway/store/approvals.mjs'
import { readStoreAddress } from '../../../packages/gateway/config/address.mjs'
import { PostgresStore } from '../../../packages/gateway/store/postgres/store.mjs'
import { until } from '../../helpers/gateway.mjs'
import { MISSING, PASSWORD, sharedPostgres } from '../../helpers/postgres.mjs'
import { claimsOf, definitions } from '../../helpers/store-claims.mjs'
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
