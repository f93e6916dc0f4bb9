// Two sets of settings over the sessions of a gateway: who gets which, what is counted, and what the command makes of it.
// Without PostgreSQL what needs it is skipped.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import test from 'ava'
import fc from 'fast-check'

import { armOf, comparisonOf } from '../../../packages/gateway/activity/comparison.mjs'
import { differencesOf, generator, LEAST_SESSIONS } from '../../../packages/gateway/activity/statistics.mjs'
import { settingsThat } from '../../../packages/gateway/config/settings.mjs'
import { readConfig, readConfigFile } from '../../../packages/gateway/config/read.mjs'
import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import { readStoreAddress } from '../../../packages/gateway/config/address.mjs'
import { COUNTED, KEPT_DAYS, MOST_SESSIONS } from '../../../packages/gateway/store/compared.mjs'
import { FileStore } from '../../../packages/gateway/store/files.mjs'
import { PostgresStore } from '../../../packages/gateway/store/postgres/store.mjs'
import { run } from '../../helpers/child.mjs'
import * as eras from '../../helpers/eras.mjs'
import { MARKED, CLI, folder, LONG_MS, realServers, unique, until } from '../../helpers/gateway.mjs'
import { MISSING, PASSWORD, sharedPostgres } from '../../helpers/postgres.mjs'
import { countingClient, replayed } from '../../helpers/replay.mjs'
import { replica } from '../../helpers/replica.mjs'

const server = sharedPostgres(test)
const withDatabase = MISSING === undefined ? test.serial : test.serial.skip

const marked = (mark) => ({ command: process.execPath, args: [MARKED, mark, '12'] })
const SEARCH_K = 2
const COMPARE = { settings: { searchK: SEARCH_K, maxResultTokens: 500 }, percent: 40 }

const hasBoth = (sessions) => new Set(sessions.map(({ arm }) => arm)).size === 2
const byNumber = (a, b) => a - b

/** A configuration in a file, a gateway over it, and what `compare` says. */
async function compared(t, config, { store } = {}) {
  const place = folder(t)
  const file = path.join(place, 'mcp.json')
  const cacheDir = path.join(place, 'cache')
  const settings = { cacheDir, compare: COMPARE, ...(store && { store }), ...config.gateway }
  writeFileSync(file, JSON.stringify({ ...config, gateway: settings }))
  const open = async () => {
    const gateway = await createGateway({ configFile: file })
    t.teardown(() => gateway.close())
    await gateway.ready({ timeoutMs: LONG_MS })
    return { gateway, endpoint: await gateway.listen() }
  }
  const command = (...args) => run([CLI, 'compare', '--config', file, ...args])
  const result = async (...args) => JSON.parse((await command('--json', ...args)).stdout)
  return { cacheDir, file, open, command, result }
}

/** What `compare` has to say of sessions, by what their clients have counted. */
function assertCounted(t, { a, b, perSession }, sessions) {
  for (const [arm, { sessions: count }] of Object.entries({ a, b })) {
    const own = sessions.filter((each) => each.arm === arm)
    t.is(count, own.length, arm)
    const sum = (name) => own.reduce((total, each) => total + each[name], 0)
    for (const name of ['listTokens', 'answerTokens', 'steps', 'searches', 'refusals'])
      t.is(Math.round(perSession[name][arm] * count), sum(name), `${arm} ${name}`)
    if (count === 0) continue
    const ms = perSession.seconds[arm] * 1000 * count
    t.true(ms > 0 && ms <= sum('ms'), `${arm}: ${ms} of ${sum('ms')}`)
  }
}

test('a session keeps its arm, which more sessions share when the share grows, and the share is what it says', (t) => {
  const ids = fc.array(fc.uuid(), { minLength: 1_500, maxLength: 1_500 })
  fc.assert(
    fc.property(ids, fc.integer({ min: 1, max: 98 }), (all, percent) => {
      const inB = all.filter((id) => armOf(id, percent) === 'b')
      const expected = (all.length * percent) / 100
      t.true(Math.abs(inB.length - expected) < 5 * Math.sqrt(expected * (1 - percent / 100)) + 1)
      for (const id of inB) t.deepEqual([armOf(id, percent), armOf(id, percent + 1)], ['b', 'b'])
    }),
    { seed: 20, numRuns: 30 },
  )
})

test('settings of the whole process are refused by name, and so is a comparison of two alike', (t) => {
  const read = (compare, more) => readConfig({ mcpServers: {}, gateway: { ...more, compare } }).settings
  for (const name of ['store', 'maxToolBytes', 'readOnly', 'mode', 'compare', 'serchK']) {
    const { message } = t.throws(() => read({ settings: { [name]: 1 } }), { code: 'ERR_INVALID_ARGUMENT' })
    for (const known of [...settingsThat('session'), name, 'config.gateway.compare.settings'])
      t.true(message.includes(known), `${message} ${known}`)
  }
  const refused = [
    [{ settings: { searchK: 10 } }, 'differs'],
    [{ settings: {} }, 'differs'],
    [{ settings: { searchK: 0 } }, 'config.gateway.compare.settings.searchK'],
    [{ settings: { searchK: 5 }, percent: 100 }, 'config.gateway.compare.percent'],
    [{}, 'config.gateway.compare.settings'],
  ]
  for (const [compare, words] of refused) t.true(t.throws(() => read(compare)).message.includes(words), words)
  t.true(t.throws(() => read({ settings: { searchK: 5 } }, { cacheDir: false })).message.includes('cacheDir'))
  t.deepEqual(
    read({ settings: { searchK: 5, metaTools: ['mcp_load', 'call_tool_write'] } }, { readOnly: true }).compare,
    {
      settings: { searchK: 5, metaTools: ['mcp_load'] },
      percent: 50,
    },
  )
})

test.serial(
  'sessions over real servers get the settings of their arm, and cost what their clients count; a restart keeps it',
  async (t) => {
    t.timeout(LONG_MS)
    const servers = realServers(folder(t), ['memory', 'everything'])
    const names = Object.fromEntries(Object.keys(servers).map((name) => [name, unique(name)]))
    const mcpServers = Object.fromEntries(Object.entries(servers).map(([name, entry]) => [names[name], entry]))
    const { cacheDir, open, result } = await compared(t, { mcpServers })
    const long = 'a sentence that is long enough to be held back by one arm alone. '.repeat(60)
    const script = {
      need: 'remember a fact about a person as an entity of the graph',
      right: [`mcp--${names.everything}--echo`, { message: long }],
      wrong: [
        ['no_such_tool', {}],
        ['call_tool', { name: `mcp--${names.everything}--echo`, arguments: { message: 5 } }],
        ['describe_tool', { tools: 7 }],
        ['call_tool_read', { name: `mcp--${names.memory}--delete_entities`, arguments: {} }],
      ],
    }
    const sessions = []
    const play = async (count) => {
      const { gateway, endpoint } = await open()
      for (let at = 0; at < count || !hasBoth(sessions); at++)
        sessions.push(await replayed(t, () => endpoint, script, SEARCH_K))
      const modern = await eras.overHttp(t, endpoint)
      await modern.listTools()
      await modern.callTool({ name: 'search_mcps', arguments: { query: script.need } })
      // Whatever is still being counted when the gateway closes is counted.
      const { countTokens } = gateway.router
      gateway.router.countTokens = async (text) => {
        await new Promise((resolve) => setTimeout(resolve, 100))
        return countTokens.call(gateway.router, text)
      }
      sessions.push(await replayed(t, () => endpoint, script, SEARCH_K))
      await gateway.close()
      gateway.router.countTokens = countTokens
    }
    await play(14)
    t.deepEqual([...new Set(sessions.map(({ attached }) => attached))].toSorted(byNumber), [SEARCH_K, 10])
    t.true(new Set(sessions.map(({ answerTokens }) => answerTokens)).size > 1)
    assertCounted(t, await result(), sessions)
    await play(4)
    assertCounted(t, await result(), sessions)
    // Of all that was said and asked for, numbers are kept alone.
    const files = readdirSync(path.join(cacheDir, 'compared'), { recursive: true }).filter((name) =>
      name.endsWith('.json'),
    )
    t.is(files.length, sessions.length)
    for (const name of files) {
      const { version, arm, ...counts } = JSON.parse(readFileSync(path.join(cacheDir, 'compared', name), 'utf8'))
      t.deepEqual([version, Object.keys(counts)], [1, COUNTED])
      t.true(['a', 'b'].includes(arm) && Object.values(counts).every(Number.isFinite))
    }
  },
)

/** A short session of any gateway: a list and a search. */
async function short(t, endpoint) {
  const { call, names, seen } = await countingClient(t, () => endpoint)
  await names()
  await call('search_mcps', { query: 'list the invoices' })
  return seen
}

test.serial('a profile counts and reads its own sessions alone, and values that were edited begin again', async (t) => {
  t.timeout(LONG_MS)
  const [a, b] = [unique('mkone'), unique('mktwo')]
  const { file, open, result, command } = await compared(t, {
    mcpServers: { [a]: marked(a), [b]: marked(b) },
    profiles: { work: { servers: [a] } },
  })
  const { gateway, endpoint } = await open()
  for (const place of ['', '/work', '/work']) await short(t, { url: endpoint.url + place, token: endpoint.token })
  await gateway.close()
  const count = async (...args) => {
    const found = await result(...args)
    return found.a.sessions + found.b.sessions
  }
  t.deepEqual([await count(), await count('--profile', 'work')], [1, 2])
  const config = JSON.parse(readFileSync(file, 'utf8'))
  config.gateway.compare.settings.searchK = 3
  writeFileSync(file, JSON.stringify(config))
  t.deepEqual([await count(), await count('--profile', 'work')], [0, 0])
  t.regex((await command()).stdout, /No session has been counted yet/)
  delete config.gateway.compare
  writeFileSync(file, JSON.stringify(config))
  const { code, stderr } = await command()
  t.deepEqual([code, /config\.gateway\.compare: expected other settings/.test(stderr)], [1, true])
})

withDatabase('a session that two gateways serve by turns keeps its arm, and is counted once and whole', async (t) => {
  t.timeout(LONG_MS)
  const mark = unique('mkturns')
  const store = server.addressOf(await server.database())
  const config = { mcpServers: { [mark]: marked(mark) }, gateway: { compare: COMPARE } }
  const replicas = await Promise.all([replica(t, store, config), replica(t, store, config)])
  let turn = 0
  const script = {
    need: 'list the invoices',
    right: [`mcp--${mark}--${mark}_list_t1`, {}],
    wrong: [['no_such_tool', {}]],
  }
  const sessions = []
  for (let at = 0; at < 6 || !hasBoth(sessions); at++)
    sessions.push(await replayed(t, () => replicas[turn++ % 2], script, SEARCH_K))
  t.deepEqual([...new Set(sessions.map(({ attached }) => attached))].toSorted(byNumber), [SEARCH_K, 10])
  const result = async () => JSON.parse((await replicas[0].command('compare', '--json')).stdout)
  await replicas[1].kill('SIGTERM')
  const steps = async () => {
    const { a, b, perSession } = await result()
    return Math.round(perSession.steps.a * a.sessions + perSession.steps.b * b.sessions)
  }
  await replicas[0].kill('SIGTERM')
  t.is(await steps(), sessions.length * 4)
  assertCounted(t, await result(), sessions)
})

const row = (session, arm, more) => ({
  comparison: 'c',
  session,
  arm,
  ...Object.fromEntries(COUNTED.map((name) => [name, 1])),
  ...more,
})

withDatabase('the database holds a profile to its own sessions, and keeps those of the last 90 days', async (t) => {
  const database = await server.database()
  const user = `owner_of_${database}`
  await server.query('postgres', `create user ${user} password '${PASSWORD}'`)
  await server.query('postgres', `alter database ${database} owner to ${user}`)
  const { default: pg } = await import('pg')
  const open = (profile) => {
    const servers = profile === undefined ? undefined : () => []
    const store = new PostgresStore(pg, readStoreAddress(server.addressOf(database, user), 'store'), {
      servers,
      profile,
    })
    t.teardown(() => store.close())
    return store.compared
  }
  for (const profile of [undefined, 'one', 'two']) {
    const stored = open(profile)
    for (let at = 0; at < 3; at++) stored.record(row(`of ${profile}`, 'a', { steps: at }))
    await stored.flush()
    t.deepEqual(
      (await stored.read('c')).map(({ arm, steps, ms }) => [arm, steps, ms]),
      [['a', 3, 3]],
    )
  }
  const asked = new pg.Client(server.addressOf(database, user))
  await asked.connect()
  t.teardown(() => asked.end())
  await asked.query(
    `select set_config('tool_router.rights', '[]', false), set_config('tool_router.profile', 'one', false)`,
  )
  t.deepEqual((await asked.query('select session from tool_router.compared')).rows, [{ session: 'of one' }])
  await server.query(
    database,
    `update tool_router.compared set used_at = now() - interval '${KEPT_DAYS + 1} days' where profile = 'two'`,
  )
  const later = open()
  later.record(row('now', 'b'))
  await later.flush()
  await until(
    t,
    async () => (await server.query(database, 'select 1 from tool_router.compared')).length === 3,
    'the old one is gone',
  )
})

test('files that nobody of us wrote are no sessions, and old and superfluous ones go', async (t) => {
  const place = folder(t)
  const open = () => new FileStore({ cacheDir: place, approvalDir: place }).compared
  const first = open()
  first.record(row('mine', 'a'))
  await first.flush()
  const [name] = readdirSync(path.join(place, 'compared'))
  const at = (file) => path.join(place, 'compared', name, file)
  const good = { version: 1, arm: 'a', ...Object.fromEntries(COUNTED.map((each) => [each, 2])) }
  const bad = ['', '[]', 'null', JSON.stringify({ ...good, version: 2 }), JSON.stringify({ ...good, arm: 'c' })]
  const worse = [
    JSON.stringify({ ...good, steps: 'many' }),
    JSON.stringify({ ...good, ms: -1 }),
    JSON.stringify(good).padEnd(5_000),
  ]
  for (const [number, text] of [...bad, ...worse].entries()) writeFileSync(at(`bad${number}.json`), text)
  symlinkSync(at('mine.json'), at('link.json'))
  mkdirSync(at('folder.json'))
  t.is((await open().read('c')).length, 1)
  writeFileSync(at('old.json'), JSON.stringify(good))
  const long = new Date(Date.now() - (KEPT_DAYS + 1) * 86_400_000)
  utimesSync(at('old.json'), long, long)
  const before = new Date(Date.now() - 60_000)
  for (let number = 0; number < MOST_SESSIONS; number++) {
    writeFileSync(at(`many${number}.json`), JSON.stringify(good))
    utimesSync(at(`many${number}.json`), before, before)
  }
  const last = open()
  last.record(row('mine', 'a'))
  await last.flush()
  const left = readdirSync(path.join(place, 'compared', name)).filter((file) => /^(many|mine|old|bad)/.test(file))
  t.deepEqual([left.length, left.includes('mine.json'), left.includes('old.json')], [MOST_SESSIONS, true, false])
})

/** Sessions whose costs are skewed as those of real ones are. */
function skewed(random, count, factor) {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return Array.from({ length: count }, () => ({ cost: factor * Math.exp(normal()) }))
}

test('an interval of the fewest sessions holds the true difference in 92 of 100 comparisons, and none is given for fewer', (t) => {
  const random = generator(11)
  const truth = 0.5 * Math.exp(0.5) // the mean of a lognormal cost is exp(1/2)
  const isHeld = () => {
    const { cost } = differencesOf(skewed(random, LEAST_SESSIONS, 1), skewed(random, LEAST_SESSIONS, 1.5), ['cost'])
    return cost.interval[0] <= truth && truth <= cost.interval[1]
  }
  const held = Array.from({ length: 300 }, isHeld).filter(Boolean).length / 300
  t.true(held > 0.9 && held < 0.97, `${held}`)
  const [few, enough] = [LEAST_SESSIONS - 1, LEAST_SESSIONS].map((count) => skewed(random, count, 1))
  t.is(differencesOf(few, enough, ['cost']).cost.interval, null)
  t.not(differencesOf(enough, enough, ['cost']).cost.interval, null)
})

test('compare says which costs differ, which do not, and plainly when there are too few sessions', async (t) => {
  const { cacheDir, file, command } = await compared(t, { mcpServers: {} })
  const { id } = comparisonOf(readConfigFile(file).settings)
  const { compared: stored } = new FileStore({ cacheDir, approvalDir: cacheDir })
  const random = generator(3)
  const add = async (count) => {
    for (const [arm, factor] of Object.entries({ a: 1, b: 0.4 }))
      for (const [at, { cost }] of skewed(random, count, 1_000).entries())
        stored.record({
          ...row(`${arm}${count}${at}`, arm, { listTokens: factor * cost, answerTokens: 0, steps: 5 + (at % 3) }),
          comparison: id,
        })
    await stored.flush()
  }
  await add(10)
  const few = (await command()).stdout
  t.regex(few, /Too few sessions to tell: each arm needs 30, and they have 10 and 10/)
  t.notRegex(few, /more$|less$/m)
  await add(60)
  const { stdout } = await command()
  t.notRegex(stdout, /Too few/)
  t.regex(
    stdout,
    /^a: searchK 10, maxResultTokens 4000 \(as configured\)\nb: searchK 2, maxResultTokens 500 \(40 % of the sessions\)$/m,
  )
  t.regex(stdout, /^tokens read .* less$/m)
  t.regex(stdout, /^steps .*\d$/m)
  t.is((await command()).stdout, stdout)
})
