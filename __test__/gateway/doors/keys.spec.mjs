// Keys of clients in a shared store: what each opens, what it never shows, and what is stored of it.
import fc from 'fast-check'
import pg from 'pg'
import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import { newKey as keyOf } from '../../../packages/gateway/doors/keys.mjs'
import { readStoreAddress } from '../../../packages/gateway/config/address.mjs'
import { PostgresStore } from '../../../packages/gateway/store/postgres/store.mjs'
import { run } from '../../helpers/child.mjs'
import * as eras from '../../helpers/eras.mjs'
import { CLI, configFile, LONG_MS, odd, overHttp, unique, until } from '../../helpers/gateway.mjs'
import { MISSING } from '../../helpers/postgres.mjs'
import { definitions } from '../../helpers/store-claims.mjs'
import { where } from '../../helpers/skips.mjs'
import { ownDatabase, keyed, statusAt, server, marked } from '../../helpers/keys.mjs'

const claim = where(MISSING === undefined, MISSING)

const modulesOf = async (client) =>
  (await client.ask('manage_modules', { action: 'list' })).modules.map(({ module }) => module)

claim('a key opens its profile alone, or all servers, until it is revoked or ends', async (t) => {
  t.timeout(LONG_MS)
  const { a, b, database, command, newKey, at } = await keyed(t)
  const [ofOne, ofAll, ofDays] = [
    await newKey('ann', '--profile', 'one'),
    await newKey('bob'),
    await newKey('cy', '--days', '9'),
  ]
  t.deepEqual(await modulesOf(await overHttp(t, at(ofOne))), [a])
  t.deepEqual(await modulesOf(await eras.overHttp(t, at(ofOne, '/one'))), [a])
  t.is(await statusAt(at(ofOne, '/two')), 404)
  t.deepEqual(await modulesOf(await overHttp(t, at(ofAll))), [a, b])
  t.deepEqual(await modulesOf(await overHttp(t, at(ofDays, '/two'))), [b])
  t.is(await statusAt(at(`${ofOne}x`)), 401)
  t.regex((await command('revoke-key', 'ann')).stdout, /opens nothing any more/)
  await until(t, async () => (await statusAt(at(ofOne))) === 401, 'the gateway is told that the key is revoked')
  t.is((await command('revoke-key', 'ann')).code, 1)
  await server.query(database, `update tool_router.keys set expires_at = now() - interval '1 day' where name = 'bob'`)
  await server.query(database, `select pg_notify('tool_router', '- keys')`)
  await until(t, async () => (await statusAt(at(ofAll))) === 401, 'a key that has ended opens nothing')
  const { stdout } = await command('keys')
  t.regex(stdout, /^ann: profile one, last used on \d{4}-\d\d-\d\d, revoked on \d{4}-\d\d-\d\d$/m)
  t.regex(stdout, /^bob: all servers, last used on \S+, ended on \S+$/m)
  t.regex(stdout, /^cy: all servers, last used on \S+, ends on \S+$/m)
})

claim(
  'with keySecret a key that somebody writes into the database opens nothing, and each key has a row in the audit',
  async (t) => {
    t.timeout(LONG_MS)
    const { database, store } = await ownDatabase()
    const name = unique('mksealed')
    const config = {
      mcpServers: { [name]: marked(name) },
      profiles: { one: { servers: [name] } },
      gateway: { store, keySecret: '${env:KEY_SECRET}' },
    }
    const file = configFile(t, config)
    process.env.KEY_SECRET = 'a secret of this test alone'
    t.teardown(() => delete process.env.KEY_SECRET)
    const newKey = async (...args) => (await run([CLI, 'add-key', ...args, '--config', file])).stdout.split('\n')[0]
    const gateway = await createGateway({ config })
    t.teardown(() => gateway.close())
    const { url } = await gateway.listen()
    const open = (token) => statusAt({ url, token })
    const [ann, bob] = [await newKey('ann', '--profile', 'one', '--days', '9'), await newKey('bob')]
    t.not(await open(ann), 401)
    t.not(await open(bob), 401)
    const { key, hash } = keyOf()
    await server.query(database, `insert into tool_router.keys (name, hash) values ('eve', '${hash}')`)
    t.is(await open(key), 401)
    // A seal is of all that a row says.
    const moved = keyOf()
    const copied = `select 'mal', '${moved.hash}', null, null, seal from tool_router.keys where name = 'bob'`
    await server.query(database, `insert into tool_router.keys (name, hash, profile, expires_at, seal) ${copied}`)
    t.is(await open(moved.key), 401)
    await server.query(database, `update tool_router.keys set profile = null, expires_at = null where name = 'ann'`)
    await server.query(database, `select pg_notify('tool_router', '- keys')`)
    await until(t, async () => (await open(ann)) === 401, 'a row that was changed opens nothing')
    const { stdout } = await run([CLI, 'keys', '--config', file])
    t.regex(stdout, /^eve: .*not sealed/m)
    t.notRegex(stdout, /^bob: .*not sealed/m)
    const audit = () =>
      server.query(database, `select client, outcome from tool_router.calls where tool = 'key' order by at`)
    await until(t, async () => (await audit()).some(({ client }) => client === 'key mal'), 'there are rows')
    const told = new Set((await audit()).map(({ client, outcome }) => `${client} ${outcome}`))
    for (const row of ['key ann ok', 'key bob ok', 'key eve refused', 'key mal refused', 'key ann refused'])
      t.true(told.has(row))
    const short = { ...config, gateway: { store, keySecret: 'short' } }
    const error = await t.throwsAsync(createGateway({ config: short }))
    t.regex(error.message, /^config\.gateway\.keySecret: expected at least 16 characters, got 5$/)
  },
)

claim('who holds many long results in many sessions puts out its own, not those of another key', async (t) => {
  t.timeout(LONG_MS)
  const { store } = await ownDatabase()
  const name = unique('odd')
  const gateway = await createGateway({ config: { mcpServers: { [name]: odd() }, gateway: { store } } })
  t.teardown(() => gateway.close())
  const { url } = await gateway.listen()
  const file = configFile(t, { mcpServers: { [name]: odd() }, gateway: { store } })
  const newKey = async (who) => (await run([CLI, 'add-key', who, '--config', file])).stdout.split('\n')[0]
  const [ann, bob] = [await newKey('ann'), await newKey('bob')]
  const held = async (client) => {
    const args = { name: `mcp--${name}--write_much`, arguments: { characters: 5_000_000 } }
    const { content } = await client.use('call_tool', args)
    return /res_[a-z2-7]{26}/.exec(content[0].text)[0]
  }
  const ofBob = await overHttp(t, { url, token: bob })
  const handles = [await held(ofBob), await held(ofBob)]
  for (let at = 0; at < 24; at++) await held(await overHttp(t, { url, token: ann }))
  for (const handle of handles) {
    const read = await ofBob.use('read_result', { handle, range: '1' })
    t.is(read.isError, undefined, read.content[0].text)
  }
})

claim('of a key nothing but a hash is stored or told again, and its name is given once', async (t) => {
  const { database, command, newKey } = await keyed(t)
  const key = await newKey('ann')
  t.regex(key, /^zoo_[\w-]{43}$/)
  const again = await command('add-key', 'ann')
  t.is(again.code, 1)
  t.regex(again.stdout, /There was a key ann already/)
  const [{ text }] = await server.query(database, 'select json_agg(k)::text as text from tool_router.keys k')
  const { stdout } = await command('keys')
  for (const told of [text, stdout, again.stdout]) t.false(told.includes(key.slice(4)))
  t.is((await command('add-key', 'zed', '--profile', 'nobody')).code, 1)
  t.is((await command('add-key', 'zed', '--days', '0')).code, 1)
  t.notRegex((await command('keys')).stdout, /zed/)
})

claim('a tool outside the rights of a key shows in no answer, whatever is asked', async (t) => {
  t.timeout(LONG_MS)
  const { a, b, newKey, at } = await keyed(t)
  const key = await newKey('ann', '--profile', 'one')
  // The other server is known to the database, and runs.
  await modulesOf(await overHttp(t, at(await newKey('all'))))
  await modulesOf(await overHttp(t, at(await newKey('other', '--profile', 'two'))))
  const clients = [await overHttp(t, at(key)), await eras.overHttp(t, at(key, '/one'))]
  t.deepEqual(await modulesOf(clients[0]), [a])
  const tool = `${b}_list_t1`
  const words = fc.constantFrom(
    b,
    tool,
    `mcp--${b}--${tool}`,
    `${b}/${tool}`,
    `list the invoices that ${b}t1 keeps`,
    'invoices',
    b.slice(0, -1),
  )
  const asked = fc.record({
    client: fc.constantFrom(...clients),
    meta: fc.constantFrom('mcp_load', 'search_mcps', 'describe_tool', 'call_tool_read', 'select_mode'),
    text: words,
  })
  const argsOf = (meta, text) =>
    ({
      mcp_load: { query: text },
      search_mcps: { query: text },
      describe_tool: { names: text },
      call_tool_read: { name: text, arguments: {} },
      select_mode: { task_description: text, confidence_level: 'low' },
    })[meta]
  await fc.assert(
    fc.asyncProperty(asked, async ({ client, meta, text }) => {
      const answer = JSON.stringify(await client.use(meta, argsOf(meta, text)).catch(({ message }) => message))
      // What was asked may be repeated; what the server's definition says beyond it may not.
      const told = answer.replaceAll(text, '')
      t.false(told.includes(b), `${meta} of ${text}: ${answer}`)
    }),
    { numRuns: 60 },
  )
  for (const client of clients) {
    const lists = [await client.listTools(), await client.listPrompts(), await client.listResources()]
    t.false(JSON.stringify(lists).includes(b))
    t.deepEqual(await modulesOf(client), [a])
  }
})

claim('in the database itself a gateway of one profile reads and writes rows of its servers alone', async (t) => {
  const { store: address } = await ownDatabase()
  const open = async (servers) => {
    const store = new PostgresStore(pg, readStoreAddress(address, 'store'), { servers: servers && (() => servers) })
    t.teardown(() => store.close())
    await store.listen()
    return store
  }
  const [one, two, odd] = definitions({
    one: { command: 'one' },
    two: { command: 'two' },
    'o"d\\d': { command: 'odd' },
  })
  const [all, ofOne, ofOdd] = [await open(), await open(['one']), await open(['o"d\\d'])]
  for (const each of [one, two, odd]) {
    await all.writeList(each, { tools: [{ name: 'a' }] })
    await all.changeApprovals(each, (before) => ({
      after: { ...before, accepted: new Map([['a', { hash: 'h', definition: '' }]]) },
      result: undefined,
    }))
  }
  const seenBy = async (store) =>
    Promise.all(
      [one, two, odd].map(async (each) => [
        (await store.readList(each))?.tools.length ?? 0,
        (await store.readApprovals(each)).accepted.size,
      ]),
    )
  const [some, none] = [
    [1, 1],
    [0, 0],
  ]
  t.deepEqual(await seenBy(all), [some, some, some])
  t.deepEqual(await seenBy(ofOne), [some, none, none])
  t.deepEqual(await seenBy(ofOdd), [none, none, some])
  await ofOne.writeList(two, { tools: [] })
  await ofOne.writeList(one, { tools: [{ name: 'a' }, { name: 'b' }] })
  t.is((await all.readList(two)).tools.length, 1)
  t.is((await all.readList(one)).tools.length, 2)
  await all.keys.add({ name: 'ann', hash: 'hash' })
  t.deepEqual([await ofOne.keys.find('hash'), await ofOne.keys.list()], [undefined, []])
  t.is((await all.keys.find('hash')).name, 'ann')
})
