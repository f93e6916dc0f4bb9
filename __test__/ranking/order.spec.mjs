// One list decides the order of tools: a session's first selection, `rank` and both explanations agree. And what is labelled and
// known of the servers that this starts is what they list.
import { readFileSync } from 'node:fs'
import test from 'ava'
import { readDefinitions, RunningServers } from '../../examples/demo/servers.mjs'
import { knownServers } from '../../research/make/knowledge-files.mjs'
import { compared } from '../../research/make/knowledge.mjs'
import { jsonLines } from '../../research/measure/strangers/catalogue.mjs'
import { router } from '../helpers/router.mjs'

const labelled = (name) => jsonLines(new URL(`../../research/labelled/${name}.jsonl`, import.meta.url))
const TASKS = labelled('tasks')
const running = new RunningServers()
const live = []

test.before(async (t) => {
  t.timeout(300_000)
  await running.startAll(readDefinitions(), async ({ name, tools, instructions, reason }) => {
    t.is(reason, undefined, name)
    live.push({ name, tools })
    await router.setServer({ name, tools, instructions })
  })
})
test.after.always(() => running.close())

test.serial('every tool that a labelled line names is listed by its server, and all servers are needed', (t) => {
  const listed = new Set(live.flatMap(({ name, tools }) => tools.map((tool) => `${name}::${tool.name}`)))
  const ofTask = (task) => [task, ...task.steps].flatMap(({ needs }) => needs.flat())
  const ofNeed = ({ gold, alts = {} }) => [gold, ...Object.entries(alts).flat(2)].flat()
  const needs = labelled('needs')
  for (const [lines, toolsOf] of [
    [needs, ofNeed],
    [TASKS, ofTask],
  ])
    for (const line of lines)
      t.deepEqual(
        toolsOf(line).filter((tool) => !listed.has(tool)),
        [],
        line.id,
      )
  const serversOf = (lines, toolsOf) => new Set(lines.flatMap(toolsOf).map((tool) => tool.split('::')[0]))
  t.is(serversOf(needs, ofNeed).size, readDefinitions().length)
  for (const half of ['held-out', 'tuning'])
    t.true(
      serversOf(
        TASKS.filter((task) => task.half === half),
        ofTask,
      ).size >= 12,
      half,
    )
})

test.serial('every known tool of a live server exists or is marked as gone, and every tool is known', (t) => {
  for (const { name, gone, unknown, several } of compared(knownServers(), live)) {
    t.deepEqual(several ? [] : gone, [], `${name}: run node research/make/knowledge.mjs check --write`)
    t.deepEqual(unknown, [], name)
  }
})

/** The servers that a text names as a word: the best tools of theirs come along, wherever they stand. */
function namedServers(text) {
  const words = new Set(text.toLowerCase().split(/[^\p{L}\p{N}]+/u))
  return readDefinitions()
    .map(({ name }) => name)
    .filter((name) => name.split('-').every((part) => words.has(part)))
}

test.serial('what a first selection takes by rank stands in the order of rank, over all labelled tasks', async (t) => {
  t.timeout(300_000)
  let [tasks, checked, unnamed, firsts] = [0, 0, 0, 0]
  for (const { id, text } of TASKS) {
    const session = router.openSession({ settings: { threshold: 0, initialK: 10, ranker: 'lexical' } })
    const { attached, companions, evidence } = await session.start(text)
    const ranking = await router.rank(text, { topK: 1000, ranker: 'lexical' })
    session.close()
    if (attached.length === 0) continue
    tasks += 1
    t.is(evidence, ranking.evidence, id)
    const named = namedServers(text)
    const came = new Set(companions.map(({ name }) => name))
    const byRank = attached.filter(
      (name) => !came.has(name) && !named.some((server) => name.startsWith(`mcp--${server}--`)),
    )
    const placeOf = new Map(ranking.tools.map((tool, at) => [tool.name, at]))
    const places = byRank.map((name) => placeOf.get(name) ?? Number.POSITIVE_INFINITY)
    t.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
      id,
    )
    // Who takes a place is likelier, which the first of the ranking nearly always is.
    unnamed += named.length === 0 ? 1 : 0
    firsts += named.length === 0 && places[0] === 0 ? 1 : 0
    checked += byRank.length
  }
  t.log(`${checked} tools of ${tasks} tasks`)
  t.true(tasks > 200 && checked > 1000)
  t.true(firsts >= 0.8 * unnamed, `${firsts} of ${unnamed}`)
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
  const settings = { threshold: 0, initialK: 10, ranker: 'lexical' }
  await router.setServerEntry('memory', {
    description: 'Orders food.',
    syntheticQueries: ['get lunch delivered to the office', 'order pizza for the team'],
  })
  const { tools, evidence } = await router.rank(text, { topK: 1000, ranker: 'lexical' })
  const session = router.openSession({ settings })
  const selection = await session.start(text)
  t.is(selection.evidence, evidence)
  t.true(tools.some(({ serverName, entryShare }) => serverName === 'memory' && entryShare > 0))
  const risen = tools.filter(({ entryShare }) => entryShare > 0)
  t.true(risen.every(({ serverName }) => serverName === 'memory'))
  const { adjustments, tool } = await router.explain(text, risen[0].name, { ranker: 'lexical' })
  t.is(adjustments.find(({ name }) => name === 'registry entry').share, tool.entryShare)
  t.is(tool.score, risen[0].score)
  session.close()
  await router.setServerEntry('memory', null)
})

test.serial('the rows of the order are those of the types and of docs/inside/ranking.md', (t) => {
  const read = (name) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
  const rows = [...read('src/order/mod.rs').matchAll(/Adjustment \{ name: "([^"]+)"/g)].map(([, name]) => name)
  const shown = rows.filter((name) => name !== 'evidence')
  t.true(shown.length > 8)
  const [, union] = /interface Adjustment \{[\s\S]*?name: ([^\n]+)/.exec(read('index.d.ts'))
  t.deepEqual(
    union.split(' | ').map((name) => name.slice(1, -1)),
    shown,
  )
  const table = read('docs/inside/ranking.md').split('| row | what it adds or takes |')[1].split('\n\n')[0]
  const told = [...table.matchAll(/^\| (\w[^|]*) \|/gm)].map(([, name]) => name.trim())
  t.deepEqual(told, shown)
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
  const { added } = await session.turn('ok and let Sven know too')
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
