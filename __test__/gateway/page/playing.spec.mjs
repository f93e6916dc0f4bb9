// What another value of a setting would change, on recorded sessions: the page plays them, and a real client of a gateway that
// has the value reads the same.
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { readConfig } from '../../../packages/gateway/config/read.mjs'
import { createGateway } from '../../../packages/gateway/gateway/index.mjs'
import { playBoth } from '../../../packages/gateway/page/play.mjs'
import { Recorder } from '../../../packages/gateway/activity/recorder.mjs'
import * as eras from '../../helpers/eras.mjs'
import { MARKED, folder, LONG_MS, realServers, unique } from '../../helpers/gateway.mjs'
import { countingClient } from '../../helpers/replay.mjs'

const marked = (mark) => ({ command: process.execPath, args: [MARKED, mark, '12'] })
const NEED = 'list the invoices'

async function opened(t, mcpServers, settings, more = {}) {
  const gateway = await createGateway({ config: { mcpServers, gateway: { cacheDir: false, ...settings }, ...more } })
  t.teardown(() => gateway.close())
  await gateway.ready({ timeoutMs: LONG_MS })
  return { gateway, endpoint: await gateway.listen({ page: true }) }
}

/** The page's questions of a browser that has come in by a token. */
async function visitor({ url }, token) {
  const { origin } = new URL(url)
  const headers = { 'Content-Type': 'application/json' }
  const entered = await fetch(`${origin}/ui/enter`, { method: 'POST', headers, body: JSON.stringify({ token }) })
  const { key } = await entered.json()
  const known = { ...headers, cookie: entered.headers.get('set-cookie').split(';')[0], 'x-page-key': key }
  const at = (what, of) => `${origin}/ui/${of === undefined ? '' : `of/${of}/`}data/${what}`
  return {
    read: async (what, of) => (await fetch(at(what, of), { headers: known })).json(),
    play: (body, { headers: others = known, method = 'POST' } = {}) =>
      fetch(at('play'), { method, headers: others, ...(method === 'POST' && { body: JSON.stringify(body) }) }),
  }
}

const filesIn = (place) =>
  readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name))

/** Searches, each with the list after it, and calls of what a person's day needs. What it has read is counted on the wire. */
async function session(t, endpoint, { needs, calls }) {
  const { call, names, seen } = await countingClient(t, () => endpoint)
  const first = await names()
  for (const [ask, args] of needs) {
    await call(ask, args)
    await names()
  }
  const listed = await names()
  const read = { ...seen }
  for (const [name, args] of calls) await call('call_tool', { name, arguments: args })
  return { attached: listed.length - first.length, found: calls.filter(([name]) => listed.includes(name)).length, read }
}

test.serial('what a play says a value would cost is what a client of a gateway with that value reads', async (t) => {
  t.timeout(LONG_MS)
  const servers = realServers(folder(t), ['memory', 'everything'])
  const names = Object.fromEntries(Object.keys(servers).map((name) => [name, unique(name)]))
  const mcpServers = Object.fromEntries(Object.entries(servers).map(([name, entry]) => [names[name], entry]))
  const recordDir = path.join(folder(t), 'recorded')
  const script = {
    needs: [
      ['mcp_load', { query: 'remember a fact about a person as an entity of the graph' }],
      ['search_mcps', { query: 'add two numbers' }],
    ],
    calls: [
      [
        `mcp--${names.memory}--create_entities`,
        { entities: [{ name: 'Ada', entityType: 'x', observations: ['secret-7'] }] },
      ],
      [`mcp--${names.memory}--search_nodes`, { query: 'secret-7' }],
      [`mcp--${names.everything}--echo`, { message: 'secret-7' }],
    ],
  }
  const first = await opened(t, mcpServers, { recordDir })
  const now = await session(t, first.endpoint, script)
  await first.gateway.router.forget()
  const page = await visitor(first.endpoint, first.endpoint.token)
  const before = first.gateway.activity.calls.length
  const answer = await page.play({ setting: 'searchK', value: 2 })
  const played = await answer.json()
  t.deepEqual(
    [answer.status, played.sessions, played.played, played.value, played.other],
    [200, 1, 1, 10, 2],
    JSON.stringify(played),
  )
  t.deepEqual(await (await page.play({ setting: 'searchK', value: 2 })).json(), played)
  const all = await (await page.play({ setting: 'mode', value: 'static' })).json()
  // Playing is no session, no call, and is not recorded.
  t.deepEqual([(await page.read('recorded')).sessions, first.gateway.activity.calls.length], [1, before])
  const texts = filesIn(recordDir).map((file) => readFileSync(file, 'utf8'))
  t.deepEqual(
    [texts.length, texts.some((text) => text.includes('secret-7')), texts[0].includes('add two numbers')],
    [1, false, true],
  )
  t.true(filesIn(recordDir).every((file) => process.platform === 'win32' || (statSync(file).mode & 0o077) === 0))
  await first.gateway.close()

  const cost = ({ attached, found, read: { listTokens, answerTokens } }, lists) => ({
    listTokens: lists(listTokens),
    answerTokens,
    attached,
    called: script.calls.length,
    found,
  })
  const second = await opened(t, mcpServers, { searchK: 2 })
  await second.gateway.router.forget()
  const then = await session(t, second.endpoint, script)
  await second.gateway.close()
  // The client has read the last list twice more, after a search that changed nothing.
  const lists = (both, last) => both - 2 * last
  const lastOf = async ({ mode = 'dynamic', ...settings }) => {
    const { gateway, endpoint } = await opened(t, mcpServers, { ...settings, mode })
    await gateway.router.forget()
    const { call, names: list, seen } = await countingClient(t, () => endpoint)
    if (mode === 'dynamic') await call(...script.needs[0])
    await list()
    await gateway.close()
    return seen.listTokens
  }
  const [lastNow, lastThen] = [await lastOf({}), await lastOf({ searchK: 2 })]
  t.deepEqual(
    played.before,
    cost(now, (both) => lists(both, lastNow)),
  )
  t.deepEqual(
    played.after,
    cost(then, (both) => lists(both, lastThen)),
  )
  t.true(played.after.found < played.before.found && played.after.listTokens < played.before.listTokens)
  t.is(all.after.listTokens, await lastOf({ mode: 'static' }))
  t.deepEqual([all.after.found, all.after.answerTokens], [script.calls.length, 0])
})

test.serial(
  'a play is a POST of who has come in, of one setting that can be played, and says what is wrong',
  async (t) => {
    const mark = unique('mkplay')
    const recordDir = path.join(folder(t), 'recorded')
    const { gateway, endpoint } = await opened(t, { [mark]: marked(mark) }, { recordDir })
    const page = await visitor(endpoint, endpoint.token)
    const fair = { setting: 'searchK', value: 3 }
    for (const { name, least, most, choices } of (await page.read('recorded')).settings) {
      const read = (value) => readConfig({ mcpServers: {}, gateway: { [name]: value } }).settings[name]
      for (const value of choices ?? [least, most]) t.is(read(value), value)
      if (!choices)
        for (const value of [least - 1, most + 1]) t.throws(() => read(value), { code: 'ERR_INVALID_ARGUMENT' })
    }
    t.is((await page.play(fair, { method: 'GET' })).status, 405)
    t.is((await page.play(fair, { headers: { 'Content-Type': 'application/json' } })).status, 401)
    const refused = async (body, words) => {
      const answer = await page.play(body)
      const { error } = await answer.json()
      t.true(answer.status === 400 && error.includes(words), `${answer.status} ${error}`)
    }
    await refused({ setting: 'readOnly', value: true }, 'maxListBytes')
    await refused({ setting: '__proto__', value: 1 }, 'setting')
    for (const value of [0, 101, 1.5, '3', null]) await refused({ setting: 'searchK', value }, 'config.gateway.searchK')
    await refused({ setting: 'mode', value: 'fixed' }, 'config.gateway.mode')
    t.deepEqual(await (await page.play(fair)).json(), {
      ...{ setting: 'searchK', value: 10, other: 3, sessions: 0, played: 0 },
      ...Object.fromEntries(
        ['before', 'after'].map((when) => [when, { listTokens: 0, answerTokens: 0, attached: 0, called: 0, found: 0 }]),
      ),
    })
    for (let at = 0; at < 3; at++) await session(t, endpoint, { needs: [['mcp_load', { query: NEED }]], calls: [] })
    const both = await Promise.all([page.play(fair), page.play(fair)])
    t.deepEqual(both.map(({ status }) => status).toSorted(), [200, 409])
    t.is((await (await page.play(fair)).json()).played, 3)
    const calls = Array.from({ length: 12 }, (_, at) => [`mcp--${mark}--${mark}_list_t${at}`, {}])
    const needs = [['manage_modules', { action: 'load', module: mark }]]
    const { found } = await session(t, endpoint, { needs, calls })
    t.true(found > 0 && found < 12)
    const { before } = await (await page.play(fair)).json()
    t.deepEqual([before.called, before.found], [12, found])
    const { sessionCount } = gateway
    const none = await playBoth(gateway, await gateway.recorder.latest(50), { searchK: 2 }, -1)
    t.deepEqual([none.played, none.after.listTokens, gateway.sessionCount], [0, 0, sessionCount])
  },
)

test.serial('nothing is recorded without a folder, and of clients that are not known to be one', async (t) => {
  const mark = unique('mknone')
  const off = await opened(t, { [mark]: marked(mark) }, {})
  const page = await visitor(off.endpoint, off.endpoint.token)
  const { isOn, sessions } = await page.read('recorded')
  t.deepEqual([isOn, sessions, (await page.play({ setting: 'searchK', value: 3 })).status], [false, 0, 409])
  await off.gateway.close()
  const recordDir = path.join(folder(t), 'recorded')
  const on = await opened(t, { [mark]: marked(mark) }, { recordDir })
  const modern = await eras.overHttp(t, on.endpoint)
  await modern.callTool({ name: 'mcp_load', arguments: { query: NEED } })
  await on.gateway.close()
  t.false(existsSync(recordDir))
})

test.serial('the page of a profile plays the sessions of that profile alone', async (t) => {
  t.timeout(LONG_MS)
  const [a, b] = [unique('mkone'), unique('mktwo')]
  const token = 'w'.repeat(40)
  const recordDir = path.join(folder(t), 'recorded')
  const profiles = { work: { servers: [a], token } }
  const { endpoint } = await opened(t, { [a]: marked(a), [b]: marked(b) }, { recordDir }, { profiles })
  const needs = [['mcp_load', { query: NEED }]]
  await session(t, endpoint, { needs, calls: [] })
  for (let at = 0; at < 2; at++) await session(t, { url: endpoint.url, token }, { needs, calls: [] })
  const [whole, own] = [await visitor(endpoint, endpoint.token), await visitor(endpoint, token)]
  t.deepEqual((await whole.read('recorded')).sessions, 1)
  t.deepEqual((await whole.read('recorded', 'work')).sessions, 2)
  t.deepEqual((await own.read('recorded')).sessions, 2)
  t.is((await (await own.play({ setting: 'searchK', value: 1 })).json()).after.attached, 2)
})

test('records are bounded: steps, needs, sessions, days; what nobody of us wrote is none', async (t) => {
  const place = folder(t)
  const recorder = new Recorder(place)
  const [busy, wordy] = [{}, {}]
  for (let at = 0; at < 300; at++) recorder.called(busy, { server: 'a', tool: `t${at}` })
  recorder.asked(wordy, 'mcp_load', { query: 'x'.repeat(5_000) })
  recorder.asked(wordy, 'describe_tool', { tools: ['a'] })
  recorder.asked(wordy, 'mcp_load', { query: 'short' })
  const steps = (await recorder.latest(10)).toSorted((one, other) => one.length - other.length)
  t.deepEqual([steps[0], steps[1].length], [[{ ask: 'mcp_load', args: { query: 'short' } }], 200])
  const [own] = readdirSync(place)
  const at = (name) => path.join(place, own, name)
  const good = { version: 1, steps: [{ server: 'a', tool: 'b' }] }
  const bad = [
    '',
    'null',
    '[]',
    { ...good, version: 2 },
    { ...good, steps: [{ ask: 'run_program' }] },
    { ...good, steps: [{ ask: 'call_tool', args: {}, server: 'a', tool: 'b' }] },
    { ...good, steps: [null] },
  ]
  const named = (number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}.json`
  for (const [number, each] of bad.entries())
    writeFileSync(at(named(1_000 + number)), typeof each === 'string' ? each : JSON.stringify(each))
  writeFileSync(at(named(2_000)), JSON.stringify(good).padEnd(2_000_000))
  symlinkSync(at(named(1_000)), at(named(3_000)))
  writeFileSync(at('mine.json'), JSON.stringify(good))
  t.is((await recorder.latest(50)).length, 2)
  const days = (count) => new Date(Date.now() - count * 86_400_000)
  for (let number = 0; number < 210; number++) {
    writeFileSync(at(named(number)), JSON.stringify(good))
    utimesSync(at(named(number)), days(1), days(number < 5 ? 31 : 1))
  }
  utimesSync(at('mine.json'), days(99), days(99))
  recorder.called({}, { server: 'a', tool: 'b' })
  t.is(await recorder.count(), 200)
  const left = readdirSync(path.join(place, own))
  t.deepEqual(
    [named(0), named(3_000), 'mine.json'].map((name) => left.includes(name)),
    [false, true, true],
  )
})

test('of a folder that is a link nothing is read and nothing deleted', async (t) => {
  const place = folder(t)
  const [docs, recorded] = ['docs', 'recorded'].map((name) => path.join(place, name))
  const recorder = new Recorder(recorded)
  recorder.called({}, { server: 'a', tool: 'b' })
  await recorder.flush()
  const [own] = readdirSync(recorded)
  const [file] = readdirSync(path.join(recorded, own))
  utimesSync(path.join(recorded, own, file), 1, 1)
  renameSync(path.join(recorded, own), docs)
  symlinkSync(docs, path.join(recorded, own))
  t.is(await recorder.count(), 0)
  recorder.called({}, { server: 'a', tool: 'b' })
  await recorder.flush()
  t.true(existsSync(path.join(docs, file)))
})

test.serial('all tools are rendered once for a play, and a comparison has no part in it', async (t) => {
  const mark = unique('mkboth')
  const compare = { settings: { metaTools: ['mcp_load', 'search_mcps'] }, percent: 50 }
  const place = folder(t)
  const { gateway } = await opened(t, { [mark]: marked(mark) }, { cacheDir: place, compare })
  const sessions = Array.from({ length: 12 }, () => [{ server: mark, tool: `${mark}_list_t1` }])
  let listed = 0
  const allTools = gateway.allTools.bind(gateway)
  gateway.allTools = () => {
    listed += 1
    return allTools()
  }
  const one = await playBoth(gateway, sessions.slice(0, 1), { mode: 'static' }, LONG_MS)
  const many = await playBoth(gateway, sessions, { mode: 'static' }, LONG_MS)
  t.is(listed, 2)
  for (const when of ['before', 'after']) t.is(many[when].listTokens, 12 * one[when].listTokens, when)
  t.deepEqual([many.played, many.after.found], [12, 12])
})
