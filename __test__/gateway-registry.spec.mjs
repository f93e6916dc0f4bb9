// The registry of a shared database: its servers are found, and none is started but what the configuration allows by its digest.
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import test from 'ava'
import fc from 'fast-check'
import pg from 'pg'

import { readConfig } from '../packages/gateway/config/read.mjs'
import { createGateway } from '../packages/gateway/gateway/index.mjs'
import { digestOf, fromRegistry, toRegistry } from '../packages/gateway/config/registry-entry.mjs'
import { readStoreAddress } from '../packages/gateway/config/address.mjs'
import { PostgresStore } from '../packages/gateway/store/postgres/store.mjs'
import { run } from './helpers/child.mjs'
import { CLI, folder, gateway, inProcess, overHttp, unique, until } from './helpers/gateway.mjs'
import { MISSING, sharedPostgres } from './helpers/postgres.mjs'
import { replica } from './helpers/replica.mjs'

const MARKED = fileURLToPath(new URL('fixtures/marked-server.mjs', import.meta.url))
const SECRET = 'qJ7xR2mW9tK4vB1nZ8cL'
const NEED = 'how many days of holiday do I get'
const DESCRIPTION = 'The handbook of our company: holiday, offices, how things are done'
const entryOf = (mark, more) => ({
  command: process.execPath,
  args: [MARKED, mark],
  description: DESCRIPTION,
  syntheticQueries: ['how many days of holiday are left'],
  ...more,
})
const registered = (written) => toRegistry('one', written, { at: 'entry', tools: [] })

const claim = MISSING === undefined ? test.serial : test.serial.skip
const server = sharedPostgres(test)

test('of variables and headers names alone leave a configuration', (t) => {
  const value = fc
    .string({ minLength: 6, maxLength: 30 })
    .filter((text) => !/\$|^\s*$/.test(text) && !text.includes('\0'))
  const name = fc.constantFrom('TOKEN', 'PATH', '__proto__', 'a b')
  fc.assert(
    fc.property(fc.dictionary(name, value), (env) => {
      const { start } = registered({ command: 'x', args: ['--stdio'], env })
      for (const key of Object.keys(env)) t.is(JSON.parse(start).env[key], `\${env:${key}}`)
    }),
  )
  for (const written of [`postgres://me:${SECRET}@\${env:HOST}`, `\${TOKEN:-${SECRET}}`, `${SECRET}$\${x}`])
    t.deepEqual(JSON.parse(registered({ command: 'x', env: { TOKEN: written } }).start).env, { TOKEN: '${env:TOKEN}' })
  for (const kept of ['${workspaceFolder}', '${env:OTHER}', '${OTHER:-}', '${file:~/key}'])
    t.deepEqual(JSON.parse(registered({ command: 'x', env: { TOKEN: kept } }).start).env, { TOKEN: kept })
  const { start } = registered({ url: 'https://a.example/mcp', headers: { Authorization: 'Bearer ${env:TOKEN}' } })
  t.deepEqual(JSON.parse(start), { url: 'https://a.example/mcp', headers: { Authorization: 'Bearer ${env:TOKEN}' } })
})

test('what may be a secret, or is of one machine, is refused and the field is named', (t) => {
  for (const [written, at] of [
    [{ command: 'x', args: ['--token', SECRET] }, 'entry.args[1]'],
    [{ command: 'x', args: [`--api-key=${SECRET}`] }, 'entry.args[0]'],
    [{ command: 'x', args: [`https://me:${SECRET}@a.example`] }, 'entry.args[0]'],
    [{ url: `https://a.example/mcp?key=${SECRET}` }, 'entry.url'],
    [{ url: `https://a.example/${SECRET}/mcp` }, 'entry.url'],
    [{ url: 'https://a.example/mcp', headers: { 'X-Key': SECRET } }, 'entry.headers["X-Key"]'],
    [{ command: `x --token ${SECRET}` }, 'entry.command'],
    [{ url: `https://${SECRET}@a.example/mcp` }, 'entry.url'],
    // What stands for a variable that is not set is a value, and so is what stands beside a placeholder.
    [{ command: 'x', args: ['--token', `\${TOKEN:-${SECRET}}`] }, 'entry.args[1]'],
    [{ url: `https://a.example/mcp?key=\${KEY:-${SECRET}}` }, 'entry.url'],
    [{ url: 'https://a.example/mcp', headers: { 'X-Key': `\${KEY:-${SECRET}}` } }, 'entry.headers["X-Key"]'],
    [{ url: 'https://a.example/mcp', headers: { 'X-Key': `${SECRET}\${NONE:-}` } }, 'entry.headers["X-Key"]'],
    [{ url: 'https://a.example/mcp', headers: { 'X-Key': `Bearer ${SECRET}$\${x}` } }, 'entry.headers["X-Key"]'],
    [{ url: 'https://a.example/mcp', oauth: { clientSecret: SECRET } }, 'entry.oauth'],
    [{ url: 'https://a.example/mcp', headersHelper: 'print-it' }, 'entry.headersHelper'],
    [{ command: 'x', envFile: '.env' }, 'entry.envFile'],
    [{ command: 'x', inheritEnv: true }, 'entry.inheritEnv'],
  ]) {
    const { code, message } = t.throws(() => registered(written))
    t.is(code, 'ERR_INVALID_ARGUMENT')
    t.true(message.startsWith(`${at}: expected `), message)
    t.false(message.includes(SECRET))
  }
  t.notThrows(() =>
    registered({ command: 'npx', args: ['-y', 'wiki-mcp@1.2.3', '--token', '${env:TOKEN}', '--port=8080'] }),
  )
})

test('a digest is of all that is started, and an entry starts here as it does where it is from', (t) => {
  const written = { command: 'x', args: ['a'], env: { TOKEN: 'a' }, cwd: '/w', disabledTools: ['b'], description: 'd' }
  const entry = registered(written)
  t.is(digestOf(entry), digestOf(registered({ ...written, env: { TOKEN: 'another' }, description: 'e' })))
  const others = [{ command: 'y' }, { args: ['a', 'b'] }, { env: { OTHER: 'a' } }, { cwd: '/v' }, { disabledTools: [] }]
  const digests = others.map((other) => digestOf(registered({ ...written, ...other })))
  t.is(new Set([digestOf(entry), digestOf({ ...entry, name: 'two' }), ...digests]).size, others.length + 2)
  const env = { env: { TOKEN: 'a' } }
  const [here, there] = [written, fromRegistry(entry)].map(
    (each) => [...readConfig({ mcpServers: { one: each } }, env).servers.values()][0],
  )
  t.deepEqual({ ...there, secrets: [] }, { ...here, secrets: [] })
})

test('what is allowed is named with a digest', (t) => {
  const read = (registry) => readConfig({ mcpServers: {}, gateway: { registry } }).settings.registry
  const digest = 'a'.repeat(32)
  t.deepEqual([...read([`o@d d@${digest}`])], [['o@d d', digest]])
  for (const wrong of ['one', 'one@', `one@${digest}a`, `@${digest}`, `one@${digest.toUpperCase()}`, '*', 7])
    t.throws(() => read([wrong]), {
      code: 'ERR_INVALID_ARGUMENT',
      message: /^config\.gateway\.registry\[0\]: expected /,
    })
  t.throws(() => read(true), { code: 'ERR_INVALID_ARGUMENT', message: /^config\.gateway\.registry: expected / })
})

/** A database, and the store of whoever writes into its registry. */
async function registry(t) {
  const database = await server.database()
  const store = server.addressOf(database)
  const opened = new PostgresStore(pg, readStoreAddress(store, 'store'))
  t.teardown(() => opened.close())
  await opened.listen()
  return { database, store, entries: opened.registry }
}

/** What a client of a gateway is told of servers that are near a need that nothing serves. */
async function near(client, query = NEED) {
  const answers = [await client.ask('mcp_load', { query }), await client.ask('search_mcps', { query })]
  return answers.map(({ nothingFits }) => nothingFits?.servers ?? [])
}

claim(
  'a server of the registry is found by all gateways, started by none, and allowed by what the command prints',
  async (t) => {
    const { database, store } = await registry(t)
    const file = path.join(folder(t), 'mcp.json')
    const env = { WIKI_TOKEN: SECRET, ROUTER_STORE: store }
    const config = { mcpServers: { mkwiki: entryOf('mkwiki', { env: { WIKI_TOKEN: SECRET } }) }, gateway: { store } }
    writeFileSync(file, JSON.stringify(config))
    const command = (...args) => run([CLI, ...args, '--config', file])
    const b = await replica(t, store, { mcpServers: {} })
    const client = await overHttp(t, b)
    t.deepEqual(await near(client), [[], []])
    const { code, stdout, stderr } = await command('registry-add', 'mkwiki')
    t.deepEqual([code, stderr], [0, ''])
    t.false(stdout.includes(SECRET))
    await until(t, async () => (await near(client)).every((servers) => servers.length === 1), 'it is offered')
    for (const [told] of await near(client)) {
      t.deepEqual([told.name, told.connected, told.reason, told.description], ['mkwiki', false, 'offered', DESCRIPTION])
      t.regex(told.detail, /npx @zoo-code\/tool-router-gateway registry/)
    }
    t.deepEqual((await client.ask('manage_modules', { action: 'list' })).modules, [])
    const [{ text }] = await server.query(database, 'select json_agg(r)::text as text from tool_router.registry r')
    t.false(text.includes(SECRET))
    const listing = await b.command('registry')
    const [, pin] = /"registry": \["(mkwiki@[0-9a-f]{32})"\]/.exec(listing.stdout)
    t.true(listing.stdout.includes(MARKED), 'all that would be started is shown')
    const allowing = { mcpServers: {}, gateway: { registry: [pin] } }
    const c = await replica(t, store, allowing, { env })
    const other = await overHttp(t, c)
    const called = await other.use('call_tool_read', { name: 'mkwiki_list_t1', arguments: {} })
    t.regex(called.content[0].text, /^called mkwiki_list_t1/)
    t.regex((await c.command('registry')).stdout, /this configuration allows it/)
    t.regex((await command('registry')).stdout, /has a server of this name, which counts/)
    t.is((await command('registry-remove', 'mkwiki')).code, 0)
    await until(t, async () => (await near(client)).every((servers) => servers.length === 0), 'it is offered no more')
    await until(
      t,
      async () => (await other.ask('manage_modules', { action: 'list' })).modules.length === 0,
      'and ended where it ran',
    )
    t.is((await command('registry-remove', 'mkwiki')).code, 1)
    t.regex((await command('registry')).stdout, /no entries/)
  },
)

claim('whoever writes into the database starts nothing, whatever is allowed', async (t) => {
  const { database, store, entries } = await registry(t)
  const place = folder(t)
  const evil = (at) => path.join(place, `started-${at}`)
  const [allowed, other] = [unique('mkallowed'), unique('mkother')]
  const good = toRegistry(allowed, entryOf(allowed), { at: 'entry', tools: [] })
  await entries.put(good)
  const write = (name, at, start) =>
    server.query(
      database,
      `insert into tool_router.registry (server, start, said) values ($1, $2, '{}') on conflict (server) do update set start = $2`,
      [
        name,
        start ??
          JSON.stringify({
            command: process.execPath,
            args: ['-e', `fs.writeFileSync(${JSON.stringify(evil(at))}, '')`],
          }),
      ],
    )
  await write(other, 0)
  await write(allowed, 1)
  const lines = []
  const pins = [`${allowed}@${digestOf(good)}`]
  const config = { mcpServers: {}, gateway: { store, registry: pins } }
  const opened = await gateway(t, config, { log: (line) => lines.push(line) })
  t.deepEqual(opened.servers, [])
  t.true(lines.some((line) => line.includes(allowed) && /not started: it starts something else/.test(line)))
  // As it was allowed, and then changed while it runs, in one letter of its text and as a whole.
  await entries.put(good)
  await until(t, () => opened.servers[0]?.state === 'ready', 'what is allowed is started')
  const { pid } = opened.servers[0]
  for (const start of [`${good.start} `, undefined]) {
    await write(allowed, 2, start)
    await server.query(database, `select pg_notify('tool_router', '- registry')`)
    await opened.registry.read()
  }
  t.deepEqual(
    opened.servers.map((each) => [each.name, each.pid]),
    [[allowed, pid]],
  )
  t.deepEqual(
    [0, 1, 2].map((at) => existsSync(evil(at))),
    [false, false, false],
  )
})

claim('rows that no gateway has written are left out, and the others are there', async (t) => {
  const { database, entries } = await registry(t)
  await entries.put(toRegistry('good', entryOf('good'), { at: 'entry', tools: ['a', 'nul\\0'] }))
  const odd = [
    ['bad name\\u0007', '{}', '{}'],
    ['quote"', '{}', '{}'],
    ['list', '{}', '[]'],
    ['null', '{}', 'null'],
    ['texts', '{}', '{"description":7}'],
    ['tags', '{}', '{"capabilities":"x"}'],
    ['long', 'x'.repeat(2 ** 17), '{}'],
  ]
  for (const row of odd)
    await server.query(database, 'insert into tool_router.registry (server, start, said) values ($1, $2, $3)', row)
  t.deepEqual(
    (await entries.list()).map(({ name }) => name),
    ['good'],
  )
  await server.query(database, 'delete from tool_router.registry')
  await server.query(
    database,
    `insert into tool_router.registry (server, start, said) select 'many' || at, '{}', '{}' from generate_series(1, 1200) as at`,
  )
  t.is((await entries.list()).length, 1_000)
})

test('an entry that no gateway would read is not written', (t) => {
  const { said } = toRegistry('one', { command: 'x' }, { at: 'entry', tools: ['n'.repeat(2 ** 20), 'short'] })
  t.deepEqual(said.tools, ['short'])
  t.throws(() => registered({ command: 'x', args: Array(5).fill('n'.repeat(30_000)) }), {
    code: 'ERR_INVALID_ARGUMENT',
    message: /^entry: expected an entry of at most 131072 bytes/,
  })
})

claim('what is shown of an entry is what it starts, whatever the text of it hides', async (t) => {
  const { database, store } = await registry(t)
  const start = `{"command":"good","args":["a"]${' '.repeat(5_000)},"command":"\u0433ood","args":["a\u200bb"]}`
  await server.query(database, `insert into tool_router.registry (server, start, said) values ('wiki', $1, '{}')`, [
    start,
  ])
  await server.query(database, `insert into tool_router.registry (server, start, said) values ('none', '{', '{}')`)
  const file = path.join(folder(t), 'mcp.json')
  writeFileSync(file, JSON.stringify({ mcpServers: {}, gateway: { store } }))
  const { stdout } = await run([CLI, 'registry', '--config', file])
  const lines = stdout.split('\n')
  t.is(
    lines[lines.findIndex((line) => line.startsWith('wiki')) + 1],
    String.raw`  {"command":"\u0433ood","args":["a\u200bb"]}`,
  )
  t.true(stdout.includes('nothing: it is not JSON'))
})

claim('however often a gateway is told of changes, it reads the entries once more', async (t) => {
  const { store, entries } = await registry(t)
  const opened = await gateway(t, { mcpServers: {}, gateway: { store } })
  let reads = 0
  const list = opened.store.registry.list.bind(opened.store.registry)
  opened.store.registry.list = () => {
    reads += 1
    return list()
  }
  const [name] = [unique('mktold')]
  const told = opened.registry.read()
  await entries.put(toRegistry(name, entryOf(name), { at: 'entry', tools: [] }))
  for (let at = 0; at < 500; at++) opened.store.registry.heard()
  await told
  await opened.registry.read()
  t.true(reads < 20, `${reads}`)
  t.is(opened.registry.about(name).reason, 'offered')
})

claim('what the edited file allows is started, and what it allows no more ends', async (t) => {
  const { store, entries } = await registry(t)
  const name = unique('mkpin')
  const entry = toRegistry(name, entryOf(name), { at: 'entry', tools: [] })
  await entries.put(entry)
  const file = path.join(folder(t), 'mcp.json')
  const write = (pins) =>
    writeFileSync(file, JSON.stringify({ mcpServers: {}, gateway: { store, registry: pins, cacheDir: false } }))
  write([])
  const opened = await createGateway({ configFile: file })
  t.teardown(() => opened.close())
  const names = async (pins) => {
    write(pins)
    t.deepEqual((await opened.reload()).nextStart, [])
    await opened.registry.read()
    return opened.servers.map((each) => each.name)
  }
  t.deepEqual(await names([`${name}@${digestOf(entry)}`]), [name])
  t.deepEqual(await names([`${name}@${'0'.repeat(32)}`]), [])
  t.is(opened.registry.about(name).reason, 'offered')
  t.deepEqual(await names([`${name}@${digestOf(entry)}`]), [name])
  t.deepEqual(await names([]), [])
})

claim('an entry without a word about itself is found by the names of its tools', async (t) => {
  const { store, entries } = await registry(t)
  const [named, other] = [unique('mknamed'), unique('mkplain')]
  await entries.put(
    toRegistry(named, { command: 'x' }, { at: 'entry', tools: ['bookVacationDays', 'cancel_vacation'] }),
  )
  await entries.put(toRegistry(other, { command: 'x' }, { at: 'entry', tools: ['paint_walls'] }))
  const opened = await gateway(t, { mcpServers: {}, gateway: { store } })
  const client = await inProcess(t, opened)
  for (const servers of await near(client, 'book vacation days'))
    t.deepEqual(
      servers.map(({ name }) => name),
      [named],
    )
})

claim('what the configuration says about a name counts, also that it is off', async (t) => {
  const { store, entries } = await registry(t)
  const [own, off] = [unique('mkown'), unique('mkoff')]
  for (const name of [own, off]) await entries.put(toRegistry(name, entryOf('other'), { at: 'entry', tools: [] }))
  const mcpServers = {
    [own]: { command: process.execPath, args: [MARKED, own] },
    [off]: { ...entryOf(off), disabled: true },
  }
  const opened = await gateway(t, { mcpServers, gateway: { store } })
  t.deepEqual(
    opened.servers.map(({ name }) => name),
    [own],
  )
  const client = await inProcess(t, opened)
  for (const servers of await near(client))
    t.deepEqual(
      servers.map(({ name }) => name),
      [own],
    )
})

claim('a server that comes into the configuration is its own, and one that leaves it is offered', async (t) => {
  const { store, entries } = await registry(t)
  const name = unique('mkmoves')
  const entry = toRegistry(name, entryOf(name), { at: 'entry', tools: [] })
  await entries.put(entry)
  const file = path.join(folder(t), 'mcp.json')
  const write = (mcpServers, allowed) =>
    writeFileSync(file, JSON.stringify({ mcpServers, gateway: { store, registry: allowed, cacheDir: false } }))
  const pins = [`${name}@${digestOf(entry)}`]
  write({}, pins)
  const opened = await createGateway({ configFile: file })
  t.teardown(() => opened.close())
  const names = () => opened.servers.map((each) => each.name)
  t.deepEqual(names(), [name])
  write({ [name]: entryOf(name, { timeout: 99 }) }, pins)
  await opened.reload()
  await entries.remove(name)
  await opened.registry.read()
  t.deepEqual([names(), opened.catalogue.entries.get(name).definition.timeoutMs], [[name], 99_000])
  await entries.put(entry)
  await opened.registry.read()
  write({}, pins)
  await opened.reload()
  await until(
    t,
    () => opened.catalogue.entries.get(name)?.definition.timeoutMs === 60_000,
    'it is that of the registry',
  )
})

claim('a profile has a server of the registry where it names it, and otherwise no trace of it', async (t) => {
  const { store, entries } = await registry(t)
  const [seen, hidden] = ['mkseen', 'mkhidden'].map((mark) =>
    toRegistry(mark, entryOf(mark), { at: 'entry', tools: [] }),
  )
  for (const each of [seen, hidden]) await entries.put(each)
  const registryOf = [seen, hidden].map((each) => `${each.name}@${digestOf(each)}`)
  const b = await replica(t, store, {
    mcpServers: {},
    profiles: { some: { servers: ['mkseen'] }, none: { servers: [] } },
    gateway: { registry: registryOf },
  })
  const modulesAt = async (place) => {
    const client = await overHttp(t, { url: b.url + place, token: b.token })
    const answer = JSON.stringify([await near(client), await near(client, 'mkhidden'), await client.listTools()])
    if (place !== '') t.false(answer.includes('mkhidden'), answer)
    const found = async () =>
      (await client.ask('manage_modules', { action: 'list' })).modules.map(({ module }) => module)
    return (await found()).toSorted()
  }
  t.deepEqual(await modulesAt(''), ['mkhidden', 'mkseen'])
  t.deepEqual(await modulesAt('/some'), ['mkseen'])
  t.deepEqual(await modulesAt('/none'), [])
})
