// The registry of a shared database: its servers are found, and none is started but what the configuration allows by its
// digest.
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import test from 'ava'
import fc from 'fast-check'
import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import { digestOf, toRegistry } from '../../../packages/gateway/config/registry-entry.mjs'
import { run } from '../../helpers/child.mjs'
import { MARKED, CLI, folder, gateway, inProcess, overHttp, unique, until } from '../../helpers/gateway.mjs'
import { HAS_VECTORS, MISSING } from '../../helpers/postgres.mjs'
import { where } from '../../helpers/skips.mjs'
import { replica } from '../../helpers/replica.mjs'
import { addressOfUser, entryOf, registry, near, server } from '../../helpers/registry.mjs'

async function namesOf(entries) {
  const names = []
  for await (const { name } of entries.all()) names.push(name)
  return names
}
const isOffered = async (gateway, name) => (await gateway.registry.near(name, 3)).some((each) => each.name === name)
const claim = MISSING === undefined ? test.serial : test.serial.skip

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
  t.deepEqual(await namesOf(entries), ['good'])
  const found = await entries.near('good list null texts tags long bad name a', { most: 9, without: [] })
  t.deepEqual(
    found.map(({ name }) => name),
    ['good'],
  )
  await server.query(database, 'delete from tool_router.registry')
  await server.query(
    database,
    `insert into tool_router.registry (server, start, said) select 'many' || at, '{}', '{}' from generate_series(1, 1200) as at`,
  )
  t.is((await namesOf(entries)).length, 1_200)
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
  const named = opened.store.registry.named.bind(opened.store.registry)
  opened.store.registry.named = (names) => {
    reads += 1
    return named(names)
  }
  const [name] = [unique('mktold')]
  const told = opened.registry.read()
  await entries.put(toRegistry(name, entryOf(name), { at: 'entry', tools: [] }))
  for (let at = 0; at < 500; at++) opened.store.registry.heard()
  await told
  await opened.registry.read()
  t.true(reads < 20, `${reads}`)
  t.true(await isOffered(opened, name))
})

claim('what the edited file allows is started, and what it allows no more ends', async (t) => {
  const { store, entries } = await registry(t)
  const name = unique('mkpin')
  const entry = toRegistry(name, entryOf(name), { at: 'entry', tools: [] })
  await entries.put(entry)
  const file = path.join(folder(t), 'mcp.json')
  const write = (pins) => writeFileSync(file, JSON.stringify({ mcpServers: {}, gateway: { store, registry: pins } }))
  write([])
  const opened = await createGateway({ configFile: file }, { listDir: undefined })
  t.teardown(() => opened.close())
  const names = async (pins) => {
    write(pins)
    t.deepEqual((await opened.reload()).nextStart, [])
    await opened.registry.read()
    return opened.servers.map((each) => each.name)
  }
  t.deepEqual(await names([`${name}@${digestOf(entry)}`]), [name])
  t.deepEqual(await names([`${name}@${'0'.repeat(32)}`]), [])
  t.true(await isOffered(opened, name))
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

claim('a need of any text is looked for, and finds no server by what is no word', async (t) => {
  const { entries } = await registry(t)
  await entries.put(toRegistry('wiki', entryOf('wiki'), { at: 'entry', tools: [] }))
  const near = (need) => entries.near(need, { most: 3, without: [] })
  const part = fc.oneof(
    fc.constantFrom(
      '\\',
      "'",
      '"',
      '&',
      '|',
      '!',
      '(',
      '):*',
      '<->',
      '%',
      '$1',
      '\0',
      '\ud800',
      'C:\\dir\\f.txt',
      "it's",
    ),
    fc.constantFrom(
      'https://h.example/a\\b?c=d',
      'a@b.example',
      '-1.5e3',
      '/usr/l\\x',
      'x'.repeat(5_000),
      'é🙂',
      'the',
    ),
    fc.string({ unit: 'binary', maxLength: 20 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 8 }), async (parts) => {
      t.true(Array.isArray(await near(parts.join(' '))))
      t.is((await near(`${parts.slice(0, 2).join(' ').slice(0, 900)} holiday`))[0]?.name, 'wiki')
    }),
    { numRuns: 300 },
  )
  t.deepEqual(await near('the & of ! ( a'), [])
})

claim('a database that hangs holds up no answer, and one that is away none at all', async (t) => {
  const { store, entries } = await registry(t)
  const name = unique('mkhangs')
  await entries.put(toRegistry(name, entryOf(name), { at: 'entry', tools: [] }))
  const opened = await gateway(t, { mcpServers: {}, gateway: { store } })
  const client = await inProcess(t, opened)
  const { near: asked } = opened.store.registry
  opened.store.registry.near = () => new Promise(() => {})
  for (const servers of await near(client)) t.deepEqual(servers, [])
  opened.store.registry.near = async () => Promise.reject(new Error('away'))
  for (const servers of await near(client)) t.deepEqual(servers, [])
  opened.store.registry.near = asked
  for (const servers of await near(client)) t.is(servers[0].name, name)
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
    writeFileSync(file, JSON.stringify({ mcpServers, gateway: { store, registry: allowed } }))
  const pins = [`${name}@${digestOf(entry)}`]
  write({}, pins)
  const opened = await createGateway({ configFile: file }, { listDir: undefined })
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

const byMeaning = where(MISSING === undefined && HAS_VECTORS, 'wants PostgreSQL with pgvector').serial
byMeaning('an entry is found by other words, also one that changes', async (t) => {
  const { database, entries } = await registry(t)
  await server.query(database, 'create extension vector')
  const store = await addressOfUser(database)
  const opened = await gateway(t, { mcpServers: {}, gateway: { store } })
  await opened.router.setEmbedder((texts) => texts.map(topicsOf), { modelId: 'topics' })
  t.teardown(() => opened.router.setEmbedder(null))
  const put = (name, description) =>
    entries.put(toRegistry(name, { command: 'x', description }, { at: 'entry', tools: [] }))
  await put('paint', 'Paints walls')
  await put('days', 'Vacation of employees')
  await put('rows', 'Tables of numbers')
  const first = async (need) => (await opened.registry.near(need, 3))[0]?.name
  await until(t, async () => (await first('holiday'))?.startsWith('days'), 'it has its vector')
  t.deepEqual([await first('colour'), await first('spreadsheet')], ['paint', 'rows'])
  await put('days', 'Paints walls')
  await put('paint', 'Vacation of employees')
  await until(t, async () => (await first('holiday')) === 'paint', 'it has a vector of what it says now')
  await entries.remove('paint')
  t.not(await first('holiday'), 'paint')
})

/** Texts of one topic have one vector. */
function topicsOf(text) {
  const topics = [/holiday|vacation/i, /colour|paints/i, /spreadsheet|tables/i]
  return Array.from({ length: 384 }, (_, at) => (topics[at]?.test(text) ? 1 : 0.01))
}
