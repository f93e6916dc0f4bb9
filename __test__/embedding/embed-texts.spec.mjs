// Vectors of a caller's own texts. One router serves the process: one test at a time.
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'

import test from 'ava'

const { ToolRouter } = createRequire(import.meta.url)('../../index.js')
const router = ToolRouter.shared()
/** So long a slow embedder takes for one text. */
const SLOW_MS = 100
const vectorOf = (text) => [text.length, 1, 0]
const unit = (vector) => vector.map((number) => number / Math.hypot(...vector))

test.afterEach.always(async () => {
  await router.setEmbedder(null)
  await router.setServers([], { replace: true })
})

test.serial('each text has its unit vector, in order, and the model is named', async (t) => {
  await router.setEmbedder((texts) => texts.map(vectorOf), { modelId: 'model-1' })
  const texts = ['a', 'bcd', 'a', 'é'.repeat(2_000)]
  const { modelId, vectors } = await router.embedTexts(texts)
  t.true(modelId.includes('model-1'), modelId)
  t.is(modelId, router.status.embedder.modelId)
  for (const [at, text] of texts.entries()) {
    t.true(vectors[at] instanceof Float32Array)
    for (const [place, number] of unit(vectorOf(text)).entries()) t.true(Math.abs(vectors[at][place] - number) < 1e-6)
  }
})

test.serial('without an embedder, and where it fails, the call says so and the next one works', async (t) => {
  await t.throwsAsync(router.embedTexts(['a']), { code: 'ERR_EMBEDDING_FAILED', message: /no embedder is set/ })
  let fails = false
  await router.setEmbedder((texts) => {
    if (fails) throw new Error('full')
    return texts.map(vectorOf)
  })
  fails = true
  await t.throwsAsync(router.embedTexts(['a', 'b']), { code: 'ERR_EMBEDDING_FAILED', message: /full/ })
  fails = false
  t.is((await router.embedTexts(['a'])).vectors.length, 1)
})

test.serial('a query does not wait for all texts of a call, and vectors of two models are never mixed', async (t) => {
  const order = []
  const embedder = async (texts) => {
    order.push(...texts)
    await pause(SLOW_MS)
    return texts.map(vectorOf)
  }
  await router.setEmbedder(embedder, { modelId: 'one' })
  await router.setServer({ name: 's', tools: [{ name: 'find', description: 'Finds' }] })
  await router.ready()
  const texts = Array.from({ length: 64 }, (_, at) => `text ${at}`)
  const embedded = router.embedTexts(texts)
  await router.rank('a query', { ranker: 'hybrid', deadlineMs: 10_000 })
  await embedded
  t.true(order.indexOf('a query') < order.indexOf('text 63'), `${order.indexOf('a query')}`)
  const mixed = router.embedTexts(texts)
  const replaced = router.setEmbedder(embedder, { modelId: 'two' })
  const [answer] = await Promise.allSettled([mixed, replaced])
  t.regex(answer.reason?.message ?? '', /replaced meanwhile|failed/)
})

test.serial('what is no list of 1 to 64 texts is refused, and named', async (t) => {
  for (const [texts, message] of [
    [[], /embedTexts\.texts: expected at least one text/],
    [Array(65).fill('a'), /embedTexts\.texts: expected at most 64/],
    [['a', 7], /embedTexts\.texts\[1\]: expected/],
    [['a'.repeat(2 ** 18 + 1)], /embedTexts\.texts\[0\]: expected at most 262144 bytes/],
    ['a', /embedTexts\.texts: expected/],
    [undefined, /embedTexts\.texts: expected/],
  ])
    await t.throwsAsync(async () => router.embedTexts(texts), { code: 'ERR_INVALID_ARGUMENT', message })
})
