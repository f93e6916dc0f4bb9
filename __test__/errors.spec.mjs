// Every code, one shape, and what a wrong value does: it is refused, and nothing is changed.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import test from 'ava'
import fc from 'fast-check'
import { endedWell, runScript } from './helpers/child.mjs'
import { bulk, servers } from './helpers/catalogue.mjs'
import { ADDON, failure, fresh, refused, router } from './helpers/router.mjs'
import { tempDir } from './helpers/temp.mjs'

const require = createRequire(import.meta.url)
const ROOT = dirname(ADDON)
const DECLARATIONS = readFileSync(join(ROOT, 'index.d.ts'), 'utf8')
const CODES = [
  ...DECLARATIONS.match(/export type ToolRouterErrorCode =([\s\S]*?)\n\n/)[1].matchAll(/'(ERR_[A-Z_]+)'/g),
].map(([, code]) => code)
/** Those of the loader, which are thrown where there is no addon; package.spec.mjs reaches them. */
const LOAD_CODES = ['ERR_PLATFORM_UNSUPPORTED', 'ERR_ADDON_LOAD']

/** The addon's file itself: the loader does not pass on what is only for tests. */
const addon = () => require(Object.keys(require.cache).find((file) => file.endsWith('.node')))

// --- each code ---

const good = (texts) => texts.map((text) => [1, text.length])

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
  ERR_CONFIG_INVALID: () => router.loadRegistry('/nowhere/at/all.json'),
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

test.serial('a panic says that it is ours and where to report it, again and again', async (t) => {
  for (let at = 0; at < 20; at += 1) {
    const { message } = await refused(t, 'ERR_INTERNAL', () => addon().__panic())
    t.true(message.includes('report'), message)
  }
  await fresh(servers())
  t.is((await router.rank('list_issues')).tools[0].toolName, 'list_issues')
})

test.serial(
  'ERR_BUSY: more than 1,024 waiting calls are refused immediately, and those that wait are served',
  async (t) => {
    await fresh()
    const setting = router.setServers(Array.from({ length: 12 }, (_, at) => bulk(`server${at}`, 2500)))
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
    t.is((await setting).added.length, 30_000)
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

test('ERR_MODEL_NOT_FOUND comes before the runtime is loaded', async (t) => {
  const said = endedWell(
    t,
    await runScript(`
    await router.loadModel({ modelDir: '/nowhere', runtimePath: '/nowhere.so' }).catch(({ code }) => say({ code }))
  `),
  )
  t.deepEqual(said, [{ code: 'ERR_MODEL_NOT_FOUND' }])
})

test('the codes are a closed set: those in index.d.ts are those of the sources', (t) => {
  const source = join(ROOT, 'src', 'error.rs')
  const table = /CODES: [\s\S]*?\];/.exec(readFileSync(source, 'utf8'))[0]
  t.deepEqual([...table.matchAll(/"(ERR_[A-Z_]+)"/g)].map(([, code]) => code).sort(), [...CODES].sort())
  t.is(CODES.length, 14)
  return undefined
})

test('every code is reached by a test of this folder', (t) => {
  const elsewhere = ['ERR_BUSY', 'ERR_RUNTIME_NOT_FOUND']
  t.deepEqual([...Object.keys(REACH), ...elsewhere].sort(), [...CODES].sort())
})

test("README's table of errors lists exactly the codes", (t) => {
  const file = join(ROOT, 'README.md')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const rows = [...text.matchAll(/^\| *`(ERR_[A-Z_]+)`/gm)].map(([, code]) => code)
  t.true(rows.length > 0, 'README.md has no table of errors: rows that begin with | `ERR_…`')
  t.deepEqual([...rows].sort(), [...CODES, ...LOAD_CODES].sort())
})

test('messages name the field, what was expected and what was received', async (t) => {
  await fresh()
  const MESSAGES = [
    [() => router.rank('x', { topK: -1 }), 'rank.topK: expected an integer from 1 to 1000, got -1'],
    [() => router.rank('x', { topK: 1.5 }), 'rank.topK: expected an integer from 1 to 1000, got 1.5'],
    [() => router.rank('x', { topK: Number.NaN }), 'rank.topK: expected an integer from 1 to 1000, got NaN'],
    [() => router.rank('x', { topK: '5' }), 'rank.topK: expected an integer from 1 to 1000, got "5"'],
    [() => router.rank('x', { topK: null }), 'rank.topK: expected an integer from 1 to 1000, got null'],
    [() => router.rank(null), 'rank.query: expected text, got null'],
    [() => router.rank(), 'rank.query: expected text, got undefined'],
    [() => router.configure({ budgetShare: 2 }), /^configure\.budgetShare: expected .*0.*1, got 2$/],
    [
      () => router.configure({ ranker: 'fast' }),
      "configure.ranker: expected 'lexical' or 'semantic' or 'hybrid', got \"fast\"",
    ],
    [
      () => router.configure({ maxTools: 10, nativeToolCount: 10 }),
      /^configure\.maxTools: expected at least 11 .*, got 10$/,
    ],
    [
      () => router.configure({ tresholds: 1 }),
      /^configure: expected threshold or another of the keys threshold, .*, got the key "tresholds"; did you mean threshold\?$/,
    ],
    [
      () => router.configure({ hostModes: { code: { allowedMcpServers: ['a', 5] } } }),
      'configure.hostModes.code.allowedMcpServers[1]: expected text, got 5',
    ],
    [
      () => router.openSession({ settings: { initialK: 1001 } }),
      'openSession.settings.initialK: expected an integer from 0 to 1000, got 1001',
    ],
    [() => router.rank('x', { hostMode: 'nope' }), /^rank\.hostMode: expected .*, got "nope"$/],
    [() => router.rank('a\ud800b'), 'rank.query: expected text that UTF-8 can hold, got the lone surrogate U+D800'],
    [() => router.contextUsage({ a: Symbol('x') }), 'contextUsage.sections.a: expected text, got a symbol'],
    [() => router.rank('x', { topK: 5n }), 'rank.topK: expected an integer from 1 to 1000, got a bigint'],
  ]
  for (const [call, expected] of MESSAGES) {
    const { message } = await refused(t, 'ERR_INVALID_ARGUMENT', call)
    if (typeof expected === 'string') t.is(message, expected)
    else t.regex(message, expected)
  }
})

test('a long value is shortened in the message', async (t) => {
  const { message } = await refused(t, 'ERR_INVALID_ARGUMENT', () => router.configure({ ranker: 'x'.repeat(1e6) }))
  t.true(message.length < 500, message)
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
  for (const method of [
    'setServer',
    'setServers',
    'removeServer',
    'loadModel',
    'setEmbedder',
    'ready',
    'rank',
    'explain',
    'restoreSession',
    'attachInitial',
    'search',
    'countTokens',
    'contextUsage',
    'recordUse',
    'forget',
  ]) {
    await t.throwsAsync(router[method](bad), { code: 'ERR_INVALID_ARGUMENT' }, method)
  }
})

// --- wrong values ---

const thrower = () =>
  Object.defineProperty({}, 'x', {
    enumerable: true,
    get() {
      throw new Error('from a getter')
    },
  })
const hostile = () =>
  new Proxy(
    {},
    {
      get() {
        throw new Error('from a proxy')
      },
      ownKeys() {
        throw new Error('from a proxy')
      },
      getOwnPropertyDescriptor() {
        throw new Error('from a proxy')
      },
    },
  )
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

const NO_COUNT = [
  -1,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  1e300,
  2 ** 53,
  null,
  '',
  '5',
  true,
  {},
  [],
  [5],
  5n,
  Symbol('s'),
  () => 5,
  Object(5),
  new Date(5),
]
const NO_RATIO = [
  -0.1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  null,
  '',
  '0.5',
  true,
  {},
  [],
  1n,
  Symbol('s'),
  Object(0.5),
]
const NO_TEXT = [
  null,
  5,
  true,
  {},
  [],
  ['a'],
  5n,
  Symbol('s'),
  () => 'a',
  Object('a'),
  '\ud800',
  'a\udc00b',
  '\udc00\ud800',
]
const NO_NAME = [...NO_TEXT, '', ' \n']
const NO_BOOLEAN = [null, 0, 1, 'true', '', {}, [], Object(true)]
const NO_LIST = [
  null,
  5,
  'a',
  {},
  true,
  { length: 1, 0: 'a' },
  new Set(['a']),
  [5],
  ['a', null],
  ['\ud800'],
  [Symbol('s')],
  new Array(1),
]
const NO_OBJECT = [null, 5, 'text', true, [], () => ({}), Symbol('s'), 5n]
const NO_STORE = [
  ...NO_OBJECT,
  {},
  { read() {} },
  { write() {} },
  { read: 5, write() {} },
  { read() {}, write() {}, more: 1 },
  thrower(),
  hostile(),
  revoked(),
]
const NO_OPTIONS = [
  ...NO_OBJECT,
  thrower(),
  hostile(),
  revoked(),
  { nonsense: 1 },
  { nonsense: undefined },
  { '': 1 },
  { toString: 1 },
]
const NO_MODE = [null, 5, '', 'AUTO', 'fast', ' lexical', ['lexical'], Object('lexical'), 'lexical\0']

/** The rows of the settings: name, range, default. */
const ROWS = JSON.parse(addon().__settingRows())
/** Rows that take a fraction; every other one with a range takes whole numbers. */
const RATIOS = ['contextShare', 'budgetShare']
/** The bounds of every row that takes a whole number. */
const COUNTS = Object.fromEntries([
  ...ROWS.filter(({ name, range }) => range && !RATIOS.includes(name)).map(({ name, range }) => [name, range]),
  ['initialK', [0, 1000]],
])
const bounded = ROWS.filter(({ name }) => RATIOS.includes(name))
/** Wrong settings, one key each. */
const SETTINGS = [
  ...Object.entries(COUNTS).flatMap(([key, [least, most]]) =>
    [...NO_COUNT, ...(least > 0 ? [least - 1] : []), most + 1].map((value) => ({ [key]: value })),
  ),
  ...bounded.flatMap(({ name, range: [, most] }) =>
    [...NO_RATIO, most + 0.01].map((value) => ({ [name]: value, contextWindow: 1000 })),
  ),
  { contextShare: 0.5 },
  ...NO_MODE.map((ranker) => ({ ranker })),
  { maxTools: 5, nativeToolCount: 5 },
  { maxTools: 5, nativeToolCount: 50 },
  ...[...NO_OBJECT, hostile(), revoked(), { m: null }, { m: 5 }, { m: [] }, { m: { nonsense: [] } }].map(
    (hostModes) => ({
      hostModes,
    }),
  ),
  ...NO_LIST.flatMap((list) => [
    { hostModes: { m: { allowedMcpServers: list } } },
    { hostModes: { m: { blockedMcpServers: list } } },
  ]),
  ...NO_OPTIONS,
  { threshold: 5, nonsense: undefined },
]

const RANK_OPTIONS = [
  ...[...NO_COUNT, 0, 1001].map((topK) => ({ topK })),
  ...NO_MODE.map((ranker) => ({ ranker })),
  ...[...NO_TEXT, 'nope', ''].map((hostMode) => ({ hostMode })),
  ...NO_LIST.map((list) => ({ servers: list })),
  ...[...NO_COUNT, 60_001].map((deadlineMs) => ({ deadlineMs })),
  ...NO_OPTIONS,
]

const NO_REFERENCE = [
  null,
  undefined,
  5,
  true,
  [],
  '',
  '\ud800',
  Symbol('s'),
  {},
  { serverName: 'a' },
  { toolName: 'a' },
  { serverName: 5, toolName: 'a' },
  { serverName: 'a', toolName: null },
  { serverName: 'a', toolName: '' },
  hostile(),
  revoked(),
]
const NO_SCOPED = [
  ...NO_LIST.filter((value) => !Array.isArray(value)),
  undefined,
  [null],
  ['a'],
  [{}],
  [{ serverName: 'a' }],
  [{ serverName: 'a', toolName: 5 }],
  [{ serverName: 'a', toolName: 'b', description: 5 }],
  [{ serverName: '', toolName: 'b' }],
  [{ serverName: 'a', toolName: '\ud800' }],
  [hostile()],
  [{ serverName: 'n'.repeat(513), toolName: 'b' }],
  [{ serverName: 'a', toolName: 'n'.repeat(513) }],
]

const OK_TOOL = [{ serverName: 's', toolName: 't' }]
/** Method, and calls of it that are all wrong. */
const WRONG = {
  configure: [[], ...SETTINGS.map((settings) => [settings])],
  openSession: [
    ...SETTINGS.map((settings) => [{ settings }]),
    ...NO_OPTIONS.map((options) => [options]),
    ...NO_NAME.map((sessionId) => [{ sessionId }]),
    ...[...NO_NAME, 'nope'].map((hostMode) => [{ hostMode }]),
  ],
  setServer: [
    ...NO_OPTIONS.map((server) => [server]),
    [],
    ...NO_NAME.map((name) => [{ name, tools: [] }]),
    ...[null, 5, 'a', {}, hostile()].map((tools) => [{ name: 's', tools }]),
    ...NO_LIST.flatMap((list) => [
      [{ name: 's', tools: [], onlyAllow: list }],
      [{ name: 's', tools: [], disabledTools: list }],
    ]),
    ...NO_BOOLEAN.map((disabled) => [{ name: 's', tools: [], disabled }]),
    ...[null, '', 'Project', 'user', 5].map((source) => [{ name: 's', tools: [], source }]),
    ...[null, 5, 'a', {}, [5]].map((alwaysLoad) => [{ name: 's', tools: [], alwaysLoad }]),
  ],
  setServers: [
    ...NO_LIST.filter((value) => !Array.isArray(value)).map((list) => [list]),
    [],
    [[null]],
    [[5]],
    [[[]]],
    [[{ name: 's', tools: [] }, {}]],
    [[{ name: 's', tools: [] }], 5],
    ...NO_OPTIONS.map((options) => [[{ name: 's', tools: [] }], options]),
    ...NO_BOOLEAN.map((replace) => [[{ name: 's', tools: [] }], { replace }]),
  ],
  removeServer: [
    [],
    ...NO_NAME.map((name) => [name]),
    ...[null, '', 'Project', 5, {}].map((source) => ['codehub', source]),
  ],
  rank: [[], ...NO_TEXT.map((query) => [query]), ...RANK_OPTIONS.map((options) => ['x', options])],
  explain: [
    [],
    ...NO_TEXT.map((query) => [query, 'mcp--codehub--list_issues']),
    ...NO_REFERENCE.map((tool) => ['x', tool]),
    ...RANK_OPTIONS.map((options) => ['x', 'mcp--codehub--list_issues', options]),
  ],
  recordUse: [[], ...NO_REFERENCE.map((tool) => [tool])],
  forget: [
    null,
    '',
    5,
    true,
    {},
    { toolName: 'x' },
    { serverName: 's', toolName: 5 },
    { serverName: 's', tool: 'x' },
  ].map((what) => [what]),
  session: [[], ...NO_TEXT.map((id) => [id])],
  restoreSession: [[], ...NO_TEXT.map((state) => [state])],
  resolveTool: [[], ...NO_TEXT.map((name) => [name])],
  countTokens: [[], ...NO_TEXT.map((text) => [text])],
  contextUsage: [
    [],
    ...NO_OBJECT.map((sections) => [sections]),
    [hostile()],
    [thrower()],
    ...NO_TEXT.map((text) => [{ a: text }]),
    [{ a: undefined }],
    ...NO_TEXT.map((sessionId) => [{}, { sessionId }]),
    ...[...NO_COUNT, 0].map((contextWindow) => [{}, { contextWindow }]),
    ...NO_OPTIONS.map((options) => [{}, options]),
  ],
  attachInitial: [
    [],
    ...NO_TEXT.map((text) => [text, OK_TOOL, 5]),
    ...NO_SCOPED.map((tools) => ['x', tools, 5]),
    ...[...NO_COUNT, 1001, undefined].map((k) => ['x', OK_TOOL, k]),
  ],
  search: [
    [],
    ...NO_TEXT.map((text) => [text, OK_TOOL, 5]),
    ...NO_SCOPED.map((tools) => ['x', tools, 5]),
    ...[...NO_COUNT, 1001, undefined].map((k) => ['x', OK_TOOL, k]),
  ],
  loadModel: [
    ...NO_OPTIONS.map((options) => [options]),
    ...NO_NAME.flatMap((text) => [[{ modelDir: text }], [{ runtimePath: text }]]),
    ...[...NO_NAME.filter((value) => value !== false), true].map((cacheDir) => [{ cacheDir }]),
    ...[...NO_COUNT, 0, 65].map((threads) => [{ threads }]),
    ...NO_STORE.map((vectorStore) => [{ vectorStore }]),
  ],
  setEmbedder: [
    [],
    ...[undefined, 5, 'f', {}, [], true, Symbol('s')].map((embedder) => [embedder]),
    ...NO_OPTIONS.map((options) => [good, options]),
    ...NO_NAME.flatMap((text) => [
      [good, { modelId: text }],
      [good, { modelId: 'm', cacheDir: text }],
    ]),
    [good, { cacheDir: '/tmp/x' }],
    ...NO_STORE.map((vectorStore) => [good, { modelId: 'm', vectorStore }]),
    ...[...NO_COUNT, 0, 1001].map((batchSize) => [good, { batchSize }]),
    ...[...NO_COUNT, 0, 600_001].map((timeoutMs) => [good, { timeoutMs }]),
  ],
  ready: [...NO_OPTIONS.map((options) => [options]), ...[...NO_COUNT, 3_600_001].map((timeoutMs) => [{ timeoutMs }])],
  onTelemetry: [[], ...[undefined, 5, 'f', {}, [], true, Symbol('s')].map((listener) => [listener])],
}

/** What a wrong call must leave as it is. */
/** All that a refused call must leave as it was: `lastError` is there to tell of it. */
const world = (session) =>
  JSON.stringify([
    router.settings,
    { ...router.status, lastError: undefined },
    session,
    session.tools(),
    session.selection,
  ])

const shown = (value) => {
  try {
    return typeof value === 'symbol' || typeof value === 'bigint' || typeof value === 'function'
      ? String(value)
      : JSON.stringify(value, (_, inner) =>
          typeof inner === 'bigint' || typeof inner === 'symbol' || typeof inner === 'number' ? String(inner) : inner,
        )
  } catch {
    return 'something hostile'
  }
}

for (const [method, calls] of Object.entries(WRONG)) {
  test.serial(
    `${method}: ${calls.length} wrong calls are refused, each naming the field, and nothing is changed`,
    async (t) => {
      await fresh(servers(), { hostModes: { m: {} }, initialK: 7 })
      const session = router.openSession()
      await session.start('list issues')
      const before = world(session)
      for (const args of calls) {
        const what = `${method}(${args.map(shown).join(', ')})`
        const error = await failure(t, () => router[method](...args), what)
        if (!error) continue
        t.deepEqual(
          [error.name, error.code, error instanceof Error],
          ['ToolRouterError', 'ERR_INVALID_ARGUMENT', true],
          `${what}: ${error.message}`,
        )
        t.true(error.message.startsWith(method), `${what}: ${error.message}`)
        t.regex(error.message, /: expected [\s\S]+, got /, what)
      }
      t.is(world(session), before)
      t.is(router.status.embedder, undefined)
      session.close()
    },
  )
}

test.serial('a session refuses wrong values, and nothing is changed', async (t) => {
  await fresh(servers())
  const fresher = router.openSession()
  for (const text of NO_TEXT) await refused(t, 'ERR_INVALID_ARGUMENT', () => fresher.start(text), shown(text))
  await fresher.start('list issues')
  const before = world(fresher)
  for (const text of [undefined, ...NO_TEXT]) {
    await refused(t, 'ERR_INVALID_ARGUMENT', () => fresher.turn(text), shown(text))
    await refused(t, 'ERR_INVALID_ARGUMENT', () => fresher.resolveTool(text), shown(text))
    // A list of texts is several queries.
    if (!Array.isArray(text) || text.length === 0)
      await refused(t, 'ERR_INVALID_ARGUMENT', () => fresher.load({ query: text }), shown(text))
  }
  for (const args of [undefined, ...NO_OBJECT, hostile(), revoked(), thrower()])
    await refused(t, 'ERR_INVALID_ARGUMENT', () => fresher.load(args), shown(args))
  for (const tool of NO_REFERENCE) await refused(t, 'ERR_INVALID_ARGUMENT', () => fresher.recordUse(tool), shown(tool))
  t.is(world(fresher), before)
  fresher.close()
})

test.serial('bounds themselves are taken', async (t) => {
  await fresh(servers())
  const ratios = bounded.map(({ name, range }) => [name, range])
  for (const [key, bounds] of [...Object.entries(COUNTS), ...ratios]) {
    for (const value of bounds) {
      router.configure({ contextWindow: 1000, [key]: value })
      t.is(router.settings[key], value, key)
    }
  }
  router.configure({})
  for (const topK of [1, 1000]) t.is((await router.rank('list', { topK })).tools.length, Math.min(topK, 58))
  t.is((await router.rank('list', { deadlineMs: 60_000 })).candidateCount, 58)
})

test.serial('undefined means the default, everywhere', async (t) => {
  await fresh(servers())
  const defaults = router.settings
  router.configure({ threshold: undefined, hostModes: undefined, ranker: undefined })
  t.deepEqual(router.settings, defaults)
  const { tools } = await router.rank('list', {
    topK: undefined,
    ranker: undefined,
    hostMode: undefined,
    servers: undefined,
    deadlineMs: undefined,
  })
  t.deepEqual(tools, (await router.rank('list', undefined)).tools)
  router.openSession({ sessionId: undefined, hostMode: undefined, settings: undefined }).close()
  t.is((await router.ready({ timeoutMs: undefined })).state, 'cold')
  await router.setServers([], { replace: undefined })
  await router.removeServer('nobody', undefined)
})

test.serial('configure replaces: what is not given returns to its default', async (t) => {
  await fresh()
  const defaults = router.settings
  const rows = ROWS.filter((row) => row.default !== null).map((row) => [row.name, row.default])
  t.deepEqual(defaults, Object.fromEntries(rows))
  router.configure({ threshold: 1, maxTools: 9, hostModes: { m: { allowedMcpServers: [] } } })
  t.deepEqual(router.settings, { ...defaults, threshold: 1, maxTools: 9, hostModes: { m: { allowedMcpServers: [] } } })
  router.configure({ initialK: 2 })
  t.deepEqual(router.settings, { ...defaults, initialK: 2 })
  router.configure({})
  t.deepEqual(router.settings, defaults)
})

test.serial('the defaults are those that index.d.ts says', async (t) => {
  await fresh()
  const block = /export interface Settings \{([\s\S]*?)\n\}/.exec(DECLARATIONS)[1]
  const said = [...block.matchAll(/\/\*\*([\s\S]*?)\*\/\s*(\w+)\?:/g)].flatMap(([, comment, key]) => {
    const value = /@default ('?)([\w.]+)\1/.exec(comment)
    return value ? [[key, value[1] ? value[2] : JSON.parse(value[2])]] : []
  })
  t.true(said.length >= 10)
  for (const [key, value] of said) t.is(router.settings[key], value, key)
})

test.serial('a whole number may be written -0', async (t) => {
  await fresh(servers())
  router.configure({ turnK: -0 })
  t.is(router.settings.turnK, 0)
  router.configure({})
})

test.serial('a query of a megabyte is cut and the answer says so', async (t) => {
  await fresh(servers())
  const long = 'list_issues '.padEnd(1 << 20, 'é ')
  const givenBytes = Buffer.byteLength(long)
  for (const answer of [await router.rank(long), await router.rank(long, { ranker: 'lexical' })]) {
    t.is(answer.queryCut.givenBytes, givenBytes)
    t.true(answer.queryCut.usedBytes <= 32_768 && answer.queryCut.usedBytes > 32_760)
    t.is(answer.tools[0].toolName, 'list_issues')
  }
  t.is((await router.rank('x'.repeat(32_768))).queryCut, undefined)
  t.deepEqual((await router.rank('x'.repeat(32_769))).queryCut, { usedBytes: 32_768, givenBytes: 32_769 })
  t.is(await router.countTokens(' word'.repeat(200_000)), 200_000)
})

test.serial('any text is a query', async (t) => {
  await fresh(servers())
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (query) => {
      const call = router.rank(query)
      if (query.isWellFormed?.() ?? !/\p{Surrogate}/u.test(query)) t.is((await call).candidateCount, 58)
      else await refused(t, 'ERR_INVALID_ARGUMENT', () => call)
    }),
    { numRuns: 200 },
  )
})

test.serial('any junk in any place is an answer or a coded error, and the router lives', async (t) => {
  await fresh(servers())
  const junk = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withTypedArray: true,
    withNullPrototype: true,
    withSparseArray: true,
    withObjectString: true,
  })
  const methods = [
    'setServer',
    'setServers',
    'removeServer',
    'ready',
    'rank',
    'explain',
    'openSession',
    'session',
    'restoreSession',
    'attachInitial',
    'search',
    'resolveTool',
    'countTokens',
    'contextUsage',
    'recordUse',
    'forget',
    'configure',
  ]
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...methods), fc.array(junk, { maxLength: 3 }), async (method, args) => {
      try {
        const answer = await router[method](...args)
        if (method === 'openSession') answer.close()
      } catch (error) {
        t.true(
          CODES.includes(error.code) && error.name === 'ToolRouterError' && error.code !== 'ERR_INTERNAL',
          `${method}: ${error.stack}`,
        )
      }
    }),
    { numRuns: 1500 },
  )
  await fresh(servers())
  t.is((await router.rank('list_issues')).tools[0].toolName, 'list_issues')
})
