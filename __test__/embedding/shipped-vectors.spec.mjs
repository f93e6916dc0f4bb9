// Vectors that come with the model: equal to fresh ones, used without a run of the model, refused when anything is wrong.
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'ava'
import { sayings } from '../../research/make/knowledge-files.mjs'
import { fileOf, readCache } from '../../research/make/shipped-file.mjs'
import { QUERIES, servers } from '../helpers/catalogue.mjs'
import { ADDON, fresh, names, router } from '../helpers/router.mjs'
import { tempDir } from '../helpers/temp.mjs'

const MODEL = join(dirname(ADDON), 'npm', 'model')
const ALL = { topK: 1000, deadlineMs: 30_000 }
const LOCK = JSON.parse(readFileSync(new URL('../../research/make/shipped-vectors.lock.json', import.meta.url), 'utf8'))

/** The model without the vectors that came with it, or with others. */
function modelWith(t, vectors) {
  const folder = tempDir(t)
  for (const name of ['model.onnx', 'tokenizer.json', 'model.json']) symlinkSync(join(MODEL, name), join(folder, name))
  if (vectors !== undefined) writeFileSync(join(folder, 'vectors.bin'), vectors)
  return folder
}

async function loaded(modelDir, cacheDir) {
  await fresh(servers())
  await router.loadModel({ modelDir, cacheDir })
  return router.ready({ timeoutMs: 120_000 })
}

async function answers() {
  const found = []
  for (const query of QUERIES) found.push(await router.rank(query, ALL))
  return found
}

test('vectors that come with the model were built from the phrases that stand here', (t) => {
  const { sha256 } = LOCK.inputs.find(({ name }) => name === 'npm/model/knowledge')
  t.is(createHash('sha256').update(sayings()).digest('hex'), sha256)
})

/** Vectors of the test's tools, computed, and the file made from them. */
let made
async function own(t) {
  if (made) return made
  const cache = tempDir(t)
  const { shippedVectors, embedder } = await loaded(modelWith(t), cache)
  t.is(shippedVectors, undefined)
  const fresh = await answers()
  const bytes = readFileSync(join(cache, readdirSync(cache)[0]))
  made = { fresh, bytes, file: fileOf(embedder.modelId, embedder.dimensions, readCache(bytes, embedder.dimensions)) }
  return made
}

test.serial('vectors that came with the model equal fresh ones, and cost no run of the model', async (t) => {
  const { fresh: expected, file } = await own(t)
  const cache = tempDir(t)
  const status = await loaded(modelWith(t, file), cache)
  t.deepEqual([status.state, status.vectorCount], ['ready', status.toolCount])
  t.is(status.shippedVectors.used, status.shippedVectors.count)
  t.is(status.shippedVectors.refused, undefined)
  t.deepEqual(readdirSync(cache), [], 'what the model computes is written to the cache: nothing was')
  for (const [at, answer] of (await answers()).entries()) {
    const similarity = new Map(expected[at].tools.map((tool) => [tool.name, tool.similarity]))
    for (const tool of answer.tools) t.true(Math.abs(tool.similarity - similarity.get(tool.name)) < 0.005, tool.name)
    t.is(names(answer)[0], names(expected[at])[0], QUERIES[at])
  }
})

test.serial(
  'a file of vectors with a flipped bit is refused with a status, and all vectors are computed',
  async (t) => {
    const { fresh: expected, file } = await own(t)
    const flipped = Buffer.from(file)
    flipped[file.length >> 1] ^= 1
    const status = await loaded(modelWith(t, flipped), tempDir(t))
    t.deepEqual([status.state, status.vectorCount, status.lastError], ['ready', status.toolCount, undefined])
    t.deepEqual([status.shippedVectors.count, status.shippedVectors.used], [0, 0])
    t.regex(status.shippedVectors.refused, /its hash/)
    const similarities = ({ tools }) => tools.map(({ name, similarity }) => [name, similarity])
    t.deepEqual((await answers()).map(similarities), expected.map(similarities))
  },
)

test.serial('the file in the model package is the one that was built for this encoder', async (t) => {
  const file = join(MODEL, 'vectors.bin')
  t.true(existsSync(file))
  const bytes = readFileSync(file)
  t.deepEqual([createHash('sha256').update(bytes).digest('hex'), bytes.length], [LOCK.sha256, LOCK.bytes])
  t.true(bytes.length < 2_000_000)
  const folder = modelWith(t)
  copyFileSync(file, join(folder, 'vectors.bin'))
  const { shippedVectors, embedder } = await loaded(folder, false)
  t.deepEqual([shippedVectors.count, shippedVectors.refused], [LOCK.vectors, undefined])
  t.is(embedder.modelId, LOCK.encoder)
})
