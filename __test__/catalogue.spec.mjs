// What exists and what a task may use: diffs, odd input, scope, names.
import test from 'ava'
import fc from 'fast-check'
import { ToolRouter } from '../index.js'
import { fresh, names, refused, router, started } from './helpers/router.mjs'
import { bulk, servers } from './helpers/catalogue.mjs'

const ids = (list) => list.map(({ serverName, toolName }) => `${serverName}/${toolName}`)
const summary = (change) => ({
  added: ids(change.added),
  changed: ids(change.changed),
  removed: ids(change.removed),
  unchanged: change.unchanged,
  refused: change.refused.map(({ serverName, toolName, position }) => `${serverName}/${toolName}@${position}`),
})
const nothing = { added: [], changed: [], removed: [], unchanged: 0, refused: [] }

/** The definitions of a session that attaches everything. */
const everything = async () => (await started('', { searchTurns: 0 })).session.tools()
const definitions = async () => JSON.parse(await everything()).map((definition) => definition.function)

// --- diffs ---

test.serial('setting a server reports every tool as added, and setting it again none', async (t) => {
  await fresh()
  const [first] = servers()
  t.deepEqual(summary(await router.setServer(first)), {
    ...nothing,
    added: first.tools.map(({ name }) => `codehub/${name}`),
  })
  t.deepEqual(summary(await router.setServer(first)), { ...nothing, unchanged: first.tools.length })
})

test.serial('a diff names exactly the tools that were added, changed and removed', async (t) => {
  await fresh([
    {
      name: 's',
      tools: [{ name: 'kept' }, { name: 'text', description: 'old' }, { name: 'schema' }, { name: 'gone' }],
    },
  ])
  const change = await router.setServer({
    name: 's',
    tools: [
      { name: 'new' },
      { name: 'text', description: 'new' },
      { name: 'schema', inputSchema: '{"type":"object"}' },
      { name: 'kept' },
    ],
  })
  t.deepEqual(summary(change), {
    ...nothing,
    added: ['s/new'],
    changed: ['s/text', 's/schema'],
    removed: ['s/gone'],
    unchanged: 1,
  })
})

test.serial('a diff equals a naive comparison of the two lists', async (t) => {
  const tool = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    description: fc.constantFrom('one', 'two'),
    title: fc.constantFrom(undefined, 'Title'),
    inputSchema: fc.constantFrom(undefined, '{"type":"object"}', '{"type":"object","title":"t"}'),
  })
  const tools = fc.uniqueArray(tool, { selector: ({ name }) => name, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(tools, tools, async (before, after) => {
      await fresh([{ name: 's', tools: before }])
      const change = summary(await router.setServer({ name: 's', tools: after }))
      const old = new Map(before.map((entry) => [entry.name, JSON.stringify(entry)]))
      const isSame = (entry) => old.get(entry.name) === JSON.stringify(entry)
      const named = (list) => list.map((entry) => `s/${entry.name}`)
      t.deepEqual(
        { ...change, removed: change.removed.sort() },
        {
          added: named(after.filter((entry) => !old.has(entry.name))),
          changed: named(after.filter((entry) => old.has(entry.name) && !isSame(entry))),
          removed: named(before.filter((entry) => !after.some(({ name }) => name === entry.name))).sort(),
          unchanged: after.filter(isSame).length,
          refused: [],
        },
      )
      t.is(router.status.toolCount, after.length)
    }),
    { numRuns: 60 },
  )
})

test.serial('replace removes every server that is not given, and a plain call none', async (t) => {
  await fresh([
    { name: 'a', tools: [{ name: 'x' }] },
    { name: 'b', tools: [{ name: 'y' }] },
  ])
  t.deepEqual(summary(await router.setServers([{ name: 'c', tools: [] }])), nothing)
  t.is(router.status.serverCount, 3)
  t.deepEqual(summary(await router.setServers([{ name: 'b', tools: [{ name: 'y' }] }], { replace: true })), {
    ...nothing,
    removed: ['a/x'],
    unchanged: 1,
  })
  t.is(router.status.serverCount, 1)
})

test.serial('removing a server reports its tools, and removing what is not there nothing', async (t) => {
  await fresh([{ name: 'a', tools: [{ name: 'x' }, { name: 'y' }] }])
  t.deepEqual(summary(await router.removeServer('nobody')), nothing)
  t.deepEqual(summary(await router.removeServer('a', 'project')), nothing)
  t.deepEqual(summary(await router.removeServer('a')), { ...nothing, removed: ['a/x', 'a/y'] })
  t.is(router.status.serverCount, 0)
})

test.serial('the generation counts up with a change', async (t) => {
  await fresh()
  const before = router.status.generation
  await router.setServer({ name: 'a', tools: [{ name: 'x' }] })
  t.true(router.status.generation > before)
})

test.serial('a ranking sees every server that was set before it, awaited or not', async (t) => {
  await fresh()
  const setting = router.setServer({ name: 'a', tools: [{ name: 'find_whale', description: 'Finds whales' }] })
  const ranking = router.rank('whale')
  const removing = router.removeServer('a')
  t.deepEqual(names(await ranking), ['mcp--a--find_whale'])
  await Promise.all([setting, removing])
  t.deepEqual(names(await router.rank('whale')), [])
})

test.serial('while many tools are set, rankings answer from the catalogue before and say so', async (t) => {
  await fresh([{ name: 'a', tools: [{ name: 'find_whale', description: 'Finds whales' }] }])
  const order = []
  const done = (what) => (answer) => {
    order.push(what)
    return answer
  }
  const setting = router.setServers(Array.from({ length: 4 }, (_, at) => bulk(`big${at}`, 2500))).then(done('set'))
  const removing = router.removeServer('a').then(done('removed'))
  const ranking = await router.rank('whale', { ranker: 'lexical' }).then(done('ranked'))
  t.deepEqual([names(ranking), ranking.candidateCount], [['mcp--a--find_whale'], 1])
  t.is(ranking.degraded.code, 'catalogue-pending')
  await Promise.all([setting, removing])
  t.deepEqual(order, ['ranked', 'set', 'removed'])
  const after = await router.rank('whale', { ranker: 'lexical' })
  t.deepEqual([after.candidateCount, after.degraded], [10_000, undefined])
  await fresh()
})

// --- refusals ---

const UNUSABLE = [
  ['without a name', { description: 'x' }, '', 'name'],
  ['with a name that is no text', { name: 7 }, '', 'name'],
  ['with an empty name', { name: '' }, '', 'name'],
  ['with a blank name', { name: ' \t' }, ' \t', 'name'],
  ['with a name of 513 bytes', { name: 'n'.repeat(513) }, 'n'.repeat(513), 'name'],
  ['with a name that UTF-8 cannot hold', { name: 'a\ud800' }, undefined, 'name'],
  ['with a schema that is no JSON', { name: 't', inputSchema: '{"a":' }, 't', 'inputSchema'],
  ['with a schema that is a list', { name: 't', inputSchema: '[]' }, 't', 'inputSchema'],
  ['with a schema that is a number', { name: 't', inputSchema: '5' }, 't', 'inputSchema'],
  ['with a schema that is false', { name: 't', inputSchema: 'false' }, 't', 'inputSchema'],
  ['with a schema followed by more', { name: 't', inputSchema: '{} {}' }, 't', 'inputSchema'],
  ['with a schema of the wrong type', { name: 't', inputSchema: 5 }, 't', 'inputSchema'],
  [
    'with a schema that holds itself',
    {
      name: 't',
      inputSchema: Object.assign(
        {},
        {
          get a() {
            return this
          },
        },
      ),
    },
    't',
    'inputSchema',
  ],
  [
    'with a schema of 4 MiB and a byte',
    { name: 't', inputSchema: `{"a":"${'x'.repeat(4 * 1024 * 1024 - 7)}"}` },
    't',
    'inputSchema',
  ],
  ['with a description that is a number', { name: 't', description: 4 }, 't', 'description'],
  [
    'with a description of 256 KiB and a byte',
    { name: 't', description: 'x'.repeat(256 * 1024 + 1) },
    't',
    'description',
  ],
  ['that is null', null, '', 'tools[1]'],
  ['that is text', 'tool', '', 'tools[1]'],
]

for (const [what, tool, toolName, field] of UNUSABLE) {
  test.serial(`a tool ${what} is refused alone, with its position and the field`, async (t) => {
    await fresh()
    const change = await router.setServer({ name: 's', tools: [{ name: 'before' }, tool, { name: 'after' }] })
    t.deepEqual(ids(change.added), ['s/before', 's/after'])
    t.is(change.refused.length, 1)
    const [{ position, reason, serverName, ...rest }] = change.refused
    t.deepEqual({ position, serverName }, { position: 1, serverName: 's' })
    if (toolName !== undefined) t.is(rest.toolName, toolName)
    t.true(reason.includes('tools[1]') && reason.includes(field), reason)
    t.regex(reason, /expected .+, got /)
  })
}

test.serial('a refused tool keeps its own position whatever is refused before it', async (t) => {
  await fresh()
  const change = await router.setServer({
    name: 's',
    tools: [{ name: 5 }, { name: 'a', inputSchema: '{' }, { name: 'b' }, null, { name: 'b' }, { name: 'c' }],
  })
  t.deepEqual(ids(change.added), ['s/b', 's/c'])
  t.deepEqual(
    change.refused.map(({ toolName, position }) => [toolName, position]),
    [
      ['', 0],
      ['a', 1],
      ['', 3],
      ['b', 4],
    ],
  )
  for (const { position, reason } of change.refused) t.true(reason.includes(`tools[${position}]`), reason)
})

test.serial('the same name twice in a server is the first tool, and the second is refused', async (t) => {
  await fresh()
  const change = await router.setServer({
    name: 's',
    tools: [
      { name: 'a', description: 'first' },
      { name: 'a', description: 'second' },
    ],
  })
  t.deepEqual(summary(change), { ...nothing, added: ['s/a'], refused: ['s/a@1'] })
  t.is((await definitions())[0].description, 'first')
})

test.serial('a tool that becomes unusable is removed and refused', async (t) => {
  await fresh([{ name: 's', tools: [{ name: 'a' }] }])
  t.deepEqual(summary(await router.setServer({ name: 's', tools: [{ name: 'a', inputSchema: '[' }] })), {
    ...nothing,
    removed: ['s/a'],
    refused: ['s/a@0'],
  })
})

const UNUSABLE_SERVERS = [
  ['no object', 5, 'setServer'],
  ['null', null, 'setServer'],
  ['a list', [], 'setServer'],
  ['no name', { tools: [] }, 'setServer.name'],
  ['an empty name', { name: '', tools: [] }, 'setServer.name'],
  ['a name of 513 bytes', { name: 'n'.repeat(513), tools: [] }, 'name'],
  ['tools that are no list', { name: 's', tools: {} }, 'setServer.tools'],
  [
    '5,001 tools',
    { name: 's', tools: Array.from({ length: 5001 }, (_, at) => ({ name: `t${at}` })) },
    'setServer.tools',
  ],
  ['an unknown source', { name: 's', tools: [], source: 'user' }, 'setServer.source'],
  ['a source that is null', { name: 's', tools: [], source: null }, 'setServer.source'],
  ['disabled that is text', { name: 's', tools: [], disabled: 'yes' }, 'setServer.disabled'],
  ['onlyAllow that is text', { name: 's', tools: [], onlyAllow: 'a' }, 'setServer.onlyAllow'],
  ['disabledTools with a number', { name: 's', tools: [], disabledTools: ['a', 1] }, 'setServer.disabledTools[1]'],
  ['alwaysLoad that is text', { name: 's', tools: [], alwaysLoad: 'a' }, 'setServer.alwaysLoad'],
  [
    'an override that is a number',
    { name: 's', tools: [], toolDescriptionOverrides: { a: 1 } },
    'setServer.toolDescriptionOverrides.a',
  ],
  ['instructions that are a number', { name: 's', tools: [], instructions: 1 }, 'setServer.instructions'],
]

for (const [what, server, path] of UNUSABLE_SERVERS) {
  test.serial(`a server with ${what} is an error, and nothing is changed`, async (t) => {
    await fresh([{ name: 'kept', tools: [{ name: 'x' }] }])
    const { generation } = router.status
    const error = await refused(t, 'ERR_INVALID_ARGUMENT', () => router.setServer(server))
    t.true(error.message.includes(path), error.message)
    await refused(t, 'ERR_INVALID_ARGUMENT', () => router.setServers([{ name: 'good', tools: [] }, server]))
    t.deepEqual([router.status.generation, router.status.serverCount], [generation, 1])
  })
}

test.serial('the same server twice in one call is an error that names both places', async (t) => {
  await fresh()
  const twice = [
    { name: 's', tools: [] },
    { name: 'o', tools: [] },
    { name: 's', tools: [] },
  ]
  const error = await refused(t, 'ERR_INVALID_ARGUMENT', () => router.setServers(twice))
  t.true(error.message.includes('[2]') && error.message.includes('[0]'), error.message)
  t.is(router.status.serverCount, 0)
  await router.setServers([
    { name: 's', tools: [], source: 'project' },
    { name: 's', tools: [] },
  ])
})

// --- odd input that must live ---

const nest = (levels) => `${'{"type":"object","properties":{"inner":'.repeat(levels)}{}${'}}'.repeat(levels)}`
const HUGE = JSON.stringify({
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 1500 }, (_, at) => [
      `field_${at}`,
      { type: 'string', description: `What the field number ${at} of the record holds` },
    ]),
  ),
})

const ODD_SCHEMAS = {
  'no type': '{"properties":{"a":{"type":"string"}}}',
  'no properties': '{"type":"object"}',
  'nothing at all': '{}',
  'a recursive $ref': '{"type":"object","properties":{"child":{"$ref":"#"}},"$defs":{"n":{"$ref":"#/$defs/n"}}}',
  'type arrays': '{"type":["object","null"],"properties":{"a":{"type":["string","integer",null]}}}',
  'empty enums': '{"type":"object","properties":{"a":{"enum":[]}},"required":[]}',
  'properties that are a list': '{"type":"object","properties":[]}',
  'boolean schemas': '{"type":"object","properties":{"a":true,"b":false},"additionalProperties":false}',
  'odd white space and numbers':
    '{ "z" : 1.0e3,\n\t"a":-0.0, "long":12345678901234567890123, "u":"\\u00e9\\ud83d\\ude00" }',
  'duplicate keys': '{"type":"object","type":"object","properties":{"a":{},"a":{}}}',
  'keys that are no identifiers':
    '{"type":"object","properties":{"":{},"a b":{},"日本":{},"__proto__":{},"constructor":{}}}',
  'an escaped lone surrogate': '{"type":"object","description":"\\ud800"}',
  'numeric keys out of order': '{"type":"object","properties":{"10":{},"9":{},"b":{},"a":{}}}',
  '20 levels': nest(20),
  '2,000 levels': nest(2000),
  '23,000 tokens and more': HUGE,
}

/** The same text, but for what a provider refuses: `accepted-schemas.spec` has those. */
const taken = (text) => ToolRouter.acceptedSchema(text, { provider: 'openai-chat' }).inputSchema

for (const [what, text] of Object.entries(ODD_SCHEMAS)) {
  test.serial(`a schema with ${what} is kept byte by byte, except for what a provider refuses`, async (t) => {
    await fresh()
    const change = await router.setServer({
      name: 's',
      tools: [{ name: 'odd', description: 'd', inputSchema: text }, { name: 'other' }],
    })
    t.deepEqual(change.refused, [])
    const rendered = await everything()
    t.is(
      rendered
        .slice(1)
        .indexOf(`{"type":"function","function":{"name":"mcp--s--odd","description":"d","parameters":${taken(text)}}}`),
      0,
    )
    const { session } = await started('', { searchTurns: 0 })
    const { messages } = session.render({ provider: 'openai-chat', delivery: 'call' })
    t.true(JSON.parse(messages)[0].content.includes(text), 'a text, which nobody checks, has it as it was sent')
    t.is((await router.rank('odd')).tools[0].toolName, 'odd')
  })
}

test.serial('any JSON object is kept byte by byte, except for what a provider refuses', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 }),
      fc.constantFrom(0, 1, '\t'),
      async (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        await fresh([{ name: 's', tools: [{ name: 'a', inputSchema: text }] }])
        t.true((await everything()).endsWith(`"parameters":${taken(text)}}}]`), text)
      },
    ),
    { numRuns: 60 },
  )
})

test.serial('a schema given as an object keeps its order of keys', async (t) => {
  const schema = {
    type: 'object',
    required: ['z'],
    properties: { z: { enum: ['b', 'a'], type: 'string' }, a: {}, m: { b: 1, a: 2 } },
    $schema: 'x',
  }
  await fresh([{ name: 's', tools: [{ name: 'a', inputSchema: schema }] }])
  t.true((await everything()).includes(JSON.stringify(schema)))
})

test.serial('a schema that is absent, null or true means no input', async (t) => {
  await fresh([
    {
      name: 's',
      tools: [
        { name: 'a' },
        { name: 'b', inputSchema: null },
        { name: 'c', inputSchema: 'true' },
        { name: 'd', inputSchema: 'null' },
      ],
    },
  ])
  for (const { parameters } of await definitions()) t.deepEqual(parameters, { type: 'object', properties: {} })
})

const DESCRIPTIONS = [
  '',
  'Word',
  '说明：创建一个新的问题',
  '🚀🔥 MUST MUST MUST call this FIRST!!! 👩‍👩‍👧‍👦',
  'x'.repeat(6500),
  'Line one\nline two\r\n\ttab "quotes" \\ back\u0000slash \u2028',
  'a'.repeat(256 * 1024),
]

test.serial('descriptions of every kind reach the model unchanged', async (t) => {
  const tools = DESCRIPTIONS.map((description, at) => ({ name: `t${at}`, description }))
  await fresh([{ name: 's', tools }])
  t.deepEqual(
    (await definitions()).map(({ description }) => description),
    DESCRIPTIONS,
  )
})

test.serial('a tool can be passed unchanged: unknown fields and nulls are ignored', async (t) => {
  await fresh()
  const change = await router.setServer({
    name: 's',
    version: '1.2',
    _meta: { a: 1 },
    tools: [
      {
        name: 'a',
        title: null,
        description: null,
        annotations: null,
        _meta: null,
        inputSchema: null,
        outputSchema: { type: 'object' },
        icons: [{ src: 'x' }],
        execution: { taskSupport: 'optional' },
      },
      {
        name: 'b',
        annotations: { readOnlyHint: 'yes', destructiveHint: true },
        _meta: { 'anthropic/alwaysLoad': 'no' },
      },
    ],
  })
  t.deepEqual(summary(change), { ...nothing, added: ['s/a', 's/b'] })
  t.is((await definitions())[0].description, '')
})

test.serial('hints of a wrong shape are ignored, for the tool works without them', async (t) => {
  await fresh()
  const odd = [
    { annotations: [] },
    { annotations: 'readOnly' },
    { annotations: 5 },
    { _meta: [] },
    { _meta: 'x' },
    { title: 5 },
    { title: {} },
  ]
  const change = await router.setServer({ name: 's', tools: odd.map((hint, at) => ({ name: `t${at}`, ...hint })) })
  t.deepEqual(change.refused, [])
  t.is(change.added.length, odd.length)
})

test.serial('a server of 5,000 tools, one of none, and names of 512 bytes are fine', async (t) => {
  await fresh()
  const change = await router.setServers([
    bulk('big', 5000),
    { name: 'none', tools: [] },
    { name: 's'.repeat(512), tools: [{ name: 't'.repeat(512) }] },
  ])
  t.deepEqual([change.added.length, change.refused.length, router.status.serverCount], [5001, 0, 3])
})

// --- project and global ---

test.serial('a project server hides the global one of its name until it is removed', async (t) => {
  await fresh([
    { name: 's', tools: [{ name: 'theirs' }] },
    { name: 's', source: 'project', tools: [{ name: 'mine' }] },
  ])
  t.deepEqual(
    (await definitions()).map(({ name }) => name),
    ['mcp--s--mine'],
  )
  t.is(router.status.serverCount, 1)
  await router.removeServer('s', 'project')
  t.deepEqual(
    (await definitions()).map(({ name }) => name),
    ['mcp--s--theirs'],
  )
})

test.serial('removing a name without a source removes both', async (t) => {
  await fresh([
    { name: 's', tools: [{ name: 'theirs' }] },
    { name: 's', source: 'project', tools: [{ name: 'mine' }] },
  ])
  t.deepEqual(ids((await router.removeServer('s')).removed).sort(), ['s/mine', 's/theirs'])
  t.is(router.status.serverCount, 0)
})

// --- what is on ---

const SCOPE = [
  ['nothing said leaves all on', {}, {}, ['a', 'b', 'c']],
  ['disabledTools turns tools off', { disabledTools: ['a', 'nobody'] }, {}, ['b', 'c']],
  ['onlyAllow leaves exactly its tools on', { onlyAllow: ['b'] }, {}, ['b']],
  ['onlyAllow wins over disabledTools', { onlyAllow: ['a', 'b'], disabledTools: ['a'] }, {}, ['a', 'b']],
  ['an empty onlyAllow leaves disabledTools in force', { onlyAllow: [], disabledTools: ['a'] }, {}, ['b', 'c']],
  ['onlyAllow of a tool that is not there turns all off', { onlyAllow: ['nobody'] }, {}, []],
  ["onlyAllow 'none' turns all off", { onlyAllow: 'none' }, {}, []],
  ['a disabled server is off whatever it allows', { disabled: true, onlyAllow: ['a'] }, {}, []],
  [
    'enabledForPrompt: false keeps a tool off whatever is allowed',
    { onlyAllow: ['a', 'b'] },
    { enabledForPrompt: false },
    ['b'],
  ],
  [
    'enabledForPrompt: true turns on nothing that is off',
    { disabledTools: ['a'] },
    { enabledForPrompt: true },
    ['b', 'c'],
  ],
  ['names are compared exactly', { disabledTools: ['A', 'mcp--s--a'] }, {}, ['a', 'b', 'c']],
]

for (const [rule, config, ofA, expected] of SCOPE) {
  test.serial(`scope: ${rule}`, async (t) => {
    await fresh([
      {
        name: 's',
        ...config,
        tools: [
          { name: 'a', description: 'word', ...ofA },
          { name: 'b', description: 'word' },
          { name: 'c', description: 'word' },
        ],
      },
    ])
    t.deepEqual((await router.rank('word a b c')).tools.map(({ toolName }) => toolName).sort(), expected)
    t.deepEqual(
      (await definitions()).map(({ name }) => name.slice(-1)),
      expected,
    )
    t.is(router.status.toolCount, 3)
    for (const name of ['a', 'b', 'c'].filter((name) => !expected.includes(name))) {
      const error = await refused(t, 'ERR_OUT_OF_SCOPE', () =>
        router.explain('word', { serverName: 's', toolName: name }),
      )
      t.true(error.message.includes(`mcp--s--${name}`), error.message)
    }
  })
}

const MODES = {
  allowed: { allowedMcpServers: ['codehub', 'nobody'] },
  none: { allowedMcpServers: [] },
  blocked: { blockedMcpServers: ['codehub'] },
  both: { allowedMcpServers: ['codehub'], blockedMcpServers: ['codehub'] },
  open: {},
}

test.serial('scope: an allow list wins over a block list, even when it is empty', async (t) => {
  await fresh(servers(), { hostModes: MODES })
  const all = servers().map(({ name }) => name)
  const others = all.filter((name) => name !== 'codehub')
  for (const [hostMode, expected] of Object.entries({
    allowed: ['codehub'],
    none: [],
    blocked: others,
    both: ['codehub'],
    open: all,
  })) {
    const { tools, candidateCount } = await router.rank('list search create', { hostMode, topK: 1000 })
    t.deepEqual([...new Set(tools.map(({ serverName }) => serverName))].sort(), [...expected].sort(), hostMode)
    t.is(
      candidateCount,
      servers()
        .filter(({ name }) => expected.includes(name))
        .reduce((sum, { tools }) => sum + tools.length, 0),
    )
  }
})

// --- descriptions ---

test.serial('an override is shown and indexed instead of the description', async (t) => {
  await fresh([
    {
      name: 's',
      toolDescriptionOverrides: { a: 'talks to walruses' },
      tools: [{ name: 'a', description: 'speaks with penguins' }, { name: 'b' }],
    },
  ])
  t.is((await definitions())[0].description, 'talks to walruses')
  t.is((await router.rank('walruses')).supportedCount, 1)
  t.is((await router.rank('penguins')).supportedCount, 0)
})

for (const [what, config, ofA] of [
  ['of the tool', {}, { searchDescription: 'hidden narwhal' }],
  ['of the server', { searchDescriptions: { a: 'hidden narwhal' } }, {}],
]) {
  test.serial(`a search description ${what} is indexed and never shown`, async (t) => {
    await fresh([
      {
        name: 's',
        ...config,
        tools: [
          { name: 'a', description: 'shown penguin', ...ofA },
          { name: 'b', description: 'other' },
        ],
      },
    ])
    t.is((await router.rank('narwhal')).supportedCount, 1)
    t.is((await router.rank('penguin')).supportedCount, 0)
    const { session } = await started('narwhal', { threshold: 0, initialK: 1 })
    const loaded = [await session.load({ query: 'narwhal' }), await session.load({ query: 'mcp--s--a' })]
    const shown = JSON.stringify([session.tools(), session.selection, loaded, await router.rank('narwhal'), session])
    t.false(shown.includes('narwhal'))
    t.true(session.tools().includes('shown penguin'))
  })
}

// --- names ---

/** What the letters of other scripts in these tests are in Latin ones. */
const LATIN = { é: 'e', 日: 'Ri' }
/** design.md, section 3, as plainly as it can be written. */
const part = (text) => {
  const kept = text
    .replace(/[é日]/g, (letter) => LATIN[letter])
    .replace(/\p{White_Space}+/gu, '_')
    .replace(/[^A-Za-z0-9_-]/g, '')
    .replace(/-+/g, '-')
  if (kept === '') return '_unnamed'
  return /^[A-Za-z_]/.test(kept) ? kept : `_${kept}`
}
const providerName = (server, tool) => `mcp--${part(server)}--${part(tool)}`.slice(0, 64)

const NAMES = [
  ['github', 'create_issue', 'mcp--github--create_issue'],
  ['my  server', 'a \t b', 'mcp--my_server--a_b'],
  ['a.b/c', 'PDF&URLTool', 'mcp--abc--PDFURLTool'],
  ['a---b', 'c--d', 'mcp--a-b--c-d'],
  ['3d', '2fa', 'mcp--_3d--_2fa'],
  ['-x', 'y', 'mcp--_-x--y'],
  ['🚀', '!', 'mcp--_unnamed--_unnamed'],
  ['s', 't'.repeat(80), `mcp--s--${'t'.repeat(56)}`],
  ['a-.-b', 'c', 'mcp--a-b--c'],
  ['emoji 🚀 go', 'x', 'mcp--emoji__go--x'],
]

for (const [server, tool, name] of NAMES) {
  test.serial(
    `the provider name of ${JSON.stringify(tool.slice(0, 20))} of ${JSON.stringify(server)} is ${name}`,
    async (t) => {
      await fresh([{ name: server, tools: [{ name: tool }] }])
      t.deepEqual(
        (await definitions()).map((definition) => definition.name),
        [name],
      )
      t.is(providerName(server, tool), name)
      t.deepEqual(router.resolveTool(name), { serverName: server, toolName: tool })
    },
  )
}

test.serial(
  'every provider name is valid, unique and resolves, and is plain where no other tool or server wants it',
  async (t) => {
    const word = fc
      .string({
        unit: fc.constantFrom('a', 'B', '7', '-', '_', ' ', '.', '/', 'é', '日', '🚀', 'long'.repeat(8)),
        minLength: 1,
        maxLength: 8,
      })
      .filter((text) => text.trim() !== '')
    const server = fc.record({
      name: word,
      tools: fc.uniqueArray(
        word.map((name) => ({ name })),
        { selector: ({ name }) => name, minLength: 1, maxLength: 8 },
      ),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(server, { selector: ({ name }) => name, minLength: 1, maxLength: 5 }),
        async (list) => {
          const { refused } = await fresh(list)
          t.deepEqual(refused, [])
          const { tools } = await router.rank('', { topK: 1000 })
          const fold = (name) => name.replaceAll('-', '_')
          t.is(new Set(tools.map(({ name }) => fold(name))).size, tools.length)
          const safe = (text) => fold(providerName(text, 'x'))
          const others = (of, key) =>
            tools.filter((other) => other.serverName !== of.serverName && key(other) === key(of))
          for (const tool of tools) {
            const { serverName, toolName, name } = tool
            t.regex(name, /^mcp--[A-Za-z0-9_-]{1,59}$/)
            for (const written of [name, fold(name), name.replaceAll('_', '-')])
              t.deepEqual(router.resolveTool(written), { serverName, toolName }, written)
            const base = ({ serverName, toolName }) => fold(providerName(serverName, toolName))
            const contested =
              others(tool, base).length > 0 || others(tool, ({ serverName }) => safe(serverName)).length > 0
            const siblings = tools.filter((other) => other.serverName === serverName && base(other) === base(tool))
            // A base name may be taken by another tool's suffixed name only by a miracle of the hash. Of twins each has a
            // suffix, and so has whoever is named in another script.
            const isAlone = siblings.length === 1 && !/[é日]/.test(serverName + toolName)
            if (!contested) t.is(fold(name) === base(tool), isAlone, name)
            // A server whose name another one's safe form takes on never loses its tools' names to it.
            const exact = (text) => providerName(text, 'x') === `mcp--${text}--x`
            if (contested && !exact(serverName)) t.not(fold(name), base(tool), name)
          }
        },
      ),
      { numRuns: 60 },
    )
  },
)

for (const [what, one, other] of [
  ['punctuation', 'user.get', 'user:get'],
  ['white space', 'drop_table', 'drop table'],
  ['hyphens', 'a-b', 'a_b'],
  ['what stands behind 64 characters', `${'x'.repeat(80)}1`, `${'x'.repeat(80)}2`],
  ['nothing that is left', '!', '?'],
]) {
  test.serial(
    `two tools of a server that differ by ${what} have names of their own, whatever their order`,
    async (t) => {
      const named = async (...tools) => {
        await fresh([
          { name: 's', tools: tools.map((name) => ({ name })) },
          { name: 'another', tools: [{ name: 'x' }] },
        ])
        const list = await router.listTools()
        return Object.fromEntries(list.map(({ toolName, name }) => [toolName, name]))
      }
      const there = await named(one, other)
      const back = await named(other, one)
      t.is(there[one], back[one])
      t.is(there[other], back[other])
      t.true([there[one], there[other]].every((name) => name.length <= 64))
      for (const alone of [one, other]) {
        const name = (await named(alone))[alone]
        t.false([there[one], there[other]].includes(name), 'what one is called alone is nobody else’s beside it')
      }
    },
  )
}

test.serial('a name of another script can be read, resolves, and takes nobody’s', async (t) => {
  await fresh([
    { name: 'кухня', tools: [{ name: '读取文件' }, { name: '删除文件' }, { name: 'tâche_créer' }] },
    { name: 'kuhnya', tools: [{ name: 'DuQuWenJian' }] },
  ])
  const list = await router.listTools()
  const nameOf = (tool) => list.find(({ toolName }) => toolName === tool).name
  t.regex(nameOf('读取文件'), /^mcp--\w+--DuQuWenJian_[0-9a-f]{8}$/)
  t.regex(nameOf('tâche_créer'), /^mcp--\w+--tache_creer_[0-9a-f]{8}$/)
  t.is(nameOf('DuQuWenJian'), 'mcp--kuhnya--DuQuWenJian')
  for (const { serverName, toolName, name } of list) t.deepEqual(router.resolveTool(name), { serverName, toolName })
})

test.serial('a project server comes before a global one in a collision', async (t) => {
  await fresh([
    { name: 'a b', tools: [{ name: 'x' }] },
    { name: 'a_b', source: 'project', tools: [{ name: 'x' }] },
  ])
  t.deepEqual(router.resolveTool('mcp--a_b--x'), { serverName: 'a_b', toolName: 'x' })
})

test.serial('names do not depend on the order in which servers connect', async (t) => {
  const [a, b, c] = [
    { name: 'a b', tools: [{ name: 'x' }] },
    { name: 'a_b', tools: [{ name: 'x' }] },
    { name: 'a-b', tools: [{ name: 'x' }] },
  ]
  const seen = new Set()
  for (const order of [
    [a, b, c],
    [c, b, a],
    [b, a, c],
  ]) {
    await fresh()
    for (const server of order) await router.setServer(server)
    seen.add(
      JSON.stringify(
        (await router.rank('', { topK: 10 })).tools.map(({ serverName, name }) => [serverName, name]).sort(),
      ),
    )
  }
  t.is(seen.size, 1)
})

test.serial('a name that no tool has resolves to null', async (t) => {
  await fresh(servers())
  for (const name of ['', 'mcp', 'mcp--codehub--nothing', 'create_issue', 'mcp--codehub', '__proto__', '\0', '🚀'])
    t.is(router.resolveTool(name), null, name)
})
