// Embedders that fail, hang or answer late: rankings go on, and say why they are lexical.
import test from 'ava'
import { fresh, refused, router } from '../helpers/router.mjs'
import { good, ZOO } from '../helpers/embedders.mjs'

const ALL = { topK: 1000, deadlineMs: 30_000 }
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Asks until the condition holds: recovery takes as long as the machine needs. */
async function until(condition, tries = 600) {
  for (let at = 0; at < tries; at += 1) {
    const value = await condition()
    if (value) return value
    await sleep(20)
  }
  throw new Error('it never came to hold')
}

const never = () => new Promise(() => {})

const throws = (what) => () => {
  throw what
}
const TEXTLESS = { toString: throws(new Error('ha')) }
const AWAY = new Error('no service today')
const { proxy: REVOKED, revoke } = Proxy.revocable([], {})
revoke()

const BAD_ANSWERS = [
  ['throws', throws(AWAY), AWAY.message],
  ['rejects', async () => throws(AWAY)(), AWAY.message],
  ['rejects with what cannot be text', () => Promise.reject(TEXTLESS)],
  ['never settles', never, 'timeoutMs'],
  ['answers undefined', () => undefined],
  ['answers no vector', () => [], 'vectors, got 0'],
  ['answers one vector too many', (texts) => [...good(texts), [1, 2, 3, 4, 5]]],
  ['answers null for a vector', (texts) => texts.map(() => null)],
  ['answers texts for numbers', (texts) => texts.map(() => ['1', '2'])],
  ['answers null for a number', (texts) => texts.map(() => [1, null])],
  ['answers NaN', (texts) => texts.map(() => [1, Number.NaN]), 'vectors[0][1]: expected a finite number, got NaN'],
  ['answers only zeros', (texts) => texts.map(() => [0, 0, 0]), 'expected a vector with a length, got only zeros'],
  [
    'answers a getter that throws',
    (texts) => texts.map(() => Object.defineProperty([1, 2], 0, { get: throws(new Error('ha')) })),
  ],
  ['answers a revoked proxy', () => REVOKED],
]

test.serial('an embedder that fails its first call is ERR_EMBEDDING_FAILED, and the previous one stays', async (t) => {
  await fresh(ZOO)
  await router.setEmbedder(good, { modelId: 'before' })
  await router.ready()
  for (const [what, embedder, named] of BAD_ANSWERS) {
    const error = await refused(
      t,
      'ERR_EMBEDDING_FAILED',
      () => router.setEmbedder(embedder, { timeoutMs: 100 }),
      `an embedder that ${what}`,
    )
    if (named) t.true(error?.message.includes(named), error?.message)
    t.deepEqual([router.status.embedder.modelId, router.status.state], ['before', 'ready'], what)
    const { ranker, tools } = await router.rank(`whale ${what}`, { ...ALL, ranker: 'semantic' })
    t.deepEqual([ranker, tools[0].toolName], ['semantic', 'orca'], what)
  }
})

const LATER = [
  ['throws', throws(AWAY), 'embedding-failed'],
  ['answers another length', (texts) => texts.map(() => [1, 2]), 'embedding-failed', 'expected 5 dimensions, got 2'],
  ['answers NaN', (texts) => texts.map(() => [1, 2, 3, 4, Number.NaN]), 'embedding-failed'],
  ['hangs', never, 'deadline-exceeded'],
]

for (const [what, failing, code, said = ''] of LATER) {
  test.serial(
    `when the embedder ${what} later, ranking is lexical immediately, says ${code}, and recovers`,
    async (t) => {
      await fresh(ZOO)
      let current = good
      await router.setEmbedder((texts) => current(texts), { timeoutMs: 400 })
      await router.ready()
      current = failing
      const deadlineMs = what === 'hangs' ? 50 : 30_000
      const { degraded, ...answer } = await router.rank(`whale that ${what}`, { topK: 1000, deadlineMs })
      t.is(degraded?.code, code)
      const { degraded: _, ...lexical } = await router.rank(`whale that ${what}`, { topK: 1000, ranker: 'lexical' })
      t.deepEqual(answer, lexical)
      if (code === 'embedding-failed')
        t.true(router.status.lastError.length > 0 && router.status.lastError.includes(said))
      t.is((await router.rank('another whale', { deadlineMs })).degraded?.code, code)
      t.is((await router.explain('a third whale', 'mcp--zoo--orca', { deadlineMs })).degraded?.code, code)
      current = good
      const recovered = await until(async () => {
        const ranking = await router.rank(`whale ${Math.random()}`, { deadlineMs: 30_000 })
        return ranking.degraded === undefined && ranking
      })
      t.is(recovered.ranker, 'hybrid')
      t.is(router.status.lastError, undefined)
    },
  )
}

test.serial('a deadline of 0 never waits: the answer is lexical while the embedder is asked', async (t) => {
  await fresh(ZOO)
  let [held, release] = [false, undefined]
  await router.setEmbedder(async (texts) => {
    if (held) await new Promise((resolve) => (release = resolve))
    return good(texts)
  })
  await router.ready()
  held = true
  t.is((await router.rank('a new whale', { deadlineMs: 0 })).degraded.code, 'deadline-exceeded')
  await until(() => release)
  held = false
  release()
  await until(async () => (await router.rank('a new whale', { deadlineMs: 30_000 })).ranker === 'hybrid')
  t.is((await router.rank('a new whale', { deadlineMs: 0 })).ranker, 'hybrid', 'its vector is kept')
})

test.serial('a late answer never becomes the vector of another query', async (t) => {
  await fresh(ZOO)
  await router.setEmbedder((texts) => sleep(Math.random() * 8).then(() => good(texts)))
  await router.ready()
  const topics = [
    ['whale', 'orca'],
    ['bread', 'bakery'],
    ['car', 'garage'],
  ]
  for (let at = 0; at < 60; at += 1) {
    const [topic, first] = topics[at % topics.length]
    const { tools, ranker } = await router.rank(`${topic} ${at}`, { ranker: 'semantic', deadlineMs: (at % 7) * 4 })
    if (ranker === 'semantic') t.is(tools[0].toolName, first)
  }
  // What came late was kept for its own query alone.
  for (let at = 0; at < 60; at += 1) {
    const [topic, first] = topics[at % topics.length]
    const { tools } = await until(async () => {
      const answer = await router.rank(`${topic} ${at}`, { ranker: 'semantic', deadlineMs: 30_000 })
      return answer.ranker === 'semantic' && answer
    })
    t.is(tools[0].toolName, first)
  }
})

test.serial(
  'while the first call is under way the reason is model-loading, while tools are embedded vectors-pending',
  async (t) => {
    await fresh(ZOO)
    const open = []
    let isHeld = true
    const setting = router.setEmbedder((texts) =>
      isHeld ? new Promise((resolve) => open.push(() => resolve(good(texts)))) : good(texts),
    )
    const next = async () => (await until(() => open.shift()))()
    await until(() => open.length > 0)
    t.deepEqual([(await router.rank('whale')).degraded.code, router.status.state], ['model-loading', 'loading'])
    let isSet = false
    const wait = setting.then(() => (isSet = true))
    while (!isSet) {
      if (open.length > 0) await next()
      // Long enough to hear that it is set, before its tools are embedded too.
      await sleep(150)
    }
    await wait
    t.deepEqual([(await router.rank('whale')).degraded?.code, router.status.state], ['vectors-pending', 'loading'])
    isHeld = false
    for (const release of open) release()
    t.is((await router.ready()).state, 'ready')
  },
)

test.serial('texts that fail for good are given up, said so, and asked for again when a server is set', async (t) => {
  await fresh(ZOO)
  let isSick = false
  await router.setEmbedder(
    (texts) => {
      if (isSick && texts.some((text) => text.includes('poison'))) throw new Error('refused by the content filter')
      return good(texts)
    },
    { batchSize: 1 },
  )
  await router.ready()
  isSick = true
  await router.setServer({ name: 'bad', tools: [{ name: 'poison', description: 'poison' }] })
  const status = await router.ready()
  t.deepEqual(
    [status.state, status.ranker, status.degraded?.code, status.vectorCount],
    ['degraded', 'lexical', 'embedding-failed', 3],
  )
  t.true(status.lastError.includes('content filter'))
  isSick = false
  await router.setServer({ name: 'good', tools: [] })
  t.deepEqual([(await router.ready()).state, router.status.lastError], ['ready', undefined])
})

test.serial('one text that is refused does not take the texts of its batch with it', async (t) => {
  await fresh(ZOO)
  await router.setEmbedder(
    (texts) => {
      if (texts.some((text) => text.includes('poison'))) throw new Error('refused')
      return good(texts)
    },
    { batchSize: 100 },
  )
  await router.setServer({
    name: 'bad',
    tools: [
      { name: 'poison', description: 'poison' },
      { name: 'honey', description: 'honey' },
    ],
  })
  t.is((await router.ready()).vectorCount, 4)
})

test.serial('an embedder that calls the router back is no deadlock', async (t) => {
  await fresh(ZOO)
  await router.setEmbedder(async (texts) => {
    await router.rank('inner', { ranker: 'lexical' })
    return good(texts)
  })
  t.is((await router.ready()).state, 'ready')
  t.truthy(await router.rank('whale again', { deadlineMs: 200 }))
})
