// A task on real servers over the official SDK: cost, scope, rankers, gate and window. The claims of the first design.
import { readdirSync } from 'node:fs'

import test from 'ava'

import { readDefinitions, RunningServers } from '../../examples/demo/servers.mjs'
import { runScript } from '../helpers/child.mjs'
import { fresh, names, router, Session, shown, ToolRouter } from '../helpers/router.mjs'
import { tempDir } from '../helpers/temp.mjs'

const running = new RunningServers()
/** A modest set-up, and one of seven servers. */
const MODEST = ['filesystem', 'everything']
const SEVEN = ['filesystem', 'memory', 'everything', 'github', 'gitlab', 'notion', 'chrome-devtools']
const WINDOW = 200_000
const TASK = 'open an issue in the repository about the broken login page'
/** As `tools/list` answered, by name. */
const listed = new Map()

const setUp = (serverNames, settings = {}, more = {}) =>
  fresh(
    serverNames.map((name) => ({ name, tools: listed.get(name), ...more[name] })),
    { ranker: 'lexical', ...settings },
  )
const countOf = (serverNames) => serverNames.reduce((sum, name) => sum + listed.get(name).length, 0)
const serverOf = (name) => router.resolveTool(name).serverName
const asScoped = (serverNames) =>
  serverNames.flatMap((serverName) =>
    listed.get(serverName).map(({ name, description }) => ({ serverName, toolName: name, description })),
  )

/** A started session, closed with the test. */
async function start(t, settings = {}, { task = TASK, ...options } = {}) {
  const session = router.openSession({ ...options, settings })
  t.teardown(() => session.close())
  return { session, selection: await session.start(task) }
}

test.before(async (t) => {
  t.timeout(180_000)
  await running.startAll(readDefinitions(SEVEN), ({ name, tools, reason }) => {
    t.is(reason, undefined)
    listed.set(name, tools)
  })
  t.is(listed.size, SEVEN.length)
})

test.after.always(async () => {
  await fresh()
  await running.close()
})

// --- the problem, and what is saved ---

test.serial('a modest set-up of 27 tools: attaching eight of them saves nearly half', async (t) => {
  await setUp(MODEST)
  t.is(countOf(MODEST), 27)
  const { selection } = await start(t, { threshold: 20, initialK: 8 }, { task: 'rename a file' })
  t.deepEqual([selection.mode, selection.scopedCount, selection.attached.length], ['dynamic', 27, 8])
  const { scoped, attached, mcpLoad, directory, saved } = selection.tokens
  t.is(saved, scoped - attached - mcpLoad - directory)
  t.true(saved > 0.45 * scoped, `${saved} of ${scoped} tokens`)
})

test.serial(
  'seven servers take a third of a 200k window statically, and with the defaults at most a twentieth',
  async (t) => {
    await setUp(SEVEN)
    const { selection } = await start(t)
    const { scoped, attached, mcpLoad, directory } = selection.tokens
    t.true(scoped >= 0.3 * WINDOW, `${scoped} tokens statically`)
    t.true(attached + mcpLoad + directory <= 0.05 * WINDOW, `${attached + mcpLoad + directory} tokens`)
  },
)

test.serial(
  'static loading is over a limit of 128 tools, and a task never is, native tools and mcp_load counted',
  async (t) => {
    await setUp(SEVEN)
    t.true(countOf(SEVEN) > 128)
    const { session } = await start(t, {
      maxTools: 128,
      nativeToolCount: 20,
      initialK: 1000,
      searchK: 1000,
      tokenBudget: 200_000,
    })
    t.is(shown(session).length, 128 - 20)
    await session.turn('merge requests, pages and screenshots')
    const { loaded, unavailable } = await session.load({ query: 'mcp--memory--read_graph, mcp--notion--zzz' })
    t.deepEqual(
      loaded.map(({ toolName }) => toolName),
      ['read_graph'],
      'what is named takes the place of what only a ranking brought',
    )
    t.true(unavailable.length > 0)
    t.is(shown(session).length, 128 - 20)

    const dynamicOff = await start(t, { searchTurns: 0, maxTools: 128, nativeToolCount: 20 })
    t.true(shown(dynamicOff.session).length <= 128 - 20, 'nor with the kill switch')
    t.is(dynamicOff.selection.rule, 'over-limit')
    const dynamic = JSON.parse(dynamicOff.session.tools()).map((tool) => tool.function.name)
    t.true(dynamic.includes('mcp_load'), 'the rest can be reached')
  },
)

// --- scope ---

test.serial('onlyAllow leaves exactly its tools of a server, without those of disabledTools', async (t) => {
  await setUp(MODEST, {}, { filesystem: { onlyAllow: ['read_text_file', 'move_file'], disabledTools: ['move_file'] } })
  const { selection } = await start(t, {}, { task: 'delete relations' })
  t.deepEqual(
    selection.attached.filter((name) => serverOf(name) === 'filesystem'),
    ['mcp--filesystem--read_text_file'],
  )
  t.is(selection.scopedCount, 1 + countOf(['everything']))
})

test.serial('an empty onlyAllow allows everything but disabledTools', async (t) => {
  await setUp(MODEST, {}, { filesystem: { onlyAllow: [], disabledTools: ['move_file'] } })
  const { selection } = await start(t)
  t.is(selection.scopedCount, 26)
  t.false(selection.attached.includes('mcp--filesystem--move_file'))
})

test.serial(
  'blockedMcpServers keeps servers from a mode, allowedMcpServers wins over it, and other modes are free',
  async (t) => {
    const modes = {
      blocked: { blockedMcpServers: ['github', 'gitlab'] },
      both: { allowedMcpServers: ['github'], blockedMcpServers: ['github'] },
      none: { allowedMcpServers: [] },
    }
    await setUp(SEVEN, { hostModes: modes })
    const scoped = async (hostMode) =>
      (await start(t, {}, hostMode ? { hostMode } : {})).selection.tokens.servers.map(({ serverName }) => serverName)
    t.deepEqual(await scoped('blocked'), SEVEN.filter((name) => !name.startsWith('git')).sort())
    t.deepEqual(await scoped('both'), ['github'])
    t.deepEqual(await scoped('none'), [])
    t.deepEqual(await scoped(), SEVEN.toSorted())
  },
)

test.serial('an overridden description is what the model sees and what is found', async (t) => {
  const override = { toolDescriptionOverrides: { echo: 'Announces the platypus census' } }
  await setUp(MODEST)
  t.is((await router.rank('platypus census')).supportedCount, 0)
  await setUp(MODEST, {}, { everything: override })
  const ranking = await router.rank('platypus census', { topK: 1 })
  t.deepEqual([ranking.supportedCount, names(ranking)], [1, ['mcp--everything--echo']])
  const { session } = await start(t)
  const { description } = JSON.parse(session.tools()).find(
    (definition) => definition.function.name === 'mcp--everything--echo',
  ).function
  t.is(description, override.toolDescriptionOverrides.echo)
})

test.serial('the context panel has the tokens and the share of each section, and MCP tools by server', async (t) => {
  await setUp(MODEST)
  const sections = { system: 'You are a careful assistant.', conversation: 'Rename the drafts, please. '.repeat(50) }
  const usage = await router.contextUsage(sections, { contextWindow: WINDOW })
  t.deepEqual(
    usage.sections.map(({ name }) => name),
    Object.keys(sections),
  )
  t.deepEqual(
    usage.servers.map(({ name }) => name),
    MODEST.toSorted(),
  )
  for (const { name, tokens, share } of usage.sections)
    t.deepEqual([tokens, share], [await router.countTokens(sections[name]), tokens / WINDOW])
  t.is(
    usage.total,
    [...usage.sections, ...usage.servers].reduce((sum, { tokens }) => sum + tokens, 0),
  )
  const unbound = await router.contextUsage({ ...sections, empty: '' })
  t.is(unbound.window, unbound.total)
  for (const { tokens, share } of unbound.sections) t.is(share, tokens / unbound.total)
  const { session, selection } = await start(t, { threshold: 5, initialK: 3 })
  const ofTask = await router.contextUsage({}, { sessionId: session.id })
  t.is(ofTask.total, selection.tokens.attached, 'of a task it counts what is attached')
})

// --- rankers ---

test.serial(
  'with an embedding provider of the host ranking uses cosines, and falls back by itself when it fails',
  async (t) => {
    await setUp(MODEST, { ranker: 'hybrid' })
    let works = true
    // Vectors that know one thing: what is about renaming is alike.
    const embedder = (texts) => {
      if (!works) throw new Error('the service is away')
      return texts.map((text) => (/relabel|move.?file|rename/i.test(text) ? [1, 0, 0] : [0, 1, 0.1]))
    }
    await router.setEmbedder(embedder)
    await router.ready()
    t.teardown(() => router.setEmbedder(null))
    const semantic = await router.rank('relabel', { topK: 1, deadlineMs: 60_000 })
    t.deepEqual(
      [semantic.ranker, semantic.degraded, names(semantic)[0]],
      ['hybrid', undefined, 'mcp--filesystem--move_file'],
    )
    t.true(semantic.tools[0].similarity > 0.5 && semantic.tools[0].lexicalScore === 0, 'found by its vector alone')

    works = false
    const fallback = await router.rank('create a directory', { topK: 10, deadlineMs: 60_000 })
    t.deepEqual([fallback.ranker, fallback.degraded.code], ['lexical', 'embedding-failed'])
    t.deepEqual(names(fallback), names(await router.rank('create a directory', { topK: 10, ranker: 'lexical' })))
    works = true
  },
)

// --- the router ---

test.serial(
  'the router is one in a process: every handle sees what another set, and no second one can be made',
  async (t) => {
    await setUp(['memory'])
    const other = ToolRouter.shared()
    t.deepEqual([other.status.toolCount, other.settings.ranker], [9, 'lexical'])
    await other.removeServer('memory')
    t.is(router.status.toolCount, 0)
    t.throws(() => new ToolRouter())
    t.throws(() => new Session())
  },
)

test.serial('attachInitial gives the first k of the tools in scope, and search only what fits', async (t) => {
  await fresh()
  const scoped = asScoped(SEVEN)
  const attached = await router.attachInitial(TASK, scoped, 30)
  t.is(attached.length, 30)
  t.is(new Set(attached).size, 30)
  t.true(
    attached.slice(0, 3).some((name) => /issue/.test(name)),
    attached.slice(0, 3).join(),
  )
  t.is((await router.attachInitial('zxqv wvkj', scoped, 5)).length, 5)
  t.deepEqual(await router.search('zxqv wvkj', scoped, 5), [])
  t.deepEqual(await router.search(TASK, scoped, 5), attached.slice(0, 5))
  t.deepEqual(await router.search(TASK, scoped, 0), [])
})

// --- gate, mcp_load, window ---

test.serial('at the threshold all tools are attached without mcp_load, one over it the loader begins', async (t) => {
  await setUp(MODEST)
  const at = await start(t, { threshold: 27 })
  t.deepEqual([at.selection.mode, at.selection.mcpLoad, at.selection.attached.length], ['all', null, 27])
  t.false(shown(at.session).includes('mcp_load'))
  const over = await start(t, { threshold: 26, initialK: 5 }, { task: 'read a text file and list its directory' })
  t.deepEqual([over.selection.mode, over.selection.attached.length], ['dynamic', 5])
  t.deepEqual(shown(over.session), ['mcp_load', ...over.selection.attached])
})

test.serial('the gate counts tools in scope alone', async (t) => {
  await setUp(SEVEN, { hostModes: { m: { allowedMcpServers: ['memory'] } } })
  t.is((await start(t)).selection.mode, 'dynamic')
  t.is((await start(t, {}, { hostMode: 'm' })).selection.mode, 'all')
})

test.serial('the window has seven turns by default: each only appends, and afterwards the set is frozen', async (t) => {
  await setUp(SEVEN)
  t.is(router.settings.searchTurns, 7)
  const { session, selection } = await start(t, { initialK: 3 }, { task: 'create an issue' })
  const messages = [
    'take a screenshot of the page',
    'move a file',
    'create entities in the knowledge graph',
    'add two numbers',
    'open a merge request',
    'query a notion database',
  ]
  let before = { attached: selection.attached, text: session.tools() }
  for (const [at, message] of messages.entries()) {
    const { attached, added, turn, frozen } = await session.turn(message)
    t.is(turn, at + 2)
    t.true(added.length > 0, message)
    t.deepEqual(attached, [...before.attached, ...added])
    t.true(session.tools().startsWith(before.text.slice(0, -1)), 'the prompt cache stays warm')
    t.is(frozen, turn === 7)
    before = { attached, text: session.tools() }
  }
  const eighth = await session.turn('list the network requests of the browser')
  t.deepEqual([eighth.turn, eighth.added, eighth.frozen], [8, [], true])
  t.is(session.tools(), before.text)
})

test.serial('after the window mcp_load still gets the model what a bad first ranking missed', async (t) => {
  await setUp(SEVEN)
  const { session, selection } = await start(t, { initialK: 3, searchTurns: 1 }, { task: 'add two numbers' })
  t.false(selection.attached.includes('mcp--chrome-devtools--take_screenshot'))
  t.deepEqual((await session.turn('take a screenshot')).added, [])
  const { loaded } = await session.load('{"query":"take a screenshot of the page"}')
  t.true(
    loaded.some(({ name }) => name === 'mcp--chrome-devtools--take_screenshot'),
    loaded.map(({ name }) => name).join(),
  )
  t.deepEqual(shown(session), ['mcp_load', ...selection.attached, ...loaded.map(({ name }) => name)])
})

test.serial('searchTurns 0 is static loading: every definition as its server sent it, and no mcp_load', async (t) => {
  await setUp(SEVEN)
  const { session, selection } = await start(t, { searchTurns: 0 })
  t.deepEqual([selection.mode, selection.mcpLoad, selection.tokens.saved], ['all', null, 0])
  const definitions = JSON.parse(session.tools()).map((definition) => definition.function)
  t.is(definitions.length, countOf(SEVEN))
  for (const { name, parameters } of definitions) {
    const { serverName, toolName } = router.resolveTool(name)
    const { inputSchema } = listed.get(serverName).find((tool) => tool.name === toolName)
    t.is(JSON.stringify(parameters), JSON.stringify(inputSchema))
  }
})

// --- polish ---

test('without a cache folder vectors live in memory alone: kept while the process runs, asked for again by the next', async (t) => {
  const home = tempDir(t)
  const env = { HOME: home, USERPROFILE: home, XDG_CACHE_HOME: home, LOCALAPPDATA: home }
  for (const process of ['one', 'the next']) {
    const { code, said } = await runScript(
      `
      let asked = 0
      await router.setEmbedder((texts) => { asked += texts.length; return texts.map(() => [1, 0]) }, { modelId: 'm' })
      await router.setServer(thousand('s', 10))
      await router.ready()
      const first = asked
      await router.setServer(thousand('s', 10))
      await router.ready()
      say({ first, again: asked - first })
      `,
      { env },
    )
    t.is(code, 0)
    t.true(said[0].first >= 10, process)
    t.is(said[0].again, 0)
  }
  t.deepEqual(readdirSync(home), [])
})
