// Modules of large servers, as a session and its model have them; the signal of a missing capability in every provider's
// shape; advice beside the gate.
import test from 'ava'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

import { router } from '../helpers/router.mjs'
import { servers } from '../helpers/catalogue.mjs'

const THINGS = ['issue', 'pipeline', 'branch', 'label', 'runner', 'release']
const VERBS = ['list', 'get', 'create', 'update', 'delete', 'assign', 'export']
const id = JSON.stringify({ type: 'object', properties: { issue_id: { type: 'string' } }, required: ['issue_id'] })
/** 42 tools, six modules of seven. */
const FORGE = {
  name: 'forge',
  tools: THINGS.flatMap((thing) =>
    VERBS.map((verb) => ({
      name: `${verb}_${thing}${verb === 'list' ? 's' : ''}`,
      description: `${verb} what a ${thing} is`,
      ...(thing === 'issue' && verb !== 'list' && { inputSchema: id }),
    })),
  ),
}
const settings = { threshold: 1, initialK: 0, searchK: 4 }

test.beforeEach(async () => {
  router.configure({})
  await router.setServers([...servers(), FORGE], { replace: true })
})

async function started(more = {}, text = 'hello') {
  const session = router.openSession({ settings: { ...settings, ...more } })
  await session.start(text)
  return session
}

test.serial('a server of more than 30 tools is divided, and no other is', async (t) => {
  const modules = await router.listModules()
  t.deepEqual(
    modules.map(({ name, toolCount }) => [name, toolCount]),
    THINGS.toSorted().map((thing) => [`forge/${thing}`, 7]),
  )
  t.true(modules.every(({ serverName, attachedCount }) => serverName === 'forge' && attachedCount === 0))
  t.regex(modules[1].description, /^list what a issue is; .+ is; and 5 more$/)
  t.deepEqual(await router.listModules({ servers: ['codehub'] }), [])
  await t.throwsAsync(router.listModules({ servers: ['nobody'] }), {
    message: 'listModules.servers[0]: expected the name of a server that is set, got "nobody"',
  })
})

test.serial('a module is loaded by its name: its core, and the names of the rest', async (t) => {
  const session = await started()
  const result = await session.load({ query: 'forge/issue' })
  t.is(result.loaded.length, 4)
  t.is(result.loaded[0].toolName, 'list_issues') // what others need
  t.true(result.truncated)
  t.deepEqual([result.matched, result.others.length], [7, 3])
  const again = await session.load({ query: 'Forge/Issue' })
  t.deepEqual([again.loaded, again.alreadyAttached.length], [[], 4])
  t.is((await session.load({ query: result.others.join(', ') })).loaded.length, 3)
  const { modules } = await session.load({ query: 'modules: forge' })
  const issue = modules.find(({ name }) => name === 'forge/issue')
  t.is(issue.attachedCount, 7)
  session.close()
})

test.serial('a server is loaded by its core, and answers with its modules', async (t) => {
  const session = await started()
  const { loaded, modules, others } = await session.load({ query: 'forge' })
  t.is(loaded.length, 4)
  // Harmless finders, and of each of them the ones that others need first.
  t.true(
    loaded.every(({ toolName }) => /^(list|get)_/.test(toolName)),
    loaded.map((tool) => tool.toolName).join(),
  )
  t.is(loaded[0].toolName, 'list_issues')
  t.is(modules.length, 6)
  t.deepEqual(others, [])
  const said = await started({}, 'export the release')
  const named = (await said.load({ query: 'forge' })).loaded.map(({ toolName }) => toolName)
  t.true(named.includes('export_release'), named.join())
  session.close()
  said.close()
})

test.serial('mcp_load lists modules and takes them away', async (t) => {
  const session = await started()
  t.is((await session.load({ query: 'modules: forge' })).modules.length, 6)
  t.is((await session.load({ query: 'modules' })).modules.length, 6)
  await session.load({ query: 'forge/label' })
  const { unloaded, notAttached, loaded } = await session.load({ query: 'unload: forge/label, forge/branch' })
  t.deepEqual([unloaded.length, notAttached, loaded], [4, ['forge/branch'], []])
  t.deepEqual(session.selection.rewrite.causes, ['unload'])
  t.deepEqual(session.selection.attached, [])
  await session.load({ query: 'forge/label' })
  t.is((await session.unload(['forge/label'])).unloaded.length, 4)
  session.close()
})

test.serial('the definition of mcp_load speaks of modules where there are some, in few tokens', async (t) => {
  const of = async () => {
    const session = await started()
    const [definition] = JSON.parse(session.tools())
    session.close()
    return definition.function
  }
  const divided = await of()
  t.true(divided.parameters.properties.query.description.includes('modules: <server>'))
  t.true(countTokens(JSON.stringify(divided)) < 260)
  await router.removeServer('forge')
  t.false((await of()).parameters.properties.query.description.includes('module'))
})

test.serial('a module out of scope is neither listed nor loaded', async (t) => {
  const hostModes = { safe: { blockedMcpServers: ['forge'] } }
  const session = router.openSession({ hostMode: 'safe', settings: { ...settings, hostModes } })
  await session.start('hello')
  t.deepEqual((await session.load({ query: 'modules:' })).modules, [])
  // What is no name in this scope is read as words: of other servers something may fit them.
  const { loaded } = await session.load({ query: 'forge/issue' })
  t.false(loaded.some(({ serverName }) => serverName === 'forge'))
  session.close()
})

// --- evidence everywhere ---

test.serial('one evidence in every answer about one text', async (t) => {
  const text = 'assign the runner'
  const { evidence } = await router.rank(text)
  t.true(evidence > 0 && evidence <= 1)
  t.is((await router.explain(text, { serverName: 'forge', toolName: 'assign_runner' })).evidence, evidence)
  t.is((await router.rankServers(text)).evidence, evidence)
  const session = await started()
  t.is((await session.load({ query: text })).evidence, evidence)
  session.close()
  const other = await started()
  t.is((await other.reroute({ originalQuery: 'x', missingCapability: text })).evidence, evidence)
  other.close()
})

// --- advice ---

test.serial('advice agrees with what the gate does, and says with which threshold it would do otherwise', async (t) => {
  for (const threshold of [0, 20, 50, 99, 100, 101, 1000]) {
    router.configure({ threshold })
    const { pays, mode, against, breakEvenTools, toolCount, ...advice } = await router.advise()
    const session = router.openSession()
    t.is((await session.start('hello')).mode, mode)
    session.close()
    t.is(pays, against.length === 0)
    t.is(against.includes('gate'), mode === 'all')
    t.is(against.includes('tokens'), toolCount < breakEvenTools)
    t.is(advice.threshold, breakEvenTools - 1)
    if (mode === 'all') t.false(pays)
    router.configure({ threshold: advice.threshold })
    const followed = await router.advise()
    t.is(followed.pays, toolCount > advice.threshold)
    t.is(followed.mode === 'dynamic', followed.pays)
  }
  router.configure({ searchTurns: 0 })
  t.deepEqual((await router.advise()).against.includes('gate'), true)
})
