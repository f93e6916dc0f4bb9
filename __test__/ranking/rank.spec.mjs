// Query to order, by terms alone: the order, the scores, the names.
import test from 'ava'
import { fresh, names, router } from '../helpers/router.mjs'
import { QUERIES, servers } from '../helpers/catalogue.mjs'

const ALL = { topK: 1000 }

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
    t.deepEqual(names({ tools }), names({ tools: tools.toReversed().sort(compare) }), query)
  }
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

test.serial('words of prose that happen to be a name do not name a tool', async (t) => {
  await fresh(servers())
  for (const query of [
    'we should list issues that are open',
    'I would like to search for a comment in the history of this city',
  ]) {
    for (const tool of (await router.rank(query, ALL)).tools) t.is(tool.boost, 0, `${query}: ${tool.name}`)
  }
})
