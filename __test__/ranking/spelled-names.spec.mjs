// Names as models write them that were trained on other searches are understood, or answered with the near name; and a tool
// that its server has no more is told from one whose server is gone.
import test from 'ava'

import { router } from '../helpers/router.mjs'

const tool = (name, description = `Does ${name.replaceAll('_', ' ')}`) => ({ name, description })
const BOOKS = ['close_period', 'open_period', 'post_entry', 'list_accounts']
const books = (names = BOOKS) => ({ name: 'books', tools: names.map((name) => tool(name)) })
const SERVERS = [
  { name: 'helpers-x', tools: [tool('ask_codex'), tool('ask_gemini')] },
  { name: 'files', tools: ['read_file', 'write_file', 'list_folder'].map((name) => tool(name)) },
  books(),
]

async function started(t, text = 'hello', settings = { threshold: 1, initialK: 0 }) {
  router.configure({ ranker: 'lexical' })
  await router.setServers(SERVERS, { replace: true })
  const session = router.openSession({ settings })
  t.teardown(() => session.close())
  await session.start(text)
  return session
}

const UNDERSTOOD = [
  [{ query: 'functions.ask_codex' }, 'ask_codex'],
  [{ query: 'tool:ask_codex' }, 'ask_codex'],
  [{ query: 'name: ask_codex' }, 'ask_codex'],
  [{ query: 'default_api.ask_codex' }, 'ask_codex'],
  [{ query: 'mcp.files.read_file' }, 'read_file'],
  [{ query: 'functions.mcp--files--read_file' }, 'read_file'],
  [{ query: 'mcp__gateway__mcp--files--read_file' }, 'read_file'],
  [{ query: 'select:functions.ask_codex,tool:read_file' }, 'ask_codex', 'read_file'],
  [{ query: 'ask_.*' }, 'ask_codex', 'ask_gemini'],
  [{ query: 'ask_*' }, 'ask_codex', 'ask_gemini'],
  [{ query: '^ask_.*$' }, 'ask_codex', 'ask_gemini'],
  [{ query: '*_file' }, 'read_file', 'write_file'],
  [{ query: '(ask_codex|read_file)' }, 'ask_codex', 'read_file'],
  [{ query: 'ask_codex|ask_gemini' }, 'ask_codex', 'ask_gemini'],
  [{ query: ['ask_codex', 'read_file'] }, 'ask_codex', 'read_file'],
  [{ queries: ['ask_codex', 'tool:read_file'] }, 'ask_codex', 'read_file'],
  ['{"query":["ask_codex","read_file"]}', 'ask_codex', 'read_file'],
  ['{"queries":["ask_codex"]}', 'ask_codex'],
]

for (const [args, ...expected] of UNDERSTOOD) {
  test.serial(
    `mcp_load understands ${typeof args === 'string' ? `the text ${args}` : JSON.stringify(args)}`,
    async (t) => {
      const session = await started(t)
      const { loaded, unavailable } = await session.load(args)
      t.deepEqual(loaded.map(({ toolName }) => toolName).toSorted(), expected, JSON.stringify(unavailable))
    },
  )
}

test.serial('a pattern that nothing fits is an unknown name, and one of all names loads nothing', async (t) => {
  const session = await started(t)
  const { unavailable } = await session.load({ query: 'zzz_*' })
  t.deepEqual(
    unavailable.map(({ name, reason }) => [name, reason]),
    [['zzz_*', 'unknown']],
  )
  t.deepEqual((await session.load({ query: '*' })).loaded, [])
})

test.serial('behind the name of another program a name says its own server, or means nothing', async (t) => {
  const session = await started(t)
  for (const query of ['mcp__elsewhere__read_file', 'mcp--elsewhere--read_file', 'mcp__books__read_file']) {
    const { loaded, unavailable } = await session.load({ query })
    t.deepEqual([loaded, unavailable.map(({ reason }) => reason)], [[], ['unknown']], query)
  }
  const { loaded } = await session.load({ query: 'functions.mcp__elsewhere__files.read_file' })
  t.is(loaded[0].toolName, 'read_file')
})

test.serial('a call by a name behind a word of another prompt is the call', async (t) => {
  const session = await started(t)
  await session.load({ query: 'read_file' })
  const { tool: called, problem } = await session.checkCall({ name: 'functions.read_file', arguments: {} })
  t.deepEqual([called, problem], [{ serverName: 'files', toolName: 'read_file' }, undefined])
})

test.serial('a tool that its server has renamed is gone from that server, and told with its near names', async (t) => {
  const session = await started(t)
  await session.load({ query: 'close_period' })
  await router.setServer(books(['period_close', 'open_period', 'post_entry']))
  await session.sync()
  const name = 'mcp--books--close_period'
  const { problem } = await session.checkCall({ name, arguments: {} })
  t.is(problem.reason, 'tool-gone')
  t.is(problem.near[0], 'mcp--books--period_close')
  t.true(problem.message.includes('books') && problem.message.includes('period_close'), problem.message)
  t.false(/not connected/.test(problem.message))
  const { unavailable } = await session.load({ query: name })
  t.deepEqual(
    unavailable.map(({ reason, near }) => [reason, near[0]]),
    [['tool-gone', 'mcp--books--period_close']],
  )
  const answer = session.answerLoad(await session.load({ query: name }), { callId: 'c' })
  t.true(answer.includes('tool-gone') && answer.includes('period_close'))
})

test.serial('a tool that is gone without a trace names no other server’s', async (t) => {
  const session = await started(t)
  await session.load({ query: 'list_accounts' })
  await router.setServers([books(['post_entry']), { name: 'other', tools: [tool('list_accounts')] }])
  await session.sync()
  const { problem } = await session.checkCall({ name: 'mcp--books--list_accounts', arguments: {} })
  t.deepEqual([problem.reason, problem.near], ['tool-gone', []])
})

test.serial('of a server that is gone it is said that the server is', async (t) => {
  const session = await started(t)
  await session.load({ query: 'post_entry' })
  await router.removeServer('books')
  await session.sync()
  const { problem } = await session.checkCall({ name: 'mcp--books--post_entry', arguments: {} })
  t.is(problem.reason, 'server-gone')
  t.is((await session.load({ query: 'mcp--books--post_entry' })).unavailable[0].reason, 'server-gone')
})

test.serial('a signal is read as a model writes it, in a fence or behind a sentence', async (t) => {
  const session = await started(t)
  const said = { original_query: 'post the entry', missing_capability: 'post an entry', more: 1 }
  const signal = JSON.stringify({ ...said, attempted_mcps: null, completed_steps: null })
  for (const text of [
    `\`\`\`json\n${signal}\n\`\`\``,
    `I lack a tool for this {really}:\n${signal}`,
    `${signal}\nShall I go on?`,
  ]) {
    const { loaded, alreadyAttached } = await session.reroute(text)
    const names = [...loaded.map(({ name }) => name), ...alreadyAttached]
    t.true(names.includes('mcp--books--post_entry'), text)
  }
  await t.throwsAsync(session.reroute('I cannot do {this}.'), { code: 'ERR_INVALID_ARGUMENT' })
})

test.serial('a server whose tools were not listed is not one without tools', async (t) => {
  const session = await started(t)
  for (const server of [{ name: 'books' }, { name: 'books', tools: undefined }]) {
    await t.throwsAsync(router.setServer(server), {
      code: 'ERR_INVALID_ARGUMENT',
      message: /^setServer\.tools: expected a list/,
    })
    await t.throwsAsync(router.setServers([SERVERS[0], server]), {
      code: 'ERR_INVALID_ARGUMENT',
      message: /^setServers\[1\]\.tools: /,
    })
  }
  t.is((await session.load({ query: 'post_entry' })).loaded.length, 1, 'nothing has changed')
  t.is((await router.setServer({ name: 'books', tools: [] })).removed.length, BOOKS.length)
  await t.notThrowsAsync(router.setServer({ name: 'books', disabled: true }))
})
