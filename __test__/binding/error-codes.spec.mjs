// Every code and its one shape.
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { endedWell, runScript } from '../helpers/child.mjs'
import { bulk } from '../helpers/catalogue.mjs'
import { read, ROOT } from '../helpers/pages.mjs'
import { fresh, refused, router } from '../helpers/router.mjs'
import { tempDir } from '../helpers/temp.mjs'
import { addon, CODES } from '../helpers/wrong.mjs'

/** Those of the loader, which are thrown where there is no addon; project/package.spec.mjs reaches them. */
const LOAD_CODES = ['ERR_PLATFORM_UNSUPPORTED', 'ERR_ADDON_LOAD']

/** A folder whose files are not what they claim to be. */
function brokenModel(t) {
  const folder = tempDir(t)
  for (const name of ['model.onnx', 'tokenizer.json']) writeFileSync(join(folder, name), 'garbage')
  return folder
}

/** Reaches each code but those that need more than a call. */
const REACH = {
  ERR_INVALID_ARGUMENT: () => router.rank(5),
  ERR_TOOL_NOT_FOUND: () => router.explain('x', 'mcp--no--tool'),
  ERR_OUT_OF_SCOPE: () => router.explain('x', 'mcp--off--x'),
  ERR_SESSION_NOT_FOUND: () => router.session('nobody'),
  ERR_RESULT_NOT_FOUND: () => {
    const session = router.openSession()
    return session.readResult('res_none').finally(() => session.close())
  },
  ERR_STATE_INVALID: () => router.restoreSession('{'),
  ERR_STATE_VERSION: () => router.restoreSession('{"version":9}'),
  ERR_CONFIG_INVALID: () => router.loadCuration({ globalPath: tmpdir() }),
  ERR_MODEL_NOT_FOUND: () => router.loadModel({ modelDir: '/nowhere/at/all' }),
  ERR_MODEL_INVALID: (t) => router.loadModel({ modelDir: brokenModel(t), cacheDir: false }),
  ERR_EMBEDDING_FAILED: () =>
    router.setEmbedder(() => {
      throw new Error('no')
    }),
  ERR_INTERNAL: () => addon().__panic(),
}

for (const [code, reach] of Object.entries(REACH)) {
  test.serial(`${code} is reached, and the next call works`, async (t) => {
    await fresh([{ name: 'off', disabled: true, tools: [{ name: 'x' }] }])
    const error = await refused(t, code, () => reach(t))
    const keys = Object.keys(error).filter((key) => key !== 'cause')
    t.deepEqual(keys.toSorted(), ['code', 'name'])
    if ('cause' in error) t.true(error.cause instanceof Error && error.cause.message.length > 0)
    t.true(error.message.length > 15 && !error.message.endsWith('.'), error.message)
    t.is((await router.rank('anything')).candidateCount, 0)
  })
}

test.serial(
  'ERR_BUSY: more than 1,024 waiting calls are refused immediately, and those that wait are served',
  async (t) => {
    await fresh()
    const setting = router.setServers(Array.from({ length: 4 }, (_, at) => bulk(`server${at}`, 2500)))
    const calls = Array.from({ length: 1100 }, (_, at) =>
      router.countTokens('x'.repeat(at % 7)).then(
        () => 'served',
        (error) => error,
      ),
    )
    const outcomes = await Promise.all(calls)
    const busy = outcomes.filter((outcome) => outcome !== 'served')
    t.true(busy.length >= 1100 - 1024 - 8 && busy.length <= 80, `${busy.length}`)
    for (const { name, code, message } of busy) {
      t.deepEqual([name, code], ['ToolRouterError', 'ERR_BUSY'])
      t.true(message.includes('1024'), message)
    }
    t.true(outcomes.slice(0, 1000).every((outcome) => outcome === 'served'))
    t.is((await setting).added.length, 10_000)
    t.is(await router.countTokens('a'), 1)
    await fresh()
  },
)

test('ERR_RUNTIME_NOT_FOUND: a runtime that is not there, or is none, and a right one afterwards', async (t) => {
  const said = endedWell(
    t,
    await runScript(`
    const attempt = async (options) => { try { await router.loadModel({ cacheDir: false, ...options }); say('loaded') } catch ({ name, code, message }) { say({ name, code, message }) } }
    await attempt({ runtimePath: '/nowhere/libonnxruntime.so' })
    await attempt({ runtimePath: ${JSON.stringify(join(ROOT, 'package.json'))} })
    await attempt({ runtimePath: ${JSON.stringify(ROOT)} })
    say(router.status.state)
    await attempt({})
    say(router.status.embedder.dimensions)
  `),
  )
  const [missing, text, folder, ...rest] = said
  for (const error of [missing, text, folder])
    t.deepEqual([error.name, error.code], ['ToolRouterError', 'ERR_RUNTIME_NOT_FOUND'], error.message)
  t.true(missing.message.includes('/nowhere/libonnxruntime.so'))
  t.deepEqual(rest, ['cold', 'loaded', 384])
})

test('the codes are a closed set: those in index.d.ts are those of the sources', (t) => {
  t.deepEqual([...read('src/error.rs').matchAll(/"(ERR_[A-Z_]+)"/g)].map(([, code]) => code).sort(), [...CODES].sort())
  t.is(CODES.length, 14)
})

test('every code is reached by a test of this folder', (t) => {
  const elsewhere = ['ERR_BUSY', 'ERR_RUNTIME_NOT_FOUND']
  t.deepEqual([...Object.keys(REACH), ...elsewhere].sort(), [...CODES].sort())
})

test('the table of docs/errors.md lists exactly the codes', (t) => {
  const rows = [...read('docs/errors.md').matchAll(/^\| *`(ERR_[A-Z_]+)`/gm)].map(([, code]) => code)
  t.true(rows.length > 0, 'docs/errors.md has no table of errors: rows that begin with | `ERR_…`')
  t.deepEqual([...rows].sort(), [...CODES, ...LOAD_CODES].sort())
})

test('messages name the field, what was expected and what was received', async (t) => {
  await fresh()
  const MESSAGES = [
    [() => router.rank('x', { topK: -1 }), 'rank.topK: expected an integer from 1 to 1000, got -1'],
    [() => router.rank(null), 'rank.query: expected text, got null'],
    [
      () => router.configure({ maxTools: 20, nativeToolCount: 20 }),
      'configure.maxTools: expected at least 21 (nativeToolCount 20 and mcp_load), got 20',
    ],
    [
      () => router.configure({ hostModes: { code: { allowedMcpServers: ['a', 5] } } }),
      'configure.hostModes.code.allowedMcpServers[1]: expected text, got 5',
    ],
  ]
  for (const [call, expected] of MESSAGES) {
    const { message } = await refused(t, 'ERR_INVALID_ARGUMENT', call)
    t.is(message, expected)
  }
})

test('synchronous methods throw, the others reject and never throw', async (t) => {
  const bad = Symbol('bad')
  for (const call of [
    () => router.configure(bad),
    () => router.openSession(bad),
    () => router.session(bad),
    () => router.resolveTool(bad),
    () => router.onTelemetry(bad),
  ])
    t.throws(call, { code: 'ERR_INVALID_ARGUMENT' })
  const methods = 'setServer removeServer loadModel ready rank restoreSession search countTokens recordUse'.split(' ')
  for (const method of methods) {
    await t.throwsAsync(router[method](bad), { code: 'ERR_INVALID_ARGUMENT' }, method)
  }
})
