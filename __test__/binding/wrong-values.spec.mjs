// A wrong value is refused with its field, and nothing is changed.
import test from 'ava'
import { servers } from '../helpers/catalogue.mjs'
import { failure, fresh, refused, router } from '../helpers/router.mjs'
import { COUNTS } from '../helpers/wrong.mjs'

const good = (texts) => texts.map((text) => [1, text.length])

const fails = () => {
  throw new Error('of the host')
}

const thrower = () => Object.defineProperty({}, 'x', { enumerable: true, get: fails })
const hostile = () => new Proxy({}, { get: fails, ownKeys: fails, getOwnPropertyDescriptor: fails })

const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

const NO_COUNT = [-1, 1.5, Number.NaN, 1e300, 2 ** 53, null, '5', true, {}, [5], 5n, Symbol('s'), Object(5)]
const NO_TEXT = [null, 5, true, {}, ['a'], 5n, Symbol('s'), () => 'a', Object('a'), '\ud800', 'a\udc00b']
const NO_NAME = [...NO_TEXT, '', ' \n']
const NO_BOOLEAN = [null, 0, 1, 'true', '', {}, [], Object(true)]
const NO_LIST = [null, 5, 'a', {}, { length: 1, 0: 'a' }, new Set(['a']), [5], ['a', null], ['\ud800'], new Array(1)]
const NO_OBJECT = [null, 5, 'text', true, [], () => ({}), Symbol('s'), 5n]
const NO_OPTIONS = [...NO_OBJECT, thrower(), hostile(), revoked(), { nonsense: undefined }, { '': 1 }, { toString: 1 }]
const NO_MODE = [null, 5, '', 'AUTO', 'fast', ' lexical', ['lexical'], Object('lexical'), 'lexical\0']

/** Wrong settings, one key each. */
const SETTINGS = [
  ...Object.entries(COUNTS).flatMap(([key, [least, most]]) =>
    [...NO_COUNT, ...(least > 0 ? [least - 1] : []), most + 1].map((value) => ({ [key]: value })),
  ),
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

const REFERENCES = [{}, { serverName: 'a' }, { toolName: 'a' }, { serverName: 5, toolName: 'a' }]
const NO_REFERENCE = [null, undefined, 5, [], '', '\ud800', Symbol('s'), ...REFERENCES, hostile(), revoked()]

const NO_SCOPED = [
  ...NO_LIST.filter((value) => !Array.isArray(value)),
  undefined,
  ...[null, 'a', ...REFERENCES, hostile()].map((tool) => [tool]),
  [{ serverName: 'a', toolName: 'b', description: 5 }],
  [{ serverName: '', toolName: 'b' }],
  [{ serverName: 'a', toolName: '\ud800' }],
  [{ serverName: 'n'.repeat(513), toolName: 'b' }],
  [{ serverName: 'a', toolName: 'n'.repeat(513) }],
]

const OK_TOOL = [{ serverName: 's', toolName: 't' }]

const OF_A_LIST = [
  [],
  ...NO_TEXT.map((text) => [text, OK_TOOL, 5]),
  ...NO_SCOPED.map((tools) => ['x', tools, 5]),
  ...[...NO_COUNT, 1001, undefined].map((k) => ['x', OK_TOOL, k]),
]

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
    [{ name: 's', tools: [], toolDescriptionOverrides: { a: 1 } }],
    [{ name: 's', tools: [], instructions: 1 }],
  ],
  setServers: [
    ...NO_LIST.filter((value) => !Array.isArray(value)).map((list) => [list]),
    [],
    [[null]],
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
  forget: [null, '', 5, {}, { toolName: 'x' }, { serverName: 's', toolName: 5 }].map((what) => [what]),
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
  attachInitial: OF_A_LIST,
  search: OF_A_LIST,
  loadModel: [
    ...NO_OPTIONS.map((options) => [options]),
    ...NO_NAME.flatMap((text) => [[{ modelDir: text }], [{ runtimePath: text }]]),
    ...[...NO_NAME.filter((value) => value !== false), true].map((cacheDir) => [{ cacheDir }]),
    ...[...NO_COUNT, 0, 65].map((threads) => [{ threads }]),
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
    ...[...NO_COUNT, 0, 1001].map((batchSize) => [good, { batchSize }]),
    ...[...NO_COUNT, 0, 600_001].map((timeoutMs) => [good, { timeoutMs }]),
  ],
  ready: [...NO_OPTIONS.map((options) => [options]), ...[...NO_COUNT, 3_600_001].map((timeoutMs) => [{ timeoutMs }])],
  onTelemetry: [[], ...[undefined, 5, 'f', {}, [], true, Symbol('s')].map((listener) => [listener])],
}

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
  }
  // Arguments of a load are what a model wrote: they are answered.
  const noTexts = NO_OBJECT.filter((args) => typeof args !== 'string')
  for (const args of [undefined, ...noTexts, hostile(), revoked(), thrower()])
    t.deepEqual((await fresher.load(args)).loaded, [], shown(args))
  for (const tool of NO_REFERENCE) await refused(t, 'ERR_INVALID_ARGUMENT', () => fresher.recordUse(tool), shown(tool))
  t.is(world(fresher), before)
  fresher.close()
})
