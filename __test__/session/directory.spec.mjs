// The directory of a task: signatures of the tools that come behind its definitions.
import test from 'ava'

import { bulk, servers } from '../helpers/catalogue.mjs'
import { fresh, router, started } from '../helpers/router.mjs'

const TASK = 'List the open issues of the repository and comment on the newest one'
const ALL = () => [...servers(), bulk('many', 40)]
const SETTINGS = { threshold: 5, initialK: 3, directoryTokens: 600 }
const description = (session) => JSON.parse(session.tools())[0].function.description
const messages = (rendered) => JSON.parse(rendered.messages)
/** The pairs that tell changes in messages. */
const TOLD = [
  { provider: 'anthropic', delivery: 'changes' },
  { provider: 'openai-chat', delivery: 'call' },
]

test.serial('a tool is among the definitions or in the directory, by rank and within the tokens', async (t) => {
  await fresh(ALL())
  const plain = await started(TASK, { ...SETTINGS, directoryTokens: 0 })
  t.deepEqual(plain.selection.directory, [])
  t.is(plain.selection.tokens.directory, 0)
  for (const directoryTokens of [100, 300, 600, 2_000]) {
    const { session, selection } = await started(TASK, { ...SETTINGS, directoryTokens })
    const { attached, directory, tokens, mcpLoad, scopedCount } = selection
    t.deepEqual(attached, plain.selection.attached)
    t.true(directory.length > 0 && directory.every((name) => !attached.includes(name)))
    t.is(new Set(directory).size, directory.length)
    t.true(directory.length + attached.length <= scopedCount)
    t.true(tokens.directory > 0 && tokens.directory <= directoryTokens, `${tokens.directory} of ${directoryTokens}`)
    t.is(tokens.mcpLoad + tokens.directory, await router.countTokens(mcpLoad))
    t.is(tokens.saved, Math.max(tokens.scoped - tokens.attached - tokens.mcpLoad - tokens.directory, 0))
    const { text } = await router.signatures({ names: directory, optional: false })
    t.true(description(session).endsWith(text), 'the text has exactly these signatures')
  }
  const { tools } = await router.rank(TASK, { topK: 40 })
  const ranked = tools.map(({ name }) => name)
  const { directory } = (await started(TASK, { ...SETTINGS, directoryTokens: 2_000 })).selection
  const places = directory.map((name) => ranked.indexOf(name)).filter((place) => place >= 0)
  t.true(places[0] < 10 && places.length > 10)
})

test.serial(
  'the directory has what a call requires, and names of optional parameters where tools are called by it',
  async (t) => {
    await fresh(ALL())
    const issues = /create_issue: \{([^}]*)\}/
    const loaded = await started(TASK, { ...SETTINGS, initialK: 1, directoryTokens: 2_000 })
    const [, required] = issues.exec(description(loaded.session))
    t.is(required, 'repo: string, title: string, /*…*/')
    const called = await started(TASK, { ...SETTINGS, initialK: 1, directoryTokens: 2_000, delivery: 'call' })
    const [{ content }] = messages(called.session.render()).filter((message) => issues.test(message.content))
    t.is(issues.exec(content)[1], 'repo: string, title: string, /*labels*/')
    t.true(called.selection.directory.length <= loaded.selection.directory.length)
  },
)

test.serial('without more tools than fit there is no directory', async (t) => {
  await fresh(servers())
  t.deepEqual((await started(TASK, { threshold: 1000, directoryTokens: 500 })).selection.directory, [])
  t.deepEqual((await started('hello', { ...SETTINGS, initialK: 'auto' })).selection.directory, [])
})

test.serial('the text of mcp_load stays what it was until a compaction, whatever is loaded', async (t) => {
  await fresh(ALL())
  const { session, selection } = await started(TASK, SETTINGS)
  const before = description(session)
  const [first, second] = selection.directory
  const { loaded } = await session.load({ query: first })
  t.deepEqual(
    loaded.map(({ name }) => name),
    [first],
  )
  t.deepEqual(session.selection.directory.slice(0, 1), [second])
  await session.turn('and post a message to the team channel')
  t.is(description(session), before)
  const { directory, rewrite } = await session.compact('the issues were listed')
  t.deepEqual(rewrite.causes, ['compaction'])
  t.true(directory.length > 0 && !directory.some((name) => session.selection.attached.includes(name)))
})

test.serial('names of the directory are loaded together, as they stand there, and nothing refuses them', async (t) => {
  await fresh(ALL())
  const settings = { ...SETTINGS, tokenBudget: 200, initialK: 2, maxTools: 4, searchK: 1 }
  const { session, selection } = await started(TASK, settings)
  const asked = selection.directory.slice(0, 2).map((name) => router.resolveTool(name))
  const query = asked.map(({ serverName, toolName }) => `${serverName.replaceAll(/\W/g, '_')}.${toolName}`).join(', ')
  const { loaded, unavailable } = await session.load({ query })
  t.deepEqual(
    loaded.map(({ name }) => name),
    selection.directory.slice(0, 2),
  )
  t.deepEqual(unavailable, [])
  t.true(JSON.parse(session.tools()).length <= 4)
})

test.serial('messages tell the directory once, and what of it is gone', async (t) => {
  for (const pair of TOLD) {
    await fresh(ALL())
    const { session, selection } = await started(TASK, { ...SETTINGS, ...pair })
    const { text } = await router.signatures({ names: selection.directory, optional: false })
    // With call, names of optional parameters stand in the place of their mark.
    const lines = text.split('\n').map((line) => (pair.delivery === 'call' ? line.replace(/\/\*…\*\/.*/, '') : line))
    const told = (rendered) => JSON.stringify(messages(rendered))
    const first = session.render()
    t.false(first.tools.includes('interface '))
    t.true(lines.every((line) => told(first).includes(JSON.stringify(line).slice(1, -1))))
    t.is(messages(session.render()).length, 0)
    const restored = await router.restoreSession(JSON.stringify(session))
    t.deepEqual(restored.selection.directory, selection.directory)
    t.is(messages(restored.render()).length, 0)
    const gone = router.resolveTool(selection.directory[0]).serverName
    await router.removeServer(gone)
    t.regex(
      told(restored.render()),
      pair.delivery === 'append' ? /No longer available: / : /cannot use now, with all their tools: /,
    )
    t.false(restored.selection.directory.some((name) => router.resolveTool(name) === null))
  }
})

test.serial('a server that connects late may bring lines alone, in a message', async (t) => {
  const late = servers().find(({ tools }) => tools.some(({ name }) => name === 'create_issue'))
  await fresh([...servers().filter(({ name }) => name !== late.name), bulk('many', 40)])
  const { session } = await started(TASK, { ...SETTINGS, initialK: 'auto', directoryTokens: 2_000, ...TOLD[1] })
  const { tools } = session.render()
  await router.setServer(late)
  const { directory } = await session.sync()
  const brought = directory.filter((name) => name.startsWith(`mcp--${late.name}--`))
  t.true(brought.length > 0)
  const rendered = session.render()
  t.is(rendered.tools, tools)
  t.true(brought.every((name) => rendered.messages.includes(name.split('--')[2])))
})

test.serial('a later turn adds what is next best, in a message, up to as much again', async (t) => {
  await fresh(ALL())
  const { session, selection } = await started(TASK, { ...SETTINGS, ...TOLD[1], directoryTokens: 400 })
  session.render()
  const before = new Set(selection.directory)
  const { directory, tokens } = await session.turn('Now post a message to the team channel and upload the file')
  const rendered = JSON.stringify(messages(session.render()))
  for (const name of directory.filter((own) => !before.has(own)))
    t.true(rendered.includes(`${router.resolveTool(name).toolName}: `), name)
  t.true(tokens.directory <= 800)
})

test.serial('with call, a tool of the directory is called by its name, and a refusal carries its schema', async (t) => {
  await fresh(ALL())
  const heard = []
  router.onTelemetry((event) => heard.push(event))
  const { session } = await started(TASK, { ...SETTINGS, provider: 'openai-chat', delivery: 'call', initialK: 1 })
  const known = session.selection.directory.map((name) => router.resolveTool(name))
  const { toolName, serverName } = known.find(({ serverName }) => serverName === 'codehub')
  const wrong = await session.checkCall({ name: `${serverName}.${toolName}`, arguments: { [`no_${toolName}`]: 7 } })
  const right = await session.checkCall({
    name: toolName,
    arguments: { owner: 'a', repo: 'b', project: 'a/b', title: 'c', number: 1, body: 'd' },
  })
  const answers = [wrong, right]
  t.true(answers.every(({ tool }) => tool?.toolName === toolName))
  for (const { problem } of answers.filter((answer) => answer.problem !== undefined)) {
    t.is(problem.reason, 'invalid-arguments')
    t.regex(problem.message, /fit its schema: \{/)
  }
  const calls = heard.filter(({ event }) => event === 'dynamic_tools.directory_used')
  t.deepEqual(
    calls.map(({ by, toolCount }) => [by, toolCount]),
    [
      ['call', 1],
      ['call', 1],
    ],
  )
  router.onTelemetry(null)
})

test.serial('elsewhere a call of a tool of the directory is answered with what to do', async (t) => {
  await fresh(ALL())
  const { session, selection } = await started(TASK, SETTINGS)
  const [name] = selection.directory
  const { problem } = await session.checkCall({ name, arguments: {} })
  t.is(problem.reason, 'not-attached')
  t.true(problem.message.includes(`Call mcp_load with the query "${name}"`))
  t.true((await session.explain(name)).inDirectory)
  t.false((await session.explain(selection.attached[0])).inDirectory)
})

test.serial('mcp_load takes several needs, one per line, and says which of them nothing fits', async (t) => {
  await fresh(ALL())
  const { session } = await started('hello', { threshold: 5, initialK: 1 })
  const query =
    'list the open issues of the repository\npost a message to the team channel\ncalibrate the quantum flux zylophone'
  const { loaded, unavailable, nothingFits } = await session.load({ query })
  const tools = new Set(loaded.map(({ toolName }) => toolName))
  t.true(tools.has('list_issues') && tools.has('postMessage'), [...tools].join(', '))
  t.is(nothingFits, undefined)
  t.deepEqual(
    unavailable.map(({ name, reason }) => [name, reason]),
    [['calibrate the quantum flux zylophone', 'nothing-fits']],
  )
})

test.serial(
  'among several needs a line of exact names loads those, and what all lines miss is said in one message',
  async (t) => {
    await fresh(ALL())
    const { session } = await started('hello', { threshold: 5, initialK: 1 })
    const { loaded } = await session.load({
      query: 'list the open issues of the repository\npostMessage, merge_pull_request',
    })
    const tools = loaded.map(({ toolName }) => toolName)
    t.true(
      ['list_issues', 'postMessage', 'merge_pull_request'].every((name) => tools.includes(name)),
      tools.join(', '),
    )
    const missed = await session.load({ query: 'calibrate the quantum flux zylophone\nknit a woollen jumper' })
    t.deepEqual([missed.loaded, missed.unavailable], [[], []])
    t.regex(missed.nothingFits.message, /No connected tool/)
  },
)

test.serial(
  'a search names what comes next, within 400 tokens, to be loaded by name whatever the budget says',
  async (t) => {
    await fresh(ALL())
    const { session } = await started('hello', { threshold: 5, initialK: 1, searchK: 1, tokenBudget: 150 })
    const { loaded, next } = await session.load({ query: 'issues of the repository' })
    t.true(next.length > 0 && !next.some(({ name }) => loaded.some((tool) => tool.name === name)))
    let tokens = 0
    for (const { signature } of next) tokens += await router.countTokens(signature)
    t.true(tokens <= 400, `${tokens}`)
    for (const { name, signature } of next) t.true(signature.startsWith(`${name}: {`), signature)
    const asked = next.slice(0, 3).map(({ name }) => name)
    t.deepEqual(
      (await session.load({ query: asked.join(', ') })).loaded.map(({ name }) => name),
      asked,
    )
  },
)
