// What it costs, counted against another implementation of the encoding, and what is told to a listener.
import test from 'ava'
import fc from 'fast-check'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { QUERIES, bulk, servers } from './helpers/catalogue.mjs'
import { fresh, router, started } from './helpers/router.mjs'

const TASK = 'deploy the service and fetch its logs'
/** The oracle: what stands for a special token is plain text here too. */
const count = (text) => encode(text, { disallowedSpecial: new Set() }).length
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)
const near = (a, b) => Math.abs(a - b) < 1e-12
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

// --- tokens ---

const TEXTS = [
  '',
  ' ',
  'a',
  'hello world',
  "The quick brown fox, isn't it? I'LL SEE",
  '12345678901234567890 3.14',
  'x'.repeat(1000),
  ' '.repeat(300),
  '\n\n\n\t\t  \r\n end',
  'a\nb\n\nc\n',
  '创建一个新的问题并分配给我',
  '課題を作成する',
  'الطقس غدا في لشبونة',
  'Добрый день, мир',
  'ελληνικά ñandú Größe',
  'नमस्ते दुनिया',
  '👩‍👩‍👧‍👦🚀🏳️‍🌈',
  'e\u0301 \u0130\u0131 ﬁ',
  '<|endoftext|>',
  'a<|fim_prefix|>b<|endofprompt|>',
  '{"type":"object","properties":{"a":{"$ref":"#"}}}',
  'getIssueByID get_issue_by_id GET-ISSUE',
  'https://example.com/a?b=c&d=%20#f',
  '\0\u0001\u001f',
  '\u2028\u00a0\u3000',
  'word '.repeat(5000),
]

for (const text of TEXTS) {
  test(`countTokens counts as another implementation: ${JSON.stringify(text.slice(0, 30))} (${text.length})`, async (t) => {
    t.is(await router.countTokens(text), count(text))
  })
}

test('countTokens counts any text as another implementation', async (t) => {
  // Three kinds of white space are one to Rust and not to JavaScript, or the other way.
  const differs = /[\u0085\ufeff]|\p{Cc}/u
  const isSame = (text) => !differs.test(text)
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.string({ unit: 'grapheme-ascii', maxLength: 200 }),
    fc.lorem(),
    fc.json(),
  )
  await fc.assert(
    fc.asyncProperty(text.filter(isSame), async (value) => {
      t.is(await router.countTokens(value), count(value), JSON.stringify(value))
    }),
    { numRuns: 300 },
  )
})

test('countTokens counts every definition of a catalogue as another implementation', async (t) => {
  for (const { tools } of servers())
    for (const tool of tools) t.is(await router.countTokens(JSON.stringify(tool)), count(JSON.stringify(tool)))
})

// --- the receipt ---

/** What each definition costs by name, counted from what is rendered. */
async function costs() {
  const session = router.openSession({ settings: { searchTurns: 0 } })
  await session.start('')
  const found = new Map(JSON.parse(session.tools()).map((definition) => [definition.function.name, definition]))
  // Rendered text is cut at the definitions' own ends: JSON.stringify would write other bytes.
  const text = session.tools().slice(1, -1)
  const starts = [...text.matchAll(/\{"type":"function","function":\{"name":"(mcp--[A-Za-z0-9_-]+)"/g)]
  session.close()
  const costOf = new Map(
    starts.map(({ index, 1: name }, at) => [
      name,
      count(text.slice(index, at + 1 < starts.length ? starts[at + 1].index - 1 : undefined)),
    ]),
  )
  if (costOf.size !== found.size) throw new Error('definitions cannot be told apart')
  return costOf
}

const ODD = {
  name: 'odd',
  tools: [
    { name: 'spaced', description: '说明 🚀', inputSchema: '{ "type" : "object",\n "properties" : {} }' },
    { name: 'bare' },
  ],
}

test.serial('the receipt equals counting the definitions', async (t) => {
  await fresh([...servers(), ODD])
  const costOf = await costs()
  for (const settings of [{}, { initialK: 3 }, { searchTurns: 0 }, { threshold: 100 }, { initialK: 60 }]) {
    const {
      session,
      selection: { tokens, attached, mcpLoad },
    } = await started(TASK, { directoryTokens: 0, ...settings })
    t.is(tokens.encoding, 'o200k_base')
    t.is(tokens.scoped, sum([...costOf.values()]))
    t.is(tokens.attached, sum(attached.map((name) => costOf.get(name))))
    t.is(tokens.mcpLoad, mcpLoad === null ? 0 : count(mcpLoad))
    t.is(tokens.saved, Math.max(0, tokens.scoped - tokens.attached - tokens.mcpLoad))
    session.close()
  }
})

test.serial('tools whose names collide are counted with the name they have', async (t) => {
  await fresh([
    { name: 'a b', tools: [{ name: 'x' }] },
    { name: 'a_b', tools: [{ name: 'x' }] },
    { name: 'a-b', tools: [{ name: 'x' }] },
  ])
  const costOf = await costs()
  const {
    selection: { tokens },
  } = await started(TASK)
  t.deepEqual([tokens.scoped, tokens.attached], [sum([...costOf.values()]), sum([...costOf.values()])])
})

test.serial('the receipt by server is in catalogue order and sums to the whole', async (t) => {
  await fresh([...servers(), ODD])
  const costOf = await costs()
  const {
    session,
    selection: { tokens, attached },
  } = await started(TASK, { initialK: 12 })
  const of = (serverName) => [...costOf].filter(([name]) => session.resolveTool(name).serverName === serverName)
  t.deepEqual(
    tokens.servers.map(({ serverName }) => serverName),
    [...servers(), ODD].map(({ name }) => name).sort(),
  )
  for (const row of tokens.servers) {
    const taken = of(row.serverName).filter(([name]) => attached.includes(name))
    t.deepEqual(row, {
      serverName: row.serverName,
      scoped: sum(of(row.serverName).map(([, cost]) => cost)),
      attached: sum(taken.map(([, cost]) => cost)),
      attachedCount: taken.length,
    })
  }
  t.is(sum(tokens.servers.map(({ scoped }) => scoped)), tokens.scoped)
  t.is(sum(tokens.servers.map((row) => row.attached)), tokens.attached)
})

test.serial('only what is on and in scope is counted', async (t) => {
  const list = servers()
  list[0].disabledTools = ['create_issue']
  list[1].disabled = true
  await fresh(list, { hostModes: { m: { blockedMcpServers: ['weatherly'] } } })
  const costOf = await costs()
  t.false(costOf.has('mcp--codehub--create_issue') || costOf.has('mcp--filesystem--read_file'))
  const session = router.openSession({ hostMode: 'm' })
  const { tokens } = await session.start(TASK)
  t.is(tokens.scoped, sum([...costOf].filter(([name]) => !name.startsWith('mcp--weatherly--')).map(([, cost]) => cost)))
  t.false(tokens.servers.some(({ serverName }) => serverName === 'weatherly'))
})

test.serial('the receipt follows turns, loads, and servers that go', async (t) => {
  await fresh(servers())
  const costOf = await costs()
  const { session } = await started(TASK, { initialK: 4, turnK: 2 })
  const check = () => {
    const { attached, tokens } = session.selection
    t.is(
      tokens.attached,
      sum(attached.filter((name) => session.tools().includes(`"${name}"`)).map((name) => costOf.get(name))),
    )
  }
  check()
  await session.turn('weather forecast for the city')
  check()
  await session.load({ query: 'vacuum, marine' })
  check()
  await router.removeServer('cloudops')
  await session.turn('zzzz')
  check()
  t.true(session.selection.tokens.attached > 0)
})

test.serial('a changed tool is counted again', async (t) => {
  await fresh([{ name: 's', tools: [{ name: 'a', description: 'short' }] }])
  const before = (await started('')).selection.tokens.scoped
  await router.setServer({ name: 's', tools: [{ name: 'a', description: 'much longer than it was before' }] })
  const { tokens } = (await started('')).selection
  t.true(tokens.scoped > before)
  t.is(tokens.scoped, sum([...(await costs()).values()]))
})

test.serial('an empty catalogue costs nothing', async (t) => {
  await fresh()
  t.deepEqual((await started(TASK)).selection.tokens, {
    encoding: 'o200k_base',
    scoped: 0,
    attached: 0,
    mcpLoad: 0,
    directory: 0,
    saved: 0,
    budget: 20_000,
    ledger: { definitions: 0, reads: 0, rewrites: 0, rewriteCount: 0, uncountedRewrites: 0, total: 0 },
    servers: [],
  })
})

// --- context usage ---

test.serial('contextUsage counts sections in the order given, and tools by server', async (t) => {
  await fresh(servers())
  const costOf = await costs()
  const sections = { system: 'You are a helper.', z: '', 'native tools': TEXTS[4], a: TEXTS[10], 7: 'seven' }
  const usage = await router.contextUsage(sections)
  // JavaScript itself puts whole numbers first.
  t.deepEqual(
    usage.sections.map(({ name }) => name),
    Object.keys(sections),
  )
  for (const { name, tokens, share } of usage.sections) {
    t.is(tokens, count(sections[name]))
    t.true(near(share, tokens / usage.window))
  }
  t.deepEqual(
    usage.servers.map(({ name }) => name),
    servers()
      .map(({ name }) => name)
      .sort(),
  )
  t.is(sum(usage.servers.map(({ tokens }) => tokens)), sum([...costOf.values()]))
  t.is(usage.total, sum([...usage.sections, ...usage.servers].map(({ tokens }) => tokens)))
  t.is(usage.window, usage.total)
  t.true(near(sum([...usage.sections, ...usage.servers].map(({ share }) => share)), 1))
})

test.serial('contextUsage of a session counts what is attached to it', async (t) => {
  await fresh(servers())
  const { session, selection } = await started(TASK, { initialK: 5 })
  const { servers: rows } = await router.contextUsage({}, { sessionId: session.id })
  t.deepEqual(
    rows.map(({ name, tokens }) => [name, tokens]),
    selection.tokens.servers
      .filter(({ attachedCount }) => attachedCount > 0)
      .map(({ serverName, attached }) => [serverName, attached]),
  )
})

test.serial('shares refer to the window of the call, else of the settings, else to the total', async (t) => {
  await fresh(servers(), { contextWindow: 100_000 })
  const usage = await router.contextUsage({ a: 'some words' })
  t.is(usage.window, 100_000)
  t.true(near(usage.sections[0].share, usage.sections[0].tokens / 100_000))
  t.is((await router.contextUsage({ a: 'some words' }, { contextWindow: 50 })).window, 50)
  t.true((await router.contextUsage({ a: 'some words' }, { contextWindow: 1 })).servers[0].share > 1)
})

test.serial('contextUsage of nothing is 0, with shares of 0', async (t) => {
  await fresh()
  t.deepEqual(await router.contextUsage({}), { total: 0, window: 0, sections: [], servers: [] })
  t.deepEqual((await router.contextUsage({ a: '' })).sections, [{ name: 'a', tokens: 0, share: 0 }])
})

// --- telemetry ---

const SECRET = 'xylophone'

async function heard(work) {
  const events = []
  router.onTelemetry((event) => events.push(event))
  await work()
  await sleep(50)
  router.onTelemetry(null)
  return events
}

test.serial('the four events come with counts and names of states alone', async (t) => {
  await fresh(servers())
  let session
  const events = await heard(async () => {
    session = router.openSession({ sessionId: 'told', settings: { initialK: 3, turnK: 1, directoryTokens: 0 } })
    await session.start(`${SECRET} create an issue`)
    await session.turn(`${SECRET} weather forecast`)
    await session.load({ query: `vacuum_${SECRET}, create_issue, vacuum, no_such_${SECRET}` })
  })
  const { selection } = session
  const fallback = { event: 'dynamic_tools.ranker_fallback', sessionId: 'told', reason: 'model-not-loaded' }
  t.deepEqual(events, [
    {
      event: 'dynamic_tools.task_start',
      sessionId: 'told',
      scopedCount: 58,
      attachedCount: 3,
      tokensSaved: events[0].tokensSaved,
      ranker: 'lexical',
    },
    fallback,
    { event: 'dynamic_tools.rolling_window_step', sessionId: 'told', turn: 2, addedCount: 1, attachedCount: 4 },
    fallback,
    {
      event: 'dynamic_tools.mcp_load_invoked',
      sessionId: 'told',
      queryLength: events.find(({ queryLength }) => queryLength)?.queryLength,
      loadedCount: selection.attached.length - 4,
      alreadyAttachedCount: 1,
      unavailableCount: 2,
      attachedCount: selection.attached.length,
      turn: 2,
    },
  ])
  t.true(events[0].tokensSaved > 0)
  t.false(JSON.stringify(events).includes(SECRET))
})

test.serial('in lexical mode there is no fallback to tell of', async (t) => {
  await fresh(servers(), { ranker: 'lexical' })
  const events = await heard(() => started('create an issue', { initialK: 3, ranker: 'lexical' }))
  t.deepEqual(
    events.map(({ event }) => event),
    ['dynamic_tools.task_start'],
  )
})

test.serial('a turn that attaches nothing is no step', async (t) => {
  await fresh(servers(), { ranker: 'lexical' })
  const { session } = await started('create an issue', { initialK: 3 })
  t.deepEqual(await heard(() => session.turn('zzzz qqqq')), [])
})

test.serial('nothing is told while the mode is all, or without a listener', async (t) => {
  await fresh(servers())
  t.deepEqual(
    await heard(async () => {
      const { session } = await started('create an issue', { searchTurns: 0 })
      await session.turn('weather')
      await session.load({ query: 'vacuum' })
      await router.rank('weather')
      await router.attachInitial('weather', [{ serverName: 's', toolName: 't' }], 1)
    }),
    [],
  )
  const events = []
  router.onTelemetry((event) => events.push(event))
  router.onTelemetry(null)
  await started('create an issue')
  await sleep(50)
  t.deepEqual(events, [])
})

test.serial('no event holds a query, a tool or a server, whatever the query', async (t) => {
  await fresh([...servers(), bulk('ledgers', 50)])
  const events = await heard(async () => {
    for (const query of QUERIES.filter((text) => text.length > 4)) {
      const { session } = await started(query, { initialK: 2 })
      await session.turn(query)
      await session.load({ query })
      session.close()
    }
  })
  const told = JSON.stringify(events.map(({ sessionId, ...rest }) => rest))
  t.true(events.length > 20)
  for (const query of QUERIES.filter((text) => text.length > 4)) t.false(told.includes(query), query)
  for (const { name, tools } of servers())
    t.false(
      [name, ...tools.map((tool) => tool.name)].some((word) => told.includes(`"${word}"`)),
      name,
    )
})

test.serial('a listener replaces the previous one', async (t) => {
  await fresh(servers(), { ranker: 'lexical' })
  const [first, second] = [[], []]
  router.onTelemetry((event) => first.push(event))
  router.onTelemetry((event) => second.push(event))
  await started('create an issue')
  await sleep(50)
  router.onTelemetry(null)
  t.deepEqual([first.length, second.length], [0, 1])
})

const WILD = {
  throws: () => {
    throw new Error('from the listener')
  },
  'throws what is no error': () => {
    throw null
  },
  'returns a promise that never settles': () => new Promise(() => {}),
  'calls the router': () => {
    router.rank('inner')
    router.status
  },
  'removes itself': () => router.onTelemetry(null),
}

for (const [what, listener] of Object.entries(WILD)) {
  test.serial(`a listener that ${what} harms nothing`, async (t) => {
    await fresh(servers())
    router.onTelemetry(listener)
    const { selection, session } = await started('create an issue', { initialK: 3 })
    t.is(selection.attached.length, 3)
    t.is((await session.turn('weather')).turn, 2)
    await sleep(50)
    router.onTelemetry(null)
    t.is((await session.load({ query: 'vacuum' })).loaded.length, 1)
  })
}
