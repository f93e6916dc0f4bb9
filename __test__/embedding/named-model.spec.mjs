// Models by name: found in a cache as Hugging Face's tools lay it out, checked, and downloaded from a server of this
// machine that answers as a hub does. And the signals that end what may take long.
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import test from 'ava'

import { freePort } from '../../scripts/vscode/drive.mjs'
import { listening } from '../helpers/listening.mjs'
import { router } from '../helpers/router.mjs'
import { tempDir } from '../helpers/temp.mjs'

const MODEL = fileURLToPath(new URL('../../npm/model/', import.meta.url))
const COMMIT = '0123456789abcdef0123456789abcdef01234567'
/** Our model under the names of two others: of the same shape, pooled in two ways. */
const NAMED = {
  AllMiniLML6V2Q: { repository: 'Xenova/all-MiniLM-L6-v2', file: 'onnx/model_quantized.onnx' },
  BGESmallENV15Q: { repository: 'Qdrant/bge-small-en-v1.5-onnx-Q', file: 'model_optimized.onnx' },
}
const model = readFileSync(path.join(MODEL, 'model.onnx'))
const tokenizer = readFileSync(path.join(MODEL, 'tokenizer.json'))
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')
const gitHash = (bytes) => createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
const [modelHash, tokenizerHash] = [sha256(model), gitHash(tokenizer)]
const rootOf = (cache, name) => path.join(cache, `models--${NAMED[name].repository.replace('/', '--')}`)

/** Places a model as the download would. */
function placed(cache, name) {
  const root = rootOf(cache, name)
  const snapshot = path.join(root, 'snapshots', COMMIT)
  for (const [file, hash, bytes] of [
    [NAMED[name].file, modelHash, model],
    ['tokenizer.json', tokenizerHash, tokenizer],
  ]) {
    const [blob, at] = [path.join(root, 'blobs', hash), path.join(snapshot, file)]
    for (const folder of [path.dirname(blob), path.dirname(at)]) mkdirSync(folder, { recursive: true })
    writeFileSync(blob, bytes)
    symlinkSync(path.relative(path.dirname(at), blob), at)
  }
  mkdirSync(path.join(root, 'refs'))
  writeFileSync(path.join(root, 'refs', 'main'), COMMIT)
  return root
}

/** A hub: redirects large files, names contents by their hashes. `change` alters its answers. */
async function hub(t, change = {}) {
  const asked = []
  const address = await listening(t, (request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const isModel = request.url.endsWith('.onnx') || request.url.startsWith('/cdn/')
    const bytes = change.bytes?.(isModel) ?? (isModel ? model : tokenizer)
    if (change.hangs?.(request)) return
    if (request.url.startsWith('/cdn/')) return response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
    const headers = { 'x-repo-commit': change.commit ?? COMMIT }
    if (isModel) {
      Object.assign(headers, {
        'x-linked-etag': `"${modelHash}"`,
        'x-linked-size': model.length,
        location: '/cdn/model',
      })
      return response.writeHead(302, headers).end()
    }
    Object.assign(headers, { etag: `"${tokenizerHash}"`, 'content-length': tokenizer.length })
    return response.writeHead(change.status ?? 200, headers).end(request.method === 'HEAD' ? undefined : bytes)
  })
  t.teardown(() => delete process.env.HF_ENDPOINT)
  process.env.HF_ENDPOINT = `${address}/`
  return asked
}

const load = (cache, more) => router.loadModel({ modelCacheDir: cache, cacheDir: false, ...more })

test.before(() =>
  router.setServer({
    name: 'w',
    tools: [
      { name: 'get_forecast', description: 'Weather forecast for a place' },
      { name: 'delete_file', description: 'Remove a file from disk' },
    ],
  }),
)
test.afterEach.always(() => router.setEmbedder(null))

for (const name of Object.keys(NAMED)) {
  test.serial(`${name} is loaded from the cache of models, and ranks`, async (t) => {
    const cache = tempDir(t)
    placed(cache, name)
    const { modelId, dimensions } = await load(cache, { model: name })
    t.true(modelId.startsWith(name))
    t.is(dimensions, 384)
    await router.ready()
    const { tools, ranker } = await router.rank('will it rain tomorrow', { deadlineMs: 60_000 })
    t.deepEqual([tools[0].name, ranker], ['mcp--w--get_forecast', 'hybrid'])
  })
}

test.serial('a model that is not there is said so, with what to do, and nothing is asked of a network', async (t) => {
  const asked = await hub(t)
  const cache = tempDir(t)
  const error = await t.throwsAsync(load(cache, { model: 'BGESmallENV15Q' }), { code: 'ERR_MODEL_NOT_FOUND' })
  t.regex(error.message, /BGESmallENV15Q is not in .*; pass download: true, or place the files of Qdrant\/bge/)
  t.deepEqual([asked, readdirSync(cache)], [[], []])
})

test.serial('a damaged file is told without download, and replaced with it', async (t) => {
  const cache = tempDir(t)
  const root = placed(cache, 'AllMiniLML6V2Q')
  const damaged = Buffer.from(model)
  damaged[damaged.length >> 1] ^= 1
  writeFileSync(path.join(root, 'blobs', modelHash), damaged)
  const error = await t.throwsAsync(load(cache, { model: 'AllMiniLML6V2Q' }), { code: 'ERR_MODEL_INVALID' })
  t.true(error.message.includes(modelHash), error.message)
  const asked = await hub(t)
  await load(cache, { model: 'AllMiniLML6V2Q', download: true })
  t.is(sha256(readFileSync(path.join(root, 'blobs', modelHash))), modelHash)
  t.is(asked.filter((each) => each.startsWith('GET')).length, 2, 'the redirect and the file, not the tokenizer')
})

test.serial('a download is checked and kept: the next load asks nobody', async (t) => {
  const cache = tempDir(t)
  const asked = await hub(t)
  const { modelId } = await load(cache, { model: 'BGESmallENV15Q', download: true })
  t.deepEqual(asked, [
    'HEAD /Qdrant/bge-small-en-v1.5-onnx-Q/resolve/main/model_optimized.onnx',
    'HEAD /Qdrant/bge-small-en-v1.5-onnx-Q/resolve/main/tokenizer.json',
    'GET /Qdrant/bge-small-en-v1.5-onnx-Q/resolve/main/model_optimized.onnx',
    'GET /cdn/model',
    'GET /Qdrant/bge-small-en-v1.5-onnx-Q/resolve/main/tokenizer.json',
  ])
  t.is((await load(cache, { model: 'BGESmallENV15Q' })).modelId, modelId)
  t.is((await load(cache, { model: 'BGESmallENV15Q', download: true })).modelId, modelId)
  t.is(asked.length, 5)
})

for (const [what, change, said] of [
  [
    'other content',
    { bytes: (isModel) => (isModel ? Buffer.alloc(model.length) : undefined) },
    /expected content with hash/,
  ],
  [
    'half a file',
    { bytes: (isModel) => (isModel ? model.subarray(0, 1e6) : undefined) },
    /expected \d+ bytes, got 1000000/,
  ],
  ['more than it said', { bytes: (isModel) => (isModel ? Buffer.alloc(model.length + 9) : undefined) }, /got more/],
  ['no commit', { commit: '../../x' }, /without a hash/],
  ['an error', { status: 404 }, /tokenizer\.json: the server answered 404/],
]) {
  test.serial(`a hub that answers ${what} is an error, and leaves no model behind`, async (t) => {
    const cache = tempDir(t)
    await hub(t, change)
    const error = await t.throwsAsync(load(cache, { model: 'BGESmallENV15Q', download: true }), {
      code: 'ERR_MODEL_NOT_FOUND',
    })
    t.regex(error.message, said)
    const root = rootOf(cache, 'BGESmallENV15Q')
    t.false(existsSync(path.join(root, 'refs', 'main')))
    const blobs = path.join(root, 'blobs')
    t.deepEqual(existsSync(blobs) ? readdirSync(blobs).filter((name) => name !== tokenizerHash) : [], [])
    t.is(router.status.state, 'cold')
  })
}

test.serial('a hub that cannot be reached is told with the reason', async (t) => {
  await hub(t)
  process.env.HF_ENDPOINT = `http://127.0.0.1:${await freePort()}`
  const error = await t.throwsAsync(load(tempDir(t), { model: 'BGESmallENV15Q', download: true }))
  t.is(error.code, 'ERR_MODEL_NOT_FOUND')
  t.regex(error.message, /could not be downloaded from http:.+: ECONNREFUSED$/)
})

test.serial('files that somebody placed without links are taken, and checked by their structure', async (t) => {
  const cache = tempDir(t)
  const root = rootOf(cache, 'BGESmallENV15Q')
  const snapshot = path.join(root, 'snapshots', COMMIT)
  for (const folder of [snapshot, path.join(root, 'refs')]) mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(root, 'refs', 'main'), `${COMMIT}\n`)
  copyFileSync(path.join(MODEL, 'model.onnx'), path.join(snapshot, 'model_optimized.onnx'))
  copyFileSync(path.join(MODEL, 'tokenizer.json'), path.join(snapshot, 'tokenizer.json'))
  await load(cache, { model: 'BGESmallENV15Q' })
  writeFileSync(path.join(snapshot, 'model_optimized.onnx'), 'no model')
  await t.throwsAsync(load(cache, { model: 'BGESmallENV15Q' }), { code: 'ERR_MODEL_INVALID' })
})

for (const [given, said] of [
  [{ model: 'bge' }, /loadModel\.model: expected one of AllMiniLML12V2, .*BGESmallENV15Q.*, got "?bge/],
  [{ model: 'BGESmallENV15Q', modelDir: 'x' }, /loadModel\.modelDir: expected nothing beside model/],
  [{ model: 'BGESmallENV15Q', download: 'yes' }, /loadModel\.download: expected true or false, got "yes"/],
  [{ signal: null }, /loadModel\.signal: expected an AbortSignal, got null/],
]) {
  test.serial(`refused: loadModel(${JSON.stringify(given)})`, async (t) => {
    t.regex((await t.throwsAsync(router.loadModel(given), { code: 'ERR_INVALID_ARGUMENT' })).message, said)
  })
}

// --- signals --------------------------------------------------------------------------------------

/** What a promise rejects with. The reason of a signal is a DOMException, which ava takes for no error. */
const rejection = (promise) =>
  promise.then(
    () => undefined,
    (reason) => reason,
  )
const good = (texts) => texts.map(() => [1, 0])

test.serial('a signal that is aborted already starts nothing', async (t) => {
  const signal = AbortSignal.abort(new Error('enough'))
  for (const call of [
    () => router.loadModel({ signal }),
    () => router.loadModel({ model: 'BGESmallENV15Q', signal }),
    () => router.setEmbedder(good, { signal }),
    () => router.ready({ signal }),
  ])
    t.is((await t.throwsAsync(call())).message, 'enough')
  t.is(router.status.state, 'cold')
})

test.serial('an aborted download ends, and leaves nothing half done', async (t) => {
  const cache = tempDir(t)
  const asked = await hub(t, { hangs: ({ url }) => url.startsWith('/cdn/') })
  const controller = new AbortController()
  const loading = load(cache, { model: 'BGESmallENV15Q', download: true, signal: controller.signal })
  while (!asked.includes('GET /cdn/model')) await new Promise(setImmediate)
  controller.abort()
  t.is((await rejection(loading)).name, 'AbortError')
  t.deepEqual(readdirSync(path.join(rootOf(cache, 'BGESmallENV15Q'), 'blobs')), [])
})

test.serial('an aborted setEmbedder rejects immediately, and the previous embedder stays', async (t) => {
  await router.setEmbedder(good, { modelId: 'first' })
  const controller = new AbortController()
  let isAsked
  const asked = new Promise((resolve) => (isAsked = resolve))
  let answer
  const slow = () => {
    isAsked()
    return new Promise((resolve) => (answer = resolve))
  }
  const setting = router.setEmbedder(slow, { modelId: 'second', signal: controller.signal })
  await asked
  controller.abort(new Error('not now'))
  t.is((await t.throwsAsync(setting)).message, 'not now')
  answer([[1, 0]])
  // In the order of the calls: once this one is set, the cancelled one is done.
  await router.ready()
  t.is(router.status.embedder?.modelId, 'first')
})

test.serial('an aborted ready rejects immediately and gives its place back', async (t) => {
  await router.setEmbedder((texts) =>
    texts.some((text) => text.includes('slow')) ? new Promise(() => {}) : good(texts),
  )
  await router.setServer({ name: 'slow', tools: [{ name: 'slow_tool', description: 'slow' }] })
  t.teardown(() => router.removeServer('slow'))
  for (let round = 0; round < 3; round++) {
    const controllers = Array.from({ length: 32 }, () => new AbortController())
    const waits = controllers.map(({ signal }) => rejection(router.ready({ signal })))
    await router.rank('x', { ranker: 'lexical' })
    for (const controller of controllers) controller.abort()
    for (const { name } of await Promise.all(waits)) t.is(name, 'AbortError')
    // All 32 places are free again once their threads have noticed; these 32 hold theirs beside one another.
    for (let refused = 1; refused > 0; ) {
      const answers = await Promise.allSettled(controllers.map(() => router.ready({ timeoutMs: 200 })))
      refused = answers.filter(({ status }) => status === 'rejected').length
    }
  }
})

test.serial('a signal that is aborted afterwards changes nothing, and none of its listeners is left', async (t) => {
  const controller = new AbortController()
  const { signal } = controller
  let listeners = 0
  const { addEventListener, removeEventListener } = signal
  signal.addEventListener = (...args) => {
    listeners += 1
    addEventListener.apply(signal, args)
  }
  signal.removeEventListener = (...args) => {
    listeners -= 1
    removeEventListener.apply(signal, args)
  }
  await router.setEmbedder(good, { modelId: 'kept', signal })
  await router.ready({ signal })
  t.is(listeners, 0)
  controller.abort()
  t.is(router.status.embedder?.modelId, 'kept')
})
