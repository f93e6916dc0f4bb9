// What a replay says is what the transcripts hold: counts against a naive script, places, causes, bills; and no word of them.
import fs from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { breaksOf, costOf, providerOf } from '../../../packages/gateway/history/bill.mjs'
import { linesOf } from '../../../packages/gateway/history/lines.mjs'
import { History, sourcesOf } from '../../../packages/gateway/history/read.mjs'
import { openLists, recordOf, tallyOf } from '../../../packages/gateway/history/record.mjs'
import { servers } from '../../helpers/catalogue.mjs'
import { run } from '../../helpers/child.mjs'
import { putConversation, putLists } from '../../helpers/histories.mjs'
import { fresh, router } from '../../helpers/router.mjs'
import { tempDir } from '../../helpers/temp.mjs'
import { claudeCode, put } from '../../helpers/transcripts.mjs'

const CLI = path.join(import.meta.dirname, '../../..', 'packages', 'gateway', 'cli.mjs')
const say = () => {}

function historyOf(home) {
  return new History(sourcesOf(['claude-code'], { home, platform: 'linux', env: {} }))
}

/** The record of a home, over the invented servers. */
async function recorded(home, { most = 50, settings = {} } = {}) {
  const history = historyOf(home)
  const tally = await tallyOf(history, most)
  await fresh([])
  router.configure(settings)
  const listed = servers()
  const { tools, scoped } = await openLists(router, listed, { lexical: true, say })
  const lists = { servers: listed, missing: [], from: 'tools.jsonl' }
  return recordOf({ history, tally, lists, tools, scoped, router, say })
}

const ISSUES = 'mcp__codehub__list_issues'
const FILE = 'mcp__filesystem__read_file'
/** A dozen sessions of two turns; every third says a word of thanks. */
function putSessions(home, number = 12, how = {}) {
  for (let at = 0; at < number; at++)
    putConversation(home, {
      id: `s${String(at).padStart(2, '0')}`,
      day: at,
      ...how,
      turns: [
        { text: 'list the open issues of the repository', steps: [{ calls: [ISSUES] }, { calls: ['Bash'] }, {}] },
        { text: 'read the file with the configuration', steps: [{ calls: [FILE, FILE] }, {}] },
        ...(at % 3 === 0 ? [{ text: 'thanks', steps: [{}] }] : []),
        { text: 'rename the variable', steps: [{ calls: ['Edit'] }, {}] },
      ],
    })
}

/** What anybody would count with a few lines. */
function naive(home) {
  const folder = path.join(home, '.claude', 'projects', '-shop')
  const text = fs
    .readdirSync(folder)
    .map((name) => fs.readFileSync(path.join(folder, name), 'utf8'))
    .join('\n')
  const counts = {}
  for (const [, name] of text.matchAll(/"name":"mcp__(\w+?)"/g))
    counts[name.replace('__', '/')] = (counts[name.replace('__', '/')] ?? 0) + 1
  const sum = (field) =>
    [...text.matchAll(new RegExp(`"${field}":(\\d+)`, 'g'))].reduce((total, [, value]) => total + Number(value), 0)
  return {
    counts,
    requests: [...text.matchAll(/"type":"assistant"/g)].length,
    read: sum('cache_read_input_tokens'),
    written: sum('cache_creation_input_tokens'),
  }
}

test.serial('calls, requests and tokens are those that a naive script counts', async (t) => {
  const home = tempDir(t)
  putSessions(home)
  const record = await recorded(home)
  const { counts, requests, read, written } = naive(home)
  t.deepEqual(Object.fromEntries(record.calls.map(({ name, count }) => [name, count])), counts)
  t.deepEqual([record.sessions, record.requests], [12, requests])
  t.deepEqual([record.bill.read, record.bill.written], [read, written])
  t.is(record.unused.count, 58 - Object.keys(counts).length)
  t.is(
    record.unused.tokens,
    record.unused.tools.reduce((sum, { tokens }) => sum + tokens, 0),
  )
  t.deepEqual(record.callsElsewhere, [])
})

test.serial('messages are told apart by what followed, and each needed tool stands somewhere', async (t) => {
  const home = tempDir(t)
  putSessions(home)
  const { parts, talk, code, shown, played } = await recorded(home)
  t.deepEqual(
    Object.values(parts).map(({ messages }) => messages),
    [24, 12, 4],
  )
  t.deepEqual([talk.messages, code.messages, played], [4, 12, 12])
  t.is(shown.needed, 24)
  t.is(shown.attached + shown.listed + shown.missed, 24)
  t.true(talk.router < talk.all)
})

test.serial(
  'a tool that would not have been there is told with its place in the ranking, its file and its line',
  async (t) => {
    const home = tempDir(t)
    const steps = [{ calls: ['mcp__gone__tool'] }, { calls: [FILE] }, { calls: [ISSUES, FILE] }]
    const file = putConversation(home, { id: 'a', turns: [{ text: 'list the open issues of the repository', steps }] })
    const record = await recorded(home, { settings: { initialK: 0, directoryTokens: 0, searchTurns: 1 } })
    t.deepEqual(record.callsElsewhere, [{ name: 'gone/tool', count: 1 }])
    t.like(record.shown, { needed: 2, attached: 0, listed: 0, missed: 2, unknown: 1 })
    const [first, second] = record.shown.misses
    t.like(first, { tool: 'filesystem::read_file', file, place: 3 })
    // The message says it: a search would have found it at once.
    t.like(second, { tool: 'codehub::list_issues', file, place: 4, rank: 1 })
  },
)

const BREAKS = {
  pause: [{ minutes: 9 }],
  model: [{ model: 'claude-opus-5', lost: 15_000 }],
  compacted: [{ condensed: true }],
  unknown: [{ lost: 15_000 }],
}
for (const [cause, steps] of Object.entries(BREAKS))
  test(`a cache that was broken is told with its cause: ${cause}`, async (t) => {
    const home = tempDir(t)
    putConversation(home, { id: 'a', turns: [{ text: 'go', steps: [{}, ...steps, { model: steps[0].model }] }] })
    const sessions = []
    for await (const session of historyOf(home).sessions()) sessions.push(session)
    const breaks = [...breaksOf(sessions[0]).values()]
    t.deepEqual(
      breaks.map((each) => each.cause),
      [cause],
    )
    t.true(breaks[0].tokens > 0 && breaks[0].place === (cause === 'compacted' ? 4 : 3))
  })

test('a conversation that grows, or that nobody cached, broke nothing', async (t) => {
  const home = tempDir(t)
  putConversation(home, { id: 'a', turns: [{ text: 'go', steps: [{}, {}, {}, {}] }] })
  for await (const session of historyOf(home).sessions()) {
    t.is(breaksOf(session).size, 0)
    for (const each of session.told) Object.assign(each, { read: 0, written: 0 })
    t.is(breaksOf(session).size, 0)
  }
})

test('a request costs what its provider charges for what is cached', (t) => {
  const asked = { prompt: 1_000, read: 600, written: 300, writtenLong: 100 }
  t.is(costOf(asked, 'anthropic'), 100 + 60 + 250 + 200)
  t.is(costOf(asked, 'openai-responses'), 100 + 60 + 200 + 200)
  t.is(costOf({ ...asked, prompt: undefined }, 'anthropic'), undefined)
  const session = (model) => ({ program: 'opencode', told: [{ kind: 'asked', model }] })
  t.deepEqual(
    ['claude-opus-5', 'gemini-3', 'stand-in'].map((model) => providerOf(session(model))),
    ['anthropic', 'gemini', 'openai-chat'],
  )
})

test.serial(
  'the bill of all tools is the one that the transcripts tell, where their program sent all tools',
  async (t) => {
    const home = tempDir(t)
    putSessions(home, 12, { first: 30_000 })
    const record = await recorded(home)
    const { bills } = record
    const [{ ways, measured, sessions }] = bills
    const all = ways.find(({ title }) => title === 'all tools, always')
    t.is(sessions, 12)
    t.true(Math.abs(all.cost / measured - 1) < 0.03, `${all.cost} ${measured}`)
    t.is(all.share, 1)
    t.is(ways[0].title, 'through the gateway')
    const first = (share, config) =>
      linesOf({ ...record, bills: [{ ...bills[0], ways: [{ ...ways[0], share }] }] }, home, { config })
    t.regex(first(0.4, 'my.json')[2], / connect-client claude-code --replace --write --config my\.json$/)
    t.regex(first(0.4)[2], / import --out mcp\.json$/)
    t.regex(first(1.1)[1], /All 58 tools cost no more than that/)
    const costs = ways.slice(1).map(({ cost }) => cost)
    t.deepEqual(
      costs,
      costs.toSorted((a, b) => a - b),
    )
  },
)

test.serial('the newest sessions are played, and the others are counted', async (t) => {
  const home = tempDir(t)
  putSessions(home)
  const { sessions, played } = await recorded(home, { most: 5 })
  t.deepEqual([sessions, played], [12, 5])
})

const SECRETS = ['sk-live-4eC39HqLyjWDarjtT1zdp7dc', 'hunter2hunter2', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a']

test.serial('no word of a transcript is in the report or the JSON', async (t) => {
  const home = tempDir(t)
  for (const [at, secret] of SECRETS.entries()) {
    const text = claudeCode({ secret }).replaceAll('"Bash"', JSON.stringify(`mcp__bank__${secret}`))
    put(path.join(home, `.claude/projects/-x/${at}.jsonl`), `${text}${secret}\n{"type":"${secret}"}\n`)
  }
  const record = await recorded(home)
  const whole = [JSON.stringify(record), linesOf(record, home).join('\n')].join('\n')
  for (const secret of [SECRETS[0], SECRETS[2], 'list the open issues', 'thanks, now'])
    t.false(whole.includes(secret), secret)
  // A word of letters may be the name of a tool; as one it stands among the calls, and nowhere else.
  t.false(JSON.stringify({ ...record, callsElsewhere: [] }).includes(SECRETS[1]))
})

test('the command reads, and says what to add', async (t) => {
  const home = tempDir(t)
  putSessions(home, 3)
  const env = { HOME: home, XDG_CONFIG_HOME: path.join(home, '.config'), CLAUDE_CONFIG_DIR: path.join(home, '.claude') }
  const replay = (...args) => run([CLI, 'replay', ...args], { env, cwd: home, limit: 120_000 })
  const without = await replay()
  t.is(without.code, 0, without.stderr)
  t.regex(
    without.stdout,
    /3 sessions.*\n.*Claude Code[\s\S]*codehub\/list_issues +3[\s\S]*Add --config <file>, --tools <file>, or --ask/,
  )
  const whole = await replay('--tools', putLists(home), '--lexical')
  t.is(whole.code, 0, whole.stderr)
  t.regex(whole.stdout, /58 tools of 10 servers[\s\S]*Never called: 56 of 58[\s\S]*then the cheapest/)
  t.regex(whole.stdout, /^Through the gateway: \S+ base tokens a session, .*\n/)
  put(path.join(home, '.codex/sessions/rollout-s.jsonl'), '{"type":{"toString":1}}\n')
  const nothing = await replay('--from', 'codex')
  t.deepEqual([nothing.code, nothing.stdout.includes('No transcript')], [1, true])
  t.regex(nothing.stdout, /Not read:\n .*rollout-s\.jsonl: 1 piece: not as this program writes it/)
  const wrong = await replay('--sessions', 'all')
  t.deepEqual([wrong.code, /--sessions: expected a whole number, got "all"/.test(wrong.stderr)], [1, true])
})
