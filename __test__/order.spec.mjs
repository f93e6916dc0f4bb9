// SPDX-License-Identifier: Apache-2.0
//
// One list decides the order of tools: a session's first selection, `rank` and both explanations agree.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import test from 'ava'
import { readDefinitions, RunningServers } from '../examples/demo/servers.mjs'

const { ToolRouter } = createRequire(import.meta.url)('../index.js')
const router = ToolRouter.shared()
const TASKS = readFileSync(new URL('../research/labelled/tasks.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line))
const running = new RunningServers()

test.before(async (t) => {
  t.timeout(300_000)
  let failed = 0
  await running.startAll(readDefinitions(), async ({ name, tools, instructions, reason }) => {
    if (reason === undefined) await router.setServer({ name, tools, instructions })
    else failed += 1
  })
  t.is(failed, 0)
})
test.after.always(() => running.close())

/** Whether a text has the name of a server as a word: its best tools come along then. */
function namesServer(text) {
  const words = new Set(text.toLowerCase().split(/[^\p{L}\p{N}]+/u))
  return readDefinitions().some(({ name }) => name.split('-').every((part) => words.has(part)))
}

test.serial('a first selection stands in the order of rank, with its evidence, over all labelled tasks', async (t) => {
  t.timeout(300_000)
  let [alone, inCompany] = [0, 0]
  for (const { id, text } of TASKS) {
    const session = router.openSession({ settings: { threshold: 0, initialK: 10, ranker: 'lexical' } })
    const { attached, companions, evidence } = await session.start(text)
    const ranking = await router.rank(text, { topK: 1000, ranker: 'lexical' })
    const order = ranking.tools.map(({ name }) => name)
    session.close()
    if (attached.length === 0) continue
    t.is(evidence, ranking.evidence, id)
    if (companions.length > 0 || namesServer(text)) {
      inCompany += 1
      continue
    }
    alone += 1
    t.deepEqual(attached, order.slice(0, attached.length), id)
  }
  t.log(`${alone} tasks without company, ${inCompany} with`)
  t.true(alone > 20)
})

test.serial('what comes by rank keeps the order of rank behind those that brought company', async (t) => {
  t.timeout(300_000)
  let checked = 0
  for (const { id, text } of TASKS.filter((task) => !namesServer(task.text)).slice(0, 80)) {
    const session = router.openSession({ settings: { threshold: 0, initialK: 10, ranker: 'lexical' } })
    const { attached, companions } = await session.start(text)
    const came = new Set(companions.map(({ name }) => name))
    const { tools } = await router.rank(text, { topK: 1000, ranker: 'lexical' })
    const byRank = attached.filter((name) => !came.has(name))
    const places = byRank.map((name) => tools.findIndex((tool) => tool.name === name))
    t.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
      id,
    )
    checked += byRank.length
    session.close()
  }
  t.true(checked > 300)
})

test.serial('an explanation names every adjustment, and their sum with both arms is the score', async (t) => {
  for (const { text } of TASKS.slice(0, 40)) {
    const { tools } = await router.rank(text, { topK: 12, ranker: 'lexical' })
    for (const { name } of tools) {
      const { tool, adjustments, text: said } = await router.explain(text, name, { ranker: 'lexical' })
      const sum = adjustments.reduce((all, { share }) => all + share, tool.lexicalShare + tool.semanticShare)
      t.true(Math.abs(sum - tool.score) < 1e-9, name)
      for (const { name: row, share } of adjustments) {
        t.not(share, 0)
        t.true(said.includes(`${row} ${Math.abs(share).toFixed(3)}`), said)
      }
    }
  }
})

test.serial('a registry entry is in the order of rank and of a session alike, and explained', async (t) => {
  const text = 'get lunch delivered to the office'
  const wanted = { serverName: 'memory', toolName: 'search_nodes' }
  const settings = { threshold: 0, initialK: 10, ranker: 'lexical' }
  await router.setServerEntry('memory', {
    description: 'Orders food.',
    syntheticQueries: ['get lunch delivered to the office', 'order pizza for the team'],
  })
  const { tools, evidence } = await router.rank(text, { topK: 10, ranker: 'lexical' })
  const session = router.openSession({ settings })
  const selection = await session.start(text)
  t.is(selection.evidence, evidence)
  t.true(tools.some(({ serverName, entryShare }) => serverName === 'memory' && entryShare > 0))
  const { adjustments } = await router.explain(text, wanted, { ranker: 'lexical' })
  t.deepEqual(
    adjustments.filter(({ name }) => name === 'registry entry').length,
    tools.some(({ serverName, toolName }) => serverName === wanted.serverName && toolName === wanted.toolName) ? 1 : 0,
  )
  session.close()
  await router.setServerEntry('memory', null)
})

test.serial('session.explain says how each attached tool came, and what the task added to its rank', async (t) => {
  const session = router.openSession({ settings: { threshold: 0, initialK: 10, ranker: 'lexical' } })
  await t.throwsAsync(session.explain('mcp--memory--read_graph'), { message: /start/ })
  const { attached, companions } = await session.start('post a summary of the failing pipeline to the channel')
  for (const name of attached) {
    const { origin, text } = await session.explain(name)
    t.is(origin.turn, 1)
    t.is(
      origin.cause === 'companion',
      companions.some((companion) => companion.name === name),
      `${name}: ${text}`,
    )
    t.true(text.includes('attached in turn 1'), text)
  }
  const other = (await router.rank('fly to the moon', { topK: 1000 })).tools.find(
    ({ name }) => !attached.includes(name),
  )
  t.is((await session.explain(other.name)).origin, undefined)
  const { added } = await session.turn('and assign the issue to Sven')
  const explained = await Promise.all([...attached, ...added].map((name) => session.explain(name)))
  t.true(explained.some(({ adjustments }) => adjustments.some(({ name }) => name === 'task')))
  for (const { tool, adjustments } of explained) {
    const sum = adjustments.reduce((all, { share }) => all + share, tool.lexicalShare + tool.semanticShare)
    t.true(Math.abs(sum - tool.score) < 1e-9, tool.name)
  }
  const { loaded } = await session.load({ query: 'take a screenshot of the page' })
  for (const { name } of loaded) t.regex((await session.explain(name)).origin.cause, /^(loaded|companion)$/)
  t.true(loaded.length > 0)
  await t.throwsAsync(session.explain('mcp--memory--read_grap'), { code: 'ERR_TOOL_NOT_FOUND' })
  session.close()
  await t.throwsAsync(session.explain(attached[0]), { code: 'ERR_SESSION_NOT_FOUND' })
})
