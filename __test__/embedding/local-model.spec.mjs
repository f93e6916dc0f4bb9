import test from 'ava'
import { QUERIES, bulk, servers } from '../helpers/catalogue.mjs'
import { fresh, names, router } from '../helpers/router.mjs'
import { withModel, VECTORS } from '../helpers/embedders.mjs'

const ALL = { topK: 1000, deadlineMs: 30_000 }
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length

const standardised = (values) => {
  const deviation = Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)))
  return values.map((value) => (deviation > 1e-9 ? (value - mean(values)) / deviation : 0))
}

const PARAPHRASE = 'how hot is it outside'

test.serial('a paraphrase that shares no term with any tool is found by vectors', async (t) => {
  await withModel()
  t.is((await router.rank(PARAPHRASE, { ranker: 'lexical' })).supportedCount, 0)
  t.is(names(await router.rank(PARAPHRASE, ALL))[0], 'mcp--weatherly--current_conditions')
  t.deepEqual(await router.search(PARAPHRASE, [{ serverName: 'a', toolName: 'zzz' }], 1), [])
})

test.serial('an exact name stays first whatever the vectors say', async (t) => {
  await withModel()
  for (const ranker of ['hybrid', 'semantic']) {
    for (const query of ['create_event', 'will it rain? use rotate_secret', 'mcp__designer__comment']) {
      const {
        tools: [first],
      } = await router.rank(query, { ...ALL, ranker })
      t.true(first.boost >= 1000 && query.includes(first.toolName), first.name)
    }
  }
})

test.serial('shares are standardised and weighted, for each ranker, and their sum is the score', async (t) => {
  await withModel()
  for (const [ranker, least, most] of [
    ['lexical', 1, 1],
    ['semantic', 0, 0],
    ['hybrid', 0.15, 0.45],
  ]) {
    for (const query of ['list the issues', 'umbrella', 'read_file', 'search for code']) {
      const answer = await router.rank(query, { ...ALL, ranker })
      t.is(answer.ranker, ranker)
      const lexical = standardised(answer.tools.map(({ lexicalScore }) => lexicalScore))
      const semantic =
        ranker === 'lexical' ? lexical.map(() => 0) : standardised(answer.tools.map(({ similarity }) => similarity))
      // One weight for all tools of an answer: by how much of the query the best tool covers.
      const strongest = lexical.indexOf(Math.max(...lexical))
      const lexicalWeight = lexical[strongest] === 0 ? least : answer.tools[strongest].lexicalShare / lexical[strongest]
      t.true(lexicalWeight >= least - 1e-6 && lexicalWeight <= most + 1e-6, `${ranker} ${query} ${lexicalWeight}`)
      const semanticWeight = ranker === 'lexical' ? 0 : 1 - lexicalWeight
      answer.tools.forEach((tool, at) => {
        t.is(tool.score, tool.lexicalShare + tool.semanticShare + tool.boost)
        t.true(Math.abs(tool.lexicalShare - lexicalWeight * lexical[at]) < 1e-6)
        t.true(Math.abs(tool.semanticShare - semanticWeight * semantic[at]) < 1e-6)
        t.is(tool.similarity === undefined, ranker === 'lexical')
        if (tool.similarity !== undefined) t.true(Math.abs(tool.similarity) <= 1.000001)
        if (at > 0) t.true(tool.score <= answer.tools[at - 1].score)
      })
    }
  }
})

test.serial('a hybrid answer is the same bytes on every run, and explain agrees with it', async (t) => {
  await withModel()
  const answers = () => Promise.all(QUERIES.map((query) => router.rank(query, ALL)))
  const first = await answers()
  t.is(JSON.stringify(await answers()), JSON.stringify(first))
  for (const [at, { tools }] of first.entries()) {
    const { tool, ranker, text } = await router.explain(QUERIES[at], tools[3].name, { deadlineMs: 30_000 })
    t.deepEqual([tool, ranker], [tools[3], 'hybrid'])
    t.true(text.includes('cosine'))
  }
})

test.serial('a vector does not depend on its neighbours', async (t) => {
  const similarities = async () =>
    new Map((await router.rank(PARAPHRASE, ALL)).tools.map(({ name, similarity }) => [name, similarity]))
  await withModel([servers()[9]])
  const alone = await similarities()
  await withModel([bulk('ledgers', 40), ...servers().reverse()])
  const among = await similarities()
  for (const [name, similarity] of alone) t.is(among.get(name), similarity, name)
  t.is(alone.size, 7)
})

test.serial('a task that begins lexically is upgraded by a later turn', async (t) => {
  await fresh(servers(), { deadlineMs: 30_000 })
  const session = router.openSession({ settings: { initialK: 1 } })
  const first = await session.start('do I want a brolly')
  t.deepEqual([first.ranker, first.degraded.code], ['lexical', 'model-not-loaded'])
  await router.loadModel({ cacheDir: VECTORS })
  await router.ready()
  const second = await session.turn('will I need an umbrella tomorrow')
  t.deepEqual([second.ranker, second.degraded, second.added[0]], ['hybrid', undefined, 'mcp--weatherly--forecast'])
  session.close()
})
