// Model folders that cannot be used are coded errors, and the model before stays.
import { copyFileSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'ava'
import { servers } from '../helpers/catalogue.mjs'
import { ADDON, fresh, refused, router } from '../helpers/router.mjs'
import { tempDir } from '../helpers/temp.mjs'
import { withModel } from '../helpers/embedders.mjs'

const MODEL = join(dirname(ADDON), 'npm', 'model')
const ALL = { topK: 1000, deadlineMs: 30_000 }

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

const BROKEN = [
  ['that is not there', () => '/nowhere/at/all', 'ERR_MODEL_NOT_FOUND', 'nowhere'],
  ['that is a file', () => join(MODEL, 'model.json'), 'ERR_MODEL_NOT_FOUND', 'model.json'],
  [
    'without tokenizer.json',
    (t) => modelCopy(t, { without: ['tokenizer.json'] }),
    'ERR_MODEL_NOT_FOUND',
    'tokenizer.json',
  ],
  ['with half a model.onnx', (t) => modelCopy(t, { change: { 'model.onnx': cut } }), 'ERR_MODEL_INVALID', 'model.onnx'],
  [
    'with half a tokenizer.json and no model.json',
    (t) => modelCopy(t, { without: ['model.json'], change: { 'tokenizer.json': cut } }),
    'ERR_MODEL_INVALID',
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

test.serial('a model folder without model.json is the same model', async (t) => {
  await fresh([servers()[9]])
  const { dimensions } = await router.loadModel({
    modelDir: modelCopy(t, { without: ['model.json'] }),
    cacheDir: false,
  })
  t.is(dimensions, 384)
})

test.serial('a text without words of other languages is ranked as if their rows were not there', async (t) => {
  const rows = readFileSync(join(MODEL, 'languages.bin'))
  const pieces = readFileSync(join(MODEL, 'languages.txt'), 'utf8').trimEnd().split('\n')
  t.is(rows.length, pieces.length * (384 + 4))
  const numbers = pieces.length * 384
  const spoilt = (file) => {
    const model = readFileSync(file)
    const at = model.indexOf(rows.subarray(0, numbers))
    t.true(at > 0)
    writeFileSync(file, model.fill(1, at, at + numbers))
  }
  const english = ['file a bug about the login page', 'who is on call tonight?', 'book a flight to Lisbon for the team']
  const others = ['Rechnung als bezahlt markieren', '查找客户的订单', 'напиши команде, что сборка упала']
  await fresh(servers().filter((server) => /^\p{ASCII}*$/u.test(JSON.stringify(server))))
  const said = []
  for (const change of [{}, { 'model.onnx': spoilt }]) {
    await router.loadModel({ modelDir: modelCopy(t, { without: ['model.json'], change }), cacheDir: false })
    while ((await router.ready()).state === 'loading');
    const rank = async (text) => (await router.rank(text, { ...ALL, ranker: 'semantic' })).tools
    said.push([await Promise.all(english.map(rank)), await Promise.all(others.map(rank))])
  }
  const [whole, without] = said
  t.deepEqual(whole[0], without[0])
  for (const at of others.keys()) t.notDeepEqual(whole[1][at], without[1][at], others[at])
})
