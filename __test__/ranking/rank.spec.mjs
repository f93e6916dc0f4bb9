// Query to order, by terms alone: the order, the scores, the names.
import test from 'ava'
import fc from 'fast-check'
import { fresh, names, router } from '../helpers/router.mjs'
import { QUERIES, bulk, servers } from '../helpers/catalogue.mjs'

const ALL = { topK: 1000 }

const bytes = async (options = ALL) =>
  JSON.stringify(await Promise.all(QUERIES.map((query) => router.rank(query, options))))

const shuffled = (list, seed) =>
  list
    .map((value, at) => [Math.sin(seed * 100 + at * 7) % 1, value])
    .sort(([a], [b]) => a - b)
    .map(([, value]) => value)

const close = (t, actual, expected, message) =>
  t.true(Math.abs(actual - expected) <= 1e-4 * Math.max(1, Math.abs(expected)), `${message}: ${actual} for ${expected}`)

test.serial('the order in which servers were set changes no ranking', async (t) => {
  const seen = new Set()
  for (let seed = 1; seed <= 12; seed += 1) {
    await fresh()
    for (const server of shuffled(servers(), seed)) await router.setServer(server)
    seen.add(await bytes())
  }
  await fresh(servers())
  seen.add(await bytes())
  t.is(seen.size, 1)
})

test.serial('removing a server and adding it again restores the ranking', async (t) => {
  await fresh(servers())
  const before = await bytes()
  for (const server of servers()) {
    await router.removeServer(server.name)
    t.not(await bytes(), before)
    await router.setServer(server)
    t.is(await bytes(), before, server.name)
  }
})

test.serial('the order is total: score, then project before global, server name, place in the server', async (t) => {
  const list = [
    ...servers(),
    { name: 'codehub', source: 'project', tools: servers()[0].tools },
    { name: 'twins', tools: ['b', 'a', 'c'].map((name) => ({ name: `same_${name}`, description: 'Same words' })) },
  ]
  await fresh(list)
  const place = ({ serverName, toolName }) => {
    const server = list.findLast(({ name }) => name === serverName)
    return [server.source === 'project' ? 0 : 1, serverName, server.tools.findIndex(({ name }) => name === toolName)]
  }
  const compare = (a, b) => {
    const [x, y] = [place(a), place(b)]
    return b.score - a.score || x[0] - y[0] || (x[1] < y[1] ? -1 : x[1] > y[1] ? 1 : 0) || x[2] - y[2]
  }
  for (const query of QUERIES) {
    const { tools } = await router.rank(query, ALL)
    t.deepEqual(names({ tools }), names({ tools: shuffled(tools, 3).sort(compare) }), query)
  }
})

test.serial('scores never increase down the list, ranks count from 1, and no tool stands twice', async (t) => {
  await fresh([...servers(), bulk('ledgers', 300)])
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.constantFrom(...QUERIES), fc.string(), fc.string({ unit: 'grapheme' }), fc.lorem()),
      fc.integer({ min: 1, max: 1000 }),
      async (query, topK) => {
        const { tools, candidateCount, supportedCount } = await router.rank(query, { topK })
        t.is(candidateCount, 358)
        t.is(tools.length, Math.min(topK, candidateCount))
        t.true(supportedCount >= 0 && supportedCount <= candidateCount)
        tools.forEach((tool, at) => {
          t.is(tool.rank, at + 1)
          if (at > 0) t.true(tool.score <= tools[at - 1].score)
        })
        t.is(new Set(names({ tools })).size, tools.length)
      },
    ),
    { numRuns: 80 },
  )
})

test.serial('the first K are the first K of all', async (t) => {
  await fresh([...servers(), bulk('ledgers', 300)])
  for (const query of QUERIES) {
    const all = (await router.rank(query, ALL)).tools
    for (const topK of [1, 2, 7, 30, 357, 358])
      t.deepEqual((await router.rank(query, { topK })).tools, all.slice(0, topK))
  }
})

test.serial('an empty catalogue gives an empty answer', async (t) => {
  await fresh()
  t.deepEqual(await router.rank('anything', { ranker: 'lexical' }), {
    tools: [],
    ranker: 'lexical',
    candidateCount: 0,
    supportedCount: 0,
    evidence: 0,
  })
})

test.serial('results are all tools of the mode and of the servers, and no others', async (t) => {
  const all = servers().map(({ name }) => name)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...QUERIES),
      fc.subarray(all),
      fc.option(fc.subarray(all), { nil: undefined }),
      fc.option(fc.subarray(all), { nil: undefined }),
      async (query, wanted, allowedMcpServers, blockedMcpServers) => {
        const mode = {
          ...(allowedMcpServers && { allowedMcpServers }),
          ...(blockedMcpServers && { blockedMcpServers }),
        }
        await fresh(servers(), { hostModes: { m: mode } })
        const inScope = (name) =>
          allowedMcpServers ? allowedMcpServers.includes(name) : !blockedMcpServers?.includes(name)
        const { tools, candidateCount } = await router.rank(query, { ...ALL, hostMode: 'm', servers: wanted })
        const expected = all.filter((name) => wanted.includes(name) && inScope(name))
        t.deepEqual([...new Set(tools.map(({ serverName }) => serverName))].sort(), [...expected].sort())
        t.is(
          candidateCount,
          servers()
            .filter(({ name }) => expected.includes(name))
            .reduce((sum, { tools }) => sum + tools.length, 0),
        )
        // Not in the order of a wider scope: scores are standardised over the candidates.
        const full = (await router.rank(query, ALL)).tools.filter(({ serverName }) => expected.includes(serverName))
        t.deepEqual(names({ tools }).sort(), names({ tools: full }).sort())
      },
    ),
    { numRuns: 40 },
  )
})

test.serial('no server, an unknown server, and a server named twice', async (t) => {
  await fresh(servers())
  t.is((await router.rank('list', { servers: [] })).candidateCount, 0)
  t.is((await router.rank('list', { servers: ['nobody'] })).candidateCount, 0)
  t.is((await router.rank('list', { servers: ['codehub', 'codehub'] })).candidateCount, 7)
})

const WORDS = ['kappa', 'zeta', 'omega', 'lambda', 'sigma', 'delta']

/** BM25 as it stands in the books; names count half as much again. */
function naiveScores(tools, query) {
  const [k1, b] = [1.5, 0.75]
  const fields = tools.map(({ name, description }) => {
    const head = ['shelf', name]
    return { head, all: [...head, ...description.split(' ').filter(Boolean)] }
  })
  const mean = (field) => fields.reduce((sum, document) => sum + document[field].length, 0) / fields.length
  const weight = (document, field, term) => {
    const frequency = document[field].filter((word) => word === term).length
    if (frequency === 0) return 0
    return (frequency * (k1 + 1)) / (frequency + k1 * (1 - b + (b * document[field].length) / mean(field)))
  }
  return fields.map((document) => {
    let score = 0
    for (const term of new Set(query.split(' ').filter(Boolean))) {
      const holding = fields.filter(({ all }) => all.includes(term)).length
      const idf = Math.log(1 + (fields.length - holding + 0.5) / (holding + 0.5))
      if (document.all.includes(term))
        score += idf * (weight(document, 'all', term) + 0.5 * weight(document, 'head', term))
    }
    return score
  })
}

test.serial('lexical scores equal a naive BM25, and shares are they standardised', async (t) => {
  const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((words) => words.join(' '))
  const query = fc
    .array(fc.constantFrom(...WORDS, 'shelf', 'nowhere'), { maxLength: 6 })
    .map((words) => words.join(' '))
  const tools = fc
    .array(text, { minLength: 1, maxLength: 8 })
    .map((texts) => texts.map((description, at) => ({ name: WORDS[at] ?? `quux${'abcdefgh'[at]}zzz`, description })))
  await fc.assert(
    fc.asyncProperty(tools, query, async (list, query) => {
      await fresh([{ name: 'shelf', tools: list }])
      const { tools: ranked, supportedCount } = await router.rank(query, ALL)
      const expected = naiveScores(list, query)
      const mean = expected.reduce((sum, score) => sum + score, 0) / expected.length
      const deviation = Math.sqrt(expected.reduce((sum, score) => sum + (score - mean) ** 2, 0) / expected.length)
      t.is(supportedCount, expected.filter((score) => score > 0).length)
      for (const tool of ranked) {
        const at = list.findIndex(({ name }) => name === tool.toolName)
        close(t, tool.lexicalScore, expected[at], `${query} for ${list[at].description}`)
        if (deviation > 1e-3) close(t, tool.lexicalShare, (expected[at] - mean) / deviation, 'share')
      }
    }),
    { numRuns: 60 },
  )
})

test.serial('a term counts once however often the query repeats it', async (t) => {
  await fresh(servers())
  t.deepEqual((await router.rank('issue issue issues ISSUE', ALL)).tools, (await router.rank('issue', ALL)).tools)
})

const FOUND_BY = [
  ['its name', 'escalate'],
  ['a piece of its snake_case name', 'ticket', 'issue.desk'],
  ['a piece of its camelCase name', 'reaction', 'Chat Room'],
  ['a piece of its kebab-case name', 'screenshot', 'browser-pilot'],
  ['a word of its description', 'bases', undefined, ['merge_pull_request', 'run_query', 'create_branch']],
  ['a parameter name', 'destination', undefined, ['move_file']],
  ['a parameter description', 'latitude', undefined, ['marine']],
  ['an enum value', 'squash', undefined, ['merge_pull_request']],
  ['its server name', 'weatherly', 'weatherly'],
  ['Chinese text', '绘制', undefined, ['create_shape']],
  ['another form of the word', 'deploying', undefined, ['deploy_service']],
  ['a word in capitals with accents', 'RÉMIND', undefined, ['set_reminder']],
]

for (const [what, query, serverName, tools] of FOUND_BY) {
  test.serial(`a tool is found by ${what}`, async (t) => {
    await fresh(servers())
    const {
      tools: [first],
    } = await router.rank(query)
    t.true(first.lexicalScore > 0)
    if (serverName) t.is(first.serverName, serverName)
    if (tools) t.true(tools.includes(first.toolName), first.toolName)
  })
}

const NAMED = [
  ['take-screenshot', 'tool'],
  ['take_screenshot', 'tool'],
  ['takeScreenshot', 'tool'],
  ['TAKE_SCREENSHOT', 'tool'],
  ['take screenshot', 'tool'],
  ['take.screenshot', 'tool'],
  ['please call take_screenshot to list issues and create files', 'tool'],
  ['use the take screenshot tool to search for issues', 'tool'],
  ['mcp--browser-pilot--take-screenshot', 'server-and-tool'],
  ['mcp__browser_pilot__take_screenshot', 'server-and-tool'],
  ['mcp--browser_pilot--take_screenshot', 'server-and-tool'],
  ['browser-pilot.take-screenshot', 'server-and-tool'],
  ['browser-pilot/take-screenshot', 'server-and-tool'],
  ['browser-pilot::takeScreenshot', 'server-and-tool'],
  ['browserPilot take screenshot', 'server-and-tool'],
  ['list_issues is wrong, I want `browser-pilot` `take-screenshot`', 'server-and-tool'],
]

for (const [query, named] of NAMED) {
  test.serial(`an exact name comes first: ${query}`, async (t) => {
    await fresh([
      ...servers(),
      {
        name: 'decoys',
        tools: [
          { name: 'taking', description: 'take screenshot take screenshot' },
          { name: 'shots', description: query.repeat(3).replace(/[^a-z]/gi, ' ') },
        ],
      },
    ])
    const { tools } = await router.rank(query)
    const { named: said } = await router.explain(query, { serverName: 'browser-pilot', toolName: 'take-screenshot' })
    t.is(said, named)
    const place = tools.findIndex(({ toolName }) => toolName === 'take-screenshot')
    t.true(place === 0 || (place === 1 && query.includes('list_issues')), names({ tools }).join(' '))
  })
}

test.serial('a name with its server stands above the same name of another server', async (t) => {
  await fresh(servers())
  for (const serverName of ['weatherly', 'issue.desk']) {
    const { tools } = await router.rank(`${serverName} search`)
    t.deepEqual([tools[0].serverName, tools[0].toolName], [serverName, 'search'])
  }
})

test.serial('words of prose that happen to be a name do not name a tool', async (t) => {
  await fresh(servers())
  for (const query of [
    'we should list issues that are open',
    'I would like to search for a comment in the history of this city',
  ]) {
    for (const tool of (await router.rank(query, ALL)).tools) t.is(tool.boost, 0, `${query}: ${tool.name}`)
  }
})

test.serial('a degraded answer equals the lexical answer, and says so', async (t) => {
  await fresh(servers())
  for (const query of QUERIES) {
    const { degraded: none, ...lexical } = await router.rank(query, { ...ALL, ranker: 'lexical' })
    t.is(none, undefined)
    t.is(lexical.ranker, 'lexical')
    for (const ranker of ['hybrid', 'semantic']) {
      const { degraded, ...answer } = await router.rank(query, { ...ALL, ranker })
      t.is(degraded.code, 'model-not-loaded')
      t.true(degraded.message.length > 10)
      t.deepEqual(answer, lexical)
    }
  }
})
