// Ranking by vectors: the local model, an embedder of the host's, and what happens when they fail.
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test from 'ava'
import { endedWell, runScript } from './helpers/child.mjs'
import { QUERIES, bulk, servers } from './helpers/catalogue.mjs'
import { ADDON, fresh, names, refused, router } from './helpers/router.mjs'
import { where } from './helpers/skips.mjs'
import { tempDir } from './helpers/temp.mjs'

const MODEL = join(dirname(ADDON), 'npm', 'model')
const onLinux = where(process.platform === 'linux', 'the folder is named by the platform')
const ALL = { topK: 1000, deadlineMs: 30_000 }
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length
const standardised = (values) => {
  const deviation = Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)))
  return values.map((value) => (deviation > 1e-9 ? (value - mean(values)) / deviation : 0))
}

/** Asks until the condition holds: recovery takes as long as the machine needs. */
async function until(condition, tries = 600) {
  for (let at = 0; at < tries; at += 1) {
    const value = await condition()
    if (value) return value
    await sleep(20)
  }
  throw new Error('it never came to hold')
}

// One folder for the tests of this process, or most of their time went into the same vectors.
const VECTORS = mkdtempSync(join(tmpdir(), 'tool-router-test-'))
test.after.always(() => rmSync(VECTORS, { recursive: true, force: true }))

async function withModel(list = servers()) {
  await fresh(list)
  await router.loadModel({ cacheDir: VECTORS })
  return router.ready()
}

// --- the local model ---

test.serial('with the model all tools get vectors, and ranking is hybrid', async (t) => {
  const status = await withModel()
  t.deepEqual(
    [status.state, status.ranker, status.vectorCount, status.degraded, status.lastError],
    ['ready', 'hybrid', 58, undefined, undefined],
  )
  t.is(status.embedder.dimensions, 384)
  t.regex(status.embedder.modelId, /MiniLM/)
  const ranking = await router.rank('list issues', ALL)
  t.deepEqual([ranking.ranker, ranking.degraded], ['hybrid', undefined])
})

const PARAPHRASES = [['how hot is it outside', 'mcp--weatherly--current_conditions']]

test.serial('a paraphrase that shares no term with any tool is found by vectors', async (t) => {
  await withModel()
  for (const [query, name] of PARAPHRASES) {
    t.is((await router.rank(query, { ranker: 'lexical' })).supportedCount, 0, query)
    t.is(names(await router.rank(query, ALL))[0], name, query)
    t.deepEqual(await router.search(query, [{ serverName: 'a', toolName: 'zzz' }], 1), [])
  }
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
  const similarities = async () => {
    const found = new Map()
    for (const [query] of PARAPHRASES)
      for (const { name, similarity } of (await router.rank(query, ALL)).tools)
        found.set(`${query} ${name}`, similarity)
    return found
  }
  await withModel([servers()[9]])
  const alone = await similarities()
  await withModel([bulk('ledgers', 40), ...servers().reverse()])
  const among = await similarities()
  for (const [key, similarity] of alone) t.is(among.get(key), similarity, key)
  t.is(alone.size, 7 * PARAPHRASES.length)
})

test.serial('a tool keeps its vector when its server is set again', async (t) => {
  await withModel()
  await router.setServers(servers())
  t.deepEqual([router.status.state, router.status.vectorCount], ['ready', 58])
  await router.removeServer('weatherly')
  t.is(router.status.vectorCount, 51)
  await router.setServer(servers()[9])
  t.is((await router.ready()).vectorCount, 58)
})

test.serial('loading the model again, with other threads, changes no answer', async (t) => {
  await withModel()
  const before = JSON.stringify(await router.rank('umbrella', ALL))
  await router.loadModel({ cacheDir: false, threads: 2 })
  await router.ready()
  t.is(JSON.stringify(await router.rank('umbrella', ALL)), before)
})

test.serial('lists given in the call are ranked by vectors once they are there', async (t) => {
  await withModel([])
  const list = servers().flatMap(({ name, tools }) =>
    tools.map((tool) => ({ serverName: name, toolName: tool.name, description: tool.description })),
  )
  await router.attachInitial('umbrella', list, 5)
  await router.ready()
  t.is((await router.search('will I need an umbrella tomorrow', list, 5))[0], 'mcp--weatherly--forecast')
})

test.serial('a task that begins lexically is upgraded by a later turn', async (t) => {
  await fresh(servers(), { deadlineMs: 30_000 })
  const session = router.openSession({ settings: { initialK: 1, turnK: 1 } })
  const first = await session.start('do I want a brolly')
  t.deepEqual([first.ranker, first.degraded.code], ['lexical', 'model-not-loaded'])
  await router.loadModel({ cacheDir: VECTORS })
  await router.ready()
  const second = await session.turn('will I need an umbrella tomorrow')
  t.deepEqual([second.ranker, second.degraded, second.added], ['hybrid', undefined, ['mcp--weatherly--forecast']])
  session.close()
})

// --- the cache on disk ---

const files = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    : []
const identity = (folder) =>
  files(folder)
    .map((file) => `${file} ${statSync(file).ino} ${statSync(file).mtimeMs}`)
    .sort()

const IN_CHILD = (options) => `
  await router.setServer({ name: 'weatherly', tools: [['forecast', 'Forecast for the next days'], ['marine', 'Waves and tides'], ['alerts', 'Severe weather warnings']].map(([name, description]) => ({ name, description })) })
  await router.loadModel(${options})
  const { state, vectorCount, lastError } = await router.ready()
  const { tools, ranker } = await router.rank('will I need an umbrella', { deadlineMs: 30000 })
  say({ state, vectorCount, lastError, ranker, tools })
`
const cacheOf = (folder) => IN_CHILD(JSON.stringify({ cacheDir: folder }))
const asSaid = async (t, source, options) => endedWell(t, await runScript(source, options))[0]

test('a second process takes all vectors from the cache folder and writes none', async (t) => {
  const folder = join(tempDir(t), 'not', 'there', 'yet')
  const first = await asSaid(t, cacheOf(folder))
  t.deepEqual([first.state, first.vectorCount, first.ranker], ['ready', 3, 'hybrid'])
  const before = identity(folder)
  t.is(before.length, 1, 'one file for all')
  t.deepEqual(await asSaid(t, cacheOf(folder)), first)
  t.deepEqual(identity(folder), before)
})

test('a cache file that is damaged, cut, empty or foreign costs no error and no wrong vector', async (t) => {
  const folder = tempDir(t)
  const first = await asSaid(t, cacheOf(folder))
  const [file] = files(folder)
  const whole = readFileSync(file)
  const damages = [
    Buffer.alloc(0),
    whole.subarray(0, whole.length - 1),
    Buffer.concat([whole, Buffer.from([0])]),
    whole.map((byte, at) => (at === whole.length - 2 ? byte ^ 0x40 : byte)),
    whole.map((byte, at) => (at === 2 ? byte ^ 0x40 : byte)),
    Buffer.from('not a vector at all'),
  ]
  for (const damage of damages) {
    writeFileSync(file, damage)
    t.deepEqual(await asSaid(t, cacheOf(folder)), first)
    const mended = identity(folder)
    t.deepEqual(await asSaid(t, cacheOf(folder)), first)
    t.deepEqual(identity(folder), mended, 'all of them are there again')
  }
})

test('two processes share one cache folder at the same time', async (t) => {
  const folder = tempDir(t)
  const [first, second] = await Promise.all([asSaid(t, cacheOf(folder)), asSaid(t, cacheOf(folder))])
  t.deepEqual(first, second)
  t.deepEqual(
    files(folder).filter((file) => /\/\./.test(file.slice(folder.length))),
    [],
    'no temporary file stays',
  )
})

test('a cache folder that cannot be written costs no error', async (t) => {
  const file = join(tempDir(t), 'file')
  writeFileSync(file, 'a file where the folder should be')
  const first = await asSaid(t, IN_CHILD('{ cacheDir: false }'))
  for (const folder of [file, '/proc/nowhere']) t.deepEqual(await asSaid(t, cacheOf(folder)), first, folder)
})

onLinux("vectors are kept in the user's cache folder by default, and nowhere with cacheDir: false", async (t) => {
  const home = tempDir(t)
  const env = { HOME: home, XDG_CACHE_HOME: join(home, 'cache') }
  await asSaid(t, IN_CHILD('{ cacheDir: false }'), { env })
  t.deepEqual(files(home), [])
  await asSaid(t, IN_CHILD(''), { env })
  t.is(files(join(home, 'cache', 'zoo-tool-router')).length, 1)
  return undefined
})

// --- model folders that are not right ---

/** A copy of the model folder, cheap where a file stays as it is. */
function modelCopy(t, { manifest, without = [], change = {} } = {}) {
  const folder = tempDir(t)
  for (const name of ['model.onnx', 'tokenizer.json', 'model.json']) {
    if (without.includes(name)) continue
    if (change[name]) {
      copyFileSync(join(MODEL, name), join(folder, name))
      change[name](join(folder, name))
    } else if (name === 'model.json' && manifest) {
      writeFileSync(
        join(folder, name),
        JSON.stringify({ ...JSON.parse(readFileSync(join(MODEL, name), 'utf8')), ...manifest }),
      )
    } else symlinkSync(join(MODEL, name), join(folder, name))
  }
  return folder
}

const cut = (file) => truncateSync(file, Math.floor(statSync(file).size / 2))
const garbage = (file) => writeFileSync(file, 'garbage')
const BROKEN = [
  ['that is not there', () => '/nowhere/at/all', 'ERR_MODEL_NOT_FOUND', 'nowhere'],
  ['that is empty', (t) => tempDir(t), 'ERR_MODEL_NOT_FOUND', 'model.onnx'],
  ['that is a file', () => join(MODEL, 'model.json'), 'ERR_MODEL_NOT_FOUND', 'model.json'],
  [
    'without tokenizer.json',
    (t) => modelCopy(t, { without: ['tokenizer.json'] }),
    'ERR_MODEL_NOT_FOUND',
    'tokenizer.json',
  ],
  ['with half a model.onnx', (t) => modelCopy(t, { change: { 'model.onnx': cut } }), 'ERR_MODEL_INVALID', 'model.onnx'],
  [
    'with half a model.onnx and no model.json',
    (t) => modelCopy(t, { without: ['model.json'], change: { 'model.onnx': cut } }),
    'ERR_MODEL_INVALID',
  ],
  [
    'with half a tokenizer.json and no model.json',
    (t) => modelCopy(t, { without: ['model.json'], change: { 'tokenizer.json': cut } }),
    'ERR_MODEL_INVALID',
  ],
  [
    'with garbage for model.onnx',
    (t) => modelCopy(t, { without: ['model.json'], change: { 'model.onnx': garbage } }),
    'ERR_MODEL_INVALID',
  ],
  [
    'with an empty model.onnx',
    (t) => modelCopy(t, { without: ['model.json'], change: { 'model.onnx': (file) => truncateSync(file, 0) } }),
    'ERR_MODEL_INVALID',
  ],
  [
    'with garbage for model.json',
    (t) => modelCopy(t, { change: { 'model.json': garbage } }),
    'ERR_MODEL_INVALID',
    'model.json',
  ],
  [
    'of other dimensions than it says',
    (t) => modelCopy(t, { manifest: { dimensions: 256 } }),
    'ERR_MODEL_INVALID',
    '256',
  ],
  ['of unknown pooling', (t) => modelCopy(t, { manifest: { pooling: 'max' } }), 'ERR_MODEL_INVALID', 'max'],
]

test.serial('a model folder that cannot be used is a coded error, and the model before stays', async (t) => {
  await withModel([servers()[9]])
  const [before, { embedder }] = [JSON.stringify(await router.rank('umbrella', ALL)), router.status]
  for (const [what, folder, code, named] of BROKEN) {
    const error = await refused(t, code, () => router.loadModel({ modelDir: folder(t), cacheDir: false }), what)
    if (named) t.true(error.message.includes(named), `${what}: ${error.message}`)
    t.deepEqual([router.status.embedder, router.status.state], [embedder, 'ready'], what)
  }
  t.is(JSON.stringify(await router.rank('umbrella', ALL)), before)
})

test.serial('a failed load leaves a cold router cold and lexical', async (t) => {
  await fresh(servers())
  await refused(t, 'ERR_MODEL_NOT_FOUND', () => router.loadModel({ modelDir: '/nowhere' }))
  t.deepEqual(
    [router.status.state, router.status.ranker, router.status.degraded.code],
    ['cold', 'lexical', 'model-not-loaded'],
  )
})

test.serial('a model folder without model.json is the same model', async (t) => {
  await fresh([servers()[9]])
  const { dimensions } = await router.loadModel({
    modelDir: modelCopy(t, { without: ['model.json'] }),
    cacheDir: false,
  })
  t.is(dimensions, 384)
})

// --- an embedder of the host's ---

const TOPICS = ['whale', 'car', 'bread', 'music']
/** Counts words of four topics: a meaning that can be checked by hand. */
const meaning = (text) => [0.01, ...TOPICS.map((topic) => text.toLowerCase().split(topic).length - 1)]
const good = (texts) => texts.map(meaning)
const ZOO = [
  {
    name: 'zoo',
    tools: [
      { name: 'orca', description: 'A whale' },
      { name: 'bakery', description: 'Makes bread' },
      { name: 'garage', description: 'Mends a car' },
    ],
  },
]

const FORMS = [
  ['a list of numbers', good],
  ['a promise', async (texts) => good(texts)],
  ['a promise that takes a while', (texts) => sleep(5).then(() => good(texts))],
  ['Float32Array', (texts) => good(texts).map((vector) => Float32Array.from(vector))],
  ['Float64Array', (texts) => good(texts).map((vector) => Float64Array.from(vector))],
  [
    'a view into a larger buffer',
    (texts) => good(texts).map((vector) => new Float32Array([9, 9, ...vector, 9]).subarray(2, 7)),
  ],
  ['vectors of any length', (texts) => good(texts).map((vector) => vector.map((number) => number * 1e6))],
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
      t.true(tools[0].similarity > 0.9 && tools[1].similarity < 0.1)
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
  const words = (name) =>
    name
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter(Boolean)
  for (const server of [...servers(), { name: 'x y', tools: [{ name: '名前' }] }]) {
    for (const tool of server.tools)
      t.true(
        [...texts].some((text) =>
          [...words(server.name), ...words(tool.name)].every((word) => text.toLowerCase().includes(word)),
        ),
        `${server.name} ${tool.name}`,
      )
  }
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

test.serial('null after an embedder that is still being asked wins', async (t) => {
  await fresh(ZOO)
  const setting = router
    .setEmbedder((texts) => sleep(30).then(() => good(texts)), { modelId: 'slow' })
    .catch((error) => error)
  await router.setEmbedder(null)
  await setting
  t.is(router.status.embedder, undefined)
  t.is(router.status.state, 'cold')
})

test.serial('ready waits for an embedder that was set before it, awaited or not', async (t) => {
  for (let round = 0; round < 20; round += 1) {
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

// --- embedders that fail from the start ---

const never = () => new Promise(() => {})
const BAD_ANSWERS = [
  [
    'throws',
    () => {
      throw new Error('no service today')
    },
    'no service today',
  ],
  [
    'throws what is no error',
    () => {
      throw 'a text'
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error('no service today')
    },
    'no service today',
  ],
  ['rejects with nothing', () => Promise.reject()],
  [
    'rejects with what cannot be text',
    () =>
      Promise.reject({
        toString() {
          throw new Error('ha')
        },
      }),
  ],
  ['never settles', never, 'timeoutMs'],
  ['answers undefined', () => undefined],
  ['answers null', async () => null],
  ['answers text', () => 'vectors'],
  ['answers an object', () => ({ data: [] })],
  ['answers no vector', () => []],
  ['answers one vector too many', (texts) => [...good(texts), [1, 2, 3, 4, 5]]],
  ['answers an empty vector', (texts) => texts.map(() => [])],
  ['answers numbers for vectors', (texts) => texts.map(() => 1)],
  ['answers null for a vector', (texts) => texts.map(() => null)],
  ['answers texts for numbers', (texts) => texts.map(() => ['1', '2'])],
  ['answers holes for numbers', (texts) => texts.map(() => Object.assign(new Array(3), { 0: 1, 2: 2 }))],
  ['answers null for a number', (texts) => texts.map(() => [1, null])],
  ['answers BigInts', (texts) => texts.map(() => [1n, 2n])],
  ['answers NaN', (texts) => texts.map(() => [1, Number.NaN])],
  ['answers NaN in a Float32Array', (texts) => texts.map(() => new Float32Array([1, Number.NaN]))],
  ['answers Infinity', (texts) => texts.map(() => [1, Number.POSITIVE_INFINITY])],
  ['answers only zeros', (texts) => texts.map(() => [0, 0, 0])],
  [
    'answers a getter that throws',
    (texts) =>
      texts.map(() =>
        Object.defineProperty([1, 2], 0, {
          get() {
            throw new Error('ha')
          },
        }),
      ),
  ],
  [
    'answers a revoked proxy',
    () => {
      const { proxy, revoke } = Proxy.revocable([], {})
      revoke()
      return proxy
    },
  ],
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

test.serial('a failed first embedder leaves the router cold', async (t) => {
  await fresh(ZOO)
  await refused(t, 'ERR_EMBEDDING_FAILED', () => router.setEmbedder(() => []))
  t.deepEqual([router.status.state, router.status.embedder], ['cold', undefined])
})

// --- embedders that fail later ---

const LATER = [
  [
    'throws',
    () => {
      throw new Error('quota')
    },
    'embedding-failed',
  ],
  [
    'rejects',
    async () => {
      throw new Error('quota')
    },
    'embedding-failed',
  ],
  ['answers the wrong count', () => [], 'embedding-failed'],
  ['answers another length', (texts) => texts.map(() => [1, 2]), 'embedding-failed'],
  ['answers NaN', (texts) => texts.map(() => [1, 2, 3, 4, Number.NaN]), 'embedding-failed'],
  ['answers nothing', () => undefined, 'embedding-failed'],
  ['hangs', never, 'deadline-exceeded'],
]

for (const [what, failing, code] of LATER) {
  test.serial(
    `when the embedder ${what} later, ranking is lexical immediately, says ${code}, and recovers`,
    async (t) => {
      await fresh(ZOO)
      let current = good
      await router.setEmbedder((texts) => current(texts), { timeoutMs: 400 })
      await router.ready()
      current = failing
      const { degraded, ...answer } = await router.rank(`whale that ${what}`, {
        topK: 1000,
        deadlineMs: what === 'hangs' ? 50 : 30_000,
      })
      t.is(degraded?.code, code)
      const { degraded: _, ...lexical } = await router.rank(`whale that ${what}`, { topK: 1000, ranker: 'lexical' })
      t.deepEqual(answer, lexical)
      if (code === 'embedding-failed') t.true(router.status.lastError.length > 0)
      const hung = await router.rank('another whale', { deadlineMs: what === 'hangs' ? 50 : 30_000 })
      t.is(hung.degraded?.code, code)
      t.is(
        (await router.explain('a third whale', 'mcp--zoo--orca', { deadlineMs: what === 'hangs' ? 50 : 30_000 }))
          .degraded?.code,
        code,
      )
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

test.serial('queries that come as fast as their deadline never lock the embedder out for good', async (t) => {
  await fresh(ZOO)
  await router.setEmbedder((texts) => {
    const end = performance.now() + Math.random() * 2
    while (performance.now() < end);
    return good(texts)
  })
  await router.ready()
  for (let at = 0; at < 300; at += 1) await router.rank(`whale ${at}`, { deadlineMs: 1 })
  await until(
    async () => (await router.rank(`calm whale ${Math.random()}`, { deadlineMs: 30_000 })).ranker === 'hybrid',
  )
  t.pass()
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
    const seen = new Set()
    let isSet = false
    const wait = setting.then(() => (isSet = true))
    while (!isSet) {
      if (open.length > 0) await next()
      await sleep(5)
    }
    await wait
    seen.add((await router.rank('whale')).degraded?.code)
    t.deepEqual([[...seen], router.status.state], [['vectors-pending'], 'loading'])
    isHeld = false
    for (const release of open) release()
    t.is((await router.ready()).state, 'ready')
  },
)

test.serial('an embedder that hangs can be replaced and taken out without waiting for it', async (t) => {
  for (const next of [null, good]) {
    await fresh(ZOO)
    let current = good
    await router.setEmbedder((texts) => current(texts), { timeoutMs: 60_000 })
    await router.ready()
    current = never
    t.is((await router.rank('a whale that hangs', { deadlineMs: 10 })).degraded.code, 'deadline-exceeded')
    const outcome = await Promise.race([
      router.setEmbedder(next).then(() => 'replaced'),
      sleep(15_000).then(() => 'waited'),
    ])
    t.is(outcome, 'replaced')
  }
})

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
