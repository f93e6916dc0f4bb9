// A user's first mistakes, and what they are told.
import test from 'ava'

import { bulk } from '../helpers/catalogue.mjs'
import { fresh, refused, router } from '../helpers/router.mjs'

const TASK = 'list the open issues'
const DYNAMIC = { threshold: 0, initialK: 2 }
const told = ({ warnings }) => warnings.map(({ code, toolName, detail }) => [code, toolName, detail])

test.serial('what is refused for its arguments has the line of the caller in its stack', async (t) => {
  await fresh()
  const session = router.openSession()
  const calls = {
    rank: function ranksInOurCode() {
      return router.rank(5)
    },
    setServer: function setsInOurCode() {
      return router.setServer({})
    },
    start: function startsInOurCode() {
      return session.start(5)
    },
    configure: function configuresInOurCode() {
      return router.configure({ threshold: -1 })
    },
  }
  for (const call of Object.values(calls)) {
    const { stack } = await refused(t, 'ERR_INVALID_ARGUMENT', call)
    t.regex(stack, new RegExp(`at .*${call.name} .*first-steps\\.spec\\.mjs`), call.name)
  }
})

test.serial('a misspelt setting or option is told with the nearest one first', async (t) => {
  await fresh()
  const message = async (call) => (await refused(t, 'ERR_INVALID_ARGUMENT', call)).message
  t.regex(
    await message(() => router.configure({ initalK: 3 })),
    /^configure: expected initialK or another of the keys threshold, .*, got the key "initalK"; did you mean initialK\?$/,
  )
  t.regex(await message(() => router.rank('x', { topk: 3 })), /^rank: expected topK or .*; did you mean topK\?$/)
  t.regex(
    await message(() => router.configure({ wings: 2 })),
    /^configure: expected only the keys .*got the key "wings"$/,
  )
})

test.serial('a key of a server near a known one is a warning, and a key of the host’s own is none', async (t) => {
  await fresh()
  const server = {
    name: 's',
    tools: [],
    tool: [],
    disabledTool: ['a'],
    onlyAllowed: ['a'],
    command: 'npx',
    status: 'connected',
  }
  t.deepEqual(told(await router.setServer(server)), [
    ['unknown-key', undefined, 'the key "tool" is not read; did you mean "tools"?'],
    ['unknown-key', undefined, 'the key "disabledTool" is not read; did you mean "disabledTools"?'],
    ['unknown-key', undefined, 'the key "onlyAllowed" is not read; did you mean "onlyAllow"?'],
  ])
})

test.serial('a misspelt key of a tool is told once, for the first tool without a description', async (t) => {
  await fresh()
  const tools = ['a', 'b'].map((name) => ({ name, discription: 'Does something', owner: 'us' }))
  t.deepEqual(told(await router.setServer({ name: 's', tools: [{ name: 'c', description: 'd' }, ...tools] })), [
    ['unknown-key', 'a', 'the key "discription" is not read; did you mean "description"?'],
  ])
})

test.serial(
  'a name in a server’s configuration that is not a tool of it is a warning with the near name',
  async (t) => {
    await fresh()
    const tools = [
      { name: 'create_issue', description: 'Creates' },
      { name: 'list_issues', description: 'Lists' },
    ]
    const by = async (config) => told(await router.setServer({ name: 's', tools, ...config }))
    const fields = {
      onlyAllow: ['creat_issue'],
      disabledTools: ['creat_issue'],
      alwaysLoad: ['creat_issue'],
      toolDescriptionOverrides: { creat_issue: 'x' },
      searchDescriptions: { creat_issue: 'x' },
    }
    for (const [field, value] of Object.entries(fields)) {
      const detail = `${field} names "creat_issue", which is not a tool of the server; did you mean "create_issue"?`
      t.deepEqual(await by({ [field]: value }), [['unknown-tool', undefined, detail]])
    }
    const many = Array.from({ length: 1_000 }, (_, at) => `tool_${at}`)
    t.is((await by({ onlyAllow: many })).length, 8, 'who sees these looks at the whole list')
    t.deepEqual(await by({ onlyAllow: ['create_issue'], alwaysLoad: true, disabledTools: [] }), [])
    t.deepEqual(
      await by({ tools: undefined, disabled: true, disabledTools: ['creat_issue'] }),
      [],
      'a server that is not listed yet',
    )
  },
)

test.serial('definitions are not given while a start is pending', async (t) => {
  await fresh([bulk('s', 60)])
  const session = router.openSession({ settings: DYNAMIC })
  t.true(JSON.parse(session.tools()).length >= 60, 'before a start all tools in scope are there')
  const started = session.start(TASK)
  // Both at once: a turn of the event loop later the start may have settled.
  const errors = [() => session.tools(), () => session.render()].map((call) => t.throws(call))
  for (const { code, message } of errors) {
    t.is(code, 'ERR_INVALID_ARGUMENT')
    t.regex(
      message,
      /expected a session whose start\(\) has settled, got one whose start\(\) is pending; await it first$/,
    )
  }
  await started
  t.true(JSON.parse(session.tools()).length < 10)
  const again = session.start(TASK)
  t.true(JSON.parse(session.tools()).length < 10, 'a task that has begun has its tools')
  await refused(t, 'ERR_INVALID_ARGUMENT', () => again)
})
