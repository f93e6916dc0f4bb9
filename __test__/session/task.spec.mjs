// A whole task: the host moves while it runs, and the session follows. One catalogue of 64 tools of ten servers.
import test from 'ava'

import { bulk, servers } from '../helpers/catalogue.mjs'
import { refused, router, shown, started as begun } from '../helpers/router.mjs'

const TASK = 'List the open issues of the repository and comment on the newest one'
const ASK = { blockedMcpServers: ['codehub'] }

async function fresh(list = servers(), settings = {}) {
  router.configure(settings)
  await router.setServers(list, { replace: true })
}

const started = (settings) => begun(TASK, settings)
const ofServer = (names, server) => names.filter((name) => name.startsWith(`mcp--${server}--`))

test.serial(
  'a host mode switched inside a task withdraws tools immediately, says so, and brings them back',
  async (t) => {
    await fresh(servers(), { threshold: 5, hostModes: { ask: ASK } })
    const { session, selection } = await started({ initialK: 10 })
    const codehub = ofServer(selection.attached, 'codehub')
    t.true(codehub.length > 0)
    const withdrawn = await session.sync({ hostMode: 'ask' })
    t.deepEqual(ofServer(shown(session), 'codehub'), [])
    t.deepEqual(withdrawn.rewrite.causes, ['scope'])
    t.deepEqual(withdrawn.rewrite.withdrawn.toSorted(), codehub.toSorted())
    const turn = await session.turn('list the open issues of the repository')
    t.deepEqual(ofServer(turn.added, 'codehub'), [])
    const load = await session.load({ query: 'create_issue' })
    t.is(load.unavailable[0].reason, 'out-of-scope')
    const back = await session.sync({ hostMode: null })
    t.deepEqual(back.rewrite.returned.toSorted(), codehub.toSorted())
    await refused(t, 'ERR_INVALID_ARGUMENT', () => session.sync({ hostMode: 'nowhere' }))
  },
)

test.serial('long definitions follow the scope and another handle immediately', async (t) => {
  const wide = (name) => ({
    name,
    tools: Array.from({ length: 60 }, (_, at) => ({ name: `tool_${at}`, description: `${name} ${at} `.repeat(600) })),
  })
  await fresh([wide('one'), wide('two')], { threshold: 200, hostModes: { ask: { blockedMcpServers: ['one'] } } })
  const { session } = await started()
  t.true(Buffer.byteLength(session.tools()) > 300_000)
  await session.sync({ hostMode: 'ask' })
  t.deepEqual([ofServer(shown(session), 'one').length, shown(session).length], [0, 60])
  await session.sync({ hostMode: null })
  t.is(shown(session).length, 120)
  const other = router.session(session.id)
  await other.unload(['mcp--two--tool_3'])
  t.false(shown(session).includes('mcp--two--tool_3'))
  await other.load({ query: 'mcp--two--tool_3' })
  t.is(shown(session).at(-1), 'mcp--two--tool_3')
})

test.serial('limits that are lowered within a task hold, and its state comes back', async (t) => {
  await fresh(servers(), { threshold: 5 })
  const { session } = await started({ initialK: 30 })
  const first = shown(session)
  router.configure({ threshold: 5, maxTools: 12 })
  await session.sync()
  t.deepEqual(shown(session), first.slice(0, 12))
  const restored = await router.restoreSession(JSON.stringify(session))
  t.deepEqual(shown(restored), first.slice(0, 12))
})

test.serial('a task that begins while servers connect becomes dynamic, chosen for by what it said', async (t) => {
  await fresh([servers()[9]])
  const { session, selection } = await started()
  t.deepEqual([selection.mode, selection.rule, selection.mcpLoad], ['all', 'threshold', null])
  const before = session.tools()
  await router.setServers(servers())
  const next = await session.turn('ok')
  t.deepEqual([next.mode, next.rule], ['dynamic', 'over-threshold'])
  t.true(next.attached.includes('mcp--codehub--list_issues'))
  t.true(next.attached.length <= selection.attached.length + 30)
  // What was shown stays where it is: `mcp_load` comes behind it, and before what is new.
  t.true(session.tools().startsWith(before.slice(0, -1)))
  t.is(shown(session).indexOf('mcp_load'), selection.attached.length)
  t.is(next.rewrite, undefined)
})

test.serial('before the first turn all tools in scope are there, as without a router', async (t) => {
  await fresh(servers(), { hostModes: { ask: ASK } })
  const session = router.openSession({ hostMode: 'ask', settings: { maxTools: 20, nativeToolCount: 5 } })
  t.is(shown(session).length, 15)
  t.deepEqual(ofServer(shown(session), 'codehub'), [])
})

test.serial('what is unloaded stays away until the model loads it', async (t) => {
  await fresh(servers(), { threshold: 5 })
  const { session, selection } = await started({ initialK: 8 })
  const [first] = selection.attached
  t.deepEqual(await session.unload([first, 'no_such_tool']), { unloaded: [first], notAttached: ['no_such_tool'] })
  t.false(shown(session).includes(first))
  t.deepEqual(session.selection.rewrite.causes, ['unload'])
  t.false((await session.turn(TASK)).attached.includes(first))
  const again = await router.restoreSession(JSON.stringify(session))
  t.false((await again.turn(TASK)).attached.includes(first))
  t.deepEqual(
    (await again.load({ query: first })).loaded.map(({ name }) => name),
    [first],
  )
  t.is(shown(again).at(-1), first)
})

test.serial('a compaction chooses again from what the task said and used', async (t) => {
  await fresh(servers(), { threshold: 5 })
  const { session } = await started({ initialK: 4 })
  const { loaded } = await session.load({ query: 'marine' })
  await session.load({ query: 'deploy_service' })
  await session.recordUse(loaded[0].name)
  const compacted = await session.compact('The issues are listed.')
  t.true(compacted.attached.includes(loaded[0].name))
  t.false(compacted.attached.includes('mcp--cloudops--deploy_service'))
  t.true(compacted.rewrite.causes.includes('compaction'))
  t.is(shown(session)[0], 'mcp_load')
  const { attached } = await session.compact('We talked about it once more. '.repeat(2_000))
  t.true(attached.includes('mcp--codehub--list_issues'), 'a long summary leaves room for what the task said')
})

test.serial("a fork has a window of its own and the parent's tools first among equals", async (t) => {
  await fresh(servers(), { threshold: 5 })
  const { session } = await started({ initialK: 6 })
  const fork = session.fork({ sessionId: 'subtask' })
  const selection = await fork.start('comment on an issue')
  t.deepEqual([fork.id, selection.turn, session.selection.turn], ['subtask', 1, 1])
  t.true(selection.attached.some((name) => session.selection.attached.includes(name)))
  await refused(t, 'ERR_INVALID_ARGUMENT', () => session.fork({ sessionId: 'subtask' }))
})

test.serial(
  'definitions of a first selection cost at most a tenth of the window, and the receipt names the rest',
  async (t) => {
    const costly = bulk('costly', 60)
    for (const tool of costly.tools)
      tool.description = `${tool.description} ${'a long story of what it does '.repeat(60)}`
    await fresh([...servers(), costly])
    const { session, selection } = await started({ contextWindow: 50_000, threshold: 5, initialK: 40 })
    t.true(selection.tokens.attached <= 5_000)
    t.is(selection.tokens.budget, 5_000)
    const names = costly.tools.map(({ name }) => name)
    const { unavailable } = await session.load({ query: names.join(' ') })
    t.true(unavailable.length > 0 && unavailable.every(({ reason }) => reason === 'over-budget'))
    t.true(session.selection.tokens.attached <= 10_000)
    const few = await started({ contextWindow: 1_000 })
    t.is((await few.session.turn('ok')).mode, 'dynamic')
    const all = await started({ contextWindow: 1_000, threshold: 1_000 })
    t.deepEqual([all.selection.mode, all.selection.tokens.budget], ['all', 100])
  },
)

test.serial('a task whose mode is gone comes back without tools, and says which mode', async (t) => {
  await fresh(servers(), { threshold: 5 })
  const { session } = await started({ initialK: 8 })
  const state = JSON.parse(JSON.stringify(session))
  const lost = await router.restoreSession(JSON.stringify({ ...state, hostMode: 'gone' }))
  t.deepEqual([lost.selection.unknownHostMode, lost.selection.scopedCount, shown(lost)], ['gone', 0, ['mcp_load']])
})

test.serial('a state of version 1 still loads', async (t) => {
  await fresh(servers(), { threshold: 5 })
  const { session } = await started({ initialK: 3 })
  const {
    version: _,
    rule,
    selected,
    mcpLoadLast,
    ownSettings,
    preferred,
    used,
    ...rest
  } = JSON.parse(JSON.stringify(session))
  const { ranker, hostModes, ...settings } = rest.settings
  const old = { ...rest, version: 1, settings }
  const [attached, tools] = [session.selection.attached, session.tools()]
  const again = await router.restoreSession(JSON.stringify(old))
  t.deepEqual(again.selection.attached, attached)
  t.is(again.tools(), tools)
})

test.serial('a listing has what the model is told and what the server sent', async (t) => {
  const list = servers()
  list[0].toolDescriptionOverrides = { create_issue: 'Files a bug' }
  list[0].disabledTools = ['list_issues']
  await fresh(list)
  const find = (tools, name) => tools.find(({ toolName }) => toolName === name)
  const tools = await router.listTools()
  const { description, originalDescription } = find(tools, 'create_issue')
  t.is(description, 'Files a bug')
  t.is(originalDescription, servers()[0].tools.find(({ name }) => name === 'create_issue').description)
  t.is(find(tools, 'list_issues'), undefined)
  t.regex(find(await router.listTools({ withOff: true }), 'list_issues').off, /disabledTools/)
  t.deepEqual(
    new Set((await router.listTools({ servers: ['codehub'] })).map(({ serverName }) => serverName)),
    new Set(['codehub']),
  )
})

test.serial('texts are ranked by what they say, and names are told apart', async (t) => {
  const texts = [
    { name: 'debug', text: 'Find out why something fails' },
    { name: 'deploy', text: 'Bring a new version into production' },
  ]
  const ranking = await router.rankTexts('bring the new version into production', texts)
  t.deepEqual(
    ranking.texts.map(({ name, rank }) => [name, rank]),
    [
      ['deploy', 1],
      ['debug', 2],
    ],
  )
  t.deepEqual(
    ranking.texts.map(({ supported }) => supported),
    [true, false],
  )
  await refused(t, 'ERR_INVALID_ARGUMENT', () => router.rankTexts('x', [...texts, texts[0]]))
})

test.serial('a waiting thread that cannot be started rejects its promise', async (t) => {
  const { createRequire } = await import('node:module')
  const { addonFile, hostPlatform } = await import('../../scripts/platforms.mjs')
  const addon = createRequire(import.meta.url)(`../../${addonFile(hostPlatform())}`)
  const error = await t.throwsAsync(addon.__waitWithoutThread())
  t.is(error.code, 'ERR_INTERNAL')
  t.regex(error.message, /a thread to wait on did not start/)
  t.true(error.cause instanceof Error)
})
