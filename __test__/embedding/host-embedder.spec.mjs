import test from 'ava'
import { endedWell, runScript } from '../helpers/child.mjs'
import { servers } from '../helpers/catalogue.mjs'
import { fresh, router } from '../helpers/router.mjs'
import { tempDir } from '../helpers/temp.mjs'
import { good, meaning, VECTORS, withModel, ZOO } from '../helpers/embedders.mjs'

const ALL = { topK: 1000, deadlineMs: 30_000 }
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const asSaid = async (t, source, options) => endedWell(t, await runScript(source, options))[0]

const FORMS = [
  ['a list of numbers', good],
  ['a promise', async (texts) => good(texts)],
  ['Float32Array', (texts) => good(texts).map((vector) => Float32Array.from(vector))],
  [
    'a view into a larger buffer',
    (texts) => good(texts).map((vector) => new Float32Array([9, 9, ...vector, 9]).subarray(2, 7)),
  ],
  ['whole numbers', (texts) => good(texts).map((vector) => vector.map((number) => Math.round(number * 100)))],
]

for (const [what, embedder] of FORMS) {
  test.serial(`an embedder may answer with ${what}`, async (t) => {
    await fresh(ZOO)
    const info = await router.setEmbedder(embedder)
    t.is(info.dimensions, 5)
    t.is((await router.ready()).state, 'ready')
    for (const [query, first] of [
      ['whale', 'orca'],
      ['loaf of bread', 'bakery'],
      ['a fast car', 'garage'],
    ]) {
      const { tools, ranker } = await router.rank(query, { ...ALL, ranker: 'semantic' })
      t.deepEqual([tools[0].toolName, ranker], [first, 'semantic'])
      t.true(tools[0].similarity > 0.9 && tools[0].similarity < 1.001 && tools[1].similarity < 0.1)
    }
  })
}

test.serial('an embedder is named by modelId, and without it by a name of its own', async (t) => {
  await fresh(ZOO)
  t.deepEqual(await router.setEmbedder(good, { modelId: 'topics-1' }), { modelId: 'topics-1', dimensions: 5 })
  t.deepEqual(router.status.embedder, { modelId: 'topics-1', dimensions: 5 })
  const [first, second] = [await router.setEmbedder(good), await router.setEmbedder(good)]
  t.not(first.modelId, second.modelId)
})

test.serial('an embedder gets texts that hold server and tool name, in batches within batchSize', async (t) => {
  await fresh([...servers(), { name: 'x y', tools: [{ name: '名前', description: '説明' }] }])
  const [texts, sizes] = [new Set(), []]
  await router.setEmbedder(
    (batch) => {
      sizes.push(batch.length)
      for (const text of batch) texts.add(text)
      return good(batch)
    },
    { batchSize: 7 },
  )
  await router.ready()
  t.true(Math.max(...sizes) <= 7 && sizes.includes(7))
  for (const said of [
    ['codehub', 'create', 'issue'],
    ['x y', '名前'],
  ])
    t.true(
      [...texts].some((text) => said.every((word) => text.toLowerCase().includes(word))),
      said.join(),
    )
})

test.serial('only texts of new and changed tools are asked for again', async (t) => {
  await fresh(ZOO)
  const asked = []
  await router.setEmbedder((batch) => {
    asked.push(...batch)
    return good(batch)
  })
  await router.ready()
  const before = new Set(asked)
  asked.length = 0
  await router.setServers(ZOO)
  await router.ready()
  t.deepEqual(asked, [])
  await router.setServer({ name: 'zoo', tools: [...ZOO[0].tools, { name: 'concert', description: 'Plays music' }] })
  await router.ready()
  t.true(
    asked.length > 0 &&
      asked.every((text) => (!before.has(text) && text.includes('concert')) || text.includes('music')),
  )
  t.is((await router.rank('music', { ...ALL, ranker: 'semantic' })).tools[0].toolName, 'concert')
})

test.serial('null takes the embedder out: ranking is lexical', async (t) => {
  await fresh(ZOO)
  await router.setEmbedder(good)
  await router.ready()
  t.is(await router.setEmbedder(null), null)
  t.deepEqual([router.status.state, router.status.embedder, router.status.vectorCount], ['cold', undefined, 0])
  t.is((await router.rank('whale')).degraded.code, 'model-not-loaded')
})

test.serial('the embedder set last is active, whichever is done first', async (t) => {
  await fresh(ZOO)
  const slow = (ms) => async (texts) => {
    await sleep(ms)
    return good(texts)
  }
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(['A', 'B', 'C', 'D'].map((modelId, at) => router.setEmbedder(slow(20 - 5 * at), { modelId })))
    t.is(router.status.embedder.modelId, 'D')
  }
})

test.serial('ready waits for an embedder that was set before it, awaited or not', async (t) => {
  for (let round = 0; round < 5; round += 1) {
    await fresh(ZOO)
    const setting = router.setEmbedder(good, { modelId: `round-${round}` })
    const { state, vectorCount } = await router.ready()
    t.deepEqual([state, vectorCount], ['ready', 3])
    await setting
  }
})

test.serial('ready without a model answers immediately, and its limit holds', async (t) => {
  await fresh(ZOO)
  t.is((await router.ready()).state, 'cold')
  let release
  const gate = new Promise((resolve) => (release = resolve))
  let calls = 0
  await router.setEmbedder(async (texts) => {
    calls += 1
    if (calls > 2) await gate
    return good(texts)
  })
  for (const timeoutMs of [0, 1, 50]) t.is((await router.ready({ timeoutMs })).state, 'loading')
  release()
  t.is((await router.ready()).state, 'ready')
})

test.serial('vectors of a named embedder are kept on disk, and read by the next process', async (t) => {
  const folder = tempDir(t)
  const source = `
    const calls = []
    await router.setServer({ name: 'zoo', tools: [{ name: 'orca', description: 'A whale' }, { name: 'bakery', description: 'Bread' }] })
    await router.setEmbedder((texts) => { calls.push(...texts); return texts.map((text) => [1, text.length % 7, text.length % 5]) }, { modelId: 'm', cacheDir: ${JSON.stringify(folder)} })
    const { vectorCount } = await router.ready()
    const probe = calls[0]
    say({ vectorCount, asked: calls.filter((text) => text !== probe).length, ranking: await router.rank('orca', { deadlineMs: 30000 }) })
  `
  const [first, second] = [await asSaid(t, source), await asSaid(t, source)]
  t.true(first.asked > 0)
  t.deepEqual(second, { ...first, asked: second.asked })
  t.true(second.asked < first.asked && second.asked <= 1, 'only the query')
  t.true((await asSaid(t, source.replace("'m'", "'another'"))).asked === first.asked)
})

test.serial('vectors of two models are never compared', async (t) => {
  await fresh(ZOO)
  await router.setEmbedder(good, { modelId: 'a' })
  await router.ready()
  await router.setEmbedder(
    (texts) =>
      texts.map((text) =>
        meaning(text)
          .slice(1)
          .reverse()
          .map((number) => number + 0.01),
      ),
    { modelId: 'b' },
  )
  await router.ready()
  t.is((await router.rank('whale', { ...ALL, ranker: 'semantic' })).tools[0].toolName, 'orca')
  t.is(router.status.embedder.dimensions, 4)
})

test.serial('a good embedder takes the place of the local model and gives it back', async (t) => {
  await withModel(ZOO)
  await router.setEmbedder(good, { modelId: 'topics' })
  await router.ready()
  t.is((await router.rank('whale', { ...ALL, ranker: 'semantic' })).tools[1].similarity < 0.1, true)
  await router.loadModel({ cacheDir: VECTORS })
  t.is((await router.ready()).embedder.dimensions, 384)
})
