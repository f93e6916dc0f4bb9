// A store of vectors that several machines share, as the router asks it. One router serves the process: one test at a time.
import { createRequire } from 'node:module'
import { setImmediate } from 'node:timers/promises'

import test from 'ava'

const { ToolRouter } = createRequire(import.meta.url)('../../index.js')
const router = ToolRouter.shared()

const DIMENSIONS = 8
const vectorOf = (text) => Array.from({ length: DIMENSIONS }, (_, at) => 1 + (text.length % (at + 2)))
const tools = (...names) => names.map((name) => ({ name, description: `Does ${name}` }))

test.afterEach.always(async () => {
  await router.setEmbedder(null)
  await router.setServers([], { replace: true })
})

/** An embedder that notes what it is asked for, with a store. @returns {Promise<string[]>} the texts of tools, as they come */
async function embedder(vectorStore, modelId = 'model-1') {
  const embedded = []
  await router.setEmbedder(
    (texts) => {
      embedded.push(...texts)
      return texts.map(vectorOf)
    },
    { modelId, vectorStore },
  )
  await router.ready()
  // The first text is the one by which the length of vectors is learnt.
  return embedded.filter((text) => text.includes('Does'))
}

/** A store in memory. */
function memory(kept = new Map()) {
  return {
    kept,
    asked: [],
    read(keys) {
      this.asked.push(...keys)
      return keys.map(({ key }) => kept.get(key)?.vector ?? null)
    },
    write(vectors) {
      for (const each of vectors) kept.set(each.key, each)
    },
  }
}
/** What was made is handed on, and nobody waits for that. */
async function holds(store, count) {
  while (store.kept.size < count) await setImmediate()
}
const bound = (store) => ({ read: (keys) => store.read(keys), write: (vectors) => store.write(vectors) })

test.serial('what one process has embedded the next one reads', async (t) => {
  await router.setServers(
    [
      { name: 'one', tools: tools('a', 'b') },
      { name: 'two', tools: tools('c') },
    ],
    { replace: true },
  )
  const store = memory()
  t.is((await embedder(bound(store))).length, 3)
  await holds(store, 3)
  const kept = [...store.kept.values()]
  t.deepEqual(kept.map(({ serverName }) => serverName).toSorted(), ['one', 'one', 'two'])
  for (const { key, vector } of kept) {
    t.regex(key, /^[0-9a-f]{64}$/)
    t.true(vector instanceof Float32Array)
    t.is(vector.length, DIMENSIONS)
    t.true(Math.abs(Math.hypot(...vector) - 1) < 1e-6)
  }
  const next = memory(store.kept)
  t.deepEqual(await embedder(bound(next)), [])
  t.is(next.asked.length, 3)
  t.is(router.status.vectorCount, 3)
})

test.serial('vectors of another model are other vectors', async (t) => {
  await router.setServer({ name: 'one', tools: tools('a') })
  const store = memory()
  await embedder(bound(store))
  await holds(store, 1)
  t.is((await embedder(bound(store), 'model-2')).length, 1)
  await holds(store, 2)
})

test.serial('a store that fails or answers nonsense costs no more than the embedding', async (t) => {
  await router.setServer({ name: 'one', tools: tools('a', 'b') })
  const reads = {
    throws: () => {
      throw new Error('no')
    },
    rejects: () => Promise.reject(new Error('no')),
    'answers nothing': () => undefined,
    'answers too little': () => [],
    'answers vectors of another length': (keys) => keys.map(() => [1, 2]),
    'answers what is no number': (keys) => keys.map(() => new Array(DIMENSIONS).fill(Number.NaN)),
    'answers zeros': (keys) => keys.map(() => new Float32Array(DIMENSIONS)),
    'answers texts': (keys) => keys.map(() => 'vector'),
    'answers what throws': () =>
      new Proxy([], {
        get() {
          throw new Error('no')
        },
      }),
  }
  const writes = [
    () => {
      throw new Error('no')
    },
    () => Promise.reject(new Error('no')),
    () => 5,
  ]
  for (const [how, read] of Object.entries(reads)) {
    for (const write of writes) {
      t.is((await embedder({ read, write })).length, 2, how)
      t.is(router.status.vectorCount, 2, how)
    }
  }
})

test.serial('a store that answers late is not waited for by the next embedder', async (t) => {
  await router.setServer({ name: 'one', tools: tools('a') })
  // Neither an embedder nor a store keeps the process alive.
  const alive = setInterval(() => {}, 1_000)
  t.teardown(() => clearInterval(alive))
  let wasAsked
  const asked = new Promise((resolve) => {
    wasAsked = resolve
  })
  const never = {
    read: () => {
      wasAsked()
      return new Promise(() => {})
    },
    write: () => {},
  }
  await router.setEmbedder((texts) => texts.map(vectorOf), { modelId: 'model-1', vectorStore: never })
  await asked
  const store = memory()
  await embedder(bound(store))
  t.is(router.status.vectorCount, 1)
})

test.serial('a store that never answers is asked once, and not again with each batch', async (t) => {
  await router.setServer({ name: 'one', tools: tools('a', 'b', 'c', 'd') })
  const alive = setInterval(() => {}, 1_000)
  t.teardown(() => clearInterval(alive))
  let asked = 0
  const read = () => {
    asked++
    return new Promise(() => {})
  }
  const vectorStore = { read, write() {} }
  await router.setEmbedder((texts) => texts.map(vectorOf), { modelId: 'model-1', batchSize: 1, vectorStore })
  await router.ready()
  t.is(router.status.vectorCount, 4)
  t.is(asked, 1)
})

test.serial('a store needs both of its functions, and an embedder with one needs a name', async (t) => {
  const embed = (texts) => texts.map(vectorOf)
  const read = () => []
  for (const [options, message] of [
    [{ modelId: 'm', vectorStore: { read } }, /vectorStore\.write: expected a function, got/],
    [{ modelId: 'm', vectorStore: { read, write() {}, size: 1 } }, /vectorStore: expected/],
    [{ modelId: 'm', vectorStore: 5 }, /vectorStore: expected/],
    [{ vectorStore: { read, write() {} } }, /modelId: expected a name, because vectorStore is given/],
  ]) {
    await t.throwsAsync(async () => router.setEmbedder(embed, options), { code: 'ERR_INVALID_ARGUMENT', message })
  }
  await t.throwsAsync(async () => router.loadModel({ vectorStore: { read } }), {
    code: 'ERR_INVALID_ARGUMENT',
    message: /loadModel\.vectorStore\.write: expected a function/,
  })
})
